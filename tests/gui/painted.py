"""What is seen of a widget: its pixels, their colours, and its words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QWheelEvent
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from slotscope.gui.painting.colour import argb
from slotscope.gui.panel import Panel
from slotscope.gui.theme import fonts


def pixels_of(image: QImage) -> np.ndarray:
    """[H, W] the pixels, as 0xaarrggbb: what ``image.pixel`` says of one, a hundred times as fast."""
    image = image.convertToFormat(QImage.Format.Format_ARGB32)
    rows = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)
    return rows[:, : image.width()].copy()


def pixels(widget: QWidget) -> np.ndarray:
    """[H, W] the pixels, as 0xffrrggbb."""
    return pixels_of(widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32))


def on_glass(widget: QWidget) -> np.ndarray:
    """[H, W] what the screen shows of a window; nothing before it shows any of it."""
    image = widget.screen().grabWindow(widget.winId()).toImage()
    return np.zeros((0, 0)) if image.isNull() else pixels_of(image.convertToFormat(QImage.Format.Format_RGB32))


def area(picture: np.ndarray, rect: QRectF) -> np.ndarray:
    """The part of a picture that a rectangle touches."""
    box = rect.toAlignedRect()
    return picture[max(0, box.top()) : box.bottom() + 1, max(0, box.left()) : box.right() + 1]


def has(picture: np.ndarray, color: str) -> bool:
    """Whether a picture has exactly this colour anywhere."""
    return bool((picture == argb(color)).any())


def colours_in(picture: np.ndarray) -> set[str]:
    """All colours of a picture."""
    return {f"#{pixel & 0xFFFFFF:06x}" for pixel in np.unique(picture).tolist()}


def colours_at(image: QImage, across: int, down: int) -> set[str]:
    """The colours of every so many pixels of a picture."""
    return colours_in(pixels_of(image)[::down, ::across])


def colours(widget: QWidget) -> set[str]:
    """All colours of a widget."""
    return colours_in(pixels(widget))


def text_of(widget: QWidget) -> str:
    """All that is written in labels that can be seen."""
    return " ".join(label.text() for label in widget.findChildren(QLabel) if label.isVisible())


def svg_of(panel: Panel, folder: Path) -> str:
    """The text of a panel's picture as vectors, which Qt can read."""
    path = folder / "panel.svg"
    panel.save_svg(path)
    assert QSvgRenderer(str(path)).isValid()
    return path.read_text(encoding="utf-8")


def series_of(panel: Panel) -> tuple[list[str], list[list[Any]]]:
    """The names and rows of what a panel exports."""
    series = panel.series()
    assert series is not None
    names, rows = list(series[0]), [list(row) for row in series[1]]
    assert {len(row) for row in rows} <= {len(names)}
    return names, rows


def listed(panel: Panel) -> list[dict[str, Any]]:
    """Each row of what a panel exports, by the names of its columns."""
    names, rows = series_of(panel)
    return [dict(zip(names, row, strict=True)) for row in rows]


@contextmanager
def type_of(lecture: bool) -> Iterator[None]:
    """All is written in the type of a lecture, or of a desk."""
    usual = QApplication.font()
    QApplication.setFont(fonts(lecture).body)
    try:
        yield
    finally:
        QApplication.setFont(usual)


def scene_in(panel: QWidget) -> Any:
    """What a picture of servers shows now."""
    scene = panel.view.scene
    assert scene is not None
    return scene


def wheel(widget: QWidget, at: QPointF, notches: int) -> bool:
    """Turn the wheel over a place; whether what is there took it, else it goes on to what that stands in."""
    event = QWheelEvent(
        at,
        widget.mapToGlobal(at),
        QPoint(),
        QPoint(0, 120 * notches),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, event)
    return event.isAccepted()


class Counted(QObject):
    """Counts how often a widget gets an event: that it is painted, if nothing else is said."""

    def __init__(self, widget: QWidget, kind: QEvent.Type = QEvent.Type.Paint) -> None:
        super().__init__(widget)
        self.count, self._kind = 0, kind
        widget.installEventFilter(self)

    def eventFilter(self, _: QObject, event: QEvent) -> bool:
        self.count += event.type() == self._kind
        return False
