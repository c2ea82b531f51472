"""Lessons: files that lead through moments of runs, a few sentences at each."""
