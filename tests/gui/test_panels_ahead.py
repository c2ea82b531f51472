"""Panels of lanes are built before the lanes are opened, one per turn of the event loop."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from slotscope.gui.docking import compare_docks
from slotscope.gui.docking.compare_docks import PanelsAhead
from slotscope.gui.kinds.declaration import PanelEntry
from slotscope.gui.main_window import MainWindow
from slotscope.gui.panel import Panel
from slotscope.gui.plotting.time_plot import TimePlot
from slotscope.model.reporting.frame import Frame
from tests.gui.windows import complete_window, rest


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of panels in the order in which they are built, with a "." for each turn that begins."""
    found: list[str] = []
    build, turn = Panel._renew, PanelsAhead._build_next

    def built(panel: Panel) -> None:
        found.append(panel.name)
        build(panel)

    def began(ahead: PanelsAhead) -> None:
        found.append(".")
        turn(ahead)

    monkeypatch.setattr(Panel, "_renew", built)
    monkeypatch.setattr(PanelsAhead, "_build_next", began)
    return found


def opened(qtbot: QtBot, window: MainWindow) -> None:
    window.control.open("dra-classroom")
    rest(qtbot, window, lambda: window.area.complete)


@pytest.mark.slow
def test_panels_of_lanes_are_built_one_by_one_before_these_come(qtbot: QtBot, tmp_path: Path, made: list[str]) -> None:
    with complete_window(qtbot, tmp_path) as window:
        opened(qtbot, window)
        made.clear()
        window.compare.compare(("first-fit",))
        assert not made, "the window answers before the first of them"
        rest(qtbot, window, lambda: len(window.compare.labels) == 2 and window.frame.comparison is not None)
        names = [entry.name for entry in (*compare_docks.companions_of("reservation"), compare_docks.COMPARISON)]
        names.remove("reward")  # it is behind a tab
        assert made == [*(part for name in names for part in (".", name)), ".", ".", "."], "each once, and two plots"
        assert all(name in window.docks for name in ("servers-2", "decisions-2", "reward-2", "comparison"))
        assert window.docks["servers-2"].panel.frame is not None
        made.clear()
        window.docks["reward-2"].raise_()
        rest(qtbot, window, lambda: window.docks["reward-2"].seen)
        assert made == ["reward"] and window.docks["reward-2"].panel.frame is window.frame.companions[0]
        made.clear()
        window.compare.compare(())
        rest(qtbot, window, lambda: not window.compare.labels)
        assert not made


@pytest.mark.slow
def test_the_plots_of_the_comparison_are_built_in_turns_of_their_own(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plots: list[list[str]] = []
    turn, prepare = PanelsAhead._build_next, TimePlot._prepare

    def began(ahead: PanelsAhead) -> None:
        plots.append([])
        turn(ahead)

    def prepared(plot: TimePlot) -> None:
        plots[-1].append(type(plot.parent()).__name__)
        prepare(plot)

    with complete_window(qtbot, tmp_path) as window:
        opened(qtbot, window)
        monkeypatch.setattr(PanelsAhead, "_build_next", began)
        monkeypatch.setattr(TimePlot, "_prepare", prepared)
        window.compare.compare(("first-fit",))
        rest(qtbot, window, lambda: len(window.compare.labels) == 2 and window.frame.comparison is not None)
        assert all(len(turn) <= 1 for turn in plots)
        assert plots[-4:] == [[], ["LaneCurves"], ["LaneCurves"], []], "behind the panel, before the lanes come"
        panel = window.docks["comparison"].panel
        curves = panel.curves
        column = curves.layout()
        assert [column.itemAt(place).widget() for place in range(2)] == [curves.rewards, curves.differences]
        drawn: list[Frame] = []
        monkeypatch.setattr(curves, "show_frame", drawn.append)
        with window.area.layouts.picture.behind():  # as while docks of lanes are added
            panel.set_frame(window.frame)
        assert not drawn, "nor are they drawn in the turn of the numbers"
        qtbot.waitUntil(lambda: bool(drawn) and window.updatesEnabled())
        assert drawn[-1] is panel.frame


@pytest.mark.slow
def test_what_was_asked_for_first_is_done_first(qtbot: QtBot, tmp_path: Path, made: list[str]) -> None:
    with complete_window(qtbot, tmp_path) as window:
        opened(qtbot, window)
        window.compare.compare(("first-fit",))
        window.compare.compare(("first-fit", "best-fit"))
        rest(qtbot, window, lambda: len(window.compare.labels) == 3 and window.frame.comparison is not None)


def test_another_kind_of_system_leaves_lanes_that_were_asked_for(qtbot: QtBot, tmp_path: Path, made: list[str]) -> None:
    with complete_window(qtbot, tmp_path) as window:
        opened(qtbot, window)
        made.clear()
        window.compare.compare(("first-fit",))
        window.lanes.clear()
        for _ in range(20):
            QApplication.processEvents()
        assert not made and not window.compare.labels


@pytest.mark.slow
def test_a_panel_that_cannot_be_built_keeps_no_other_from_it(qtbot: QtBot, tmp_path: Path) -> None:
    with complete_window(qtbot, tmp_path) as window:
        opened(qtbot, window)
        ahead, done = PanelsAhead(window.area), []
        good = compare_docks.COMPARISON, 0
        bad = PanelEntry("nothing", "slotscope.gui.nowhere", "Nothing", "left", "none"), 1
        ahead.expect((bad, good), lambda: done.append(True))
        qtbot.waitUntil(lambda: bool(done))
        assert list(ahead._built) == [good]
        ahead.forget()
