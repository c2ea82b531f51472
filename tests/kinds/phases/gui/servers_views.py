"""Shared by the tests of the servers with phases: runs, states made by hand, and panels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from PySide6.QtCore import QRectF
from pytestqt.qtbot import QtBot

from slotscope.gui.kinds.phases.servers import PhaseServersPanel
from slotscope.gui.kinds.phases.servers_layout import PhaseWishes
from slotscope.gui.kinds.phases.servers_scene import PhaseScene
from slotscope.gui.kinds.phases.servers_sections import ServerPlace
from slotscope.gui.theme import load_theme
from slotscope.model.api import Session
from slotscope.model.kinds.phases import physics, timers, tokens
from slotscope.model.kinds.phases.numbers import tables_of
from slotscope.model.kinds.phases.state import NEXT_VIRTUAL, PhaseState, doubled, with_room
from slotscope.model.reporting.frame import Frame
from slotscope.model.scenario.load import as_data, load_scenario, parse_scenario
from slotscope.model.systems.state import copied
from tests.gui.windows import on_screen

LIGHT, DARK = load_theme("light"), load_theme("dark")
SIZE = (900, 600)


def run(
    name: str,
    events: int = 0,
    policy: str | None = None,
    scale: str | None = None,
    parameters: dict[str, Any] | None = None,
    resources: bool = False,
) -> Session:
    """A built-in scenario after a number of events under the reference.

    With *resources* its servers also have 8 units of memory, of which each job needs 2.
    """
    data = as_data(load_scenario(name))
    if resources:
        data["servers"]["capacity"]["memory"] = 8
        for phase in data["phases"]:
            phase["demand"]["memory"] = 2
    if policy is not None:
        data["policy"] = {"name": policy, "parameters": parameters or {}}
    if scale is not None:
        data["workload"]["scale"] = scale
    session = Session.open(parse_scenario(data), kernel=False)
    if events:
        session.run(events=events)
    return session


class Made:
    """A frame whose servers are filled by the test."""

    def __init__(self, name: str = "jrs-two-phases", policy: str | None = None, resources: bool = False) -> None:
        self._frame = run(name, policy=policy, resources=resources).frame(running=True)
        self.numbers = self._frame.info.numbers
        self.state: PhaseState = copied(self._frame.state)
        self._tables = tables_of(self.numbers, bool(len(self.state.observed)))
        self._jobs = 0

    def real(self, server: int, phase: int, jobs: int = 1) -> Made:
        """Add real jobs in a phase on a server."""
        return self._put(server, phase, jobs, virtual=False)

    def virtual(self, server: int, phase: int, jobs: int = 1) -> Made:
        """Add virtual jobs in a phase on a server."""
        return self._put(server, phase, jobs, virtual=True)

    def _put(self, server: int, phase: int, jobs: int, virtual: bool) -> Made:
        for _ in range(jobs):
            self._grow()
            number = int(self.state.number[NEXT_VIRTUAL]) if virtual else self._jobs
            record = physics.take_record(self.state, number, phase, 0)
            self.state.job_virtual[record] = virtual
            self.state.number[NEXT_VIRTUAL] += virtual
            self._jobs += not virtual
            physics.settle(self.state, self._tables, record, server)
        return self

    def _grow(self) -> None:
        self.state = with_room(self.state, 8)
        while len(self.state.timer_due) == 0 and len(self.state.jobs_on) < 64:
            self.state = doubled(self.state)

    def has_room(self, server: int, phase: int) -> bool:
        """Whether the configuration with one more job in a phase is still in the lattice."""
        return bool(self._tables.up[self.state.observed[server], phase] >= 0)

    def token(self, server: int, job_type: int, pool: int = 0) -> Made:
        """Add a token of a server, and stop the server's timer."""
        self._grow()
        timers.stop_timer(self.state, server)
        tokens.make_token(self.state, pool, job_type, server)
        return self

    def backup(self, phase: int, pool: int = 0) -> Made:
        """Add a job on a backup server."""
        self._grow()
        record = physics.take_record(self.state, self._jobs, phase, pool)
        self._jobs += 1
        with np.errstate(over="ignore"):
            physics.put_on_backup(self.state, self._tables, record, pool)
        return self

    def no_timers(self) -> Made:
        """Stop all timers."""
        for server in range(len(self.state.timer_due)):
            timers.stop_timer(self.state, server)
        return self

    def frame(self) -> Frame:
        """The frame as during a run: without the marks of an event."""
        return replace(self._frame, state=self.state)


def filled(made: Made, seed: int = 1) -> Made:
    """Random jobs, real and virtual, on all normal servers, and tokens on some."""
    random = np.random.default_rng(seed)
    most = made.numbers.model.most_jobs
    for server in range(len(made.state.timer_due)):
        pool = int(made.frame().info.facts.pool_of[server])
        for _ in range(random.integers(0, most // 2)):
            phase = int(random.integers(made.numbers.phases))
            if made.has_room(server, phase):
                (made.virtual if random.random() < 0.15 else made.real)(server, phase)
        if random.random() < 0.2:
            made.token(server, int(random.integers(made.numbers.phases)), pool)
    for phase in random.integers(0, made.numbers.phases, 5).tolist():
        made.backup(phase)
    return made


def wishes(
    counts: tuple[int, ...] = (25, 12), resources: int = 1, tokens: bool = True, scale: int = 1, top: float = 1.5
) -> PhaseWishes:
    """The dimensions that a layout must fit; with several sections the last one has the backup servers."""
    backup = tuple(place > 0 and place == len(counts) - 1 for place in range(len(counts)))
    return PhaseWishes(counts, 17 * scale, scale, backup, resources, tokens, top, (20 * scale, 50 * scale, 60 * scale))


def shown(qtbot: QtBot, frame: Frame, size: tuple[int, int] = SIZE) -> PhaseServersPanel:
    panel = on_screen(qtbot, PhaseServersPanel(LIGHT), *size)
    panel.set_frame(frame)
    return panel


def server_rect(scene: PhaseScene, place: ServerPlace) -> QRectF:
    """The rectangle of a server's bins up to their rims."""
    found = scene.find(place)
    assert found is not None
    return scene.rect(scene.layout.box(*found))


def records_of(state: PhaseState) -> list[int]:
    """The records of all jobs."""
    return np.flatnonzero(state.job_server != -1).tolist()
