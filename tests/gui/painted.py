"""How a widget looks: its pixels, their colours, and its texts."""

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
    """[H, W] pixels as 0xaarrggbb, as ``image.pixel`` returns them, but a hundred times as fast."""
    image = image.convertToFormat(QImage.Format.Format_ARGB32)
    rows = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)
    return rows[:, : image.width()].copy()


def pixels(widget: QWidget) -> np.ndarray:
    """[H, W] the widget's pixels as 0xffrrggbb."""
    return pixels_of(widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32))


def on_glass(widget: QWidget) -> np.ndarray:
    """[H, W] pixels of a window as shown on the screen; empty before it is shown."""
    image = widget.screen().grabWindow(widget.winId()).toImage()
    return np.zeros((0, 0)) if image.isNull() else pixels_of(image.convertToFormat(QImage.Format.Format_RGB32))


def area(picture: np.ndarray, rect: QRectF) -> np.ndarray:
    """The part of a picture that intersects a rectangle."""
    box = rect.toAlignedRect()
    return picture[max(0, box.top()) : box.bottom() + 1, max(0, box.left()) : box.right() + 1]


def has(picture: np.ndarray, color: str) -> bool:
    """Whether any pixel of a picture has exactly this colour."""
    return bool((picture == argb(color)).any())


def colours_in(picture: np.ndarray) -> set[str]:
    """All colours of a picture."""
    return {f"#{pixel & 0xFFFFFF:06x}" for pixel in np.unique(picture).tolist()}


def colours_at(image: QImage, across: int, down: int) -> set[str]:
    """The colours of every *across*-th pixel in every *down*-th row of an image."""
    return colours_in(pixels_of(image)[::down, ::across])


def colours(widget: QWidget) -> set[str]:
    """All colours of a widget."""
    return colours_in(pixels(widget))


def text_of(widget: QWidget) -> str:
    """The texts of all visible labels."""
    return " ".join(label.text() for label in widget.findChildren(QLabel) if label.isVisible())


def svg_of(panel: Panel, folder: Path) -> str:
    """A panel's picture as the text of an SVG file, which Qt must be able to read."""
    path = folder / "panel.svg"
    panel.save_svg(path)
    assert QSvgRenderer(str(path)).isValid()
    return path.read_text(encoding="utf-8")


def series_of(panel: Panel) -> tuple[list[str], list[list[Any]]]:
    """The column names and rows of a panel's export."""
    series = panel.series()
    assert series is not None
    names, rows = list(series[0]), [list(row) for row in series[1]]
    assert {len(row) for row in rows} <= {len(names)}
    return names, rows


def listed(panel: Panel) -> list[dict[str, Any]]:
    """The rows of a panel's export, as dictionaries by column name."""
    names, rows = series_of(panel)
    return [dict(zip(names, row, strict=True)) for row in rows]


@contextmanager
def type_of(lecture: bool) -> Iterator[None]:
    """Use the fonts of lecture mode, or the usual ones, within the body."""
    usual = QApplication.font()
    QApplication.setFont(fonts(lecture).body)
    try:
        yield
    finally:
        QApplication.setFont(usual)


def scene_in(panel: QWidget) -> Any:
    """The present scene of a picture of servers."""
    scene = panel.view.scene
    assert scene is not None
    return scene


def wheel(widget: QWidget, at: QPointF, notches: int) -> bool:
    """Turn the wheel over a point; return whether the widget accepts it, rather than leaving it to its parent."""
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
    """Counts events of a kind that a widget receives, by default paint events."""

    def __init__(self, widget: QWidget, kind: QEvent.Type = QEvent.Type.Paint) -> None:
        super().__init__(widget)
        self.count, self._kind = 0, kind
        widget.installEventFilter(self)

    def eventFilter(self, _: QObject, event: QEvent) -> bool:
        self.count += event.type() == self._kind
        return False
