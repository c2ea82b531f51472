"""``slotscope run``: measures of a scenario, without drawing; several policies side by side."""

from __future__ import annotations

import argparse

from slotscope.model.cli.compare import Compared, compare, measures_table
from slotscope.model.cli.golden import check, read_golden
from slotscope.model.cli.measuring import Measured, measure
from slotscope.model.cli.output import Report, progress_of


def execute(options: argparse.Namespace) -> int:
    """Run, measure, print, write a table where one is wanted, and compare with a stored result where one is given."""
    stored = read_golden(options.check) if options.check else {}
    with progress_of(f"run {options.scenario}", quiet=options.json) as progress:
        several = len(options.policies) > 1
        found: Measured | Compared = compare(options, progress) if several else measure(options, progress)
    timing = options.seed is None if options.timing is None else options.timing
    data = found.as_dict(timing=timing)
    Report(data, lambda: found.text(timing=timing)).print(as_json=options.json)
    if options.to is not None:
        table = found.table if isinstance(found, Compared) else measures_table([found])
        table.write(options.to)
    return check(options.check, stored, data, options.check_by or "") if options.check else 0
