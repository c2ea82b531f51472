"""Layout of the lines of tokens' lives: their rows, and the span of time."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any, Iterator, NamedTuple, Sequence

import numpy as np
from PySide6.QtCore import QRectF

from slotscope.gui.plotting.scales import step_up
from slotscope.model.kinds.phases.rows import FLAG_MATCHED, FLAG_OF_VIRTUAL, FLAG_REQUESTED
from slotscope.model.reporting.frame import Frame


class Life(NamedTuple):
    """One token; ``used`` is None while it waits.

    ``job`` is the number of the real or virtual job that took it.
    """

    token: int
    type: int
    pool: int
    server: int
    made: float
    used: float | None = None
    job: int = -1
    virtual: bool = False

    def age(self, now: float) -> float:
        """How long it has waited, or had waited when used."""
        return (now if self.used is None else self.used) - self.made


def waiting(state: Any, most: int | None = None) -> tuple[Life, ...]:
    """The waiting tokens of all pools and types, the oldest first; at most *most*."""
    pools, types, places = np.nonzero(state.token_number >= 0)
    oldest = np.argsort(state.token_number[pools, types, places])[:most]
    there = pools[oldest], types[oldest], places[oldest]
    columns = state.token_number[there], there[1], there[0], state.token_server[there], state.token_time[there]
    return tuple(map(Life, *(column.tolist() for column in columns)))


def used_lately(frame: Frame, most: int) -> tuple[Life, ...]:
    """The tokens used in events whose rows are available, the last used first."""
    rows, state = frame.rows, frame.state
    matched = rows[(rows["flags"] & FLAG_MATCHED) > 0]
    since = float(rows["time"][0]) if len(rows) else frame.time
    taken = np.flatnonzero((state.job_token >= 0) & (state.job_arrival >= since))
    # Jobs in service refer to their tokens; for a departed real job its row does.
    left = np.flatnonzero(~np.isin(matched["token"], state.job_token[taken]))
    tokens = np.concatenate([state.job_token[taken], matched["token"][left]])
    used = np.concatenate([state.job_arrival[taken], matched["time"][left]])
    lives = []
    for place in np.lexsort((tokens, used))[::-1][:most].tolist():
        if place < len(taken):
            lives.append(_of_present(state, int(taken[place])))
        else:
            lives.append(_of_row(matched[left[place - len(taken)]]))
    facts = frame.info.facts
    if facts.plan is not None and not facts.asks_after_pause:  # otherwise a row may name another server
        known = np.append(tokens, state.token_number[state.token_number >= 0])
        lives += _by_virtual_gone(rows, state, known)
    lives.sort(key=lambda life: (life.used, life.token), reverse=True)
    return tuple(lives[:most])


def _of_present(state: Any, record: int) -> Life:
    """The token of a real or virtual job that is still in service."""
    return Life(
        int(state.job_token[record]),
        int(state.job_type[record]),
        int(state.job_pool[record]),
        int(state.job_server[record]),
        float(state.job_token_time[record]),
        float(state.job_arrival[record]),
        int(state.job_number[record]),
        bool(state.job_virtual[record]),
    )


def _of_row(row: np.void) -> Life:
    """The token that a real job took in this event."""
    used = float(row["time"])
    return Life(
        int(row["token"]),
        int(row["type"]),
        int(row["pool"]),
        int(row["server"]),
        used - float(row["token_age"]),
        used,
        int(row["job"]),
    )


def _by_virtual_gone(rows: np.ndarray, state: Any, known: np.ndarray) -> Iterator[Life]:
    """Tokens taken by virtual jobs that have left.

    A server has the tokens of only one request at a time, numbered in the order of types; those not taken by any
    known job were taken by the server's virtual jobs since that request.
    """
    gone = list(_virtual_gone(rows, state))
    requests = _requests(rows, known) if gone else {}
    of_request: dict[Life, list[Life]] = defaultdict(list)
    for life in gone:
        assert life.used is not None
        mine = [made for made in requests if made.server == life.server and made.made <= life.used]
        if mine:
            of_request[mine[-1]].append(life)
    for made, lives in of_request.items():
        lives.sort(key=lambda life: (life.type, life.job))
        for token, life in zip(requests[made], lives, strict=False):
            yield life._replace(token=token, pool=made.pool, made=made.made)


def _requests(rows: np.ndarray, known: np.ndarray) -> dict[Life, list[int]]:
    """Each request, keyed by its first token, with its tokens that are not accounted for otherwise."""
    asking = rows[(rows["flags"] & FLAG_REQUESTED) > 0]
    made = asking["made"].astype(np.int64)
    request = np.repeat(np.arange(len(asking)), made)
    tokens = asking["first_token"][request] + np.arange(made.sum())
    tokens -= np.repeat(np.cumsum(made) - made, made)
    missing = ~np.isin(tokens, known)
    found: dict[Life, list[int]] = {}
    for number, token in zip(request[missing].tolist(), tokens[missing].tolist(), strict=True):
        row = asking[number]
        life = Life(int(row["first_token"]), -1, int(row["pool"]), int(row["server"]), float(row["time"]))
        found.setdefault(life, []).append(token)
    return found


def _virtual_gone(rows: np.ndarray, state: Any) -> Iterator[Life]:
    """Virtual jobs that came and left within the rows, with tokens not known yet."""
    came = {
        int(row["first_virtual"]) + place: float(row["time"])
        for row in rows[rows["virtual"] > 0]
        for place in range(row["virtual"])
    }
    present = set(state.job_number[state.job_virtual == 1].tolist())
    for row in rows[(rows["flags"] & FLAG_OF_VIRTUAL) > 0]:
        number = int(row["job"])
        if number in came and number not in present:
            # A virtual job's type is the phase that it leaves first.
            yield Life(-1, int(row["type"]), -1, int(row["server"]), -1.0, came.pop(number), number, virtual=True)


#: Largest share of the rows for waiting tokens, if there are others to show.
_MOST_WAITING = 0.6
#: Share of the lives that the span covers completely; longer lives begin before it.
_COVERED = 0.9
#: The span shrinks only if the required one is smaller by this factor.
_SHRINK = 5.0
#: Least width of the lines in pixels.
_SHORTEST = 20.0
#: A shorter span counts as none.
_INSTANT = 1e-9


@dataclass(frozen=True)
class Heading:
    """A line of words above rows; ``hidden`` is the number of tokens without a row."""

    text: str
    hidden: int

    @property
    def texts(self) -> tuple[str, ...]:
        """The wordings, the longest first; the order of the rows is dropped before the number of hidden ones."""
        more, brief = f" ({self.hidden} not shown)" if self.hidden else "", self.text.partition(",")[0]
        return f"{self.text}{more}", f"{brief}{more}", brief


Line = Heading | Life


def arranged(waiting: Sequence[Life], used: Sequence[Life], room: int) -> tuple[Line, ...]:
    """The lines from top to bottom: waiting tokens, oldest first, then used ones, latest first."""
    rows = max(0, room - 2)
    for_waiting = min(len(waiting), rows, max(round(_MOST_WAITING * rows), rows - len(used)))
    for_used = min(len(used), rows - for_waiting)
    hidden = len(waiting) - for_waiting
    waits = f"waiting now: {len(waiting)}, oldest first" if waiting else "no token waits now"
    lately = "used lately, last first" if used else "none used lately"
    return (Heading(waits, hidden), *waiting[:for_waiting], Heading(lately, 0), *used[:for_used])


def covering_span(lives: Sequence[Life], now: float, before: float) -> float:
    """The length of time until now to show; *before* is kept if suitable."""
    ages = sorted(now - life.made for life in lives)
    if not ages:
        return before or 1.0
    needed = ages[int(_COVERED * (len(ages) - 1))]
    if needed < _INSTANT:  # all made just now: use the time so far, as in the curves
        return before or step_up(max(now, _INSTANT))
    if before and needed <= before <= _SHRINK * needed:
        return before
    return step_up(needed)


@dataclass(frozen=True)
class LinesLayout:
    """Columns for name, server, line and waiting time; rows from the top."""

    width: float
    height: float
    row: float
    name: float  #: widths of the texts
    server: float  #: 0 if long numbers leave no room for it; the tooltip tells the server
    age: float
    brief: bool = False  #: whether servers are written as s1 instead of server 1
    gap: float = 10.0

    @property
    def room(self) -> int:
        """The number of lines that fit above the axis."""
        return max(0, int((self.height - 1.2 * self.row) // self.row))

    @property
    def left(self) -> float:
        """The x at which the lines begin."""
        return 2 * self.gap + self.name + (self.server + self.gap if self.server else 0.0)

    @property
    def right(self) -> float:
        """The x of the present."""
        return max(self.left + _SHORTEST, self.width - 2 * self.gap - self.age)

    @property
    def is_whole(self) -> bool:
        """Whether all columns fit into the width."""
        return self.right + 2 * self.gap + self.age <= self.width

    def box(self, place: int) -> QRectF:
        """The box of a line over the whole width."""
        return QRectF(0, place * self.row, self.width, self.row)

    def x(self, ago: float, span: float) -> float:
        """The x of a moment *ago* before now; moments before the span are at the left end."""
        return max(self.left, self.right - (self.right - self.left) * ago / span)

    def place_at(self, height: float) -> int:
        return int(height // self.row)
