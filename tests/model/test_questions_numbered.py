"""Questions about a job by its number: only events at which it can be in the system are read, with equal answers."""

from __future__ import annotations

import random
from typing import Any, Iterator

import numpy as np
import pytest

from slotscope.model.api import Session
from slotscope.model.questions import asking, looking
from slotscope.model.questions.changes import WatchedThings
from slotscope.model.questions.looking import StateLooks
from slotscope.model.questions.understanding import understood
from slotscope.model.running.slices import Slices
from tests.model.test_question_changes import EVENTS, SCENARIOS, asked, compared, ready


def about_jobs(session: Session, number: random.Random) -> list[str]:
    """Four questions about each field, on one job and on two: enough that more than a few of them have hits."""
    words, found = session.info.words, []
    for name, field in [*words.of_thing["job"].items()] * 2:
        member = f"[{number.randint(1, len(words.dimensions[field.index]))}]" if field.index else ""
        one, other = (f"job {number.randint(0, 90)} . {name}{member}" for _ in range(2))
        at = number.choice(("", "event % 3 = 0 and ", "event % 40 = 7 and was "))
        found += [f"{at}known({one})", f"{one} changes or {other} >= {number.randint(0, 3)}"]
    return found


@pytest.mark.parametrize("scenario", [*SCENARIOS, "dra-classroom dra@30:reject@200=first-fit"])
def test_jobs_answer_as_states_do(scenario: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (asking, looking):
        monkeypatch.setattr(module, "Slices", lambda *_: Slices(random.randint(20, 60)))
    seed = random.randrange(2**32)
    print("seed", seed)
    session = Session.open(*scenario.split())
    texts = {text: understood(text, session.info.words) for text in about_jobs(session, random.Random(seed))}
    assert sum(found.any() for found in compared(session, texts)) > 3


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_no_slice_is_run_again_in_which_the_job_is_not_there(scenario: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And while the job is there, only its own place is read."""
    again, told = StateLooks._again, []

    def noted(self: StateLooks, state: Any, rows: np.ndarray, watch: WatchedThings) -> Iterator[Any]:
        told.append((int(rows["event"][0]), int(rows["event"][-1]), watch.only))
        yield from again(self, state, rows, watch)

    for module in (asking, looking):
        monkeypatch.setattr(module, "Slices", lambda *_: Slices(10))
    monkeypatch.setattr(StateLooks, "_again", noted)
    session = Session.open(scenario)
    field = next(name for name, one in session.info.words.of_thing["job"].items() if not one.index)
    there = asked(session, ready(session, f"known(job 20 . {field})"), EVENTS)
    assert there.any() and not there[-1]
    assert told and all(there[first - 2 : last].any() for first, last, _ in told)
    assert {len(only) for *_, only in told} <= {0, 1}


def test_a_job_that_has_left_asks_for_no_state_of_a_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session.open("dra-classroom", kernel=False)
    question = understood("known(job 1 . leaves)", session.info.words)
    there = asked(session, question)
    session.run(events=EVENTS)
    left = int(np.flatnonzero(there)[-1]) + asking.FEW + 2
    monkeypatch.setattr(StateLooks, "_made_after", lambda *_: pytest.fail("a state is looked at"))
    found = asking.answers(session.bench.system, session.timeline, [question], left, EVENTS)
    assert not any(part.values[0].any() for part in found)
