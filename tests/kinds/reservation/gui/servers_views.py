"""Shared by the tests of the server panels: runs, views and their pixels."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from slotscope.gui.kinds.reservation.servers import ServerGridPanel, ServersPanel
from slotscope.gui.kinds.reservation.servers_stacks import StackView
from slotscope.gui.theme import load_theme
from slotscope.model.api import Session
from slotscope.model.reporting.frame import Frame
from slotscope.model.scenario.load import as_data, load_scenario, parse_scenario
from tests.gui.windows import on_screen

LIGHT, DARK = load_theme("light"), load_theme("dark")
SIZE = (900, 600)


def classroom(events: int = 0, servers: int = 7, policy: str | None = None) -> Session:
    data = as_data(load_scenario("dra-classroom"))
    data["servers"]["count"] = servers
    session = Session.open(parse_scenario(data), policy=policy)
    if events:
        session.run(events=events)
    return session


def before_event(session: Session, flag: int) -> Session:
    """Run to just before the next event with a flag."""
    while not int(session.frame().rows[-1]["flags"]) & flag:
        session.run(events=1)
    session.seek(session.timeline.event - 1)
    return session


def shown(
    qtbot: QtBot, kind: type[ServersPanel] | type[ServerGridPanel], frame: Frame, size: tuple[int, int] = SIZE
) -> ServersPanel | ServerGridPanel:
    panel = on_screen(qtbot, kind(LIGHT), *size)
    panel.set_frame(frame)
    return panel


def stacks(qtbot: QtBot, frame: Frame, size: tuple[int, int] = SIZE) -> StackView:
    view = StackView(LIGHT)
    qtbot.addWidget(view)
    view.resize(*size)
    view.show()
    view.set_frame(frame)
    return view
