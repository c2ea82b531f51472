"""What has not the room for its words."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLabel, QToolButton, QWidget

from slotscope.gui.lessons.strip import LessonStrip
from slotscope.gui.widgets.cut_label import CutLabel

#: Pixels of a box that its arrow and its frame take.
_ARROW = 28


def cut(root: QWidget) -> list[str]:
    """The words of labels, buttons and boxes that are seen, but not whole."""
    seen = [one for one in root.findChildren(QWidget) if one.isVisible() and not one.visibleRegion().isEmpty()]
    return [words for one in seen if (words := _words(one)) and _needed(one, words) > one.width() + 1]


def _words(widget: QWidget) -> str:
    match widget:
        case CutLabel() if isinstance(widget.parent(), LessonStrip) or len(widget.shown) > 1:
            return ""  # sentences of any length: the tip has all of it
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
