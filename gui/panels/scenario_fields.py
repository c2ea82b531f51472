"""The data behind the scenario form: paths into it, parameters of policies, and validation."""

from __future__ import annotations

import re
from copy import deepcopy
from pathlib import PurePath
from typing import Any, Literal, NamedTuple, get_args, get_origin

import numpy as np
from pydantic import BaseModel

from slotscope.model.errors import ScenarioError, UserError
from slotscope.model.kinds.spec import kind_named
from slotscope.model.policies import POLICIES_OF, is_file, is_own, policy_titles, reference_class, reference_for
from slotscope.model.running.assembly import assemble, policy_class, policy_parameters
from slotscope.model.scenario.common import Service
from slotscope.model.scenario.load import Scenario, parse_scenario
from slotscope.model.scenario.validation import Problem, ValidationFaultError, validated
from slotscope.model.scenario.workload import RecordedWorkload

Path = tuple[str | int, ...]
_WHOLE = re.compile(r"[-+]?\d{1,30}")

#: The path of a policy's parameters.
PARAMETERS: Path = ("policy", "parameters")

#: The schema of each service distribution, by name.
SERVICES: dict[str, type[BaseModel]] = {
    get_args(schema.model_fields["distribution"].annotation)[0]: schema for schema in get_args(get_args(Service)[0])
}


def dotted(path: Path) -> str:
    """A path as written in error messages: ``job_types[2].service.mean``."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def value_at(data: Any, path: Path) -> Any:
    """The value at a path; None if there is none."""
    for part in path:
        known = part < len(data) if isinstance(part, int) else part in data
        if not known:
            return None
        data = data[part]
    return data


def put(data: Any, path: Path, value: Any) -> None:
    """Set the value at a path; None removes it.  Missing tables on the way are created."""
    for part in path[:-1]:
        data = data[part] if isinstance(part, int) else data.setdefault(part, {})
    if value is None:
        data.pop(path[-1], None)
    else:
        data[path[-1]] = value


class Check(NamedTuple):
    """The scenario if the data are valid, else the problems and their places."""

    scenario: Scenario | None
    problems: tuple[Problem, ...]
    warnings: tuple[str, ...] = ()


def check(data: dict[str, Any], thoroughly: bool = False) -> Check:
    """Validate *data*: its fields, its numbers, and its policy with its parameters.

    *thoroughly* also assembles the whole system, which may take long for a large initial state.
    """
    problems: list[Problem] = []
    scenario = None
    try:
        scenario = parse_scenario(data)
    except ValidationFaultError as fault:
        problems += fault.problems
    except UserError as error:
        problems.append(Problem(error.where, error.message))
    problems += _parameter_problems(data)
    if scenario is None or problems:
        return Check(None, tuple(problems))
    try:
        return Check(scenario, (), _put_together(scenario, thoroughly))
    except UserError as error:
        return Check(None, (Problem(error.where, error.message),))


def _parameter_problems(data: dict[str, Any]) -> tuple[Problem, ...]:
    """Faults in the policy's parameters, found even if other fields are wrong."""
    place = dotted(PARAMETERS)
    try:
        schema = _schema(value_at(data, ("policy", "name")), data.get("system", ""))
        validated(schema, value_at(data, PARAMETERS) or {})
    except ValidationFaultError as fault:
        return tuple(
            Problem(f"{place}.{problem.where}" if problem.where else place, problem.message)
            for problem in fault.problems
        )
    except UserError as error:
        return (Problem("policy.name", error.message),)
    return ()


def _schema(policy: str, system: str) -> type[BaseModel]:
    """The schema of a policy's parameters; *system* decides if several kinds of system have the policy."""
    known = policy in POLICIES_OF.get(system, ()) or (is_own(policy) and system in POLICIES_OF)
    reference = reference_for(policy, system) if known else reference_class(policy)
    schema: type[BaseModel] = reference.schema
    return schema


def _put_together(scenario: Scenario, thoroughly: bool) -> tuple[str, ...]:
    """Try out the numbers and the policy, or the whole system; returns warnings."""
    if thoroughly:
        nothing = None
        if scenario.workload.kind == "trace":  # the run will read the trace
            nothing = RecordedWorkload(np.zeros(0), np.zeros(0, np.int32), np.zeros(0))
        return _warnings(assemble(scenario, recorded=nothing).numbers)
    numbers = kind_named(scenario.system).numbers(scenario)
    try:
        policy_class(scenario)(numbers, policy_parameters(scenario))
    except ValueError as error:
        raise ScenarioError(str(error), where=dotted(PARAMETERS)) from None
    return _warnings(numbers)


def _warnings(numbers: Any) -> tuple[str, ...]:
    return tuple(numbers.warnings())


class Parameter(NamedTuple):
    """A parameter of a policy, as declared in its schema."""

    name: str
    default: str
    choices: tuple[Any, ...]  #: empty if any value may be typed


def parameters_of(policy: str, system: str = "") -> tuple[Parameter, ...]:
    """The parameters of a policy for a kind of system (by default the first that has it), in order."""
    schema = _schema(policy, system)
    return tuple(Parameter(name, *_default_and_choices(schema, name)) for name in schema.model_fields)


def _default_and_choices(schema: type[BaseModel], name: str) -> tuple[str, tuple[Any, ...]]:
    field = schema.model_fields[name]
    choices: tuple[Any, ...] = ()
    if field.annotation is bool:
        choices = (True, False)
    elif get_origin(field.annotation) is Literal:
        choices = get_args(field.annotation)
    if field.is_required() or field.default is None:
        return "", choices
    plain = schema.model_construct(**{name: field.default}).model_dump(mode="json", include={name})
    return as_text(plain[name]), choices


def as_text(value: Any) -> str:
    """A plain value as a user would type it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return ", ".join(map(as_text, value))
    return "" if value is None else str(value)


def as_number(text: str) -> int | str:
    """An integer if *text* is one; otherwise the text, which schemas read as typed."""
    return int(text) if _WHOLE.fullmatch(text) else text


def titles_with(policy: str, system: str) -> dict[str, str]:
    """The titles of the policies to choose from, by name, including *policy* if it is a user's file."""
    own = {policy: PurePath(policy).name} if is_file(policy) else {}
    return own | dict(policy_titles(system))


def copied(data: Any) -> dict[str, Any]:
    """A deep copy, safe to change."""
    result: dict[str, Any] = deepcopy(data)
    return result
