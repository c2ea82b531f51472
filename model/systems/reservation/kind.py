"""The loss system with slots as a kind of system."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from model.metrics import Batches
from model.records import ARRIVAL
from model.scenario.reservation import ReservationScenario
from model.systems.kinds import REJECTED, Kind, Mark, Measure
from model.systems.reservation import invariants, measures, paired, rows, trace
from model.systems.reservation.arrivals import workload_of
from model.systems.reservation.bounds import Bounds
from model.systems.reservation.classification import Classification, classify
from model.systems.reservation.explain import ReservationNarrator
from model.systems.reservation.numbers import ReservationNumbers, numbers_of
from model.systems.reservation.rows import FLAG_ADMITTED
from model.systems.reservation.sampling import columns
from model.systems.reservation.state import ReservationState
from model.systems.reservation.system import ReservationSystem
from model.workload import Workload

#: Compiled twins: policy name to (module, class).
KERNELS: Mapping[str, tuple[str, str]] = MappingProxyType({
    "dra": ("model.kernels.driver", "DraKernel"),
    "dra-periodic": ("model.kernels.driver", "DraKernel"),
    "dra-no-migration": ("model.kernels.driver", "DraKernel"),
    "dra-preemption": ("model.kernels.driver", "DraKernel"),
    "static-reservation": ("model.kernels.peers", "StaticReservationKernel"),
    "power-of-d": ("model.kernels.peers", "PowerOfDKernel"),
    "best-fit": ("model.kernels.peers", "BestFitKernel"),
    "first-fit": ("model.kernels.driver", "FirstFitKernel"),
})  # fmt: skip


MARKS = (
    Mark(rows.FLAG_ADMITTED, "admissions", "A job was admitted to a server.", 0, "muted", "plus"),
    Mark(rows.FLAG_REJECTED, "rejections", "A job was turned away.", 0, "rejection", "cross"),
    Mark(rows.FLAG_DEPARTED, "departures", "A job left at the end of its service.", 0, "muted",
         "minus"),
    Mark(rows.FLAG_MIGRATED, "migrations", "A job moved to another server.", 1, "migration",
         "arrow"),
    Mark(rows.FLAG_REASSIGNED, "reassignments", "An empty server got another configuration.", 2,
         "migration", "box"),
    Mark(rows.FLAG_I_STAR, "I* changes", "I*, and with it the Reject Group, changed.", 3,
         "normal", "star"),
)  # fmt: skip


@dataclass(frozen=True)
class ReservationFacts:
    """What panels of the loss system need to know of the policy.

    Attributes
    ----------
    reserves_slots:
        Whether jobs go into reserved slots.
    reserved:
        ceil(g(L)), 0 without a reservation factor.
    has_groups:
        Whether servers have ranks and groups.
    """

    reserves_slots: bool
    reserved: int
    has_groups: bool


class ReservationKind:
    """See :class:`model.systems.kinds.Kind`."""

    name = "reservation"
    state: type[Any] = ReservationState
    row: np.dtype[Any] = rows.EVENT_ROW
    event_kinds = rows.EVENT_KINDS
    kernels = KERNELS
    slotted = False
    compares_decisions = True
    marks: tuple[Mark, ...] = MARKS
    measures: tuple[Measure, ...] = (
        Measure("reward_rate", "reward rate"),
        Measure("rejection_probability", "rejected, %", "per cent"),
        Measure("migrations", "migrations", "per time"),
    )
    headline = "reward rate"
    headline_bound_name = "U*"
    example = "dra-vms"
    bounds_command = "model.cli.bounds_reservation"

    def numbers(self, scenario: ReservationScenario) -> ReservationNumbers:
        """L, the job types, feasible configurations and exact rationals."""
        return numbers_of(scenario)

    def workload(
        self,
        scenario: ReservationScenario,
        numbers: ReservationNumbers,
        start: float = 0.0,
        branch: int = 0,
    ) -> Workload:
        """See :func:`model.systems.reservation.arrivals.workload_of`."""
        return workload_of(scenario, numbers, start, branch)

    def with_trace(
        self,
        scenario: ReservationScenario,
        paths: tuple[str, ...],
        progress: Callable[[float], None] | None,
        cancelled: Callable[[], bool] | None,
    ) -> tuple[Any, Any, Any]:
        """See :func:`model.traces.workload.with_trace`."""
        from model.traces.workload import with_trace

        return with_trace(scenario, paths, progress, cancelled)

    def system(
        self, scenario: ReservationScenario, numbers: Any, workload: Any, policy: Any
    ) -> ReservationSystem:
        """The loss system under a policy's reference."""
        return ReservationSystem(scenario, numbers, workload, policy)

    def has_kernel(self, system: ReservationSystem) -> bool:
        """Kernels know one capacity, and some policies only with some parameters."""
        known = system.scenario.policy.name in KERNELS and len(system.numbers.pools) == 1
        return known and system.policy.compiled

    def narrator(self, system: ReservationSystem) -> ReservationNarrator:
        """Sentences about admissions, migrations and reassignments."""
        return ReservationNarrator(
            system.numbers.type_names, system.job_name, system.policy.reserves_slots
        )

    def facts(self, system: ReservationSystem) -> ReservationFacts:
        """Reservation and groups."""
        policy = system.policy
        has_groups = getattr(policy, "has_groups", False)
        return ReservationFacts(policy.reserves_slots, policy.reserved, has_groups)

    def offers(self, system: ReservationSystem) -> frozenset[str]:
        """Slots and rewards, and groups where the policy has them."""
        groups = {"groups", "greedy", "greedy configurations"}
        always = {"servers", "slots", "jobs", "reward", "bounds", "optimum"}
        return frozenset(always | (groups if self.facts(system).has_groups else set()))

    def derive(
        self, state: ReservationState, numbers: ReservationNumbers, facts: ReservationFacts
    ) -> Classification:
        """Index, rank and group of every server."""
        return classify(state)

    def usual_pace(self, numbers: ReservationNumbers) -> float:
        """One mean service time, or what the scenario's unit is, per second."""
        return 1.0

    def run_batches(
        self,
        numbers: ReservationNumbers,
        state: ReservationState,
        advance: Callable[[float], ReservationState],
        warmup: float,
        until: float,
    ) -> dict[str, Batches]:
        """See :func:`model.systems.reservation.measures.run_batches`."""
        return measures.run_batches(numbers, state, advance, warmup, until)

    def judge(self, runs: Sequence[Mapping[str, Batches]], slots: float) -> None:
        """A loss system is always stable."""

    def batches_so_far(
        self,
        numbers: ReservationNumbers,
        samples: Sequence[NDArray[np.float64]],
        warmup: float,
        now: float,
    ) -> tuple[dict[str, Batches], ...]:
        """See :func:`model.systems.reservation.paired.batches_so_far`."""
        return paired.batches_so_far(numbers, samples, warmup, now)

    def decisions(
        self, rows: NDArray[Any], initial_jobs: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Arrivals, and the server that admits each of them."""
        arrivals = rows[rows["kind"] == ARRIVAL]
        admitted = (arrivals["flags"] & FLAG_ADMITTED) != 0
        return arrivals["job"] - initial_jobs, np.where(admitted, arrivals["server"], REJECTED)

    def headline_series(
        self, numbers: ReservationNumbers, samples: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The reward rate, and its exact integral."""
        jobs, areas = (samples[:, columns(name, numbers.types)] for name in ("jobs", "area"))
        return measures.reward_rate(numbers, jobs), measures.reward_rate(numbers, areas)

    def headline_bound(self, bounds: Bounds) -> float | None:
        """The optimum U*[rho]."""
        return None if bounds.optimum is None else float(bounds.optimum.exact)

    def violations(self, system: ReservationSystem, state: ReservationState) -> list[str]:
        """See :func:`model.systems.reservation.invariants.violations`."""
        return invariants.violations(system, state)

    def trace_lines(self, system: ReservationSystem, most: float) -> Iterator[dict[str, Any]]:
        """See :func:`model.systems.reservation.trace.lines`."""
        return trace.lines(system, most)

    def all_bounds(self, scenario: ReservationScenario) -> Iterator[Any]:
        """See :func:`model.systems.reservation.upper_bound.all_bounds`."""
        from model.systems.reservation.upper_bound import all_bounds

        return all_bounds(scenario)

    def no_bounds(self, problem: str = "") -> Bounds:
        """Nothing is known."""
        return Bounds(problem=problem)


KIND: Kind = ReservationKind()
