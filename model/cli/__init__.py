"""The headless commands; each module has an ``execute`` that returns the exit code."""
