"""Puts a runnable system together from a scenario: policy, workload, engines."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from math import inf
from typing import Any

from slotscope.model.engine import Engine, ReferenceEngine
from slotscope.model.errors import PolicyError, ScenarioError, UnreadablePolicyError
from slotscope.model.kinds.spec import Kind, RunnableSystem, kind_named
from slotscope.model.policies import is_file, reference_for
from slotscope.model.policies.own.trust import allow_named
from slotscope.model.policy_choice import policy_choice
from slotscope.model.scenario.common import PolicyChoice
from slotscope.model.scenario.load import Scenario
from slotscope.model.scenario.validation import validated


@dataclass(frozen=True, eq=False)
class Bench:
    """A scenario under one policy, ready to run.

    ``scenario`` says exactly what runs: its policy and seed are those in force.
    """

    scenario: Scenario
    kind: Kind
    system: RunnableSystem
    reference: ReferenceEngine
    report: Any = None
    parameters: Any = None  #: of the policy, validated

    @property
    def numbers(self) -> Any:
        """The scenario's constant numbers, as its kind of system has them."""
        return self.system.numbers

    @property
    def last_recorded(self) -> float:
        """When the last job of a trace arrives; infinity where jobs come without end."""
        workload = self.system.workload
        block = workload.block_at(0) if self.scenario.workload.kind == "trace" else None
        if block is None or workload.block_at(block.end) is not None:
            return inf
        return float(block.time[-1])

    @property
    def has_kernel(self) -> bool:
        """Whether the policy has a compiled twin."""
        return self.kind.has_kernel(self.system)

    def kernel(self) -> Engine:
        """A new compiled twin; imports Numba, compiles or loads from the cache."""
        module, name = self.kind.kernels[self.scenario.policy.name]
        engine: Engine = getattr(import_module(module), name)(self.system)
        return engine


def assemble(scenario: Scenario, policy: str | None = None, seed: int | None = None, recorded: Any = None) -> Bench:
    """A bench for *scenario*, under its own policy and seed unless others are named.

    *policy* is a name, with parameters of its own if it has any
    (:func:`model.policy_choice.policy_choice`); others that it knows are the scenario's.  A file
    named here, other than one that the scenario names, is one that the user has chosen.
    ``recorded`` replaces the workload (the jobs of a trace read before, or of another run).

    Raises
    ------
    UserError
        If the policy is unknown, its parameters are wrong, or the numbers do not fit.
    """
    scenario = _with(scenario, policy, seed)
    kind = kind_named(scenario.system)
    try:
        reference = policy_class(scenario)
    except UnreadablePolicyError as error:
        if policy is None:  # it is the scenario that names it
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
    return Bench(scenario, kind, system, ReferenceEngine(system), parameters=parameters)


def policy_class(scenario: Scenario) -> Any:
    """The reference class of the scenario's policy.

    Raises
    ------
    PolicyError
        If no policy of the scenario's kind of system has that name.
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
    """The policy that the user names, with its parameters; if it is a file, it may run.

    Raises
    ------
    PolicyError
        If it is not NAME or NAME:key=value.
    """
    choice = policy_choice(text)
    if is_file(choice.name):
        allow_named(choice.name)
    return choice


def _with(scenario: Scenario, policy: str | None, seed: int | None) -> Scenario:
    changes: dict[str, Any] = {}
    if policy is not None:
        choice = named_policy(policy)
        kept = scenario.policy.parameters
        if choice.name != scenario.policy.name:
            known = reference_for(choice.name, scenario.system).schema.model_fields
            kept = {key: value for key, value in kept.items() if key in known}
        changes["policy"] = choice.model_copy(update={"parameters": kept | choice.parameters})
    if seed is not None:
        changes["seed"] = seed
    return scenario.model_copy(update=changes)
