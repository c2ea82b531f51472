"""Questions in lecture mode: the possible answers, and the same picture before and after the answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QToolButton
from pytestqt.qtbot import QtBot

from slotscope.gui.intents import Select
from slotscope.gui.language.words import tr
from slotscope.gui.main_window import MainWindow
from slotscope.gui.presenting.pad import base_of
from slotscope.model.reporting.records import Line
from tests.gui.halls import PROJECTOR
from tests.gui.test_lecture import LEAST
from tests.gui.windows import IN_EACH_LANGUAGE, at_rest, choose_file, press, rest

Key = Qt.Key

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm"), IN_EACH_LANGUAGE]


@pytest.fixture
def window(tidy_window: MainWindow) -> MainWindow:
    tidy_window.resize(*PROJECTOR)
    return tidy_window


def ask(qtbot: QtBot, window: MainWindow, name: str, step: int) -> None:
    """Open a lesson at a question, in lecture mode."""
    window.lessons.open(name, step)
    qtbot.waitUntil(lambda: window.lessons.questions.open)
    if not window.lecture.on:
        press(qtbot, window, Key.Key_L)
    qtbot.wait(100)
    window.settle()


@pytest.mark.parametrize(("name", "step"), [("dra-1-decision", 2), ("tour", 3)])
def test_the_answer_leaves_the_stacks_their_room(qtbot: QtBot, window: MainWindow, name: str, step: int) -> None:
    ask(qtbot, window, name, step)
    line, panel = window.lessons.questions.line, window.docks["servers"].panel
    high, size = line.height(), panel.size()
    press(qtbot, window, Key.Key_R)
    at_rest(qtbot, window, lambda: not window.lessons.questions.open and line.verdict.isVisible())
    window.settle()
    assert line.height() <= high and not line.words.isVisible()
    assert panel.stacks.isVisible() and panel.size() == size
    box = base_of(panel, (0, 0))
    assert box is not None and box.height() >= LEAST
    press(qtbot, window, Key.Key_L)
    qtbot.waitUntil(lambda: not window.lecture.on)
    assert line.verdict.isVisible() and not line.words.isVisible()
    window.lessons.open(name, step)
    qtbot.waitUntil(lambda: window.lessons.questions.open and line.words.isVisible())


@pytest.mark.parametrize(("name", "step"), [("dra-2-reserve", 0), ("dra-3-limit", 5)])
def test_a_question_leaves_a_comparison_its_stacks(qtbot: QtBot, window: MainWindow, name: str, step: int) -> None:
    """The stacks of Figure 1, before and after the answer, even if a window frame takes part of the screen."""
    window.resize(PROJECTOR[0] - 12, PROJECTOR[1] - 33)
    ask(qtbot, window, name, step)
    line, stacks = window.lessons.questions.line, window.docks["servers"].panel.stacks
    pictures = [window.docks[dock].panel for dock in ("servers", "servers-2")]
    high, sizes = line.height(), [picture.size() for picture in pictures]
    assert stacks.isVisible()
    press(qtbot, window, Key.Key_R)
    at_rest(qtbot, window, lambda: not window.lessons.questions.open and line.verdict.isVisible())
    window.settle()
    assert stacks.isVisible() and line.height() == high
    if name == "dra-2-reserve":  # the other one is asked at the start and answered where a sentence has four lines
        assert [picture.size() for picture in pictures] == sizes
    assert window.transport.scenario.isHidden()
    press(qtbot, window, Key.Key_L)
    qtbot.waitUntil(lambda: not window.lecture.on)
    assert window.transport.scenario.isVisible() and window.transport.kind.isVisible()


def test_a_verdict_has_the_row(qtbot: QtBot, window: MainWindow) -> None:
    """The row of the verdict is used: no second line while there is space beside it."""
    ask(qtbot, window, "dra-1-decision", 2)
    line = window.lessons.questions.line
    press(qtbot, window, Key.Key_R)
    at_rest(qtbot, window, lambda: not window.lessons.questions.open and line.verdict.isVisible())
    window.settle()
    free = line.width() - line.verdict.geometry().right()
    beside = sum(one.width() for one in (line.buttons["skip"], line.counts))
    assert line.counts.isVisible() and free - beside < 0.06 * line.width()
    assert line.counts.placeholderText() == tr("counts")


def test_fields_beside_many_answers_say_what_they_are_for(qtbot: QtBot, window: MainWindow) -> None:
    ask(qtbot, window, "queues-1-slot", 1)
    line = window.lessons.questions.line
    assert [line.answer.placeholderText(), line.counts.placeholderText()] == [tr("Answer"), tr("counts")]


def test_a_hall_is_told_how_far_compiling_is(qtbot: QtBot, window: MainWindow) -> None:
    ask(qtbot, window, "dra-1-decision", 2)
    label, text = window.transport._compiling, tr("compiling {done} of {all}").format(done=8, all=8)
    window.worker.compiling.emit(text)
    window.settle()
    assert label.isVisible() and label.shown == [text]
    window.worker.compiling.emit("")
    assert not label.isVisible()


def test_the_curve_that_came_leaves_the_servers_their_room(qtbot: QtBot, window: MainWindow) -> None:
    ask(qtbot, window, "moldable-3-many", 1)
    line = window.lessons.questions.line
    high = line.height()
    press(qtbot, window, Key.Key_R)
    at_rest(qtbot, window, lambda: not window.lessons.questions.open and line.verdict.isVisible())
    window.settle()
    assert line.sketch.isVisible() and line.height() <= high


def test_every_server_of_many_can_be_chosen(qtbot: QtBot, window: MainWindow) -> None:
    ask(qtbot, window, "dra-2-reserve", 0)
    line = window.lessons.questions.line
    (box,) = line.findChildren(QComboBox)
    assert [box.itemText(number) for number in range(box.count())] == [*map(str, range(1, 17)), "none"]
    assert box.isVisible() and box.currentIndex() < 0
    assert not any(one.text() == "none" for one in line.findChildren(QToolButton) if one.isVisible())
    box.setFocus()
    qtbot.keyClick(box, Key.Key_Return)
    qtbot.waitUntil(box.view().isVisible)
    box.view().setCurrentIndex(box.model().index(16, 0))
    qtbot.keyClick(box.view(), Key.Key_Return)
    assert line.answer.text() == "none"
    press(qtbot, window, Key.Key_PageDown)
    at_rest(qtbot, window, lambda: not window.lessons.questions.open)
    assert not box.isVisible()


def test_pseudocode_beside_a_question_is_cut_no_more_than_if_the_step_were_the_first(
    qtbot: QtBot, window: MainWindow
) -> None:
    """The step before it runs a function whose lines do not have the space of two rows."""

    def shown() -> tuple[int, int]:
        ask(qtbot, window, "dra-1-decision", 2)
        view = window.docks["algorithm"].panel.view
        qtbot.waitUntil(lambda: view.picture.current == Line(2, 23))
        assert window.docks["servers"].panel.selection == window.area.selection != Select()
        return view._setting, view.verticalScrollBar().value()

    alone = shown()
    window.lessons.turn(-1)
    view = window.docks["algorithm"].panel.view
    at_rest(qtbot, window, lambda: view.picture.current == Line(2, 16))
    assert shown() == alone


@pytest.mark.parametrize("hall", [True, False])
@pytest.mark.parametrize(("name", "step"), [("tour", 3), ("dra-2-reserve", 0), ("dra-3-limit", 5)])
def test_a_fault_leaves_the_picture_as_it_is(
    qtbot: QtBot, window: MainWindow, name: str, step: int, hall: bool
) -> None:
    """The message is shown with the question or in its place, and covers no title below it."""
    ask(qtbot, window, name, step)
    if not hall:
        press(qtbot, window, Key.Key_L)
        qtbot.waitUntil(lambda: not window.lecture.on)
        window.settle()
    line, stacks = window.lessons.questions.line, window.docks["servers"].panel.stacks
    before = line.height(), stacks.isVisible(), stacks.size()
    line.answer.setFocus()
    qtbot.keyClicks(line.answer, "-99")
    qtbot.keyClick(line.answer, Key.Key_Return)
    assert line.fault.isVisible() and "99" in line.fault.text()
    window.settle()
    qtbot.wait(50)
    assert (line.height(), stacks.isVisible(), stacks.size()) == before
    for label in (line.fault, line.words):
        assert not label.isVisible() or label.height() >= label.heightForWidth(label.width())
    assert line.rect().contains(line.fault.geometry())
    assert not line.fault.geometry().intersects(line.answer.geometry())
    qtbot.keyClicks(line.answer, "1")
    assert not line.fault.isVisible() and line.words.isVisible()


def test_a_stray_x_leaves_the_lesson_as_it_is(qtbot: QtBot, window: MainWindow) -> None:
    lessons = window.lessons
    ask(qtbot, window, "dra-1-decision", 2)
    press(qtbot, window, Key.Key_X)
    assert lessons.exercises.line.isVisible()
    press(qtbot, window, Key.Key_Escape)
    assert not lessons.exercises.line.isVisible() and lessons.questions.open
    assert lessons.lesson is not None and lessons.strip.isVisible()
    press(qtbot, window, Key.Key_X)
    qtbot.keyClick(lessons.exercises.line.begin, Key.Key_Return)
    assert lessons.lesson is None and not lessons.strip.isVisible()
    qtbot.waitUntil(lambda: lessons.questions.open)
    assert lessons.questions.goes_on


def test_revealing_after_an_answer_leaves_the_verdict_and_the_keys(qtbot: QtBot, window: MainWindow) -> None:
    """Enter continues with the next decision of an exercise; counts of a class are shown with the verdict."""
    questions, line = window.lessons.questions, window.lessons.questions.line
    ask(qtbot, window, "dra-1-decision", 2)
    window.lessons.exercises.begin(frozenset({"server"}), 0, 4)
    qtbot.waitUntil(lambda: questions.open and questions.goes_on)
    assert questions.posed is not None
    taken = questions.posed.taken
    line.fill(taken)
    questions.commit()
    said = line.verdict.text()
    assert said.startswith("✓") and window.focusWidget() is line.buttons["next"]
    press(qtbot, window, Key.Key_R)
    assert line.verdict.text() == said and window.focusWidget() is line.buttons["next"]
    line.counts.setText(f"{taken} = 3")
    line.counts.returnPressed.emit()
    assert f"✓ {taken}: 3 (100%)".replace(" ", "\u00a0") in line.verdict.text()  # no line break inside
    assert window.focusWidget() is line.buttons["next"]
    answered = questions.posed
    press(qtbot, window, Key.Key_PageDown)  # a presenter's remote control has no Enter key
    qtbot.waitUntil(lambda: questions.open and questions.posed is not answered)


def test_an_exercise_that_finds_no_decision_leaves_the_run(qtbot: QtBot, window: MainWindow) -> None:
    questions = window.lessons.questions
    window.control.open("dra-classroom", policy="first-fit")
    rest(qtbot, window, lambda: window.frame.info.policy_name == "first-fit")
    info, stood, replaced = window.frame.info, window.frame.event, window.worker.replaced
    with qtbot.waitSignal(questions.refused, timeout=30_000) as refused:
        window.lessons.exercises.begin(frozenset({"migration"}), 0, info.seed + 1)
    assert "2000" in refused.args[0]  # the number of events, in either language
    rest(qtbot, window, lambda: True)
    assert (window.frame.info, window.frame.event) == (info, stood)
    assert not questions.stands and window.worker.replaced is replaced


def test_a_moment_added_in_a_hall_is_the_picture_that_the_hall_had(qtbot: QtBot, window: MainWindow) -> None:
    """The lesson shows the log if the log was shown, but not just for its last sentence."""
    ask(qtbot, window, "dra-1-decision", 2)
    assert window.docks["decisions"].seen
    assert window.lessons.present()["panels"] == ["algorithm"]
    press(qtbot, window, Key.Key_3)
    assert window.lessons.present()["panels"] == ["algorithm", "decisions"]
    press(qtbot, window, Key.Key_L)
    qtbot.waitUntil(lambda: not window.lecture.on)
    assert "decisions" in window.lessons.present()["panels"]


def test_what_is_typed_goes_to_the_answer_once_a_file_keeps_answers(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.lessons.open("dra-1-decision", 2)
    qtbot.waitUntil(lambda: window.lessons.questions.open)
    window.setFocus()  # as after a click on the menu
    window.actions_by_name["keep_answers"].trigger()
    choose_file(window, tmp_path / "mine.answers")
    window.activateWindow()
    qtbot.waitUntil(window.lessons.questions.line.answer.hasFocus)
