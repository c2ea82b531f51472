"""The panel of expressions in a window: typed, evaluated over history and along the run, marked, and saved."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from slotscope.gui.main_window import MainWindow
from slotscope.gui.panels.track import Hits, TrackPanel
from slotscope.gui.theme import load_theme
from slotscope.model.questions.tracks import Followed, Tracked
from slotscope.model.reporting.explain import THIN_SPACE
from tests.gui.painted import Counted, colours
from tests.gui.windows import on_screen, press, rest
from tests.own_policies import opened, source

Key = Qt.Key

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm")]

EVENTS = 2000


@pytest.fixture
def window(qtbot: QtBot, window: MainWindow) -> MainWindow:
    """A complete window of dra-classroom after some events, with the panel in front."""
    window.control.open("dra-classroom")
    rest(qtbot, window, lambda: window.frame.info.scenario_name == "dra-classroom")
    window.control.run_until(event=EVENTS)
    rest(qtbot, window, lambda: window.frame.event == EVENTS and not window.frame.playing)
    window.docks["track"].raise_()
    qtbot.waitUntil(panel_of(window).isVisible)
    return window


def panel_of(window: MainWindow) -> TrackPanel:
    panel = window.docks["track"].panel
    assert isinstance(panel, TrackPanel)
    return panel


def typed(qtbot: QtBot, panel: TrackPanel, text: str) -> None:
    panel.entry.field.clear()
    qtbot.keyClicks(panel.entry.field, text)
    qtbot.keyClick(panel.entry.field, Key.Key_Escape)  # closes the list of names, if it is open
    qtbot.keyClick(panel.entry.field, Key.Key_Return)


def found(qtbot: QtBot, window: MainWindow, *texts: str) -> Tracked:
    def done() -> bool:
        tracked = window.frame.tracked
        wanted = tracked is not None and [one.text for one in tracked.tracks] == list(texts)
        return wanted and tracked.last == window.frame.extent.live_end

    rest(qtbot, window, done)
    return window.frame.tracked


def click_on_tick(qtbot: QtBot, panel: TrackPanel, tracked: Tracked, event: int) -> None:
    place = panel.strip._across(np.array([tracked.table[event - 1, 1]]))[0]
    qtbot.mouseClick(panel.strip, Qt.MouseButton.LeftButton, pos=QPoint(round(place), 7))


def saved(window: MainWindow, path: Path) -> list[list[str]]:
    """The rows of the table that the panel saves."""
    window.docks["track"].save_series(path)
    with path.open(encoding="utf-8") as file:
        return list(csv.reader(file))


def is_drawn_as_counts(panel: TrackPanel, tracked: Tracked) -> None:
    """If there are only conditions, the plot shows at how many events they have held."""
    assert panel.plot.lines == ("rejected",)
    counts = panel.plot.history.series[0].values.y
    assert (counts == np.cumsum(tracked.table[:, 2])).all() and counts[-1] == tracked.tracks[0].hits > 0
    assert panel.plot.getPlotItem().getAxis("left").labelText == "events so far"


def ticks_follow_the_curves(qtbot: QtBot, panel: TrackPanel) -> None:
    """Even if labels beside the curves take more space."""
    for width in (120, None):
        qtbot.wait(50)
        ticks = Counted(panel.strip)
        panel.plot.getPlotItem().getAxis("left").setWidth(width)
        qtbot.waitUntil(lambda ticks=ticks: ticks.count > 0)


def test_numbers_are_curves_and_conditions_are_ticks(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    panel = panel_of(window)
    typed(qtbot, panel, "rejectd")
    assert "nearest: rejected" in panel.entry.mistake.text() and panel.entry.mistake.isVisible()
    assert panel.entry.field.text() == "rejectd"
    typed(qtbot, panel, "rejected")
    assert not panel.entry.mistake.isVisible() and not panel.entry.field.text()
    tracked = found(qtbot, window, "rejected")
    qtbot.waitUntil(lambda: panel.plot.lines == ("rejected",))
    is_drawn_as_counts(panel, tracked)
    typed(qtbot, panel, "jobs[1] + jobs[2] + jobs[3]")
    tracked = found(qtbot, window, "rejected", "jobs[1] + jobs[2] + jobs[3]")
    assert panel.plot.lines == ("jobs[1] + jobs[2] + jobs[3]",)
    series = panel.plot.history.series[0].values
    assert (series.y == tracked.table[:, 4]).all() and len(series) == EVENTS
    # Its name is complete above the curve, and shortened beside it.
    column = panel.plot.getPlotItem().getAxis("right")
    assert [label.text for label, _, _ in column.placed()] == ["jobs[1] +… jobs[3]"]
    assert "jobs[1] + jobs[2] + jobs[3]" in panel.legend.text()
    assert len(panel.strip.rows) == 1
    (_, hits), *_ = panel.strip.rows
    events = hits.events[hits.held > 0]
    assert len(events) == hits.held.sum() == tracked.tracks[0].hits > 0 and hits.passed.sum() == EVENTS
    assert f"at {tracked.tracks[0].hits}" in panel.legend.text()
    ticks_follow_the_curves(qtbot, panel)
    # A click on a tick goes to the moment before its event.
    click_on_tick(qtbot, panel, tracked, int(events[0]))
    rest(qtbot, window, lambda: window.frame.event < EVENTS)
    assert window.frame.event + 1 in events
    # A breakpoint is marked in a row of its own.
    window.control.break_where("migrated")
    found(qtbot, window, "rejected", "jobs[1] + jobs[2] + jobs[3]", "migrated")
    qtbot.waitUntil(lambda: len(panel.strip.rows) == 2)
    assert window.theme.rejection in colours(panel.strip)
    head, *rows = saved(window, tmp_path / "track.csv")
    assert head == ["event", "time", "rejected (hits so far)", "jobs[1] + jobs[2] + jobs[3]", "migrated (hits so far)"]
    assert len(rows) == EVENTS and float(rows[-1][2]) == tracked.tracks[0].hits
    panel.legend.linkActivated.emit("remove 0")
    found(qtbot, window, "jobs[1] + jobs[2] + jobs[3]", "migrated")
    assert window.frame.followed.follow == ("jobs[1] + jobs[2] + jobs[3]",)


def test_events_are_counted_in_whole_numbers(qtbot: QtBot, window: MainWindow) -> None:
    panel = panel_of(window)
    typed(qtbot, panel, "event = 3")
    found(qtbot, window, "event = 3")
    axis = panel.plot.getPlotItem().getAxis("left")
    qtbot.waitUntil(lambda: axis.ticks() == [0, 1])
    panel.legend.linkActivated.emit("remove 0")
    typed(qtbot, panel, "time / 1e6")
    found(qtbot, window, "time / 1e6")
    qtbot.waitUntil(lambda: any(0 < tick < 1 for tick in axis.ticks()))


@pytest.mark.parametrize("lecture", [False, True])
def test_its_key_puts_keys_into_its_field_where_nothing_is_followed(
    qtbot: QtBot, window: MainWindow, lecture: bool
) -> None:
    field = panel_of(window).entry.field
    window.docks["reward"].raise_()
    if lecture:
        press(qtbot, window, Key.Key_L)
        rest(qtbot, window, lambda: window.lecture.on)
    press(qtbot, window, Key.Key_T)
    qtbot.waitUntil(lambda: panel_of(window).isVisible() and field.hasFocus())
    qtbot.keyClicks(field, "event = 3")
    qtbot.keyClick(field, Key.Key_Escape)  # closes the list of names, if it is open
    qtbot.keyClick(field, Key.Key_Return)
    found(qtbot, window, "event = 3")
    press(qtbot, window, Key.Key_Escape)
    rest(qtbot, window, lambda: not field.hasFocus())
    press(qtbot, window, Key.Key_4)
    press(qtbot, window, Key.Key_T)
    qtbot.waitUntil(panel_of(window).isVisible)
    assert not field.hasFocus()  # something is shown, so keys are commands
    if lecture:
        press(qtbot, window, Key.Key_L)


def test_where_events_are_dense_a_tick_says_at_which_share_of_them_it_holds() -> None:
    """What held at one event in ten looked the same as what held at all of them."""
    times = np.arange(1.0, 9.0)
    hits = Hits(times, 10 * times, np.full(8, 10.0), np.array([0.0, 1, 9, 10, 10, 0, 0, 4]))
    pixels, shares = hits.of_pixels(np.floor(times / 2))
    assert (pixels.tolist(), shares.tolist()) == ([1.0, 2.0, 4.0], [0.5, 1.0, 0.4])
    nothing = Hits(*(np.zeros(0),) * 4)
    assert [len(found) for found in nothing.of_pixels(nothing.times)] == [0, 0]


def test_it_follows_a_run_and_another_run_is_asked_the_same(qtbot: QtBot, window: MainWindow) -> None:
    panel = panel_of(window)
    typed(qtbot, panel, "jobs[1]")
    typed(qtbot, panel, "time >= 0")
    found(qtbot, window, "jobs[1]", "time >= 0")
    qtbot.waitUntil(lambda: "at every event so far" in panel.legend.text())
    press(qtbot, window, Key.Key_Space)
    rest(qtbot, window, lambda: window.frame.playing and window.frame.tracked.last > EVENTS)
    press(qtbot, window, Key.Key_Space)
    rest(qtbot, window, lambda: not window.frame.playing)
    found(qtbot, window, "jobs[1]", "time >= 0")
    window.control.open("queues-vqs-unstable")
    rest(qtbot, window, lambda: window.frame.info.scenario_name == "queues-vqs-unstable")
    window.panels.finish()
    window.docks["track"].raise_()
    typed(qtbot, panel_of(window), "waiting")
    press(qtbot, window, Key.Key_Right)
    found(qtbot, window, "time >= 0", "waiting")
    assert "found the name" in panel_of(window).legend.text()


def test_every_policy_has_a_curve_of_its_own(qtbot: QtBot, window: MainWindow) -> None:
    panel = panel_of(window)
    typed(qtbot, panel, "jobs[1]")
    typed(qtbot, panel, "rejected")
    window.compare.compare(("first-fit",))
    rest(qtbot, window, lambda: len(window.frame.companions) == 1)
    window.docks["track"].raise_()
    found(qtbot, window, "jobs[1]", "rejected")
    panel = panel_of(window)
    labels = window.compare.labels
    qtbot.waitUntil(lambda: panel.plot.lines == tuple(f"jobs[1] · {label}" for label in labels))
    rest(qtbot, window, lambda: all(one.tracked.last == one.extent.live_end for one in window.frame.lanes))
    press(qtbot, window, Key.Key_Left)  # gets a frame with the complete tracks
    rest(qtbot, window, lambda: window.frame.event < EVENTS)
    for frame, line, row in zip(window.frame.lanes, panel.plot._lines.values(), panel.strip.rows, strict=True):
        assert (line.history.series[0].values.y == frame.tracked.table[:, 2]).all()
        assert row[1].held.sum() == frame.tracked.tracks[1].hits
    assert all(label in panel.legend.text() for label in labels)
    window.compare.compare(())
    qtbot.waitUntil(lambda: panel_of(window).plot.lines == ("jobs[1]",))


def test_names_are_offered_while_they_are_written(qtbot: QtBot, window: MainWindow) -> None:
    field = panel_of(window).entry.field
    field.setFocus()
    qtbot.keyClicks(field, "2 * serv")
    qtbot.waitUntil(field.list.isVisible)
    model = field.list.model()
    texts = [model.index(row, 0).data() for row in range(model.rowCount())]
    place = next(row for row, text in enumerate(texts) if text.startswith("servers_with_room "))
    assert "would hold the rejected job" in texts[place]
    for _ in range(place + 1):
        qtbot.keyClick(field.list, Key.Key_Down)
    qtbot.keyClick(field.list, Key.Key_Return)
    assert field.text() == "2 * servers_with_room"
    assert not field.list.isVisible()
    qtbot.keyClick(field, Key.Key_Return)
    found(qtbot, window, "2 * servers_with_room")


def test_each_of_many_can_be_read_and_taken_away_in_a_low_panel(qtbot: QtBot, window: MainWindow) -> None:
    panel = panel_of(window)
    texts = [f"(count server where empty > {number}) > 2 becomes true" for number in range(5)]
    for text in (*texts, "event * 1"):
        typed(qtbot, panel, text)
    found(qtbot, window, *texts, "event * 1")
    qtbot.waitUntil(lambda: "2\u00a0000" in panel.legend.text())
    assert THIN_SPACE not in panel.legend.text()  # Qt would break lines at thin spaces
    words, bar = panel.words, panel.words.verticalScrollBar()
    panel.body.resize(430, 190)
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    assert words.viewport().height() + bar.maximum() >= panel.legend.heightForWidth(words.viewport().width())
    assert words.height() > 2 * words.fontMetrics().lineSpacing()
    panel.body.resize(430, 900)
    qtbot.waitUntil(lambda: bar.maximum() == 0)  # with enough space nothing is scrolled


def test_ticks_have_an_axis_of_time_below_them_also_in_a_low_panel(qtbot: QtBot, window: MainWindow) -> None:
    panel, texts = panel_of(window), [f"event % {number} = 0" for number in range(2, 10)]
    for text in texts:
        typed(qtbot, panel, text)
    found(qtbot, window, *texts)
    panel.body.resize(430, 900)
    qtbot.waitUntil(lambda: panel.strip.height() == panel.strip.sizeHint().height())
    panel.body.resize(430, 190)
    qtbot.waitUntil(lambda: panel.strip.height() < panel.strip.sizeHint().height())
    axis = panel.plot.getPlotItem().getAxis("bottom")
    assert panel.plot.height() > axis.height() + 5 > 5
    assert panel.plot.geometry().bottom() < 190
    assert panel.strip._step >= 6  # rows do not touch
    panel.body.resize(430, 176)
    column = panel.plot.getPlotItem().getAxis("right")
    qtbot.waitUntil(lambda: not column.placed() and column.width() < 40)  # no space is kept for hidden labels
    panel.body.resize(430, 900)
    qtbot.waitUntil(lambda: column.width() > 80)


def test_a_number_that_is_missing_or_infinite_is_told_so(qtbot: QtBot, tmp_path: Path) -> None:
    """A value that a policy says need not be a number, and "–" alone does not explain why there is no curve."""
    said = 'yield say("tried", high=float("inf"), low=-float("inf"), odd=float("nan"), word="x")\nyield Reject()\n'
    session, panel = opened(tmp_path, source(said)), on_screen(qtbot, TrackPanel(load_theme("light")), 600, 300)
    session.run(events=20)
    session.tracks.want(Followed(("said[high]", "said[low]", "said[odd]", "said[word]")))
    session.tracks.search(60)
    panel.set_frame(session.frame())
    told = [text.rsplit("■", 1)[1] for text in re.sub("<[^>]*>", "", panel.legend.text()).split("×")[:4]]
    words = [text.replace("&nbsp;", " ").replace("\u00a0", " ").strip() for text in told]
    assert words == ["∞", "−∞", "no number so far", "no number so far"]
