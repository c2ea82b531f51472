"""The built-in lessons as tests read them: a step's text, and the run that stands at its moment."""

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

#: The seeds on which a claim about all runs is tried.
SEEDS = (1, 2, 3, 11, 12, 13)


class Standing(NamedTuple):
    """A step, with its run at the moment of it."""

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
        """What is said of the sub-step just taken, or of the event."""
        frame = next((lane for lane in self.lanes if lane.records), self.frame)
        narrator = frame.info.narrator
        return narrator.record(frame.records[-1]) if frame.records else narrator.row(frame.rows[-1])

    def says(self, *what: object) -> None:
        """The text has these numbers or words, one after the other."""
        place = 0
        for one in map(str, what):
            found = self.text.find(one, place)
            assert found >= 0, f"'{one}' is not said after '{self.text[:place]}'"
            place = found + len(one)


@cache
def opened(origins: tuple[Origin, ...]) -> Run:
    """A run, the same for all steps that it has."""
    return StepPlace(origins, Moment((0,))).open()


def standing(name: str, number: int) -> Standing:
    """Step *number*, from 1, of a lesson."""
    path = lesson_files()[name]
    step = load_lesson(path).steps[number - 1]
    place = step.place(path.parent)
    run = opened(place.origins)
    assert stand_at(run, place.moment) is None
    assert all(lane.timeline.event in place.moment.events for lane in lanes_of(run))
    return Standing(" ".join(step.text.split()), run, run.frame())


Claim = Callable[[Standing], None]

#: What is claimed at which steps of which lessons.
CLAIMS: dict[tuple[str, int], Claim] = {}


def claims(name: str, number: int) -> Callable[[Claim], Claim]:
    """Say that a function tests all that step *number* of a lesson says."""

    def keep(claim: Claim) -> Claim:
        assert (name, number) not in CLAIMS
        CLAIMS[name, number] = claim
        return claim

    return keep


#: Words of a step's text, and what must be true for them to be.
Told = Mapping[str, Callable[[Standing], object]]


def cited(_: Standing) -> bool:
    """The words name a place in a paper, and claim nothing of a run."""
    return True


def tells(name: str, number: int, told: Told) -> None:
    """Say of a step, for its words one after the other, what must be true; no number in its text is left out."""

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
    """What `slotscope bounds` answers."""
    return solved(parse(["bounds", scenario])).data
