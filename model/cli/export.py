"""``slotscope export``: the events of a run, and samples of its state, as tables for other programs."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from pathlib import Path

from slotscope.model.api import Session
from slotscope.model.cli.output import print_json, progress_of
from slotscope.model.cli.parser import UsageError
from slotscope.model.questions.columns import events_table, samples_table
from slotscope.model.reporting.data_tables import TableWriter, table_file
from slotscope.model.running.engine import Task


def execute(options: argparse.Namespace) -> int:
    """Run, and write slice by slice, so that the tables are never in memory as a whole."""
    if options.to is None and options.samples is None:
        raise UsageError("found neither --to nor --samples, allowed: at least one of them with a file's name")
    with progress_of(f"export {options.scenario}", quiet=options.json) as progress, ExitStack() as files:
        session = Session.open(options.scenario, options.policy, options.seed, tuple(options.trace))
        words = session.info.words
        events, samples = (_opened(path, files) for path in (options.to, options.samples))
        line, counts = session.timeline, [0, 0]
        stride = options.every if samples else 0
        task = Task(stride=stride, explain=events is not None)
        for stretch in line.onwards(line.fork_at(line.event), line.event + options.events, task):
            if events and len(stretch.rows):
                events(events_table(words, stretch.rows))
            if samples and len(stretch.samples):
                samples(samples_table(words, stretch.samples))
            counts = [counts[0] + len(stretch.rows), counts[1] + (len(stretch.samples) if samples else 0)]
            progress(counts[0], options.events)
    info = session.info
    if options.json:
        print_json(
            {"scenario": info.scenario_name, "policy": info.origin.policy, "seed": info.seed}
            | {"events": counts[0], "samples": counts[1]}
            | {"files": [str(path) for path in (options.to, options.samples) if path]}
        )
        return 0
    for path, count, what in ((options.to, counts[0], "events"), (options.samples, counts[1], "samples")):
        if path:
            print(f"{path}: {count:,} {what} of {info.scenario_name} under {info.origin.policy}, seed {info.seed}")
    return 0


def _opened(path: Path | None, files: ExitStack) -> TableWriter | None:
    return None if path is None else files.enter_context(table_file(path))
