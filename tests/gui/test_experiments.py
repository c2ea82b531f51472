"""The window of experiments: real keys and clicks, real worker processes behind them."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import threading
from pathlib import Path
from typing import Iterator

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from slotscope.gui.experiments.form import SWEEP
from slotscope.gui.experiments.laboratory import End, Laboratory, Order
from slotscope.gui.experiments.window import ExperimentsWindow
from slotscope.gui.main_window import MainWindow
from slotscope.gui.theme import apply, load_theme
from slotscope.model.lab.executor import ThisProcess
from slotscope.model.lab.results import Result
from slotscope.model.lab.runner import run_plan
from tests.gui.experiments_windows import PATIENCE, Key, choose, click, finish, shown_experiments, sweep
from tests.gui.painted import colours_in, pixels
from tests.gui.windows import complete_window, rest
from tests.model.lab_work import Tiny, numbers_in

pytestmark = pytest.mark.slow


#: A sweep whose parts take some tenths of a second each, so that there is time to stop it.
LONG = "servers.count = 40, 50, 60, 70, 80, 90"


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> Iterator[ExperimentsWindow]:
    """The window alone, with dra-classroom open and an empty folder for results."""
    yield from shown_experiments(qtbot, tmp_path)


def colours(widget: QWidget) -> set[str]:
    return colours_in(pixels(widget)[::2, ::2])


def processes() -> list[int]:
    return [child.pid for child in multiprocessing.active_children() if child.pid is not None]


def test_figure_2_with_the_mouse(qtbot: QtBot, window: ExperimentsWindow, tmp_path: Path) -> None:
    choose(qtbot, window, "dra-fig3")  # it has a number that needs no run
    qtbot.waitUntil(lambda: "Run carries out 36 parts" in window.results.picture.note.text(), timeout=PATIENCE)
    choose(qtbot, window, "dra-fig2")
    qtbot.waitUntil(lambda: window.list.entry("dra-fig2").state == "not run", timeout=PATIENCE)
    assert "Nothing has run yet" in window.results.picture.note.text()
    empty = len(colours(window.results.picture))
    click(qtbot, window.bar.run)
    assert window.bar.stop.isEnabled()
    assert not window.bar.run.isEnabled()
    finish(qtbot, window)
    assert window.list.entry("dra-fig2").state == "done"
    assert len(colours(window.results.picture)) > empty
    rows = window.results.table.numbers.rows
    assert ("worst ratio", "", "0.862", "0.8619", "exact") in rows
    assert "coincide outside the marked points" in window.results.notes.toPlainText()
    folder = tmp_path / "results"
    assert str(folder) in window.bar.message.text()
    written = {path.name for path in folder.iterdir() if path.stat().st_size}
    assert written >= {f"dra-fig2{end}" for end in (".csv", "-curves.csv", ".json", ".svg", ".png", ".parts.jsonl")}
    assert not processes()


def test_a_sweep_fills_its_picture_and_does_not_depend_on_who_works(
    qtbot: QtBot, window: ExperimentsWindow, tmp_path: Path
) -> None:
    seen: list[Result] = []
    window.laboratory.drawn.connect(seen.append)
    sweep(qtbot, window, "servers.count = 5, 8, 11\npolicy.parameters.reservation_factor = 1, 2", "30")
    qtbot.keyClick(window.list, Key.Key_F5)
    order = window.form.order()
    finish(qtbot, window)
    assert order is not None
    alone = run_plan(order.plan(), executor=ThisProcess())
    assert seen[-1] == alone
    lengths = [sum(len(curve.x) for curve in one.figures[0].curves) for one in seen]
    assert lengths == sorted(lengths)
    assert lengths[0] == 0
    assert lengths[-1] == 6
    plot = window.results.picture.plot
    assert plot is not None
    assert {label.text[2:] for label, _, _ in plot._column.placed()} == {
        "reservation_factor = 1",
        "reservation_factor = 2",
    }
    data = json.loads((tmp_path / "results" / "sweep-dra-classroom.json").read_text())
    assert data["rows"][0]["ours"] == alone.rows[0].ours


def test_stop_keeps_what_is_finished_and_run_goes_on(qtbot: QtBot, window: ExperimentsWindow, tmp_path: Path) -> None:
    sweep(qtbot, window, LONG, "2000")
    qtbot.keyClick(window.list, Key.Key_F5)
    qtbot.waitUntil(lambda: window._status is not None and window._status.done >= 2, timeout=PATIENCE)
    qtbot.keyClick(window.list, Key.Key_Escape)
    finish(qtbot, window)
    assert not processes()
    kept = window._surveys[SWEEP].done
    assert 2 <= kept < 24
    assert f"{kept} of 24 parts kept; Run goes on from there" in window.bar.message.text()
    assert window.list.entry(SWEEP).state == f"{kept} of 24 parts kept"
    assert window.bar.run.text() == "&Run on"
    said: list[str] = []
    window.laboratory.progressed.connect(lambda _: said.append(window.bar.message.text()))
    click(qtbot, window.bar.run)
    finish(qtbot, window)
    assert f"{kept} of 24 parts kept; going on from there." in said[0]
    assert window.list.entry(SWEEP).state == "done"
    parts = (tmp_path / "results" / "sweep-dra-classroom.parts.jsonl").read_text().splitlines()
    assert len({json.loads(line)["key"] for line in parts}) == len(parts) == 24


def test_what_an_earlier_run_left_is_found_again(qtbot: QtBot, window: ExperimentsWindow, tmp_path: Path) -> None:
    choose(qtbot, window, "dra-collections")
    window.run()
    qtbot.waitUntil(lambda: window._status is not None and window._status.done >= 1, timeout=PATIENCE)
    window.stop()
    finish(qtbot, window)
    kept = window._surveys["dra-collections"].done
    settings = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    later = ExperimentsWindow(settings, load_theme("dark"))
    qtbot.addWidget(later)
    later.show()
    later.list.choose("dra-collections")
    later.look()
    qtbot.waitUntil(lambda: "kept" in later.list.entry("dra-collections").state, timeout=PATIENCE)
    assert later.list.entry("dra-collections").state == f"{kept} of 40 parts kept"
    assert later.results.picture.plot is not None
    assert "Run goes on from there" in later.bar.message.text()
    later.shut_down()


def test_closing_while_it_runs_leaves_no_process(qtbot: QtBot, window: ExperimentsWindow, tmp_path: Path) -> None:
    sweep(qtbot, window, LONG, "4000")
    window.run()
    qtbot.waitUntil(lambda: window._status is not None and window._status.done >= 1, timeout=PATIENCE)
    workers = processes()
    assert workers
    window.shut_down()
    assert not processes()
    for pid in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    assert (tmp_path / "results" / "sweep-dra-classroom.parts.jsonl").read_bytes().endswith(b"\n")


def test_its_own_close_button_stops_too(qtbot: QtBot, window: ExperimentsWindow) -> None:
    sweep(qtbot, window, LONG, "4000")
    window.run()
    qtbot.waitUntil(lambda: bool(processes()), timeout=PATIENCE)
    window.close()
    finish(qtbot, window)
    assert not processes()


def test_one_at_a_time(qtbot: QtBot, window: ExperimentsWindow) -> None:
    sweep(qtbot, window, LONG, "4000")
    window.run()
    choose(qtbot, window, "dra-fig2")
    assert not window.bar.run.isEnabled()
    assert "One experiment at a time" in window.bar.state.text()
    qtbot.keyClick(window.list, Key.Key_F5)
    assert window.running == SWEEP
    click(qtbot, window.bar.stop)
    finish(qtbot, window)
    assert window.bar.run.isEnabled()
    assert window.bar.state.text() == ""


def test_the_keyboard_reaches_everything(qtbot: QtBot, window: ExperimentsWindow) -> None:
    window.activateWindow()
    window.list.setFocus()
    qtbot.keyClick(window.list, Key.Key_Down)
    assert window.list.current() == "dra-fig3"
    qtbot.keyClick(window.list, Key.Key_End)
    assert window.list.current() == SWEEP
    reached = set()
    for _ in range(40):
        widget = QApplication.focusWidget()
        assert widget is not None
        reached.add(widget)
        qtbot.keyClick(widget, Key.Key_Tab)
    form = window.form
    assert reached >= {
        window.list,
        form.values.area,
        form.policies.area,
        form.until.line,
        form.seed.line,
        form.replications.box,
        form.workers.box,
        form.folder.line,
        window.bar.run,
    }
    for widget in (window.bar.run, window.bar.stop, window.bar.open, form.values.area):
        assert "\n" in widget.toolTip()


def test_another_theme_and_lecture_mode(qtbot: QtBot, window: ExperimentsWindow) -> None:
    choose(qtbot, window, "dra-fig2")
    window.run()
    finish(qtbot, window)
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    light = colours(window)
    for lecture in (False, True):
        apply(app, load_theme("dark"), lecture)
        window.set_theme(load_theme("dark"))
        qtbot.wait(50)
        assert light != colours(window)
        assert window.results.tabs.isVisible() == lecture
    high = window.list.sizeHintForRow(0)
    apply(app, load_theme("light"))
    window.set_theme(load_theme("light"))
    assert window.list.sizeHintForRow(0) < high


def test_an_error_of_no_field_stands_above_the_picture(qtbot: QtBot, window: ExperimentsWindow) -> None:
    sweep(qtbot, window, LONG, "20000")
    window.run()
    qtbot.waitUntil(lambda: bool(processes()), timeout=PATIENCE)
    os.kill(processes()[0], signal.SIGKILL)
    finish(qtbot, window)
    message = window.bar.message
    assert "its process was killed, as a system does that has no memory left" in message.text()
    assert "Run goes on from there" in message.text()
    assert window.theme.ink(window.theme.rejection) in message.styleSheet()
    assert window.bar.run.isEnabled()


class TestLaboratory:
    """The thread alone, with parts that can be made to fail."""

    @pytest.fixture
    def laboratory(self) -> Iterator[Laboratory]:
        made = Laboratory()
        yield made
        made.close()

    def ended(self, qtbot: QtBot, laboratory: Laboratory, plan: Tiny, folder: Path) -> End:
        with qtbot.waitSignal(laboratory.ended, timeout=PATIENCE) as signal:
            laboratory.start(Order("tiny", lambda: plan, folder, workers=2))
        assert not laboratory.busy
        end: End = signal.args[0]
        return end

    @pytest.mark.parametrize(("how", "said"), [("fails", "allowed: something"), ("dies", "ended with code 9")])
    def test_a_part_that_fails(self, qtbot: QtBot, laboratory: Laboratory, tmp_path: Path, how: str, said: str) -> None:
        end = self.ended(qtbot, laboratory, Tiny(5, how={2: how}), tmp_path)
        assert end.error is not None
        assert said in end.error.line
        assert not processes()

    def test_what_nobody_expected(
        self, qtbot: QtBot, laboratory: Laboratory, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        end = self.ended(qtbot, laboratory, Tiny(3, how={0: "breaks"}), tmp_path)
        assert end.error is not None
        assert "this should not have happened" in end.error.line
        assert "ZeroDivisionError" in capsys.readouterr().err

    def test_quick_parts_are_shown_some_times_a_second_and_all_in_the_end(
        self, qtbot: QtBot, laboratory: Laboratory, tmp_path: Path
    ) -> None:
        drawn: list[Result] = []
        laboratory.drawn.connect(drawn.append)
        end = self.ended(qtbot, laboratory, Tiny(200, tmp_path / "log"), tmp_path)
        assert {path.suffix for path in end.files} == {".csv", ".parquet", ".json"}
        assert len(drawn[-1].rows) == 200
        assert len(drawn) < 100
        assert sorted(numbers_in(tmp_path / "log")) == list(range(200))

    def test_the_last_of_some_quick_parts_is_shown_while_a_long_one_runs(
        self, qtbot: QtBot, laboratory: Laboratory, tmp_path: Path
    ) -> None:
        rows: list[int] = []
        laboratory.drawn.connect(lambda result: rows.append(len(result.rows)))
        laboratory.start(Order("tiny", lambda: Tiny(8, how={2: "sleeps"}), tmp_path, workers=2))
        qtbot.waitUntil(lambda: bool(rows) and rows[-1] == 7, timeout=PATIENCE)
        with qtbot.waitSignal(laboratory.ended, timeout=PATIENCE) as signal:
            laboratory.stop()
        assert signal.args[0].stopped
        assert not processes()

    def test_closing_waits_for_no_look_and_leaves_it_nothing(
        self, qtbot: QtBot, laboratory: Laboratory, tmp_path: Path
    ) -> None:
        """Python waits for this thread at exit, where it would abort the calls of a daemon thread."""
        begun, may_end = threading.Event(), threading.Event()
        told: list[str] = []
        laboratory.looked.connect(lambda name, _: told.append(name))

        def plan() -> Tiny:
            begun.set()
            assert may_end.wait(PATIENCE / 1000)
            return Tiny(3)

        laboratory.look([Order("slow", plan, tmp_path), Order("next", plan, tmp_path)], "slow")
        assert begun.wait(PATIENCE / 1000)
        (look,) = [one for one in threading.enumerate() if one.name == "look"]
        laboratory.close()
        assert look.is_alive()
        assert not look.daemon
        may_end.set()
        look.join(PATIENCE / 1000)
        assert not look.is_alive()
        qtbot.wait(20)
        assert not told


class TestInTheProgram:
    """It is opened from the main window, and closes with it."""

    @pytest.fixture
    def main(self, qtbot: QtBot, tmp_path: Path) -> Iterator[MainWindow]:
        folder = str(tmp_path / "results")
        with complete_window(qtbot, tmp_path, experiments__folder=folder) as made:
            made.control.open("dra-classroom")
            rest(qtbot, made, lambda: True)
            yield made

    def opened(self, qtbot: QtBot, main: MainWindow) -> ExperimentsWindow:
        main.activateWindow()
        qtbot.keyClick(main, Key.Key_E, Qt.KeyboardModifier.ControlModifier)
        qtbot.waitUntil(lambda: main.experiments.window is not None, timeout=PATIENCE)
        window = main.experiments.window
        assert window is not None
        qtbot.waitExposed(window)
        return window

    def test_a_key_opens_it_on_the_scenario_that_is_open(self, qtbot: QtBot, main: MainWindow) -> None:
        assert main.actions_by_name["experiments"].shortcut().toString() == "Ctrl+E"
        window = self.opened(qtbot, main)
        assert window.list.entry(SWEEP).title == "Sweep of dra-classroom"
        assert window.form.policies.lines == ["dra"]
        main.control.open("dra-example-1", "first-fit")
        qtbot.waitUntil(lambda: "example" in window.list.entry(SWEEP).title, timeout=PATIENCE)
        assert window.form.policies.lines == ["first-fit"]

    def test_its_keys_are_not_those_of_the_run(self, qtbot: QtBot, main: MainWindow) -> None:
        window = self.opened(qtbot, main)
        window.activateWindow()
        for key in (Key.Key_Space, Key.Key_Right, Key.Key_Right):
            qtbot.keyClick(window.list, key)
        qtbot.wait(100)
        assert main.frame is not None
        assert (main.frame.event, main.frame.running) == (0, False)
        qtbot.keyClick(window.list, Key.Key_D)  # the theme is common to all windows
        assert main.theme.dark
        assert window.theme.dark

    def test_the_run_answers_beside_it_and_closing_ends_both(self, qtbot: QtBot, main: MainWindow) -> None:
        window = self.opened(qtbot, main)
        sweep(qtbot, window, LONG, "20000")
        window.run()
        qtbot.waitUntil(lambda: window._status is not None and window._status.done >= 1, timeout=PATIENCE)
        for event in (1, 2, 3):
            qtbot.keyClick(main, Key.Key_Right)
            qtbot.waitUntil(
                lambda wanted=event: main.frame is not None and main.frame.event == wanted, timeout=PATIENCE
            )
        assert window.laboratory.busy
        assert processes()
        main.close()
        assert not processes()
