"""``slotscope lessons``: lists the built-in lessons, and checks lesson files."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Callable, Collection, Iterator, Mapping

from slotscope.model.cli.guard import BAD_INPUT, note
from slotscope.model.cli.output import print_json, progress_of, table
from slotscope.model.cli.parser import UsageError
from slotscope.model.comparison.runs import stand_at
from slotscope.model.errors import UserError
from slotscope.model.exercises.posing import pose
from slotscope.model.lessons.files import find_lesson, lesson_files, load_lesson, sound_steps
from slotscope.model.lessons.lesson import Step, not_there
from slotscope.model.scenario.validation import ValidationFaultError

#: The names of the panels of a kind of system.
PanelsOf = Callable[[str], Collection[str]]


def faults_of(steps: Mapping[int, Step], path: Path, panels_of: PanelsOf) -> Iterator[str]:
    """A line for each fault in *steps* of a lesson, given by their numbers, that the window could not show as intended.

    *path* is the lesson's file.
    """
    for number, step in steps.items():
        for fault in _faults_at(step, path.parent, panels_of):
            yield f"{path}: steps[{number}]: {fault.line}"


def _faults_at(step: Step, folder: Path, panels_of: PanelsOf) -> Iterator[UserError]:
    """The faults of a step: that of its moment, or else those of everything to show there."""
    try:
        place = step.place(folder)
        run = place.open()
        if said := stand_at(run, place.moment):
            yield UserError(said, where="moment")
            return
    except UserError as error:
        yield error
        return
    yield from not_there(step, panels_of(run.info.system), run.frame().lanes)
    if step.question is not None:
        try:
            pose(run, step.question, step.policy - 1)
        except UserError as error:
            if error.where != "policy":  # this fault was reported already
                yield error


def execute(options: argparse.Namespace, panels_of: PanelsOf) -> int:
    """List the lessons, or check files; *panels_of* gives the panels of a kind of system."""
    if options.action is None:
        return _listed(options)
    if not options.files:
        raise UsageError("found no file, allowed: the names or paths of lessons", where="lessons check")
    checked = [_checked(name, panels_of, options.json) for name in options.files]
    if options.json:
        print_json({"lessons": checked})
    return BAD_INPUT if any(one["faults"] for one in checked) else 0


def _checked(name: str, panels_of: PanelsOf, quiet: bool) -> dict[str, object]:
    """The result of checking a lesson; each fault is printed to stderr."""
    steps = 0
    with progress_of(f"lessons check {name}", quiet=quiet):
        try:
            path = find_lesson(name)
            lesson = load_lesson(path)
            steps, faults = len(lesson.steps), list(faults_of(dict(enumerate(lesson.steps)), path, panels_of))
        except ValidationFaultError as error:
            faults = [UserError(one.message, where=one.where).line for one in error.problems]
            faults += faults_of(sound_steps(path), path, panels_of)
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
