"""The map of the policy in the window: pointed at, at any size, in every theme, and saved."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QHelpEvent
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from slotscope.gui.intents import Select
from slotscope.gui.kinds.phases.policy_map import PolicyMapPanel
from slotscope.gui.kinds.phases.policy_map_painting import shade
from slotscope.gui.theme import fonts, load_theme
from slotscope.model.api import Session
from slotscope.model.reporting.frame import Frame
from tests.gui.painted import colours, text_of
from tests.kinds.phases.gui.policy_map_views import cell_of, moved, run, shown_panel


@pytest.fixture(scope="module")
def frame() -> Frame:
    return run("jrs-two-phases", 3000)


@pytest.fixture(scope="module")
def stack() -> Frame:
    return run("jrs-three-phases", 3000)


@pytest.fixture(scope="module")
def pools() -> Frame:
    return run("jrs-fixed-sizes", 3000)


@pytest.fixture
def panel(qtbot: QtBot) -> PolicyMapPanel:
    return shown_panel(qtbot)


# -- the mouse -----------------------------------------------------------------------------------


def test_a_click_points_at_the_servers_of_a_cell_in_turn(qtbot: QtBot, panel: PolicyMapPanel, frame: Frame) -> None:
    panel.set_frame(moved(frame, [0] * 25))
    spot = panel.view.middle_of(cell_of(panel, frame, 0, 0)).toPoint()
    for server in (0, 1, 2):
        with qtbot.waitSignal(panel.intent) as caught:
            qtbot.mouseClick(panel.view, Qt.MouseButton.LeftButton, pos=spot)
        assert caught.args == [Select(server=server)]
        panel.set_selection(Select(server=server))
    empty = panel.view.middle_of(cell_of(panel, frame, 0, 8)).toPoint()
    with qtbot.assertNotEmitted(panel.intent):
        qtbot.mouseClick(panel.view, Qt.MouseButton.LeftButton, pos=empty)
    panel.set_selection(Select(server=24))
    with qtbot.waitSignal(panel.intent) as caught:
        qtbot.mouseClick(panel.view, Qt.MouseButton.LeftButton, pos=spot)
    assert caught.args == [Select(server=0)]


def test_hovering_tells_all_of_a_configuration(
    panel: PolicyMapPanel, frame: Frame, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    tips = SimpleNamespace(showText=lambda place, text, view: told.append(text))
    monkeypatch.setattr("slotscope.gui.widgets.chart.QToolTip", tips)
    panel.set_frame(frame)

    def hover(*configuration: int) -> str:
        spot = panel.view.middle_of(cell_of(panel, frame, *configuration)).toPoint()
        over = QHelpEvent(QHelpEvent.Type.ToolTip, spot, panel.view.mapToGlobal(spot))
        QApplication.sendEvent(panel.view, over)
        return told[-1]

    rests, asks, waits = hover(4, 2), hover(0, 3), hover(0, 0)
    now = int((frame.state.observed == frame.info.facts.plan.lattice.place((4, 2))).sum())
    assert rests.startswith("k = 4L + 2H\ncase 1")
    assert "π = 0.49" in rests and f"{now} of 25 server" in rests and "cost h = 0" in rests
    assert "case 2" in asks and "asks for L" in asks and "u: L" in asks
    assert "case 3" in waits and "asks for k⁰ = 4L + 2H" in waits
    assert "an overrun" in hover(0, 8)
    plan = frame.info.facts.plan
    ticking = plan.lattice.configurations[plan.pools[0].rate.any(axis=1)]
    assert "timers: L at rate" in hover(*ticking[0].tolist())


# -- the window ----------------------------------------------------------------------------------


def near(wanted: str, seen: set[str]) -> bool:
    """Whether a colour, or one that the eye does not tell from it, was painted."""
    one = QColor(wanted)
    apart = (
        max(abs(one.red() - other.red()), abs(one.green() - other.green()), abs(one.blue() - other.blue()))
        for other in map(QColor, seen)
    )
    return min(apart) < 16


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("lecture", [False, True])
@pytest.mark.parametrize("size", [(280, 240), (560, 640), (1400, 800)])
def test_it_is_drawn_at_any_size(
    panel: PolicyMapPanel, frame: Frame, stack: Frame, pools: Frame, theme: str, lecture: bool, size: tuple[int, int]
) -> None:
    usual = QApplication.font()
    QApplication.setFont(fonts(lecture).body)
    try:
        look = load_theme(theme)
        panel.set_theme(look)
        panel.resize(*size)
        for shown in (frame, stack, pools):
            panel.set_frame(shown)
            QApplication.processEvents()
            places = panel.view.places
            assert places is not None
            if not places.side:
                assert shown.info is not frame.info and size == (280, 240)
                continue
            seen = colours(panel.view)
            # A dot of a few pixels has none that is not smoothed.
            assert look.run in seen or (places.side < 20 and near(look.run, seen))
            # In a tiny cell nothing may be left around the servers.
            assert shade(look, 1.0) in seen or places.side < 12
            assert not places.legend.isEmpty() or size != (1400, 800)
    finally:
        QApplication.setFont(usual)


def test_without_room_it_says_so(panel: PolicyMapPanel, stack: Frame) -> None:
    panel.set_frame(stack)
    view = panel.view
    view.setParent(None)
    view.resize(60, 50)
    QApplication.processEvents()
    assert view.places is not None
    assert view.places.side == 0
    assert view.cell_at(QPointF(5, 5)) is None
    assert len(colours(view)) > 1
    view.deleteLater()


def test_policies_without_a_lattice_are_told_so(panel: PolicyMapPanel) -> None:
    panel.set_frame(run("jrs-two-phases", 30, "best-fit"))
    assert "Policy map does not apply to" in text_of(panel)
    assert panel.series() is None


def test_at_the_start_nothing_is_known_of_the_time(panel: PolicyMapPanel) -> None:
    panel.set_frame(Session.open("jrs-two-phases", kernel=False).frame())
    assert panel.tiles.shown()[2].startswith("–")
    assert panel.view.counts[0] == 25


def test_the_picture_saves_as_vectors(panel: PolicyMapPanel, frame: Frame, tmp_path: Path) -> None:
    panel.set_frame(frame)
    path = tmp_path / "map.svg"
    panel.save_svg(path)
    assert QSvgRenderer(str(path)).isValid()
    assert "4L + 2H" in path.read_text(encoding="utf-8")


def test_the_series_are_all_configurations(panel: PolicyMapPanel, pools: Frame) -> None:
    assert panel.series() is None
    panel.set_frame(pools)
    series = panel.series()
    assert series is not None
    names, rows = series
    table = [dict(zip(names, row, strict=True)) for row in rows]
    assert len(table) == 3 * len(pools.info.facts.plan.lattice)
    assert sum(row["servers_now"] for row in table) == pools.info.facts.normal_servers
    for pool in (1, 2, 3):
        mine = [row for row in table if row["pool"] == pool]
        assert sum(row["pi"] for row in mine) == pytest.approx(1)
        assert {row["case"] for row in mine if row["pi"] > 0} == {1}
