"""The headless commands; each module has a function ``execute`` that returns the exit code."""
