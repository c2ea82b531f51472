"""Moldable jobs as a kind of system: how it is put together, described and measured."""

from __future__ import annotations

from math import log2
from types import MappingProxyType
from typing import Any, Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from model.metrics import Batches
from model.policies.moldable.base import MoldablePolicy
from model.records import ARRIVAL
from model.scenario.moldable import MoldableScenario
from model.systems.kinds import REJECTED, Judgement, Kind, Mark, Measure
from model.systems.moldable import facts as describing
from model.systems.moldable import invariants, measures, rows, trace
from model.systems.moldable.arrivals import workload_of
from model.systems.moldable.explain import MoldableNarrator
from model.systems.moldable.facts import MoldableFacts, MoldableStanding
from model.systems.moldable.numbers import MoldableNumbers, numbers_of
from model.systems.moldable.state import MoldableState
from model.systems.moldable.system import MoldableSystem

_KERNEL = ("model.kernels.moldable.driver", "MoldableKernel")

#: Compiled twins by policy name: one for all, because policies differ in their rules alone.
KERNELS: Mapping[str, tuple[str, str]] = MappingProxyType(
    dict.fromkeys(("greedy-p", "greedy", "fixed-width", "threshold"), _KERNEL)
)

MARKS = (
    Mark(rows.FLAG_ADMITTED, "allocations", "A job gets servers.", 0, "normal", "plus"),
    Mark(rows.FLAG_BLOCKED, "blocked jobs", "No server is free; the job is lost.", 0, "rejection",
         "cross"),
    Mark(rows.FLAG_PARTIAL, "partial allocations", "A job gets fewer servers than it asked for.",
         1, "migration", "bars"),
    Mark(rows.FLAG_SPLIT, "jobs in pieces", "No gap holds the job: it runs in several pieces.", 2,
         "muted", "box"),
    Mark(rows.FLAG_BELOW, "two jobs below i1", "More than one job runs on fewer than i1 servers.",
         3, "migration", "star"),
    Mark(rows.FLAG_FREED, "free again", "There is a free server again.", 4, "muted", "ring"),
    Mark(rows.FLAG_DEPARTED, "departures", "A job is completed.", 5, "muted", "minus"),
)  # fmt: skip

#: Events that can be followed by eye in a second.
EVENTS_PER_SECOND = 4


class MoldableKind:
    """See :class:`model.systems.kinds.Kind`."""

    name = "moldable"
    state: type[Any] = MoldableState
    row: np.dtype[Any] = rows.MOLDABLE_ROW
    event_kinds = rows.EVENT_KINDS
    kernels = KERNELS
    slotted = False
    compares_decisions = True
    marks: tuple[Mark, ...] = MARKS
    measures: tuple[Measure, ...] = (
        Measure("blocking_probability", "blocked, %", "per cent"),
        Measure("execution_time", "mean execution time"),
        Measure("busy", "servers in use, %", "per cent"),
        Measure("distance", "E‖x − y*‖"),
    )
    headline = "blocking probability"
    headline_bound_name = "0"
    example = "moldable-sublinear"
    bounds_command = "model.cli.bounds_moldable"

    def numbers(self, scenario: MoldableScenario) -> MoldableNumbers:
        """Servers, classes, speed-ups and rates."""
        return numbers_of(scenario)

    def workload(
        self,
        scenario: MoldableScenario,
        numbers: MoldableNumbers,
        start: float = 0.0,
        branch: int = 0,
    ) -> Any:
        """See :func:`model.systems.moldable.arrivals.workload_of`."""
        return workload_of(scenario, numbers, start, branch)

    def with_trace(
        self,
        scenario: MoldableScenario,
        paths: tuple[str, ...],
        progress: Callable[[float], None] | None,
        cancelled: Callable[[], bool] | None,
    ) -> tuple[Any, Any, Any]:
        """See :func:`model.traces.moldable_workload.with_trace`."""
        from model.traces.moldable_workload import with_trace

        return with_trace(scenario, paths, progress, cancelled)

    def system(
        self,
        scenario: MoldableScenario,
        numbers: MoldableNumbers,
        workload: Any,
        policy: MoldablePolicy,
    ) -> MoldableSystem:
        """The servers and their jobs under a policy's reference."""
        return MoldableSystem(scenario, numbers, workload, policy)

    def has_kernel(self, system: MoldableSystem) -> bool:
        """Every policy of the program's own, unless jobs are scripted."""
        named = system.scenario.policy.name in KERNELS
        return named and system.policy.compiled and not system.script.jobs

    def narrator(self, system: MoldableSystem) -> MoldableNarrator:
        """Sentences about requests, allocations and blocked jobs."""
        return MoldableNarrator(system.numbers, self.facts(system), system.job_name)

    def facts(self, system: MoldableSystem) -> MoldableFacts:
        """Requests, pools and targets."""
        return describing.facts_of(system.numbers, system.tables, system.policy)

    def offers(self, system: MoldableSystem) -> frozenset[str]:
        """Servers, widths and the optimum."""
        return frozenset({"moldable", "jobs", "bounds"})

    def derive(
        self, state: MoldableState, numbers: MoldableNumbers, facts: MoldableFacts
    ) -> MoldableStanding:
        """Allocations on average."""
        return describing.standing(state)

    def usual_pace(self, numbers: MoldableNumbers) -> float:
        """A power of two of units of time, so that some four events pass in a second."""
        return 2.0 ** round(log2(EVENTS_PER_SECOND / (2 * (numbers.rate or 1.0))))

    def run_batches(
        self,
        numbers: MoldableNumbers,
        state: MoldableState,
        advance: Callable[[float], MoldableState],
        warmup: float,
        until: float,
    ) -> dict[str, Batches]:
        """See :func:`model.systems.moldable.measures.run_batches`."""
        return measures.run_batches(numbers, state, advance, warmup, until)

    def judge(self, runs: Sequence[Mapping[str, Batches]], slots: float) -> Judgement | None:
        """A loss system is always stable."""
        return None

    def batches_so_far(
        self,
        numbers: MoldableNumbers,
        samples: Sequence[NDArray[np.float64]],
        warmup: float,
        now: float,
    ) -> tuple[dict[str, Batches], ...]:
        """See :func:`model.systems.moldable.measures.batches_so_far`."""
        return measures.batches_so_far(numbers, samples, warmup, now)

    def decisions(
        self, rows: NDArray[Any], initial_jobs: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Arrivals, and on how many servers each of them runs."""
        arrivals = rows[rows["kind"] == ARRIVAL]
        widths = np.where(arrivals["width"] > 0, arrivals["width"], REJECTED)
        return arrivals["job"] - initial_jobs, widths.astype(np.int32)

    def headline_series(
        self, numbers: MoldableNumbers, samples: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """See :func:`model.systems.moldable.measures.headline_series`."""
        return measures.headline_series(numbers, samples)

    def headline_bound(self, bounds: Any) -> float | None:
        """No level: a policy may block any share of the jobs."""
        return None

    def violations(self, system: MoldableSystem, state: MoldableState) -> list[str]:
        """See :func:`model.systems.moldable.invariants.violations`."""
        return invariants.violations(system, state)

    def trace_lines(self, system: MoldableSystem, most: float) -> Iterator[dict[str, Any]]:
        """See :func:`model.systems.moldable.trace.lines`."""
        return trace.lines(system, most)

    def all_bounds(self, scenario: MoldableScenario) -> Iterator[Any]:
        """See :func:`model.programs.moldable.bounds.all_bounds`."""
        from model.programs.moldable.bounds import all_bounds

        return all_bounds(scenario)

    def no_bounds(self, problem: str = "") -> Any:
        """Nothing is known."""
        from model.programs.moldable.bounds import MoldableBounds

        return MoldableBounds(problem=problem)


KIND: Kind = MoldableKind()
