"""The one application object, made where something first needs it."""

from __future__ import annotations

import sys

from PySide6.QtWidgets import QApplication


def application(offscreen: bool = False) -> QApplication:
    """The application object, styled."""
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        return existing
    arguments = [sys.argv[0]] + (["-platform", "offscreen"] if offscreen else [])
    app = QApplication(arguments)
    app.setApplicationName("slotscope")
    app.setOrganizationName("slotscope")
    app.setApplicationDisplayName("slotscope")
    return app
