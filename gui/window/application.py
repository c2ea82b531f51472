"""The one application object, made where something first needs it."""

from __future__ import annotations

import sys

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication, QWidget

from slotscope.gui.window.garbage import collector_of


def application(offscreen: bool = False) -> QApplication:
    """The application object, styled, with garbage collected in this thread alone."""
    existing = QApplication.instance()
    app = existing if isinstance(existing, QApplication) else _made(offscreen)
    collector_of(app)
    return app


def _made(offscreen: bool) -> QApplication:
    arguments = [sys.argv[0]] + (["-platform", "offscreen"] if offscreen else [])
    app = QApplication(arguments)
    app.setApplicationName("slotscope")
    app.setOrganizationName("slotscope")
    app.setApplicationDisplayName("slotscope")
    return app


def destroy(widget: QWidget) -> None:
    """Close a widget and destroy it at once: where no event loop follows, nothing else would.

    What is left of each recording would be styled anew, and take longer, with every further theme.
    """
    widget.close()
    widget.deleteLater()
    QCoreApplication.sendPostedEvents(widget, QEvent.Type.DeferredDelete)
