"""Questions about runs: posed, graded by the reference, and kept in files."""
