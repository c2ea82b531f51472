"""Tests of the window leave the application as they found it."""

from __future__ import annotations

from typing import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication


@pytest.fixture(scope="module", autouse=True)
def plain_application() -> Iterator[None]:
    """No widget of one module reaches into the next."""
    yield
    application = QApplication.instance()
    if isinstance(application, QApplication):
        for widget in application.topLevelWidgets():
            widget.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
