"""What is wrong with a lesson whose file is sound: moments that there are not, panels and things that nobody has."""

from __future__ import annotations

from pathlib import Path
from typing import Callable, Collection, Iterator

from slotscope.model.comparison.comparison import Run, stand_at
from slotscope.model.errors import UserError
from slotscope.model.exercises.posing import pose
from slotscope.model.lessons.lesson import Lesson, Step
from slotscope.model.reporting.inspection import SERVER, Thing

#: The names of the panels of a kind of system.
PanelsOf = Callable[[str], Collection[str]]


def faults_of(lesson: Lesson, path: Path, panels_of: PanelsOf) -> Iterator[str]:
    """A line for each step, of a lesson in the file *path*, that the window could not show as it is meant."""
    for number, step in enumerate(lesson.steps):
        try:
            _check(step, path.parent, panels_of)
        except UserError as error:
            yield f"{path}: steps[{number}]: {error.line}"


def _check(step: Step, folder: Path, panels_of: PanelsOf) -> None:
    """Stand at the moment of a step.

    Raises
    ------
    UserError
        If it is not there, or what the step wants to show.
    """
    place = step.place(folder)
    run = place.open()
    if said := stand_at(run, place.moment):
        raise UserError(said, where="moment")
    known = panels_of(run.info.system)
    named = [*(("panels", name) for name in step.panels), *(("marks", mark.panel) for mark in step.marks)]
    for where, name in named:
        if name not in known:
            raise UserError(f"found '{name}', allowed: {', '.join(sorted(known))}", where=where)
    _check_outlined(step, run)
    if step.question is not None:
        pose(run, step.question, step.policy - 1)


def _check_outlined(step: Step, run: Run) -> None:
    lanes, server = run.frame().lanes, step.outlined(SERVER)
    for where, policy in (("policy", step.policy), *(("marks", mark.policy) for mark in step.marks)):
        if policy > len(lanes):
            raise UserError(f"found {policy}, allowed: from 1 to {len(lanes)}, as many as run here", where=where)
    frame = lanes[step.policy - 1]
    if server is not None and (absent := frame.info.kind.inspector.describe(frame, Thing(SERVER, server)).absent):
        raise UserError(f"found 'server {server + 1}', allowed: one that is there. {absent}", where="outline")
