"""Docks are arranged, laid out and painted in separate turns of the event loop, while the old picture stays visible."""

from __future__ import annotations

import json

import pytest
from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QDockWidget, QLabel, QMainWindow, QStackedWidget, QWidget
from pytestqt.exceptions import capture_exceptions
from pytestqt.qtbot import QtBot

from slotscope.gui.main_window import MainWindow
from slotscope.gui.theme import current_fonts
from slotscope.gui.widgets.kept_picture import KeptPicture, once_laid_out
from slotscope.gui.widgets.labels import ScrolledWords
from slotscope.gui.window.application import destroy
from tests.gui.painted import Counted
from tests.gui.windows import on_screen, rest


@pytest.fixture
def bare(qtbot: QtBot) -> QMainWindow:
    return on_screen(qtbot, QMainWindow(), 400, 300)


@pytest.fixture
def picture(bare: QMainWindow) -> KeptPicture:
    return KeptPicture(bare)


def turn() -> None:
    """Run one turn of the event loop."""
    QApplication.processEvents()


def test_each_step_has_a_turn_and_painting_the_last(bare: QMainWindow, picture: KeptPicture) -> None:
    dock, done = QDockWidget(bare), list[str]()
    picture.laid_out.connect(lambda: done.append("laid out"))
    paints = Counted(bare)
    with picture.behind():
        bare.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
        for name in "ab":
            picture.then(QObject(bare), lambda name=name: done.append(name))
        assert picture.unsettled and not done
    for expected in (["laid out"], ["laid out", "a"], ["laid out", "a", "b"]):
        assert not bare.updatesEnabled()
        turn()
        assert done == expected and not picture.unsettled
    assert not paints.count
    turn()
    turn()
    assert bare.updatesEnabled() and paints.count and dock.width() > 0


def test_an_owner_has_one_step_the_last_and_none_once_it_is_gone(bare: QMainWindow, picture: KeptPicture) -> None:
    done, gone, stays, other = list[str](), QWidget(bare), QWidget(bare), QWidget(bare)
    with picture.behind():
        for owner, name in ((gone, "gone"), (stays, "first"), (other, "other"), (stays, "second")):
            picture.then(owner, lambda name=name: done.append(name))
        destroy(gone)
    assert picture.busy
    picture.finish()
    assert done == ["other", "second"] and not picture.busy


def test_what_is_to_be_done_before_docks_are_laid_out_has_turns_of_its_own(
    bare: QMainWindow, picture: KeptPicture
) -> None:
    done, owner, other = list[str](), QObject(bare), QObject(bare)
    picture.laid_out.connect(lambda: done.append("laid out"))
    with picture.behind():
        for who, name in ((owner, "never"), (other, "second"), (owner, "first")):
            picture.before(who, lambda name=name: done.append(name))
    for expected in (["first"], ["first", "second"], ["first", "second", "laid out"]):
        turn()
        assert done == expected


def test_what_fails_keeps_neither_other_steps_nor_the_picture(
    qtbot: QtBot, bare: QMainWindow, picture: KeptPicture
) -> None:
    done: list[bool] = []
    with picture.behind():
        picture.then(QObject(bare), lambda: 1 / 0)
        picture.then(QObject(bare), lambda: done.append(True))
    with capture_exceptions() as faults:
        qtbot.waitUntil(bare.updatesEnabled)
    assert done and [one for one, *_ in faults] == [ZeroDivisionError]


def test_it_is_kept_until_it_is_released(qtbot: QtBot, bare: QMainWindow, picture: KeptPicture) -> None:
    with picture.behind():
        pass
    picture.keep()
    assert not picture.unsettled
    for _ in range(4):
        turn()
    assert not bare.updatesEnabled()
    picture.release()
    qtbot.waitUntil(bare.updatesEnabled)


def test_a_size_is_followed_at_once_where_nothing_is_kept(bare: QMainWindow, picture: KeptPicture) -> None:
    done: list[str] = []
    part = QWidget(bare)
    once_laid_out(part, lambda: done.append("now"))
    with picture.behind():
        once_laid_out(part, lambda: done.append("later"))
    assert done == ["now"]
    picture.finish()
    assert done == ["now", "later"]


def test_a_page_of_a_stack_follows_the_size_in_which_it_comes(bare: QMainWindow, picture: KeptPicture) -> None:
    """Qt disables the painting of a stack while it changes pages; this must not postpone the layout to another turn."""

    class Page(QWidget):
        def resizeEvent(self, _event: QResizeEvent) -> None:
            once_laid_out(self, lambda: widths.append(self.width()))

    widths, stack, page = list[int](), QStackedWidget(), Page()
    stack.addWidget(QWidget())
    stack.addWidget(page)
    bare.setCentralWidget(stack)
    turn()
    widths.clear()
    bare.resize(500, 300)
    turn()
    stack.setCurrentWidget(page)
    assert widths == [stack.width()] and not picture.busy


@pytest.mark.slow
def test_at_rest_no_turn_follows_another(qtbot: QtBot, window: MainWindow) -> None:
    window.control.open("dra-classroom")
    rest(qtbot, window, lambda: window.area.complete and window.frame is not None)
    window.control.step()
    rest(qtbot, window, lambda: window.frame is not None and window.frame.event > 0)
    at_once = [timer for timer in window.findChildren(QTimer) if not timer.interval()]
    qtbot.waitUntil(lambda: not any(timer.isActive() for timer in at_once))
    assert not window.area.layouts.picture.busy


def test_words_that_fit_again_lose_their_bar(qtbot: QtBot) -> None:
    """With its scroll bar the text is wrapped more narrowly and would need more height than there is."""
    around = QWidget()
    words = ScrolledWords(QLabel("word " * 40, wordWrap=True), around)
    on_screen(qtbot, around, 700, 700)
    width = next(
        width
        for width in range(150, 600)
        if words._label.heightForWidth(width) < words._label.heightForWidth(width - words.verticalScrollBar().width())
    )
    words.resize(width, 10)
    assert words.verticalScrollBar().maximum() > 0
    words.resize(width, words._label.heightForWidth(width))
    turn()
    assert words.verticalScrollBar().maximum() == 0 and words.viewport().width() == width


@pytest.mark.slow
def test_a_panel_behind_a_tab_has_another_look_once_it_is_seen(qtbot: QtBot, window: MainWindow) -> None:
    window.control.open("dra-classroom")
    rest(qtbot, window, lambda: window.area.complete)
    seen, unseen = window.docks["servers"], window.docks["theory"]
    before = window.theme
    window.toggle_theme()
    assert not unseen.seen and unseen.panel.theme is before and seen.panel.theme is window.theme is not before
    unseen.raise_()
    qtbot.waitUntil(lambda: unseen.panel.theme is window.theme)
    window.lecture.toggle()
    rest(qtbot, window, unseen.isHidden)
    window.lecture.put_beside("theory", 0)
    rest(qtbot, window, lambda: unseen.seen and unseen._looks == (window.theme, current_fonts()))


def test_the_usual_layout_and_its_type_come_back_in_turns_of_their_own(qtbot: QtBot, window: MainWindow) -> None:
    """Until then the old layout is the one that is saved, and it stays so if lecture mode is entered again."""
    window.control.open("dra-classroom")
    rest(qtbot, window, lambda: window.area.complete)
    layouts, lecture = window.area.layouts, window.lecture
    kept, unseen = layouts.text(), window.docks["reward"]
    lecture.toggle()
    rest(qtbot, window, unseen.isHidden)
    lecture.toggle()
    assert not lecture.on and layouts.text() == kept and unseen.isHidden()
    lecture.toggle()
    assert lecture.on and layouts.aside == kept and layouts.picture.busy
    rest(qtbot, window, lambda: not layouts.picture.busy)
    assert unseen.isHidden()
    lecture.toggle()
    dressed: list[bool] = []
    window.docks["servers"].panel.restyle = lambda _theme: dressed.append(layouts.picture.unsettled)  # type: ignore[method-assign]
    while unseen.isHidden():
        assert not dressed
        turn()
    rest(qtbot, window, lambda: not layouts.picture.busy)
    assert dressed == [True] and json.loads(layouts.text())["shares"] == json.loads(kept)["shares"]


def test_a_layout_of_lanes_comes_back_in_a_turn_of_its_own(qtbot: QtBot, window: MainWindow) -> None:
    window.control.open("dra-classroom")
    rest(qtbot, window, lambda: window.area.complete)
    layouts, lanes, restored = window.area.layouts, window.lanes, list[bool]()
    restore = layouts.restore
    layouts.restore = lambda text: (restored.append(layouts.picture.unsettled), restore(text))[1]  # type: ignore[method-assign]
    for labels, turns in (("ab", []), ("", [True]), ("ab", [True])):  # the second time restores the layout of the first
        lanes.show(tuple(labels))
        assert not restored
        rest(qtbot, window, lambda: not layouts.picture.busy)
        assert restored == turns
        restored.clear()


@pytest.mark.slow
def test_the_pseudocode_is_set_once_on_the_way_into_a_hall(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.control.open("dra-classroom")
    rest(qtbot, window, lambda: window.area.complete)
    window.settle()  # the scroll bar beside it appears and disappears while the window is built
    view, sets = window.docks["algorithm"].panel.view, list[int]()  # type: ignore[attr-defined]
    keep = view._keep_in_view
    monkeypatch.setattr(view, "_keep_in_view", lambda: (sets.append(view.viewport().width()), keep()))
    window.lecture.toggle()
    rest(qtbot, window, lambda: window.lecture.on)
    assert len(set(sets)) == 1 and sets[-1] == view.viewport().width(), sets
