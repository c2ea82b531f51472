"""Jobs with phases as a kind of system: how it is built, described and measured."""

from __future__ import annotations

from dataclasses import replace
from math import log2
from typing import Any, Iterator

import numpy as np

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.phases import facts as describing
from slotscope.model.kinds.phases import rows
from slotscope.model.kinds.phases.explain import PhaseNarrator
from slotscope.model.kinds.phases.facts import PhaseFacts, PhaseStanding
from slotscope.model.kinds.phases.inspection import PhasesInspector
from slotscope.model.kinds.phases.numbers import PhaseNumbers
from slotscope.model.kinds.phases.policies.base import PhasePolicy
from slotscope.model.kinds.phases.scenario.schema import PhasesScenario
from slotscope.model.kinds.phases.scenario.workload import PATCH
from slotscope.model.kinds.phases.state import EVENT, NEXT_VIRTUAL, SPEC, PhaseState
from slotscope.model.kinds.phases.system import PhaseSystem
from slotscope.model.kinds.spec import Kind, Measure
from slotscope.model.reporting.inspection import Inspector
from slotscope.model.systems.statespec import StateSpec

#: Events in a second that the eye can follow.
EVENTS_PER_SECOND = 4


def rehearse(system: PhaseSystem) -> None:
    """Run a script once to its end, as a check.

    Raises ScenarioError if an event cannot happen, or the given choices do not match those that it needs.
    """
    script = system.script
    if script is None:
        return
    state = system.raw_state()
    for _ in system.start(state):
        pass
    while True:
        state = system.prepared(state)
        given, event = script.event(state), system.next_event(state)
        if event is None:
            return
        before = int(state.number[NEXT_VIRTUAL])
        for record in system.run(state, event, np.zeros(1, system.row_dtype)):
            if record.kind == "recovery_tick" and given.type != PATCH:
                raise script.fault(state, "type", f"found '{given.type}', allowed: '{PATCH}'")
        made, named = int(state.number[NEXT_VIRTUAL]) - before, len(given.virtual_choices)
        if made != named:
            place = int(state.number[EVENT]) - 1
            raise ScenarioError(
                f"found {named}, allowed: {made}, one for each virtual arrival",
                where=f"workload.events[{place}].virtual_choices",
            )


class PhasesKind(Kind):
    """See :class:`model.kinds.spec.Kind`."""

    name = "phases"
    spec: StateSpec = SPEC
    row: np.dtype[Any] = rows.PHASE_ROW
    makes = PhaseSystem
    inspector: Inspector = PhasesInspector()
    measures: tuple[Measure, ...] = (
        Measure("active_servers", "active servers"),
        Measure("cost_rate", "cost per server"),
        Measure("backup_jobs", "backup jobs"),
        Measure("virtual_jobs", "virtual jobs"),
        Measure("tokens", "tokens"),
    )
    headline = "active servers"
    headline_bound_name = "N̄"
    example = "jrs-two-phases"

    def system(
        self, scenario: PhasesScenario, numbers: PhaseNumbers, workload: Any, policy: PhasePolicy
    ) -> PhaseSystem:
        """The system under a policy; a script is rehearsed first."""
        system = super().system(scenario, numbers, workload, policy)
        assert isinstance(system, PhaseSystem)
        rehearse(system)
        return system

    def has_kernel(self, system: PhaseSystem) -> bool:
        """Kernels do not support scripted events."""
        return super().has_kernel(system) and not system.script

    def narrator(self, system: PhaseSystem) -> PhaseNarrator:
        """The narrator: sentences about requests, tokens, virtual jobs and backup servers."""
        names, unit = (system.job_name, system.virtual_name), system.scenario.run.time_unit
        return PhaseNarrator(system.numbers, self.facts(system), *names, unit)

    def facts(self, system: PhaseSystem) -> PhaseFacts:
        """The plan, its rules and the pools."""
        policy = system.policy
        return PhaseFacts(policy.plan, policy.rules, policy.pool_of, policy.pools)

    def offers(self, system: PhaseSystem) -> frozenset[str]:
        """Phases and jobs; tokens, a plan and its lattice if the policy has them."""
        offered = {"phases", "jobs", "bounds"}
        if len(system.policy.pool_of):
            offered.add("tokens")
        if system.policy.plan is not None:
            offered |= {"plan", "lattice"}
        return frozenset(offered)

    def derive(self, state: PhaseState, numbers: PhaseNumbers, facts: PhaseFacts) -> PhaseStanding:
        """The observed configurations of the servers, now and on average."""
        return describing.standing(state, facts)

    def usual_pace(self, numbers: PhaseNumbers) -> float:
        """A power of two of units of time per second, so that about four events pass in a second."""
        jobs = float(sum(numbers.arrival_rates)) or 1.0
        return 2.0 ** round(log2(EVENTS_PER_SECOND / (3 * jobs)))

    def headline_bound(self, bounds: Any) -> float | None:
        """Nbar: no policy within the budget needs fewer servers on average (Theorem 2)."""
        nbar: float | None = bounds.nbar
        return nbar if bounds.solved else None

    def all_bounds(self, scenario: PhasesScenario) -> Iterator[Any]:
        """See :func:`.programs.bounds.all_bounds`; then the points of short runs, to compare with them."""
        from slotscope.model.kinds.phases.experiments.phase_runs import points
        from slotscope.model.kinds.phases.programs.bounds import all_bounds

        bounds = self.no_bounds()
        for bounds in all_bounds(scenario):
            yield bounds
        if bounds.solved:
            for point in points(scenario):
                bounds = replace(bounds, points=(*bounds.points, point))
                yield bounds


KIND: Kind = PhasesKind()
