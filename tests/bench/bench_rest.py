"""What the window takes at rest and unseen: a step, panels behind tabs, memory after a minute.

Run with ``python -m tests.bench.bench_rest [--quick]``.  A step counts from the command to the last paint that it
leads to, on both threads of the program, by the processor's time.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, Mapping

from slotscope.gui import app as gui_app
from slotscope.gui.main_window import MainWindow
from slotscope.gui.running.goals import Goal
from tests.bench.bench_start import ROOT, screen
from tests.bench.bench_window import Case, Watch, cases, open_window, spin, wait_until
from tests.bench.timing import SIZES, aim

#: Milliseconds for a step; for all panels that are not seen, a frame; and mebibytes that stay.
STEP, UNSEEN, RESIDENT = 16, 0.1, 200

#: Seconds after which memory is looked at.
MINUTE = 60

#: A window with nothing in it, beside what the program imports to draw and to run.
BARE = """
import sys, {imported}
from PySide6.QtWidgets import QApplication, QWidget
app = QApplication(sys.argv[:1])
window = QWidget()
window.resize(1600, 900)
window.show()
app.exec()
"""


def on_both(window: MainWindow, work: Callable[[], Any]) -> float:
    """CPU milliseconds of the window's and the run's thread while something is done."""
    thread = time.pthread_getcpuclockid(window.worker._thread.ident or 0)
    run, mine = time.clock_gettime(thread), time.thread_time()
    work()
    return 1000 * (time.clock_gettime(thread) - run + time.thread_time() - mine)


def step(window: MainWindow) -> None:
    """One event at rest, and all that is painted for it."""
    event = window.frame.event if window.frame is not None else 0
    window.control.step()
    wait_until("the step is shown", lambda: window.frame is not None and window.frame.event > event)
    spin(0.1)


def bench_rest(case: Case, steps: int) -> None:
    """Steps in a window of many servers, and what its unseen panels take while it runs."""
    with tempfile.TemporaryDirectory() as folder:
        window = open_window(case.scenario, case.settled, Path(folder))
        window.control.pause()
        spin(1.0)
        step(window)
        nothing = min(on_both(window, lambda: spin(0.1)) for _ in range(3))
        taken = [on_both(window, lambda: step(window)) - nothing for _ in range(steps)]
        run = window.worker.session
        assert run is not None
        model = on_both(window, lambda: (run.step(), run.frame()))
        aim(
            f"a step at rest, {case.title}",
            STEP,
            taken,
            "CPU ms",
            limit_is=f"the reference's event, its check by the kernel and the frame take {model:.0f} of it",
        )
        stretch = Watch(window).measure(Goal(), 1.0)
        hidden = [name for name, dock in window.docks.items() if not dock.seen]
        spent = 1000 * sum(stretch.panels[name] for name in hidden) / stretch.frames
        aim(f"{len(hidden)} panels behind tabs, a frame, {case.title}", UNSEEN, [spent], "CPU ms")
        window.close()
        window.deleteLater()
        spin(0.1)


def resident(environment: Mapping[str, str], *command: str) -> float:
    """Mebibytes that a program holds after a minute."""
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


def bench_memory() -> None:
    """The program after a minute, beside a bare window."""
    with screen() as environment:
        mine = resident(environment, "-m", "slotscope", "dra-vms")
        bare = resident(environment, "-c", BARE.format(imported="time"))
        imported = resident(environment, "-c", BARE.format(imported="numpy, numba, pydantic, pyqtgraph, scipy.special"))
    why = (
        f"a bare window holds {bare:.0f}, and {imported:.0f} with NumPy, Numba, pydantic, pyqtgraph and SciPy imported"
    )
    aim("resident after the first minute, dra-vms", RESIDENT, [mine], "MB", limit_is=why)


def main() -> None:
    """Measure everything and print the targets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few steps")
    arguments = parser.parse_args()
    gui_app.application()
    sys.setswitchinterval(gui_app.SWITCH_INTERVAL)
    for case in cases():
        if str(SIZES[-1]) in case.title.replace(",", ""):
            bench_rest(case, 5 if arguments.quick else 20)
    bench_memory()


if __name__ == "__main__":
    main()
