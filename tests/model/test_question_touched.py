"""Machine code for conditions on things that events touched: it finds what NumPy finds, step by step."""

from __future__ import annotations

import random
from typing import Iterator
from unittest.mock import patch

import numpy as np
import pytest

from slotscope.model.api import Session
from slotscope.model.questions import asking, versions
from slotscope.model.questions.asking import answers, make_ready
from slotscope.model.questions.meaning import Question
from slotscope.model.questions.remainders import BLOCK
from slotscope.model.questions.understanding import understood
from tests.random_questions import TwoClauses

EVENTS = 3000

#: Each operator and function on values before and now, with missing numbers, and numbers of the event before and now.
WRITTEN = {
    "dra-classroom": (
        "(count server where was filled > 0 and not empty in (0, 2)) % 2 = 1",
        "(count server where (index < min(3, event % 5)) becomes true) % 2 = 1",
        "(count server where was (empty + event % 3) >= 2 or rank changes) % 2 = 1",
        "(count server where abs(rank - was rank) >= 1 or -jobs[1] / empty < 0) % 2 = 1",
        "(count server where max(was index, time) % (1 + was empty) > 0.5) % 2 = 1",
        "(count server where (jobs[1] > 1) changes and in_reject_group = was in_reject_group) % 2 = 1",
        "(count server where was i_star >= 1 and empty != was empty) % 2 = 1",
    ),
    "queues-classroom": (
        "(count job where server changes) % 2 = 1",
        "(count job where (server > event % 4) becomes true) % 2 = 1",
        "(count job where was (arrival + time) < 2 * time and arrival > 1) > 0",
        "(count job where was (size[1] + time) != size[1] + time) > 0",
    ),
    "jrs-classroom": (
        "(count job where phase changes or was moves >= 1) % 2 = 1",
        "(count server where (tokens[1] < event % 3) becomes false) % 2 = 1",
        "(count server where was all_jobs / tokens[1] > 0.5) % 2 = 1",
    ),
    "moldable-classroom": (
        "(count server where job changes and was job % 2 = 1) % 2 = 1",
        "(count server where (job / busy > 1) becomes true) % 2 = 1",
        "(count job where was (width * time) < width * time) % 2 = 1",
    ),
}


def found(session: Session, question: Question, least: int) -> np.ndarray:
    """[events] a question's values, by machine code if at least *least* things are touched."""
    with patch.object(versions, "MANY_TOUCHED", least), patch.object(asking, "SECONDS", 10.0):
        parts = answers(session.bench.system, session.timeline, [question], 0, EVENTS)
        return np.concatenate([part.values[0].copy() for part in parts])


def drawn(session: Session) -> Iterator[str]:
    seed = random.randrange(2**32)
    print("seed", seed)
    clauses = TwoClauses(session.info.words, random.Random(seed))
    for _ in range(60):
        yield clauses.question()


def of_touched(session: Session, text: str) -> Question | None:
    """The question, if it also reads things as they were before."""
    try:
        question = understood(text, session.info.words)
    except ValueError:
        return None
    paired = any(look.of_things is not None and look.of_things.paired for look in question.looks)
    return question if paired else None


def compared(session: Session, texts: tuple[str, ...]) -> tuple[set[str], set[str]]:
    """Check code against NumPy; return the questions for which code was called, and those with a hit."""
    known = {text: question for text in texts if (question := of_touched(session, text)) is not None}
    make_ready(session.bench, session.timeline, [*known.values()])
    called, hit = set(), set()
    for text, question in known.items():
        with patch.object(versions, "true_of_touched", wraps=versions.true_of_touched) as code:
            one = found(session, question, BLOCK)
        assert np.array_equal(one, found(session, question, 2**62)), text
        called |= {text} if code.called else set()
        hit |= {text} if one.any() else set()
    return called, hit


@pytest.mark.parametrize("scenario", WRITTEN)
def test_code_finds_what_numpy_finds(scenario: str) -> None:
    session = Session.open(scenario)
    called, hit = compared(session, WRITTEN[scenario])
    assert sorted(called) == sorted(hit) == sorted(WRITTEN[scenario])


@pytest.mark.slow
@pytest.mark.parametrize("scenario", WRITTEN)
def test_code_finds_what_numpy_finds_of_random_questions(scenario: str) -> None:
    called, hit = compared(session := Session.open(scenario), tuple(drawn(session)))
    assert called and hit
