"""Lessons in the window: their steps, the page that lists them, and adding a moment to one."""
