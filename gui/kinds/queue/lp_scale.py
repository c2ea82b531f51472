"""One axis of workloads as shares of rho*: the load, what K_RED supports, and what policies guarantee."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Iterator, NamedTuple, Sequence

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy

from slotscope.gui.painting.text import CENTRE
from slotscope.gui.panels.wording import THIN
from slotscope.gui.plotting.scales import format_number
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.chart import Chart

#: Notation of a subscript, as in K_{RED}.
_SUBSCRIPT = re.compile(r"_\{([^}]*)\}")
_SMALL, _LOWER = 0.68, 0.18  # font size of subscripts relative to the text; how far they are lowered, in lines

#: Sides of a point that are tried for its label, in order: upper right, lower right, upper left, lower left, above,
#: below.
_SIDES = ((1, -1), (1, 1), (-1, -1), (-1, 1), (0, -1), (0, 1))


class WantedLabel(NamedTuple):
    """A text of this size wanted beside a point; one that ``must`` be seen is placed even if it covers others."""

    text: str
    size: QSizeF
    point: QPointF
    role: str
    must: bool = False
    clear: float = 6.0  #: pixels between point and text


class PlacedLabel(NamedTuple):
    """A text with its rectangle."""

    text: str
    box: QRectF
    role: str


def _pieces(text: str, font: QFont) -> Iterator[tuple[str, QFont, bool]]:
    """The parts of *text*: (part, its font, whether it is a subscript)."""
    small = QFont(font)
    small.setPointSizeF(_SMALL * font.pointSizeF())
    for number, part in enumerate(_SUBSCRIPT.split(text)):
        if part:
            yield part, small if number % 2 else font, bool(number % 2)


def symbols_width(text: str, font: QFont) -> float:
    """The width in pixels of *text* with its subscripts."""
    return sum(QFontMetricsF(look).horizontalAdvance(part) for part, look, _ in _pieces(text, font))


def paint_symbols(painter: QPainter, box: QRectF, text: str) -> None:
    """Draw *text* with its subscripts centred in *box*."""
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
    """Place labels in *area* where they overlap neither *taken* nor others, earlier labels first.

    Labels that find no room are left out, unless they must be seen.
    """
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
    """The area of *others* that *box* would cover, in square pixels."""
    common = (box.intersected(other) for other in others)
    return sum(part.width() * part.height() for part in common)


def _kept_in(box: QRectF, area: QRectF) -> QRectF:
    left = min(max(box.left(), area.left()), area.right() - box.width())
    top = min(max(box.top(), area.top()), area.bottom() - box.height())
    return QRectF(left, top, box.width(), box.height())


_MARGIN, _GAP, _THICK = 10.0, 10.0, 10.0
_RESOLUTION = 0.001
_ROOM = 1.05  # the axis' end as a multiple of the largest value shown
_FARTHEST = 2.2  # L / E[R] is left out above this share of rho*, as it would squeeze the rest


class StableShare(NamedTuple):
    """A share of rho* below which policies are stable for any sizes that meet the condition."""

    ratio: Fraction
    names: str
    policies: frozenset[str]
    condition: str
    source: str


GUARANTEES = (
    StableShare(Fraction(1, 2), "BF-J/S", frozenset({"bf-js"}), "if no size is arbitrarily small", "Theorem 2"),
    StableShare(
        Fraction(2, 3),
        "VQS, VQS-BF",
        frozenset({"vqs", "vqs-bf"}),
        "if no size is below 1/2<sup><i>J</i></sup>",
        "Theorems 3 and 4",
    ),
)


@dataclass(frozen=True)
class LoadValues:
    """Workloads in jobs; rho* is known exactly if ``low`` equals ``high``.

    ``reduced`` is the workload that K_RED supports with sizes rounded up, ``packed`` the one with true
    sizes, ``capacity`` is L / E[R].
    """

    load: Fraction
    low: Fraction
    high: Fraction | None
    reduced: Fraction | None = None
    packed: Fraction | None = None
    capacity: Fraction | None = None

    def share(self, workload: Fraction) -> float:
        """*workload* as a share of rho*, or of its lower bound if rho* is not known exactly."""
        return float(workload / self.low) if self.low else float("inf")

    @property
    def exact(self) -> bool:
        """Whether rho* is known exactly."""
        return self.low == self.high

    @property
    def top(self) -> float:
        """The end of the axis, in shares of rho*."""
        ends = [1.0, self.share(self.load)]
        ends += [self.share(value) for value in (self.high, self.packed) if value is not None]
        if self.capacity is not None:
            ends.append(min(self.share(self.capacity), _FARTHEST))
        return _ROOM * min(max(ends), 2 * _FARTHEST)


class LoadScale(Chart):
    """A horizontal track from 0 to beyond rho*, filled up to the load."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "load as a share of the supportable workload", QSizePolicy.Policy.Fixed)
        self.values: LoadValues | None = None  #: what is shown
        self._policy = ""

    def set_values(self, values: LoadValues | None, policy: str) -> None:
        """Show *values*; the guarantee of *policy* is in bold."""
        if (values, policy) != (self.values, self._policy):
            self.values, self._policy = values, policy
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, round(3 * self._metrics().height() + _THICK + 16))

    # Painting.

    def paint(self, painter: QPainter) -> None:
        if self.values is None:
            return
        line = QFontMetricsF(painter.font()).height()
        track = QRectF(_MARGIN, line + 4, self.width() - 2 * _MARGIN, _THICK)
        self._paint_track(painter, track, self.values)
        self._paint_above(painter, track, line, self.values)
        self._paint_guarantees(painter, track, line)
        self._paint_load(painter, track, line, self.values)

    def _across(self, share: float, track: QRectF) -> float:
        assert self.values is not None
        return track.left() + track.width() * min(1.0, share / self.values.top)

    def _paint_track(self, painter: QPainter, track: QRectF, values: LoadValues) -> None:
        """Draw the load, in red beyond rho*, and a band between the bounds of rho* if it is not known exactly."""
        theme = self._theme
        painter.fillRect(track, QColor(theme.grid))
        if values.high is not None and not values.exact:
            color = QColor(theme.optimum)
            color.setAlphaF(0.35)
            left, right = (self._across(values.share(x), track) for x in (values.low, values.high))
            painter.fillRect(QRectF(left, track.top(), right - left, track.height()), color)
        share = values.share(values.load)
        beyond = values.share(values.high) if values.high is not None else float("inf")
        filled = QRectF(track)
        filled.setRight(self._across(min(share, max(1.0, beyond)), track))
        painter.fillRect(filled, QColor(theme.run))
        if share > max(1.0, beyond):
            over = QRectF(track)
            over.setLeft(filled.right())
            over.setRight(self._across(share, track))
            painter.fillRect(over, QColor(theme.rejection))

    def _paint_above(self, painter: QPainter, track: QRectF, line: float, values: LoadValues) -> None:
        """Mark the bounds of the supportable workload; without enough room, the least important get no text."""
        marks = tuple(bound_marks(values))
        for share, _, role in marks:
            x = self._across(share, track)
            # The optimum's mark is longer, so that it is visible behind another mark at the same place.
            over = 5.0 if role == "optimum" else 1.0
            mark = QRectF(x - 1.5, track.top() - over, 3, track.height() + 2 * over)
            painter.fillRect(mark, QColor(self._theme.color(role)))
        widths = [symbols_width(text, painter.font()) + 2 for _, text, _ in marks]
        while sum(widths) + _GAP * (len(widths) - 1) > track.width():
            widths.pop()
        shown = sorted(zip(marks, widths, strict=False), key=lambda pair: pair[0][0])
        centres = [self._across(share, track) for (share, _, _), _ in shown]
        lefts = in_a_row(centres, [width for _, width in shown], track.left(), track.right())
        for ((_, text, role), width), left in zip(shown, lefts, strict=True):
            painter.setPen(QColor(self._theme.ink(self._theme.color(role))))
            paint_symbols(painter, QRectF(left, 0, width, line), text)

    def _paint_guarantees(self, painter: QPainter, track: QRectF, line: float) -> None:
        """Mark the guarantees, with text below the track; this policy's is in bold."""
        plain, right = painter.font(), track.right()
        for guarantee in sorted(GUARANTEES, key=lambda item: -item.ratio):
            x = self._across(float(guarantee.ratio), track)
            painter.setPen(QPen(QColor(self._theme.muted), 1.0, Qt.PenStyle.DotLine))
            painter.drawLine(QLineF(x, track.top() - 3, x, track.bottom() + 6))
            mine = self._policy in guarantee.policies
            font = current_fonts().body
            font.setBold(mine)
            painter.setFont(font)
            text = f"{guarantee.ratio} {guarantee.names}"
            width = QFontMetricsF(font).horizontalAdvance(text) + 2
            left = min(x - width / 2, right - width)
            if left < track.left():
                continue
            painter.setPen(QColor(self._theme.normal if mine else self._theme.muted))
            painter.drawText(QRectF(left, track.bottom() + 6, width, line), CENTRE, text)
            right = left - _GAP
        painter.setFont(plain)

    def _paint_load(self, painter: QPainter, track: QRectF, line: float, values: LoadValues) -> None:
        """Write the load as a share of rho* into the second line below the track."""
        share = values.share(values.load)
        over = values.high is not None and values.load > values.high
        text = f"load {load_text(values)}"
        width = QFontMetricsF(painter.font()).horizontalAdvance(text) + 2
        x = self._across(share, track)
        left = min(max(x - width / 2, track.left()), track.right() - width)
        ink = self._theme.ink(self._theme.color("rejection" if over else "run"))
        painter.setPen(QColor(ink))
        painter.drawText(QRectF(left, track.bottom() + 6 + line, width, line), CENTRE, text)


def bound_marks(values: LoadValues) -> Iterator[tuple[float, str, str]]:
    """(share of rho*, text, role) of the marks above the track, most important first."""
    full = values.exact and values.capacity == values.low
    best = "ρ* = L / E[R]" if full else "ρ*" if values.exact else "ρ* at least"
    yield (1.0, best, "optimum")
    if not values.exact and values.high is not None:
        yield (values.share(values.high), "at most", "optimum")
    for value, text in ((values.packed, "K_{RED}"), (values.reduced, "K_{RED}, rounded up")):
        if value is not None and (text == "K_{RED}" or value != values.packed):
            share = values.share(value)
            written = format_number(share, _RESOLUTION)
            yield (share, f"{text}{THIN} {written}", "greedy")
    capacity = values.capacity
    if capacity is not None and capacity != values.high and values.share(capacity) <= _FARTHEST:
        yield (values.share(capacity), "L / E[R]", "muted")


def load_text(values: LoadValues) -> str:
    """The load as a share of rho*, as an interval if rho* is not known exactly."""
    share = values.share(values.load)
    if values.exact or values.high is None:
        return f"= {format_number(share, _RESOLUTION)} ρ*"
    least = format_number(float(values.load / values.high), _RESOLUTION)
    return f"= {least} to {format_number(share, _RESOLUTION)} ρ*"


def in_a_row(centres: Sequence[float], widths: Sequence[float], left: float, right: float) -> list[float]:
    """The left ends of texts placed in this order, near their *centres*, without overlap; all in pixels.

    The texts must fit between *left* and *right* with a gap between neighbours.
    """
    starts: list[float] = []
    for centre, width in zip(centres, widths, strict=True):
        least = starts[-1] + widths[len(starts) - 1] + _GAP if starts else left
        starts.append(max(centre - width / 2, least))
    for place in reversed(range(len(starts))):
        most = right if place + 1 == len(starts) else starts[place + 1] - _GAP
        starts[place] = min(starts[place], most - widths[place])
    return starts
