"""Puts a runnable system together from a scenario: policy, workload, engines."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import Any, Mapping

import numpy as np

from model.engine import Engine, ReferenceEngine
from model.errors import PolicyError, ScenarioError
from model.policies import reference_class
from model.policy_choice import policy_choice
from model.scenario.common import ScriptedWorkload, TraceWorkload
from model.scenario.load import Scenario
from model.scenario.validation import validated
from model.systems.reservation.numbers import ReservationNumbers, numbers_of
from model.systems.reservation.system import ReservationSystem
from model.workload import PoissonWorkload, RecordedWorkload, Workload

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


@dataclass(frozen=True, eq=False)
class Bench:
    """A scenario under one policy, ready to run.

    ``scenario`` says exactly what runs: its policy and seed are those in force.
    """

    scenario: Scenario
    system: ReservationSystem
    reference: ReferenceEngine
    report: Any = None
    parameters: Any = None  #: of the policy, validated

    @property
    def numbers(self) -> ReservationNumbers:
        """The scenario's constant numbers."""
        return self.system.numbers

    @property
    def has_kernel(self) -> bool:
        """Whether the policy has a compiled twin."""
        known = self.scenario.policy.name in KERNELS and len(self.numbers.pools) == 1
        return known and self.system.policy.compiled

    def kernel(self) -> Engine:
        """A new compiled twin; imports Numba, compiles or loads from the cache."""
        module, name = KERNELS[self.scenario.policy.name]
        engine: Engine = getattr(import_module(module), name)(self.system)
        return engine


def assemble(
    scenario: Scenario,
    policy: str | None = None,
    seed: int | None = None,
    recorded: Workload | None = None,
) -> Bench:
    """A bench for *scenario*, under its own policy and seed unless others are named.

    *policy* is a name, with parameters of its own if it has any
    (:func:`model.policy_choice.policy_choice`); others that it knows are the scenario's.
    ``recorded`` replaces the workload (the jobs of a trace read before, or of another run).

    Raises
    ------
    UserError
        If the policy is unknown, its parameters are wrong, or the numbers do not fit.
    """
    scenario = _with(scenario, policy, seed)
    reference = policy_class(scenario)
    numbers = numbers_of(scenario)
    parameters = policy_parameters(scenario)
    try:
        instance = reference(numbers, parameters)
    except ValueError as error:
        raise ScenarioError(str(error), where="policy.parameters") from None
    workload = recorded if recorded is not None else workload_of(scenario, numbers)
    system = ReservationSystem(scenario, numbers, workload, instance)
    return Bench(scenario, system, ReferenceEngine(system), parameters=parameters)


def policy_class(scenario: Scenario) -> Any:
    """The reference class of the scenario's policy.

    Raises
    ------
    PolicyError
        If no policy has that name.
    """
    try:
        return reference_class(scenario.policy.name)
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


def _with(scenario: Scenario, policy: str | None, seed: int | None) -> Scenario:
    changes: dict[str, Any] = {}
    if policy is not None:
        choice = policy_choice(policy)
        kept = scenario.policy.parameters
        if choice.name != scenario.policy.name:
            known = reference_class(choice.name).schema.model_fields
            kept = {key: value for key, value in kept.items() if key in known}
        changes["policy"] = choice.model_copy(update={"parameters": kept | choice.parameters})
    if seed is not None:
        changes["seed"] = seed
    return scenario.model_copy(update=changes)


def workload_of(
    scenario: Scenario, numbers: ReservationNumbers, start: float = 0.0, branch: int = 0
) -> Workload:
    """The workload that a scenario describes, from time *start* on; see :class:`PoissonWorkload`.

    Raises
    ------
    ScenarioError
        If the workload is a trace: its jobs must have been read before.
    """
    kind = scenario.workload
    if isinstance(kind, TraceWorkload):
        raise ScenarioError(
            "found a trace that has not been read; give its files with --trace PATH",
            where="workload.paths",
        )
    if isinstance(kind, ScriptedWorkload):
        number = {name: j for j, name in enumerate(numbers.type_names)}
        return RecordedWorkload(
            np.array([float(job.time) for job in kind.arrivals]),
            np.array([number[job.type] for job in kind.arrivals], np.int32),
            np.array([np.inf if job.service is None else float(job.service)
                      for job in kind.arrivals]),
        )  # fmt: skip
    rates = [float(rate) * numbers.servers for rate in numbers.rates]
    laws = [item.service for item in scenario.job_types]
    return PoissonWorkload(rates, laws, scenario.seed, start, branch)
