"""Where the lines of tokens' lives are: which rows, and which stretch of time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

from PySide6.QtCore import QRectF

from slotscope.gui.kinds.phases.tokens_lives import Life
from slotscope.gui.plotting.scales import step_up

#: At most this share of the rows is for tokens that wait, while there are others to show.
_MOST_WAITING = 0.6
#: The stretch of time covers this share of the lives whole; longer ones begin before it.
_COVERED = 0.9
#: It gets shorter only when what it must cover is shorter by this factor.
_SHRINK = 5.0
#: Shorter stretches are none.
_INSTANT = 1e-9


@dataclass(frozen=True)
class Heading:
    """A line of words above rows; ``hidden`` is how many tokens have no row."""

    text: str
    hidden: int

    @property
    def texts(self) -> tuple[str, ...]:
        """What is said, the longest first; the order of the rows goes before their number."""
        more, brief = f" ({self.hidden} not shown)" if self.hidden else "", self.text.partition(",")[0]
        return f"{self.text}{more}", f"{brief}{more}", brief


Line = Heading | Life


def arranged(waiting: Sequence[Life], used: Sequence[Life], room: int) -> tuple[Line, ...]:
    """The lines from top to bottom: tokens that wait, oldest first, then the used, latest first."""
    rows = max(0, room - 2)
    for_waiting = min(len(waiting), rows, max(round(_MOST_WAITING * rows), rows - len(used)))
    for_used = min(len(used), rows - for_waiting)
    hidden = len(waiting) - for_waiting
    waits = f"waiting now: {len(waiting)}, oldest first" if waiting else "no token waits now"
    return (Heading(waits, hidden), *waiting[:for_waiting], Heading("used lately, last first", 0), *used[:for_used])


def covering_span(lives: Sequence[Life], now: float, before: float) -> float:
    """How much time until now is shown; *before* is kept where it would do."""
    ages = sorted(now - life.made for life in lives)
    if not ages:
        return before or 1.0
    needed = ages[int(_COVERED * (len(ages) - 1))]
    if needed < _INSTANT:  # made just now: the time so far, as in the curves above
        return before or step_up(max(now, _INSTANT))
    if before and needed <= before <= _SHRINK * needed:
        return before
    return step_up(needed)


@dataclass(frozen=True)
class LinesLayout:
    """Columns: name, server, the lines themselves, how long; rows from the top."""

    width: float
    height: float
    row: float
    name: float  #: widths of the texts
    server: float
    age: float
    brief: bool = False  #: whether servers are called s1 and not server 1
    gap: float = 10.0

    @property
    def room(self) -> int:
        """How many lines there is room for; the axis takes the last."""
        return max(0, int((self.height - 1.2 * self.row) // self.row))

    @property
    def left(self) -> float:
        """Where the lines begin."""
        return 3 * self.gap + self.name + self.server

    @property
    def right(self) -> float:
        """The present."""
        return max(self.left + 20.0, self.width - 2 * self.gap - self.age)

    def box(self, place: int) -> QRectF:
        """A line from edge to edge."""
        return QRectF(0, place * self.row, self.width, self.row)

    def x(self, ago: float, span: float) -> float:
        """Where a moment so long ago is; earlier ones are at the left end."""
        return max(self.left, self.right - (self.right - self.left) * ago / span)

    def place_at(self, height: float) -> int:
        """The line at this height."""
        return int(height // self.row)
