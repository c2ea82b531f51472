"""Exercises: questions about a run, answered before it goes on, and posed and graded by the reference."""
