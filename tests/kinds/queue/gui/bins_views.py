"""Shared by the tests of the bins: runs, panels and their colours."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from PySide6.QtCore import QRectF
from pytestqt.qtbot import QtBot

from slotscope.gui.kinds.queue.bins import ServerBinsPanel
from slotscope.gui.kinds.queue.bins_layout import BinWishes
from slotscope.gui.kinds.queue.bins_scene import BinScene
from slotscope.gui.theme import load_theme
from slotscope.model.api import Session
from slotscope.model.kinds.queue import physics
from slotscope.model.kinds.queue.state import ARRIVED, empty_state, with_room
from slotscope.model.reporting.frame import Frame
from slotscope.model.scenario.load import as_data, load_scenario, parse_scenario
from tests.gui.windows import on_screen

LIGHT, DARK = load_theme("light"), load_theme("dark")
SIZE = (900, 600)


def run(
    name: str,
    events: int = 0,
    policy: str | None = None,
    servers: int | None = None,
    parameters: dict[str, Any] | None = None,
) -> Session:
    """A built-in scenario after a number of events under the reference."""
    data = as_data(load_scenario(name))
    if policy is not None:
        data["policy"] = {"name": policy, "parameters": parameters or {}}
    if servers is not None:
        data["servers"]["count"] = servers
    session = Session.open(parse_scenario(data), kernel=False)
    if events:
        session.run(events=events)
    return session


def filled(frame: Frame, seed: int = 1) -> Frame:
    """The frame with other jobs: on each server random jobs that fill a random share of it."""
    random = np.random.default_rng(seed)
    numbers = frame.info.numbers
    state = empty_state(numbers.servers, numbers.resources, frame.info.facts.layout.queues)
    state = with_room(state, 4 * numbers.servers)
    state.clock[0] = 50
    for server, share in enumerate(random.random(numbers.servers).tolist()):
        for _ in range(2):
            record = physics.take_record(state, int(state.tally[ARRIVED]))
            size = (numbers.capacity[server] * share / 2).astype(np.int64)
            state.job_size[record] = state.job_room[record] = size
            state.job_service[record] = 100
            physics.join(state, record, 0)
            physics.place(state, record, server)
    return replace(frame, state=state)


def until_placed(session: Session) -> Frame:
    """Step on to a slot in which a job is placed."""
    while True:
        session.step()
        if any(record.kind == "place" for record in session.frame().last_records):
            return session.frame()


def with_stalled(events: int = 400) -> Frame:
    """A frame in which some servers are stalled and some are not."""
    session = run("queues-wide-jobs", events, "vqs", 12, {"stall": True, "gamma": "0.9"})
    while not 0 < session.frame().state.stalled.sum() < 12:
        session.run(events=1)
    return session.frame()


def wishes(servers: int, resources: int = 1, bars: bool = False, scale: int = 1, pooled: bool = False) -> BinWishes:
    """The dimensions that a layout must fit; *pooled* servers have three sizes."""
    half, quarter = servers // 3, servers // 2
    pools = ((servers - half - quarter, 1.0), (half, 0.5), (quarter, 0.25)) if pooled else ()
    return BinWishes((servers,), 18 * scale, scale, pools or ((servers, 1.0),), resources, bars, (20, 60, 40))


def shown(qtbot: QtBot, frame: Frame, size: tuple[int, int] = SIZE) -> ServerBinsPanel:
    panel = on_screen(qtbot, ServerBinsPanel(LIGHT), *size)
    panel.set_frame(frame)
    return panel


def block_rects(scene: BinScene, resource: int = 0) -> list[QRectF]:
    assert scene.blocks is not None
    return [scene.rect(scene.block_box(block, resource)) for block in range(len(scene.blocks.record))]
