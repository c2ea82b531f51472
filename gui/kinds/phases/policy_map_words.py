"""What the map of the policy says in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Iterator

import numpy as np

from slotscope.gui.kinds.phases.policy_map_layout import Cells
from slotscope.gui.kinds.phases.policy_map_values import servers_by_case
from slotscope.gui.kinds.phases.wording import configuration_text
from slotscope.gui.panels.tiles import TileText
from slotscope.gui.panels.wording import THIN, significant
from slotscope.gui.plotting.scales import MINUS, format_number
from slotscope.model.kinds.phases.programs.plan import ServerPlan
from slotscope.model.kinds.phases.programs.policy import AT_ONCE, NOTHING, TIMERS
from slotscope.model.reporting.explain import grouped, plural, raised
from slotscope.model.reporting.frame import Frame

if TYPE_CHECKING:  # the solvers behind it take long to import
    from slotscope.model.kinds.phases.programs.bounds import PhasesBounds

#: Numbers below this are written with a power of ten.
_PLAIN = 1e-3
#: The source of a plan that is the scenario's own optimum.
SOLVED = "solved"
CASES = {
    TIMERS: "case 1: it rests here, timers may ask for jobs",
    AT_ONCE: "case 2: it asks for a job at once",
    NOTHING: "case 3: it asks for nothing and waits for a job to move",
}


def scientific(value: float, digits: int = 2) -> str:
    """A small number as 3.4·10⁻⁸, others plainly."""
    if value == 0 or abs(value) >= _PLAIN or not math.isfinite(value):
        return significant(value, digits + 1)
    power = math.floor(math.log10(abs(value)))
    told = f"{value / 10.0**power:.{digits - 1}f}".replace("-", MINUS)
    if told.lstrip(MINUS).startswith("10"):
        power, told = power + 1, told.replace("10", "1", 1)
    return raised(f"10^{power}" if told == "1" else f"{told}·10^{power}")


def share_text(share: float) -> str:
    """A share in per cent."""
    if math.isnan(share):
        return "–"
    if 0 < share < 0.0005:
        return f"<{THIN}0.1{THIN}%"
    return f"{format_number(100 * share, 0.1)}{THIN}%"


def tiles(frame: Frame, distance: float) -> Iterator[TileText]:
    """The few numbers above the map."""
    counts = servers_by_case(frame)
    resting, waiting = (format_number(counts[case]) for case in (TIMERS, NOTHING))
    caption = f"of {format_number(frame.info.facts.normal_servers)} servers rest where π > 0"
    tip = "Normal servers whose observed configuration is of case 1."
    yield TileText(caption, resting, "run", tip, "in case 1")
    tip = (
        "Normal servers in configurations that the single-server policy never rests in: "
        "they ask for nothing, and wait until a job moves."
    )
    yield TileText("wait in case 3", waiting, "normal", tip, "in case 3")
    tip = (
        "Total variation distance: the share of the servers' time that would have to be "
        "spent otherwise for the configurations to occur as often as under π."
    )
    yield TileText("away from π", share_text(distance), "normal", tip)


def cell_words(frame: Frame, cells: Cells, cell: int, pool: int, cost: Any) -> str:
    """All that is known of a cell; *cost* [C] are h."""
    places = cells.places(cell)
    if len(places) == 1:
        return "\n".join(_one(frame, int(places[0]), pool, float(cost[places[0]])))
    names = frame.info.numbers.model.phases
    right, up, _ = cells.position[cell].tolist()
    plan = frame.info.facts.plan.pools[pool]
    lines = [
        f"{right} in {names[cells.right]}, {up} in {names[cells.up]}: {len(places)} configurations "
        "that differ in the other phases",
        f"π = {scientific(float(plan.stationary[places].sum()))} in all",
        _present(frame, places, pool),
    ]
    return "\n".join(lines)


def _one(frame: Frame, place: int, pool: int, cost: float) -> Iterator[str]:
    facts, numbers = frame.info.facts, frame.info.numbers
    plan, names = facts.plan.pools[pool], numbers.model.phases
    k = facts.plan.lattice.configurations[place].tolist()
    case = int(plan.case[place])
    yield f"k = {configuration_text(names, k)}"
    yield CASES[case]
    if case == TIMERS:
        yield f"π = {scientific(float(plan.stationary[place]), 3)}"
    asked = [f"{name} {scientific(float(u))}" for name, u in zip(names, plan.requests[place], strict=True) if u > 0]
    if asked:
        yield "requests per server and unit of time, u: " + ", ".join(asked)
    timers = [
        f"{name} at rate {significant(float(rate), 3)}"
        for name, rate in zip(names, plan.rate[place], strict=True)
        if rate > 0
    ]
    if timers:
        yield "timers: " + ", ".join(timers)
    if case == AT_ONCE:
        chosen = [(name, float(p)) for name, p in zip(names, plan.choice[place], strict=True) if p]
        yield (
            "asks for "
            + " or ".join(name if p == 1 else f"{name} (probability {significant(p, 3)})" for name, p in chosen)
        )
    if place == 0 and case != TIMERS and facts.rules.asks[pool, 0].any():
        told = configuration_text(names, facts.rules.asks[pool, 0].tolist())
        rate = significant(float(facts.rules.rate[pool, 0]))
        yield f"a timer of rate {rate} asks for k⁰ = {told}"
    if not numbers.model.hard:
        yield f"cost h = {significant(cost, 3)}" + (", an overrun" if cost > 0 else "")
    yield _present(frame, np.array([place]), pool)


def _present(frame: Frame, places: Any, pool: int) -> str:
    standing, facts = frame.derived, frame.info.facts
    now = int(standing.present[pool, places].sum())
    share = share_text(float(standing.occupancy[places].sum()))
    of = f" of {grouped(facts.plan.pools[pool].servers)}"
    whose = " (all pools)" if facts.pools > 1 else ""
    return f"{grouped(now)}{of} {plural(now, 'server')} now; {share} of all servers' time{whose}"


def lemma_words(bounds: PhasesBounds, plan: ServerPlan) -> str:
    """Lemma 7 as it was checked, or that it is being checked."""
    found = bounds.lemma7
    if found is None:
        return bounds.problem or "Lemma 7: π is being computed again from the policy …"
    verdict = "it holds" if found.holds else "it does not hold"
    whose = "the policy's" if plan.source == SOLVED else "the optimal policy's"
    return (
        f"<b>Lemma 7</b>: computed again from {whose} own chain, π differs by {scientific(found.stationary)} and u by "
        f"{scientific(found.requests)}: {verdict}."
    )
