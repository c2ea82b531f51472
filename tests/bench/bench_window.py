"""Frames per second and speed of the whole window during a run without limit, in all kinds of system.

Run with ``python -m tests.bench.bench_window [--quick]`` (with ``QT_QPA_PLATFORM=offscreen``,
which is also the default without a display).  Stretches with and without drawing
alternate in one window; the ratio of their speeds is the cost of drawing for the run.
The target of frames is in CPU time, which other programs do not affect: as many as the
window's thread can draw in a second of it.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from threading import get_native_id
from typing import Any, Callable, NamedTuple, Sequence

if sys.platform == "linux" and not os.environ.get("DISPLAY"):
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, QObject, QSettings, QTimer
from PySide6.QtWidgets import QApplication

from slotscope.gui import app as gui_app
from slotscope.gui.main_window import MainWindow
from slotscope.gui.panels import panels_of
from slotscope.gui.running.goals import Goal
from slotscope.gui.running.pace import NO_LIMIT, Pace
from slotscope.model.reporting.frame import Frame
from slotscope.model.scenario.load import Scenario, as_data, edited, load_scenario, write_scenario
from tests.bench.repainting import Painted
from tests.bench.spinning import Spinning
from tests.bench.timing import SETTLED, SIZES, Limit, Spread, aim, scaled, section, spread, table

SIZE = (1600, 900)

#: Frames before the count, as the first build what later ones reuse; and the fewest frames of a stretch.
FRAMES_FIRST, FRAMES_LEAST = 5, 20

#: Seconds to wait for anything, compiling included.
PATIENCE = 180


@dataclass
class Stretch:
    """The counts of a stretch of running."""

    seconds: float = 0.0
    frames: int = 0
    events: int = 0
    run_cpu: float = 0.0  #: CPU seconds of the thread that runs
    window_cpu: float = 0.0  #: CPU seconds of the thread that draws
    starved: float = 0.0  #: seconds in which the run's thread waited for a core
    window_starved: float = 0.0  #: the same of the thread that draws, which may have held Python's lock meanwhile
    panels: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    shown: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    @property
    def cpu(self) -> float:
        """CPU seconds of both threads."""
        return self.run_cpu + self.window_cpu

    @property
    def speed(self) -> float:
        """Events per second."""
        return self.events / self.seconds

    @property
    def own_seconds(self) -> float:
        """The seconds without those in which other programs had the core."""
        return max(self.seconds - self.starved, self.run_cpu)

    @property
    def own_speed(self) -> float:
        """Events per second of the time in which the run's thread had a core or was blocked.

        An upper bound of the speed on an idle machine: the window's own thread takes cores too.
        """
        return max(self.events, 1) / self.own_seconds

    @property
    def per_cpu(self) -> float:
        """Events per CPU second of the run's thread."""
        return max(self.events, 1) / self.run_cpu

    @property
    def waited(self) -> float:
        """Share of its own time in which the run's thread waited for Python's lock or for work."""
        return 1 - self.run_cpu / self.own_seconds

    @property
    def blocked(self) -> float:
        """Share of all time in which the run's thread waited for Python's lock or for work."""
        return (self.own_seconds - self.run_cpu) / self.seconds


class Watch(QObject):
    """Counts the frames of a window, and the time inside each panel."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__()
        self.window = window
        self.stretch = Stretch()
        window.worker.framed.connect(self._count)
        for name, dock in window.docks.items():
            self._time(name, dock.panel)

    def _count(self, _: Frame) -> None:
        self.stretch.frames += 1

    def _time(self, name: str, panel: object) -> None:
        shown: Callable[[Frame], None] = panel.set_frame  # type: ignore[attr-defined]

        def timed(frame: Frame) -> None:
            started = time.thread_time()
            shown(frame)
            self.stretch.panels[name] += time.thread_time() - started
            self.stretch.shown[name] += frame.running

        panel.set_frame = timed  # type: ignore[attr-defined]

    def _spin_for(self, frames: int) -> None:
        wait_until(f"{frames} frames are drawn", lambda: self.stretch.frames >= frames)

    def measure(self, goal: Goal, seconds: float) -> Stretch:
        """Run for some seconds and count."""
        worker = self.window.worker
        assert worker.session is not None
        line = worker.session.timeline
        thread = time.pthread_getcpuclockid(worker._thread.ident or 0)
        self.stretch, before = Stretch(), line.event
        self.window.control.run(goal)
        wait_until("the run goes on", lambda: line.event > before)  # the frame at rest is shown first
        spin(0.3)  # until speeds are steady
        self._spin_for(0 if goal.express else FRAMES_FIRST)
        self.stretch = stretch = Stretch()
        started, first = time.monotonic(), line.event
        run, mine = time.clock_gettime(thread), time.thread_time()
        starved = seconds_without_core(worker._thread.native_id or 0)
        held_up = seconds_without_core(get_native_id())
        spin(seconds)
        self._spin_for(0 if goal.express else FRAMES_LEAST)
        stretch.seconds, stretch.events = time.monotonic() - started, line.event - first
        stretch.run_cpu = time.clock_gettime(thread) - run
        stretch.window_cpu = time.thread_time() - mine
        stretch.starved = seconds_without_core(worker._thread.native_id or 0) - starved
        stretch.window_starved = seconds_without_core(get_native_id()) - held_up
        self.window.control.pause()
        spin(0.1)
        return stretch

    def record(self) -> Painted:
        """Record what is painted for a frame during a run, so that it can be painted again without the window."""
        painted = Painted(self.window)
        self.window.control.run(Goal())
        self._spin_for(self.stretch.frames + FRAMES_FIRST)
        painted.watch(lambda: self._spin_for(self.stretch.frames + 2))
        painted.record()
        self.window.control.pause()
        spin(0.1)
        return painted

    def measure_beside(self, painted: Painted, drawn: Stretch, seconds: float) -> Stretch:
        """Run without drawing, while Qt alone paints a recorded frame as often as the window has drawn one."""
        timer = QTimer(self, interval=round(1000 * drawn.seconds / drawn.frames))
        timer.timeout.connect(painted.again)
        timer.start()
        try:
            return self.measure(Goal(express=True), seconds)
        finally:
            timer.stop()


def seconds_without_core(thread: int) -> float:
    """How long a thread waited for a core; 0 where Linux does not report it."""
    try:
        return int(Path(f"/proc/self/task/{thread}/schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError):
        return 0.0


def spin(seconds: float) -> None:
    """Process the window's events for some seconds."""
    loop = QEventLoop()
    QTimer.singleShot(int(1000 * seconds), loop.quit)
    loop.exec()


def wait_until(what: str, reached: Callable[[], bool]) -> None:
    """Process the window's events until a condition holds."""
    end = time.monotonic() + PATIENCE
    while not reached():
        if time.monotonic() > end:
            raise RuntimeError(f"waited {PATIENCE} s in vain until {what}")
        spin(0.02)


def open_window(scenario: Scenario, settled: float, folder: Path) -> MainWindow:
    """A window with all panels, at a settled state, with the kernel."""
    found = panels_of(scenario.system)
    settings = QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)
    window = gui_app.make_window(settings, "light")
    window.resize(*SIZE)
    window.show()
    window.panels.build()
    wait_until("the window is complete", lambda: window.area.complete)
    path = folder / "scenario.toml"
    write_scenario(path, scenario)
    window.control.open(str(path))
    wait_until("all panels are built", lambda: window.area.complete and len(window.docks) == len(found))
    window.control.set_pace(NO_LIMIT)
    wait_until("the kernel runs", lambda: _engine(window) == "kernel")
    window.control.run(Goal(time=settled, express=True))
    wait_until("the run has settled", lambda: _time(window) >= 0.99 * settled)
    spin(0.5)
    return window


def _engine(window: MainWindow) -> str:
    return window.frame.engine if window.frame is not None else ""


def _time(window: MainWindow) -> float:
    return window.frame.time if window.frame is not None else 0.0


class Rounds(NamedTuple):
    """Stretches of each round, one after the other."""

    drawn: list[Stretch]
    undrawn: list[Stretch]
    beside: list[Stretch]  #: undrawn, while Qt paints the same as often as in the drawn one
    spun: list[Stretch]  #: undrawn, while a second thread computes as long as the window's thread did


def alternate(window: MainWindow, rounds: int, seconds: float) -> Rounds:
    """Stretches drawn, undrawn, with only their painting, and with a busy second core, in turn."""
    watch, found = Watch(window), Rounds([], [], [], [])
    painted = watch.record()
    for _ in range(rounds):
        found.drawn.append(watch.measure(Goal(), seconds))
        found.undrawn.append(watch.measure(Goal(express=True), seconds))
        found.beside.append(watch.measure_beside(painted, found.drawn[-1], seconds))
        with Spinning(found.drawn[-1].window_cpu / found.drawn[-1].seconds):
            found.spun.append(watch.measure(Goal(express=True), seconds))
    return found


def at_pace(window: MainWindow, pace: float, rounds: int, seconds: float) -> list[Stretch]:
    """Stretches drawn at *pace* units of time per second."""
    watch = Watch(window)
    window.control.set_pace(Pace(time=pace))
    return [watch.measure(Goal(), seconds) for _ in range(rounds)]


def summary(drawn: list[Stretch], undrawn: list[Stretch]) -> str:
    """The table of a window."""
    rows = [*_speeds(drawn, undrawn), *_calmest(drawn, undrawn), *_waits(drawn, undrawn)]
    return table(("what", "median (least to most)"), [(name, one.text()) for name, one in rows])


def _speeds(drawn: list[Stretch], undrawn: list[Stretch]) -> list[tuple[str, Spread]]:
    """Frames and events by the clock and by CPU time."""
    pairs = list(zip(drawn, undrawn, strict=True))
    return [
        ("frames per second", spread(one.frames / one.seconds for one in drawn)),
        ("speed drawn / undrawn, %", spread(100 * x.speed / y.speed for x, y in pairs)),
        (
            "speed drawn / undrawn, %, time without a core taken out (upper bound)",
            spread(100 * x.own_speed / y.own_speed for x, y in pairs),
        ),
        (
            "events per CPU second of the run's thread, drawn / undrawn, %",
            spread(100 * x.per_cpu / y.per_cpu for x, y in pairs),
        ),
        ("events per second, drawn (thousands)", spread(one.speed / 1e3 for one in drawn)),
        ("events per second, undrawn (thousands)", spread(one.speed / 1e3 for one in undrawn)),
        (
            "CPU of the window's thread, ms per frame",
            spread(1000 * one.window_cpu / max(one.frames, 1) for one in drawn),
        ),
        (
            "CPU of the run's thread, µs per event, undrawn",
            spread(1e6 * one.run_cpu / max(one.events, 1) for one in undrawn),
        ),
    ]


def _calmest(drawn: list[Stretch], undrawn: list[Stretch]) -> list[tuple[str, Spread]]:
    """The round that other programs disturbed least, chosen independently of its result."""
    calm, other = min(zip(drawn, undrawn, strict=True), key=lambda pair: pair[0].starved + pair[1].starved)
    without_core = (calm.starved + other.starved) / (calm.seconds + other.seconds)
    return [
        ("calmest round: frames per second", spread([calm.frames / calm.seconds])),
        ("calmest round: speed drawn / undrawn, %", spread([100 * calm.speed / other.speed])),
        ("calmest round: the run's thread had no core, % of the time", spread([100 * without_core])),
    ]


def _waits(drawn: list[Stretch], undrawn: list[Stretch]) -> list[tuple[str, Spread]]:
    """What kept the run's thread from running."""
    blocked = "the run's thread was blocked (Python's lock), {}, % of the time"
    return [
        (blocked.format("drawn"), spread(100 * one.blocked for one in drawn)),
        (blocked.format("undrawn"), spread(100 * one.blocked for one in undrawn)),
        (
            "the run's thread had no core, % of the time",
            spread(100 * one.starved / one.seconds for one in (*drawn, *undrawn)),
        ),
    ]


def panel_table(drawn: list[Stretch]) -> str:
    """CPU inside each panel's ``set_frame``; painting comes later and is part of the rest.

    A panel behind another tab gets no frame; one in front must get them all.
    """
    names = sorted({name for one in drawn for name in one.panels})
    rows = []
    for name in names:
        calls = spread(1000 * one.panels[name] / max(one.frames, 1) for one in drawn)
        shown = spread(100 * one.shown[name] / max(one.frames, 1) for one in drawn)
        rows.append((name, f"{shown.median:.0f}", calls.text()))
    rest = spread(1000 * (one.window_cpu - sum(one.panels.values())) / max(one.frames, 1) for one in drawn)
    rows.append(("painting, transport and the rest", "", rest.text()))
    return table(("panel", "shown, % of frames", "CPU ms per frame"), rows)


def bench_window(case: Case, rounds: int, seconds: float) -> None:
    """Print a window's tables."""
    with tempfile.TemporaryDirectory() as folder:
        window = open_window(case.scenario, case.settled, Path(folder))
        if case.beside:
            compare(window, case.beside)
        drawn, undrawn, beside, spun = alternate(window, rounds, seconds)
        window.close()
        window.deleteLater()
        spin(0.1)
    platform, title = QApplication.platformName(), case.title
    aim(
        f"frames that a second of the window's thread suffices for, {title}",
        30 if case.beside else 60,
        [one.frames / one.window_cpu for one in drawn],
        at_least=True,
        limit_is=most_costly(drawn),
    )
    kept, most = (
        [100 * x.own_speed / y.own_speed for x, y in zip(stretches, undrawn, strict=True)]
        for stretches in (drawn, beside)
    )
    aim(
        f"speed that is left while drawing, {title}",
        80,
        kept,
        "%",
        at_least=True,
        limit=Limit("the run unseen, while Qt alone paints the same as often from a recording", most),
        limit_is=why_slower(drawn, undrawn, spun),
    )
    section(f"window of {SIZE[0]}x{SIZE[1]} on {platform}, {title}", summary(drawn, undrawn), "", panel_table(drawn))


def bench_paced(case: Case, rounds: int, seconds: float) -> None:
    """The share of a core that both threads take while the run keeps a pace."""
    with tempfile.TemporaryDirectory() as folder:
        window = open_window(case.scenario, case.settled, Path(folder))
        paced = at_pace(window, case.pace, rounds, seconds)
        window.close()
        window.deleteLater()
        spin(0.1)
    frames, events = (
        spread(count / one.seconds for one, count in found).text(2)
        for found in ([(one, one.frames) for one in paced], [(one, one.events) for one in paced])
    )
    shares = [100 * one.cpu / one.seconds for one in paced]
    run = spread(100 * one.run_cpu / one.seconds for one in paced).text(2)
    why = f"{frames} frames and {events} events a second; {most_costly(paced)}, and the run takes {run} % of a core"
    aim(f"CPU at {case.pace:g}x, {case.title}", 25, shares, "% of a core", limit_is=why)


def most_costly(drawn: Sequence[Stretch]) -> str:
    """The panel that takes the most of a frame, and the time of painting and the rest."""
    frames = sum(one.frames for one in drawn)
    spent = {name: sum(one.panels[name] for one in drawn) for one in drawn for name in one.panels}
    name = max(spent, key=lambda panel: spent[panel])
    rest = sum(one.window_cpu for one in drawn) - sum(spent.values())
    each = (1000 * seconds / frames for seconds in (spent[name], rest))
    return "of a frame the panel {} takes {:.1f} ms, painting and the rest {:.1f}".format(name, *each)


def why_slower(drawn: Sequence[Stretch], undrawn: Sequence[Stretch], spun: Sequence[Stretch]) -> str:
    """How much of a run's speed is lost by waiting for the window's thread, and how much by sharing hardware."""
    waits = spread(100 * one.waited for one in drawn).median
    held = spread(100 * one.window_starved / one.seconds for one in drawn).median
    same, alone = (
        spread(100 * x.per_cpu / y.per_cpu for x, y in zip(stretches, undrawn, strict=True)).median
        for stretches in (drawn, spun)
    )
    return (
        f"the run waits for Python's lock {waits:.0f} % of its time, while the window's thread, which has it, had no "
        f"core for {held:.0f} % of all time as other programs had it, and does {same:.0f} % of the events in a second "
        f"of the processor, {alone:.0f} beside a thread as busy as the window's, which needs neither lock "
        "nor memory"
    )


def compare(window: MainWindow, policies: tuple[str, ...]) -> None:
    """Add policies beside the first."""
    window.compare.compare(policies)
    wait_until("the lanes are built", lambda: len(window.compare.labels) == 1 + len(policies) and window.area.complete)
    spin(1.0)


class Case(NamedTuple):
    """A window that is measured."""

    title: str
    scenario: Scenario
    settled: float = SETTLED  #: the time after which it is measured
    beside: tuple[str, ...] = ()  #: policies of further lanes
    pace: float = 1.0  #: units of time per second at a pace


def enlarged(name: str, **changes: Any) -> Scenario:
    """A scenario with other servers, or another workload."""
    scenario = load_scenario(name)
    data = as_data(scenario)
    return edited(scenario, {key: data[key] | change for key, change in changes.items()})


def cases() -> list[Case]:
    """All windows, the most usual first."""
    many = SIZES[-1]
    return [
        *(Case(f"DRA, L = {servers}", scaled(servers)) for servers in SIZES),
        Case(f"BF-J/S, L = {many}", enlarged("queues-wide-jobs", servers={"count": many}), 100),
        Case("JRS, 10,000 normal servers", enlarged("jrs-two-phases", workload={"scale": 41_000})),
        Case(f"greedy(p*), L = {many}", enlarged("moldable-sublinear", servers={"count": many})),
        Case(f"three lanes, L = {SIZES[0]}", scaled(SIZES[0]), SETTLED, ("power-of-d", "best-fit")),
    ]


def paced_cases() -> list[Case]:
    """Runs at a pace: of each kind a scenario with at least as many events per second as frames."""
    return [
        Case(f"DRA, L = {SIZES[0]}", scaled(SIZES[0])),
        Case("queues-wide-jobs", load_scenario("queues-wide-jobs"), 20_000, pace=500),
        Case("jrs-two-phases", load_scenario("jrs-two-phases")),
        Case("moldable-classes", load_scenario("moldable-classes")),
    ]


def main() -> None:
    """Measure everything and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--quick", action="store_true", help="two rounds of a second")
    parser.add_argument("--only", default="", help="only the windows whose title has this in it")
    arguments = parser.parse_args()
    gui_app.application()
    sys.setswitchinterval(gui_app.SWITCH_INTERVAL)
    rounds, seconds = (2, 1.0) if arguments.quick else (arguments.rounds, arguments.seconds)
    for case in cases():
        if arguments.only in case.title:
            bench_window(case, rounds, seconds)
    for case in paced_cases():
        if arguments.only in case.title:
            bench_paced(case, rounds, seconds)


if __name__ == "__main__":
    main()
