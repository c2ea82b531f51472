"""Films of a run: panels outside the window, painted moment by moment and written into a file."""
