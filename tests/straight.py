"""A run that nobody interfered with, to compare walks through time with."""

from __future__ import annotations

from typing import Any

import numpy as np

from slotscope.model.api import Session
from slotscope.model.reporting.records import Record
from slotscope.model.running.assembly import Bench, assemble
from slotscope.model.running.engine import Engine, EventRun, started
from slotscope.model.running.keyframes import HistoryRoom
from slotscope.model.running.timeline import Timeline
from slotscope.model.scenario.load import load_scenario
from slotscope.model.session.bench import open_bench
from slotscope.model.systems.state import copied, digest

#: Events of a straight run, and how often the walks keep a copy of the state.
LENGTH = 70
KEYFRAME_EVERY = {"reference": 3, "kernel": 5}
KEYFRAME_BYTES = 40_000


class Straight:
    """What the reference does when nobody interferes: every event, every sub-step."""

    def __init__(self, scenario: Any) -> None:
        bench = assemble(scenario)
        system = bench.system
        self._kinds = bench.kind.vocabulary.event_kinds
        state = started(system)
        self.digests = [digest(state)]
        self.inside: list[list[str]] = []  #: digests after each sub-step of an event
        self.records: list[list[Record]] = []
        self.rows = np.zeros(LENGTH, system.row_dtype)
        self.times = [float(state.clock[0])]
        self.samples = np.zeros((LENGTH + 1, system.sample_width))
        system.sample(state, self.samples[0])
        while len(self.records) < LENGTH and system.next_event(state) is not None:
            run = EventRun(system, copied(state))
            inside = []
            while run.step() is not None:
                inside.append(digest(run.state))
            self.rows[len(self.records)] = run.row[0]
            self.inside.append(inside)
            self.records.append(run.records)
            state = run.state
            self.digests.append(digest(state))
            self.times.append(float(state.clock[0]))
            system.sample(state, self.samples[len(self.records)])
        self.length = len(self.records)
        self.ends = self.length < LENGTH
        self.rows = self.rows[: self.length]

    def next_of(self, kind: str, after: int) -> int | None:
        """The first event of a kind beyond event *after*, or None."""
        flagged = (self.rows["flags"] & self._kinds[kind]) != 0
        found = self.rows["event"][flagged & (self.rows["event"] > after)]
        return int(found[0]) if len(found) else None

    def last_of(self, kind: str, until: int) -> int | None:
        """The last event of a kind up to event *until*, or None."""
        flagged = (self.rows["flags"] & self._kinds[kind]) != 0
        found = self.rows["event"][flagged & (self.rows["event"] <= until)]
        return int(found[-1]) if len(found) else None


def hurried(bench: Bench) -> Session:
    """A session that keeps many copies of the state in little memory, so that it thins them."""
    session = Session(bench)
    bench.reference.keyframe_every = KEYFRAME_EVERY["reference"]
    session.timeline = Timeline(bench.system, bench.reference, room=HistoryRoom(KEYFRAME_BYTES, disk=KEYFRAME_BYTES))
    return session


def hurried_kernel(session: Session) -> Engine:
    """The compiled twin for a session's bench, with keyframes as close."""
    kernel = session.bench.kernel()
    kernel.keyframe_every = KEYFRAME_EVERY["kernel"]
    return kernel


def session_of_7_1(engine: str) -> tuple[Session, Bench]:
    bench = open_bench(load_scenario("dra-vms"))
    session = hurried(bench)
    if engine == "kernel":
        session.use_engine(hurried_kernel(session))
    return session, bench
