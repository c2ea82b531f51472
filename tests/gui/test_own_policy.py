"""A user policy in the window: choose a file, edit it, let it fail, continue."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Callable

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QDialog, QFileDialog, QTextBrowser
from pytestqt.qtbot import QtBot

from slotscope.gui.app import open_in
from slotscope.gui.main_window import MainWindow
from slotscope.gui.running.forks import fork
from slotscope.gui.running.own_policy import OwnPolicyFile
from slotscope.gui.widgets.fault_words import without_folders
from slotscope.model.policies import template_of
from slotscope.model.policies.own import limits
from slotscope.model.policies.own.trust import allow_named
from slotscope.model.scenario.load import edited, load_scenario, scenario_text
from tests.contract.moments import SMALL
from tests.contract.own_kinds import CASES
from tests.contract.own_kinds import POLICIES as EXAMPLES
from tests.gui.windows import choose_file, complete_window, rest
from tests.own_policies import FIRST_FIT, HEAD, source, write

pytestmark = pytest.mark.slow

LAST_FIT = FIRST_FIT.replace("room[0]", "room[-1]")
FAULT = "if view.event + 1 >= 30:\n    x = 1 / 0\n" + FIRST_FIT


@pytest.fixture
def window(qtbot: QtBot, window: MainWindow) -> MainWindow:
    """A complete window at event 0 of dra-classroom under first fit."""
    window.control.open("dra-classroom", "first-fit")
    rest(qtbot, window, lambda: window.frame is not None)
    return window


def goes_on(window: MainWindow, path: str) -> bool:
    """Whether this policy is running and past event 0."""
    frame = window.frame
    return frame is not None and frame.running and frame.info.policy_name == path and frame.event > 0


def runs(window: MainWindow, path: str, event: int | None = None) -> Callable[[], bool]:
    """Whether this policy's run is paused, at that event if one is given."""

    def check() -> bool:
        frame = window.frame
        return (
            frame is not None and not frame.running and frame.info.policy_name == path and event in (None, frame.event)
        )

    return check


def chosen(qtbot: QtBot, window: MainWindow, path: str) -> None:
    """Choose a file and wait until its policy runs."""
    window.own_policy.choose(path)
    rest(qtbot, window, runs(window, path))


def at(qtbot: QtBot, window: MainWindow, event: int, substep: int = 0) -> None:
    """Go to an event and wait until the frame shows it."""
    window.control.go_to(event, substep)
    rest(
        qtbot,
        window,
        lambda: window.frame is not None and (window.frame.event, len(window.frame.records)) == (event, substep),
    )


def fault_shown(window: MainWindow) -> str:
    """The message beside the policy's field."""
    label = window.transport.policy_fault
    return label.toolTip() if label.isVisible() else ""


def inside(window: MainWindow, substeps: int) -> bool:
    """Whether the frame is *substeps* sub-steps into an event."""
    return window.frame is not None and len(window.frame.records) == substeps


def placements(window: MainWindow) -> list[list[int]]:
    """The jobs on each server in the frame."""
    assert window.frame is not None
    rows: list[list[int]] = window.frame.state.placement.tolist()
    return rows


def test_a_file_is_chosen_in_the_box_of_policies(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, source())
    box = window.transport.policy
    box.setCurrentIndex(box.findText("From a file ..."))
    box.activated.emit(box.currentIndex())
    choose_file(window, path)
    rest(qtbot, window, runs(window, path))
    assert box.currentText() == "mine.py"
    assert box.currentData() == path
    assert box.itemText(box.count() - 2) == "From a file ..."
    at(qtbot, window, 40)
    assert window.windowTitle().startswith("dra-classroom: mine")
    assert fault_shown(window) == ""


def test_nothing_happens_if_no_file_is_chosen(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    box = window.transport.policy
    box.setCurrentIndex(box.findText("From a file ..."))
    box.activated.emit(box.currentIndex())
    (dialog,) = window.findChildren(QFileDialog)
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)  # type: ignore[no-untyped-call]
    qtbot.wait(50)
    assert box.currentText() == "first-fit"


def test_the_own_text_stands_in_the_algorithm_panel(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    chosen(qtbot, window, write(tmp_path, source()))
    at(qtbot, window, 0, 3)
    view = window.docks["algorithm"].panel.view  # type: ignore[attr-defined]
    place = view.code.place[view.picture.current]
    assert view.code.plain[place] == "yield Admit(server=room[0])"
    said, decided = view.picture.beside.values()
    assert [value.text for value in said.values()] == ["servers = 7"]  # the file's name for it; there is no paper
    assert "server 1" in [value.text for value in decided.values()]
    assert not window.docks["algorithm"].panel.grab().toImage().isNull()


@pytest.mark.parametrize("replaced", [False, True])
def test_a_change_is_loaded_and_the_run_replayed(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, replaced: bool
) -> None:
    """Some editors write into the file, others replace it."""
    path = write(tmp_path, source())
    chosen(qtbot, window, path)
    window.control.toggle_breakpoint(20)
    at(qtbot, window, 60)
    before = placements(window)
    if replaced:
        Path(write(tmp_path, source(LAST_FIT), "other")).replace(path)
    else:
        write(tmp_path, source(LAST_FIT))
    rest(qtbot, window, lambda: runs(window, path, 60)() and placements(window) != before)
    assert "replayed to event 60" in window.status.said.text()
    write(tmp_path, source())
    rest(qtbot, window, lambda: runs(window, path, 60)() and placements(window) == before)


def test_a_faulty_change_leaves_the_run_as_it_is(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    path = write(tmp_path, source())
    chosen(qtbot, window, path)
    at(qtbot, window, 50, 1)
    assert window.frame is not None
    info = window.frame.info
    write(tmp_path, "if True\n")
    qtbot.waitUntil(lambda: "SyntaxError" in fault_shown(window))
    label = window.transport.policy_fault
    assert label.text().startswith("line 1, column 8: SyntaxError")
    label.show_text(label.toolTip(), window.theme, "dra")  # as for a fork under another policy
    assert label.text().startswith("mine.py, line 1, column 8: S")
    told = "mine.py, line 1, column 8: SyntaxError"
    qtbot.waitUntil(lambda: window.status.said.text().startswith(told))
    assert not window.findChildren(QDialog)
    assert (window.frame.info, window.frame.event) == (info, 50)
    window.control.step()
    rest(qtbot, window, lambda: window.frame is not None and window.frame.event == 51)
    assert "SyntaxError" in fault_shown(window)
    window.control.go_to(50, 1)
    rest(qtbot, window, lambda: inside(window, 1))
    write(tmp_path, source(LAST_FIT))
    qtbot.waitUntil(lambda: fault_shown(window) == "")
    rest(
        qtbot,
        window,
        lambda: (
            runs(window, path, 50)()
            and inside(window, 1)
            and window.frame is not None
            and window.frame.info is not info
        ),
    )


def test_after_a_fault_on_the_way_the_run_comes_to_where_it_was(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    """Also after a step into the event that failed."""
    path = write(tmp_path, source())
    chosen(qtbot, window, path)
    at(qtbot, window, 60, 1)
    write(tmp_path, source(FAULT))
    qtbot.waitUntil(lambda: "ZeroDivisionError" in fault_shown(window))
    rest(qtbot, window, lambda: bool(window.frame and not window.frame.running and 29 <= window.frame.event < 60))
    window.control.step_into()
    rest(qtbot, window, lambda: inside(window, 1))
    write(tmp_path, source(LAST_FIT))
    rest(qtbot, window, lambda: runs(window, path, 60)() and inside(window, 1))
    assert "replayed to event 60" in window.status.said.text()
    assert fault_shown(window) == ""
    window.control.go_to(10)
    rest(qtbot, window, runs(window, path, 10))
    write(tmp_path, source())
    rest(qtbot, window, lambda: "replayed to event 10" in window.status.said.text())


def test_a_faulty_file_is_loaded_once_it_is_right(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    path = write(tmp_path, "class Policy: pass\n")
    window.own_policy.choose(path)
    qtbot.waitUntil(lambda: "no method arrival" in fault_shown(window))
    assert window.frame is not None
    assert window.frame.info.policy_name == "first-fit"
    assert window.transport.policy.currentText() == "first-fit"
    write(tmp_path, source())
    rest(qtbot, window, runs(window, path))
    assert fault_shown(window) == ""


def test_a_fault_of_the_run_stops_it_and_the_window_stays_usable(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    path = write(tmp_path, source(FAULT))
    chosen(qtbot, window, path)
    window.control.run_until(event=200)
    qtbot.waitUntil(lambda: "ZeroDivisionError" in fault_shown(window))
    rest(qtbot, window, lambda: runs(window, path)() and window.frame.event >= 29)  # type: ignore[union-attr]
    assert window.frame is not None
    event = window.frame.event
    qtbot.waitUntil(lambda: "ZeroDivisionError" in window.status.said.text())
    window.control.step_back()
    rest(qtbot, window, runs(window, path, event - 1))
    window.control.step()
    rest(qtbot, window, runs(window, path, event))
    window.control.step_into()
    rest(qtbot, window, lambda: inside(window, 1))
    assert "ZeroDivisionError" in fault_shown(window)
    write(tmp_path, source())
    rest(qtbot, window, lambda: runs(window, path, event)() and fault_shown(window) == "")
    box = window.transport.policy
    box.setCurrentIndex(box.findText("best-fit"))
    box.activated.emit(box.currentIndex())
    rest(qtbot, window, runs(window, "best-fit"))
    assert fault_shown(window) == ""


def test_a_module_beside_the_file_is_watched_with_it(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    """Also while it is missing, and after it had an error."""
    helper, asked = "rule_beside", "import rule_beside\n" + HEAD
    path = write(tmp_path, source(FIRST_FIT.replace("room[0]", "rule_beside.pick(room)"), head=asked))
    window.own_policy.choose(path)
    qtbot.waitUntil(lambda: "No module named 'rule_beside'" in fault_shown(window))
    write(tmp_path, "def pick(room):\n    return room[0]\n", f"{helper}.py")
    rest(qtbot, window, runs(window, path))
    at(qtbot, window, 40)
    first = placements(window)
    write(tmp_path, "def pick(room)\n", f"{helper}.py")
    qtbot.waitUntil(lambda: "SyntaxError" in fault_shown(window))
    assert placements(window) == first
    write(tmp_path, "def pick(room):\n    return room[-1]\n", f"{helper}.py")
    rest(qtbot, window, lambda: runs(window, path, 40)() and fault_shown(window) == "" and placements(window) != first)


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ("os._exit(3)", "it ended its process (exit status 3)"),
        ("time.sleep(10**6)", "code in C that it calls does not return"),
        ("ctypes.string_at(0)", "its process crashed (SIGSEGV)"),
        ("[bytearray(2**28) for _ in range(9)]", "GiB of memory"),
    ],
)
def test_after_the_end_of_its_process_it_comes_back_to_the_event(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: str, said: str
) -> None:
    # The limit of memory must be reached first, however busy the machine is.
    seconds = 60.0 if "memory" in said else 3.0
    monkeypatch.setattr(
        limits, "LIMITS", limits.LIMITS._replace(seconds=seconds, seconds_of_grace=0.3, memory=3 * 2**28)
    )
    path = write(tmp_path, source())
    chosen(qtbot, window, path)
    at(qtbot, window, 60)
    jobs = placements(window)
    wrong = f"if view.event + 1 >= 30:\n    {ends}\n"
    write(tmp_path, source(wrong + FIRST_FIT, head="import ctypes, os, time\n" + HEAD))
    rest(qtbot, window, lambda: said in fault_shown(window) and runs(window, path, 29)())
    write(tmp_path, source())
    rest(qtbot, window, lambda: runs(window, path, 60)() and fault_shown(window) == "")
    assert placements(window) == jobs


def test_esc_ends_a_loop(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    inside_it = tmp_path / "inside"
    loop = f"if view.event > 20: open({str(inside_it)!r}, 'w').close()\nwhile view.event > 20: pass\n"
    path = write(tmp_path, source(loop + FIRST_FIT))
    chosen(qtbot, window, path)
    window.control.run_until(event=200)
    qtbot.waitUntil(inside_it.exists)
    qtbot.keyClick(window, Qt.Key.Key_Escape)  # type: ignore[no-untyped-call]
    qtbot.waitUntil(lambda: "as asked" in window.status.said.text())
    assert fault_shown(window) == ""  # the file is not at fault
    rest(qtbot, window, runs(window, path))
    window.control.step_back()
    rest(qtbot, window, lambda: window.frame is not None and window.frame.event >= 19)


def test_what_if_knows_the_file_that_runs_by_its_name(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    path = write(tmp_path, source())
    chosen(qtbot, window, path)
    window.worker.post(partial(fork, policy=Path(path).name))
    rest(qtbot, window, lambda: len(window.frame.companions) == 1 and fault_shown(window) == "")
    assert window.frame.companions[0].info.policy_name == path


def test_a_fault_names_the_file_alone_and_whoever_wants_to_run_it() -> None:
    assert without_folders("/my files/mine.py, line 3: NameError") == "mine.py, line 3: NameError"
    wants = "/my files/run.slotscope wants to run /my files/mine.py, which you have not allowed"
    assert without_folders(wants) == wants


def test_a_file_is_dropped_on_the_window(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    path = write(tmp_path, source())
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(path)])
    assert OwnPolicyFile.dropped(data) == path
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPointF(9, 9).toPoint(), Qt.DropAction.CopyAction, data, buttons, keys)
    window.dragEnterEvent(enter)
    assert enter.isAccepted()
    window.dropEvent(QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, data, buttons, keys))
    rest(qtbot, window, runs(window, path))
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "notes.txt"))])
    assert OwnPolicyFile.dropped(data) == ""


def test_a_session_reopens_with_its_policy(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    path = write(tmp_path, source(rest="memory = 2\n", head=HEAD))
    chosen(qtbot, window, path)
    at(qtbot, window, 33, 1)
    window.control.save(tmp_path / "run.slotscope", "")
    qtbot.waitUntil((tmp_path / "run.slotscope").exists)
    window.control.to_start()
    rest(qtbot, window, runs(window, path, 0))
    window.open_path(tmp_path / "run.slotscope")
    rest(qtbot, window, lambda: runs(window, path, 33)() and inside(window, 1))
    write(tmp_path, source(LAST_FIT))
    rest(qtbot, window, lambda: "replayed to event 33" in window.status.said.text())


def test_two_policies_side_by_side(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    path = write(tmp_path, source())
    window.compare.compare((path,))
    rest(qtbot, window, lambda: bool(window.frame and window.frame.companions))
    at(qtbot, window, 40)
    assert window.frame is not None
    assert (window.frame.companions[0].state.placement == window.frame.state.placement).all()
    write(tmp_path, source(LAST_FIT))
    rest(
        qtbot,
        window,
        lambda: bool(
            window.frame
            and window.frame.event == 40
            and not window.frame.running
            and (window.frame.companions[0].state.placement != window.frame.state.placement).any()
        ),
    )


def test_a_file_that_a_scenario_names_is_asked_about(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    """Show shows its text, and Run it runs it; neither happens by itself, and the old run remains."""
    ran, helper, theirs = tmp_path / "ran", tmp_path / "helper.py", tmp_path / "theirs.toml"
    write(tmp_path, f"open({str(ran)!r}, 'w').close()\n{source()}", "helper.py")
    theirs.write_text(scenario_text(edited(load_scenario("dra-classroom"), {"policy": {"name": "helper.py"}})))
    buttons = window.transport.fault_buttons
    assert not any(button.isVisible() for button in buttons.values())
    window.open_path(theirs)
    qtbot.waitUntil(buttons["run"].isVisible)
    assert window.transport.policy_fault.toolTip() == "theirs.toml wants to run helper.py"
    assert window.frame is not None
    assert window.frame.info.policy_name == "first-fit"
    qtbot.mouseClick(buttons["show"], Qt.MouseButton.LeftButton)
    sheet = window.findChild(QDialog, "helper.py")
    assert FIRST_FIT.splitlines()[0] in sheet.findChild(QTextBrowser).toPlainText()
    sheet.close()
    assert not ran.exists()
    qtbot.mouseClick(buttons["run"], Qt.MouseButton.LeftButton)
    rest(qtbot, window, runs(window, str(helper)))
    assert ran.exists()
    assert not any(button.isVisible() for button in buttons.values())


def test_at_the_start_nothing_is_said_but_the_question(qtbot: QtBot, tmp_path: Path) -> None:
    """The run that begins at the start also waits for the answer."""
    write(tmp_path, f"{source()}\n# a text that nobody has allowed\n", "helper.py")
    theirs = tmp_path / "theirs.toml"
    theirs.write_text(scenario_text(edited(load_scenario("dra-classroom"), {"policy": {"name": "helper.py"}})))
    with complete_window(qtbot, tmp_path) as window:
        open_in(window, str(theirs), (), None, None, ())
        buttons, refused = window.transport.fault_buttons, list[str]()
        window.worker.refused.connect(refused.append)
        qtbot.waitUntil(buttons["run"].isVisible)
        assert [line for line in refused if "helper.py" not in line] == []
        assert not window.transport.scenario.currentText() + window.transport.policy.currentText()
        qtbot.mouseClick(buttons["run"], Qt.MouseButton.LeftButton)
        rest(qtbot, window, lambda: window.frame is not None and window.frame.event > 3)
        assert "wants to run" not in window.status.said.text()


@pytest.mark.parametrize("system", SMALL)
@pytest.mark.qt_log_ignore("grabbing the keyboard", extend=True)
def test_a_new_one_is_written_from_the_template_and_runs(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, system: str
) -> None:
    """By mouse and keys in the combo box of policies; the new file is the template of the kind that runs."""
    window.control.open(SMALL[system])
    rest(qtbot, window, lambda: bool(window.frame and window.frame.info.system == system))
    path, shown = tmp_path / "my_policy.py", []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: shown.append(url.toLocalFile()))
    box = window.transport.policy
    qtbot.mouseClick(box, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(box.view().isVisible)
    for key in (Qt.Key.Key_End, Qt.Key.Key_Return):
        qtbot.keyClick(box.view(), key)  # type: ignore[no-untyped-call]
    choose_file(window, path.with_suffix(""))
    qtbot.waitUntil(lambda: goes_on(window, str(path)), timeout=30_000)
    window.control.pause()
    rest(qtbot, window, runs(window, str(path)))
    assert path.read_text(encoding="utf-8") == template_of(system)
    assert shown == [str(tmp_path)]
    at(qtbot, window, 30)
    assert fault_shown(window) == ""
    write(tmp_path, template_of(system) + "# changed\n", path.name)
    rest(qtbot, window, lambda: "replayed to event 30" in window.status.said.text())


def test_a_template_that_cannot_be_written_is_told(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "closed"
    (folder / "mine.py").mkdir(parents=True)
    window.own_policy._write_template(folder / "mine.py")
    assert "mine.py: found a folder, allowed: the path of a file" in fault_shown(window)


@pytest.mark.parametrize("system", SMALL)
def test_all_panels_draw_what_a_policy_of_one_s_own_does(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, system: str
) -> None:
    """Including its texts for jobs and servers; with tokens but without a plan, or without known requests."""
    path = write(tmp_path, (EXAMPLES / CASES[system].example).read_text(encoding="utf-8"))
    allow_named(path)
    window.control.open(SMALL[system], path)
    rest(qtbot, window, runs(window, path))
    for event in (0, 30):
        at(qtbot, window, event)
        for name, dock in dict(window.docks).items():
            if dock.panel is not None:
                dock.show()
                dock.raise_()
                qtbot.wait(20)
                assert not dock.panel.grab().toImage().isNull()
                assert dock.panel.fault is None, (name, dock.panel.fault)
