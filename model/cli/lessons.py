"""``slotscope lessons``: the lessons that there are, and checking files of one's own."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Callable, Collection, Iterator

from slotscope.model.cli.guard import BAD_INPUT, note
from slotscope.model.cli.output import print_json, progress_of, table
from slotscope.model.cli.parser import UsageError
from slotscope.model.comparison.runs import Run, stand_at
from slotscope.model.errors import UserError
from slotscope.model.exercises.posing import pose
from slotscope.model.lessons.files import find_lesson, lesson_files, load_lesson
from slotscope.model.lessons.lesson import Lesson, Step
from slotscope.model.reporting.frame import Frame
from slotscope.model.reporting.inspection import JOB, SERVER, Thing
from slotscope.model.scenario.validation import ValidationFaultError

#: The names of the panels of a kind of system.
PanelsOf = Callable[[str], Collection[str]]


def faults_of(lesson: Lesson, path: Path, panels_of: PanelsOf) -> Iterator[str]:
    """A line for each thing in a lesson, of the file *path*, that the window could not show as it is meant."""
    for number, step in enumerate(lesson.steps):
        for fault in _faults_at(step, path.parent, panels_of):
            yield f"{path}: steps[{number}]: {fault.line}"


def _faults_at(step: Step, folder: Path, panels_of: PanelsOf) -> Iterator[UserError]:
    """What is wrong with a step: its moment, or else all that it wants to show there."""
    try:
        place = step.place(folder)
        run = place.open()
        if said := stand_at(run, place.moment):
            yield UserError(said, where="moment")
            return
    except UserError as error:
        yield error
        return
    known = panels_of(run.info.system)
    named = [*(("panels", name) for name in step.panels), *(("marks", mark.panel) for mark in step.marks)]
    for where, name in named:
        if name not in known:
            yield UserError(f"found '{name}', allowed: {', '.join(sorted(known))}", where=where)
    lanes = run.frame().lanes
    for where, policy in (("policy", step.policy), *(("marks", mark.policy) for mark in step.marks)):
        if policy > len(lanes):
            yield UserError(f"found {policy}, allowed: from 1 to {len(lanes)}, as many as run here", where=where)
    lane = min(step.policy, len(lanes)) - 1
    yield from _absent(step, lanes[lane])
    yield from _unasked(step, run, lane)


def _absent(step: Step, frame: Frame) -> Iterator[UserError]:
    """What is to be outlined and is not there."""
    for what, first in ((SERVER, 1), (JOB, 0)):
        number = step.outlined(what)
        if number is None:
            continue
        if absent := frame.info.kind.inspector.describe(frame, Thing(what, number)).absent:
            found = f"found '{what} {number + first}', allowed: one that is there. {absent}"
            yield UserError(found, where="outline")


def _unasked(step: Step, run: Run, lane: int) -> Iterator[UserError]:
    """Why its question cannot be asked, where it has one."""
    if step.question is None:
        return
    try:
        pose(run, step.question, lane)
    except UserError as error:
        yield error


def execute(options: argparse.Namespace, panels_of: PanelsOf) -> int:
    """List the lessons, or check files; a step's panels are those of its kind of system."""
    if options.action is None:
        return _listed(options)
    if not options.files:
        raise UsageError("found no file, allowed: the names or paths of lessons", where="lessons check")
    checked = [_checked(name, panels_of, options.json) for name in options.files]
    if options.json:
        print_json({"lessons": checked})
    return BAD_INPUT if any(one["faults"] for one in checked) else 0


def _checked(name: str, panels_of: PanelsOf, quiet: bool) -> dict[str, object]:
    """What is found in a lesson; each fault is said on stderr."""
    steps = 0
    with progress_of(f"lessons check {name}", quiet=quiet):
        try:
            path = find_lesson(name)
            lesson = load_lesson(path)
            steps, faults = len(lesson.steps), list(faults_of(lesson, path, panels_of))
        except ValidationFaultError as error:
            faults = [UserError(one.message, where=one.where).line for one in error.problems]
        except UserError as error:
            faults = [error.line]
    for line in faults:
        note(line)
    if not (faults or quiet):
        print(f"{name}: {steps} {'step' if steps == 1 else 'steps'}, all of them can be shown")
    return {"name": name, "steps": steps, "faults": faults}


def _listed(options: argparse.Namespace) -> int:
    lessons = {name: load_lesson(path) for name, path in lesson_files().items()}
    if options.json:
        entries = [
            {"name": name, "title": one.title, "learn": one.learn, "steps": len(one.steps)}
            for name, one in lessons.items()
        ]
        print_json({"lessons": entries})
        return 0
    rows = [(name, str(len(one.steps)), one.title) for name, one in lessons.items()]
    print(table(("lesson", "steps", "title"), rows, right=3))
    return 0
