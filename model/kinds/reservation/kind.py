"""The loss system with slots as a kind of system."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.reservation import rows
from slotscope.model.kinds.reservation.bounds import Bounds
from slotscope.model.kinds.reservation.classification import Classification, classify
from slotscope.model.kinds.reservation.explain import ReservationNarrator
from slotscope.model.kinds.reservation.inspection import ReservationInspector
from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.rows import FLAG_ADMITTED
from slotscope.model.kinds.reservation.state import SPEC, ReservationState
from slotscope.model.kinds.reservation.system import ReservationSystem
from slotscope.model.kinds.spec import REJECTED, Kind, Measure
from slotscope.model.reporting.inspection import Inspector
from slotscope.model.reporting.records import ARRIVAL
from slotscope.model.systems.statespec import StateSpec


@dataclass(frozen=True)
class ReservationFacts:
    """The data on the policy that panels of the loss system need."""

    reserves_slots: bool  #: whether jobs are placed in reserved slots
    reserved: int  #: ceil(g(L)); 0 without a reservation factor
    has_groups: bool  #: whether servers have ranks and groups


class ReservationKind(Kind):
    """See :class:`model.kinds.spec.Kind`."""

    name = "reservation"
    spec: StateSpec = SPEC
    row: np.dtype[Any] = rows.EVENT_ROW
    compares_decisions = True
    rows_tell_more = True
    makes = ReservationSystem
    inspector: Inspector = ReservationInspector()
    measures: tuple[Measure, ...] = (
        Measure("reward_rate", "reward rate"),
        Measure("rejection_probability", "rejected, %", "per cent"),
        Measure("migrations", "migrations", "per time"),
    )
    headline = "reward rate"
    headline_bound_name = "U*"
    example = "dra-vms"

    def has_kernel(self, system: ReservationSystem) -> bool:
        """Whether there is a kernel; kernels support a single pool only."""
        return super().has_kernel(system) and len(system.numbers.pools) == 1

    def narrator(self, system: ReservationSystem) -> ReservationNarrator:
        """The narrator: sentences about admissions, migrations and reassignments."""
        return ReservationNarrator(system.numbers.type_names, system.job_name, system.policy.reserves_slots)

    def facts(self, system: ReservationSystem) -> ReservationFacts:
        """What the policy reserves, and whether it has groups."""
        policy = system.policy
        has_groups = getattr(policy, "has_groups", False)
        return ReservationFacts(policy.reserves_slots, policy.reserved, has_groups)

    def offers(self, system: ReservationSystem) -> frozenset[str]:
        """Slots and rewards; also groups if the policy has them."""
        groups = {"groups", "greedy", "greedy configurations"}
        always = {"servers", "slots", "jobs", "reward", "bounds", "optimum"}
        return frozenset(always | (groups if self.facts(system).has_groups else set()))

    def derive(self, state: ReservationState, numbers: ReservationNumbers, facts: ReservationFacts) -> Classification:
        """The index, rank and group of every server."""
        return classify(state)

    def usual_pace(self, numbers: ReservationNumbers) -> float:
        """One unit of time per second, which is usually a mean service time."""
        return 1.0

    def decisions(self, rows: NDArray[Any], initial_jobs: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The numbers of the arriving jobs, and the server that admits each."""
        arrivals = rows["kind"] == ARRIVAL
        job, flags, server = (rows[name][arrivals] for name in ("job", "flags", "server"))
        return job - initial_jobs, np.where((flags & FLAG_ADMITTED) != 0, server, REJECTED)

    def headline_bound(self, bounds: Bounds) -> float | None:
        """The optimum U*[rho]."""
        return None if bounds.optimum is None else float(bounds.optimum.exact)

    def no_bounds(self, problem: str = "") -> Bounds:
        """Bounds of which nothing is known, made without importing any program."""
        return Bounds(problem=problem)


KIND: Kind = ReservationKind()
