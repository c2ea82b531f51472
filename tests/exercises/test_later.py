"""Questions that look ahead: which policy leads at a given time, and how a curve continues."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from slotscope.model.api import Session
from slotscope.model.comparison.comparison import Comparison
from slotscope.model.comparison.runs import Run
from slotscope.model.errors import UserError
from slotscope.model.exercises.posed import Posed, verdict
from slotscope.model.exercises.posing import POINTS, pose, sketch_times
from slotscope.model.exercises.question import QuizQuestion
from slotscope.model.running.waiting import GivenUpError, waiting

SEEDS = (1, 2, 3)
UNTIL = 40.0


@cache
def beside(seed: int) -> Comparison:
    """DRA beside first fit; in dra-classroom DRA has the smaller reward."""
    return Comparison.open("dra-classroom", ["dra", "first-fit"], seed)


def posed_at(run: Run, event: int, ask: str) -> Posed:
    run.seek(event)
    return pose(run, QuizQuestion.model_validate({"ask": ask, "until": UNTIL}))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_policy_that_earns_more_is_ahead(seed: int) -> None:
    run = beside(seed)
    posed = posed_at(run, 10, "ahead")
    means = []
    for session in run.sessions:  # integrated independently, event by event
        other = type(session).open("dra-classroom", session.origin.policy, seed, kernel=False)
        total, last, value, kind = 0.0, 0.0, 0.0, other.bench.kind
        while other.timeline.next_event is not None and other.timeline.next_event.time <= UNTIL:
            value = kind.headline_now(other.bench.numbers, other.timeline.state)
            total += value * (other.timeline.next_event.time - last)
            last = other.timeline.next_event.time
            other.step()
        total += kind.headline_now(other.bench.numbers, other.timeline.state) * (UNTIL - last)
        means.append(total / UNTIL)
    best = str(int(np.argmax(means)) + 1)
    assert posed.taken == best and f"{max(means):.4g}" in posed.reason
    assert verdict(posed, run.labels[int(best) - 1]).right and verdict(posed, f"policy {best}").right
    assert not verdict(posed, "alike").right and not verdict(posed, "12".replace(best, "")).right
    assert run.timeline.event == 10


@pytest.mark.parametrize("seed", SEEDS)
def test_a_curve_is_right_near_what_comes(seed: int) -> None:
    session = beside(seed).sessions[0]
    posed = posed_at(session, 10, "curve")
    right = [float(part) for part in posed.taken.split()]
    assert len(right) == POINTS and verdict(posed, posed.taken).right
    other = type(session).open("dra-classroom", "dra", seed)
    for time, value in zip(sketch_times(session.timeline.time, UNTIL), right, strict=True):
        other.run(until=float(time))
        now = other.bench.kind.headline_now(other.bench.numbers, other.timeline.state)
        assert abs(now - value) <= 0.01 * max(abs(now), 1)
    most = max(right)
    assert verdict(posed, " ".join(f"{value + 0.1 * most:.4g}" for value in right)).right
    assert "allowed are 15%" in verdict(posed, " ".join(["0"] * POINTS)).text


def test_a_curve_is_that_of_the_policy_that_is_asked_about() -> None:
    run = beside(1)
    run.seek(10)
    question = QuizQuestion(ask="curve", until=UNTIL)
    dra, first_fit = pose(run, question), pose(run, question, 1)
    assert first_fit.words == "How does the curve of the reward rate under First fit go on until time 40? Draw it."
    assert first_fit.taken != dra.taken
    alone = Session.open("dra-classroom", "first-fit", 1)
    alone.seek(run.sessions[1].timeline.event)
    assert first_fit.taken == pose(alone, question).taken


def test_what_cannot_be_looked_ahead_to_is_refused() -> None:
    run = beside(1)
    for event, ask, told in ((10, "ahead", "two or three run side by side"), (10, "curve", "question.until")):
        with pytest.raises(UserError) as caught:
            if ask == "ahead":
                posed_at(run.sessions[0], event, ask)
            else:
                run.sessions[0].seek(10)
                pose(run.sessions[0], QuizQuestion(ask="curve", until=0.001))
        assert told in caught.value.line
    posed = posed_at(run.sessions[0], 10, "curve")
    for text in ("", "1 2", "a " * POINTS):
        with pytest.raises(UserError, match="or draw the curve"):
            verdict(posed, text)


def test_nothing_is_compiled_for_a_question(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine's first start, compiling takes minutes and cannot be stopped."""
    taken = posed_at(beside(1), 10, "ahead").taken
    run = Comparison.open("dra-classroom", ["dra", "first-fit"], 1, kernel=False)
    monkeypatch.setattr(Session, "use_kernel", lambda _: pytest.fail("compiling"))
    assert posed_at(run, 10, "ahead").taken == taken


def test_looking_ahead_can_be_stopped() -> None:
    """A million slots take minutes under a reference, so it must be possible."""
    run = Session.open("dra-classroom", "dra", 1, kernel=False)
    with waiting(lambda _: None, lambda: 1), pytest.raises(GivenUpError, match="Going to time 40: stopped"):
        pose(run, QuizQuestion(ask="curve", until=UNTIL))


def test_looking_ahead_uses_compiled_code_as_soon_as_its_run_does(monkeypatch: pytest.MonkeyPatch) -> None:
    run, use, users = Session.open("dra-classroom", "dra", 1, kernel=False), Session.use_kernel, list[Session]()
    monkeypatch.setattr(Session, "use_kernel", lambda session: users.append(session) or use(session))

    def comes_meanwhile() -> int:
        if not run.compiled:
            run.use_kernel()
        return 0

    with waiting(lambda _: None, comes_meanwhile):
        posed = pose(run, QuizQuestion(ask="curve", until=UNTIL))
    assert [session is run for session in users] == [True, False]
    assert posed.taken == pose(run, QuizQuestion(ask="curve", until=UNTIL)).taken
