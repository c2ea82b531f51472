"""The panel of monitors: its rows, and the effect of its switch and its link in a window."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from slotscope.gui.panels.monitors import _INVARIANTS, MonitorsPanel
from slotscope.gui.panels.track import TrackPanel
from slotscope.gui.running.searches import look_at
from slotscope.gui.sharing.command import bounds_of
from slotscope.gui.theme import Theme, apply, load_theme
from slotscope.model.kinds.spec import KINDS, kind_named
from slotscope.model.measures.monitors import Monitor
from slotscope.model.questions.tracks import Followed
from slotscope.model.reporting.frame import Frame
from tests.contract.moments import SMALL
from tests.gui.painted import colours
from tests.gui.windows import complete_window, on_screen, press, rest
from tests.runs import ran

FAULTY_EVENT = 6


def looked_at(system: str, events: int = 60) -> Frame:
    session = ran(SMALL[system], events=events)
    session.lookout.look(session.timeline.event, session.timeline.state)
    return session.frame()


@pytest.fixture(scope="module")
def theme(qapp) -> Theme:
    theme = load_theme("light")
    apply(qapp, theme)
    return theme


@pytest.fixture
def panel(qtbot: QtBot, theme: Theme) -> MonitorsPanel:
    return on_screen(qtbot, MonitorsPanel(theme), 440, 500)


def plain(html: str) -> str:
    return re.sub(r"<[^>]+>", "", html.replace("<br>", "\n").replace("&nbsp;", " "))


class TestRows:
    def test_a_claim_is_judged_by_the_moment_shown(self, panel):
        """Of a long run only some samples are kept; the last one may be far from the moment shown."""
        session = ran("dra-classroom", events=2_000)
        frame, row = session.frame(bounds=bounds_of(session)), "optimum"
        panel.set_frame(replace(frame, samples=frame.samples[frame.samples[:, 0] % 512 == 0]))
        warmup = float(frame.info.scenario.run.warmup)
        (known,) = frame.info.kind.batches_so_far(frame.info.numbers, [panel.frame.until_now], warmup, frame.time)
        assert f"mean {known['reward_rate'].estimate().mean:.4g}, " in plain(panel.rows[row].text.text())

    @pytest.mark.parametrize("system", KINDS)
    def test_every_monitor_and_claim_has_a_row_with_its_words(self, panel, system):
        frame = looked_at(system)
        panel.set_frame(frame)
        claims = [claim for claim in kind_named(system).claims if claim.name in panel.rows]
        assert claims
        assert set(panel.rows) == {one.monitor.name for one in frame.monitors} | {claim.name for claim in claims}
        for reading in frame.monitors:
            row = panel.rows[reading.monitor.name]
            text = plain(row.text.text())
            assert text.startswith("✓ holds")
            assert reading.monitor.source.split("'")[0] in text
            assert not row.stop.isHidden()
            assert row.curve.isHidden() == (reading.monitor.slack is None)
        assert all(panel.rows[claim.name].stop.isHidden() for claim in claims)
        assert not panel.no_stop.isHidden()
        assert "without Stop" in panel.no_stop.text()

    @pytest.mark.parametrize("system", KINDS)
    def test_inside_an_event_the_state_before_it_is_judged(self, panel, system):
        """A run opened inside an event has never been checked between events."""
        session = ran(SMALL[system], events=60)
        while not session.timeline.substep:
            session.step_into()
        assert look_at(session)
        assert {reading.standing for reading in session.lookout.readings} == {"holds"}
        assert not look_at(session)

    def test_below_the_last_row_the_list_ends(self, panel, qtbot):
        panel.set_frame(looked_at("reservation"))
        last = list(panel.rows.values())[-1]
        room = panel._list.parentWidget().height()
        qtbot.waitUntil(lambda: last.geometry().bottom() > room)  # laid out, and higher than the visible area
        assert panel._list.height() - last.geometry().bottom() < 3 * last.fontMetrics().height()

    def test_another_kind_leaves_no_row_behind(self, panel):
        panel.set_frame(looked_at("phases"))
        panel.set_frame(looked_at("moldable"))
        assert "token-limit" not in panel.rows
        assert "near-optimum" in panel.rows

    @pytest.mark.parametrize("system", KINDS)
    def test_what_is_violated_stands_above_all_else_and_goes_back_to_its_place(self, panel, qtbot, system):
        frame = looked_at(system)
        panel.set_frame(frame)
        order = [name for name in panel.rows if panel.rows[name].column == _INVARIANTS]
        bar = panel._area.verticalScrollBar()
        qtbot.waitUntil(lambda: bar.maximum() > 0)
        bar.setValue(bar.maximum())
        *others, last = frame.monitors
        broken = last._replace(standing="violated", event=60, sentence="it broke", since=59)
        panel.set_frame(replace(frame, monitors=(*others, broken)))
        row, window = panel.rows[last.monitor.name], panel._area.viewport()
        qtbot.waitUntil(lambda: row.mapTo(window, QPoint(0, row.height())).y() <= window.height() and bar.value() == 0)
        assert all(row.y() < one.y() for one in panel.rows.values() if one is not row)
        assert panel._heads[0].isVisible()
        panel.set_frame(frame)
        qtbot.waitUntil(lambda: sorted(order, key=lambda name: panel.rows[name].y()) == order)
        assert not panel._heads[0].isVisible()

    def test_the_curve_is_painted(self, panel):
        panel.set_frame(looked_at("moldable"))
        curve = panel.rows["capacity"].curve
        assert len(colours(curve)) > 2


def faulty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Add an invariant for jobs with slots that is violated from an event on."""

    def check(_: Any, state: Any) -> Iterator[str]:
        from slotscope.model.kinds.reservation.state import EVENT

        if state.number[EVENT] >= FAULTY_EVENT:
            yield f"{state.number[EVENT]} is too many"

    from slotscope.model.kinds.reservation import invariants

    planted = Monitor("planted", "There are few events", "", "nowhere", (check,), stage=2)
    monkeypatch.setattr(invariants, "MONITORS", (*invariants.MONITORS, planted))


def test_an_earlier_fault_is_something_new_to_show_where_one_rests(monkeypatch):
    faulty(monkeypatch)
    session = ran("dra-classroom", events=FAULTY_EVENT + 5)
    assert look_at(session) and not look_at(session)
    session.seek(FAULTY_EVENT)
    assert look_at(session) and not look_at(session)
    (found,) = [one for one in session.readings if one.standing == "violated"]
    assert (found.monitor.name, found.event) == ("planted", FAULTY_EVENT)


@pytest.mark.slow
def test_the_switch_stops_the_run_and_the_link_goes_to_the_fault(qtbot, tmp_path, monkeypatch):
    faulty(monkeypatch)
    monkeypatch.setattr("slotscope.model.measures.monitors.SHARE", 1.0)
    with complete_window(qtbot, tmp_path) as window:
        window.control.open("dra-classroom")
        rest(qtbot, window, lambda: window.frame.info.scenario_name == "dra-classroom")
        dock = window.docks["monitors"]
        dock.raise_()
        qtbot.waitUntil(lambda: "planted" in dock.panel.rows)
        row = dock.panel.rows["planted"]
        qtbot.mouseClick(row.stop, Qt.MouseButton.LeftButton, pos=QPoint(8, row.stop.height() // 2))
        rest(qtbot, window, lambda: "monitor planted" in window.frame.breakpoints)
        window.transport.speed.setValue(window.transport.speed.maximum())
        press(qtbot, window, Qt.Key.Key_Space)
        rest(qtbot, window, lambda: "Violated after event" in window.frame.message)
        assert not window.frame.playing
        (found,) = [one for one in window.frame.monitors if one.monitor.name == "planted"]
        assert found.event >= FAULTY_EVENT > found.since
        qtbot.waitUntil(lambda: "✗ violated" in row.text.text())
        row.text.linkActivated.emit(str(FAULTY_EVENT))
        rest(qtbot, window, lambda: window.frame.event == FAULTY_EVENT)
        qtbot.waitUntil(lambda: f"event {FAULTY_EVENT}<" in row.text.text())  # the state there is checked, too

        window.control.to_start()  # a known violation stops the run when it gets there again
        rest(qtbot, window, lambda: window.frame.event == 0)
        press(qtbot, window, Qt.Key.Key_Space)
        rest(qtbot, window, lambda: "Violated after event" in window.frame.message and not window.frame.playing)
        assert window.frame.event == FAULTY_EVENT
        press(qtbot, window, Qt.Key.Key_Space)  # from there the run can continue
        rest(qtbot, window, lambda: window.frame.event > FAULTY_EVENT)
        press(qtbot, window, Qt.Key.Key_Space)
        rest(qtbot, window, lambda: not window.frame.playing)


@pytest.mark.slow
def test_an_expression_of_the_users_own_is_watched_stops_the_run_and_is_taken_away(qtbot, tmp_path):
    with complete_window(qtbot, tmp_path) as window:
        window.control.open("dra-classroom")
        rest(qtbot, window, lambda: window.frame.info.scenario_name == "dra-classroom")
        dock = window.docks["monitors"]
        dock.raise_()
        entry = dock.panel.entry
        qtbot.waitUntil(entry.isVisible)
        for text, wrong in (
            ("waiting < 3", "found the name 'waiting'"),
            ("jobs[1]", "found a number"),
            ("event < 6", ""),
        ):
            entry.field.clear()
            qtbot.keyClicks(entry.field, text)
            qtbot.keyClick(entry.field, Qt.Key.Key_Escape)
            qtbot.keyClick(entry.field, Qt.Key.Key_Return)
            assert wrong in entry.mistake.text() and entry.mistake.isVisible() == bool(wrong)
        stop, name = "event >= 6", "own event < 6"
        qtbot.waitUntil(lambda: name in dock.panel.rows)
        row = dock.panel.rows[name]
        qtbot.waitUntil(row.stop.isVisible)
        qtbot.mouseClick(row.stop, Qt.MouseButton.LeftButton, pos=QPoint(8, row.stop.height() // 2))
        rest(qtbot, window, lambda: stop in window.frame.breakpoints)
        for there in (False, True):  # Enter operates the switch: the space bar belongs to the run
            qtbot.keyClick(row.stop, Qt.Key.Key_Return)
            rest(qtbot, window, lambda there=there: (stop in window.frame.breakpoints) == there)
        window.transport.speed.setValue(window.transport.speed.maximum())
        press(qtbot, window, Qt.Key.Key_Space)
        rest(qtbot, window, lambda: stop in window.frame.message)
        assert "✓ holds" in row.text.text()
        press(qtbot, window, Qt.Key.Key_Right)
        rest(qtbot, window, lambda: window.frame.event == 6)
        qtbot.waitUntil(lambda: "At event 6, sound after event 5" in plain(row.text.text()))
        assert "of your own" in row.text.text() and "of" in row.toolTip()
        row.text.linkActivated.emit("away")
        qtbot.waitUntil(lambda: name not in dock.panel.rows)
        assert not window.frame.followed.watch


@pytest.mark.parametrize("made", [MonitorsPanel, TrackPanel])
def test_a_hall_reads_the_whole_of_what_may_be_written(qtbot, qapp, theme, made):
    panel = made(theme)
    qtbot.addWidget(panel)
    apply(qapp, theme, lecture=True)
    try:
        panel.resize(612, 559)
        panel.show()
        panel.set_frame(looked_at("phases", 5))
        field = panel.entry.field
        assert field.fontMetrics().horizontalAdvance(field.placeholderText()) < field.width() - 8
    finally:
        apply(qapp, theme)


def test_a_comparison_of_the_users_own_has_a_curve_and_another_condition_has_none(panel):
    session = ran("dra-classroom", events=60)
    session.tracks.want(Followed((), ("event < 40", "not rejected")))
    session.tracks.search(60)
    panel.set_frame(session.frame())
    rows = [panel.rows[f"own {text}"] for text in ("event < 40", "not rejected")]
    assert [row.curve.isHidden() for row in rows] == [False, True]
    assert rows[0].curve.values[-1] == 40 - 60
