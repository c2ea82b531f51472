"""The history bar: every event has its position, and the ends of the bar are the ends of the run."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from slotscope.gui.theme import apply, load_theme
from slotscope.gui.window.history_bar import MOST_TICKS, HistoryBar
from tests.runs import ran

LIGHT = load_theme("light")


@pytest.fixture
def bar(qtbot: QtBot) -> HistoryBar:
    """A bar for a run that is at its end, event 300."""
    session = ran("dra-classroom", events=300)
    bar = HistoryBar(LIGHT)
    qtbot.addWidget(bar)
    bar.resize(640, 22)
    bar.show()
    bar.set_frame(session.frame())
    return bar


def test_events_and_places_are_inverse(bar: HistoryBar) -> None:
    assert [bar.event_at(bar.x_of(event)) for event in range(301)] == list(range(301))
    assert bar.x_of(0) == bar.width() - bar.x_of(300)


@pytest.mark.parametrize(("place", "event"), [(0.0, 0), (0.5, 150), (1.0, 300)])
def test_a_click_goes_to_the_event_there(qtbot: QtBot, bar: HistoryBar, place: float, event: int) -> None:
    x = bar.x_of(0) + place * (bar.x_of(300) - bar.x_of(0))
    with qtbot.waitSignal(bar.sought) as sought:
        qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=QPoint(round(x), 11))
    assert sought.args == [event]


@pytest.mark.parametrize("count", [1, 40, MOST_TICKS, 2 * MOST_TICKS - 1, 5000])
def test_many_keyframes_have_no_more_ticks_than_are_told_apart(bar: HistoryBar, count: int) -> None:
    frame = bar._frame
    assert frame is not None
    bar.set_frame(replace(frame, extent=replace(frame.extent, keyframes=tuple(range(count)), live_end=count)))
    ticks = bar._ticks()
    assert ticks[0] == bar.x_of(0) and len(ticks) == -(-count // -(-count // MOST_TICKS))
    assert len(ticks) <= MOST_TICKS


def test_it_says_where_the_disk_takes_no_more(bar: HistoryBar) -> None:
    frame = bar._frame
    assert frame is not None and "disk" not in bar.toolTip()
    bar.set_frame(replace(frame, extent=replace(frame.extent, refused="No space left on device")))
    assert "The disk takes no more of the history (No space left on device)" in bar.toolTip()
    bar.set_frame(frame)
    assert "disk" not in bar.toolTip()


def test_the_part_that_was_run_reaches_to_the_handle(bar: HistoryBar) -> None:
    picture = bar.grab().toImage()
    run = [x for x in range(picture.width()) if picture.pixelColor(x, 11) == QColor(LIGHT.muted)]
    handle = [x for x in range(picture.width()) if picture.pixelColor(x, 11) == QColor(LIGHT.focus)]
    assert abs((handle[0] + handle[-1]) / 2 - bar.x_of(300)) <= 1
    assert run[0] <= bar.x_of(0) + 1
    assert run[-1] >= handle[0] - 3


def test_a_hall_sees_no_keyframes(qapp: QApplication, bar: HistoryBar) -> None:
    """Keyframes depend on the moments visited before; in lecture mode a moment must always look the same."""
    apply(qapp, LIGHT, lecture=True)
    hall = bar.grab().toImage()
    apply(qapp, LIGHT)
    picture = bar.grab().toImage()
    below = [[image.pixelColor(x, 17).name() for x in range(round(bar.x_of(290)))] for image in (hall, picture)]
    assert len(set(below[0])) == 1 < len(set(below[1]))
