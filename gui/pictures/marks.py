"""Outlines of what the last step names, and of what is selected in any panel."""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache
from typing import Iterator

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from slotscope.gui.painting.text import Symbols
from slotscope.gui.theme import Theme
from slotscope.model.whys.passing import PassedOver

#: Pen width, gap to the selected thing, and length of a bracket's arms: a share of the shorter side, and its maximum.
_BRACKET, GAP, _ARM, _LONGEST = 3.0, 4.0, 0.3, 14.0


def paint_brackets(painter: QPainter, rect: QRectF, theme: Theme) -> None:
    """Draw brackets outside the corners of *rect*, over any frame that it has."""
    around = rect.adjusted(-GAP, -GAP, GAP, GAP)
    arm = min(_LONGEST, _ARM * min(around.width(), around.height()))
    centre = around.center()
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for tone, width in ((theme.panel, _BRACKET + 2), (theme.run, _BRACKET)):
        pen = QPen(QColor(tone), width, c=Qt.PenCapStyle.SquareCap, j=Qt.PenJoinStyle.MiterJoin)
        painter.setPen(pen)
        for corner in (around.topLeft(), around.topRight(), around.bottomRight(), around.bottomLeft()):
            x = arm if corner.x() < centre.x() else -arm
            y = arm if corner.y() < centre.y() else -arm
            painter.drawPolyline([corner + QPointF(x, 0), corner, corner + QPointF(0, y)])


WIDTH = 2.0
#: The outline of a thing smaller than this lies outside its edges.
SMALL = 10.0
#: Pixels by which outlines may extend beyond the servers.
AROUND = 7.0
#: Width of a plate beyond its words; box height in lines of text from which the plate is at the top.
_PLATE, _ROOMY = 7.0, 4.0


@contextmanager
def around(painter: QPainter, stage: QRectF) -> Iterator[None]:
    """A context that clips painting at :data:`AROUND` pixels beyond the servers."""
    painter.save()
    painter.setClipRect(stage.adjusted(-AROUND, -AROUND, AROUND, AROUND))
    yield
    painter.restore()


def outline(painter: QPainter, rect: QRectF, color: str, under: str) -> None:
    """A frame in two tones, visible on any background."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for pen in (_pen(under, WIDTH + 2), _pen(color, WIDTH)):
        painter.setPen(pen)
        painter.drawRect(rect)


@cache
def _pen(color: str, width: float) -> QPen:
    return QPen(QColor(color), width, j=Qt.PenJoinStyle.MiterJoin)


def outline_thing(painter: QPainter, rect: QRectF, color: str, under: str) -> None:
    """An outline inside the edges of a large thing, outside those of a small one."""
    room = 1.0 if min(rect.width(), rect.height()) < SMALL else -1.0
    outline(painter, rect.adjusted(-room, -room, room, room), color, under)


def outline_server(painter: QPainter, rect: QRectF, color: str, under: str, large: bool) -> None:
    """An outline around a server, at a larger distance if *large*, where there is room between servers."""
    room = 2.5 if large else 0.5
    outline(painter, rect.adjusted(-room, -room, room, room), color, under)


def passed_role(passed: PassedOver) -> str:
    """The colour role of a server that is passed over: red if no server gets the job."""
    return "rejection" if passed.refused else "muted"


def placed_reason(box: QRectF, reasons: tuple[str, ...], text: Symbols) -> tuple[str, QRectF]:
    """The words why a server does not get a job, and their plate in its box; empty words if none fit."""
    fitting = (words for words in reasons if text.width(words) + _PLATE <= box.width())
    words = next(fitting, "") if text.height <= box.height() else ""
    plate = QRectF(0, 0, text.width(words) + _PLATE, text.height) if words else QRectF()
    plate.moveCenter(box.center())
    if box.height() >= _ROOMY * text.height:  # above the jobs, where the room is
        plate.moveTop(box.top() + 2)
    return words, plate


def paint_reason(
    painter: QPainter, box: QRectF, reasons: tuple[str, ...], text: Symbols, theme: Theme, color: str
) -> None:
    """Write on a server's box why it does not get a job."""
    words, plate = placed_reason(box, reasons, text)
    if words:
        painter.fillRect(plate, QColor(theme.panel))
        text.draw_in(painter, plate, words, theme.ink(color), 0.5)
