"""``slotscope bounds``: what bounds a scenario's measures, by its kind of system."""

from __future__ import annotations

import argparse
from importlib import import_module

from model.cli.bounds_problems import execute as print_solutions
from model.cli.bounds_problems import problems_in
from model.scenario.load import load_scenario
from model.systems.kinds import kind_named


def execute(options: argparse.Namespace) -> int:
    """Solve and print, as the scenario's kind of system does."""
    # A family of scenarios is the loss system's, which also refuses it for other scenarios.
    of_a_family = options.appendix_c is not None or options.save is not None
    problems = None if of_a_family else problems_in(options.scenario)
    if problems is not None:
        return print_solutions(options, problems)
    system = "reservation" if of_a_family else load_scenario(options.scenario).system
    code: int = import_module(kind_named(system).bounds_command).execute(options)
    return code
