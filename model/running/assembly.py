"""Assembles a runnable system from a scenario: policy, workload, engines."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from math import inf
from typing import Any, Mapping, Sequence

import numpy as np

from slotscope.model.errors import PolicyError, ScenarioError, UnreadablePolicyError
from slotscope.model.forks.changes import Course, Deviation, edited_by
from slotscope.model.forks.course import CourseEngine, CourseSystem, Leg
from slotscope.model.kinds.spec import Kind, kind_named
from slotscope.model.policies import is_file, reference_for
from slotscope.model.policies.choice import policy_choice
from slotscope.model.policies.own.trust import allow_named
from slotscope.model.running.engine import Engine, ReferenceEngine, System, Task
from slotscope.model.scenario.common import PolicyChoice
from slotscope.model.scenario.load import Scenario, as_data, parse_scenario
from slotscope.model.scenario.validation import validated
from slotscope.model.systems.base import EVENT, PolicySystem


@dataclass(frozen=True, eq=False)
class Bench:
    """A scenario under one policy, ready to run.

    ``scenario`` is exactly what runs: its policy and seed are those in force.
    """

    scenario: Scenario
    kind: Kind
    system: PolicySystem
    reference: Engine
    report: Any = None
    parameters: Any = None  #: the policy's, validated

    @property
    def runs(self) -> System:
        """What a timeline runs: the system, or several in turn."""
        return self.system

    @property
    def legs(self) -> tuple[Bench, ...]:
        """The benches that run in turn: this one alone."""
        return (self,)

    @property
    def starts(self) -> tuple[int, ...]:
        """The number of events after which each leg starts."""
        return (0,)

    @property
    def root(self) -> Bench:
        """The bench that the run began with."""
        return self.legs[0]

    def rename_jobs(self, initial_jobs: int, names: Mapping[str, str]) -> None:
        """Number and name jobs as a saved or another run does."""
        for leg in self.legs:
            leg.system.rename_jobs(initial_jobs, names)

    def at(self, event: int) -> Bench:
        """The bench that runs the events after *event*."""
        return self

    @property
    def forced(self) -> Mapping[int, str]:
        """The decisions that a fork makes in the policy's place, by the event of each."""
        return {}

    def violations(self, state: Any, before: Any = None) -> list[str]:
        """The kind's invariants that a state violates, and, given the state *before* its event, the step from that."""
        event = int(state.number[EVENT])
        overruled = min(self.forced, default=event + 1) <= event
        return self.kind.violations(self.at(event).system, state, overruled, before)

    @property
    def numbers(self) -> Any:
        """The scenario's constant numbers, as its kind of system has them."""
        return self.system.numbers

    @property
    def last_recorded(self) -> float:
        """The time at which the last job of a trace arrives; infinite if jobs never end."""
        workload = self.system.workload
        block = workload.block_at(0) if self.scenario.workload.kind == "trace" else None
        if block is None or workload.block_at(block.end) is not None:
            return inf
        return float(block.time[-1])

    @property
    def has_kernel(self) -> bool:
        """Whether the policy has a compiled twin."""
        return self.kind.has_kernel(self.system)

    def kernel(self, checked: int | None = None) -> Engine:
        """A new compiled twin; imports Numba, compiles or loads from the cache.

        One from a policy's file is compared with its reference in the first *checked* events, if that is given.
        """
        if self.system.policy.brought:
            from slotscope.model.policies.own.checked import CheckedEngine  # which few runs need

            return CheckedEngine(self.system, self.reference, checked)
        module, name = self.kind.kernels[self.scenario.policy.name]
        engine: Engine = getattr(import_module(module), name)(self.system)
        return engine

    def prepare(self, questions: bool = False) -> None:
        """Compile the twin, or load it from the cache, ahead of the first event that it runs.

        With *questions*, also its variant that records changes, for questions about servers and jobs.
        Raises UserError if the twin is from a policy's file and cannot be compiled.
        """
        for leg in self.legs:
            if leg.has_kernel:
                state = leg.system.raw_state()
                task = Task(watch=state._fields[:1], whole=True) if questions else Task()
                leg.kernel().advance(state, np.zeros(0, leg.system.row_dtype), task)


@dataclass(frozen=True, eq=False)
class ForkedBench(Bench):
    """Several benches in turn; the inherited fields are those of the last."""

    parts: tuple[Bench, ...] = field(kw_only=True)  #: the benches, each from an event of :attr:`course` on
    course: CourseSystem = field(kw_only=True)  #: what runs them

    @property
    def runs(self) -> System:
        """The legs in turn."""
        return self.course

    @property
    def legs(self) -> tuple[Bench, ...]:
        """The benches in turn."""
        return self.parts

    @property
    def starts(self) -> tuple[int, ...]:
        """The number of events after which each leg starts."""
        return tuple(leg.first for leg in self.course.legs)

    def at(self, event: int) -> Bench:
        """The leg that runs the events after *event*."""
        return self.legs[self.course.place(event)]

    @property
    def forced(self) -> Mapping[int, str]:
        """The decisions that forks force on policies, by event."""
        return self.course.forced

    @property
    def has_kernel(self) -> bool:
        """Whether a leg has a compiled twin; the others run by their references."""
        return any(leg.has_kernel for leg in self.legs)

    def kernel(self, checked: int | None = None) -> Engine:
        """The compiled twins in turn."""
        engines = [leg.kernel(checked) if leg.has_kernel else leg.reference for leg in self.legs]
        return CourseEngine(self.course, engines)


def assemble(scenario: Scenario, policy: str | None = None, seed: int | None = None, recorded: Any = None) -> Bench:
    """A bench for *scenario*, under its own policy and seed unless others are given.

    *policy* is a name, with parameters of its own if it has any
    (:func:`model.policies.choice.policy_choice`); others that it accepts are taken from the scenario.
    A file named here, unlike one that the scenario names, counts as chosen by the user.  Changes during
    the run may follow the name (:mod:`model.forks.changes`).
    ``recorded`` replaces the workload (the jobs of a trace read before, or of another run).
    Raises UserError if the policy is unknown, its parameters are wrong, or the numbers do not fit.
    """
    course = Course.read(policy or "")
    bench = _assembled(_with(scenario, course.policy or None, seed), bool(course.policy), recorded)
    return with_changes(bench, course.changes, named=True)


def with_changes(root: Bench, changes: Sequence[Deviation], named: bool) -> Bench:
    """A bench that starts as *root* and goes on under each of the changes; the jobs stay the same.

    *named* says whether the user names the policies, so that files among them may run.
    Raises UserError if a policy is unknown or cannot go on from the one before.
    """
    if not changes:
        return root
    legs, starts, forced = [root], [0], {}
    for change in changes:
        if change.decision:
            forced[change.event + 1] = change.decision
            continue
        scenario = _changed(legs[-1].scenario, change, named)
        if scenario != legs[-1].scenario:
            legs.append(_next_leg(legs[-1], scenario, named))
            starts.append(change.event)
    course = CourseSystem([Leg(start, leg.system) for start, leg in zip(starts, legs, strict=True)], forced)
    last = legs[-1]
    engine = CourseEngine(course, [leg.reference for leg in legs])
    parts = (last.scenario, last.kind, last.system, engine, root.report, last.parameters)
    return ForkedBench(*parts, parts=tuple(legs), course=course)


def _changed(scenario: Scenario, change: Deviation, named: bool) -> Scenario:
    """The scenario after a change of its policy, or after edits."""
    if change.policy:
        return _with(scenario, change.policy, None, named)
    return parse_scenario(edited_by(as_data(scenario), change.edits))


def _next_leg(before: Bench, scenario: Scenario, named: bool) -> Bench:
    bench = _assembled(scenario, named, before.system.workload)
    bench.system.rename_jobs(before.system.initial_jobs, before.system.job_names())
    bench.system.check_continuation(before.system)
    if bench.system.has_other_jobs(before.system, bench.kind.workload):
        raise ScenarioError(
            "found other arrivals, sizes or service, allowed in a fork: what leaves its jobs as they are; "
            "continue with new arrivals, or run it from the start instead"
        )
    return bench


def _assembled(scenario: Scenario, named: bool, recorded: Any) -> Bench:
    """A bench for the policy of *scenario*; *named*: the user named it, not the scenario."""
    kind = kind_named(scenario.system)
    try:
        reference = policy_class(scenario)
    except UnreadablePolicyError as error:
        if not named:  # the fault is in the scenario
            raise ScenarioError(error.line, where="policy.name") from None
        raise
    numbers = kind.numbers(scenario)
    parameters = policy_parameters(scenario)
    try:
        instance = reference(numbers, parameters)
    except ValueError as error:
        raise ScenarioError(str(error), where="policy.parameters") from None
    workload = recorded if recorded is not None else kind.workload(scenario, numbers)
    system = kind.system(scenario, numbers, workload, instance)
    return Bench(scenario, kind, system, _engine(system), parameters=parameters)


def _engine(system: PolicySystem) -> Engine:
    """The engine that runs the policy's reference."""
    if not system.may_fail:
        return ReferenceEngine(system)
    from slotscope.model.policies.own.far import FarEngine  # which few runs need

    return FarEngine(system)


def policy_class(scenario: Scenario) -> Any:
    """The reference class of the scenario's policy.

    Raises PolicyError if no policy of the scenario's kind of system has that name.
    """
    try:
        return reference_for(scenario.policy.name, scenario.system)
    except PolicyError as error:
        raise error.inside("policy.name") from None


def policy_parameters(scenario: Scenario) -> Any:
    """The validated parameters of the scenario's policy."""
    schema = policy_class(scenario).schema
    try:
        return validated(schema, scenario.policy.parameters)
    except ScenarioError as error:
        place = f"policy.parameters.{error.where}" if error.where else "policy.parameters"
        raise ScenarioError(error.message, where=place) from None


def named_policy(text: str) -> PolicyChoice:
    """The policy that the user names, with its parameters; a file is allowed to run from here on.

    Raises PolicyError if it is not NAME or NAME:key=value.
    """
    choice = policy_choice(text)
    if is_file(choice.name):
        allow_named(choice.name)
    return choice


def _with(scenario: Scenario, policy: str | None, seed: int | None, named: bool = True) -> Scenario:
    changes: dict[str, Any] = {}
    if policy is not None:
        choice = named_policy(policy) if named else policy_choice(policy)
        kept = scenario.policy.parameters
        if choice.name != scenario.policy.name:
            known = reference_for(choice.name, scenario.system).schema.model_fields
            kept = {key: value for key, value in kept.items() if key in known}
        changes["policy"] = choice.model_copy(update={"parameters": kept | choice.parameters})
    if seed is not None:
        changes["seed"] = seed
    return scenario.model_copy(update=changes)
