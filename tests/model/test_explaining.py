"""Slow events show their effect before their sub-steps; both equal those of a step that waits for the sub-steps."""

from __future__ import annotations

from typing import Any, Iterator

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule

from slotscope.model.api import Session
from slotscope.model.running import explaining
from slotscope.model.systems.state import digest
from tests.kinds.queue.strategies import queue_scenarios
from tests.kinds.reservation.strategies import scenarios
from tests.model.test_timeline_machine import QueueWalk, Walk, can_be_assembled

SCENARIOS = ("dra-classroom", "queues-wide-jobs", "jrs-two-phases", "moldable-sublinear")


@pytest.fixture(autouse=True)
def every_event_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explaining, "AT_ONCE", -1.0)


def pair(scenario: str, events: int) -> tuple[Session, Session]:
    """One session that waits for sub-steps, and one that does not, after some events."""
    waits, ahead = Session.open(scenario), Session.open(scenario)
    ahead.effect_first = True
    for session in (waits, ahead):
        session.run(events=events)
    return waits, ahead


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_step_shows_its_effect_and_then_its_sub_steps(scenario: str) -> None:
    waits, ahead = pair(scenario, 200)
    for _ in range(20):
        waits.step()
        ahead.step()
        before, frame = ahead.frame(), waits.frame()
        assert before.explaining and before.last_records == () and before.agreement is None
        assert digest(before.state) == digest(frame.state)
        assert before.rows.tobytes() == frame.rows.tobytes()
        assert before.samples.tolist() == frame.samples.tolist()
        ahead.explain()
        after = ahead.frame()
        assert not after.explaining and after.agreement is True
        assert after.last_records == frame.last_records != ()
        assert after.passed_over == frame.passed_over


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_state_is_copied_once_and_stays_as_it_was_shown(scenario: str) -> None:
    _, session = pair(scenario, 200)
    shown = session.frame()
    assert session.frame().state is shown.state
    was = digest(shown.state)
    for _ in range(5):
        before, was_before = shown, was
        session.step()
        session.explain()  # from here on the copy is the state that the reference reached
        shown = session.frame()
        was = digest(session.timeline.state)
        assert session.timeline.state_before is before.state
        assert digest(before.state) == was_before != was == digest(shown.state)
    session.run(events=1)
    assert digest(shown.state) == was != digest(session.frame().state) == digest(session.timeline.state)
    session.step_back()
    assert digest(session.frame().state) == was


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_so_does_a_step_back(scenario: str) -> None:
    waits, ahead = pair(scenario, 200)
    for _ in range(5):
        waits.step_back()
        ahead.step_back()
        assert ahead.explaining and not ahead.last_records
        assert digest(ahead.timeline.state) == digest(waits.timeline.state)
        ahead.explain()
        assert ahead.last_records == waits.last_records != ()
        assert ahead.agreement is waits.agreement is None


def test_sub_steps_may_be_put_off_again_and_again() -> None:
    waits, ahead = pair("dra-classroom", 30)
    waits.step()
    ahead.step()
    turns = 0
    while ahead.explaining:
        ahead.explain(lambda: True)
        turns += 1
    assert turns == len(waits.last_records) + 1 > 2
    assert ahead.last_records == waits.last_records


def test_those_of_an_event_that_was_left_are_not_taken() -> None:
    _, ahead = pair("dra-classroom", 30)
    ahead.step()
    ahead.run(events=1)
    assert not ahead.explaining
    ahead.explain()
    assert ahead.last_records == ()
    ahead.step()
    ahead.leave_unexplained()
    ahead.explain()
    assert ahead.last_records == () and ahead.agreement is None


def test_a_kernel_that_does_something_else_is_found() -> None:
    _, ahead = pair("dra-classroom", 30)
    ahead.step()
    ahead.timeline.state.trail[0] += 1
    ahead.explain()
    assert ahead.agreement is False


def test_the_reference_is_waited_for() -> None:
    session = Session.open("dra-classroom", kernel=False)
    session.effect_first = True
    session.step()
    assert not session.explaining and session.last_records


def test_quick_sub_steps_are_had_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explaining, "AT_ONCE", 60.0)
    waits, ahead = pair("dra-classroom", 30)
    waits.step()
    ahead.step()
    assert not ahead.explaining
    assert ahead.last_records == waits.last_records
    assert ahead.agreement is True


class Ahead(Walk):
    """The walks of a displayed run, all of whose events count as slow."""

    def _show_effects_first(self) -> None:
        self.session.effect_first = True

    @initialize(scenario=scenarios(most_types=3, most_servers=6))
    def open(self, scenario: Any) -> None:
        super().open(scenario)
        self._show_effects_first()

    @rule()
    def save_and_reopen(self) -> None:
        super().save_and_reopen()
        self._show_effects_first()

    @rule()
    @precondition(lambda self: self.left() > 0)
    def step(self) -> None:
        waits = self.substep or not self.session.compiled
        self.session.step()
        self.arrive(self.event + 1)
        assert self.session.explaining is not bool(waits)

    @rule(substeps=st.integers(0, 12))
    def explain(self, substeps: int) -> None:
        left: Iterator[int] = iter(range(substeps))
        self.session.explain(lambda: next(left, None) is None)

    @invariant()
    def what_is_told_is_true(self) -> None:
        known = self.session.last_records
        assert not known or list(known) == self.straight.records[self.event - 1]
        assert not (known and self.session.explaining)
        assert self.session.agreement is not False


TestAhead = Ahead.TestCase
TestAhead.settings = settings(max_examples=8, stateful_step_count=25)


class QueueAhead(Ahead, QueueWalk):
    """The same for a queueing system, by slots."""

    @initialize(scenario=queue_scenarios().filter(can_be_assembled))
    def open(self, scenario: Any) -> None:
        super().open(scenario)


TestQueueAhead = QueueAhead.TestCase
TestQueueAhead.settings = settings(
    max_examples=4, stateful_step_count=20, suppress_health_check=[HealthCheck.filter_too_much]
)
