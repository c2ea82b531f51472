"""Tests of the window leave the application as they found it."""

from __future__ import annotations

from typing import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from tests.gui.clearing import clear_away


@pytest.fixture(scope="module", autouse=True)
def plain_application() -> Iterator[None]:
    """No widget of one module reaches into the next."""
    yield
    if isinstance(QApplication.instance(), QApplication):
        clear_away()
