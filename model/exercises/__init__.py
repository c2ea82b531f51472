"""Questions about a run, answered before it goes on: posed and graded by the reference."""
