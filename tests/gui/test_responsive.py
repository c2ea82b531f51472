"""Long operations show their progress, stop on request, and leave everything in order."""

from __future__ import annotations

from itertools import count
from time import sleep
from typing import Any, Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, Qt, QTimer
from pytestqt.qtbot import QtBot

from slotscope.gui.main_window import MainWindow
from slotscope.gui.running.goals import Goal, GoalProgress
from slotscope.gui.running.pace import NO_LIMIT, Pace
from slotscope.gui.running.warming import Warming
from slotscope.gui.running.worker import RunWorker
from slotscope.model.api import Session
from slotscope.model.reporting.frame import Frame
from slotscope.model.running.engine import Advance, Task
from slotscope.model.running.origin import Moment
from tests.gui.windows import press, rest


@pytest.fixture(scope="module")
def window(shared_window: MainWindow) -> MainWindow:
    return shared_window


@pytest.fixture(autouse=True)
def tell_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("slotscope.model.running.waiting.PERIOD", -1.0)
    monkeypatch.setattr("slotscope.gui.running.worker.PERIOD", -1.0)


@pytest.fixture(autouse=True)
def nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Warming, "ready", lambda self: False)


class Watched:
    """An engine that counts its events, and runs few at a time so that slices stay short."""

    def __init__(self, session: Session) -> None:
        self._engine: Any = session.bench.reference
        self.name, self.keyframe_every = "reference", 250
        self.slice_seconds = self._engine.slice_seconds
        self.events = 0

    def advance(self, state: Any, tape: Any, task: Task) -> Advance:
        result: Advance = self._engine.advance(state, tape[:5], task)
        self.events += result.rows
        return result


class Told:
    """Records a worker's frames and progress; frames are taken at once."""

    def __init__(self, worker: RunWorker) -> None:
        self.frames: list[Frame] = []
        self.progress: list[GoalProgress] = []
        worker.framed.connect(self.frames.append)
        worker.framed.connect(lambda _: worker.take())
        worker.progressed.connect(self.progress.append)


@pytest.fixture
def worker(qtbot: QtBot) -> Iterator[RunWorker]:
    made = RunWorker()
    made.start()
    yield made
    made.stop()


@pytest.fixture
def session() -> Session:
    return Session.open("dra-classroom", kernel=False)


def test_a_long_way_is_told_and_stops_where_it_is(qtbot: QtBot, worker: RunWorker, session: Session) -> None:
    told = Told(worker)
    session.use_engine(Watched(session))
    worker.post(lambda mine: mine.adopt(session))
    worker.progressed.connect(lambda progress: progress.event >= 100 and worker.cancel())
    worker.post(lambda mine: mine.walk(lambda run: run.seek(1_000_000)))
    qtbot.waitUntil(lambda: bool(told.frames) and told.frames[-1].event >= 100)
    assert told.progress[0].text.startswith("Going to event 1\u202f000\u202f000: 0%")
    assert told.progress[0].text.endswith("(Esc stops it)")
    assert "stopped at 0%" in told.frames[-1].message
    assert told.frames[-1].event < 1_000_000
    qtbot.waitUntil(lambda: told.progress[-1] == GoalProgress())


def test_a_second_place_replaces_the_first(qtbot: QtBot, worker: RunWorker, session: Session) -> None:
    told = Told(worker)
    engine = Watched(session)
    session.use_engine(engine)
    worker.post(lambda mine: mine.adopt(session))
    worker.post_instead(lambda mine: mine.walk(lambda run: run.seek(1_000_000)))
    qtbot.waitUntil(lambda: bool(told.progress))
    worker.post_instead(lambda mine: mine.walk(lambda run: run.seek(40)))
    # The first seek may by chance have stopped at the same event, but then has a message.
    there = (40, "")
    qtbot.waitUntil(lambda: there in [(frame.event, frame.message) for frame in told.frames[-1:]])
    worker.post(lambda mine: mine.walk(lambda run: run.step()))  # the next command is not stopped
    qtbot.waitUntil(lambda: told.frames[-1].event == 41)


def test_a_run_without_drawing_shows_that_it_lives(qtbot: QtBot, worker: RunWorker, session: Session) -> None:
    told = Told(worker)
    worker.post(lambda mine: mine.adopt(session))
    worker.post(lambda mine: mine.run(Goal(event=600, express=True)))
    qtbot.waitUntil(lambda: bool(told.frames) and told.frames[-1].event == 600)
    alive = [progress for progress in told.progress if progress.text]
    assert len(alive) >= 3
    assert {progress.text.split(":")[0] for progress in alive} == {"Running to event 600"}
    events = [progress.event for progress in alive]
    assert events == sorted(events)
    assert 0 < events[0] < 600
    assert [frame.event for frame in told.frames if 0 < frame.event < 600] == []


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        (Goal(event=2000, express=True), "Running to event 2\u202f000: 40% (Esc stops it)"),
        (Goal(time=20.0, express=True), "Running to time 20: 50% (Esc stops it)"),
        (Goal(time=1e6, express=True), "Running to time 1\u202f000\u202f000: 0% (Esc stops it)"),
        (Goal(kind="rejection", express=True), "Running to the next rejection (Esc stops it)"),
        (Goal(express=True), "Running without drawing (Esc stops it)"),
    ],
)
def test_how_far_a_goal_is(goal: Goal, words: str) -> None:
    assert goal.told(1400, 15.0, (1000, 10.0)) == words


def test_the_kernel_takes_over_in_the_middle_of_a_long_way(
    qtbot: QtBot, worker: RunWorker, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = Told(worker)
    engine = Watched(session)
    session.use_engine(engine)
    monkeypatch.setattr(Warming, "wanted", True)
    monkeypatch.setattr(Warming, "ready", lambda self: engine.events >= 60)
    monkeypatch.setattr(Session, "use_kernel", lambda self: self.use_engine(self.bench.reference))
    worker.post(lambda mine: mine.adopt(session))
    qtbot.waitUntil(lambda: bool(told.frames))
    worker.post(lambda mine: mine.walk(lambda run: run.seek(900)))
    qtbot.waitUntil(lambda: told.frames[-1].event == 900)
    assert 60 <= engine.events < 200


def test_opening_a_moment_shows_the_start_and_then_the_moment(qtbot: QtBot, window: MainWindow) -> None:
    seen: list[tuple[str, int]] = []
    window.worker.framed.connect(lambda frame: seen.append((frame.info.policy_name, frame.event)))
    window.control.open("dra-classroom", "first-fit", 1, Moment((300,)))
    rest(qtbot, window, lambda: window.frame.event == 300)
    assert seen[0] == ("first-fit", 0)
    assert seen[-1] == ("first-fit", 300)
    assert "first-fit --seed 1 --event 300" in window.frame.info.opening_line(300)


def test_express_turns_the_button_into_pause_and_the_clock_goes_on(qtbot: QtBot, window: MainWindow) -> None:
    window.control.open("dra-classroom", "dra", 1)
    rest(qtbot, window, lambda: window.frame.info.policy_name == "dra")
    bar = window.transport
    looks: set[tuple[str, str]] = set()

    def look(progress: GoalProgress) -> None:
        if progress.text.startswith("Running without"):
            looks.add((bar.moment.number.text(), window.actions_by_name["run"].text()))

    window.worker.progressed.connect(look)
    press(qtbot, window, Qt.Key.Key_E)
    qtbot.waitUntil(lambda: len(looks) >= 3)
    assert {text for _, text in looks} == {"Pause"}
    assert any(number.startswith("→ event ") for number, _ in looks)  # the panels show another event
    assert window.status.said.text() == "Running without drawing (Esc stops it)"
    press(qtbot, window, Qt.Key.Key_Escape)
    rest(qtbot, window, lambda: window.frame.event > 0)
    qtbot.waitUntil(lambda: window.actions_by_name["run"].text() == "Run")
    assert window.status.said.text() == ""
    assert bar.moment.number.text() == f"event {window.frame.event:,}".replace(",", "\u202f")


def test_space_stops_what_takes_long(qtbot: QtBot, window: MainWindow) -> None:
    worker = window.worker
    worker.post(lambda mine: mine.session.use_engine(Watched(mine.session)))
    window.control.go_to(2_000_000)
    qtbot.waitUntil(lambda: worker.busy)
    press(qtbot, window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: "stopped at" in window.status.said.text())
    assert not worker.drive.running
    press(qtbot, window, Qt.Key.Key_Home)
    rest(qtbot, window, lambda: window.frame.event == 0)
    assert window.status.said.text() == ""


def test_slow_steps_count_as_steps(qtbot: QtBot, window: MainWindow) -> None:
    """When sub-steps are played slowly, panels show the same as when stepping by hand."""
    window.control.go_to(14)
    rest(qtbot, window, lambda: window.frame.event == 14)
    window.control.set_pace(Pace(substeps=1000.0))
    frames: list[Frame] = []
    window.worker.framed.connect(frames.append)
    window.control.run()
    qtbot.waitUntil(lambda: any(frame.records for frame in frames))
    window.control.pause()
    qtbot.waitUntil(lambda: not frames[-1].playing)
    played = [frame for frame in frames if frame.playing]
    assert played
    assert not any(frame.running for frame in played)
    window.control.set_pace(NO_LIMIT)


def test_the_clock_speaks_of_the_event_in_the_making(qtbot: QtBot, window: MainWindow) -> None:
    window.control.go_to(14)
    rest(qtbot, window, lambda: window.frame.event == 14 and not window.frame.records)
    assert window.status.next.text().startswith("next: ")
    expected = window.status.next.text().removeprefix("next: ")
    press(qtbot, window, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    rest(qtbot, window, lambda: len(window.frame.records) == 1)
    assert window.transport.moment.number.text() == "event 15, sub-step 1"
    assert window.status.next.text() == f"now: {expected}"


def test_compiling_is_shown_where_lectures_see_it(qtbot: QtBot, window: MainWindow) -> None:
    window.worker.compiling.emit("compiling: 2 of 9 done")
    label = window.transport._compiling
    assert label.isVisible()
    assert label.text() == "compiling: 2 of 9 done"
    window.worker.compiling.emit("")
    assert not label.isVisible()


@pytest.mark.slow
def test_timers_are_served_while_frames_take_long_to_draw(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    frames, ticks, loop = count(1), 0, QEventLoop()
    show = window.area.show_frame

    def drawn() -> None:
        """Simulate a slow layout, and then the painting of a plot's view, within the same turn of the event loop."""
        sleep(0.05)
        QCoreApplication.postEvent(window, QEvent(QEvent.Type.User))
        QCoreApplication.sendPostedEvents(window, QEvent.Type.User)

    def slowly(frame: Frame) -> None:
        show(frame)
        QTimer.singleShot(0, window, drawn)  # not called once the window is destroyed
        if next(frames) == 20:
            loop.quit()

    def tick() -> None:
        nonlocal ticks
        ticks += 1

    window.control.open("dra-classroom")
    rest(qtbot, window, lambda: window.frame.info.scenario_name == "dra-classroom")
    monkeypatch.setattr(window.area, "show_frame", slowly)
    timer = QTimer(window, interval=5)
    timer.timeout.connect(tick)
    window.control.set_pace(Pace(substeps=1000.0))
    window.control.run()
    timer.start()
    loop.exec()
    timer.stop()
    window.control.pause()
    assert ticks >= 18, "frames leave the window's timers no turn"
