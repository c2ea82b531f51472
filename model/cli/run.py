"""``slotscope run``: measures of a scenario, without drawing."""

from __future__ import annotations

import argparse

from slotscope.model.cli.compare import execute_several
from slotscope.model.cli.measuring import measure
from slotscope.model.cli.output import print_json, progress_of


def execute(options: argparse.Namespace) -> int:
    """Run, measure and print; several policies side by side."""
    if len(options.policies) > 1:
        return execute_several(options)
    with progress_of(f"run {options.scenario}", quiet=options.json) as progress:
        measured = measure(options, progress)
    timing = options.seed is None if options.timing is None else options.timing
    if options.json:
        print_json(measured.as_dict(timing=timing))
    else:
        print(measured.text(timing=timing))
    return 0
