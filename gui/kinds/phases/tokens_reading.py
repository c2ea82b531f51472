"""What the panel of tokens reads: counts and limits of each type, and rates of late."""

from __future__ import annotations

from typing import Any, Iterable, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.gui.plotting.sampled import Columns, Read
from slotscope.gui.plotting.scales import step_up
from slotscope.model.kinds.phases import sampling
from slotscope.model.kinds.phases.measures import COUNTS
from slotscope.model.kinds.phases.state import REQUESTED
from slotscope.model.reporting.frame import Frame

#: What the limit of all types is called.
LIMIT = "ηₘₐₓ"
#: Rates are taken over about so many arrivals.
_ARRIVALS = 400


class TypeRates(NamedTuple):
    """What happened of one type per unit of time, of late."""

    requests: float
    matches: float
    virtual: float
    overflows: float


class RecentRates(NamedTuple):
    """Rates of the shown types over the last *span* of time."""

    span: float
    of: tuple[TypeRates, ...]


class TokenRow(NamedTuple):
    """A type: its tokens in each pool that serves it, against the pool's limit; without limits there are none."""

    type: int
    name: str
    tokens: tuple[int, ...]
    limits: tuple[int, ...]
    pools: tuple[int, ...]  #: their numbers, from 0


def reader(job_type: int) -> Read:
    """What reads the tokens of one type; between samples they are taken to stay."""

    def read(_numbers: Any, samples: NDArray[np.float64]) -> Columns:
        return Columns(samples[:, [sampling.SCALARS + job_type]])

    return read


def read_all(_numbers: Any, samples: NDArray[np.float64]) -> Columns:
    """All tokens at each sample."""
    return Columns(samples[:, [sampling.TOKENS_COLUMN]])


def shown_types(frame: Frame) -> tuple[int, ...]:
    """The types of which there can be tokens, or have been."""
    numbers, state = frame.info.numbers, frame.state
    routed = _served(frame).any(axis=0)
    arrives = np.array([rate > 0 for rate in numbers.arrival_rates])
    if arrives.any():
        routed &= arrives
    shown: list[int] = np.flatnonzero(routed | (state.tally[REQUESTED] > 0)).tolist()
    return tuple(shown)


def _served(frame: Frame) -> NDArray[np.bool_]:
    """[P, I] whether jobs of a type go to a pool: any does where no plan says so."""
    facts = frame.info.facts
    if facts.plan is None:
        return np.ones((facts.pools, frame.info.numbers.phases), bool)
    return np.array([pool.route for pool in facts.plan.pools]) > 0


def token_rows(frame: Frame, types: tuple[int, ...]) -> tuple[TokenRow, ...]:
    """The tokens of each type now."""
    served, names, most = _served(frame), frame.info.numbers.model.phases, frame.info.facts.token_limits
    rows = []
    for job_type in types:
        counts = frame.state.token_count[:, job_type]
        serve = np.flatnonzero(served[:, job_type] | (counts > 0)).tolist() or list(range(len(counts)))
        tokens = tuple(int(counts[place]) for place in serve)
        limits = tuple(most[place] for place in serve) if most else ()
        rows.append(TokenRow(job_type, names[job_type], tokens, limits, tuple(serve)))
    return tuple(rows)


def limits_shown(frame: Frame, rows: tuple[TokenRow, ...]) -> dict[str, int]:
    """The dashed lines: a text and a number of tokens for each limit that differs."""
    facts = frame.info.facts
    if not facts.token_limits:
        return {}
    if facts.limit_in_all:
        return {f"{LIMIT} in all": sum(facts.token_limits)}
    sums = {row.name: sum(row.limits) for row in rows}
    if len(set(sums.values())) == 1:
        return {LIMIT: next(iter(sums.values()))}
    return {f"{name} ≤": limit for name, limit in sums.items()}


def usual_span(frame: Frame) -> float:
    """Over how much time rates are taken: some hundred arrivals, or all of a script."""
    rate = float(sum(frame.info.numbers.arrival_rates))
    return step_up(_ARRIVALS / rate) if rate else float("inf")


def recent_rates(frame: Frame, types: tuple[int, ...]) -> RecentRates:
    """Counts since the last sample before the span, divided by the time since."""
    samples, now = frame.samples, frame.time
    start = max(0.0, now - usual_span(frame))
    place = int(np.searchsorted(samples[:, sampling.TIME_COLUMN], start, side="right")) - 1
    since, before = 0.0, np.zeros((len(sampling.COUNTED), frame.info.numbers.phases))
    if place >= 0 and samples[place, sampling.TIME_COLUMN] < now:
        since = float(samples[place, sampling.TIME_COLUMN])
        before = counts_in(samples[place], frame.info.numbers.phases)
    span = now - since
    counted = frame.state.tally[list(sampling.COUNTED)] - before
    rates = counted / span if span > 0 else np.zeros_like(before)
    return RecentRates(span, tuple(TypeRates(*rates[:, i].tolist()) for i in types))


def counts_in(sample: NDArray[np.float64], phases: int) -> NDArray[np.float64]:
    """[4, I] requests, matches, virtual arrivals and overflows so far in one sample."""
    return sample[sampling.SCALARS + phases :].reshape(len(sampling.COUNTED), phases)


def table(frame: Frame) -> tuple[list[str], Iterable[Iterable[object]]]:
    """Every sample for a file: event, time, servers paused, and each type's tokens and counts."""
    phases = frame.info.numbers.model.phases
    names = ["event", "time", "paused_servers"]
    names += [f"{what} {name}" for what in ("tokens", *COUNTS) for name in phases]
    samples = frame.samples
    events = samples[:, [sampling.EVENT_COLUMN, sampling.PAUSED_COLUMN]].astype(np.int64).tolist()
    counts = samples[:, sampling.SCALARS :].astype(np.int64).tolist()
    times = samples[:, sampling.TIME_COLUMN].tolist()
    rows = zip(events, times, counts, strict=True)
    return names, ([event, time, paused, *row] for (event, paused), time, row in rows)
