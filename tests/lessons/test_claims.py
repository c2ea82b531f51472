"""Every step of every built-in lesson, at its moment: what its text says is true."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slotscope.gui.panels import names_of
from slotscope.model.api import Session
from slotscope.model.comparison.runs import lanes_of, stand_at
from slotscope.model.exercises.exercise import exercise_run, next_exercise
from slotscope.model.exercises.posed import verdict
from slotscope.model.exercises.posing import POINTS, pose, sketch_times
from slotscope.model.exercises.question import LATER
from slotscope.model.lessons.files import lesson_files, load_lesson
from slotscope.model.lessons.lesson import Step, StepPlace
from slotscope.model.reporting.inspection import SERVER, Thing
from tests.exercises.test_posing import others
from tests.lessons import (
    claims_best_fit,
    claims_deadlock,
    claims_dra,
    claims_dra_print,
    claims_jrs,
    claims_many,
    claims_moldable,
    claims_queues,
    claims_tour,
)
from tests.lessons.standing import CLAIMS, SEEDS, ended, measured, opened, standing

pytestmark = pytest.mark.slow

__all__ = [
    "claims_best_fit",
    "claims_deadlock",
    "claims_dra",
    "claims_dra_print",
    "claims_jrs",
    "claims_many",
    "claims_moldable",
    "claims_queues",
    "claims_tour",
]


@pytest.fixture(scope="module", autouse=True)
def nothing_is_left() -> Iterator[None]:
    """Free the runs with their histories, half a gigabyte that no other module uses."""
    yield
    opened.cache_clear()
    ended.cache_clear()


#: The lessons' questions: at which step, and the right answer; None if a curve is drawn.
ANSWERS: dict[str, tuple[int, str | None]] = {
    "dra-1-decision": (3, "7"),
    "dra-2-reserve": (1, "none"),
    "dra-3-limit": (6, "2"),
    "dra-4-print": (5, "(1, 0, 1)"),
    "dra-5-numbers": (5, "C B A"),
    "jrs-1-token": (3, "none"),
    "jrs-2-virtual": (2, "8"),
    "jrs-3-deadlock": (3, "3"),
    "jrs-4-budget": (1, "1"),
    "jrs-5-print": (5, "3"),
    "moldable-1-blocking": (4, "0"),
    "moldable-2-optimum": (3, "2"),
    "moldable-3-many": (2, None),
    "moldable-4-lemma2": (1, "2"),
    "moldable-5-pareto": (1, "1"),
    "queues-1-slot": (2, "6e₅"),
    "queues-2-vqs": (1, "none"),
    "queues-3-trap": (1, "200"),
    "queues-4-readings": (5, "1"),
    "queues-5-horizon": (2, None),
    "tour": (4, "none"),
}

LESSONS = {name: load_lesson(path) for name, path in lesson_files().items()}
STEPS = [(name, number) for name, lesson in LESSONS.items() for number in range(1, len(lesson.steps) + 1)]


def test_every_step_has_its_claims() -> None:
    assert set(CLAIMS) == set(STEPS)


@pytest.mark.parametrize(("name", "number"), STEPS)
def test_a_step_says_what_is_so(name: str, number: int) -> None:
    at = standing(name, number)
    CLAIMS[name, number](at)
    step = LESSONS[name].steps[number - 1]
    assert set(step.panels) <= names_of(at.frame.info.system)
    frame, server = at.lanes[step.policy - 1], step.outlined(SERVER)
    assert server is None or not frame.info.kind.inspector.describe(frame, Thing(SERVER, server)).absent


@pytest.mark.parametrize("name", LESSONS)
def test_every_lesson_asks(name: str) -> None:
    asked = [number for number, step in enumerate(LESSONS[name].steps, 1) if step.question is not None]
    number, answer = ANSWERS[name]
    assert asked == [number]
    step = LESSONS[name].steps[number - 1]
    assert step.question is not None
    posed = pose(standing(name, number).run, step.question, step.policy - 1)
    assert posed.taken == answer or (answer is None and len(posed.taken.split()) == 8)
    assert posed.fault(posed.taken) == ""


#: Questions about a decision, each with its lesson; without the one in a scripted scenario, the same on every seed.
DECIDED = [
    (name, step, step.question.ask)
    for name, lesson in LESSONS.items()
    for step in lesson.steps
    if step.question is not None and step.question.ask not in LATER and name != "dra-4-print"
]

#: Questions that look ahead, each with its lesson.
LATER_ON = [
    (name, step)
    for name, lesson in LESSONS.items()
    for step in lesson.steps
    if step.question is not None and step.question.ask in LATER
]

#: The measure by which policies are compared in questions which one leads.
LED_BY = {"dra-3-limit": "reward_rate", "jrs-4-budget": "active_servers", "moldable-2-optimum": "blocking_probability"}


@pytest.mark.parametrize(("name", "step", "ask"), DECIDED, ids=lambda one: one if isinstance(one, str) else "")
@settings(max_examples=3)
@given(seed=st.integers(0, 10**6))
def test_the_reference_grades_a_lesson_s_question_on_any_seed(name: str, step: Step, ask: str, seed: int) -> None:
    origin = step.place(lesson_files()[name].parent).origins[step.policy - 1]
    found = next_exercise(exercise_run(Session.open(origin.source, origin.policy, 1), seed), frozenset({ask})).posed
    assert verdict(found, found.taken).right
    for answer in others(found):
        graded = verdict(found, answer)
        assert graded.right or found.taken in graded.text, answer


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("name", "step"), LATER_ON, ids=[name for name, _ in LATER_ON])
def test_what_is_asked_of_later_has_its_answer_on_every_seed(name: str, step: Step, seed: int) -> None:
    place = step.place(lesson_files()[name].parent)
    run = StepPlace(tuple(replace(one, seed=seed) for one in place.origins), place.moment).open()
    assert stand_at(run, place.moment) is None
    assert step.question is not None and step.question.until is not None
    posed, until = pose(run, step.question, step.policy - 1), step.question.until
    assert posed.fault(posed.taken) == ""
    if step.question.ask == "ahead":
        means = [measured(one.source, one.policy, seed, until, 0)[LED_BY[name]] for one in place.origins]
        assert posed.taken == str(means.index(max(means)) + 1) == ANSWERS[name][1]
        return
    lane = lanes_of(run)[step.policy - 1]
    other = Session.open(lane.origin.source, lane.origin.policy, seed)
    values = [float(value) for value in posed.taken.split()]
    for time, value in zip(sketch_times(lane.timeline.time, until), values, strict=True):
        other.run(until=float(time))
        now = other.bench.kind.headline_now(other.bench.numbers, other.timeline.state)
        assert abs(now - value) <= 0.01 * max(values)
    level = float(lane.bench.kind.headline_now(lane.bench.numbers, lane.timeline.state))
    assert posed.fault(" ".join([f"{level:.4g}"] * POINTS)) != ""  # a curve that stays at its present level is wrong
