"""Fixtures that tests of the window share."""

from __future__ import annotations

from tests.gui.windows import shared_window, window

__all__ = ["shared_window", "window"]
