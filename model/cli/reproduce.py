"""``slotscope reproduce``: a figure of a paper, its data, and the paper's numbers beside ours."""

from __future__ import annotations

import argparse

from slotscope.model.cli.experiments import carry_out
from slotscope.model.cli.guard import note
from slotscope.model.cli.output import shown, table
from slotscope.model.errors import UserError
from slotscope.model.lab import check_beside, experiment_module, experiment_name, experiments
from slotscope.model.lab.plan import Options
from slotscope.model.lab.results import Draw, Result, Row
from slotscope.model.traces.excerpts import FOR_EXPERIMENTS


def execute(options: argparse.Namespace, draw: Draw) -> int:
    """Run the experiment, write its files and print its numbers; *draw* makes the pictures."""
    name = experiment_name(options.experiment)
    if options.trace and not experiments()[name].needs_trace:
        with_trace = [known for known, item in experiments().items() if item.needs_trace]
        raise UserError(f"{name} runs on no trace; allowed: {', '.join(with_trace)}", where="--trace")
    if experiments()[name].needs_trace and not options.trace:
        note(FOR_EXPERIMENTS.note)
        options.trace = [str(FOR_EXPERIMENTS.path)]
    check_beside(name, options.policy)
    told = Options(tuple(options.trace), tuple(options.policy))
    return carry_out(options, name, experiment_module(name), _text, draw, options.scale, told)


def _text(result: Result) -> str:
    about = experiments()[result.experiment]
    header = ("what", "at", "paper", "ours", "+/- (95 %)", "exact")
    return f"{about.title}\n{about.paper}\n\n" + table(header, [_cells(row) for row in result.rows], right=2)


def _cells(row: Row) -> tuple[str, ...]:
    at = ", ".join(f"{name} = {value}" for name, value in row.at.items())
    return (row.what, at, shown(row.paper), shown(row.ours, 5), shown(row.half_width, 2), row.exact)
