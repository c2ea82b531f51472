"""Shared by the tests of the servers of moldable jobs: runs, states made by hand, and panels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from PySide6.QtCore import QRectF
from pytestqt.qtbot import QtBot

from slotscope.gui.kinds.moldable.servers import MoldableServersPanel
from slotscope.gui.kinds.moldable.servers_layout import MoldableWishes
from slotscope.gui.kinds.moldable.servers_scene import MoldableScene
from slotscope.gui.theme import load_theme
from slotscope.model.api import Session
from slotscope.model.kinds.moldable import physics
from slotscope.model.kinds.moldable.numbers import tables_of
from slotscope.model.kinds.moldable.state import NOW, MoldableState
from slotscope.model.reporting.frame import Frame
from slotscope.model.scenario.load import as_data, load_scenario, parse_scenario
from slotscope.model.systems.state import copied
from tests.gui.windows import on_screen

LIGHT, DARK = load_theme("light"), load_theme("dark")
SIZE = (900, 600)


def run(
    name: str = "moldable-classroom",
    events: int = 0,
    servers: int | None = None,
    policy: str | None = None,
    parameters: dict[str, Any] | None = None,
    **tables: Any,
) -> Session:
    """A built-in scenario after a number of events under the reference.

    *tables* replace tables of the scenario. *policy* may be a user's policy file, which is allowed to run.
    """
    data = as_data(load_scenario(name))
    if servers is not None:
        data["servers"]["count"] = servers
    scenario = parse_scenario(data | tables)
    chosen = ",".join(f"{name}={value}" for name, value in (parameters or {}).items())
    session = Session.open(scenario, f"{policy}:{chosen}" if chosen else policy, kernel=False)
    if events:
        session.run(events=events)
    return session


class Made:
    """A frame as during a run, without the marks of an event, whose servers are filled by the test."""

    def __init__(
        self,
        name: str = "moldable-classroom",
        servers: int | None = None,
        policy: str | None = None,
        parameters: dict[str, Any] | None = None,
    ) -> None:
        self._frame = run(name, 0, servers, policy, parameters).frame(running=True)
        self.numbers, self.facts = self._frame.info.numbers, self._frame.info.facts
        self.state: MoldableState = copied(self._frame.state)
        self._tables = tables_of(self.numbers)
        self._jobs = 0

    def job(
        self, width: int, job_class: int = 0, asked: int | None = None, came: float = 0.0, lasts: float = 10.0
    ) -> int:
        """Add a job on a number of servers; returns its record."""
        self.state.clock[NOW] = came
        record = physics.admit(self.state, self._tables, self.facts.rules, job_class, self._jobs, asked or width, width)
        physics.schedule(self.state, record, came + lasts)
        self._jobs += 1
        return record

    def leave(self, record: int) -> Made:
        """Let a job depart."""
        physics.depart(self.state, self._tables, self.facts.rules, record)
        return self

    def frame(self, time: float = 0.0) -> Frame:
        """The frame at a time."""
        return replace(self._frame, state=self.state, time=time)


def split() -> tuple[Made, int]:
    """Twenty servers on which one job runs in three pieces: 4 to 5, 10, and 15 to 16."""
    made = Made()
    records = [made.job(1) for _ in range(20)]
    for server in (4, 5, 10, 15, 16):
        made.leave(records[server])
    return made, made.job(5)


def filled(made: Made, seed: int = 1, until: float = 1.0) -> Made:
    """Random jobs on most of the servers, after some jobs have departed."""
    random = np.random.default_rng(seed)
    degrees, records = made.numbers.degrees, []
    for _ in range(made.numbers.servers):
        job_class = int(random.integers(len(degrees)))
        free = physics.free_for(made.state, made.facts.rules, job_class)
        asked = int(random.integers(1, degrees[job_class] + 1))
        if free:
            came = until * float(random.random())
            records.append(
                made.job(min(asked, free), job_class, asked, came, until - came + float(random.exponential(until)))
            )
    for record in records:
        if random.random() < 0.15:
            made.leave(record)
    return made


def wishes(counts: tuple[int, ...] = (20,), scale: int = 1) -> MoldableWishes:
    """The dimensions that a layout must fit."""
    return MoldableWishes(counts, 17 * scale, scale, 9 * scale, 30 * scale)


def shown(qtbot: QtBot, frame: Frame, size: tuple[int, int] = SIZE) -> MoldableServersPanel:
    panel = on_screen(qtbot, MoldableServersPanel(LIGHT), *size)
    panel.set_frame(frame)
    return panel


def server_rect(scene: MoldableScene, server: int) -> QRectF:
    rect = scene.server_rect(server)
    assert rect is not None
    return rect


def records_of(state: MoldableState) -> list[int]:
    """The records of all jobs."""
    return np.flatnonzero(state.server_job == np.arange(len(state.server_job))).tolist()


def share_of(picture: np.ndarray, color: str) -> float:
    """The share of a picture's pixels that have exactly this colour."""
    return float(((picture & 0xFFFFFF) == int(color[1:], 16)).mean())
