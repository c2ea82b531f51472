"""Every step of every built-in lesson, at its moment: what its text says is so."""

from __future__ import annotations

import pytest

from slotscope.gui.panels import names_of
from slotscope.model.inspection import SERVER, Thing
from slotscope.model.lessons.files import lesson_files, load_lesson
from tests.lessons import (
    claims_best_fit,
    claims_deadlock,
    claims_dra,
    claims_dra_print,
    claims_jrs,
    claims_many,
    claims_moldable,
    claims_queues,
)
from tests.lessons.standing import CLAIMS, standing

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
]

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
