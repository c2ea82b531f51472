"""Lessons: files that lead through moments of runs, with a few sentences about each."""
