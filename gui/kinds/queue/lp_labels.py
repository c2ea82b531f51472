"""Labels in pictures: symbols with subscripts, and places where none covers another."""

from __future__ import annotations

import re
from typing import Iterator, NamedTuple, Sequence

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

#: A subscript is written as in K_{RED}.
_SUBSCRIPT = re.compile(r"_\{([^}]*)\}")
_SMALL, _LOWER = 0.68, 0.18  # size of subscripts, and how far they are lowered, in lines

#: Tried in this order: right above, right below, left above, left below, above, below.
_SIDES = ((1, -1), (1, 1), (-1, -1), (-1, 1), (0, -1), (0, 1))


class WantedLabel(NamedTuple):
    """A text of this size beside a point; those that *must* be seen cover others at the worst."""

    text: str
    size: QSizeF
    point: QPointF
    role: str
    must: bool = False
    clear: float = 6.0  #: pixels between point and text


class PlacedLabel(NamedTuple):
    """Where a text goes."""

    text: str
    box: QRectF
    role: str


def _pieces(text: str, font: QFont) -> Iterator[tuple[str, QFont, bool]]:
    """The parts of *text* with their fonts; subscripts are every other one."""
    small = QFont(font)
    small.setPointSizeF(_SMALL * font.pointSizeF())
    for number, part in enumerate(_SUBSCRIPT.split(text)):
        if part:
            yield part, small if number % 2 else font, bool(number % 2)


def symbols_width(text: str, font: QFont) -> float:
    """How wide *text* is with its subscripts."""
    return sum(QFontMetricsF(look).horizontalAdvance(part) for part, look, _ in _pieces(text, font))


def paint_symbols(painter: QPainter, box: QRectF, text: str) -> None:
    """Draw *text* with its subscripts in the middle of *box*."""
    font = painter.font()
    left = box.center().x() - symbols_width(text, font) / 2
    down = _LOWER * QFontMetricsF(font).height()
    for part, look, lowered in _pieces(text, font):
        painter.setFont(look)
        width = QFontMetricsF(look).horizontalAdvance(part)
        place = QRectF(left, box.top() + (down if lowered else 0.0), width + 1, box.height())
        painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, part)
        left += width
    painter.setFont(font)


def place_labels(wanted: Sequence[WantedLabel], area: QRectF, taken: Sequence[QRectF] = ()) -> list[PlacedLabel]:
    """Boxes in *area* for as many labels as there is room for, the first ones first."""
    boxes, placed = list(taken), []
    for label in wanted:
        choices = [_box(label, across, down) for across, down in _SIDES]
        inside = [box for box in choices if area.contains(box)]
        free = [box for box in inside if not any(box.intersects(other) for other in boxes)]
        found = next(iter(free), None)
        if found is None and label.must:
            kept = [_kept_in(box, area) for box in choices]
            found = min(kept, key=lambda box: _covered(box, boxes))
        if found is not None:
            boxes.append(found)
            placed.append(PlacedLabel(label.text, found, label.role))
    return placed


def _box(label: WantedLabel, across: int, down: int) -> QRectF:
    width, height = label.size.width(), label.size.height()
    left = label.point.x() + {1: label.clear, -1: -label.clear - width, 0: -width / 2}[across]
    away = label.clear if across == 0 else label.clear / 3
    top = label.point.y() + (away if down > 0 else -away - height)
    return QRectF(left, top, width, height)


def _covered(box: QRectF, others: Sequence[QRectF]) -> float:
    """How much of *others* would be covered."""
    common = (box.intersected(other) for other in others)
    return sum(part.width() * part.height() for part in common)


def _kept_in(box: QRectF, area: QRectF) -> QRectF:
    left = min(max(box.left(), area.left()), area.right() - box.width())
    top = min(max(box.top(), area.top()), area.bottom() - box.height())
    return QRectF(left, top, box.width(), box.height())
