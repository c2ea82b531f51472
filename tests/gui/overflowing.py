"""Finds texts that do not fit."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QFontMetricsF
from PySide6.QtWidgets import QAbstractButton, QAbstractScrollArea, QComboBox, QLabel, QToolButton, QWidget

from slotscope.gui.lessons.strip import LessonStrip
from slotscope.gui.widgets.labels import CutLabel

#: Pixels of a combo box taken by its arrow and its frame.
_ARROW = 28


def cut(root: QWidget) -> list[str]:
    """The texts of visible labels, buttons and combo boxes that do not fit."""
    seen = [one for one in root.findChildren(QWidget) if one.isVisible() and not one.visibleRegion().isEmpty()]
    return [words for one in seen if (words := _words(one)) and _needed(one, words) > one.width() + 1]


def _words(widget: QWidget) -> str:
    match widget:
        case CutLabel() if isinstance(widget.parent(), LessonStrip) or len(widget.shown) > 1:
            return ""  # texts of any length: the tooltip shows them in full
        case QLabel() if not widget.wordWrap() and "<" not in widget.text():
            return widget.text()
        case QToolButton() if widget.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonIconOnly:
            return ""
        case QAbstractButton():
            return widget.text()
        case QComboBox():
            return widget.currentText()
        case _:
            return ""


def _needed(widget: QWidget, words: str) -> int:
    if isinstance(widget, QAbstractButton):
        return widget.sizeHint().width()
    return widget.fontMetrics().horizontalAdvance(words) + (_ARROW if isinstance(widget, QComboBox) else 0)


@contextmanager
def shortened() -> Iterator[list[str]]:
    """Collect the texts that are elided while they are painted in the body."""
    found: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        for metrics in (QFontMetrics, QFontMetricsF):
            patch.setattr(metrics, "elidedText", _noted(metrics.elidedText, found))
        yield found


def _noted(elide: Callable[..., str], found: list[str]) -> Callable[..., str]:
    def noting(metrics: QFontMetrics, text: str, *more: Any) -> str:
        shown = elide(metrics, text, *more)
        if shown != text:
            found.append(f"{text!r} as {shown!r}")
        return shown

    return noting


def scrolled_sideways(root: QWidget) -> list[str]:
    """The visible scroll areas whose content is wider than they are."""
    areas = [one for one in root.findChildren(QAbstractScrollArea) if not one.visibleRegion().isEmpty()]
    return [type(area).__name__ for area in areas if area.horizontalScrollBar().maximum() > 0]
