"""``slotscope bounds``: bounds of a scenario's measures, by its kind of system."""

from __future__ import annotations

import argparse
from importlib import import_module

from slotscope.model.cli.output import Report
from slotscope.model.kinds.rooms import ROOMS
from slotscope.model.kinds.spec import kind_named
from slotscope.model.scenario.files import find_scenario
from slotscope.model.scenario.load import load_scenario


def execute(options: argparse.Namespace) -> int:
    """Solve and print."""
    solved(options).print(as_json=options.json)
    return 0


def solved(options: argparse.Namespace) -> Report:
    """The bounds of the scenario, from its kind of system."""
    # Families of scenarios belong to the loss system, which refuses these options for other scenarios.
    of_a_family = options.appendix_c is not None or options.save is not None
    if not of_a_family and find_scenario(options.scenario).suffix.lower() == ".json":
        for module in filter(None, (room.problems for room in ROOMS.values())):
            if (problems := import_module(module).problems_in(options.scenario)) is not None:
                answers: Report = import_module(module).solved(options, problems)
                return answers
    system = "reservation" if of_a_family else load_scenario(options.scenario).system
    report: Report = kind_named(system).part("cli.bounds").solved(options)
    return report
