"""The schema of a lesson: a title, a summary, and steps, each of them a moment of a run with a text.

:class:`StepPlace` is the moment of a step, and opens its run.
"""

from __future__ import annotations

import argparse
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Collection, Iterator, Sequence

from pydantic import AfterValidator, Field

from slotscope.model.api import Session
from slotscope.model.cli.arguments import parse
from slotscope.model.comparison.comparison import Comparison
from slotscope.model.comparison.runs import Run, lanes_of
from slotscope.model.errors import UserError
from slotscope.model.exercises.posing import no_such_policy
from slotscope.model.exercises.question import QuizQuestion
from slotscope.model.forks.changes import Course
from slotscope.model.lessons.marks import Mark
from slotscope.model.phrase import Phrase
from slotscope.model.policies import is_file, source_of
from slotscope.model.policies.choice import policy_choice
from slotscope.model.reporting.frame import Frame
from slotscope.model.reporting.inspection import JOB, SERVER, Thing
from slotscope.model.running.origin import Moment, Origin, file_beside, opening_line, policy_beside
from slotscope.model.scenario.fields import Name, Section


@dataclass(frozen=True)
class StepPlace:
    """The moment of a step, with paths resolved from the folder of the lesson file."""

    origins: tuple[Origin, ...]  #: one for each lane
    moment: Moment

    def is_of(self, run: Run) -> bool:
        """Whether *run* has these origins, and was not changed since it was opened."""
        return self.origins == tuple(lane.origin for lane in lanes_of(run))

    @property
    def line(self) -> str:
        """The command that opens the moment."""
        return opening_line(self.origins, self.moment)

    def open(self, kernel: bool = True) -> Run:
        """Open a run that contains the moment; it stands at its start.

        Raises UserError if there is no such scenario, policy or trace, or a policy file is not allowed to run.
        """
        self.check_files()
        first, *others = self.origins
        if not others:
            return Session.open(first.source, first.policy, first.seed, first.trace, kernel)
        policies = [one.policy for one in self.origins]
        return Comparison.open(first.source, policies, first.seed, first.trace, kernel)

    def check_files(self) -> None:
        """Refuse policy files that the user has not allowed, since a lesson may come from anywhere.

        Raises PolicyError if there is no such file, or it is not allowed.
        """
        from slotscope.model.policies.own.file import read_policy  # few lessons need it
        from slotscope.model.policies.own.trust import check_allowed

        for origin in self.origins:
            course = Course.read(origin.policy)
            for text in (course.policy, *(change.policy for change in course.changes)):
                if text and is_file(name := policy_choice(text).name):
                    check_allowed(name, read_policy(source_of(name)[0]))


#: The text form of a thing to outline: servers are counted from 1 as in the window, jobs go by their numbers.
_THING = re.compile(rf"(?P<what>{SERVER}|{JOB}) (?P<number>[0-9]{{1,9}})")


def _read(text: str) -> argparse.Namespace:
    """The options of a command that opens a moment, as the window copies it."""
    allowed = "the line that 'Copy the line that opens this moment' copies"
    try:
        words = shlex.split(text)
        options = parse(words[1:])
    except UserError as error:
        raise ValueError(f"{allowed} ({error.line})") from None
    except ValueError:
        raise ValueError(f"{allowed}, with its quotes in pairs") from None
    whole = options.command == "window" and options.policies and None not in (options.seed, options.event)
    if words[:1] != ["slotscope"] or not whole:
        raise ValueError(f"{allowed}: slotscope SCENARIO --policy P --seed S --event N")
    return options


def _line(value: str) -> str:
    _read(value)
    return value


def _thing(value: str) -> str:
    if _THING.fullmatch(value) is None:
        raise ValueError("'server N' or 'job N'")
    return value


def _one_of_each(value: tuple[str, ...]) -> tuple[str, ...]:
    if len({thing.split()[0] for thing in value}) < len(value):
        raise ValueError("one server, one job, or one of each")
    return value


MomentLine = Annotated[str, AfterValidator(_line)]
Outlined = Annotated[str, AfterValidator(_thing)]


class Step(Section):
    """A moment, the text about it, and how the window shows it.

    ``panels`` are brought to the front, ``width`` is the share of the window for the panels beside the servers, and
    ``outline`` names a server, a job or both.  ``policy`` is the number of the lane, from 1, in whose picture the
    server is outlined, and whose decision the ``question`` is about.  ``marks`` are drawn on the pictures.
    """

    moment: MomentLine
    text: str = Field(min_length=1, max_length=1000)
    panels: tuple[Name, ...] = Field(default=(), max_length=6)
    width: float | None = Field(default=None, ge=0.2, le=0.7)
    outline: Annotated[tuple[Outlined, ...], AfterValidator(_one_of_each)] = Field(default=(), max_length=2)
    policy: int = Field(default=1, ge=1, le=3)
    question: QuizQuestion | None = None
    marks: tuple[Mark, ...] = Field(default=(), max_length=100)

    def place(self, folder: Path) -> StepPlace:
        """The moment of the step, for a lesson file in *folder*."""
        options = _read(self.moment)
        trace = tuple(file_beside(path, folder) for path in options.trace)
        source = file_beside(options.scenario, folder)
        policies = [policy_beside(policy, folder) for policy in options.policies]
        return StepPlace(tuple(Origin(source, one, options.seed, trace) for one in policies), options.event)

    def outlined(self, what: str) -> int | None:
        """The number of the server (from 0) or of the job to outline; None if there is none."""
        found = (match for text in self.outline if (match := _THING.fullmatch(text)) and match["what"] == what)
        return next((int(match["number"]) - (what == SERVER) for match in found), None)


class Lesson(Section):
    """A lesson: ``learn`` is a sentence about what one learns."""

    title: str = Field(min_length=1, max_length=90)
    learn: str = Field(min_length=1, max_length=200)
    steps: tuple[Step, ...] = Field(min_length=1, max_length=100)


def not_there(step: Step, panels: Collection[str], lanes: Sequence[Frame]) -> Iterator[UserError]:
    """The errors of a step: for each panel not in *panels*, policy that does not run, and absent thing to outline.

    *lanes* are the frames of all lanes at the step's moment.
    """
    named = [*(("panels", name) for name in step.panels), *(("marks", mark.panel) for mark in step.marks)]
    for where, name in named:
        if name not in panels:
            said = Phrase("found '{answer}', allowed: {allowed}", answer=name, allowed=", ".join(sorted(panels)))
            yield UserError(said, where=where)
    for where, policy in (("policy", step.policy), *(("marks", mark.policy) for mark in step.marks)):
        if policy > len(lanes):
            yield no_such_policy(policy, len(lanes), where)
    frame = lanes[min(step.policy, len(lanes)) - 1]
    for what, first in ((SERVER, 1), (JOB, 0)):
        number = step.outlined(what)
        if number is None:
            continue
        if absent := frame.info.kind.inspector.describe(frame, Thing(what, number)).absent:
            thing = f"{what} {number + first}"
            said = Phrase("found '{thing}', allowed: one that is there. {absent}", thing=thing, absent=absent)
            yield UserError(said, where="outline")
