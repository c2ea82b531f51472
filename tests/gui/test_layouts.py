"""Layouts keep proportions through changes of size and of the kind of system, and across starts."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import Mock

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QSettings, Qt
from PySide6.QtGui import QHoverEvent, QResizeEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTabBar, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from slotscope.gui.app import make_window, place
from slotscope.gui.docking.layouts import columns
from slotscope.gui.kinds.rooms import PANEL_ROOMS
from slotscope.gui.main_window import MainWindow
from slotscope.gui.widgets.kept_picture import KeptPicture
from tests.gui.windows import complete_window

pytestmark = pytest.mark.slow

LEFT = Qt.MouseButton.LeftButton
DIRECT = Qt.FindChildOption.FindDirectChildrenOnly
USUAL, LARGE, SMALL = (1600, 900), (1920, 1080), (1280, 720)


@pytest.fixture
def window(qtbot: QtBot, window: MainWindow) -> MainWindow:
    qtbot.wait(20)
    return window


def shares(window: MainWindow) -> dict[str, tuple[float, float]]:
    """The shares of the window's width and height of each visible dock."""
    docks = {name: dock for name, dock in window.docks.items() if dock.seen and not dock.isHidden()}
    return {name: (dock.width() / window.width(), dock.height() / window.height()) for name, dock in docks.items()}


def wait(qtbot: QtBot, window: MainWindow) -> None:
    """Wait for delayed changes, and for the layout after them."""
    qtbot.wait(20)
    window.settle()


def resize(qtbot: QtBot, window: MainWindow, size: tuple[int, int]) -> None:
    window.resize(*size)
    wait(qtbot, window)


def change_kind(qtbot: QtBot, window: MainWindow, system: str) -> None:
    window.panels.show_system(system)
    window.panels.finish()
    wait(qtbot, window)


def differ(first: dict[str, tuple[float, float]], second: dict[str, tuple[float, float]]) -> float:
    """The largest difference between two shares of the same dock."""
    assert first.keys() == second.keys()
    return max(abs(a - b) for name in first for a, b in zip(first[name], second[name], strict=True))


def one_round(qtbot: QtBot, window: MainWindow) -> None:
    """Change sizes, kinds of system and panels as in a day's work."""
    resize(qtbot, window, LARGE)
    window.docks["groups"].raise_()
    window.docks["scenario"].raise_()
    change_kind(qtbot, window, "queue")
    resize(qtbot, window, SMALL)
    window.lecture.toggle()
    change_kind(qtbot, window, "reservation")
    window.lecture.toggle()
    wait(qtbot, window)
    for name in ("reward", "lp"):
        window.docks[name].raise_()
    resize(qtbot, window, USUAL)


def test_sizes_do_not_decay(qtbot: QtBot, window: MainWindow) -> None:
    before = shares(window)
    for _ in range(3):
        one_round(qtbot, window)
    assert differ(before, shares(window)) < 0.004


@pytest.mark.parametrize("system", sorted(PANEL_ROOMS))
def test_columns_have_their_width_while_panels_are_built(qtbot: QtBot, tmp_path: Path, system: str) -> None:
    window = make_window(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat), "light")
    qtbot.addWidget(window)
    window.resize(*USUAL)
    window.show()
    window.panels.build()
    window.panels.show_system(system)
    widths, there = [], set[str]()
    while not window.area.complete:
        QApplication.processEvents()
        widths += [window.docks[name].width() for name in there]
        there |= {window.area.roles.curve} & window.docks.keys()
    final = window.docks[window.area.roles.curve].width()
    assert len(widths) > 5
    assert sum(abs(width - final) > 0.02 * window.width() for width in widths) <= 1  # once, where its tabs are added
    window.close()


def test_rounds_of_start_maximise_and_change_of_kind(qtbot: QtBot, tmp_path: Path) -> None:
    seen = []
    for _ in range(3):
        with complete_window(qtbot, tmp_path) as window:
            qtbot.wait(20)
            seen.append(shares(window))
            window.showMaximized()
            qtbot.wait(20)
            one_round(qtbot, window)
            seen.append(shares(window))
            resize(qtbot, window, LARGE)  # saved at this size, as if maximised
    assert max(differ(seen[0], one) for one in seen) < 0.006  # five pixels, without growing from start to start


@pytest.mark.parametrize("system", sorted(PANEL_ROOMS))
def test_the_titles_of_all_tabs_are_whole(qtbot: QtBot, window: MainWindow, system: str) -> None:
    change_kind(qtbot, window, system)
    bars = [bar for bar in window.findChildren(QTabBar, options=DIRECT) if bar.isVisible() and bar.count()]
    assert len(bars) >= 2
    for bar in bars:
        assert bar.tabRect(bar.count() - 1).right() - bar.tabRect(0).left() < bar.width()
        measure = bar.fontMetrics().horizontalAdvance
        assert all(measure(bar.tabText(tab)) < bar.tabRect(tab).width() for tab in range(bar.count()))


@pytest.mark.parametrize("size", [SMALL, LARGE, (3840, 2160)])
def test_servers_keep_half_of_the_width(qtbot: QtBot, window: MainWindow, size: tuple[int, int]) -> None:
    for system in ("reservation", "moldable"):
        change_kind(qtbot, window, system)
        resize(qtbot, window, size)
        name = window.area.roles.servers
        assert window.docks[name].width() >= 0.5 * window.width()
        assert window.docks["algorithm"].height() >= 0.3 * window.height()


def test_a_separator_that_is_dragged_is_a_new_share(qtbot: QtBot, window: MainWindow) -> None:
    servers = window.docks["servers"].geometry()
    edge = QPoint(servers.right() + 3, servers.center().y())
    there, none = edge - QPoint(160, 0), Qt.KeyboardModifier.NoModifier
    QTest.mousePress(window, LEFT, none, edge)
    QTest.mouseMove(window, there)
    wait(qtbot, window)
    QTest.mouseRelease(window, LEFT, none, there)
    wait(qtbot, window)
    mine = shares(window)
    assert mine["servers"][0] == pytest.approx(0.64 - 0.1, abs=0.01)
    one_round(qtbot, window)
    assert differ(mine, shares(window)) < 0.004


@pytest.mark.parametrize("change", ["lecture", "kind", "remove"])
def test_docks_change_below_a_pointer_that_rests_between_them(qtbot: QtBot, window: MainWindow, change: str) -> None:
    """Qt would look for the separator among docks that are gone, and crash."""
    lower = window.docks["algorithm"].geometry()
    hover(window, QPoint(lower.right() + 3, lower.center().y()))
    assert window.cursor().shape() == Qt.CursorShape.SplitHCursor
    if change == "lecture":
        window.lecture.toggle()
    elif change == "kind":
        change_kind(qtbot, window, "queue")
    else:
        window.removeDockWidget(window.docks["algorithm"])
    assert window.cursor().shape() == Qt.CursorShape.ArrowCursor
    hover(window, QPoint(5, 5))


def hover(window: MainWindow, at: QPoint) -> None:
    place = QPointF(at)
    QApplication.sendEvent(window, QHoverEvent(QEvent.Type.HoverMove, place, place, place))


def test_a_panel_that_was_closed_comes_back_as_it_was(qtbot: QtBot, window: MainWindow) -> None:
    before = window.docks["decisions"].width()
    window.docks["decisions"].close()
    qtbot.wait(20)
    resize(qtbot, window, LARGE)
    assert window.docks["algorithm"].width() > 0.6 * window.width()
    assert window.docks["servers"].width() > 0.6 * window.width()
    resize(qtbot, window, USUAL)
    window.area.layouts.reset()
    qtbot.wait(20)
    assert abs(window.docks["decisions"].width() - before) <= 3


def test_the_layout_of_an_earlier_version_is_taken_over(qtbot: QtBot, window: MainWindow) -> None:
    import json

    window.docks["theory"].close()
    earlier = json.loads(window.area.layouts.text())["arrangement"]
    window.area.layouts.reset()
    assert not window.docks["theory"].isHidden()
    assert window.area.layouts.restore(earlier)
    assert window.docks["theory"].isHidden()
    assert not window.area.layouts.restore("not a layout")


def test_a_window_opens_where_it_was_closed(qtbot: QtBot, tmp_path: Path) -> None:
    store = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    with complete_window(qtbot, tmp_path) as window:
        resize(qtbot, window, (710, 540))
    store.sync()
    again = QWidget()
    qtbot.addWidget(again)
    place(again, store)
    assert (again.width(), again.height()) == (710, 540)
    store.setValue("geometry", "no geometry")
    place(again, store)
    available = again.screen().availableGeometry()
    assert again.width() < available.width() and again.height() < available.height()


def test_a_window_fits_a_screen_that_shows_everything_twice_as_large(qtbot: QtBot, window: MainWindow) -> None:
    for system in ("reservation", "queue", "phases", "moldable"):
        change_kind(qtbot, window, system)
        resize(qtbot, window, (948, 500))
        assert (window.width(), window.height()) == (948, 500)
        assert all(dock.geometry().bottom() < window.height() for dock in window.docks.values() if dock.seen)


def test_a_floating_panel_has_the_frame_of_a_window(qtbot: QtBot, window: MainWindow) -> None:
    dock = window.docks["algorithm"]
    button = dock.findChild(QToolButton, "algorithm-out")
    before = shares(window)
    qtbot.mouseClick(button, LEFT)
    assert dock.isFloating() and dock.isVisible()
    flags, kind = dock.windowFlags(), Qt.WindowType
    assert not flags & kind.FramelessWindowHint
    assert flags & kind.WindowTitleHint and flags & kind.WindowCloseButtonHint
    qtbot.mouseClick(button, LEFT)
    qtbot.wait(20)
    assert not dock.isFloating()
    assert differ(before, shares(window)) < 0.02


def test_a_panel_that_no_layout_holds_takes_no_share(qtbot: QtBot, window: MainWindow) -> None:
    before, dock = shares(window), window.docks["servers"]
    window.removeDockWidget(dock)
    dock.show()
    window.area.layouts.apply()  # Qt would warn that it is not part of the layout
    window.area.layouts.reset()
    wait(qtbot, window)
    assert differ(before, shares(window)) < 0.02


def test_columns_share_width_and_height() -> None:
    assert columns((0.6, ((1.0, ("a",)),)), (0.4, ((0.3, ("b", "c")), (0.7, ["d"])))) == {
        "a": (0.6, 1.0),
        "b": (0.4, 0.3),
        "c": (0.4, 0.3),
        "d": (0.4, 0.7),
    }


class Sizes(QObject):
    """Records the sizes that a widget gets."""

    def __init__(self, watched: QWidget) -> None:
        super().__init__(watched)
        self.given: list[tuple[int, int]] = []
        watched.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QResizeEvent):
            self.given.append(event.size().toTuple())  # type: ignore[arg-type]
        return False


def test_docks_get_their_sizes_once_where_they_are_arranged_anew(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    def sizes() -> list[tuple[int, int]]:
        """The sizes of the servers on the way into lecture mode and back."""
        servers = Sizes(window.docks["servers"])
        for _ in range(2):
            window.lecture.toggle()
            wait(qtbot, window)
        window.docks["servers"].removeEventFilter(servers)
        return servers.given

    few = sizes()
    monkeypatch.setattr(KeptPicture, "_layout", Mock())  # without disabling the window's layout
    many = sizes()
    assert few[-1] == many[-1] and len(few) < len(many), (few, many)
