"""Fixtures that tests of the window share."""

from __future__ import annotations

from tests.gui.windows import lent_window, shared_window, theme, tidy_window, window

__all__ = ["lent_window", "shared_window", "theme", "tidy_window", "window"]
