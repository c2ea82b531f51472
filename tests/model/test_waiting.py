"""Long work while something is opened: it reports progress now and then, and can be stopped."""

from __future__ import annotations

import pytest

from slotscope.model.api import Session
from slotscope.model.errors import UserError
from slotscope.model.kinds.phases.programs import store
from slotscope.model.running import waiting
from tests.kinds.phases.scenarios import many_configurations


@pytest.fixture
def nothing_solved_yet(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    store.forget()
    yield
    store.forget()


def test_nobody_waits_unless_somebody_says_so():
    assert not waiting.who_waits().stop()
    with waiting.waiting(lambda _: None, lambda: True):
        assert waiting.who_waits().stop()
    assert not waiting.who_waits().stop()


def test_sentences_come_now_and_then(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(waiting, "monotonic", lambda: clock[0])
    told: list[str] = []
    with waiting.waiting(told.append, lambda: False):
        for step in range(10):
            clock[0] = step * waiting.PERIOD / 2
            waiting.who_waits().tell(str(step))
    assert told == [f"{step} (Esc stops it)" for step in (2, 4, 6, 8)]


@pytest.mark.usefixtures("nothing_solved_yet")
def test_a_plan_that_takes_long_is_told_and_can_be_stopped(monkeypatch):
    monkeypatch.setattr(waiting, "PERIOD", 0.0)
    told: list[str] = []
    with waiting.waiting(told.append, lambda: len(told) >= 3), pytest.raises(UserError) as stopped:
        Session.open(many_configurations(), kernel=False)
    assert str(stopped.value).endswith("Solving the single-server problem: stopped")
    assert told[0].startswith("Solving the single-server problem: ")
    assert "Esc stops it" in told[-1]
    assert len(told) < 50


@pytest.mark.usefixtures("nothing_solved_yet")
def test_no_value_is_told_that_the_solver_does_not_have_yet(monkeypatch):
    monkeypatch.setattr(waiting, "PERIOD", 0.0)
    told: list[str] = []
    with waiting.waiting(told.append, lambda: False):
        Session.open("jrs-three-phases", kernel=False)
    assert not any("inf" in line for line in told)
