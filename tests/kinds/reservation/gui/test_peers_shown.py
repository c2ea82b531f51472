"""Policies that reserve slots but have no groups: no panel mentions ranks or groups."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from slotscope.gui.intents import Select
from slotscope.gui.kinds.reservation.servers import ServersPanel
from slotscope.gui.kinds.reservation.servers_legend import entries
from slotscope.gui.kinds.reservation.servers_words import server_words
from slotscope.gui.panels.algorithm_values import Code, values_beside
from slotscope.gui.panels.inspector import InspectorPanel
from slotscope.gui.theme import load_theme
from slotscope.model.reporting.records import Admit
from tests.kinds.reservation.gui.servers_views import classroom, shown

MARKS = {"reject_group", "wanted", "missing"}


def test_the_legend_explains_what_there_is() -> None:
    names = ("a", "b")
    assert {entry.mark for entry in entries(names, True, True)} >= MARKS
    assert [entry.mark for entry in entries(names, True, False)] == ["type", "type", "empty"]
    assert [entry.mark for entry in entries(names, False, False)] == ["type", "type"]


@pytest.mark.parametrize("policy", ["static-reservation", "power-of-d", "best-fit"])
def test_words_about_servers_name_no_group(qtbot: QtBot, policy: str) -> None:
    frame = classroom(60, policy=policy).frame()
    panel = InspectorPanel(load_theme("light"))
    qtbot.addWidget(panel)
    panel.set_frame(frame)
    for server in range(7):
        panel.set_selection(Select(server=server))
        for words in (server_words(frame, server), panel.now.facts.text()):
            assert "Group" not in words
            assert "rank" not in words
            assert "GPA" not in words


def test_static_reservation_shows_configurations(qtbot: QtBot) -> None:
    frame = classroom(60, policy="static-reservation").frame()
    assert frame.info.facts.reserves_slots
    assert not frame.info.facts.has_groups
    assert "configuration" in server_words(frame, 0)
    panel = InspectorPanel(load_theme("light"))
    qtbot.addWidget(panel)
    panel.set_frame(frame)
    panel.set_selection(Select(server=0))
    slots = frame.state.configuration[0]
    assert f"({', '.join(map(str, slots.tolist()))})" in panel.now.facts.text()
    assert f"of {slots.sum()} slots" in panel.now.facts.text()


@pytest.mark.parametrize("policy", ["static-reservation", "power-of-d", "best-fit"])
def test_the_servers_panel_shows_a_peer(qtbot: QtBot, policy: str) -> None:
    panel = shown(qtbot, ServersPanel, classroom(60, policy=policy).frame())
    assert isinstance(panel, ServersPanel)
    assert not panel.grab().isNull()


def test_values_beside_the_algorithm_count_servers_from_one() -> None:
    session = classroom(policy="power-of-d")
    while not any(isinstance(record, Admit) for record in session.frame().last_records):
        session.step()
    frame = session.frame()
    records = frame.last_records
    sampled = next(r for r in records if r.kind == "servers_sampled").values["sampled"]
    beside = values_beside(Code(frame.info.pseudocode), records, frame.info)
    texts = {name: value.text for line in beside.values() for name, value in line.items()}
    assert texts["sampled"] == f"𝒮 = {{{', '.join(str(server + 1) for server in sampled)}}}"
    assert texts["fitting"].startswith("with room = {")
    assert texts["load"].endswith(" %")
    assert "reason" not in texts
