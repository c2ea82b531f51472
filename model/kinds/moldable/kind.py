"""Moldable jobs as a kind of system: how it is built, described and measured."""

from __future__ import annotations

from math import log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.moldable import facts as describing
from slotscope.model.kinds.moldable import rows
from slotscope.model.kinds.moldable.explain import MoldableNarrator
from slotscope.model.kinds.moldable.facts import MoldableFacts, MoldableStanding
from slotscope.model.kinds.moldable.inspection import MoldableInspector
from slotscope.model.kinds.moldable.numbers import MoldableNumbers
from slotscope.model.kinds.moldable.state import SPEC, MoldableState
from slotscope.model.kinds.moldable.system import MoldableSystem
from slotscope.model.kinds.spec import REJECTED, Kind, Measure
from slotscope.model.reporting.inspection import Inspector
from slotscope.model.reporting.records import ARRIVAL
from slotscope.model.systems.statespec import StateSpec

#: Events in a second that the eye can follow.
EVENTS_PER_SECOND = 4


class MoldableKind(Kind):
    """See :class:`model.kinds.spec.Kind`."""

    name = "moldable"
    spec: StateSpec = SPEC
    row: np.dtype[Any] = rows.MOLDABLE_ROW
    compares_decisions = True
    makes = MoldableSystem
    inspector: Inspector = MoldableInspector()
    measures: tuple[Measure, ...] = (
        Measure("blocking_probability", "blocked, %", "per cent"),
        Measure("execution_time", "mean execution time", "a time"),
        Measure("busy", "servers in use, %", "per cent"),
        Measure("distance", "E‖x − y*‖"),
    )
    headline = "share blocked so far"
    headline_bound_name = "0"
    example = "moldable-sublinear"

    def has_kernel(self, system: MoldableSystem) -> bool:
        """Kernels do not support scripted jobs."""
        return super().has_kernel(system) and not system.script.jobs

    def narrator(self, system: MoldableSystem) -> MoldableNarrator:
        """The narrator: sentences about requests, allocations and blocked jobs."""
        return MoldableNarrator(system.numbers, self.facts(system), system.job_name, system.scenario.run.time_unit)

    def facts(self, system: MoldableSystem) -> MoldableFacts:
        """The rules, pools and targets."""
        return describing.facts_of(system.numbers, system.tables, system.policy)

    def offers(self, system: MoldableSystem) -> frozenset[str]:
        """Servers, widths and the optimum."""
        return frozenset({"moldable", "jobs", "bounds"})

    def derive(self, state: MoldableState, numbers: MoldableNumbers, facts: MoldableFacts) -> MoldableStanding:
        """The mean allocations."""
        return describing.standing(state)

    def usual_pace(self, numbers: MoldableNumbers) -> float:
        """A power of two of units of time per second, so that about four events pass in a second."""
        return 2.0 ** round(log2(EVENTS_PER_SECOND / (2 * (numbers.rate or 1.0))))

    def decisions(self, rows: NDArray[Any], initial_jobs: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Arrivals, and the number of servers on which each of them runs."""
        arrivals = rows["kind"] == ARRIVAL
        job, width = (rows[name][arrivals] for name in ("job", "width"))
        return job - initial_jobs, np.where(width > 0, width, REJECTED).astype(np.int32)


KIND: Kind = MoldableKind()
