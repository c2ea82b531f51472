"""The values that the map shows: of a pool's plan, and of the servers now; and their wording."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterator

import numpy as np
from numpy.typing import NDArray

from slotscope.gui.kinds.phases.policy_map_layout import NONE, Cells
from slotscope.gui.kinds.phases.wording import configuration_text
from slotscope.gui.panels.tiles import TileText
from slotscope.gui.panels.wording import THIN, significant
from slotscope.gui.plotting.scales import MINUS, format_number
from slotscope.model.kinds.phases.facts import PhaseFacts
from slotscope.model.kinds.phases.numbers import PhaseNumbers
from slotscope.model.kinds.phases.programs.plan import PoolPlan, ServerPlan
from slotscope.model.kinds.phases.programs.policy import AT_ONCE, NOTHING, TIMERS
from slotscope.model.reporting.explain import grouped, plural, raised
from slotscope.model.reporting.frame import Frame

#: Share of the largest pi below which the faintest shade is used.
_DEEPEST = 1e-6


@dataclass(frozen=True, eq=False)
class MapValues:
    """The constant values of one pool's policy, over N cells and I phases."""

    cells: Cells
    stationary: NDArray[np.float64]  #: [N] pi of the pool
    #: low, high: ends of the scale of pi; NaN if pi is unknown
    low: float
    high: float
    case: NDArray[np.int8]  #: [N] the case of Appendix C.2; the least one if a cell stands for several configurations
    weight: NDArray[np.float64]  #: [N, I] relative width of the arrow of a request, 0 to 1; 0: no request
    overruns: NDArray[np.bool_]  #: [N] whether h > 0
    patch: int  #: the cell of k0 if a timer at 0 requests it; NONE if there is no such timer
    empty: int  #: the cell of 0

    def level(self, stationary: float) -> float:
        """0 for the smallest pi on the scale, 1 for the largest; logarithmic."""
        if not self.low < self.high:
            return 1.0
        inside = min(max(stationary, self.low), self.high)
        return math.log(inside / self.low) / math.log(self.high / self.low)


def map_values(facts: PhaseFacts, cells: Cells, costs: NDArray[np.float64], pool: int) -> MapValues:
    """The map's values for a pool; *costs* [C] are h."""
    plan = facts.plan.pools[pool]
    stationary = cells.sums(plan.stationary)
    positive = stationary[stationary > 0]
    high = float(positive.max(initial=0.0)) or math.nan
    low = max(float(positive.min()), _DEEPEST * high) if len(positive) else math.nan
    case = np.full(len(cells), NOTHING, np.int8)
    for one in (AT_ONCE, TIMERS):
        case[cells.some(plan.case == one)] = one
    asked = facts.rules.asks[pool, 0]
    patched = plan.case[0] != TIMERS and asked.any()
    place = facts.plan.lattice.place(tuple(asked.tolist())) if patched else NONE
    return MapValues(
        cells,
        stationary,
        low,
        high,
        case,
        request_weights(plan, cells),
        cells.some(costs > 0),
        int(cells.cell_of[place]) if place >= 0 else NONE,
        int(cells.cell_of[0]),
    )


def most_jobs(frame: Frame, pool: int) -> int:
    """The number of jobs of the largest configuration that a server of the pool reaches, or is in now."""
    facts = frame.info.facts
    jobs = facts.plan.lattice.configurations.sum(axis=1)
    reached = (facts.plan.pools[pool].case != NOTHING) | (frame.derived.present[pool] > 0)
    asked = facts.rules.asks[pool].sum(axis=1)
    recovered = (jobs + asked)[asked > 0]
    return max(int(jobs[reached].max(initial=1)), int(recovered.max(initial=0)))


def request_weights(pool: PoolPlan, cells: Cells) -> NDArray[np.float64]:
    """[N, I] u where the policy requests, relative to the largest; of a given policy without u, the rates and
    probabilities instead.
    """
    asks = (pool.rate > 0) | (pool.choice > 0)
    amount = np.where(asks, pool.requests, 0.0)
    if not amount.any():
        amount = pool.rate + pool.choice
    summed = np.column_stack([cells.sums(amount[:, i]) for i in range(amount.shape[1])])
    shown = np.column_stack([cells.some(asks[:, i]) for i in range(amount.shape[1])])
    most = summed.max(initial=0.0)
    scaled = np.sqrt(summed / most) if most > 0 else summed
    # Even rare requests must be visible.
    return np.asarray(np.where(shown, np.maximum(scaled, 0.05), 0.0), np.float64)


def cost_rates(numbers: PhaseNumbers, configurations: NDArray[np.int32]) -> NDArray[np.float64]:
    """[C] h of each configuration."""
    unit = float(numbers.cost_unit)
    if not numbers.power:
        return np.asarray(numbers.cost_table * unit, np.float64)
    use = configurations.astype(np.int64) @ numbers.demand
    excess = np.maximum(0, use - numbers.capacity)
    costs: NDArray[np.float64] = (excess**numbers.power @ numbers.cost_weight) * unit
    return costs


def expected_shares(facts: PhaseFacts) -> NDArray[np.float64]:
    """[C] the share of all normal servers that pi puts on each configuration, over all pools."""
    pools = facts.plan.pools
    total = sum(pool.servers * pool.stationary for pool in pools)
    shares: NDArray[np.float64] = np.asarray(total) / facts.normal_servers
    return shares


def servers_by_case(frame: Frame) -> dict[int, int]:
    """The number of normal servers in configurations of each case now."""
    present, pools = frame.derived.present, frame.info.facts.plan.pools
    cases = np.array([pool.case for pool in pools])
    return {case: int(present[cases == case].sum()) for case in (TIMERS, AT_ONCE, NOTHING)}


def distance(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """The total variation distance of two distributions; NaN if one is unknown."""
    if not (one.any() and other.any()):
        return math.nan
    return float(np.abs(one - other).sum()) / 2


def event_server(frame: Frame) -> int | None:
    """The normal server of the event in progress, or of the last one; None if there is none."""
    if frame.running:
        return None
    event = frame.event_in_the_making
    server = event.server if event is not None else -1
    if event is None and len(frame.rows):
        server = int(frame.rows["server"][-1])
    return server if 0 <= server < frame.info.facts.normal_servers else None


# In words.


if TYPE_CHECKING:  # the solvers behind it take long to import
    from slotscope.model.kinds.phases.programs.bounds import PhasesBounds

#: Smaller numbers are written with a power of ten.
_PLAIN = 1e-3
#: The source of a plan that is the scenario's own optimum.
SOLVED = "solved"
CASES = {
    TIMERS: "case 1: it rests here, timers may ask for jobs",
    AT_ONCE: "case 2: it asks for a job at once",
    NOTHING: "case 3: it asks for nothing and waits for a job to move",
}


def scientific(value: float, digits: int = 2) -> str:
    """A small number as 3.4·10⁻⁸, others in plain notation."""
    if value == 0 or abs(value) >= _PLAIN or not math.isfinite(value):
        return significant(value, digits + 1)
    power = math.floor(math.log10(abs(value)))
    told = f"{value / 10.0**power:.{digits - 1}f}".replace("-", MINUS)
    if told.lstrip(MINUS).startswith("10"):
        power, told = power + 1, told.replace("10", "1", 1)
    return raised(f"10^{power}" if told == "1" else f"{told}·10^{power}")


def share_text(share: float) -> str:
    """A share in per cent, as text."""
    if math.isnan(share):
        return "–"
    if 0 < share < 0.0005:
        return f"<{THIN}0.1{THIN}%"
    return f"{format_number(100 * share, 0.1)}{THIN}%"


def tiles(frame: Frame, distance: float) -> Iterator[TileText]:
    """The tiles above the map."""
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
    """All that is known of a cell, in sentences; *cost* [C] are h."""
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
    """The result of checking Lemma 7, or that it is being checked."""
    found = bounds.lemma7
    if found is None:
        return bounds.problem or "Lemma 7: π is being computed again from the policy …"
    verdict = "it holds" if found.holds else "it does not hold"
    whose = "the policy's" if plan.source == SOLVED else "the optimal policy's"
    return (
        f"<b>Lemma 7</b>: computed again from {whose} own chain, π differs by {scientific(found.stationary)} and u by "
        f"{scientific(found.requests)}: {verdict}."
    )
