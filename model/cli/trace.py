"""``slotscope trace``: prints every event of a run, as JSON lines or as sentences."""

from __future__ import annotations

import argparse
import math
import sys
from itertools import count
from typing import Any, Iterable, Iterator, TypeVar

from slotscope.model.api import Session
from slotscope.model.cli.output import Progress, print_json, progress_of, shown
from slotscope.model.errors import PolicyError
from slotscope.model.running.engine import EventRun
from slotscope.model.scenario.load import load_scenarios

#: The number of events by default, for a workload without end.
EVENTS = 100

_Event = TypeVar("_Event")


def execute(options: argparse.Namespace) -> int:
    """Print the events of a run of the reference."""
    several = load_scenarios(options.scenario)
    opened: list[Any] = several if len(several) > 1 else [options.scenario]
    # On a terminal the events themselves show the progress.
    with progress_of(f"trace {options.scenario}", quiet=sys.stdout.isatty()) as progress:
        for scenario in opened:
            session = Session.open(scenario, options.policy, options.seed, tuple(options.trace), kernel=False)
            if session.bench.runs is not session.bench.system:
                raise PolicyError(f"found the fork '{options.policy}', allowed: a policy from the start to the end")
            _print_run(session, options, progress)
    return 0


def _print_run(session: Session, options: argparse.Namespace, progress: Progress) -> None:
    scripted = session.info.scenario.workload.kind == "scripted"
    most = math.inf if scripted else EVENTS
    if options.events is not None:
        most = options.events
    if options.json:
        lines = session.bench.kind.trace_lines(session.bench.system, most)
        for line in _counted(lines, most, progress):
            print_json(line)
    else:
        _print_sentences(session, most, progress)


def _counted(found: Iterable[_Event], most: float, progress: Progress) -> Iterator[_Event]:
    """The items of *found*, about *most* of them, with progress reports."""
    for done, one in enumerate(found, 1):
        if most < math.inf:
            progress(min(done, most), most)
        yield one


def _print_sentences(session: Session, most: float, progress: Progress) -> None:
    info = session.info
    unit = f", time in {info.time_unit}" if info.time_unit else ""
    print(f"{info.scenario_name} under {info.policy_name}, seed {info.seed}{unit}")
    system = session.bench.system
    state = system.raw_state()
    for record in system.start(state):
        if record.kind in {"reassign", "classify"}:
            print(f"{0:>6}  {'start':>10}  {info.narrator.record(record)}")
    for run in _counted(_events(session, state, most), most, progress):
        row = run.row[0]
        print(f"{row['event']:>6}  {shown(run.event.time):>10}  {info.narrator.row(row)}")


def _events(session: Session, state: Any, most: float) -> Iterator[EventRun]:
    system = session.bench.system
    for position in count():
        if position >= most or system.next_event(state) is None:
            return
        run = EventRun(system, state)
        run.finish()
        state = run.state
        yield run
