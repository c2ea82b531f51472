"""Questions in the window: answers by keys and clicks, the blocked run, stepping after an answer, reveal to a class."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from slotscope.gui.intents import Select
from slotscope.gui.lessons.questions import QuestionControl
from slotscope.gui.lessons.sketch import SketchPad
from slotscope.gui.main_window import MainWindow
from slotscope.gui.running.worker import RunWorker
from slotscope.gui.widgets.boxes import EnterButton
from slotscope.model.api import Session
from slotscope.model.errors import UntrustedPolicyError
from slotscope.model.exercises.posing import pose
from slotscope.model.exercises.question import QuizQuestion
from slotscope.model.lessons.answers import read_answers
from slotscope.model.lessons.grading import grades, known_lessons
from slotscope.model.reporting.inspection import Thing
from slotscope.model.running.origin import Moment
from tests.gui.test_keys import strike
from tests.gui.windows import choose_file, rest

Key = Qt.Key

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm")]

LESSON = """
title = "Predict"
learn = "What comes next."
[[steps]]
moment = "slotscope dra-classroom --policy dra --seed 171 --event 17"
text = "A training job comes."
question = { ask = "server" }
[[steps]]
moment = "slotscope dra-classroom --policy dra --seed 171 --event 14.1"
text = "It leaves a slot."
question = { ask = "migration" }
[[steps]]
moment = "slotscope queues-classroom --policy max-weight --seed 3 --event 58"
text = "A server is empty."
question = { ask = "value", of = "lengths" }
"""


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path, window: MainWindow) -> MainWindow:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    path = tmp_path / "mine.toml"
    path.write_text(LESSON, "utf-8")
    window.lessons.open(path)
    qtbot.waitUntil(lambda: window.lessons.questions.open)
    return window


def drag(widget: QWidget, to: QPoint) -> None:
    """Move the mouse with its button held down, without moving the system's pointer."""
    at = QPointF(to)
    held = Qt.MouseButton.LeftButton
    event = QMouseEvent(QEvent.Type.MouseMove, at, widget.mapToGlobal(at), held, held, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(widget, event)


def place(window: MainWindow) -> tuple[int, int]:
    return window.frame.event, len(window.frame.records)


def test_a_student_answers_with_the_keyboard(qtbot: QtBot, window: MainWindow) -> None:
    line = window.lessons.questions.line
    qtbot.waitUntil(line.answer.hasFocus)
    assert "Which server takes it, or none?" in line.words.text() and not line.verdict.isVisible()
    QTest.keyClicks(line.answer, "server 9")
    strike(window, Key.Key_Return)
    assert "found 'server 9', allowed: the number of a server" in line.fault.text()
    window.setFocus()
    for key in (Key.Key_Right, Key.Key_Space, Key.Key_E):  # the run is blocked
        strike(window, key)
    strike(window, Key.Key_PageDown)
    assert "Commit an answer first" in line.fault.text()
    qtbot.wait(200)
    assert place(window) == (17, 0) and window.lessons.number == 0
    strike(window, Key.Key_A)
    assert line.answer.hasFocus()
    line.answer.clear()
    QTest.keyClicks(line.answer, "7")
    strike(window, Key.Key_Return)
    assert line.verdict.text().startswith("✗ Not so: server 7 has no empty slot of type training")
    assert "Algorithm 2, line 18" in line.verdict.text()
    rest(qtbot, window, lambda: place(window) == (17, 2))
    strike(window, Key.Key_PageDown)
    rest(qtbot, window, lambda: place(window) == (14, 1))


def test_no_run_begins_while_a_question_is_on_its_way(qtbot: QtBot, window: MainWindow) -> None:
    window.lessons.open(window.lessons.path, 1)
    assert not window.actions_by_name["step"].isEnabled()
    qtbot.waitUntil(lambda: window.lessons.questions.open)
    assert not window.actions_by_name["step"].isEnabled()
    window.lessons.questions.close()
    assert window.actions_by_name["step"].isEnabled()


def test_a_question_that_waits_for_permission_holds_no_run(window: MainWindow) -> None:
    """Without permission for a policy's file, the present run goes on."""
    worker, held = RunWorker(), []
    questions = QuestionControl(window.area, worker)
    questions.held.connect(held.append)
    questions.begin_turn()
    worker.permission_wanted.emit(UntrustedPolicyError("mine.py", ""), lambda _: None)
    assert held[-2:] == [True, False]
    questions.deleteLater()


def test_r_reveals_from_the_field_too(qtbot: QtBot, window: MainWindow) -> None:
    line = window.lessons.questions.line
    qtbot.waitUntil(line.answer.hasFocus)
    QTest.keyClicks(line.answer, "7")
    strike(window, Key.Key_R)  # typed into the field, which contains an answer
    assert line.answer.text() == "7r" and window.lessons.questions.open
    line.answer.clear()
    strike(window, Key.Key_R)
    assert line.verdict.text().startswith("none: ") and not window.lessons.questions.open


def test_keys_with_which_no_answer_begins_are_commands(qtbot: QtBot, window: MainWindow) -> None:
    line = window.lessons.questions.line
    qtbot.waitUntil(line.answer.hasFocus)
    for key in (Key.Key_N, Key.Key_S, Key.Key_7):  # first letters of: none, server 7, 7
        strike(window, key)
        assert line.answer.text() == chr(key).lower() and not window.lessons.presenter.pen.in_hand
        line.answer.clear()
    line.answer.setText("7")
    strike(window, Key.Key_L)  # typed into the field, which is not empty
    assert line.answer.text() == "7l" and not window.lecture.on
    line.answer.clear()
    strike(window, Key.Key_L)
    qtbot.waitUntil(lambda: window.lecture.on and line.counts.isVisible())
    assert line.answer.text() == "" and window.lessons.questions.open
    line.counts.setFocus()  # the field for a class, too
    strike(window, Key.Key_L)
    qtbot.waitUntil(lambda: not window.lecture.on)
    assert line.counts.text() == ""


def test_a_click_on_a_server_answers(qtbot: QtBot, window: MainWindow) -> None:
    window.lessons.questions.close()
    strike(window, Key.Key_PageDown)
    qtbot.waitUntil(lambda: window.lessons.questions.open)
    line = window.lessons.questions.line
    window.carry_out(Select(server=3))
    assert line.answer.text() == ""  # only clicks in a panel are answers
    window.docks["servers"].panel.intent.emit(Select(server=6, job=12))
    assert line.answer.text() == "7"
    qtbot.mouseClick(line.buttons["commit"], Qt.MouseButton.LeftButton)
    assert line.verdict.text().startswith("✓ Right: job 12 of server 7 migrates")
    rest(qtbot, window, lambda: place(window) == (14, 2))


def test_a_hall_counts_and_reveals(qtbot: QtBot, window: MainWindow) -> None:
    strike(window, Key.Key_Escape)
    window.setFocus()
    strike(window, Key.Key_L)
    qtbot.waitUntil(lambda: window.lecture.on and window.lessons.questions.line.counts.isVisible())
    line = window.lessons.questions.line
    line.counts.setFocus()
    QTest.keyClicks(line.counts, "none = 12; 7 = 30; 2")
    strike(window, Key.Key_Return)
    assert "found '2', allowed: answers with how many gave them" in line.fault.text() and window.lessons.questions.open
    line.counts.setText("none = 12; 7 = 30")
    strike(window, Key.Key_PageDown)
    assert line.counts.isVisible() and line.verdict.text().startswith("none: ")
    assert line.verdict.text().replace("\u00a0", " ").endswith("✗ 7: 30 (71%) · ✓ none: 12 (29%)")
    rest(qtbot, window, lambda: place(window) == (17, 2))
    strike(window, Key.Key_PageDown)
    rest(qtbot, window, lambda: place(window) == (14, 1))
    # The picture that the question is about still has its space after the answer.
    window.resize(1280, 665)
    stacks = window.docks["servers"].panel.stacks
    qtbot.waitUntil(lambda: window.lessons.questions.open and stacks.isVisible())
    strike(window, Key.Key_R)
    rest(qtbot, window, lambda: place(window) == (14, 2))
    assert line.verdict.isVisible() and not line.answer.isVisible() and stacks.isVisible()


def test_who_steps_past_the_decision_has_seen_the_answer(qtbot: QtBot, window: MainWindow) -> None:
    window.control.step()
    qtbot.waitUntil(lambda: not window.lessons.questions.open)
    assert window.lessons.questions.line.verdict.text().startswith("none: ")


def test_the_question_of_a_step_that_is_on_its_way_is_not_given_up_for_another(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    questions = window.lessons.questions
    window.lessons.open(tmp_path / "mine.toml", 1)
    strike(window, Key.Key_A)
    qtbot.waitUntil(lambda: questions.open)
    assert questions.posed is not None and (questions.posed.ask, questions._step) == ("migration", ("mine", 2))


def test_where_the_moment_of_a_step_cannot_be_shown_another_question_can_be_asked(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    questions, path = window.lessons.questions, tmp_path / "far.toml"
    path.write_text(LESSON.replace("slotscope dra-classroom", "slotscope gone.toml"), "utf-8")
    window.lessons.open(path)
    qtbot.waitUntil(lambda: "cannot be shown" in window.lessons.strip._fault.text())
    strike(window, Key.Key_A)
    qtbot.waitUntil(lambda: questions.open)


def test_ask_me_this_asks_for_the_decision_that_comes(qtbot: QtBot, window: MainWindow) -> None:
    window.lessons.end()
    assert not window.lessons.questions.open and window.lessons.questions.line.isHidden()
    strike(window, Key.Key_A)
    qtbot.waitUntil(lambda: window.lessons.questions.open)
    strike(window, Key.Key_Escape)
    assert window.lessons.questions.line.words.text().startswith("The training job")


def test_who_asks_while_a_run_is_on_its_way_to_its_moment_is_asked_there(qtbot: QtBot, window: MainWindow) -> None:
    window.lessons.end()
    window.control.open("dra-classroom", "dra", 171, Moment((17,)))
    strike(window, Key.Key_A)
    qtbot.waitUntil(lambda: window.lessons.questions.open)
    rest(qtbot, window, lambda: place(window) == (17, 0))
    assert window.lessons.questions.line.words.text().startswith("The training job")


SYSTEMS = {
    "dra-classroom": "server",
    "queues-classroom": "job",
    "jrs-classroom": "token",
    "moldable-classroom": "servers",
}


@pytest.mark.parametrize("scenario", SYSTEMS)
def test_a_student_performs_the_algorithm(qtbot: QtBot, window: MainWindow, scenario: str, tmp_path: Path) -> None:
    questions, line = window.lessons.questions, window.lessons.questions.line
    window.lessons.end()
    window.control.open(scenario)
    rest(qtbot, window, lambda: window.frame.info.scenario_name == scenario)
    ask = SYSTEMS[scenario]
    file = tmp_path / "mine.answers"
    window.actions_by_name["keep_answers"].trigger()
    choose_file(window, file)
    window.activateWindow()  # as a window manager does after the dialog has closed
    qtbot.waitUntil(window.isActiveWindow)
    strike(window, Key.Key_X)
    row = window.lessons.exercises.line
    row.what.setCurrentIndex(row.what.findData(ask))
    row.seed.setValue(4)
    strike(window, Key.Key_Return)  # the Begin button has the focus
    moments, posed = [], None
    for number in range(3):
        qtbot.waitUntil(lambda last=posed: questions.posed is not last and line.answer.hasFocus())
        posed = questions.posed
        assert posed is not None and posed.ask == ask
        rest(qtbot, window, lambda p=posed: place(window)[1] == p.place and place(window) not in moments)
        assert window.frame.info.seed == 4
        moments.append(place(window))
        if number == 1:
            qtbot.mouseClick(line.buttons["reveal"], Qt.MouseButton.LeftButton)
        else:
            QTest.keyClicks(line.answer, posed.taken)
            strike(window, Key.Key_Return)
            assert line.verdict.text().startswith("✓ Right: ")
        qtbot.waitUntil(line.buttons["next"].hasFocus)
        strike(window, Key.Key_Return)
    assert moments == sorted(set(moments))
    qtbot.waitUntil(lambda: questions.open)
    assert line.score.text() == "2 of 3 right"
    assert [one.grade for one in grades(file, {})] == ["right", "revealed", "right"]
    window.say("")
    qtbot.mouseClick(line.buttons["skip"], Qt.MouseButton.LeftButton)
    assert line.isHidden()


@pytest.mark.parametrize("scenario", [name for name in SYSTEMS if name != "moldable-classroom"])
def test_a_click_in_the_picture_of_servers_answers(qtbot: QtBot, window: MainWindow, scenario: str) -> None:
    questions, line = window.lessons.questions, window.lessons.questions.line
    window.lessons.end()
    window.control.open(scenario)
    rest(qtbot, window, lambda: window.frame.info.scenario_name == scenario)
    for seed in range(1, 9):
        window.lessons.exercises.begin(frozenset({"server"}), 0, seed)
        qtbot.waitUntil(lambda: questions.open)
        assert questions.posed is not None
        if questions.posed.taken != "none":
            break
    taken = questions.posed.taken
    rest(qtbot, window, lambda: place(window)[1] == questions.posed.place)
    panel = window.docks[window.area.roles.servers].panel
    view = getattr(panel, "view", None) or panel.stacks
    spots = (QPoint(x, y) for y in range(view.height() // 2, view.height(), 40) for x in range(20, view.width(), 25))
    for spot in spots:
        qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=spot)
        if line.answer.text() == taken:
            break
    assert line.answer.text() == taken and window.area.selection.server == int(taken) - 1
    qtbot.mouseClick(line.buttons["commit"], Qt.MouseButton.LeftButton)
    assert line.verdict.text().startswith("✓ Right: ")


def test_a_job_or_a_token_that_is_pointed_at_answers(qtbot: QtBot, window: MainWindow) -> None:
    questions, line = window.lessons.questions, window.lessons.questions.line
    for scenario, what, panel in (("queues-classroom", "job", "queues"), ("jrs-classroom", "token", "tokens")):
        window.control.open(scenario)
        rest(qtbot, window, lambda s=scenario: window.frame.info.scenario_name == s)
        qtbot.waitUntil(lambda p=panel: p in window.docks and window.area.complete)
        window.lessons.exercises.begin(frozenset({what}), 0, 3)
        qtbot.waitUntil(lambda: questions.open)
        posed = questions.posed
        assert posed is not None and posed.picks == what
        number = next(number for number in range(300) if posed.pointed(number) == posed.taken)
        chosen = Select(thing=Thing(what, number), job=number if what == "job" else None)
        window.docks[panel].panel.intent.emit(chosen)
        assert line.answer.text() == posed.taken
        questions.close()


@pytest.mark.parametrize("lecturing", [False, True])
def test_enter_commits_what_was_pressed_or_pointed_at(qtbot: QtBot, window: MainWindow, lecturing: bool) -> None:
    questions, line = window.lessons.questions, window.lessons.questions.line
    if lecturing:
        window.actions_by_name["lecture"].trigger()
        qtbot.waitUntil(line.counts.isVisible)
    seven = next(one for one in line.findChildren(EnterButton) if one.text() == "7")
    view = window.docks[window.area.roles.servers].panel
    for answer in (
        lambda: qtbot.mouseClick(seven, Qt.MouseButton.LeftButton),
        lambda: view.intent.emit(Select(thing=Thing("server", 6), server=6)),
    ):
        line.fill("")
        view.setFocus()
        answer()
        assert line.answer.text() == "7" and questions.open
        assert window.focusWidget() is line.buttons["commit"]
    strike(window, Key.Key_Return)
    assert not questions.open and line.verdict.text().startswith("✗ ")


def test_answers_of_a_lesson_are_graded_with_it(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = window.lessons.questions.line
    line.fill("7")
    line.committed.emit()  # before a file is chosen
    file = tmp_path / "mine.answers"
    window.actions_by_name["keep_answers"].trigger()
    choose_file(window, file)
    strike(window, Key.Key_PageDown)
    qtbot.waitUntil(lambda: window.lessons.questions.open)
    line.fill("7")
    line.committed.emit()
    found = grades(file, known_lessons((tmp_path / "mine.toml",)))
    assert [(one.lesson, one.step, one.grade, one.answer) for one in found] == [
        ("mine", "1", "wrong", "7"),
        ("mine", "2", "right", "7"),
    ]
    assert not any("lesson" in one.note for one in found)
    assert window.status.said.text().startswith(f"Closing code {read_answers(file).code}; ")  # a long path would be cut
    file.write_text("no answers", "utf-8")
    window.lessons.turn(1)
    qtbot.waitUntil(lambda: window.lessons.questions.open)
    line.fill("0 0 0 0 0 0 0")
    line.committed.emit()
    assert "choose another file" in window.status.said.text()


def test_a_curve_is_drawn_with_the_mouse_and_the_keys(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "curve.toml"
    moment = "slotscope dra-classroom --policy dra --seed 171 --event 30"
    path.write_text(
        f'title = "C"\nlearn = "c"\n[[steps]]\nmoment = "{moment}"\ntext = "x"\n'
        'question = { ask = "curve", until = 80 }\n',
        "utf-8",
    )
    window.lessons.open(path)
    line, questions = window.lessons.questions.line, window.lessons.questions
    qtbot.waitUntil(lambda: questions.open and line.sketch.isVisible() and line.sketch.width() > 100)
    window.lecture.toggle()
    assert window.lecture.on and line.counts.isHidden()  # no two drawn curves are equal, and the text needs the space
    window.lecture.toggle()
    posed = questions.posed
    assert posed is not None and posed.sketch is not None
    right = [float(part) for part in posed.taken.split()]
    pad = line.sketch
    spots = [pad._at(float(time), value).toPoint() for time, value in zip(posed.sketch.wanted, right, strict=True)]
    QTest.mousePress(pad, Qt.MouseButton.LeftButton, pos=spots[0])
    for spot in spots[1:]:
        drag(pad, spot)
    QTest.mouseRelease(pad, Qt.MouseButton.LeftButton, pos=spots[-1])
    drawn = [float(part) for part in line.answer.text().split()]
    assert len(drawn) == len(right) and max(abs(a - b) for a, b in zip(drawn, right, strict=True)) < 0.05 * max(right)
    window.setFocus()
    for key in (Key.Key_A, Key.Key_Left, Key.Key_Up):  # if a curve is to be drawn, A gives the focus to it
        strike(window, key)
    moved = [float(part) for part in line.answer.text().split()]
    assert pad.hasFocus() and moved[-2] > drawn[-2] and moved[:-2] == drawn[:-2]
    line.answer.setFocus()
    line.answer.selectAll()
    QTest.keyClicks(line.answer, posed.taken)
    assert pad._values == right  # typed values are drawn
    QTest.mouseClick(pad, Qt.MouseButton.LeftButton, pos=spots[-1])
    strike(window, Key.Key_Return)
    assert line.verdict.text().startswith("✓ Right: ")
    rest(qtbot, window, lambda: window.frame.time > 60)


@pytest.mark.parametrize(
    ("scenario", "policy", "event"), [("dra-classroom", "dra", 17), ("queues-bf-unstable", "bf-js", 360)]
)
def test_tab_goes_from_the_field_to_what_writes_an_answer(
    qtbot: QtBot, window: MainWindow, scenario: str, policy: str, event: int
) -> None:
    """To each button, or to the list if there are many answers; also for the second question."""
    window.lessons.end()
    info = window.frame.info  # of the lesson, whose run may be at the same event
    window.control.open(scenario, policy, None, Moment((event,)))
    rest(qtbot, window, lambda: window.frame.event == event and window.frame.info is not info)
    line = window.lessons.questions.line
    for _ in range(2):
        strike(window, Key.Key_A)
        qtbot.waitUntil(line.answer.hasFocus)
        for offered in (*line._offered, line.buttons["commit"]):
            QTest.keyClick(window.focusWidget(), Key.Key_Tab)
            assert offered.hasFocus()
        QTest.mouseClick(line.buttons["skip"], Qt.MouseButton.LeftButton)


def test_with_the_keys_a_curve_goes_on_level(qtbot: QtBot) -> None:
    session = Session.open("dra-classroom", "dra", seed=171)
    room = QWidget()
    qtbot.addWidget(room)
    pad = SketchPad(room)
    pad.ask(pose(session, QuizQuestion(ask="curve", until=80)))
    drawn: list[list[float]] = []
    pad.drawn.connect(lambda text: drawn.append([float(part) for part in text.split()]))
    for keys in (Key.Key_Up, Key.Key_Right, Key.Key_Up, Key.Key_Left, Key.Key_Up):
        QTest.keyClick(pad, keys)
    step = drawn[0][0]
    assert step > 0 and drawn[0] == [step] * 8  # nothing is drawn yet: all points rise
    assert drawn[2] == [step, *[2 * step] * 7]  # all points from the second on
    assert drawn[4] == [2 * step] * 8  # only the first, as those after it were higher


def test_a_curve_that_is_drawn_beyond_10000_is_an_answer(qtbot: QtBot) -> None:
    """It was written as 1e+04, which is not an accepted answer."""
    posed = pose(Session.open("dra-classroom", "dra", seed=171), QuizQuestion(ask="curve", until=80))
    assert posed.sketch is not None
    room = QWidget()
    qtbot.addWidget(room)
    pad = SketchPad(room)
    pad.ask(replace(posed, sketch=replace(posed.sketch, top=20_000.0)))
    drawn: list[str] = []
    pad.drawn.connect(drawn.append)
    for _ in range(13):
        QTest.keyClick(pad, Key.Key_Up)
    assert posed.read(drawn[-1]) == drawn[-1] == " ".join(["13000"] * 8)


#: Panels that show GPA's result, also by the order of servers that get its configurations, and by a server's rank.
HIDDEN = frozenset({"servers", "server-grid", "lp", "theory", "inspector"})


@pytest.mark.parametrize(
    ("name", "step", "hidden"), [("dra-5-numbers", 4, HIDDEN), ("dra-4-print", 4, HIDDEN), ("tour", 3, frozenset())]
)
def test_no_panel_tells_what_is_asked(
    qtbot: QtBot, window: MainWindow, name: str, step: int, hidden: frozenset[str]
) -> None:
    """Headings and columns are those of the last CRA; panels that become visible later hide the answer, too."""
    window.lessons.open(name, step)
    rest(qtbot, window, lambda: window.lessons.questions.open and window.lessons.questions._step[0] == name)
    for dock in window.docks.values():
        dock.raise_()
        qtbot.wait(10)
    window.area.select(Select(server=0))
    tells = {name for name, dock in window.docks.items() if dock.panel.shows_note}
    assert hidden <= tells if hidden else "servers" not in tells
    for name in hidden:
        said: list[str] = []
        window.docks[name].said.connect(said.append)
        window.docks[name]._ask_series()
        assert said == [f"{window.docks[name].panel.title} has no series to save"]
    strike(window, Key.Key_R)
    rest(qtbot, window, lambda: not window.lessons.questions.open)
    assert not any(window.docks[name].panel.veiled for name in hidden)
    qtbot.waitUntil(lambda: not window.docks["servers"].panel.shows_note)
