"""Questions in the window: the log's search covers all history, its hits are marked and can be visited."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt

from slotscope.gui.panels.decisions import DecisionsPanel
from slotscope.gui.panels.decisions_model import SENTENCE
from slotscope.model.api import Session
from tests.gui.windows import on_screen, open_anew, press, rest
from tests.own_policies import source, write
from tests.runs import ran

QUESTION = "type = training and rejected and servers_with_room >= 1"
EVENTS = 3000


@pytest.fixture(scope="module")
def true_hits():
    """The hits among the first events, computed from the rows of a separate run."""
    session = Session.open("dra-classroom", kernel=False)
    rows = session.timeline.rows
    session.run(events=EVENTS + 2000)
    found = rows(1, EVENTS + 2000)
    rejected = (found["flags"] & session.bench.kind.vocabulary.event_kinds["rejection"]) > 0
    training = found["type"] == session.info.numbers.type_names.index("training")
    return found["event"][rejected & training & (found["servers_with_room"] >= 1)]


@pytest.fixture
def window(qtbot, shared_window):
    """A run after some events, without a question."""
    window = shared_window
    search_of(window).clear()
    open_anew(qtbot, window, "dra-classroom")
    window.control.run_until(event=EVENTS)
    rest(qtbot, window, lambda: window.frame.event == EVENTS and not window.frame.playing)
    assert window.frame.asked is None
    return window


def search_of(window):
    return window.docks["decisions"].panel.bar.search


def ask(qtbot, window, text):
    """Type a question into the log's search, and press Return."""
    search = search_of(window)
    search.clear()
    qtbot.keyClicks(search, text)
    qtbot.keyClick(search, Qt.Key.Key_Return)
    rest(qtbot, window, lambda: window.frame.asked is not None and window.frame.asked.text == text)
    rest(qtbot, window, lambda: not window.frame.asked.searching)


def hits_in_sight(panel):
    """The events of the visible lines."""
    view, height = panel.view, panel.view.viewport().height()
    first, last = view.rowAt(0), view.rowAt(height - view.rowHeight(0))
    return panel.model.rows["event"][first : (last if last >= 0 else len(panel.model.rows)) + 1].tolist()


@pytest.mark.slow
def test_all_history_is_asked_and_gone_to(qtbot, window, true_hits):
    panel, bar = window.docks["decisions"].panel, window.transport.history
    seen = true_hits[true_hits <= EVENTS]
    assert len(seen) > 10
    assert seen[0] < EVENTS - 400  # not among the rows of a frame

    ask(qtbot, window, QUESTION)
    assert panel.bar.count.text() == f"{len(seen)} hits"
    assert panel.model.rows["event"].tolist() == seen.tolist()
    places = {round(bar.x_of(event)) for event in seen}
    assert {round(place) for place in bar.hit_places()} == places

    window.control.to_start()
    rest(qtbot, window, lambda: window.frame.event == 0)
    window.setFocus()
    for hit in seen[:2]:
        press(qtbot, window, Qt.Key.Key_F3)
        rest(qtbot, window, lambda hit=hit: window.frame.event == hit - 1)
        assert hit in hits_in_sight(panel)
    middle = int(seen[len(seen) // 2])
    window.control.go_to(middle)
    rest(qtbot, window, lambda: window.frame.event == middle)
    assert middle in hits_in_sight(panel)
    window.control.go_to(int(seen[1]) - 1)
    rest(qtbot, window, lambda: window.frame.event == seen[1] - 1)
    press(qtbot, window, Qt.Key.Key_F3, Qt.KeyboardModifier.ShiftModifier)
    rest(qtbot, window, lambda: window.frame.event == seen[0] - 1)

    window.control.to_live_end()
    rest(qtbot, window, lambda: window.frame.event == EVENTS)
    press(qtbot, window, Qt.Key.Key_F3, Qt.KeyboardModifier.ControlModifier)
    rest(qtbot, window, lambda: window.frame.event == seen[0] - 1)
    window.control.to_live_end()
    rest(qtbot, window, lambda: window.frame.event == EVENTS)
    press(qtbot, window, Qt.Key.Key_F3)
    later = true_hits[true_hits > EVENTS + 1][0]
    rest(qtbot, window, lambda: window.frame.event == later - 1)

    qtbot.keyClicks(search_of(window), "x")  # another text ends the question
    rest(qtbot, window, lambda: window.frame.asked is None)
    assert bar.hit_places() == []


def test_where_nothing_holds_names_that_the_policy_never_says_are_told(qtbot, theme, tmp_path):
    own = write(tmp_path, source('yield say("tried", margin=1, word="x")\nyield Reject()\n'))
    session = ran("dra-classroom", policy=own, events=60)
    panel = on_screen(qtbot, DecisionsPanel(theme), 700, 300)
    panel.set_frame(session.frame())
    for text in ("said[word] > 1", "said[margin] > 1"):
        session.questions.want(text)
        while session.questions.due:
            session.questions.search(0.01)
        panel.bar.put(text)
        panel._want(text)
        panel.set_frame(session.frame())
        assert panel.view.empty_note.startswith("It held at no event so far.")
        assert ("said[word] is missing" in panel.view.empty_note) == ("word" in text)


def test_a_hall_has_the_present_event_among_the_hits(qtbot, window, true_hits):
    """Pictures have no sentence of their own: the last visible line was that of an event long before."""
    panel = window.docks["decisions"].panel
    ask(qtbot, window, QUESTION)
    hits = true_hits[true_hits <= EVENTS].tolist()
    assert EVENTS not in hits and panel.model.rows["event"].tolist() == hits
    press(qtbot, window, Qt.Key.Key_L)
    rest(qtbot, window, lambda: window.lecture.on and not panel.bar.isVisible())
    assert panel.model.rows["event"].tolist() == [*hits, EVENTS]
    window.control.go_to(hits[-1] - 1)
    rest(qtbot, window, lambda: window.frame.event == hits[-1] - 1)
    rest(qtbot, window, lambda: panel.model.rows["event"].tolist() == sorted({*hits, hits[-1] - 1}))
    present = panel.view.visualRect(panel.model.index(panel.model.present_row(), SENTENCE))
    assert panel.view.viewport().rect().contains(present)
    window.control.go_to(hits[-1])
    rest(qtbot, window, lambda: window.frame.event == hits[-1])
    rest(qtbot, window, lambda: panel.model.rows["event"].tolist() == hits)
    press(qtbot, window, Qt.Key.Key_L)
    rest(qtbot, window, lambda: not window.lecture.on)


def test_a_mistake_stands_in_the_panel_and_the_run_where_it_was(qtbot, window):
    panel = window.docks["decisions"].panel
    ask(qtbot, window, "rejectd and type = web")
    qtbot.waitUntil(panel.mistake.isVisible)
    assert "character 1: found the name 'rejectd', nearest: rejected" in panel.mistake.text()
    assert window.frame.event == EVENTS
    assert len(panel.model.rows) == len(window.frame.rows)  # no line is filtered out
    ask(qtbot, window, "rejected")
    qtbot.waitUntil(panel.mistake.isHidden)
    assert np.all(window.frame.asked.events[1:] > window.frame.asked.events[:-1])


def test_where_nothing_is_asked_the_key_says_so(qtbot, window):
    with qtbot.waitSignal(window.worker.refused) as refused:
        press(qtbot, window, Qt.Key.Key_F3)
    assert "nothing is asked yet" in refused.args[0]
    assert window.frame.event == EVENTS
    rest(qtbot, window, lambda: "nothing is asked yet" in window.frame.message)
    ask(qtbot, window, QUESTION)
    assert not window.frame.message  # the message is outdated


@pytest.mark.slow
def test_a_run_that_takes_the_place_of_another_is_asked_the_same(qtbot, window, true_hits):
    panel = window.docks["decisions"].panel
    ask(qtbot, window, QUESTION)
    window.control.run_again("dra", 172)
    rest(qtbot, window, lambda: window.frame.info.origin.seed == 172)
    window.control.run_until(event=EVENTS)
    rest(qtbot, window, lambda: window.frame.event == EVENTS and not window.frame.playing)
    rest(qtbot, window, lambda: window.frame.asked is not None and not window.frame.asked.searching)
    assert window.frame.asked.hits > 10
    assert panel.bar.count.text() == f"{window.frame.asked.hits} hits"
    assert window.frame.asked.events.tolist() != true_hits[true_hits <= EVENTS].tolist()


@pytest.mark.slow
def test_a_run_that_one_goes_back_to_is_not_asked_anew(qtbot, window, monkeypatch):
    ask(qtbot, window, QUESTION)
    hits, first = window.frame.asked.hits, window.worker.present
    window.control.run_again("dra", 172)
    rest(qtbot, window, lambda: window.frame.info.origin.seed == 172)
    begun = []
    monkeypatch.setattr(type(first.questions), "want", lambda search, text: begun.append(text))
    window.control.go_back()
    rest(qtbot, window, lambda: window.frame.info.origin.seed != 172)
    assert begun == []
    assert (window.frame.asked.hits, window.frame.asked.searching) == (hits, False)


@pytest.mark.slow
def test_hits_of_a_search_that_was_stopped_say_how_far_it_came(qtbot, window):
    panel = window.docks["decisions"].panel
    ask(qtbot, window, QUESTION)
    frame = window.frame
    known = frame.asked._replace(hits=7, last=1000)
    for searching, said in (
        (True, "7 hits up to event 1\u202f000 ..."),
        (False, "7 hits up to event 1\u202f000, stopped"),
    ):
        panel.set_frame(replace(frame, asked=known._replace(searching=searching)))
        assert panel.bar.count.text() == said
    panel.set_frame(frame)
    assert panel.bar.count.text() == f"{frame.asked.hits} hits"
