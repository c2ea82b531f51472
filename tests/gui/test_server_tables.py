"""The data saved by the panels of servers: one row per server."""

from __future__ import annotations

from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from slotscope.gui.kinds.moldable.servers import MoldableServersPanel
from slotscope.gui.kinds.phases.servers import PhaseServersPanel
from slotscope.gui.kinds.queue.bins import ServerBinsPanel
from slotscope.gui.panel import Panel
from slotscope.gui.theme import load_theme
from slotscope.model.kinds.moldable.state import BUSY
from slotscope.model.kinds.phases.state import BACKUP, REAL, TOKENS, VIRTUAL
from slotscope.model.kinds.queue.state import IN_SERVICE
from slotscope.model.reporting.frame import Frame
from tests.runs import ran

Table = list[dict[str, Any]]


def saved(qtbot: QtBot, kind: type[Panel], frame: Frame) -> Table:
    panel = kind(load_theme("light"))
    qtbot.addWidget(panel)
    assert panel.series() is None
    panel.set_frame(frame)
    series = panel.series()
    assert series is not None
    names, rows = series
    return [dict(zip(names, row, strict=True)) for row in rows]


def frame_at(scenario: str, policy: str, events: int) -> Frame:
    return ran(scenario, policy, events=events).frame()


@pytest.mark.parametrize(("scenario", "policy"), [("queues-classroom", "vqs"), ("queues-two-resources", "bf-js")])
def test_bins(qtbot: QtBot, scenario: str, policy: str) -> None:
    frame = frame_at(scenario, policy, 100)
    table, numbers = saved(qtbot, ServerBinsPanel, frame), frame.info.numbers
    assert [row["server"] for row in table] == list(range(1, 1 + len(frame.state.jobs_on)))
    assert sum(row["jobs"] for row in table) == frame.state.number[IN_SERVICE]
    for d, name in enumerate(numbers.resource_names):
        used = float(numbers.amount(int(frame.state.used_total[d]), d))
        assert sum(row[f"{name} in use"] for row in table) == pytest.approx(used)
        assert all(row[f"{name} in use"] <= row[f"{name} in all"] for row in table)
    assert all((row["state"] == "idle") <= (row["jobs"] == 0) for row in table)
    assert ("active configuration" in table[0]) == (policy == "vqs")


def test_servers_with_tokens(qtbot: QtBot) -> None:
    frame = frame_at("jrs-classroom", "jrs", 119)
    table, number = saved(qtbot, PhaseServersPanel, frame), frame.state.number
    phases = frame.info.numbers.model.phases

    def total(what: str) -> int:
        return sum(row[f"{what} of {name}"] for row in table for name in phases)

    assert [total(what) for what in ("jobs", "virtual jobs", "tokens")] == [
        number[REAL],
        number[VIRTUAL],
        number[TOKENS],
    ]
    normal = [row["server"] for row in table if row["kind"] == "normal"]
    assert normal == list(range(1, 1 + frame.info.facts.normal_servers))
    assert len(table) - len(normal) == number[BACKUP]
    assert number[TOKENS] and any(row["state"] == "paused" for row in table)


def test_servers_without_number(qtbot: QtBot) -> None:
    frame = frame_at("jrs-classroom", "best-fit", 60)
    table = saved(qtbot, PhaseServersPanel, frame)
    assert sum(row["jobs"] for row in table) == frame.state.number[REAL] > 0
    assert {row["kind"] for row in table} == {"unlimited"} and "tokens of L" not in table[0]


def test_servers_of_moldable_jobs(qtbot: QtBot) -> None:
    frame = frame_at("moldable-classes", "greedy", 60)
    table = saved(qtbot, MoldableServersPanel, frame)
    assert len(table) == frame.info.numbers.servers
    assert sum(row["jobs"] for row in table) == frame.state.number[BUSY] > 0
    for row in table:
        mine = [other for other in table if row["job"] and other["job"] == row["job"]]
        assert not row["job"] or len(mine) == row["servers of the job"]
