"""What the map shows of a plan, pool by pool, and of the servers now."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slotscope.gui.kinds.phases.policy_map_layout import NONE, Cells
from slotscope.model.kinds.phases.facts import PhaseFacts
from slotscope.model.kinds.phases.numbers import PhaseNumbers
from slotscope.model.kinds.phases.programs.plan import PoolPlan
from slotscope.model.kinds.phases.programs.policy import AT_ONCE, NOTHING, TIMERS
from slotscope.model.reporting.frame import Frame

#: pi below this share of the largest has the faintest shade.
_DEEPEST = 1e-6


@dataclass(frozen=True, eq=False)
class MapValues:
    """What stays the same of one pool's policy; over N cells and I phases."""

    cells: Cells
    stationary: NDArray[np.float64]  #: [N] pi of the pool
    #: low, high: the ends of the scale of pi; NaN where pi is not known
    low: float
    high: float
    case: NDArray[np.int8]  #: [N] of Appendix C.2; the least where a cell stands for several configurations
    weight: NDArray[np.float64]  #: [N, I] how wide the arrow of a request is, 0 to 1; 0 for none
    overruns: NDArray[np.bool_]  #: [N] whether h > 0
    patch: int  #: the cell of k0 where a timer at 0 asks for it; NONE where there is no such timer
    empty: int  #: the cell of 0

    def level(self, stationary: float) -> float:
        """0 for the smallest pi on the scale, 1 for the largest; the scale is logarithmic."""
        if not self.low < self.high:
            return 1.0
        inside = min(max(stationary, self.low), self.high)
        return math.log(inside / self.low) / math.log(self.high / self.low)


def map_values(facts: PhaseFacts, cells: Cells, costs: NDArray[np.float64], pool: int) -> MapValues:
    """What the map shows of a pool; *costs* [C] are h."""
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
    """The jobs of the largest configuration that a server of the pool gets to, or is in now."""
    facts = frame.info.facts
    jobs = facts.plan.lattice.configurations.sum(axis=1)
    reached = (facts.plan.pools[pool].case != NOTHING) | (frame.derived.present[pool] > 0)
    asked = facts.rules.asks[pool].sum(axis=1)
    recovered = (jobs + asked)[asked > 0]
    return max(int(jobs[reached].max(initial=1)), int(recovered.max(initial=0)))


def request_weights(pool: PoolPlan, cells: Cells) -> NDArray[np.float64]:
    """[N, I] u where the policy requests, as a share of the largest; of a given policy without
    u, rates and probabilities instead."""
    asks = (pool.rate > 0) | (pool.choice > 0)
    amount = np.where(asks, pool.requests, 0.0)
    if not amount.any():
        amount = pool.rate + pool.choice
    summed = np.column_stack([cells.sums(amount[:, i]) for i in range(amount.shape[1])])
    shown = np.column_stack([cells.some(asks[:, i]) for i in range(amount.shape[1])])
    most = summed.max(initial=0.0)
    scaled = np.sqrt(summed / most) if most > 0 else summed
    # Rare requests, too, must be seen to be possible.
    return np.asarray(np.where(shown, np.maximum(scaled, 0.05), 0.0), np.float64)


def cost_rates(numbers: PhaseNumbers, configurations: NDArray[np.int32]) -> NDArray[np.float64]:
    """[C] h of every configuration."""
    unit = float(numbers.cost_unit)
    if not numbers.power:
        return np.asarray(numbers.cost_table * unit, np.float64)
    use = configurations.astype(np.int64) @ numbers.demand
    excess = np.maximum(0, use - numbers.capacity)
    costs: NDArray[np.float64] = (excess**numbers.power @ numbers.cost_weight) * unit
    return costs


def expected_shares(facts: PhaseFacts) -> NDArray[np.float64]:
    """[C] the share of the normal servers that pi puts on each configuration, over all pools."""
    pools = facts.plan.pools
    total = sum(pool.servers * pool.stationary for pool in pools)
    shares: NDArray[np.float64] = np.asarray(total) / facts.normal_servers
    return shares


def servers_by_case(frame: Frame) -> dict[int, int]:
    """How many normal servers are in a configuration of each case now."""
    present, pools = frame.derived.present, frame.info.facts.plan.pools
    cases = np.array([pool.case for pool in pools])
    return {case: int(present[cases == case].sum()) for case in (TIMERS, AT_ONCE, NOTHING)}


def distance(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """The total variation distance of two distributions; NaN where one is not known."""
    if not (one.any() and other.any()):
        return math.nan
    return float(np.abs(one - other).sum()) / 2


def event_server(frame: Frame) -> int | None:
    """The normal server of the event that is in the making, or that was the last one."""
    if frame.running:
        return None
    event = frame.event_in_the_making
    server = event.server if event is not None else -1
    if event is None and len(frame.rows):
        server = int(frame.rows["server"][-1])
    return server if 0 <= server < frame.info.facts.normal_servers else None
