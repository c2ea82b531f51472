"""Texts and numbers of the panel of tokens."""

from __future__ import annotations

from typing import Any, Iterable, Iterator, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.gui.kinds.phases.tokens_lines_layout import Life
from slotscope.gui.panels.tiles import TileText
from slotscope.gui.panels.wording import THIN, significant
from slotscope.gui.plotting.sampled import Columns, Read
from slotscope.gui.plotting.scales import format_number, step_up
from slotscope.model.kinds.phases import sampling
from slotscope.model.kinds.phases.explain import PhaseNarrator
from slotscope.model.kinds.phases.measures import COUNTS
from slotscope.model.kinds.phases.state import PAUSED, REQUESTED, TOKENS
from slotscope.model.reporting.explain import grouped, plural
from slotscope.model.reporting.frame import Frame

#: The symbol of all types' limit.
LIMIT = "ηₘₐₓ"
#: Rates are taken over the time of about so many arrivals.
_ARRIVALS = 400


class TypeRates(NamedTuple):
    """What happened to one type recently, per unit of time."""

    requests: float
    matches: float
    virtual: float
    overflows: float


class RecentRates(NamedTuple):
    """The rates of the shown types over the time ``span`` before now."""

    span: float
    of: tuple[TypeRates, ...]


class TokenRow(NamedTuple):
    """A type: its tokens in each pool that serves it, and the pools' limits, empty if there are none."""

    type: int
    name: str
    tokens: tuple[int, ...]
    limits: tuple[int, ...]
    pools: tuple[int, ...]  #: indices of the pools


def reader(job_type: int) -> Read:
    """A function that reads the tokens of one type, assumed constant between samples."""

    def read(_numbers: Any, samples: NDArray[np.float64]) -> Columns:
        return Columns(samples[:, [sampling.SCALARS + job_type]])

    return read


def read_all(_numbers: Any, samples: NDArray[np.float64]) -> Columns:
    """Read the number of all tokens at each sample."""
    return Columns(samples[:, [sampling.TOKENS_COLUMN]])


def shown_types(frame: Frame) -> tuple[int, ...]:
    """The types that can have, or have had, tokens."""
    numbers, state = frame.info.numbers, frame.state
    routed = _served(frame).any(axis=0)
    arrives = np.array([rate > 0 for rate in numbers.arrival_rates])
    if arrives.any():
        routed &= arrives
    shown: list[int] = np.flatnonzero(routed | (state.tally[REQUESTED] > 0)).tolist()
    return tuple(shown)


def _served(frame: Frame) -> NDArray[np.bool_]:
    """[P, I] whether jobs of a type go to a pool; without a plan all do."""
    facts = frame.info.facts
    if facts.plan is None:
        return np.ones((facts.pools, frame.info.numbers.phases), bool)
    return np.array([pool.route for pool in facts.plan.pools]) > 0


def token_rows(frame: Frame, types: tuple[int, ...]) -> tuple[TokenRow, ...]:
    """The present tokens of each type."""
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
    """The dashed lines: a text and a number of tokens for each distinct limit."""
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
    """The length of time over which rates are taken: some hundred arrivals, or all of a script."""
    rate = float(sum(frame.info.numbers.arrival_rates))
    return step_up(_ARRIVALS / rate) if rate else float("inf")


def recent_rates(frame: Frame, types: tuple[int, ...]) -> RecentRates:
    """The rates since the last sample before the usual span: counts divided by the time since that sample."""
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
    """[4, I] requests, matches, virtual arrivals and overflows up to one sample."""
    return sample[sampling.SCALARS + phases :].reshape(len(sampling.COUNTED), phases)


def table(frame: Frame) -> tuple[list[str], Iterable[Iterable[object]]]:
    """A row per sample for a file: event, time, servers paused, and each type's tokens and counts."""
    phases = frame.info.numbers.model.phases
    names = ["event", "time", "paused_servers"]
    names += [f"{what} {name}" for what in ("tokens", *COUNTS) for name in phases]
    samples = frame.samples
    events = samples[:, [sampling.EVENT_COLUMN, sampling.PAUSED_COLUMN]].astype(np.int64).tolist()
    counts = samples[:, sampling.SCALARS :].astype(np.int64).tolist()
    times = samples[:, sampling.TIME_COLUMN].tolist()
    rows = zip(events, times, counts, strict=True)
    return names, ([event, time, paused, *row] for (event, paused), time, row in rows)


def tiles(frame: Frame, lives: tuple[Life, ...], rates: RecentRates) -> Iterator[TileText]:
    """The tiles above the curves; *lives* begin with the token that has waited longest."""
    tokens, paused = (format_number(int(frame.state.number[place])) for place in (TOKENS, PAUSED))
    tip = "Places that servers have asked jobs for, and that are not taken yet."
    yield TileText("tokens now", tokens, "run", tip)
    caption = f"of {format_number(frame.info.facts.normal_servers)} servers paused"
    tip = "A normal server with a token asks for nothing more until all are taken."
    yield TileText(caption, paused, "normal", tip, "paused")
    oldest = significant(lives[0].age(frame.time), 2) if lives else "–"
    yield TileText("oldest waits", oldest, "normal", f"The age of the oldest token ({unit(frame)}).", "oldest")
    yield from _met_tiles(frame, rates)


def _met_tiles(frame: Frame, rates: RecentRates) -> Iterator[TileText]:
    """Tiles of how many jobs recently met a token, and how many tokens a virtual job."""
    met = sum(of.matches for of in rates.of)
    arrived = met + sum(of.overflows for of in rates.of)
    made = met + sum(of.virtual for of in rates.of)
    span = f"the last {significant(rates.span, 2)} {unit(frame)}"
    if arrived:
        tip = f"Over {span}; the others went to backup servers."
        yield TileText("of jobs met a token", percent(met / arrived), "normal", tip, "met one")
    if made:
        limited = bool(frame.info.facts.token_limits)
        why = "Because there were more than the limit of their type allows" if limited else "As the policy decides"
        share = percent(1 - met / made)
        yield TileText("of tokens to virtual jobs", share, "migration", f"{why}; over {span}.", "virtual")


def unit(frame: Frame) -> str:
    """The unit of time; "units of time" if it has no name."""
    return frame.info.time_unit or "units of time"


def percent(share: float) -> str:
    """A share in per cent."""
    return f"{format_number(100 * share)}{THIN}%"


def token_name(life: Life) -> str:
    """The name of a token."""
    return f"token {grouped(life.token + 1)}"


def life_words(frame: Frame, life: Life) -> str:
    """The life of a token, one step per line."""
    info, state = frame.info, frame.state
    kind = info.numbers.model.phases[life.type]
    where = f" of pool {life.pool + 1}" if info.facts.pools > 1 else ""
    lines = [f"{token_name(life)} of type {kind} on server {grouped(life.server + 1)}{where}"]
    assert isinstance(info.narrator, PhaseNarrator)
    lines += info.narrator.token_life(life.token, state, frame.rows)
    if life.virtual:
        present = (state.job_token == life.token).any()
        lasted = significant(life.age(frame.time), 3)
        gone = "" if present else f"taken after {lasted} by a virtual job, which has left; "
        lines.append(f"{gone}{_beyond(frame, life)}")
    elif life.used is None:
        lines.append("its server asks for nothing more until all its tokens are taken")
    return "\n".join(lines)


def _beyond(frame: Frame, life: Life) -> str:
    """Why a virtual job took a token."""
    facts, name = frame.info.facts, frame.info.numbers.model.phases[life.type]
    if not facts.token_limits:
        return "the policy decided so"
    kind = "in all" if facts.limit_in_all else f"of type {name}"
    return f"there were more tokens than the limit ηₘₐₓ = {facts.token_limits[life.pool]} {kind}"


def row_words(frame: Frame, row: TokenRow, rates: RecentRates, place: int) -> str:
    """A type's tokens and rates, and how they are related."""
    of, count = rates.of[place], sum(row.tokens)
    lines = [f"type {row.name}: {grouped(count)} {plural(count, 'token')} now"]
    if len(row.pools) > 1:
        of_most = [f" of at most {limit}" for limit in row.limits] or [""] * len(row.pools)
        lines[0] += ", " + ", ".join(
            f"{tokens}{most} in pool {pool + 1}"
            for pool, tokens, most in zip(row.pools, row.tokens, of_most, strict=True)
        )
    elif row.limits and not frame.info.facts.limit_in_all:
        lines[0] += f", at most {row.limits[0]}"
    arrival = float(frame.info.numbers.arrival_rates[row.type])
    lines += [
        f"in the last {significant(rates.span, 2)} {unit(frame)}, each per unit of time:",
        f"{_rate(of.requests)} tokens asked for = {_rate(of.matches)} taken by jobs + "
        f"{_rate(of.virtual)} by virtual jobs (+ those that wait)",
        f"{_rate(of.matches + of.overflows)} jobs arrived = {_rate(of.matches)} that met a token "
        f"+ {_rate(of.overflows)} that went to backup servers",
    ]
    if arrival:
        lines.append(f"in the long run {significant(arrival)} jobs arrive")
    return "\n".join(lines)


def _rate(value: float) -> str:
    return significant(value, 3)
