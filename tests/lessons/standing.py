"""The built-in lessons as tests read them: a step's text, and the run that stands at its moment."""

from __future__ import annotations

from functools import cache
from typing import Any, Callable, NamedTuple

from slotscope.model.api import Session
from slotscope.model.comparison.comparison import Run, lanes_of, stand_at
from slotscope.model.frame import Frame
from slotscope.model.lessons.files import lesson_files, load_lesson
from slotscope.model.lessons.place import StepPlace
from slotscope.model.origin import Moment, Origin

#: The seeds on which a claim about all runs is tried.
SEEDS = (1, 2, 3)


class Standing(NamedTuple):
    """A step, with its run at the moment of it."""

    text: str
    run: Run
    frame: Frame

    @property
    def lanes(self) -> tuple[Frame, ...]:
        return self.frame.lanes

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


@cache
def mean(scenario: str, policy: str, seed: int, measure: str, until: float, warmup: float) -> float:
    """The mean of a measure over a stretch of a run."""
    session = Session.open(scenario, policy, seed)
    found: Any = session.measure(until=until, warmup=warmup)[measure]
    return float(found.mean)
