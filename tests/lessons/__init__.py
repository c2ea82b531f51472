"""Lessons: their files, their claims, and how the window shows them."""
