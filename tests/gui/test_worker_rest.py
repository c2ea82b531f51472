"""The thread of the run rests when there is nothing to do, without busy waiting."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from time import sleep
from weakref import ref

import pytest
from pytestqt.qtbot import QtBot

from slotscope.gui.running import worker as workers
from slotscope.gui.running.drive import LONGEST_WAIT
from slotscope.gui.running.goals import Goal
from slotscope.gui.running.pace import NO_LIMIT, Pace
from slotscope.gui.running.warming import Warming
from slotscope.gui.running.worker import MOMENT, RunWorker
from slotscope.model.api import Session
from slotscope.model.reporting.inspection import JOB, Thing
from slotscope.model.running import explaining
from slotscope.model.systems.state import digest
from tests.limits import PATIENCE
from tests.runs import ran

#: Seconds of observation, and the turns that a resting thread may take in them.
WATCHED = 0.4
MOST_TURNS = 4 * round(WATCHED / MOMENT) + 10


class Counting(RunWorker):
    """A worker that counts the turns of its thread."""

    turns = 0

    def _publish(self) -> None:
        self.turns += 1
        super()._publish()


@pytest.fixture
def worker(qtbot):
    made = Counting()
    made.start()
    yield made
    made.stop()


def turns_of(worker: Counting) -> int:
    """The number of turns during the observation, without commands."""
    sleep(WATCHED)
    before = worker.turns
    sleep(WATCHED)
    return worker.turns - before


def test_before_anything_is_open(worker: Counting) -> None:
    assert turns_of(worker) <= MOST_TURNS


def test_with_a_frame_that_nobody_takes(worker: Counting) -> None:
    session = Session.open("dra-classroom", kernel=False)
    worker.post(lambda mine: mine.adopt(session))
    worker.post(lambda mine: mine.refresh())
    assert turns_of(worker) <= MOST_TURNS


def test_between_two_slow_substeps(worker: Counting) -> None:
    session = Session.open("dra-classroom", kernel=False)
    worker.post(lambda mine: mine.adopt(session))
    worker.post(lambda mine: mine.set_pace(Pace(substeps=0.1)))
    worker.post(lambda mine: mine.run(Goal()))
    assert turns_of(worker) <= WATCHED / 0.002


def test_nothing_runs_while_the_window_grows(worker: Counting, qtbot) -> None:
    session = Session.open("dra-classroom", kernel=False)
    worker.window_grows = True
    worker.post(lambda mine: mine.adopt(session))
    worker.post(lambda mine: mine.set_pace(NO_LIMIT))
    worker.post(lambda mine: mine.run(Goal(event=20)))
    assert turns_of(worker) <= WATCHED * 70
    assert session.timeline.event == 0
    worker.window_grows = False
    qtbot.waitUntil(lambda: session.timeline.event == 20)


@pytest.mark.slow
@pytest.mark.parametrize("grows", [True, False])
@pytest.mark.parametrize("loads", [True, False])
def test_a_long_way_rests_while_panels_are_built_or_code_is_loaded(worker, qtbot, monkeypatch, grows, loads) -> None:
    naps = []
    monkeypatch.setattr(workers, "sleep", naps.append)
    monkeypatch.setattr(Warming, "loads", loads)
    session = Session.open("dra-classroom", kernel=False)
    worker.window_grows = grows
    worker.post(lambda mine: (mine.adopt(session), session.seek(2000), session.seek(0)))
    qtbot.waitUntil(lambda: worker._seen)
    assert not naps  # the window waits for a run to open
    worker.post(lambda mine: mine.walk(lambda run: run.seek(4000)))
    qtbot.waitUntil(lambda: session.timeline.event == 4000)
    assert bool(naps) is (grows or loads)


@pytest.mark.slow
def test_compiled_code_takes_over_on_a_long_way_though_no_frame_is_out(qtbot, monkeypatch: pytest.MonkeyPatch) -> None:
    """The window may still be drawing the previous run, until the seek with which the new run begins is done."""
    monkeypatch.setattr(Warming, "wanted", True)
    said = [True]  # true a single time
    monkeypatch.setattr(Warming, "ready", lambda _: bool(said) and said.pop())
    worker, session = RunWorker(), Session.open("dra-classroom", kernel=False)
    worker._taken.clear()
    worker.adopt(session)
    worker._publish()
    assert worker._carry_out(lambda mine: mine.present.seek(20_000))
    assert not worker._seen and session.compiled


def test_a_frame_follows_as_soon_as_the_last_was_taken(worker: Counting, qtbot) -> None:
    session = Session.open("dra-classroom", kernel=False)
    with qtbot.waitSignal(worker.framed):
        worker.post(lambda mine: mine.adopt(session))
    worker.post(lambda mine: mine.refresh())
    with qtbot.waitSignal(worker.framed):
        worker.take()


def test_at_a_slow_pace_of_time_an_event_that_stays_has_its_sub_steps(qtbot) -> None:
    """Without sub-steps its server would have no outline, as it has when stepping."""
    played, stepped = (Session.open("dra-classroom", kernel=False) for _ in range(2))
    played.run(events=12)
    stepped.run(events=11)
    stepped.step()
    worker, frames = RunWorker(), []
    worker.framed.connect(frames.append)
    worker.adopt(played)
    worker.set_pace(Pace(time=1e-6))
    worker.run(Goal())
    worker._publish()
    assert frames[-1].playing
    assert not frames[-1].running
    assert frames[-1].last_records == stepped.last_records


@pytest.mark.parametrize("after", [RunWorker.pause, lambda worker: worker.set_pace(NO_LIMIT)], ids=["pause", "pace"])
def test_a_wait_that_is_cut_short_is_told_only_while_it_lasts(qtbot, after: Callable[[RunWorker], None]) -> None:
    worker, frames = RunWorker(), []
    worker.framed.connect(frames.append)
    worker.adopt(session := Session.open("dra-classroom", kernel=False))
    following = session.timeline.next_event
    assert following is not None
    worker.set_pace(Pace(time=following.time / (3 * LONGEST_WAIT)))
    worker.run(Goal())
    worker._slice()
    worker._publish()
    assert frames[-1].message.startswith("Nothing happens for ")
    after(worker)
    if worker.drive.running:
        worker._slice()
    worker.take()
    worker._rate._next = 0.0
    worker._publish()
    assert len(frames) == 2 and not frames[-1].message


def test_a_pause_is_seen_before_what_is_costly_to_count_in_its_log(qtbot) -> None:
    """At rest a kernel's slots are run again for these counts, which takes long if they have many jobs."""
    worker, frames = RunWorker(), []
    worker.framed.connect(frames.append)
    session = Session.open("queues-wide-jobs")
    worker.adopt(session)
    worker.set_pace(NO_LIMIT)
    worker.run(Goal())
    while session.timeline.event < 500:
        worker._slice()
    session.timeline.slices.room = 1  # a slot takes as long as a slice
    worker.pause()
    worker._publish()
    assert not frames[-1].running and len(frames[-1].rows) == 400
    assert (frames[-1].rows["best_residual"] < 0).all(), "it is counted, though pictures come first"
    assert worker._owes
    worker._settle()
    worker.take()
    worker._publish()
    assert frames[-1].rows.tobytes() == session.timeline.rows(session.timeline.event - 399, 10**9).tobytes()
    assert (frames[-1].rows["best_residual"] >= 0).all()
    assert not worker._owes


def test_the_window_closes_though_compiled_code_hangs(qtbot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "LAST_WAIT", 0.3)
    hangs, over = Event(), Event()
    made, waited = RunWorker(), []
    made.start()
    made.post(lambda _: (hangs.set(), over.wait()))
    assert hangs.wait(PATIENCE / 1000)
    thread, join = made._thread, made._thread.join
    monkeypatch.setattr(thread, "join", lambda seconds: (waited.append(seconds), join(seconds)))
    made.stop()
    assert waited == [0.3] and thread.is_alive()
    over.set()
    made.stop()


def test_no_frame_is_made_while_something_is_still_to_stop(qtbot) -> None:
    """Its log would be interrupted, too, and stay empty until the next step."""
    worker, frames = RunWorker(), []
    worker.framed.connect(frames.append)
    session = ran("dra-classroom", events=5)
    worker.adopt(session)
    worker._stops.put(None)
    worker._publish()
    assert not frames
    worker._stopped()
    worker._publish()
    assert len(frames[0].rows) == 5


def test_what_a_slow_event_did_is_seen_before_its_sub_steps(qtbot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explaining, "AT_ONCE", -1.0)
    stepped = ran("queues-wide-jobs", kernel=True, events=50)
    stepped.step()
    worker, frames = RunWorker(), []
    worker.framed.connect(frames.append)
    session = ran("queues-wide-jobs", kernel=True, events=50)
    worker.adopt(session)
    worker.walk(lambda run: run.step())
    worker._publish()
    assert frames[-1].explaining and frames[-1].event == 51 and not frames[-1].last_records
    assert not worker._explains, "the picture comes first"
    worker._taken.set()
    worker.post(lambda _: None)
    worker._settle()
    worker._publish()
    assert session.explaining and len(frames) == 1, "something else was asked for"
    worker._commands.get()
    worker._settle()
    worker._publish()
    assert frames[-1].last_records == stepped.last_records and frames[-1].agreement
    assert digest(frames[-1].state) == digest(frames[0].state) == digest(stepped.timeline.state)
    assert not worker._explains


def test_monitors_judge_where_it_rests_once_nothing_else_is_asked_for(qtbot) -> None:
    """Repeated steps do not wait for checks of the states in between."""
    worker, session = RunWorker(), ran("dra-classroom", events=5)
    worker.adopt(session)
    for _ in range(3):
        worker.walk(lambda run: run.step())
        worker._publish()
        worker.take()
    while (command := worker._next_command()) is not RunWorker._settle:
        worker._carry_out(command)
        worker._follow()
        assert session.lookout.due(session.timeline.event)
    while worker._owes or worker._searching:
        worker._settle()
    assert not session.lookout.due(session.timeline.event)


def test_a_pause_leaves_sub_steps_that_are_left(qtbot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explaining, "AT_ONCE", -1.0)
    worker, session = RunWorker(), Session.open("queues-wide-jobs")
    session.run(events=50)
    worker.adopt(session)
    worker.walk(lambda run: run.step())
    worker.pause()
    assert not session.explaining and not session.last_records


def test_a_frame_that_is_out_when_something_else_is_asked_for_need_not_be_drawn(qtbot) -> None:
    worker, frames = RunWorker(), []
    worker.framed.connect(frames.append)
    worker.adopt(Session.open("dra-classroom", kernel=False))
    worker.set_pace(NO_LIMIT)
    worker.run(Goal())
    worker._slice()
    worker._publish()
    assert frames[-1].playing and worker.outdated is None
    worker.cancel()
    assert worker.outdated is frames[-1]
    worker._taken.set()
    worker._slice()
    worker._rate._next = 0.0
    worker._publish()
    assert len(frames) == 1, "the one that is asked for comes next"
    worker._stopped()
    worker.pause()
    worker._publish()
    assert not frames[-1].playing and frames[-1] is not worker.outdated


def test_what_is_asked_for_instead_comes_before_another_slice(qtbot) -> None:
    """Otherwise a frame of the running run would be drawn before that of the paused run."""
    worker = Counting()
    worker.adopt(Session.open("dra-classroom", kernel=False))
    worker.set_pace(NO_LIMIT)
    worker.run(Goal())
    worker._taken.set()
    worker.cancel()
    worker._commands.put(None)
    worker._live()
    assert worker.turns == 1 and worker.present.timeline.event == 0


def test_a_run_that_was_replaced_is_held_by_no_search(qtbot: QtBot) -> None:
    worker, session = RunWorker(), Session.open("dra-classroom", kernel=False)
    session.run(events=30)
    worker.adopt(session)
    session.histories.want(Thing(JOB, 3))
    session.histories.search(0)  # half done
    gone = ref(session.timeline)
    worker.adopt(Session.open("dra-classroom", kernel=False))
    del session
    assert gone() is None
