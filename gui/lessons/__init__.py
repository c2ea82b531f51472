"""Lessons, questions and exercises in the window, the page of lessons, and adding a moment to a lesson."""
