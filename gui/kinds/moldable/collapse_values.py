"""The plane of the two widths of a class's optimum: its lines, measures in it, and their wording.

Ghanbarian et al. (2025), Section 5 and Figure 1.  All is divided by the number of servers n: a point (x_i1, x_i2)
stands for n x_i1 jobs on i1 servers and n x_i2 jobs on i2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from math import sqrt
from typing import Any, Iterator

import numpy as np
from numpy.typing import NDArray

from slotscope.gui.kinds.moldable.wording import width_words
from slotscope.gui.panels.tiles import TileText
from slotscope.gui.panels.wording import THIN, significant
from slotscope.gui.plotting.scales import format_number
from slotscope.model.kinds.moldable.state import BELOW, BINS, DISTANCE, NOW
from slotscope.model.reporting.explain import counted
from slotscope.model.reporting.frame import Frame, RunInfo
from slotscope.model.reporting.letters import subscript

Point = tuple[float, float]
Values = NDArray[np.float64]

#: A fluid path is drawn over so many times the longest mean execution time on it.
_FLUID_TIMES = 8.0
_FLUID_POINTS = 200
#: Least share of time spent inside the bins for shares of time to be told.
_COVERED = 0.5
#: Points per axis at which a bin is evaluated, or one per number of jobs if those are fewer.
_PARTS = 8
#: Tolerance within which a point on a line does not count as above it.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class CollapsePlane:
    """What stays constant for a class while a policy runs."""

    #: job_class, name: its number, and its name where there are several
    job_class: int
    name: str
    servers: int  #: n
    widths: tuple[int, int]  #: i and i + 1, which hold I*
    factors: Point  #: s_i of both
    target: Point  #: y*_i of both
    limit: float  #: the servers that its jobs may use, divided by n: q_1 = limit on the red line
    own: bool  #: whether these are only some of the servers
    load: float  #: rho_j, the paper's lambda
    #: mean, exponential: of the class's inherent sizes, and whether their distribution is exponential, as (12) takes it
    mean: float
    exponential: bool
    least: int  #: i1, the least width of I*
    proved: float  #: delta as in the proof of Theorem 2; 0 if the load leaves no room

    @property
    def room(self) -> float:
        """1 - lambda, the upper limit of delta."""
        return max(0.0, self.limit - self.load)

    @property
    def corners(self) -> Point:
        """The ends of the line q_1 = 1 on the two axes."""
        return self.limit / self.widths[0], self.limit / self.widths[1]

    def busy(self, point: Point) -> float:
        """i1 x_i1 + i2 x_i2."""
        return self.widths[0] * point[0] + self.widths[1] * point[1]

    def rate(self, point: Point) -> float:
        """r = s_i1 x_i1 + s_i2 x_i2, the rate at which work is done."""
        return self.factors[0] * point[0] + self.factors[1] * point[1]


def plane_of(info: RunInfo, job_class: int) -> CollapsePlane | str:
    """The plane of a class, or a sentence why there is none."""
    numbers, rules = info.numbers, info.facts.rules
    name = numbers.class_names[job_class] if numbers.classes > 1 else ""
    if numbers.degrees[job_class] == 1:
        whose = f"jobs of class {name}" if name else "jobs"
        return f"There is no plane to draw: {whose} run on one server only, so that the state is one number."
    if not all(numbers.loads):
        return (
            "There is no y* to come near to: it is not known how many jobs arrive, so that the optimum cannot be found."
        )
    if numbers.optimum is None:
        return (
            f"There is no y* to come near to: the load is {float(numbers.load):.4g}, above 1, so that (P) has no "
            "solution (Proposition 1). Jobs are blocked whatever the policy does."
        )
    first, second = numbers.pairs[job_class]
    table, n = numbers.speedup_table[job_class], numbers.servers
    limit = info.facts.open_servers(job_class) / n
    load = float(numbers.loads[job_class])
    return CollapsePlane(
        job_class=job_class,
        name=name,
        servers=n,
        widths=(first, second),
        factors=(float(table[first]), float(table[second])),
        target=(float(numbers.target[job_class, first]) / n, float(numbers.target[job_class, second]) / n),
        limit=limit,
        own=rules.pools > 1,
        load=load,
        mean=float(numbers.means[job_class]),
        exponential=getattr(info.scenario.classes[job_class].size, "distribution", "") == "exponential",
        least=min(numbers.support[job_class]),
        proved=_proved_delta(info.scenario.workload, max(0.0, limit - load), limit * n),
    )


def _proved_delta(workload: Any, room: float, servers: float) -> float:
    """delta in the proof of Theorem 2 (Section 5.2): beta / (2 n^max(alpha, 1/2)).

    A load given directly counts as alpha = 0.
    """
    alpha = getattr(workload, "alpha", None)
    power = max(0.0, 0.5 - float(alpha or 0))
    return float(room / 2 * servers**-power)


# The fluid path.


def fluid_of(plane: CollapsePlane, bounds: Any) -> tuple[Values, Values]:
    """Times [T] and points [T, 2] of the fluid system (12), started empty.

    The integrated path if it is known already, else the closed-form solution x_i(t) = y*_i (1 - exp(-s_i t / mean)).
    """
    known = bounds.classes[plane.job_class] if getattr(bounds, "classes", ()) else None
    if known is not None and known.fluid is not None:
        points = np.zeros((len(known.fluid), 2))
        for column, width in enumerate(known.optimum.support):
            points[:, plane.widths.index(width)] = known.fluid[:, column]
        return known.fluid_times, points
    rates = np.array(plane.factors) / plane.mean
    times = np.linspace(0.0, _FLUID_TIMES / rates.min(), _FLUID_POINTS)
    return times, np.array(plane.target) * (1 - np.exp(-np.outer(times, rates)))


def fluid_at(path: tuple[Values, Values], time: float) -> Point:
    """The state of the fluid system at a time."""
    times, points = path
    x, y = (float(np.interp(time, times, points[:, column])) for column in range(2))
    return x, y


# At a moment.


def present(plane: CollapsePlane, frame: Frame) -> Point:
    """(x_i1, x_i2) now."""
    first, second = frame.state.jobs[plane.job_class, list(plane.widths)].tolist()
    return first / plane.servers, second / plane.servers


def bin_edges(plane: CollapsePlane, info: RunInfo) -> tuple[Values, Values]:
    """[65] the bin edges of both axes; each number of jobs is in the middle of its interval."""
    tables = info.facts.tables
    wide = 1 << int(tables.bin_shift[plane.job_class])
    low = tables.bin_low[plane.job_class]
    edges = [(int(low[side]) + wide * np.arange(BINS + 1) - 0.5) / plane.servers for side in range(2)]
    return edges[0], edges[1]


def spent(plane: CollapsePlane, frame: Frame) -> Values:
    """[64, 64] the share of all time so far spent in each bin."""
    state, j = frame.state, plane.job_class
    total = float(state.class_since[j])
    return np.asarray(state.occupancy[j] / total if total > 0 else state.occupancy[j])


def share_above(plane: CollapsePlane, frame: Frame, delta: float) -> float | None:
    """The share of time with r > lambda + delta; None if too much of it was spent outside the bins.

    Within a bin, time is assumed to be spread evenly over its numbers of jobs.
    """
    shares = spent(plane, frame)
    covered = float(shares.sum())
    if covered < _COVERED:
        return None
    edges = bin_edges(plane, frame.info)
    parts = min(_PARTS, 1 << int(frame.info.facts.tables.bin_shift[plane.job_class]))
    inside = (np.arange(parts) + 0.5) / parts
    first, second = (
        factor * (edge[:-1, None] + np.diff(edge)[:, None] * inside).ravel()
        for factor, edge in zip(plane.factors, edges, strict=True)
    )
    above = (first[:, None] + second) > plane.load + delta + _ROUNDING
    weights = above.reshape(BINS, parts, BINS, parts).mean(axis=(1, 3))
    return float((weights * shares).sum() / covered)


@dataclass(frozen=True)
class Nearness:
    """How near the class is to its plane and to its target."""

    #: distance, mean_distance: the sum over i of |x_i - y*_i|, now and on average
    distance: float
    mean_distance: float
    beside: int  #: jobs on widths other than the two
    #: below, most_below: jobs on fewer than i1 servers, now and the maximum so far
    below: int
    most_below: int
    share_below: float  #: the share of time with more than one of them, which is 0 by Lemma 2


def nearness(plane: CollapsePlane, frame: Frame) -> Nearness:
    """Measure the nearness so far."""
    state, j = frame.state, plane.job_class
    now = float(state.clock[NOW])
    areas = state.level_area[j] + state.level[j] * (now - float(state.class_since[j]))
    means = areas / now if now > 0 else state.level[j]
    jobs = state.jobs[j]
    return Nearness(
        distance=float(state.level[j, DISTANCE]) / plane.servers,
        mean_distance=float(means[DISTANCE]) / plane.servers,
        beside=int(jobs.sum() - jobs[list(plane.widths)].sum()),
        below=int(state.below[0, j]),
        most_below=int(state.below[1, j]),
        share_below=float(means[BELOW]),
    )


def near_span(plane: CollapsePlane) -> float:
    """Half the side of y*'s neighbourhood: five standard deviations of a Poisson number."""
    most = max(*plane.target, 1.0 / plane.servers)
    return 5.0 * sqrt(most / plane.servers)


# In words.


def _percent(share: float) -> str:
    """A share as per cent, with three digits."""
    return f"{significant(100 * share, 3)}{THIN}%" if share else "0"


def point_words(plane: CollapsePlane, frame: Frame, point: Point) -> str:
    """What a point of the plane stands for, and how often the state was there, in words."""
    parts = []
    for width, value in zip(plane.widths, point, strict=True):
        jobs = format_number(value * plane.servers)
        parts.append(f"x{subscript(width)} = {significant(value, 3)}: {jobs} jobs {width_words(width)}")
    parts.append(
        f"r = {significant(plane.rate(point), 3)}, servers in use: {_percent(plane.busy(point) / plane.limit)}"
    )
    share = share_at(plane, frame, point)
    if share is not None:
        parts.append(f"The state was hereabouts {_percent(share)} of the time" if share else "The state was never here")
    return ". ".join(parts) + "."


def share_at(plane: CollapsePlane, frame: Frame, point: Point) -> float | None:
    """The share of time spent in a point's bin; None outside the bins."""
    places = [
        int(np.searchsorted(edge, value, side="right")) - 1
        for edge, value in zip(bin_edges(plane, frame.info), point, strict=True)
    ]
    if not all(0 <= place < BINS for place in places):
        return None
    return float(spent(plane, frame)[places[0], places[1]])


def is_ours(info: RunInfo) -> bool:
    """Whether the policy is greedy(p*), which the paper's lemmas are about."""
    return info.policy_name == "greedy-p"


def path_text(plane: CollapsePlane, info: RunInfo) -> str:
    """The label of the fluid path: (12) is about greedy(p*) and exponential sizes."""
    text = "fluid path" if is_ours(info) else "fluid path of greedy(p*)"
    return text if plane.exponential else f"{text}, exponential sizes"


def tiles(plane: CollapsePlane, near: Nearness, above: float | None, ours: bool) -> Iterator[TileText]:
    """Tiles of the distance, of jobs off the plane, and of Lemmas 2 and 3 if *ours*, that is greedy(p*)."""
    i1, i2 = plane.widths
    now, mean = (significant(distance, 3) for distance in (near.distance, near.mean_distance))
    yield TileText("‖x − y*‖₁ now", now, "run", f"The sum over i of |xᵢ − y*ᵢ|; {mean} on average.", "‖x − y*‖")
    yield TileText("its average", mean, "run")
    tip = f"{counted(near.beside, 'job')} on other widths: how far the state is from this plane."
    yield TileText(f"jobs not on {i1} or {i2}", format_number(near.beside), "run", tip, "off plane")
    if plane.least > 1:
        yield from _lemma2(plane, near, ours)
    if above is not None:
        tip = "The share of the time in which sᵢ₁xᵢ₁ + sᵢ₂xᵢ₂ is above λ + δ, outside of the shaded region."
        yield TileText("of the time r > λ + δ", _percent(above), "normal", tip, "r > λ + δ")


def _lemma2(plane: CollapsePlane, near: Nearness, ours: bool) -> Iterator[TileText]:
    """Tiles of the jobs on fewer than i1 servers, and of the time with more than one of them."""
    tip = f"Jobs on fewer than i₁ = {plane.least} servers: {near.below} now, at most {near.most_below} so far."
    caption, short = "of the time > 1 of them", "> 1 of them"
    if ours:
        tip += (
            " Lemma 2 of the paper says that there is never more than one. Where two widths are asked for and i₁ ≥ 2 "
            "that does not hold: a job that got one server does not keep the next one from getting too few."
        )
        caption, short = "of the time > 1 (Lemma 2: 0)", "> 1 (Lemma 2: 0)"
    below = f"jobs below i₁ = {plane.least} (most: {format_number(near.most_below)})"
    yield TileText(below, format_number(near.below), "run", tip, f"below i₁, most {near.most_below}")
    role = "rejection" if ours and near.share_below else "run"
    yield TileText(caption, _percent(near.share_below), role, tip, short)


def delta_decimals(plane: CollapsePlane) -> int:
    """The number of decimals for delta to have three digits."""
    return 2 - math.floor(math.log10(plane.proved)) if plane.proved else 2


def delta_words(plane: CollapsePlane, delta: float) -> str:
    """Where a value of delta comes from, in words."""
    if not plane.room:
        return "no room: λ = 1"
    shown = 10.0 ** -delta_decimals(plane)
    if abs(delta - plane.proved) <= shown:
        return "Theorem 2’s proof"
    return "= ½(1 − λ)" if abs(delta - plane.room / 2) <= shown else ""


def delta_tip(plane: CollapsePlane) -> str:
    """The tooltip on delta, and on its meaningful values."""
    return (
        f"δ: how far r may be above λ in the shaded region, less than 1 − λ = {significant(plane.room, 3)}. The proof "
        f"of Theorem 2 takes {significant(plane.proved, 3)}, which is β/(2n^max(α, ½)); half of 1 − λ is "
        f"{significant(plane.room / 2, 3)}."
    )
