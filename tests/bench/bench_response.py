"""How long the window is held: Esc at any scale, drawing, and the very first launch, which compiles.

Run with ``python -m tests.bench.bench_response [--quick]``.  A hold is the time between two turns of the
window's event loop, including waiting for Python's lock; time in which other programs had the cores is subtracted.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any, Callable, NamedTuple, Sequence
from unittest import mock

from PySide6.QtCore import QEventLoop, QObject, Qt, QTimer
from PySide6.QtTest import QTest

from slotscope.gui import app as gui_app
from slotscope.gui import theme as themes
from slotscope.gui.docking.compare_docks import CompareDocks
from slotscope.gui.docking.dock_area import DockArea
from slotscope.gui.docking.layouts import Layouts
from slotscope.gui.main_window import MainWindow
from slotscope.gui.running.goals import Goal
from slotscope.gui.widgets.kept_picture import KeptPicture
from slotscope.gui.window import dialogs
from slotscope.gui.window.lecture import LectureMode
from slotscope.model.reporting.frame import Frame
from slotscope.model.scenario.load import load_scenario
from tests.bench.bench_rest import on_each
from tests.bench.bench_start import ROOT
from tests.bench.bench_window import Case, cases, open_window, seconds_without_core, spin, wait_until
from tests.bench.timing import aim, keep_byte_code, section, spread, table

#: Target in milliseconds for an answer of the window, and the interval at which holds are measured.
ANSWER, LOOK = 50, 5

#: Seconds allowed for a first launch, compiling included, on a machine with other load.
PATIENCE = 1200


class Stopwatch:
    """Milliseconds of the clock without the time in which a thread waited for a core; at most the process's CPU time.

    A thread that waits for Python's lock waits for another thread of the program, whose CPU time counts: no hold is
    longer than that.
    """

    def __init__(self) -> None:
        self._thread = threading.get_native_id()
        self._began = self._read()

    def _read(self) -> tuple[float, float]:
        return time.monotonic() - seconds_without_core(self._thread), time.process_time()

    def lap(self, idle: float = 0.0) -> float:
        """Milliseconds since the last lap, or the start, without *idle* milliseconds in which nothing was due."""
        before, self._began = self._began, self._read()
        clock, worked = (1000 * (now - then) for now, then in zip(self._began, before, strict=True))
        return max(0.0, min(clock - idle, worked))


class Holds(QObject):
    """How long the window's event loop was held in each turn, and what was done last in that turn."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.found: list[tuple[float, str]] = []
        self._doing = ""
        self._watch = Stopwatch()
        self._timer = QTimer(self, interval=LOOK, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._look)
        window.worker.framed.connect(lambda _: self.note("a frame is drawn"))
        window.worker.opened.connect(lambda _: self.note("a run is taken in"))

    def note(self, doing: str) -> None:
        """Note what is being done, for the hold that ends next."""
        self._doing = doing

    def begin(self) -> None:
        """Start measuring."""
        self._watch.lap()
        self._timer.start()

    def end(self) -> list[tuple[float, str]]:
        """The milliseconds of each turn, and what was done in it, the longest first."""
        self._timer.stop()
        return sorted(self.found, reverse=True)

    def _look(self) -> None:
        self.found.append((self._watch.lap(LOOK), self._doing or "the window lives"))
        self._doing = ""


def at_rest_after(window: MainWindow, deed: Callable[[], object]) -> float:
    """Milliseconds from a deed until the run rests and its frame is painted."""
    loop = QEventLoop()

    def framed(frame: Frame) -> None:
        if not frame.running and not frame.playing:
            QTimer.singleShot(0, loop.quit)  # timers fire after pending painting

    window.worker.framed.connect(framed)
    watch = Stopwatch()
    deed()
    loop.exec()
    taken = watch.lap()
    window.worker.framed.disconnect(framed)
    return taken


def escape(window: MainWindow) -> None:
    """Press Esc."""
    window.activateWindow()
    QTest.keyClick(window, Qt.Key.Key_Escape)


def bench_case(case: Case, presses: int, seconds: float) -> None:
    """How long a window is held while it runs without limit, and how soon Esc stops the run."""
    with tempfile.TemporaryDirectory() as folder:
        window = open_window(case.scenario, case.settled, Path(folder))
        stops: list[float] = []
        taken: list[tuple[float, float]] = []
        holds = Holds(window)
        for _ in range(presses):
            before = window.worker.present.timeline.event
            window.control.run(Goal())
            wait_until("the run goes on", lambda before=before: window.worker.present.timeline.event > before)
            holds.begin()
            spin(seconds)
            found = holds.end()
            taken.append(on_each(window, lambda: stops.append(at_rest_after(window, partial(escape, window)))))
            spin(0.2)
        window.close()
        window.deleteLater()
        spin(0.1)
    run, mine = (spread(each).text(2) for each in zip(*taken, strict=True))
    why = f"the run's thread takes {run} CPU ms to its rest and a frame of it, the window's {mine} to draw what is seen"
    aim(f"Esc until the run rests and is drawn, {case.title}", ANSWER, stops, "ms", limit_is=why)
    aim(
        f"longest hold of the window while it runs, {case.title}", ANSWER, [found[0][0]], "ms", limit_is=limit_of(found)
    )


class Parts:
    """CPU milliseconds inside some functions, each without those of the others that it calls."""

    def __init__(self, **methods: tuple[Any, str]) -> None:
        self.spent = dict.fromkeys(methods, 0.0)
        self._inner = [0.0]
        self._patches = [
            mock.patch.object(owner, method, self._timed(name, getattr(owner, method)))
            for name, (owner, method) in methods.items()
        ]

    def _timed(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*given: Any, **named: Any) -> Any:
            started = time.thread_time()
            self._inner.append(0.0)
            try:
                return call(*given, **named)
            finally:
                passed = 1000 * (time.thread_time() - started)
                self.spent[name] += passed - self._inner.pop()
                self._inner[-1] += passed

        return timed

    def __enter__(self) -> Parts:
        for patch in self._patches:
            patch.start()
        return self

    def __exit__(self, *_: object) -> None:
        for patch in self._patches:
            patch.stop()

    def told(self, times: int) -> str:
        """The milliseconds per time, such as ``panels are built 41, docks are arranged 30``."""
        return ", ".join(
            f"{name.replace('_', ' ')} {spent / times:.0f}" for name, spent in self.spent.items() if spent >= times
        )


#: What docks and panels do while they are rearranged.
PARTS: dict[str, tuple[Any, str]] = {
    "Qt_takes_another_style_and_type": (themes, "apply"),
    "panels_are_built": (CompareDocks, "_add"),
    "panels_take_another_type": (DockArea, "set_theme"),
    "docks_are_laid_out": (KeptPicture, "_lay_out"),
    "docks_are_put_back": (Layouts, "restore"),
    "docks_change_places": (LectureMode, "_place"),
    "docks_of_lanes_change_places": (CompareDocks, "_arrange"),
}


class Deed(NamedTuple):
    """Something that rearranges all docks, and the condition that it is done."""

    name: str
    do: Callable[[MainWindow], object]
    done: Callable[[MainWindow], bool]


def deeds(beside: tuple[str, ...]) -> list[Deed]:
    """To lecture mode and back, to several lanes and back."""
    return [
        Deed("lecture mode comes", lambda window: window.lecture.toggle(), lambda window: window.lecture.on),
        Deed("lecture mode goes", lambda window: window.lecture.toggle(), lambda window: not window.lecture.on),
        Deed(
            f"{1 + len(beside)} lanes come",
            lambda window: window.compare.compare(beside),
            lambda window: len(window.compare.labels) > len(beside) and window.area.complete,
        ),
        Deed(
            "lanes go",
            lambda window: window.compare.compare(()),
            lambda window: not window.compare.labels and window.area.complete,
        ),
    ]


def bench_deeds(case: Case, beside: tuple[str, ...], rounds: int) -> None:
    """How long the window is held while all its docks are rearranged."""
    found: dict[str, list[float]] = {}
    parts = {deed.name: Parts(**PARTS) for deed in deeds(beside)}
    with tempfile.TemporaryDirectory() as folder:
        window = open_window(case.scenario, case.settled, Path(folder))
        window.control.pause()
        for turn in range(rounds + 1):
            for deed in deeds(beside):
                with parts[deed.name] if turn else nullcontext():  # the first turn builds what later ones reuse
                    longest = held_by(window, deed)
                if turn:
                    found.setdefault(deed.name, []).append(longest)
        window.close()
        window.deleteLater()
        spin(0.1)
    for name, holds in found.items():
        why = f"CPU ms, in one turn or several: {parts[name].told(rounds)}; the rest is painting what is seen"
        aim(f"longest hold of the window, {name}, {case.title}", ANSWER, holds, "ms", limit_is=why)


def held_by(window: MainWindow, deed: Deed) -> float:
    """The longest hold in milliseconds until something is done and painted."""
    holds = Holds(window)
    holds.begin()
    QTimer.singleShot(0, lambda: deed.do(window))
    spin(0.2)
    wait_until(deed.name, lambda: deed.done(window))
    spin(0.5)
    return holds.end()[0][0]


def limit_of(found: Sequence[tuple[float, str]]) -> str:
    """The longest holds, and how rare they are."""
    long = [hold for hold, _ in found if hold > ANSWER]
    told = ", ".join(f"{hold:.0f} ms while {doing}" for hold, doing in found[:3])
    return f"{len(long)} of {len(found)} turns took longer; the longest: {told}"


class FirstLaunch:
    """Observes a window that compiles: its holds, the kernels compiled when its run has its own, and Esc."""

    def __init__(self, window: MainWindow) -> None:
        self.seen: dict[str, Any] = {}  #: plain data
        self._window, self._holds = window, Holds(window)
        self._build = window.panels._build_next
        window.panels._build_next = self._build_next  # type: ignore[method-assign]
        window.worker.compiling.connect(self._compiling)
        window.worker.framed.connect(self._framed)
        window.worker.compiled.connect(self._compiled)
        QTimer.singleShot(0, self._holds.begin)

    def _build_next(self) -> None:
        name = self._window.panels._pending[0].module.rpartition(".")[2]
        self._build()
        self._holds.note(f"the panel {name} is built")

    def _compiling(self, text: str) -> None:
        window = self._window
        if text and "Esc" not in self.seen and window.area.complete and window.frame is not None:
            self.seen["Esc"] = 0.0
            QTimer.singleShot(500, self._press)

    def _press(self) -> None:
        window = self._window
        while dialogs.in_front(window) is not None or window.lessons.in_front is not None:
            window.escape()  # the pages of a first start are closed before the run is stopped
        self.seen["Esc"] = at_rest_after(window, partial(escape, window))

    def _framed(self, frame: Frame) -> None:
        if frame.engine == "kernel":
            done = self._window.worker._warming._said.decode().split()
            self.seen.setdefault("compiled", len({frame.info.kind.kernels[policy] for policy in done}))

    def _compiled(self) -> None:
        self.seen["holds"] = self._holds.end()[:3]
        self.seen["turns"] = [hold for hold, _ in self._holds.found]
        self._window.close()


def launch() -> None:
    """Start the program as a first start does, press Esc while it compiles, and print the observations as JSON."""
    launched: list[FirstLaunch] = []
    make = gui_app.make_window

    def make_window(*given: Any) -> MainWindow:
        window = make(*given)
        launched.append(FirstLaunch(window))
        return window

    gui_app.make_window = make_window
    gui_app.main("dra-classroom")
    print(json.dumps(launched[0].seen), flush=True)


def bench_first_launch() -> None:
    """A launch on a machine without compiled code."""
    with tempfile.TemporaryDirectory() as folder:
        own = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
        done = subprocess.run(
            [sys.executable, "-m", "tests.bench.bench_response", "--launch"],
            cwd=ROOT,
            env=own | {"QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": folder, "XDG_CACHE_HOME": folder},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    if done.returncode != 0:
        raise RuntimeError(f"the first launch failed:\n{done.stdout}{done.stderr}")
    seen = json.loads(done.stdout.splitlines()[-1])
    holds = [(hold, doing) for hold, doing in seen["holds"]]
    long = sum(hold > ANSWER for hold in seen["turns"])
    told = ", ".join(f"{hold:.0f} ms while {doing}" for hold, doing in holds)
    why = f"{long} of {len(seen['turns'])} turns took longer, each of which builds or paints one panel at least: {told}"
    aim("longest hold of the window, first launch", ANSWER, [holds[0][0]], "ms", limit_is=why)
    aim("Esc while it compiles, first launch", ANSWER, [seen["Esc"]], "ms", limit_is=why)
    aim("kernels compiled when the run has its own, first launch", 1, [seen["compiled"]])
    rows = [(doing, spread([hold]).text()) for hold, doing in holds]
    section("first launch: longest holds", table(("what", "ms"), rows))


def main() -> None:
    """Measure everything and print the targets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few presses")
    parser.add_argument("--launch", action="store_true", help="be the first launch that is looked at")
    parser.add_argument("--only", default="", help="only the windows whose title has this in it")
    arguments = parser.parse_args()
    if arguments.launch:
        launch()
        return
    keep_byte_code()
    gui_app.application()
    sys.setswitchinterval(gui_app.SWITCH_INTERVAL)
    presses, seconds = (3, 1.0) if arguments.quick else (10, 2.0)
    for case in cases():
        if arguments.only in case.title and not case.beside:
            bench_case(case, presses, seconds)
    usual = Case("dra-vms", load_scenario("dra-vms"))
    if arguments.only in usual.title:
        bench_deeds(usual, ("power-of-d", "best-fit"), presses)
    if not arguments.only:
        bench_first_launch()


if __name__ == "__main__":
    main()
