"""The parts of the panel of allocations that events do not change are painted once, and again only when they change."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from slotscope.gui.kinds.moldable.allocations import AllocationsPanel
from slotscope.gui.kinds.moldable.allocations_painting import FacetPainter
from slotscope.gui.kinds.moldable.allocations_values import tiles
from slotscope.gui.sharing.picture_button import picture_data
from slotscope.gui.theme import load_theme
from slotscope.model.api import Session
from slotscope.model.reporting.frame import Frame
from tests.gui.windows import on_screen
from tests.runs import ran

LIGHT = load_theme("light")
SIZE = (640, 420)


def run(name: str) -> Session:
    return ran(name, events=600)


def picture(panel: AllocationsPanel) -> QImage:
    return panel.chart.grab().toImage()


def showing(frame: Frame) -> AllocationsPanel:
    panel = AllocationsPanel(LIGHT)
    panel.set_frame(frame)
    return panel


def test_what_stands_still_is_painted_once_and_anew_where_it_is_another(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    painted: list[FacetPainter] = []
    classes, frame = (run(name).frame() for name in ("moldable-classes", "moldable-classroom"))
    still = FacetPainter.still
    monkeypatch.setattr(FacetPainter, "still", lambda self: (painted.append(self), still(self)))
    panel = on_screen(qtbot, AllocationsPanel(LIGHT), *SIZE)
    session = run("moldable-classroom")
    panel.set_frame(session.frame())
    QApplication.processEvents()
    picture(panel)
    painted.clear()
    for _ in range(9):
        high = panel.chart._scales[0].high
        session.run(events=1)
        panel.set_frame(session.frame())
        now = picture(panel)
        assert bool(painted) == (panel.chart._scales[0].high != high)
        assert now == picture(on_screen(qtbot, showing(session.frame()), *SIZE))
        painted.clear()
    for change in (
        lambda: panel.set_frame(classes),
        lambda: panel.resize(700, 500),
        lambda: panel.set_theme(load_theme("dark")),
        lambda: panel.set_frame(frame),
    ):
        change()
        QApplication.processEvents()
        fresh = on_screen(qtbot, AllocationsPanel(panel.theme), panel.width(), panel.height())
        fresh.set_frame(panel.frame)
        QApplication.processEvents()
        assert picture(panel) == picture(fresh)


def test_a_picture_has_the_numbers_of_its_moment(qtbot: QtBot) -> None:
    """During a run the tiles are not updated at every frame, but the table of a saved picture is."""
    panel, session = on_screen(qtbot, AllocationsPanel(LIGHT), *SIZE), ran("moldable-classroom", events=0)
    panel.set_frame(replace(session.frame(), running=True))
    still = panel.tiles.shown()
    session.run(events=9)
    panel.set_frame(replace(session.frame(), running=True))
    assert panel.tiles.shown() == still
    picture_data(panel)
    assert panel.tiles.shown() == [one.value for one in tiles(session.frame())] != still
