"""``slotscope film``: films a stretch of a run without a display."""

from __future__ import annotations

import argparse
from pathlib import Path

from slotscope.gui.film.shooting import Looks, shoot
from slotscope.model.cli.checking import SESSION_SUFFIX
from slotscope.model.cli.output import print_json, progress_of
from slotscope.model.comparison.comparison import Run, open_run
from slotscope.model.comparison.file import load_run
from slotscope.model.footage.footage import Footage, usual_by


def execute(options: argparse.Namespace) -> int:
    """Film what the command line names."""
    footage = Footage(options.start, options.end, options.by or usual_by(options.start, options.end))
    looks = Looks(tuple(options.panel), options.size, options.theme, options.pace)
    with progress_of(f"film {options.scenario}", quiet=options.json) as progress:

        def tell(done: float) -> None:
            progress(done, 1.0)
            if options.json:
                print_json({"done": done})

        count = shoot(run_of(options), footage, looks, options.out, tell)
    if options.json:
        print_json({"file": str(options.out), "moments": count})
    else:
        print(options.out)
    return 0


def run_of(options: argparse.Namespace) -> Run:
    """The run that a command line names: a scenario's, or a saved one."""
    if options.scenario.endswith(SESSION_SUFFIX):
        return load_run(Path(options.scenario))
    return open_run(options.scenario, options.policies, options.seed, tuple(options.trace))
