"""From the command to the first paint, to the window, to all panels, and to the run at full speed.

Run with ``python -m tests.bench.bench_start [--quick]``.  The program is started again and
again, in turn with a bare window of Qt's, on a virtual screen of its own where Xvfb is
installed (else Qt's offscreen platform).  CPU time is that of the whole process with its
threads; real time counts from before the process is started.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Iterator, Mapping

from tests.bench.timing import Limit, aim, keep_byte_code, ratio, ratios, section, spread, table

ROOT = Path(__file__).resolve().parents[2]

#: Seconds after which a start counts as failed.
PATIENCE = 90

BARE = """
import json, sys, time
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QWidget
class Bare(QWidget):
    def paintEvent(self, event):
        print(json.dumps({"first paint": [time.monotonic(), time.process_time()]}), flush=True)
        QTimer.singleShot(0, self.close)
app = QApplication(sys.argv[:1])
window = Bare()
window.resize(1600, 900)
window.show()
app.exec()
"""

#: The same window in a program with a command line, a style, a palette and a font, which paints a line of text.
TELLING = """
import argparse, json, sys, time, tomllib
from PySide6.QtCore import QTimer
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPainter, QPalette
from PySide6.QtWidgets import QApplication, QWidget
class Telling(QWidget):
    def paintEvent(self, event):
        painter = QPainter(self)
        painter.setFont(QFont(QFontDatabase.families()[0], 18))
        painter.drawText(20, 100, "a program")
        painter.end()
        print(json.dumps({"first paint": [time.monotonic(), time.process_time()]}), flush=True)
        QTimer.singleShot(0, self.close)
app = QApplication(sys.argv[:1])
app.setStyle("Fusion")
app.setPalette(QPalette(QColor("white"), QColor("black")))
window = Telling()
window.resize(460, 200)
window.show()
app.exec()
"""

#: Starts the program as its command does, records when its stages are reached, and closes the window.
PROGRAM = """
import json, time
from slotscope import __main__ as main
marks = {}
def mark(name):
    if name not in marks:
        marks[name] = [time.monotonic(), time.process_time()]
        if {"window", "all panels", "running on the kernel"} <= set(marks):
            QTimer.singleShot(0, QApplication.closeAllWindows)
def marked(window):
    class Marked(window):
        def paintEvent(self, event):
            super().paintEvent(event)
            mark("window")
        def _take_frame(self, frame):
            super()._take_frame(frame)
            if frame.engine == "kernel" and frame.running and frame.event:
                mark("running on the kernel")
    return Marked
def start(options, window=main.window):
    global QApplication, QTimer
    mark("command line")
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication
    mark("Qt imported")
    from slotscope.gui.window.application import leave_sources_unread
    leave_sources_unread()  # as the command does, before it imports anything else
    from slotscope.gui import app, platform
    mark("modules")
    def require_platform(*arguments, require=platform.require_platform):
        found = require(*arguments)
        mark("platform")
        return found
    platform.require_platform = require_platform
    def show_splash(*arguments, show=app.show_splash):
        mark("application")
        shown = show(*arguments)
        mark("first paint")
        return shown
    def make_window(*arguments, make=app.make_window):
        from slotscope.gui import main_window  # late, as the program does
        from slotscope.gui.running.pace import NO_LIMIT
        main_window.MainWindow = marked(main_window.MainWindow)
        window = make(*arguments)
        window.ready.connect(lambda: mark("all panels"))
        window.ready.connect(lambda: window.control.set_pace(NO_LIMIT))
        return window
    app.make_window, app.show_splash = make_window, show_splash
    return window(options)
main.window = start
main.main([])
print(json.dumps(marks), flush=True)
"""


@dataclass(frozen=True)
class Started:
    """The times of the stages, in seconds since the start of the process: real and CPU."""

    real: Mapping[str, float]
    cpu: Mapping[str, float]


@contextmanager
def screen() -> Iterator[dict[str, str]]:
    """The environment of a process that opens a window, on a virtual screen if possible."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    server = shutil.which("Xvfb")
    if server is None:
        yield environment | {"QT_QPA_PLATFORM": "offscreen"}
        return
    with subprocess.Popen(
        [server, "-displayfd", "1", "-screen", "0", "1920x1080x24", "-nolisten", "tcp"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        number = process.stdout.readline().strip()
        try:
            yield environment | {"DISPLAY": f":{number}", "QT_QPA_PLATFORM": "xcb"}
        finally:
            process.terminate()


def start(program: str, environment: Mapping[str, str]) -> Started:
    """Start a program once, with settings of its own, and read the stages that it prints."""
    with tempfile.TemporaryDirectory() as folder:
        started = monotonic()
        try:
            done = subprocess.run(
                [sys.executable, "-c", program],
                cwd=ROOT,
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                check=False,
                env={**environment, "XDG_CONFIG_HOME": folder},
            )
        except subprocess.TimeoutExpired:
            raise SystemExit(
                f"start: the window did not come to its last mark in {PATIENCE} s; "
                "is the machine busy with something else?"
            ) from None
    if done.returncode != 0 or not done.stdout.strip():
        raise RuntimeError(f"the window did not start:\n{done.stdout}{done.stderr}")
    marks = json.loads(done.stdout.splitlines()[-1])
    return Started(
        {name: real - started for name, (real, _) in marks.items()}, {name: cpu for name, (_, cpu) in marks.items()}
    )


def warm(environment: dict[str, str]) -> None:
    """Compile everything that is not in the cache, without a time limit."""
    command = [sys.executable, "-m", "slotscope.gui.running.warming", "reservation"]
    lifeline, silent = subprocess.PIPE, subprocess.DEVNULL  # the process ends when its input does
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdin=lifeline, stdout=silent) as process:
        if process.wait() != 0:
            raise subprocess.CalledProcessError(process.returncode, command)


def cpu_of_compiling() -> float:
    """CPU seconds of compiling everything, with an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"} | {
            "XDG_CACHE_HOME": folder
        }
        warm(environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def bench_windows(rounds: int) -> None:
    """Print bare Qt and the program, started in turn."""
    warm(dict(os.environ))
    bare, telling, program, imported = [], [], [], []
    with screen() as environment:
        for turn in range(rounds + 1):
            found = [start(one, environment) for one in (BARE, TELLING, PROGRAM)]
            imports = cpu_of("-c", f"import {WINDOW}")
            if turn:  # the first start reads files that are cached in memory for later ones
                for kept, one in zip((bare, telling, program), found, strict=True):
                    kept.append(one)
                imported.append(imports)
    rows = [row("bare Qt: first paint", bare, bare, "first paint")]
    rows += [
        row(f"slotscope: {name}", program, bare, name)
        for name in ("first paint", "window", "all panels", "running on the kernel")
    ]
    heads = ("what", "CPU s", "CPU / bare first paint", "real s", "real / bare first paint")
    platform = environment["QT_QPA_PLATFORM"]
    painted, least = (
        ratios(*([one.cpu["first paint"] for one in starts] for starts in (over, bare))) for over in (program, telling)
    )
    limit = Limit(
        "a bare window of a program with a command line that has a style and a palette and writes a line in a font",
        least,
    )
    aim("first paint, the splash / bare Qt's, CPU", 1.5, painted, limit=limit, limit_is=why_later(program, bare))
    complete = [mine.cpu["all panels"] for mine in program]
    aim("complete window", 1.5, complete, "CPU s", limit_is=why_incomplete(program, imported))
    section(f"start, warm cache, platform {platform}", table(heads, rows))


#: Libraries that a window with all its panels needs.
WINDOW = "PySide6.QtWidgets, PySide6.QtSvg, numpy, pydantic, pyqtgraph"


def why_later(program: list[Started], bare: list[Started]) -> str:
    """The CPU time of each stage up to the first paint, compared with a bare window's."""
    steps = ("command line", "Qt imported", "modules", "platform", "application", "first paint")
    spent = {
        step: spread(mine.cpu[step] - (mine.cpu[before] if before else 0.0) for mine in program).text(2)
        for before, step in zip(("", *steps), steps, strict=False)
    }
    return (
        f"of its CPU s Python with the command line takes {spent['command line']}, Qt's libraries "
        f"{spent['Qt imported']}, the modules of a splash {spent['modules']}, "
        f"asking for what Qt would abort without {spent['platform']}, the theme and Qt's start "
        f"{spent['application']}, the splash {spent['first paint']}; a bare window takes "
        f"{spread(base.cpu['first paint'] for base in bare).text(2)}"
    )


def why_incomplete(program: list[Started], imported: list[float]) -> str:
    """The CPU time to import the libraries of a complete window, and of the stages after its first paint."""
    built = spread(mine.cpu["all panels"] - mine.cpu["window"] for mine in program).text(2)
    return f"importing {WINDOW} and nothing else takes {spread(imported).text(2)}, building and painting panels {built}"


#: Targets in CPU seconds, by command.
COMMANDS = ((0.1, ("--help",)), (0.3, ("list",)), (0.7, ("bounds", "dra-classroom")), (0.7, ("run", "dra-classroom")))

#: Libraries that a command needs: pydantic checks scenarios, HiGHS solves programs through PuLP.
LIBRARIES = {"bounds": "numpy, pydantic, pulp, highspy", "run": "numpy, pydantic"}


def cpu_of(*arguments: str) -> float:
    """CPU seconds of Python with these arguments."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    program = [sys.executable, *arguments]
    subprocess.run(program, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def bench_commands(rounds: int) -> None:
    """The CPU time of commands, in turn with a bare import of their libraries."""
    spent: dict[str, list[float]] = {}
    for turn in range(rounds + 1):
        for _, command in COMMANDS:
            ways = {" ".join(command): ("-m", "slotscope", *command)}
            if command[0] in LIBRARIES:
                ways[command[0] + ", imports"] = ("-c", f"import {LIBRARIES[command[0]]}")
            for name, arguments in ways.items():
                seconds = cpu_of(*arguments)
                if turn:
                    spent.setdefault(name, []).append(seconds)
    for wanted, command in COMMANDS:
        why = ""
        if command[0] in LIBRARIES:
            imports = spread(spent[command[0] + ", imports"]).text(2)
            why = f"importing {LIBRARIES[command[0]]} and nothing else takes {imports}"
        aim(f"slotscope {' '.join(command)}", wanted, spent[" ".join(command)], "CPU s", limit_is=why)


def bench_compiled() -> None:
    """The share of the code compiled at a first start that a second start, in another folder, finds."""
    with tempfile.TemporaryDirectory() as cache, tempfile.TemporaryDirectory() as elsewhere:
        environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"} | {
            "XDG_CACHE_HOME": cache
        }
        kept = []
        for folder in (str(ROOT), elsewhere):
            command = [sys.executable, "-m", "slotscope", "run", "dra-classroom", "--engine", "kernel"]
            subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, check=True)
            kept.append(len(list(Path(cache).rglob("*.nbc"))))
    found = 100 * kept[0] / max(kept[-1], 1)
    aim("compiled code that a second start, in another folder, finds", 100, [found], "%", at_least=True)


def bench_upgrade() -> None:
    """The share of compiled code that another version finds: all its modules differ, but no kernel's meaning does."""
    with tempfile.TemporaryDirectory() as cache, tempfile.TemporaryDirectory() as folder:
        environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"} | {
            "XDG_CACHE_HOME": cache
        }
        kept = []
        for root in (ROOT, another_version(Path(folder))):
            command = [sys.executable, "main.py", "run", "dra-classroom", "--engine", "kernel"]
            path = {"PYTHONPATH": str(root / ".installed")}
            subprocess.run(command, cwd=root, env=environment | path, stdout=subprocess.DEVNULL, check=True)
            kept.append(len(list(Path(cache).rglob("*.nbc"))))
    found = 100 * kept[0] / max(kept[-1], 1)
    aim("compiled code that another version finds, whose kernels mean the same", 100, [found], "%", at_least=True)


def another_version(folder: Path) -> Path:
    """A copy of the program with a changed docstring, a new comment and a new name in every module."""
    for name in ("model", "gui", "resources", ".installed"):
        shutil.copytree(ROOT / name, folder / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "main.py", folder)
    for path in (*folder.glob("model/**/*.py"), *folder.glob("gui/**/*.py")):
        text = path.read_text(encoding="utf-8").replace('"""', '"""As ever: ', 1)
        path.write_text(f"{text}\n# Of another version.\nANOTHER_VERSION = True\n", encoding="utf-8")
    return folder


def row(what: str, mine: list[Started], bare: list[Started], name: str) -> tuple[str, ...]:
    """One row of the table: a mark, and its ratios to bare Qt's first paint."""
    cells = [what]
    for found, base in (
        ([one.cpu[name] for one in mine], [one.cpu["first paint"] for one in bare]),
        ([one.real[name] for one in mine], [one.real["first paint"] for one in bare]),
    ):
        cells += [spread(found).text(), ratio(found, base).text()]
    return tuple(cells)


def main() -> None:
    """Measure everything and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="two rounds")
    arguments = parser.parse_args()
    rounds = 2 if arguments.quick else arguments.rounds
    keep_byte_code()
    bench_windows(rounds)
    bench_commands(rounds)
    bench_compiled()
    bench_upgrade()
    section("compiling with an empty cache, once", f"{cpu_of_compiling():.1f} CPU seconds, in a process of its own")


if __name__ == "__main__":
    main()
