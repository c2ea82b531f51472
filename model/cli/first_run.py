"""The files of a first run without a display, besides the picture."""

from __future__ import annotations

import argparse
from pathlib import Path

from slotscope.model.cli.compare import compare
from slotscope.model.cli.measuring import measure
from slotscope.model.cli.output import progress_of
from slotscope.model.errors import ScenarioError
from slotscope.model.session.archive import SESSION_SUFFIX


def write_summary(options: argparse.Namespace, folder: Path) -> tuple[Path, float]:
    """Run the scenario as ``slotscope run`` does; returns the summary's path and the end time.

    Raises UserError if the scenario cannot be run or the folder cannot be written.
    """
    if options.scenario.endswith(SESSION_SUFFIX):
        raise ScenarioError("a saved session needs a display", where=options.scenario)
    path = folder / "summary.txt"
    folder.mkdir(parents=True, exist_ok=True)
    asked = {"until": None, "warmup": None, "replications": 1, "engine": None}
    with progress_of(f"run {options.scenario}") as progress:
        run = argparse.Namespace(**vars(options) | asked)
        several = len(options.policies) > 1
        measured = compare(run, progress) if several else measure(run, progress)
    path.write_text(f"{measured.text(timing=options.seed is None)}\n", encoding="utf-8")
    return path, measured.time
