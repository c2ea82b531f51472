"""The cost of the window at rest and of what is not seen: a step, panels behind tabs, memory after a minute.

Run with ``python -m tests.bench.bench_rest [--quick]``.  A step lasts from the command to the first paint that it
causes, in CPU time of both threads of the program.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, Mapping

from PySide6.QtCore import QEventLoop, QObject, QTimer

from slotscope.gui import app as gui_app
from slotscope.gui.main_window import MainWindow
from slotscope.gui.running.goals import Goal
from slotscope.model.reporting.frame import Frame
from tests.bench.bench_start import ROOT, screen
from tests.bench.bench_window import Case, Watch, cases, open_window, spin
from tests.bench.repainting import Painted
from tests.bench.timing import SIZES, Limit, aim, keep_byte_code, spread

#: Targets: CPU milliseconds of a step; of all hidden panels per frame; and mebibytes of resident memory.
STEP, UNSEEN, RESIDENT = 16, 0.1, 200

#: Seconds after which memory is measured.
MINUTE = 60

#: An empty window, in a program that has imported the libraries for drawing and running.
BARE = """
import sys, {imported}
from PySide6.QtWidgets import QApplication, QWidget
app = QApplication(sys.argv[:1])
window = QWidget()
window.resize(1600, 900)
window.show()
app.exec()
"""

#: Replaces its last line, to measure the memory that the first compiled function takes.
ONE_LINE = """numba.njit(lambda number: number + 1)(1)
from slotscope.model.compiling.pages import give_back_libraries
give_back_libraries()
app.exec()"""


#: Starts the program as its command does, prints its modules after a while, and closes the window.
TELLS_MODULES = """
import json, sys
from slotscope import __main__ as main
def start(options, window=main.window):
    from slotscope.gui import app
    def make_window(*arguments, make=app.make_window):
        from PySide6.QtCore import QTimer
        from PySide6.QtWidgets import QApplication
        made = make(*arguments)
        def tell():
            print(json.dumps(list(sys.modules)), flush=True)
            QApplication.closeAllWindows()
        QTimer.singleShot({milliseconds}, tell)
        return made
    app.make_window = make_window
    return window(options)
main.window = start
main.main(["dra-vms"])
"""

#: Imports in an empty window all modules of the program, without using them.
IMPORT_ALL = """
from contextlib import suppress
from importlib import import_module
import json
from slotscope.gui.window.application import leave_sources_unread
leave_sources_unread()  # as the program does: no source is kept that PySide would read
from slotscope.gui.plotting.importing import import_in_parts
for _ in import_in_parts():  # and no more of pyqtgraph
    pass
for name in json.load(open({path!r})):
    with suppress(Exception):
        import_module(name)
"""


def on_each(window: MainWindow, work: Callable[[], Any]) -> tuple[float, float]:
    """CPU milliseconds of the run's thread and of the window's thread during some work."""
    thread = time.pthread_getcpuclockid(window.worker._thread.ident or 0)
    run, mine = time.clock_gettime(thread), time.thread_time()
    work()
    return 1000 * (time.clock_gettime(thread) - run), 1000 * (time.thread_time() - mine)


class Shown(QObject):
    """Ends a loop when the next frame is first painted, before the run is told to go on with the rest."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__()
        self.loop = QEventLoop()
        self.substeps: list[int] = []  #: of each event that was shown
        self._window = window
        self._came = False  # whether the frame has come
        window.worker.framed.connect(self._framed)
        window.drawn.timeout.disconnect(window.worker.take)
        window.drawn.timeout.connect(self._painted)

    def _framed(self, frame: Frame) -> None:
        self._came = True
        if not frame.explaining:  # otherwise they follow
            self.substeps.append(len(frame.last_records))

    def _painted(self) -> None:
        if self._came:  # otherwise the frame is from before the step
            self.loop.quit()
        QTimer.singleShot(0, self._window.worker.take)

    def step(self) -> None:
        """Run one event at rest, until it is painted."""
        self._came = False
        self._window.control.step()
        self.loop.exec()


def bench_rest(case: Case, steps: int) -> None:
    """Steps in a window of many servers, and the cost of its hidden panels during a run."""
    with tempfile.TemporaryDirectory() as folder:
        window = open_window(case.scenario, case.settled, Path(folder))
        window.control.pause()
        spin(1.0)
        shown, painted, taken, least = Shown(window), Painted(window), [], []
        for _ in range(steps):
            taken.append(on_each(window, shown.step))
            spin(0.5)  # until animations have ended and monitors have been checked
            painted.watch(shown.step)
            painted.record()
            least.append(taken[-1][0] + painted.again())
            spin(0.5)
        run, mine = (spread(each).text(2) for each in zip(*taken, strict=True))
        panels = sum(dock.seen for dock in window.docks.values())
        aim(
            f"a step at rest, {case.title}",
            STEP,
            map(sum, taken),
            "CPU ms",
            limit=Limit("the run's thread, and Qt alone that paints the same again with all in it known", least),
            limit_is=f"an event of {spread(shown.substeps).text()} sub-steps, its check and frame take {run}, "
            f"painting {panels} panels {mine}",
        )
        stretch = Watch(window).measure(Goal(), 1.0)
        hidden = [name for name, dock in window.docks.items() if not dock.seen]
        spent = 1000 * sum(stretch.panels[name] for name in hidden) / stretch.frames
        aim(f"{len(hidden)} panels behind tabs, a frame, {case.title}", UNSEEN, [spent], "CPU ms")
        window.close()
        window.deleteLater()
        spin(0.1)


def resident(environment: Mapping[str, str], *command: str) -> float:
    """Mebibytes of resident memory of a program after a minute."""
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(
            [sys.executable, *command],
            cwd=ROOT,
            env={**environment, "XDG_CONFIG_HOME": folder},
            stderr=subprocess.DEVNULL,
        ) as process,
    ):
        time.sleep(MINUTE)
        lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
        process.terminate()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


def modules(environment: Mapping[str, str]) -> str:
    """All modules of the program once its window is complete and its kernel runs, as a list in JSON."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", TELLS_MODULES.format(milliseconds=500 * MINUTE)],
            cwd=ROOT,
            env={**environment, "XDG_CONFIG_HOME": folder},
            capture_output=True,
            text=True,
            check=True,
        )
    return done.stdout.splitlines()[-1]


def bench_memory() -> None:
    """The memory of the program after a minute, compared with an empty window."""
    with screen() as environment, tempfile.TemporaryDirectory() as folder:
        names = Path(folder) / "modules.json"
        names.write_text(told := modules(environment))
        mine = resident(environment, "-m", "slotscope", "dra-vms")
        bare = resident(environment, "-c", BARE.format(imported="time"))
        imports = "numpy, numba, pydantic, pyqtgraph"
        imported = resident(environment, "-c", BARE.format(imported=imports))
        called = resident(environment, "-c", BARE.format(imported=imports).replace("app.exec()", ONE_LINE))
        all_modules = IMPORT_ALL.format(path=str(names)) + ONE_LINE
        least = resident(environment, "-c", BARE.format(imported="numba").replace("app.exec()", all_modules))
    why = (
        f"a bare window holds {bare:.0f}, {imported:.0f} with NumPy, Numba, pydantic and "
        f"pyqtgraph imported, and {called:.0f} once a compiled function of one line was called and the pages of "
        "libraries were given back"
    )
    limit = Limit(
        f"a bare window that has imported the same {len(json.loads(told))} modules and called a function of one line",
        [least],
    )
    aim("resident after the first minute, dra-vms", RESIDENT, [mine], "MB", limit=limit, limit_is=why)


def main() -> None:
    """Measure everything and print the targets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few steps")
    arguments = parser.parse_args()
    keep_byte_code()
    gui_app.application()
    sys.setswitchinterval(gui_app.SWITCH_INTERVAL)
    for case in cases():
        if str(SIZES[-1]) in case.title.replace(",", ""):
            bench_rest(case, 5 if arguments.quick else 20)
    bench_memory()


if __name__ == "__main__":
    main()
