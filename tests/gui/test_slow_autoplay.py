"""A run that plays a sub-step every few seconds has the same texts and marks as when stepping by hand."""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from slotscope.gui.panels import decisions
from slotscope.gui.panels.wording import clock_text, event_told, sentence
from slotscope.gui.running.compare import CompareControl
from slotscope.gui.running.drive import Drive
from slotscope.gui.running.goals import Goal
from slotscope.gui.running.pace import NO_LIMIT, Pace
from slotscope.gui.theme import load_theme
from slotscope.model.api import Session
from slotscope.model.questions.breakpoints import Breakpoints
from slotscope.model.reporting.frame import Frame
from tests.runs import ran

MARKS = {
    "dra-classroom": "reservation.servers_steps",
    "queues-classroom": "queue.bins",
    "jrs-classroom": "phases.servers_marks",
    "moldable-classroom": "moldable.servers_marks",
}


def told(frame: Frame, marks: Any) -> tuple[object, ...]:
    """All texts about a moment, and the marks in the picture of servers."""
    following = CompareControl.next_text(None, frame)  # type: ignore[arg-type]
    return sentence(frame), clock_text(frame.info, frame.time), event_told(frame), following, marks(frame)


@pytest.mark.parametrize("scenario", MARKS)
def test_it_says_and_outlines_what_stepping_does(scenario: str) -> None:
    marks = import_module(f"slotscope.gui.kinds.{MARKS[scenario]}").marks
    stepped, played = (Session.open(scenario, kernel=False) for _ in range(2))
    for session in (stepped, played):
        session.run(events=12)
    drive = Drive(Breakpoints())
    drive.set_pace(Pace(substeps=1e9), played)
    drive.begin(played, Goal())
    for _ in range(25):
        stepped.step_into()
        drive.slice(played)
        one = stepped.frame()
        other = played.frame(running=drive.running and not drive.legible(played), playing=True)
        assert told(one, marks) == told(other, marks)
        assert one.passed_over == other.passed_over
        event = other.event_in_the_making
        if event is not None:
            assert other.time == event.time
            assert told(other, marks)[3] == f"now: {told(other, marks)[3][5:]}"  # type: ignore[index]
            assert event_told(other).startswith(f"event {other.event + 1}, sub-step")


def test_at_a_slow_pace_of_time_an_event_that_stays_is_told_as_in_stepping() -> None:
    session = ran("dra-classroom", events=12)
    line, drive = session.timeline, Drive(Breakpoints())
    assert line.next_event is not None
    gap = line.next_event.time - line.time
    for seconds, legible in ((0.5, False), (1.5, True)):
        drive.set_pace(Pace(time=gap / seconds), session)
        assert drive.legible(session) is legible
    drive.set_pace(NO_LIMIT, session)
    assert not drive.legible(session)


def test_in_a_hall_a_run_that_can_be_read_tells_whole_sentences(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """They were shortened even at one event per second."""
    monkeypatch.setattr(decisions, "current_fonts", lambda: SimpleNamespace(lecture=True))
    panel = decisions.DecisionsPanel(load_theme("light"))
    monkeypatch.setattr(panel.calm, "may_show", lambda *_: True)
    qtbot.addWidget(panel)
    panel.resize(380, 300)
    panel.show()
    session, view, heights = Session.open("dra-classroom", kernel=False), panel.view, set[int]()
    view.set_lecture(True)
    for _ in range(60):
        session.run(events=1)
        panel.set_frame(session.frame(running=True))
        row = panel.model.present_row()
        assert view.rowHeight(row) == view.height_of(row, view.viewport().width())
        heights.add(view.rowHeight(row))
    assert len(heights) > 1
    session.run(events=40)
    panel.set_frame(session.frame(running=True))
    assert {view.rowHeight(row) for row in range(panel.model.rowCount())} == {min(heights)}
