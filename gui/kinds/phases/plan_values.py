"""The plan panel's numbers and sentences, made from bounds, short runs, and the run."""

from __future__ import annotations

from html import escape
from math import nan
from typing import TYPE_CHECKING, Iterator, NamedTuple, Sequence

import numpy as np

from slotscope.gui.kinds.phases.plan_axis import AxisRow
from slotscope.gui.kinds.phases.plan_gap import GapPoint
from slotscope.gui.kinds.phases.wording import configuration_text
from slotscope.gui.panels.pages import inked, table_of
from slotscope.gui.panels.tiles import TileText
from slotscope.gui.panels.wording import significant, with_interval
from slotscope.gui.theme import Theme, current_fonts
from slotscope.model.kinds.phases.programs.policy import NOTHING, TIMERS
from slotscope.model.kinds.phases.state import ACTIVE, NOW
from slotscope.model.measures.metrics import Estimate, estimates
from slotscope.model.measures.steady import STRETCHES, steady_from
from slotscope.model.reporting.explain import grouped
from slotscope.model.reporting.frame import Frame, RunInfo
from slotscope.model.running.recorder import TIME_COLUMN

if TYPE_CHECKING:  # the solvers that it imports take long to load
    from slotscope.model.kinds.phases.programs.bounds import PhasePoint, PhasesBounds

#: Colours of other policies in the plot of gaps; they repeat.
_PEER_ROLES = ("second", "third", "greedy", "migration")

#: N with a bar, as rich text.
NBAR = '<span style="text-decoration:overline"><i>N</i></span>'

#: The measures of the run that are shown.
_SHOWN = ("active_servers", "cost_rate")

#: Most configurations of a pool that are listed.
_MOST_TOLD = 4


class SoFar(NamedTuple):
    """The run's measures up to now."""

    measures: dict[str, Estimate]  #: the measures, since *start*; without intervals before the steady state
    start: float = 0.0
    steady: bool = False  #: whether the run has filled up, so that averages are of the steady state


def so_far(frame: Frame) -> SoFar:
    """The run's measures up to now, from the beginning of the steady state if it is reached, else from 0."""
    samples, now, info = frame.until_now, float(frame.state.clock[NOW]), frame.info
    if len(samples) < 2 or now <= 0:
        return SoFar({})
    edges = np.linspace(0.0, now, STRETCHES + 1)
    totals = info.kind.headline_series(info.numbers, samples)[1]
    assert totals is not None
    grown = np.diff(np.interp(edges, samples[:, TIME_COLUMN], totals))
    first = steady_from(grown / (now / STRETCHES))
    start = float(edges[first or 0])
    found = info.kind.batches_so_far(info.numbers, [samples], start, now)
    measures = estimates({name: found[0][name] for name in _SHOWN}) if found else {}
    if first is None:
        measures = {name: Estimate(one.mean, nan) for name, one in measures.items()}
    return SoFar(measures, start, first is not None)


def progress_text(bounds: PhasesBounds) -> str:
    """The solver's progress in words."""
    if not bounds.configurations:
        return ""
    text = f"{grouped(bounds.configurations)} configurations"
    if bounds.iterations:
        text += f", {grouped(bounds.iterations)} steps"
    return f"{text}, Φ* ≥ {significant(bounds.phi)} so far" if bounds.phi else text


def axis_rows(frame: Frame, bounds: PhasesBounds, measured: SoFar) -> tuple[AxisRow, ...]:
    """Rows of this run, now and on average, then of the short runs at the same scale."""
    numbers, budget = frame.info.numbers, bounds.budget or None
    rows = [
        AxisRow(
            "now",
            Estimate(float(frame.state.number[ACTIVE]), float("nan")),
            "run",
            tip="Active servers at this moment, backup servers included.",
        )
    ]
    if "active_servers" in measured.measures:
        when = "" if measured.steady else " so far"
        rows.append(
            _row(
                f"this run{when}, {frame.info.policy_title}",
                measured.measures["active_servers"],
                measured.measures["cost_rate"],
                budget,
                "run",
            )
        )
    beside = [point for point in bounds.points if point.scale == float(numbers.scale)]
    return (*rows, *(_row(point.title, point.active_servers, point.cost_rate, budget) for point in beside))


def _row(title: str, servers: Estimate, cost: Estimate, budget: float | None, role: str = "normal") -> AxisRow:
    mean, half = with_interval(cost.mean, cost.half_width)
    spent = f"cost rate {mean} ± {half}" if half else f"cost rate {significant(cost.mean)}"
    if budget is None:
        return AxisRow(title, servers, role, tip=f"{title}: capacities are hard, no cost.")
    breaks = cost.mean - cost.half_width > budget
    verdict = "over budget" if breaks else ""
    tip = f"{title}: {spent}, budget ε = {significant(budget)}."
    return AxisRow(title, servers, role, verdict, breaks, tip)


def gap_points(
    points: Sequence[PhasePoint], nbar: float, scale: float
) -> tuple[tuple[GapPoint, ...], tuple[GapPoint, ...]]:
    """Points of JRS at each scale, each with its own bound, and of other policies at the scenario's scale."""
    ours: list[GapPoint] = []
    peers: list[GapPoint] = []
    for point in points:
        bound = nbar * point.scale / scale
        gap, half = point.active_servers.mean - bound, point.active_servers.half_width
        if point.nbar is not None:
            ours.append(GapPoint(point.title, point.scale, gap, half))
        else:
            role = _PEER_ROLES[len(peers) % len(_PEER_ROLES)]
            peers.append(GapPoint(point.title, point.scale, gap, half, role, named=True))
    return tuple(sorted(ours, key=lambda point: point.scale)), tuple(peers)


def pool_lines(info: RunInfo, theme: Theme) -> str:
    """A line per pool: its servers, limit, share, and the configurations that it aims at."""
    plan = info.facts.plan
    if plan is None:
        return ""
    names, lines = info.numbers.model.phases, []
    for number, pool in enumerate(plan.pools, 1):
        aims = np.argsort(-pool.stationary, kind="stable")[:_MOST_TOLD]
        told = ", ".join(
            f"{configuration_text(names, tuple(plan.lattice.configurations[k].tolist()))} "
            f"{100 * pool.stationary[k]:.0f} %"
            for k in aims
            if pool.stationary[k] > 0
        )
        head = f"pool {number}: " if len(plan.pools) > 1 else ""
        asks = _asks_when_empty(info, number - 1)
        lines.append(
            escape(
                f"{head}L = {pool.servers} normal servers, at most {pool.token_limit} "
                f"tokens of a type; mostly {told or 'not known'}{asks}"
            )
        )
    return inked("<br>".join(lines), theme.muted)


def _asks_when_empty(info: RunInfo, pool: int) -> str:
    """What the timer of an empty server requests, unless the plan itself has a timer there."""
    rules, case = info.facts.rules, int(info.facts.plan.pools[pool].case[0])
    if case == TIMERS:
        return ""
    asked = rules.asks[pool, 0]
    if asked.any():
        jobs = configuration_text(info.numbers.model.phases, tuple(asked.tolist()))
        return f"; an empty server asks for {jobs} at rate {significant(rules.rate[pool, 0])}"
    return "; an empty server asks for nothing" if case == NOTHING else ""


def levels(frame: Frame, bounds: PhasesBounds) -> Iterator[tuple[str, float, str]]:
    """Lines across all rows: the bound, and the plan's number of normal servers."""
    yield ("N̄ (bound)", bounds.nbar or 0.0, "optimum")
    if frame.info.facts.normal_servers:
        yield ("L", float(frame.info.facts.normal_servers), "muted")


def tiles(frame: Frame, bounds: PhasesBounds, measured: SoFar) -> Iterator[TileText]:
    """Tiles of Phi*, Nbar, the gap, and the cost with its budget; the last two as soon as they are measured."""
    yield from _bound_tiles(bounds)
    servers = measured.measures.get("active_servers")
    if servers is None:
        return
    yield _gap_tile(servers, bounds.nbar or 0.0, frame) if measured.steady else _so_far_tile(servers)
    if bounds.budget:
        yield _cost_tile(measured.measures["cost_rate"], bounds.budget)


def _bound_tiles(bounds: PhasesBounds) -> Iterator[TileText]:
    """Tiles of Phi*, if known, and Nbar."""
    best = "Φ<sup>*</sup>"
    if bounds.phi is not None:
        caption = f"throughput of a server, {best}"
        yield TileText(caption, significant(bounds.phi), "optimum", "The optimum of (61).", best)
    tip = "No policy within the budget does with fewer servers on average (Theorem 2)."
    yield TileText(f"bound {NBAR} = <i>r</i> / {best}", significant(bounds.nbar or 0.0), "optimum", tip, short=NBAR)


def _so_far_tile(servers: Estimate) -> TileText:
    tip = (
        "The mean since the start. The run still fills up: N̄ bounds the mean of a long run, and "
        "the gap is told once this one has become steady (MSER)."
    )
    return TileText("<i>N</i> so far", significant(servers.mean, 3), "run", tip)


def _cost_tile(cost: Estimate, budget: float) -> TileText:
    written = f"{significant(cost.mean, 3)} / {significant(budget)}"
    role = "rejection" if cost.mean - cost.half_width > budget else "run"
    tip = "Overrun per active server, and what is allowed."
    return TileText("cost rate / budget <i>ε</i>", written, role, tip, short="<i>C</i> / <i>ε</i>")


def _gap_tile(servers: Estimate, nbar: float, frame: Frame) -> TileText:
    gap = Estimate(servers.mean - nbar, servers.half_width)
    root = float(frame.info.numbers.scale) ** 0.5
    tip = f"That is {significant(gap.mean / root, 3)} √r."
    return TileText(f"gap <i>N</i> − {NBAR}", _with(gap), "run", tip)


def _with(found: Estimate) -> str:
    mean, half = with_interval(found.mean, found.half_width)
    return f"{mean} ± {half}" if half else mean


def dual_table(bounds: PhasesBounds, info: RunInfo, theme: Theme) -> str:
    """The table of dual prices of each type's throughput, and of the budget."""
    if not bounds.type_prices:
        return ""
    each = zip(info.numbers.model.phases, info.numbers.arrival_rates, bounds.type_prices, strict=True)
    rows = [(escape(name), significant(float(rate)), significant(price)) for name, rate, price in each]
    if bounds.budget:
        rows.append(("budget <i>ε</i>", significant(bounds.budget), significant(bounds.budget_price or 0.0)))
    note = (
        "Price of a type: what one more such job in each unit of time would take off Φ*; of "
        "the budget: what Φ* would gain for each unit of ε."
    )
    told = "" if current_fonts().lecture else note  # the lecturer says it
    return table_of(("type", "arrivals <i>Λ</i>", "price"), rows, theme, note=told)


def proof_lines(bounds: PhasesBounds, theme: Theme) -> str:
    """Lines on the solution and its checks: configurations, support, Lemma 7."""
    lines = []
    if bounds.configurations:
        timers, at_once, nothing = bounds.cases
        lines.append(
            f"{grouped(bounds.configurations)} configurations: timers in {timers}, "
            f"requests at once in {at_once}, nothing in {nothing}."
        )
    if bounds.solved:
        lines.append("The support of π is proved." if bounds.certified else "The support of π is not proved.")
    if bounds.lemma7 is not None:
        largest = max(bounds.lemma7.stationary, bounds.lemma7.requests)
        verdict = "agrees" if bounds.lemma7.holds else "does not agree"
        lines.append(
            f"Lemma 7: the chain of the policy {verdict} with π and u; the largest difference is {largest:.1e}."
        )
    if bounds.problem:
        lines.append(escape(bounds.problem))
    return inked("<br>".join(lines), theme.muted) if lines else ""
