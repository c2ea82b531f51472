"""A run straight through, with which walks through time are compared."""

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

#: Events of a straight run, and the walks' distances between keyframes.
LENGTH = 70
KEYFRAME_EVERY = {"reference": 3, "kernel": 5}
KEYFRAME_BYTES = 40_000


class Straight:
    """Every event and sub-step of a straight run by the reference."""

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
        """The first event of a kind after event *after*, or None."""
        flagged = (self.rows["flags"] & self._kinds[kind]) != 0
        found = self.rows["event"][flagged & (self.rows["event"] > after)]
        return int(found[0]) if len(found) else None

    def last_of(self, kind: str, until: int) -> int | None:
        """The last event of a kind up to event *until*, or None."""
        flagged = (self.rows["flags"] & self._kinds[kind]) != 0
        found = self.rows["event"][flagged & (self.rows["event"] <= until)]
        return int(found[-1]) if len(found) else None


def hurried(bench: Bench) -> Session:
    """A session with many keyframes and little memory, so that it must thin them."""
    session = Session(bench)
    bench.reference.keyframe_every = KEYFRAME_EVERY["reference"]
    session.timeline = Timeline(bench.system, bench.reference, room=HistoryRoom(KEYFRAME_BYTES, disk=KEYFRAME_BYTES))
    return session


def hurried_kernel(session: Session) -> Engine:
    """The compiled twin for a session's bench, with keyframes similarly close."""
    kernel = session.bench.kernel()
    kernel.keyframe_every = KEYFRAME_EVERY["kernel"]
    return kernel


def session_of_7_1(engine: str) -> tuple[Session, Bench]:
    bench = open_bench(load_scenario("dra-vms"))
    session = hurried(bench)
    if engine == "kernel":
        session.use_engine(hurried_kernel(session))
    return session, bench
