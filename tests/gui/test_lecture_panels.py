"""Single panels beside the servers in lecture mode: curves, tables and headings are complete."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from slotscope.gui.kinds.phases.tokens_rates import HEADINGS
from slotscope.gui.main_window import MainWindow
from slotscope.gui.panels.columns import HeadedColumns
from slotscope.gui.panels.share_bars import heading
from slotscope.gui.widgets.curtain import curtain_of
from tests.gui.halls import PROJECTOR, READ, bring, shown, stand
from tests.gui.test_hall_whole import pages_are_whole
from tests.gui.windows import press, rest

pytestmark = pytest.mark.slow

Key = Qt.Key

#: Least size of a panel in pixels after the layout.
LEAST = 200


@pytest.fixture
def window(window: MainWindow) -> MainWindow:
    window.resize(*PROJECTOR)
    return window


@pytest.mark.parametrize(("lesson", "name"), [("dra-5-numbers", "lp"), ("moldable-2-optimum", "allocation-lp")])
def test_a_lesson_shows_the_curves_of_the_optimum_whole(
    qtbot: QtBot, window: MainWindow, lesson: str, name: str
) -> None:
    window.resize(PROJECTOR[0] - 14, PROJECTOR[1] - 30)  # the size inside a window frame
    press(qtbot, window, Key.Key_L)
    window.lessons.open(lesson)
    rest(
        qtbot,
        window,
        lambda: window.updatesEnabled() and name in shown(window) and window.docks[name].panel.curve.isVisible(),
    )
    window.settle()
    curve = window.docks[name].panel.curve
    view = window.docks[name].panel.findChild(HeadedColumns).viewport()
    assert curve.mapTo(view, curve.rect().bottomLeft()).y() < view.height()


def test_an_inspector_says_what_happened_in_full_and_cuts_no_table(qtbot: QtBot, window: MainWindow) -> None:
    press(qtbot, window, Key.Key_L)
    window.lessons.open("tour", 4)
    rest(
        qtbot,
        window,
        lambda: (
            window.updatesEnabled()
            and "inspector" in shown(window)
            and window.docks["inspector"].panel.history.model.rowCount() > 3
        ),
    )
    window.settle()
    panel = window.docks["inspector"].panel
    view, rows = panel.history.view, range(panel.history.model.rowCount())
    heights = [view.height_of(row, view.viewport().width()) for row in rows]
    assert max(heights) > min(heights), "no sentence of two lines"
    assert heights == [view.rowHeight(row) for row in rows]
    curtain = curtain_of(panel.now)
    assert curtain is not None
    pages_are_whole(qtbot, panel.now, curtain)


def test_what_becomes_of_the_queues_is_said_whole(qtbot: QtBot, window: MainWindow) -> None:
    press(qtbot, window, Key.Key_L)
    window.lessons.open("queues-2-vqs", 4)
    rest(
        qtbot,
        window,
        lambda: (
            window.updatesEnabled()
            and "supportable" in shown(window)
            and window.docks["supportable"].panel.limits.isVisible()
            and window.docks["supportable"].panel.height() > LEAST
        ),
    )
    window.settle()
    panel = window.docks["supportable"].panel
    view = panel.area.viewport()
    assert panel.limits.mapTo(view, panel.limits.rect().bottomLeft()).y() < view.height()


@pytest.mark.parametrize("room", [100, 200, 400])
def test_what_the_bars_are_fits_beside_the_headings(room: int) -> None:
    measure = QFontMetricsF(QApplication.font())
    assert measure.horizontalAdvance(heading(measure, room)) <= room


def test_the_curves_of_tokens_are_there(qtbot: QtBot, window: MainWindow) -> None:
    stand(qtbot, window, "jrs-classroom", (), 13)
    panel = window.docks["tokens"].panel
    assert panel.plot.isVisible() and panel.plot.height() >= 100
    assert panel.lines.isVisible() and panel.rates.isVisible()


def test_bounds_and_gap_are_seen_without_scrolling_beside_two_policies(qtbot: QtBot, window: MainWindow) -> None:
    stand(qtbot, window, "jrs-classroom", ("jrs", "first-fit"), 30)
    bring(qtbot, window, Key.Key_5)
    panel = window.docks["plan"].panel
    qtbot.waitUntil(panel.gap.isVisible)
    window.settle()
    area = panel.findChild(HeadedColumns)
    below = panel.gap.mapTo(area.viewport(), QPoint(0, panel.gap.height())).y()
    assert below <= area.viewport().height()
    assert not panel.proof.isVisible() and "Price of a type" not in panel.prices.text()


@pytest.mark.parametrize("policies", [(), ("jrs", "first-fit"), ("jrs", "first-fit", "best-fit")])
def test_headings_of_rates_have_room(qtbot: QtBot, window: MainWindow, policies: tuple[str, ...]) -> None:
    stand(qtbot, window, "jrs-classroom", policies, 13)
    if policies:
        bring(qtbot, window, Key.Key_4)
    window.settle()
    rates = window.docks["tokens"].panel.rates
    measure = QFontMetricsF(QApplication.font()).horizontalAdvance
    for (_, brief, _), box in zip(HEADINGS, rates._columns()[2], strict=True):
        assert measure(brief) <= box.width() + 1


def test_a_comparison_gives_its_curves_away_before_its_type_or_its_measures(qtbot: QtBot, window: MainWindow) -> None:
    stand(qtbot, window, "dra-classroom", ("dra", "first-fit"), 5)
    panel = window.docks["comparison"].panel
    curves = []
    for height in (PROJECTOR[1], PROJECTOR[1] - 170):
        window.resize(PROJECTOR[0], height)
        window.settle()
        assert panel.table.font().pointSizeF() >= READ
        assert panel.measures.verticalScrollBar().maximum() == 0
        curves.append(panel.curves.isVisible())
    assert curves == [True, False]
