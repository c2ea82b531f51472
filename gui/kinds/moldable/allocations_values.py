"""The values drawn of a class's allocations: jobs on each width, the optimum, requests, servers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Iterator, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QFontMetricsF

from slotscope.gui.kinds.moldable.wording import class_words, time_words, width_words
from slotscope.gui.panels.tiles import TileText
from slotscope.gui.panels.wording import THIN, significant
from slotscope.gui.plotting.scales import format_number
from slotscope.model.kinds.moldable import physics
from slotscope.model.kinds.moldable.state import BUSY, JOBS
from slotscope.model.reporting.explain import counted
from slotscope.model.reporting.frame import Frame, RunInfo
from slotscope.model.reporting.letters import subscript

#: Captions of the rows of numbers.
CAPTIONS = {"now": "now", "mean": "mean", "target": "n y*", "asked": "asked, p", "speedup": "s"}
#: Digits of averages, and of shares.
_DIGITS = 3


@dataclass(frozen=True, eq=False)
class ClassAllocations:
    """One class now; arrays [d_j + 1] are indexed by width, and index 0 stays 0."""

    job_class: int  #: index of the class
    name: str  #: empty if there is only one class
    #: now, mean: X_i now, and on average since time 0
    now: NDArray[np.int64]
    mean: NDArray[np.float64]
    target: NDArray[np.float64]  #: n y*_i; nan if unknown
    asked: NDArray[np.float64]  #: p_i, the probability that its jobs request i servers; 0 if that depends on the state
    speedup: NDArray[np.float64]  #: s_i
    free: int  #: free servers that its jobs may take
    servers: int  #: servers that its jobs may take at all

    @property
    def degree(self) -> int:
        """d_j."""
        return len(self.now) - 1

    @property
    def known(self) -> bool:
        """Whether there is an optimum."""
        return bool(np.isfinite(self.target).all())

    @property
    def used(self) -> int:
        """Number of servers on which its jobs run."""
        return int(self.now @ np.arange(len(self.now)))

    @property
    def others(self) -> int:
        """Number of servers that its jobs may use, but jobs of other classes occupy."""
        return self.servers - self.free - self.used

    @property
    def most(self) -> float:
        """The largest number of jobs drawn."""
        return float(max(self.now.max(), self.mean.max(), np.nan_to_num(self.target).max()))


class WidthColumn(NamedTuple):
    """The sums over neighbouring widths *first* to *last*."""

    first: int
    last: int
    now: int
    mean: float
    target: float
    asked: float


def class_rows(frame: Frame) -> tuple[ClassAllocations, ...]:
    """All classes as of a frame."""
    return tuple(_class_row(frame, j) for j in range(frame.info.numbers.classes))


def _class_row(frame: Frame, job_class: int) -> ClassAllocations:
    numbers, facts, state = frame.info.numbers, frame.info.facts, frame.state
    end = numbers.degrees[job_class] + 1
    return ClassAllocations(
        job_class=job_class,
        name=class_words(frame.info, job_class),
        now=state.jobs[job_class, :end],
        mean=frame.derived.mean_jobs[job_class, :end],
        target=numbers.target[job_class, :end],
        asked=_asked(frame.info, job_class, end),
        speedup=numbers.speedup_table[job_class, :end],
        free=physics.free_for(state, facts.rules, job_class),
        servers=facts.open_servers(job_class),
    )


def _asked(info: RunInfo, job_class: int, end: int) -> NDArray[np.float64]:
    """[end] p_i, also if it is 1; 0 if the state or a script determines the request."""
    facts, asked = info.facts, np.zeros(end)
    if facts.distributions:
        for width, share in facts.distributions[job_class]:
            asked[width] = share
    elif facts.asks and not facts.rules.by_free.size and not info.numbers.requests_scripted:
        asked[int(facts.rules.width[job_class, 0])] = 1.0
    return asked


def columns_of(row: ClassAllocations, low: int, high: int, together: int) -> tuple[WidthColumn, ...]:
    """The columns that begin with the widths *low*, *low* + *together*, ... up to *high*."""
    end = min(row.degree, low + -(-(high + 1 - low) // together) * together - 1)
    starts = np.arange(low, end + 1, together)
    sums = [
        np.add.reduceat(values[: end + 1], starts).tolist() for values in (row.now, row.mean, row.target, row.asked)
    ]
    firsts = starts.tolist()
    lasts = [*(first - 1 for first in firsts[1:]), end]
    return tuple(map(WidthColumn, firsts, lasts, *sums))


# In words.


def mean_text(value: float) -> str:
    """An average number of jobs as text."""
    return significant(value, _DIGITS)


def target_text(value: float) -> str:
    """n y*_i as text; a dash if no job runs on that width in the optimum."""
    return significant(value, _DIGITS + 1) if value > 0 else "–"


def percent_text(share: float) -> str:
    """A share as per cent."""
    return f"{significant(100 * share, _DIGITS)}{THIN}%" if share > 0 else "–"


def column_words(row: ClassAllocations, column: WidthColumn) -> str:
    """All that is known of a column, in sentences."""
    one = column.first == column.last
    where = width_words(column.first) if one else f"on {column.first} to {column.last} servers"
    parts = [f"{counted(column.now, 'job')} {where}, {mean_text(column.mean)} on average"]
    if row.known:
        wanted = significant(column.target, _DIGITS + 1) if column.target else "none"
        parts[0] += f", {wanted} in the optimum"
    if one and column.first > 1:
        factor = significant(float(row.speedup[column.first]), _DIGITS + 1)
        parts.append(f"s{subscript(column.first)} = {factor} times as fast as on one server")
    if column.asked:
        parts.append(f"The policy asks for so many with probability {percent_text(column.asked)}")
    if row.name:
        parts[0] = f"{row.name}: {parts[0]}"
    return ". ".join(parts) + "."


def legend(row: ClassAllocations, detailed: bool) -> Iterator[tuple[str, str]]:
    """What the marks mean, by name; *detailed* adds the numbers of the optimum's widths."""
    chosen = np.flatnonzero(np.nan_to_num(row.target)).tolist() if detailed else []
    wanted = ", ".join(f"{target_text(float(row.target[i]))} on {i}" for i in chosen)
    present = ", ".join(f"{format_number(int(row.now[i]))} on {i}" for i in chosen)
    yield ("now", f"now {present}".strip())
    yield ("mean", "mean")
    if row.known:
        yield ("target", f"optimum {wanted}" if wanted else "optimum, n y*")
    if row.asked.any():
        yield ("asked", "asked for")


def servers_text(row: ClassAllocations) -> str:
    """How many of a class's servers are in use and free, in words."""
    whose = "of its " if row.name and row.others == 0 else "of "
    total, used = format_number(row.servers), format_number(row.servers - row.free)
    text = f"{used} {whose}{total} servers in use, {format_number(row.free)} free"
    return f"{text}, {format_number(row.used)} with {row.name}" if row.name and row.others else text


def tiles(frame: Frame) -> Iterator[TileText]:
    """Tiles of jobs and servers in use, and of the mean execution time compared with D*."""
    numbers, state = frame.info.numbers, frame.state
    jobs, busy = int(state.number[JOBS]), int(state.number[BUSY])
    yield TileText("jobs in the system", format_number(jobs), "run", short="jobs")
    share = percent_text(busy / numbers.servers) if busy else "0"
    tip = f"{format_number(busy)} of {counted(numbers.servers, 'server')} are in use."
    yield TileText("servers in use, q₁", share, "run", tip, "in use, q₁")
    if numbers.rate:
        yield from _time_tiles(frame, numbers.rate)


def _time_tiles(frame: Frame, rate: float) -> Iterator[TileText]:
    """Tiles of the sum of X_i over lambda n, now and on average, compared with D*."""
    info, state = frame.info, frame.state
    now = int(state.number[JOBS]) / rate
    mean = float(frame.derived.mean_jobs.sum()) / rate
    tip = (
        "Jobs in the system, divided by the jobs that arrive in a unit of time. By Little's law that is on average "
        "the mean execution time of all jobs, where a blocked job counts as 0; so it can be below D*."
    )
    yield TileText("ΣX/(λn) now", significant(now, _DIGITS), "run", tip, "ΣX/λn")
    yield TileText("its average", significant(mean, _DIGITS), "run", tip)
    if info.numbers.optimum is not None:
        best = float(info.numbers.optimum.objective)
        least = f"The least mean execution time: {time_words(info, best)}."
        yield TileText("optimum, D*", significant(best, 4), "optimum", least, "D*")


# Room for text.


def caption_width(metrics: QFontMetricsF) -> float:
    """Width in pixels of the rows' captions."""
    return max(metrics.horizontalAdvance(text) for text in (*CAPTIONS.values(), "servers"))


def number_width(metrics: QFontMetricsF, row: ClassAllocations, high: float) -> float:
    """Width in pixels of the numbers in a column."""
    digits = "0" * (1 + int(math.log10(max(high, 1.0))))
    texts = [format_number(float(f"8{digits[1:]}")), "0.000"]
    texts += [percent_text(share) for share in row.asked.tolist() if share]
    texts += [target_text(jobs) for jobs in row.target.tolist() if jobs > 0]
    return max(metrics.horizontalAdvance(text) for text in texts) + 8
