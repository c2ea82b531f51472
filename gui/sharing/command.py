"""What the exporting commands (film, export-html, handout) share; and ``slotscope handout``."""

from __future__ import annotations

import argparse
import pickle
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any, Callable

from slotscope.gui.running.searches import look_at
from slotscope.gui.sharing.handout import save_handout
from slotscope.model.cli.output import print_json, progress_of, stoppable
from slotscope.model.comparison.file import load_run
from slotscope.model.comparison.runs import Run, open_run
from slotscope.model.errors import UserError
from slotscope.model.footage.footage import Place, stand
from slotscope.model.kinds.spec import kind_named
from slotscope.model.lessons.files import marks_of
from slotscope.model.phrase import Phrase
from slotscope.model.reporting.frame import Frame
from slotscope.model.running.origin import Moment
from slotscope.model.running.timeline import AT_HAND
from slotscope.model.session.archive import SESSION_SUFFIX

Tell = Callable[[float], None]


def carry_out(options: argparse.Namespace, subject: str, make: Callable[[Tell], dict[str, Any]]) -> int:
    """Carry out an exporting command and print the file's name; returns the exit code.

    *make* gets a function that reports the share done, and returns the fields that --json prints at the end.
    """
    with progress_of(f"{options.command} {subject}", quiet=options.json) as progress:
        wishes: list[int] = []

        def tell(done: float) -> None:
            progress(done, 1.0)
            if options.json:
                _print({"done": done})
            if wishes:
                raise KeyboardInterrupt

        def say(doing: str) -> None:
            if options.json:
                _print({"doing": doing} | _as_phrase(doing))
            else:
                progress.say(doing)

        try:
            with stoppable(say, wishes, "Esc" if options.json else "Ctrl+C"):
                made = make(tell)
        except UserError as error:
            if options.json:
                _print({"fault": error.line, "where": error.where} | _as_phrase(error.words))
            raise
    if options.json:
        print_json({"file": str(options.out), **made})
    else:
        print(options.out)
    return 0


def _as_phrase(said: str) -> dict[str, Any]:
    """The packed phrase, from which the window builds the message in its own language."""
    return {"phrase": said.packed()} if isinstance(said, Phrase) else {}


def _print(line: dict[str, Any]) -> None:
    print_json(line)
    sys.stdout.flush()


def run_of(options: argparse.Namespace, end: Place) -> Run:
    """The run that a command line names, of a scenario or a session file, before it is moved to *end*.

    It is compiled only if *end* is far away, since the first compilation on a machine takes a minute.
    """
    near = isinstance(end, Moment) and max(end.events) <= AT_HAND
    if options.scenario.endswith(SESSION_SUFFIX):
        return load_run(Path(options.scenario), kernel=not near)
    return open_run(options.scenario, options.policies, options.seed, tuple(options.trace), kernel=not near)


def bounds_of(run: Run) -> Any:
    """The bounds of the run's scenario, for panels that show them."""
    return _solved(pickle.dumps(run.info.scenario))


@lru_cache(maxsize=8)
def _solved(scenario: bytes) -> Any:
    """Solve once for all steps of a lesson; the programs of JRS and of moldable jobs take seconds."""
    read = pickle.loads(scenario)
    *_, bounds = kind_named(read.system).all_bounds(read)
    return bounds


def execute(options: argparse.Namespace) -> int:
    """Save all panels at the moment that the command line names."""
    marks = marks_of(options.marks)

    def make(tell: Tell) -> dict[str, Any]:
        return {"panels": save_handout(_frame(options), options.out, options.theme, tell, marks, options.without)}

    return carry_out(options, options.scenario, make)


def _frame(options: argparse.Namespace) -> Frame:
    run = run_of(options, options.start)
    if said := stand(run, options.start):
        raise UserError(said, where="--event")
    look_at(run)
    return run.frame(bounds=bounds_of(run))
