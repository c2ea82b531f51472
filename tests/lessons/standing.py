"""The built-in lessons for tests: a step's text, and its run at the step's moment."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Callable, Mapping, NamedTuple

from slotscope.model.api import Session
from slotscope.model.cli.arguments import parse
from slotscope.model.cli.bounds import solved
from slotscope.model.comparison.runs import Run, lanes_of, stand_at
from slotscope.model.lab.runs import StraightRun
from slotscope.model.lessons.files import lesson_files, load_lesson
from slotscope.model.lessons.lesson import StepPlace
from slotscope.model.measures.metrics import estimates
from slotscope.model.reporting.frame import Frame
from slotscope.model.running.origin import Moment, Origin

#: The seeds on which claims about all runs are checked.
SEEDS = (1, 2, 3, 11, 12, 13)


class Standing(NamedTuple):
    """A step's text, with its run at the step's moment."""

    text: str
    run: Run
    frame: Frame

    @property
    def lanes(self) -> tuple[Frame, ...]:
        return self.frame.lanes

    @property
    def state(self) -> Any:
        return self.frame.state

    @property
    def numbers(self) -> Any:
        return self.frame.info.numbers

    @property
    def scenario(self) -> Any:
        return self.frame.info.scenario

    @property
    def sentence(self) -> str:
        """The sentence of the last sub-step, or of the event."""
        frame = next((lane for lane in self.lanes if lane.records), self.frame)
        narrator = frame.info.narrator
        return narrator.record(frame.records[-1]) if frame.records else narrator.row(frame.rows[-1])

    def says(self, *what: object) -> None:
        """Check that the text has these numbers or words, in this order."""
        place = 0
        for one in map(str, what):
            found = self.text.find(one, place)
            assert found >= 0, f"'{one}' is not said after '{self.text[:place]}'"
            place = found + len(one)


@cache
def opened(origins: tuple[Origin, ...]) -> Run:
    """A run, shared by all its steps."""
    return StepPlace(origins, Moment((0,))).open()


def standing(name: str, number: int) -> Standing:
    """Step *number*, from 1, of a lesson, with its run at the step's moment."""
    path = lesson_files()[name]
    step = load_lesson(path).steps[number - 1]
    place = step.place(path.parent)
    run = opened(place.origins)
    assert stand_at(run, place.moment) is None
    assert all(lane.timeline.event in place.moment.events for lane in lanes_of(run))
    return Standing(" ".join(step.text.split()), run, run.frame())


Claim = Callable[[Standing], None]

#: The checks of what lessons claim, by lesson and step.
CLAIMS: dict[tuple[str, int], Claim] = {}


def claims(name: str, number: int) -> Callable[[Claim], Claim]:
    """Register a function as the check of everything that step *number* of a lesson claims."""

    def keep(claim: Claim) -> Claim:
        assert (name, number) not in CLAIMS
        CLAIMS[name, number] = claim
        return claim

    return keep


#: Words of a step's text, and the condition that makes them true.
Told = Mapping[str, Callable[[Standing], object]]


def cited(_: Standing) -> bool:
    """For words that cite a place in a paper and claim nothing about a run."""
    return True


def tells(name: str, number: int, told: Told) -> None:
    """Register checks for the words of a step, in order; every number in its text must be covered."""

    def check(at: Standing) -> None:
        rest = at.text
        for words, so in told.items():
            before, found, rest = rest.partition(words)
            assert found, f"'{words}' is not said, or not after what stands before it here"
            assert not re.search(r"\d", before), f"nobody has checked '{before}'"
            assert so(at), f"'{words}' is not so"
        assert not re.search(r"\d", rest), f"nobody has checked '{rest}'"

    claims(name, number)(check)


@cache
def mean(scenario: str, policy: str, seed: int, measure: str, until: float, warmup: float) -> float:
    """The mean of a measure over a stretch of a run."""
    return measured(scenario, policy, seed, until, warmup)[measure]


@cache
def measured(scenario: str, policy: str, seed: int, until: float, warmup: float) -> dict[str, float]:
    """The means of all measures over a stretch of a run."""
    bench = Session.open(scenario, policy, seed).bench
    batches = bench.kind.run_batches(bench.numbers, StraightRun(bench).to, warmup, until)
    return {name: float(one.mean) for name, one in estimates(batches).items()}


@cache
def ended(scenario: str, policy: str, seed: int, until: float) -> Any:
    """The state of a run at a time."""
    return StraightRun(Session.open(scenario, policy, seed).bench).to(until)


@cache
def bounds(scenario: str) -> Any:
    """The data of `slotscope bounds`."""
    return solved(parse(["bounds", scenario])).data
