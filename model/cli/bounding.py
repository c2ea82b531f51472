"""What ``slotscope bounds`` does alike for every kind of system: showing programs as data and as a table."""

from __future__ import annotations

import argparse
import math
from dataclasses import fields
from fractions import Fraction
from typing import Any, Iterable, Mapping

import numpy as np

from slotscope.model.api import Session
from slotscope.model.cli.guard import note
from slotscope.model.cli.output import shown, table
from slotscope.model.policies import is_own
from slotscope.model.running.assembly import Bench
from slotscope.model.scenario.load import Scenario, load_scenario

Result = dict[str, Any]

#: The most characters of a fraction in a table; longer ones are in JSON only.
LONGEST_FRACTION = 24


def bench_of(options: argparse.Namespace, policy: str | None, scenario: Scenario | None = None) -> Bench:
    """The bench of the named scenario under a policy, or of another *scenario* if given.

    Its warnings are printed.
    """
    opened = options.scenario if scenario is None else scenario
    bench = Session.open(opened, policy, options.seed, tuple(options.trace), kernel=False).bench
    for warning in bench.numbers.warnings():
        note(f"warning: {warning}")
    return bench


def not_own(options: argparse.Namespace, other: str) -> str | None:
    """The policy to use: *other* instead of the scenario's if that is a user policy, as bounds do not depend on it."""
    named = load_scenario(options.scenario).policy.name
    return other if options.policy is None and is_own(named) else options.policy


def fields_of(found: Any, *names: str) -> Result:
    """The fields of *found* as plain data: all of them, or those of the given names.

    Fractions become text, tuples and arrays lists.
    """
    return {name: _plainly(getattr(found, name)) for name in names or [field.name for field in fields(found)]}


def _plainly(value: Any) -> Any:
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, np.ndarray):
        return value.tolist()
    return [_plainly(one) for one in value] if isinstance(value, tuple) else value


def program(objective: float | None, status: str, exact: object = None, solution: Iterable[Result] = ()) -> Result:
    """A solved program, or a bound without a solution, as plain data; exact numbers are text."""
    told = None if exact is None else str(exact)
    return {"objective": objective, "exact": told, "status": status, "solution": [*solution]}


def program_table(programs: Mapping[str, Result], objective: str = "objective", longest: float = math.inf) -> str:
    """A table with a line for each program and its *objective*; exact fractions longer than *longest* are left out."""
    rows = [
        (name, shown(one["objective"]), short(one["exact"], longest), one["status"]) for name, one in programs.items()
    ]
    return table(("program", objective, "exact", "status"), rows)


def short(exact: str | None, longest: float = LONGEST_FRACTION) -> str:
    """A rational, or "-" if it is missing or too long to be read."""
    return exact if exact is not None and len(exact) <= longest else "-"
