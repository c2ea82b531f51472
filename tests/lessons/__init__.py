"""Lessons: their files, their claims, and what the window makes of them."""
