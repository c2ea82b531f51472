"""A lecturer's tools over the window: laser dot, marks that stay in place, black screen, a remote control's keys."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QCursor, QImage, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from slotscope.gui.main_window import MainWindow
from slotscope.gui.presenting.pad import MarkPad, NoteField, base_of, ground_of, placed
from slotscope.model.lessons.files import load_lesson, marks_of
from slotscope.model.lessons.marks import MOST_POINTS
from slotscope.model.running.origin import Moment
from tests.gui.test_keys import CTRL, SHIFT, strike
from tests.gui.test_lesson_questions import drag
from tests.gui.windows import complete_window, rest

Key = Qt.Key
LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm")]

#: A scenario of each kind, an event, and the name of its picture of servers.
PICTURES = (
    ("dra-classroom", 30, "servers"),
    ("queues-classroom", 20, "bins"),
    ("jrs-classroom", 14, "phase-servers"),
    ("moldable-classroom", 7, "moldable-servers"),
)


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> Iterator[MainWindow]:
    with complete_window(qtbot, tmp_path, 720) as made:
        made.resize(1280, 720)
        made.activateWindow()
        qtbot.waitUntil(made.isActiveWindow)
        stand(qtbot, made, "dra-classroom", 12)
        yield made


def stand(qtbot: QtBot, window: MainWindow, scenario: str, event: int) -> None:
    window.control.open(scenario, moment=Moment((event,)))
    rest(qtbot, window, lambda: (window.frame.info.scenario_name, window.frame.event) == (scenario, event))
    qtbot.waitUntil(lambda: window.area.complete)
    qtbot.wait(50)
    window.settle()


def pixels(widget: QWidget) -> np.ndarray:
    """[H, W, 3] pixels of a widget as RGB."""
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    flat = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine() // 4, 4)
    return flat[:, : image.width(), 2::-1].astype(int)


def close_to(seen: np.ndarray, color: str, most: int = 40) -> np.ndarray:
    """[H, W] whether a pixel is close to a colour."""
    wanted = QColor(color)
    return np.abs(seen - [wanted.red(), wanted.green(), wanted.blue()]).max(axis=2) <= most


def draw(pad: MarkPad, *points: QPointF) -> None:
    """Draw a mark with the mouse."""
    first, *others = (point.toPoint() for point in points)
    QTest.mousePress(pad, LEFT, pos=first)
    for point in others:
        drag(pad, point)
    QTest.mouseRelease(pad, LEFT, pos=(others or [first])[-1])


def pad_of(window: MainWindow, name: str) -> MarkPad:
    pad = window.docks[name].panel.findChild(MarkPad)
    assert pad is not None
    return pad


def test_a_dot_follows_the_mouse_and_is_gone_when_off(qtbot: QtBot, window: MainWindow) -> None:
    laser, before = window.lessons.presenter.laser, pixels(window)
    assert not laser.on and not laser.isVisible()
    strike(window, Key.Key_P)
    for at in (QPoint(300, 400), QPoint(900, 300)):
        QCursor.setPos(window.mapToGlobal(at))
        red = window.theme.rejection
        qtbot.waitUntil(lambda at=at, red=red: close_to(pixels(window), red)[at.y() - 3 : at.y() + 4, at.x()].all())
    assert laser.testAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    qtbot.waitUntil(lambda: len(laser._trail) == 1)  # at rest: nothing is painted any more
    strike(window, Key.Key_P)
    assert not laser.on and not laser.isVisible()
    assert not np.abs(pixels(window) - before)[280:320, 880:920].any()


@pytest.mark.parametrize(("scenario", "event", "servers"), PICTURES)
def test_marks_stay_on_their_server_whatever_the_size(
    qtbot: QtBot, window: MainWindow, scenario: str, event: int, servers: str
) -> None:
    stand(qtbot, window, scenario, event)
    pen, panel = window.lessons.presenter.pen, window.docks[servers].panel
    assert not window.findChildren(MarkPad)  # no tool is in hand: nothing covers the panels
    blank = pixels(panel)
    strike(window, Key.Key_N, SHIFT)
    assert pen.in_hand and pen.palette.tool == "arrow"
    pad = pad_of(window, servers)
    base = base_of(panel, (0, 2))
    assert base is not None and QRectF(panel.rect()).contains(base)
    centre = base.center()
    draw(pad, centre - QPointF(60, 60), centre)
    (mark,) = pen.marks
    assert mark.on == (0, 2) and mark.shape == "arrow" and mark.panel == servers

    def seen() -> tuple[QPointF, bool]:
        """The tip's position as a share of its server's rectangle, and whether the tip is painted in red."""
        base, tip = base_of(panel, (0, 2)), placed(panel, mark)[-1]
        assert base is not None
        red = close_to(pixels(panel), window.theme.rejection)[
            round(tip.y()) - 4 : round(tip.y()) + 5, round(tip.x()) - 4 : round(tip.x()) + 5
        ]
        return QPointF((tip.x() - base.x()) / base.width(), (tip.y() - base.y()) / base.height()), bool(red.any())

    share, red = seen()
    assert red and (np.abs(pixels(panel) - blank) > 60).any(axis=2).sum() > 150
    window.resize(1600, 900)
    window.settle()
    strike(window, Key.Key_L)
    qtbot.waitUntil(lambda: window.lecture.on)
    window.settle()
    again, red = seen()
    assert red and abs(again.x() - share.x()) < 0.02 and abs(again.y() - share.y()) < 0.02
    strike(window, Key.Key_Escape)
    assert not pen.in_hand and pen.marks == (mark,)
    strike(window, Key.Key_C)
    assert not pen.marks and not window.findChildren(MarkPad, options=Qt.FindChildOption.FindDirectChildrenOnly)
    qtbot.waitUntil(lambda: not panel.findChildren(MarkPad))


@pytest.mark.parametrize(("scenario", "event", "servers"), PICTURES)
def test_marks_beside_the_servers_go_with_all_of_them(
    qtbot: QtBot, window: MainWindow, scenario: str, event: int, servers: str
) -> None:
    stand(qtbot, window, scenario, event)
    pen, panel = window.lessons.presenter.pen, window.docks[servers].panel
    strike(window, Key.Key_N, SHIFT)
    first = base_of(panel, (0, 0))
    assert first is not None
    tip = QPointF(first.center().toPoint())
    while ground_of(panel, [tip]) != "picture":  # move up until above the first server
        tip -= QPointF(0, 3)
    assert tip.y() > 0
    draw(pad_of(window, servers), tip + QPointF(80, 30), tip)
    (mark,) = pen.marks
    assert (mark.on, mark.of) == (None, "picture")

    def share() -> QPointF:
        base, end = base_of(panel, "picture"), placed(panel, mark)[-1]
        assert base is not None
        return QPointF((end.x() - base.x()) / base.width(), (end.y() - base.y()) / base.height())

    drawn, before = share(), placed(panel, mark)[-1].y() / panel.height()
    window.resize(1280, 620)  # as if a lesson's text takes space
    window.settle()
    assert (share() - drawn).manhattanLength() < 0.01
    assert placed(panel, mark)[-1].y() / panel.height() != before


def test_strokes_and_notes_are_drawn_taken_back_and_cleared(qtbot: QtBot, window: MainWindow) -> None:
    pen, panel = window.lessons.presenter.pen, window.docks["algorithm"].panel
    strike(window, Key.Key_N)
    pad = pad_of(window, "algorithm")
    draw(pad, *(QPointF(40 + 8 * step, 60 + 30 * (step % 2)) for step in range(12)))
    draw(pad, QPointF(200, 40))  # a click without movement draws nothing
    assert [mark.shape for mark in pen.marks] == ["stroke"] and pen.marks[0].on is None
    assert close_to(pixels(panel), window.theme.rejection).sum() > 300
    strike(window, Key.Key_N, CTRL)
    qtbot.mouseClick(pen.palette.buttons["blue"], LEFT)
    QTest.mouseClick(pad, LEFT, pos=QPoint(30, 120))
    (field,) = pad.findChildren(NoteField)
    for key in (Key.Key_L, Key.Key_Space, Key.Key_1):  # typed into the note
        strike(window, key)
    assert field.text() == "l 1" and not window.lecture.on
    QTest.mouseClick(pad, LEFT, pos=QPoint(60, 20))  # begins another note, which completes this one
    assert [mark.text for mark in pen.marks] == ["", "l 1"] and pen.marks[1].color == "blue"
    strike(window, Key.Key_Return)  # an empty note is dropped
    assert len(pen.marks) == 2
    qtbot.waitUntil(lambda: close_to(pixels(panel), window.theme.focus)[110:170, 20:90].sum() > 60)
    strike(window, Key.Key_C)
    assert not pen.marks
    for number in (2, 1, 0):
        strike(window, Key.Key_Z, CTRL)
        assert len(pen.marks) == number
    strike(window, Key.Key_N)
    rounds = [QPointF(100 + 60 * (step % 2), 60 + 0.1 * step) for step in range(2 * MOST_POINTS)]
    draw(pad, *rounds)  # a long stroke is thinned out, but reaches its end
    assert placed(panel, pen.marks[-1])[-1].y() > rounds[-3].y() and len(pen.marks[-1].points) <= MOST_POINTS
    strike(window, Key.Key_N)  # puts the pen away
    assert not pen.in_hand


@pytest.mark.parametrize("key", [Key.Key_N, Key.Key_Escape])
def test_once_the_pen_is_put_away_panels_have_the_mouse_again(qtbot: QtBot, window: MainWindow, key: Key) -> None:
    panel = window.docks["decisions"].panel
    search = panel.findChild(QLineEdit)
    assert search is not None
    middle = search.mapTo(window, search.rect().center())
    strike(window, Key.Key_N)
    assert isinstance(window.childAt(middle), MarkPad)
    strike(window, key)
    assert window.childAt(middle) is search
    assert not panel.findChildren(MarkPad)


def test_the_plate_hides_no_number(qtbot: QtBot, window: MainWindow) -> None:
    palette, shown = window.lessons.presenter.pen.palette, window.transport
    strike(window, Key.Key_N)
    for on in (False, True):
        qtbot.waitUntil(lambda on=on: window.lecture.on == on)
        window.settle()
        for label in (shown.moment.clock, shown.moment.number):
            text = label.fontMetrics().boundingRect(label.text()).height()
            middle = label.mapTo(window, label.rect().center()).y()
            assert palette.y() >= middle + text // 2 - 2, (on, palette.geometry(), middle, text)
        assert palette.geometry().right() < shown.kind.mapTo(window, QPoint(0, 0)).x()
        strike(window, Key.Key_L)


def test_in_a_lessons_hall_the_plate_leaves_the_time_to_be_read(qtbot: QtBot, window: MainWindow) -> None:
    """There the lesson's text takes the space of a row, so that time and buttons share one."""
    window.lessons.open("dra-1-decision", 0)
    strike(window, Key.Key_L)
    rest(qtbot, window, lambda: window.lecture.on and not window.transport.speed.isVisible())
    window.settle()
    strike(window, Key.Key_N)
    palette = window.lessons.presenter.pen.palette
    for width in (1600, 1280):
        window.resize(width, 720)
        window.settle()
        clock = window.transport.moment.clock
        assert palette.isVisible() and palette.geometry().right() < clock.mapTo(window, QPoint(0, 0)).x()
    strike(window, Key.Key_Escape)
    strike(window, Key.Key_L)


def test_marks_are_made_with_the_keyboard_alone(qtbot: QtBot, window: MainWindow) -> None:
    pen = window.lessons.presenter.pen
    window.lessons.open("dra-1-decision", 1)
    rest(qtbot, window, lambda: window.frame.event == 14)
    qtbot.waitUntil(lambda: window.area.selection.server == 6)
    strike(window, Key.Key_N, SHIFT)
    strike(window, Key.Key_Return)
    strike(window, Key.Key_N, CTRL)
    strike(window, Key.Key_Return)
    for key in (Key.Key_A, Key.Key_B):
        strike(window, key)
    strike(window, Key.Key_Return)
    strike(window, Key.Key_N)
    strike(window, Key.Key_Return)
    made = [("arrow", (0, 6), ""), ("note", (0, 6), "ab"), ("stroke", (0, 6), "")]
    assert [(mark.shape, mark.on, mark.text) for mark in pen.marks] == made
    (word,) = window.sharing._marks()
    assert marks_of(word.removeprefix("--marks=")) == pen.marks
    layout = window.area.layouts.text()
    for key, modifier, left in ((Key.Key_Escape, NONE, 3), (Key.Key_C, NONE, 0), (Key.Key_Z, CTRL, 3)):
        strike(window, key, modifier)
        assert len(pen.marks) == left and window.area.layouts.text() == layout


def test_a_lesson_keeps_the_marks_of_its_steps(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    pen, path = window.lessons.presenter.pen, tmp_path / "mine.toml"
    strike(window, Key.Key_N)
    base = base_of(window.docks["servers"].panel, (0, 1))
    assert base is not None
    corners = base.topLeft(), base.topRight(), base.bottomRight(), base.bottomLeft(), base.topLeft()
    draw(pad_of(window, "servers"), *corners)
    strike(window, Key.Key_Escape)
    drawn = pen.marks
    for text in ("First.", "Second."):
        strike(window, Key.Key_M, CTRL)
        line = window.lessons.adding
        line.file.setText(str(path))
        line.text.setText(text)
        strike(window, Key.Key_Return)
        assert line.isHidden(), line.grab()
        strike(window, Key.Key_C)
    assert [step.marks for step in load_lesson(path).steps] == [drawn, ()]
    window.lessons.open(path)
    qtbot.waitUntil(lambda: pen.marks == drawn)
    panel = window.docks["servers"].panel
    qtbot.waitUntil(lambda: close_to(pixels(panel), window.theme.rejection).sum() > 300)
    strike(window, Key.Key_Right)  # marks remain while stepping
    rest(qtbot, window, lambda: window.frame.event == 13)
    assert pen.marks == drawn
    strike(window, Key.Key_PageDown)
    qtbot.waitUntil(lambda: window.lessons.number == 1 and not pen.marks)
    window.lessons.turn(-1)
    qtbot.waitUntil(lambda: pen.marks == drawn)
    stand(qtbot, window, "dra-example-2", 2)  # another run
    assert not pen.marks


def test_black_until_any_key_and_the_run_waits(qtbot: QtBot, window: MainWindow) -> None:
    strike(window, Key.Key_Space)
    rest(qtbot, window, lambda: window.frame.playing)
    strike(window, Key.Key_P)
    strike(window, Key.Key_Period)
    black, laser = window.lessons.presenter.blackout, window.lessons.presenter.laser
    laser._follow()  # the screen stays black, without the laser
    assert black.on and pixels(window).max() == 0
    cover = window.findChild(QWidget, "black")
    assert cover is not None
    held = QKeyEvent(QEvent.Type.KeyPress, Key.Key_Period, Qt.KeyboardModifier.NoModifier, ".", True)
    QApplication.sendEvent(cover, held)
    assert black.on
    rest(qtbot, window, lambda: not window.frame.playing)
    event = window.frame.event
    window.resize(1300, 700)
    assert pixels(window).max() == 0
    strike(window, Key.Key_PageDown)  # only ends the black screen
    assert not black.on and pixels(window).max() > 200 and laser.isVisible()
    rest(qtbot, window, lambda: window.frame.playing and window.frame.event > event)
    strike(window, Key.Key_Space)
    rest(qtbot, window, lambda: not window.frame.playing)
    strike(window, Key.Key_L)
    qtbot.waitUntil(lambda: window.lecture.on)
    strike(window, Key.Key_B)  # some remote controls send B
    assert black.on
    cover = window.findChild(QWidget, "black")
    assert cover is not None
    QTest.mouseClick(cover, LEFT)
    qtbot.wait(100)
    assert not black.on and not window.frame.playing


def test_a_remote_begins_and_ends_the_lecture(qtbot: QtBot, window: MainWindow) -> None:
    window.lessons.open("dra-1-decision", 2)
    line = window.lessons.questions.line
    qtbot.waitUntil(line.answer.hasFocus)
    line.answer.setText("7")
    strike(window, Key.Key_L)  # in a field that is not empty, letters are typed
    assert line.answer.text() == "7l" and not window.lecture.on
    strike(window, Key.Key_F5)
    qtbot.waitUntil(lambda: window.lecture.on)
    strike(window, Key.Key_F5)
    assert window.lecture.on
    strike(window, Key.Key_Escape)
    assert not window.lecture.on
    strike(window, Key.Key_F5)
    for on in (False, True):  # L ends and begins lecture mode without F5: Esc then does not end it
        strike(window, Key.Key_L)
        assert window.lecture.on == on
    strike(window, Key.Key_Escape)
    assert window.lecture.on


def test_escape_stops_what_runs_unseen_before_it_ends_the_lecture(qtbot: QtBot, window: MainWindow) -> None:
    drive = window.worker.drive
    strike(window, Key.Key_F5)
    strike(window, Key.Key_E)
    qtbot.waitUntil(lambda: drive.running)
    strike(window, Key.Key_Escape)
    qtbot.waitUntil(lambda: not drive.running)
    assert window.lecture.on
    rest(qtbot, window, lambda: window.frame.event > 0)
    strike(window, Key.Key_Escape)
    assert not window.lecture.on
