"""Films of a run: panels on a stage of their own, painted moment by moment, and written into a file."""
