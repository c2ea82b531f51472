"""``slotscope export-html``: one file that plays a stretch of a run, or a lesson, in any browser."""

from __future__ import annotations

import argparse
from typing import Any

from slotscope.gui.page.lesson import lesson_data
from slotscope.gui.page.recording import Dressing, recorded
from slotscope.gui.page.writing import write_page
from slotscope.gui.sharing.command import Tell, carry_out, run_of
from slotscope.model.cli.parser import UsageError
from slotscope.model.footage.footage import Footage, usual_by
from slotscope.model.lessons.files import marks_of


def execute(options: argparse.Namespace) -> int:
    """Write the page that the command line names."""
    if (options.lesson is None) == (options.scenario is None):
        raise UsageError("found no scenario, or a lesson beside it; allowed: one of them", where="export-html")

    def make(tell: Tell) -> dict[str, Any]:
        write_page(_played(options, tell) if options.lesson is None else _lesson(options, tell), options.out)
        return {"bytes": options.out.stat().st_size}

    return carry_out(options, options.lesson or options.scenario, make)


def _lesson(options: argparse.Namespace, tell: Tell) -> dict[str, object]:
    if (options.start, options.end, options.by) != (None, None, None):
        raise UsageError("found --from, --to or --by, allowed: without --lesson", where="--lesson")
    if options.policies or options.trace or options.seed is not None or options.marks:
        raise UsageError("found --policy, --seed, --trace or --marks, allowed: without --lesson", where="--lesson")
    return lesson_data(options.lesson, options.step, options.panel, tell)


def _played(options: argparse.Namespace, tell: Tell) -> dict[str, object]:
    if options.step is not None:
        raise UsageError("found no lesson, allowed: with --lesson", where="--step")
    if None in (options.start, options.end):
        raise UsageError("found no --from or no --to, allowed: both", where="export-html")
    run = run_of(options, options.end)
    footage = Footage(options.start, options.end, options.by or usual_by(options.start, options.end))
    chapter = recorded(run, footage, Dressing(tuple(options.panel), marks=marks_of(options.marks)), tell)
    lanes = ", ".join(lane["label"] for lane in chapter["lanes"])
    return {"title": f"{chapter['scenario']}: {lanes}", "chapters": [{"text": "", **chapter}]}
