"""The columns of the rows of weights: names, arithmetic, weights, bars and servers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Callable, Iterable, NamedTuple, Sequence

from PySide6.QtCore import QRectF

from slotscope.gui.kinds.queue.weights_values import Term, WeightBlock, WeightRow, in_numbers, in_symbols
from slotscope.gui.plotting.scales import format_number

MARGIN, GAP = 10.0, 12.0
#: The arithmetic is left out if the bars would be narrower than this; its symbols, if narrower than the second.
_LEAST_BAR, _GOOD_BAR = 70.0, 150.0
#: The servers are left out as well if the bars would be narrower than this.
_NO_BAR = 30.0
#: The names, and the servers, take at most these shares of the width.
_MOST_NAME, _MOST_SERVERS = 0.34, 0.3
#: Only this many of the longest texts (by characters) are measured.
_MEASURED = 8
#: If servers are only counted, the bar of their share has the width of this many digits.
_SHARE_DIGITS = 10
SERVERS_HEADING = "servers"
NAME_HEADING, OWN_NAME = "configuration", "servers' weights"
VALUE_HEADING = "⟨k, Q⟩"

_EQUALS = 5.0  # pixels between the arithmetic and its result

Measure = Callable[[str], float]


class Widths(NamedTuple):
    """The widths in pixels that the texts of each column need.

    ``said`` is for the arithmetic with symbols, ``work`` without; ``best`` for the words MaxWeight and
    its choice, ``chosen`` for the choice alone.
    """

    name: float
    said: float
    work: float
    value: float
    servers: float
    best: float = 0.0
    chosen: float = 0.0

    def at_least(self, other: Widths) -> Widths:
        """The widths that are enough for both."""
        return Widths(*map(max, self, other))


NO_WIDTHS = Widths(0.0, 0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class WeightColumns:
    """Left edge and width of each column in pixels; a column of width 0 is left out."""

    name: tuple[float, float]
    work: tuple[float, float]
    value: tuple[float, float]
    bar: tuple[float, float]
    servers: tuple[float, float]
    symbols: bool  #: whether the arithmetic is also written with the queues' symbols
    split: bool = False  #: whether the name of MaxWeight's choice is on a separate line

    @staticmethod
    def box(column: tuple[float, float], top: float, height: float) -> QRectF:
        """The rectangle of a column in a row."""
        return QRectF(column[0], top, column[1], height)


def work_text(terms: tuple[Term, ...], symbols: bool) -> str:
    """The arithmetic that is written left of its result."""
    numbers = f"{in_numbers(terms)} ="
    return f"{in_symbols(terms)} = {numbers}" if symbols else numbers


def best_name(block: WeightBlock) -> str:
    """The name of the row of MaxWeight's choice."""
    return f"MaxWeight {block.best_words}".strip() if block.best else ""


def servers_text(row: WeightRow) -> str:
    """The numbers of the servers if they are listed, else how many there are."""
    return "  ".join(str(server + 1) for server in row.named) or format_number(row.servers)


def chips(row: WeightRow, place: QRectF, measure: Measure) -> list[tuple[int, QRectF]]:
    """(server, rectangle of its number) in *place*; empty if servers are only counted, or do not fit."""
    left, boxes = place.left(), []
    for server in row.named:
        width = measure(str(server + 1))
        boxes.append((server, QRectF(left, place.top(), width + 1, place.height())))
        left += width + measure("  ")
    fits = boxes and boxes[-1][1].right() <= place.right() + 1
    return boxes if fits else []


def widths(blocks: Sequence[WeightBlock], measure: Measure, measure_bold: Measure) -> Widths:
    """The widths that the texts of *blocks* need; name and weight of the heaviest row are bold."""
    rows = [row for block in blocks for row in block.rows]
    terms = [row.terms for row in rows] + [block.best_terms for block in blocks]
    value = _widest([format_number(block.top) for block in blocks] + [VALUE_HEADING], measure_bold)
    own = measure(OWN_NAME) - GAP - value  # its text extends over the empty column of weights
    return Widths(
        max(own, _widest([NAME_HEADING], measure), _widest((row.name for row in rows), measure_bold)),
        _widest((work_text(each, True) for each in terms), measure),
        _widest((work_text(each, False) for each in terms), measure),
        value,
        max(
            _widest([servers_text(row) for row in rows] + [SERVERS_HEADING], measure_bold),
            _SHARE_DIGITS * measure("0") if any(not row.named for row in rows if row.servers) else 0,
        ),
        _widest(map(best_name, blocks), measure),
        _widest((block.best_words for block in blocks), measure),
    )


def _widest(texts: Iterable[str], measure: Measure) -> float:
    longest = sorted(set(texts), key=len, reverse=True)[:_MEASURED]
    return max(map(measure, longest), default=0.0) + 1


def columns(need: Widths, width: float) -> WeightColumns:
    """The columns with the most text that still leave the bars enough room.

    If room is short, the name of MaxWeight's choice is the first to leave its column, for a separate line.
    """
    places = _columns(need._replace(name=max(need.name, need.best)), width)
    if places.bar[1] < _LEAST_BAR or not places.servers[1]:
        places = _columns(need, width)
    return replace(places, split=need.chosen > places.name[1] + 1)


def _columns(need: Widths, width: float) -> WeightColumns:
    """The columns for names of this width.

    If room is short, the symbols of the arithmetic are left out first, then all of it, and the servers last;
    names then may take the rest.
    """
    name = min(need.name, _MOST_NAME * width)
    servers = min(need.servers, _MOST_SERVERS * width)
    taken = 2 * MARGIN + name + need.value + servers + 3 * GAP + _EQUALS
    for work, least in ((need.said, _GOOD_BAR), (need.work, _LEAST_BAR)):
        if width - taken - work - GAP >= least:
            return _arranged(width, name, work, need.value, servers, work is need.said)
    room = width - 2 * MARGIN - need.value - 2 * GAP - _NO_BAR
    if min(need.name, room) + servers + GAP > room:
        servers = 0.0
    whole = min(need.name, room - (servers + GAP if servers else 0.0))
    return _arranged(width, max(name, whole), 0.0, need.value, servers, False)


def _arranged(width: float, name: float, work: float, value: float, servers: float, symbols: bool) -> WeightColumns:
    work_left = MARGIN + name + GAP
    value_left = work_left + (work + _EQUALS if work else 0.0)
    bar_left = value_left + value + GAP
    servers_left = width - MARGIN - servers
    bar_right = servers_left - (GAP if servers else 0.0)
    return WeightColumns(
        (MARGIN, name),
        (work_left, work),
        (value_left, value),
        (bar_left, max(1.0, bar_right - bar_left)),
        (servers_left, servers),
        symbols,
    )
