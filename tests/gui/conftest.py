"""Fixtures shared by the tests of the window."""

from __future__ import annotations

from tests.gui.windows import language, lent_window, shared_window, theme, tidy_window, window

__all__ = ["language", "lent_window", "shared_window", "theme", "tidy_window", "window"]
