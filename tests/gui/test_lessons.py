"""Lessons in the window: a presenter's keys, panels, outlines, moments that fail, adding one's own steps."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QDialog, QLabel, QTextBrowser
from pytestqt.qtbot import QtBot

from slotscope.gui.intents import Select
from slotscope.gui.lessons.start_page import shown_at_start
from slotscope.gui.main_window import MainWindow
from slotscope.gui.widgets.scripts import paragraphs, spoken
from slotscope.model.lessons.files import lesson_files, lesson_titles, load_lesson
from slotscope.model.phrase import LANGUAGES
from slotscope.model.scenario.files import scenario_files
from tests.gui.test_keys import strike
from tests.gui.windows import rest
from tests.kinds.reservation.gui.servers_views import stacks

Key = Qt.Key

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm")]

LINE = "slotscope dra-classroom --policy dra --seed 171 --event {}"
STEPS = (
    (LINE.format("14"), 'panels = ["theory"]\noutline = ["server 6", "job 5"]'),
    (LINE.format("14.3"), 'panels = ["groups", "nothing"]'),
    ("slotscope dra-classroom --policy gone.py --seed 1 --event 1", ""),
    ("slotscope dra-example-2 --policy dra --seed 1 --event 99999", ""),
    ("slotscope dra-classroom --policy dra --policy first-fit --seed 171 --event 10,10", 'panels = ["comparison"]'),
    ("slotscope queues-classroom --policy vqs --seed 1 --event 5", 'outline = ["server 2"]\nwidth = 0.5'),
)


@pytest.fixture
def window(qtbot: QtBot, window: MainWindow) -> MainWindow:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    return window


@pytest.fixture
def lesson(tmp_path: Path) -> Path:
    """A lesson whose third and fourth steps fail."""
    steps = [f'[[steps]]\nmoment = "{line}"\ntext = "Step {n}."\n{more}' for n, (line, more) in enumerate(STEPS, 1)]
    path = tmp_path / "mine.toml"
    path.write_text("\n".join(['title = "Mine"\nlearn = "Something."', *steps]), "utf-8")
    return path


def said(window: MainWindow) -> str:
    return "|".join(label.text() for label in window.lessons.strip.findChildren(QLabel) if label.isVisibleTo(window))


def stands(window: MainWindow, scenario: str, event: int, substeps: int = 0) -> bool:
    frame = window.frame
    return (frame.info.scenario_name, frame.event, len(frame.records)) == (scenario, event, substeps)


def test_a_presenter_goes_through_a_lesson(qtbot: QtBot, window: MainWindow, lesson: Path) -> None:
    window.lessons.open(lesson)
    rest(qtbot, window, lambda: stands(window, "dra-classroom", 14))
    qtbot.waitUntil(lambda: window.area.selection == Select(server=5, job=5))
    assert "Mine" in said(window) and "1 of 6" in said(window) and "Step 1." in said(window)
    assert window.docks["theory"].seen and not window.docks["groups"].seen
    run = window.worker.session

    strike(window, Key.Key_Right)  # steps without the lesson
    rest(qtbot, window, lambda: stands(window, "dra-classroom", 15))
    window.transport.scenario.setFocus()
    strike(window, Key.Key_PageDown)
    rest(qtbot, window, lambda: stands(window, "dra-classroom", 14, 3))
    assert window.worker.session is run  # the same run, which only goes to the moment
    qtbot.waitUntil(lambda: "This step: panels: found 'nothing', allowed: algorithm" in said(window))
    assert window.docks["groups"].seen

    for told, number in (("gone.py", 3), ("allowed: up to", 4)):
        strike(window, Key.Key_PageDown)
        qtbot.waitUntil(lambda t=told: t in said(window))
        assert f"{number} of 6" in said(window) and f"Step {number}." in said(window)
    strike(window, Key.Key_PageDown)
    rest(qtbot, window, lambda: stands(window, "dra-classroom", 10) and len(window.frame.lanes) == 2)
    qtbot.waitUntil(lambda: "comparison" in window.docks and window.docks["comparison"].seen)
    assert "cannot" not in said(window)
    strike(window, Key.Key_PageDown)
    rest(qtbot, window, lambda: stands(window, "queues-classroom", 5))
    qtbot.waitUntil(lambda: window.area.selection == Select(server=1))
    strike(window, Key.Key_PageDown)  # this is the last step
    strike(window, Key.Key_PageUp)
    rest(qtbot, window, lambda: stands(window, "dra-classroom", 10))
    assert "5 of 6" in said(window)


def test_all_that_is_wrong_with_a_step_is_told_at_its_moment(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    wrong = (
        'policy = 2\npanels = ["first", "second"]\noutline = ["server 8", "job 99"]\nquestion = { ask = "server" }\n'
    )
    right = f'[[steps]]\nmoment = "{LINE.format(15)}"\ntext = "y"\n'
    path = tmp_path / "two.toml"
    path.write_text(
        f'title = "T"\nlearn = "L"\n[[steps]]\nmoment = "{LINE.format(14)}"\ntext = "x"\n{wrong}{right}', "utf-8"
    )
    window.lessons.open(path)
    rest(qtbot, window, lambda: stands(window, "dra-classroom", 14))
    told = (
        "panels: found 'first'",
        "panels: found 'second'",
        "policy: found 2, allowed: from 1 to 1",
        "outline: found 'server 8'",
        "outline: found 'job 99'",
        "The question of this step cannot be asked: policy: found 2",
    )
    qtbot.waitUntil(lambda: all(text in said(window) for text in told))
    strike(window, Key.Key_PageDown)
    rest(qtbot, window, lambda: stands(window, "dra-classroom", 15))
    assert "found" not in said(window)


def test_a_step_has_one_scale_however_it_is_reached(qtbot: QtBot, window: MainWindow) -> None:
    """While stepping, stacks keep their scale; in a lesson a step must always look the same."""
    window.lessons.open("dra-1-decision", 4)
    rest(qtbot, window, lambda: stands(window, "dra-classroom", 14, 9))
    strike(window, Key.Key_PageDown)
    rest(qtbot, window, lambda: window.lessons.number == 5 and stands(window, "dra-classroom", 14, 11))
    view = window.docks["servers"].panel.stacks
    fresh = stacks(qtbot, window.frame, (view.width(), view.height()))
    assert view.scene.layout.scale == fresh.scene.layout.scale


def test_no_panel_keeps_what_it_showed_at_another_step(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the space of wider numbers nor a larger scale."""
    window.lessons.open("dra-1-decision", 4)
    rest(qtbot, window, lambda: stands(window, "dra-classroom", 14, 9))
    forgotten: set[str] = set()
    for name, dock in window.docks.items():
        monkeypatch.setattr(dock.panel, "forget", partial(forgotten.add, name))
    strike(window, Key.Key_PageDown)
    rest(qtbot, window, lambda: window.lessons.number == 5 and stands(window, "dra-classroom", 14, 11))
    assert forgotten == set(window.docks)


def test_a_long_sentence_on_the_way_to_a_step_takes_no_room_there(qtbot: QtBot, window: MainWindow) -> None:
    window.lecture.toggle()
    window.lessons.open("jrs-2-virtual", 4)
    rest(qtbot, window, lambda: stands(window, "jrs-classroom", 120))
    window.settle()
    window.worker.framed.disconnect(window._take_frame)  # another frame, as after loading code, ends the staging
    QApplication.processEvents()  # delivers frames that were already sent
    on_the_way = replace(window.frame, running=True)
    window.lecture.stage(["algorithm"], None)
    window._take_frame(on_the_way)
    qtbot.wait(50)
    assert window.lecture._staged  # the frame of the moment has not been shown yet
    window._take_frame(replace(window.frame, running=False))
    qtbot.waitUntil(lambda: not window.lecture._staged)


def test_without_a_lesson_the_keys_step(qtbot: QtBot, window: MainWindow, lesson: Path) -> None:
    window.lessons.open(lesson)
    rest(qtbot, window, lambda: stands(window, "dra-classroom", 14))
    qtbot.waitUntil(lambda: window.docks["theory"].seen)
    qtbot.mouseClick(window.lessons.strip.buttons["end"], Qt.MouseButton.LeftButton)
    assert window.lessons.strip.isHidden()
    qtbot.waitUntil(lambda: not window.docks["theory"].seen)  # the panels are as before the lesson
    strike(window, Key.Key_PageUp)
    rest(qtbot, window, lambda: stands(window, "dra-classroom", 13))


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("**U^(g)** of U*, s_i/i", "<b>U<sup>(g)</sup></b> of U*, s<sub>i</sub>/i"),
        ("⌈log^1.1 L⌉ below (1 − ε)^{2/3}.", "⌈log<sup>1.1</sup> L⌉ below (1 − ε)<sup>2/3</sup>."),
        ("K_RED^(J) of my_file.toml", "K<sub>RED</sub><sup>(J)</sup> of my_file.toml"),
        ("4\u202f000 free", "4\u00a0000 free"),
        ("*a < b* & c", "<i>a &lt; b</i> &amp; c"),
    ],
)
@pytest.mark.usefixtures("qapp")
def test_indices_and_powers_are_set(written: str, shown: str) -> None:
    assert paragraphs(written) == [shown]
    assert spoken(written) == written.replace("*a < b*", "a < b").replace("**", "")


def test_a_hall_sees_the_panel_of_the_step_and_all_of_its_text(qtbot: QtBot, window: MainWindow, lesson: Path) -> None:
    window.resize(1280, 720)
    window.lessons.open(lesson)
    strike(window, Key.Key_L)
    rest(qtbot, window, lambda: stands(window, "dra-classroom", 14))
    qtbot.waitUntil(lambda: window.lecture.on and window.docks["theory"].seen and not window.docks["reward"].seen)
    text = window.lessons.strip.findChild(QLabel, "lesson-text")
    assert text is not None and text.font().pointSizeF() >= 16
    lessons = (load_lesson(path, language) for path in lesson_files().values() for language in LANGUAGES)
    longest = max((step.text for one in lessons for step in one.steps), key=len)
    window.lessons.strip.show_step("a title of ninety letters " * 4, 0, 9, longest)
    qtbot.waitUntil(lambda: text.height() >= text.heightForWidth(text.width()) > 2 * text.fontMetrics().height())
    servers = window.docks["servers"]
    qtbot.waitUntil(lambda: servers.height() > 0.35 * window.height())
    strike(window, Key.Key_PageDown)
    qtbot.waitUntil(lambda: window.docks["groups"].seen and not window.docks["theory"].seen)


def test_a_hall_sees_all_panels_of_a_step_one_below_the_other(qtbot: QtBot, window: MainWindow, lesson: Path) -> None:
    window.resize(1280, 720)
    path = lesson.parent / "two.toml"
    moment = LINE.format(14)
    text = f'[[steps]]\nmoment = "{moment}"\ntext = "x"\npanels = ["theory", "decisions", "groups"]\n'
    path.write_text(f'title = "T"\nlearn = "L"\n{text}', "utf-8")
    strike(window, Key.Key_L)
    window.lessons.open(path)
    rest(qtbot, window, lambda: stands(window, "dra-classroom", 14))
    upper, lower, servers = (window.docks[name] for name in ("theory", "groups", "servers"))
    qtbot.waitUntil(lambda: upper.seen and lower.seen and servers.seen and window.docks["decisions"].seen)
    qtbot.waitUntil(lambda: abs(upper.height() - lower.height()) < 0.1 * window.height())
    assert upper.y() + upper.height() <= lower.y() and upper.x() == lower.x() >= servers.x() + servers.width()
    strike(window, Key.Key_4)
    qtbot.waitUntil(lambda: not (upper.seen or lower.seen))


def test_lessons_are_listed_first_and_on_a_page(qtbot: QtBot, window: MainWindow) -> None:
    box = window.transport.scenario
    titles = [title for _, title in lesson_titles()]
    assert [box.itemText(place).removeprefix("Lesson: ") for place in range(len(titles))] == titles
    strike(window, Key.Key_F8)
    (page,) = window.findChildren(QDialog)
    browser = page.findChild(QTextBrowser)
    assert browser is not None
    shown = browser.toPlainText()
    assert all(load_lesson(path).learn in shown for path in lesson_files().values())
    assert all(name in shown for name in scenario_files())
    box = page.findChild(QCheckBox)
    assert box is not None and shown_at_start(window.settings)
    box.click()
    assert not shown_at_start(window.settings)
    name = next(iter(lesson_files()))
    browser.anchorClicked.emit(f"lesson:{name}")
    rest(qtbot, window, lambda: stands(window, "dra-classroom", 0))
    assert titles[0] in said(window)


def test_the_box_opens_a_lesson_and_shows_what_runs(qtbot: QtBot, window: MainWindow) -> None:
    window.control.open("dra-example-2")
    rest(qtbot, window, lambda: window.frame.info.scenario_name == "dra-example-2")
    box = window.transport.scenario
    box.setCurrentIndex(0)
    box.activated.emit(0)
    rest(qtbot, window, lambda: window.frame.info.scenario_name == "dra-classroom")
    assert box.currentText() == "dra-classroom"


def test_the_run_of_another_scenario_is_told_beside_the_text(qtbot: QtBot, window: MainWindow, lesson: Path) -> None:
    window.lessons.open(lesson)
    rest(qtbot, window, lambda: stands(window, "dra-classroom", 14))
    strike(window, Key.Key_Right)
    rest(qtbot, window, lambda: stands(window, "dra-classroom", 15))
    assert "Shown is" not in said(window)
    window.control.open("jrs-classroom")
    rest(qtbot, window, lambda: stands(window, "jrs-classroom", 0))
    assert "Shown is jrs-classroom, this step is about dra-classroom" in said(window)
    window.control.open("dra-classroom")
    rest(qtbot, window, lambda: stands(window, "dra-classroom", 0))
    assert "Shown is" not in said(window)
    window.control.open("jrs-classroom")
    rest(qtbot, window, lambda: stands(window, "jrs-classroom", 0))
    strike(window, Key.Key_PageDown)
    rest(qtbot, window, lambda: stands(window, "dra-classroom", 14, 3))
    assert "Shown is" not in said(window)


def test_a_moment_is_added_beside_and_opens_again(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    window.lessons.open(next(iter(lesson_files())), 2)
    rest(qtbot, window, lambda: stands(window, "dra-classroom", 14, 1))
    qtbot.waitUntil(lambda: window.area.selection == Select(server=5))
    strike(window, Key.Key_M, Qt.KeyboardModifier.ControlModifier)
    line = window.lessons.adding
    assert line.isVisible() and not window.findChildren(QDialog) and line.text.hasFocus()
    line.file.setText(str(tmp_path / "no.txt"))
    QTest.keyClicks(line.text, "What I say of l and 1.")  # letters are typed into the field and do not trigger commands
    QTest.keyClick(line.text, Key.Key_Return)
    assert any("allowed: a path that ends in .toml" in label.text() for label in line.findChildren(QLabel))
    line.file.setText(str(tmp_path / "new.toml"))
    QTest.keyClick(line.text, Key.Key_Return)
    assert line.isHidden()
    step = load_lesson(tmp_path / "new.toml").steps[0]
    assert step.text == "What I say of l and 1." and step.outline == ("server 6",)
    assert step.moment == LINE.format("14.1")
    strike(window, Key.Key_M, Qt.KeyboardModifier.ControlModifier)
    strike(window, Key.Key_Escape)
    assert line.isHidden()
