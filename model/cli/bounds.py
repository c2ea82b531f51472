"""``slotscope bounds``: what bounds a scenario's measures, by its kind of system."""

from __future__ import annotations

import argparse
from importlib import import_module

from slotscope.model.kinds.rooms import ROOMS
from slotscope.model.kinds.spec import kind_named
from slotscope.model.scenario.load import load_scenario


def execute(options: argparse.Namespace) -> int:
    """Solve and print, as the scenario's kind of system does."""
    # A family of scenarios is the loss system's, which also refuses it for other scenarios.
    of_a_family = options.appendix_c is not None or options.save is not None
    if not of_a_family:
        for module in filter(None, (room.problems for room in ROOMS.values())):
            if (problems := import_module(module).problems_in(options.scenario)) is not None:
                solved: int = import_module(module).execute(options, problems)
                return solved
    system = "reservation" if of_a_family else load_scenario(options.scenario).system
    code: int = import_module(kind_named(system).bounds_command).execute(options)
    return code
