"""What the physics of phases needs to know besides a state, as arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.phases.numbers import PhaseNumbers
from slotscope.model.scenario.streams import stream_key

# Places in ``key``: one stream of random words for each purpose.
REAL_KEY, VIRTUAL_KEY, TIMER_KEY, REQUEST_KEY, TOKEN_KEY, VIRTUAL_TOKEN_KEY, ROUTE_KEY, CHOICE_KEY = range(8)
_STREAMS = ("phases", "virtual phases", "timers", "requests", "tokens", "virtual tokens", "routes", "choices")


class PhaseTables(NamedTuple):
    """I phases, D resources, C configurations (0 without a lattice)."""

    demand: NDArray[np.int64]  #: [I, D] units
    peak: NDArray[np.int64]  #: [I, D] units that a job of a type may need at most
    capacity: NDArray[np.int64]  #: [D] units
    weight: NDArray[np.int64]  #: [D] units of cost for an overrun of one unit, to the power
    power: NDArray[np.int64]  #: [1] of an overrun in h; 0: h is ``cost_table``
    cost_table: NDArray[np.int64]  #: [C] units of cost, where h is a table
    up: NDArray[np.int32]  #: [C, I] the lattice, see :mod:`model.kinds.phases.lattice`
    down: NDArray[np.int32]  #: [C, I]
    out_rate: NDArray[np.float64]  #: [I] total rate of leaving a phase
    next_phase: NDArray[np.float64]  #: [I, I] probability that the next phase is at most i'
    key: NDArray[np.uint64]  #: [8] of random words


def tables_of(numbers: PhaseNumbers, with_lattice: bool) -> PhaseTables:
    """The tables of a system; *with_lattice*: whether the policy reads observed configurations."""
    none = np.zeros((0, numbers.phases), np.int32)
    lattice = numbers.lattice if with_lattice or not numbers.power else None
    return PhaseTables(
        demand=numbers.demand,
        peak=numbers.peak,
        capacity=numbers.capacity,
        weight=numbers.cost_weight,
        power=np.array([numbers.power], np.int64),
        cost_table=numbers.cost_table,
        up=none if lattice is None else lattice.up,
        down=none if lattice is None else lattice.down,
        out_rate=numbers.out_rate,
        next_phase=numbers.next_phase,
        key=np.array([stream_key(numbers.seed, name) for name in _STREAMS], np.uint64),
    )
