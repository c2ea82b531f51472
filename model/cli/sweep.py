"""``slotscope sweep``: runs a scenario for every combination of parameters and policies."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Iterator

from slotscope.model.cli.experiments import carry_out
from slotscope.model.cli.guard import note
from slotscope.model.cli.output import shown, table
from slotscope.model.cli.parser import MOST_SEED, UsageError
from slotscope.model.errors import UserError
from slotscope.model.kinds.spec import KINDS, kind_named
from slotscope.model.lab.results import Draw, Result, Row
from slotscope.model.lab.sweep import GAIN, OVER, Sweep, axis
from slotscope.model.scenario.load import load_scenario
from slotscope.model.traces.excerpts import excerpt_for


def execute(options: argparse.Namespace, draw: Draw) -> int:
    """Run the sweep, write its files and print its table; *draw* makes the pictures."""
    return carry_out(options, _name(options), sweep_of(options), _text, draw)


def sweep_of(options: argparse.Namespace) -> Sweep:
    """The sweep of a command line. Raises UserError if any of its values cannot be used."""
    if not options.vary and not options.policy:
        raise UsageError("found neither --vary nor --policy, allowed: at least one of them", where="sweep")
    scenario = load_scenario(options.scenario)
    if options.trace and scenario.workload.kind != "trace":
        raise UserError(
            f"found the workload '{scenario.workload.kind}', allowed: a scenario whose workload "
            "is a trace, such as dra-google",
            where="--trace",
        )
    trace = tuple(options.trace) or getattr(scenario.workload, "paths", ())
    excerpt = None if trace else excerpt_for(scenario)
    if excerpt is not None:
        note(excerpt.note)
        scenario, trace = excerpt.fitted(scenario), (str(excerpt.path),)
    seed = scenario.seed if options.seed is None else options.seed
    if seed + options.replications - 1 > MOST_SEED:
        raise UsageError(
            f"found {seed} with {options.replications} replications, allowed: a last seed of at most {MOST_SEED}",
            where="--seed",
        )
    return Sweep(
        _name(options),
        scenario,
        tuple(map(axis, options.vary)),
        tuple(options.policy),
        seed,
        options.replications,
        options.until,
        options.warmup,
        trace,
    )


def _name(options: argparse.Namespace) -> str:
    return f"sweep-{Path(options.scenario).stem}"


def _text(result: Result) -> str:
    """The table of results, with a line for each combination."""
    lines: dict[tuple[tuple[str, str | int | float], ...], dict[str, Row]] = {}
    for row in result.rows:
        at = tuple((path, value) for path, value in row.at.items() if path != OVER)
        lines.setdefault(at, {})[row.what] = row
    paths = list(dict.fromkeys(path for at in lines for path, _ in at))
    known = {name for found in lines.values() for name in found}
    printed = [name for name in _measures() if name in known]
    header = [*paths, *(cell for name in printed for cell in (name, "+/-"))]
    cells = []
    for at, found in lines.items():
        measures = [found.get(name) for name in printed]
        cells.append(
            [*(str(dict(at).get(path, "")) for path in paths), *(text for row in measures for text in _pair(row))]
        )
    return table(header, cells, right=len(paths))


def _measures() -> Iterator[str]:
    """The names of the measures that the table may have: those that kinds of system show in comparisons."""
    for kind in map(kind_named, KINDS):
        for measure in kind.measures:
            yield measure.name
            yield measure.name + GAIN


def _pair(row: Row | None) -> tuple[str, str]:
    if row is None:
        return "-", "-"
    return shown(row.ours, 5), shown(row.half_width, 2)
