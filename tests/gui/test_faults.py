"""An exception anywhere in the window is shown where it occurred, and stops nothing else."""

from __future__ import annotations

import sys
import threading

import pytest
from PySide6.QtCore import (
    QAbstractListModel,
    QCoreApplication,
    QEvent,
    QMetaMethod,
    QObject,
    QPoint,
    QSettings,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QGuiApplication, QPainter
from PySide6.QtWidgets import QApplication, QDialog, QListView, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from slotscope.gui import faults
from slotscope.gui.docking.panel_docks import PanelDocks
from slotscope.gui.experiments.window import ExperimentsWindow
from slotscope.gui.faults import guard_class, guard_classes, overrides
from slotscope.gui.kinds.queue.queues import QueuesPanel
from slotscope.gui.kinds.reservation.reward import RewardPanel
from slotscope.gui.kinds.rooms import PANEL_ROOMS
from slotscope.gui.main_window import MainWindow
from slotscope.gui.panel import Panel
from slotscope.gui.panels import panels_of
from slotscope.gui.panels.monitors import MonitorsPanel
from slotscope.gui.running.worker import RunWorker
from slotscope.gui.theme import load_theme
from slotscope.gui.widgets.fault_words import FaultLine
from slotscope.gui.window.lecture import LectureMode
from slotscope.model.api import Session
from tests.gui.windows import open_anew, press, rest
from tests.help_pages import flat, page


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Show uncaught exceptions as the program does; otherwise they would fail the test."""
    monkeypatch.setattr(sys, "excepthook", faults.show)
    monkeypatch.setattr(threading, "excepthook", faults.show_of_thread)


class Numbers(QAbstractListModel):
    """A model that raises an exception while it is broken."""

    def rowCount(self, parent=None):
        return 3

    def data(self, index, role=Qt.ItemDataRole.DisplayRole):
        if self.parent().broken == "data":
            raise IndexError("no such row")
        return


class Fragile(QWidget):
    """A widget that fails in the method named by *broken*."""

    broken = ""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.button = QPushButton("press", self)
        self.button.clicked.connect(lambda: self._fail_in("slot"))
        self.timer = QTimer(self, singleShot=True)
        self.timer.timeout.connect(lambda: self._fail_in("timer"))
        self.list = QListView(self)
        self.numbers = Numbers(self)
        self.list.setModel(self.numbers)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def _fail_in(self, where: str) -> None:
        if self.broken == where:
            raise ValueError(f"it failed in {where}")

    def paintEvent(self, event) -> None:
        painter = QPainter(self)
        painter.drawLine(0, 0, 9, 9)
        self._fail_in("paint")

    def resizeEvent(self, event) -> None:
        self._fail_in("resize")
        if self.broken == "recursion":
            self.resize(self.width() + 1, self.height())

    def mousePressEvent(self, event) -> None:
        self._fail_in("mouse")

    def keyPressEvent(self, event) -> None:
        self._fail_in("key")

    def sizeHint(self) -> QSize:
        self._fail_in("hint")
        return QSize(200, 100)


class FragilePanel(Panel):
    """A panel that holds a fragile widget."""

    name = "fragile"
    title = "Fragile"
    summary = "Breaks."
    built = 0

    def build(self) -> None:
        self.built += 1
        self.fragile = Fragile(self.body)
        column = QVBoxLayout(self.body)
        column.addWidget(self.fragile)

    def show_frame(self, frame) -> None:
        self.fragile._fail_in("frame")

    def show_selection(self, selection) -> None:
        self.fragile._fail_in("selection")

    def restyle(self, theme) -> None:
        self.fragile._fail_in("theme")


for _cls in (Numbers, Fragile):
    guard_class(_cls)


@pytest.fixture(scope="module")
def frame():
    return Session.open("dra-classroom", kernel=False).frame()


@pytest.fixture
def panel(qtbot: QtBot, frame) -> FragilePanel:
    made = FragilePanel(load_theme("light"))
    qtbot.addWidget(made)
    made.resize(300, 200)
    made.show()
    made.set_frame(frame)
    return made


def _page(panel: Panel) -> QWidget:
    return panel._stack.currentWidget()


def _break(qtbot: QtBot, panel: FragilePanel, where: str) -> None:
    """Break the panel's widget in one method, and have Qt call that method."""
    widget = panel.fragile
    widget.broken = where
    match where:
        case "paint":
            widget.repaint()
        case "resize" | "recursion":
            panel.resize(400, 300)
        case "hint":
            widget.updateGeometry()
            panel.layout().activate()
            widget.adjustSize()
        case "mouse":
            qtbot.mouseClick(widget, Qt.MouseButton.LeftButton, pos=QPoint(1, widget.height() - 1))
        case "key":
            qtbot.keyClick(widget, Qt.Key.Key_A)
        case "slot":
            qtbot.mouseClick(widget.button, Qt.MouseButton.LeftButton)
        case "timer":
            widget.timer.start(0)
        case "data":
            widget.list.viewport().update()
        case "frame":
            panel.set_frame(panel.frame)
        case "selection":
            panel.set_selection(panel.selection)
        case "theme":
            panel.set_theme(load_theme("dark"))
    qtbot.waitUntil(lambda: _page(panel) is panel.fault_page)


EVERYWHERE = (
    "paint",
    "resize",
    "recursion",
    "hint",
    "mouse",
    "key",
    "slot",
    "timer",
    "data",
    "frame",
    "selection",
    "theme",
)


@pytest.mark.parametrize("where", EVERYWHERE)
def test_a_panel_shows_what_failed_in_it_and_can_be_tried_again(qtbot, shown, panel, where):
    _break(qtbot, panel, where)
    words = panel.fault_page.words.text()
    assert words.startswith("Fragile cannot be shown: ") and "Try again" in words
    assert {"recursion": "without end", "data": "no such row"}.get(where, f"in {where}") in words
    panel.set_frame(panel.frame)
    panel.resize(320, 240)
    assert _page(panel) is panel.fault_page
    qtbot.mouseClick(panel.fault_page.retry, Qt.MouseButton.LeftButton)
    assert _page(panel) is panel.body and panel.built == 2
    panel.fragile.repaint()
    assert panel.fault is None


def test_the_details_say_where_it_happened_and_how_to_come_back(qtbot, shown, panel, frame):
    _break(qtbot, panel, "frame")
    qtbot.mouseClick(panel.fault_page.copy, Qt.MouseButton.LeftButton)
    copied = QGuiApplication.clipboard().text()
    assert copied.startswith(frame.opening_line)
    assert "Traceback" in copied and "show_frame" in copied and "PySide" in copied


def test_a_panel_that_cannot_be_built_is_there_and_says_so(qtbot, shown, monkeypatch):
    monkeypatch.setattr(FragilePanel, "build", lambda self: 1 / 0)
    panel = FragilePanel(load_theme("light"))
    qtbot.addWidget(panel)
    qtbot.waitUntil(lambda: _page(panel) is panel.fault_page)
    monkeypatch.undo()
    panel.try_again()
    assert panel.fault is None and panel.built == 1


def test_another_run_gives_a_panel_another_chance(qtbot, shown, panel, frame):
    _break(qtbot, panel, "paint")
    panel.forget()
    panel.set_frame(frame)
    assert _page(panel) is panel.body


def test_what_a_test_does_not_plant_fails_it(qtbot, panel):
    with qtbot.captureExceptions() as found:
        panel.fragile.broken = "resize"
        panel.resize(400, 300)
    assert [kind for kind, *_ in found] == [ValueError]


@pytest.fixture
def classes() -> list[type]:
    """The classes of the window, including those of all panels."""
    for entry in {entry for system in PANEL_ROOMS for entry in panels_of(system)}:
        entry.load()
    guard_classes()
    return [
        value
        for name, module in [*sys.modules.items()]
        if name.startswith("slotscope.gui.")
        for value in vars(module).values()
        if isinstance(value, type) and value.__module__ == name
    ]


def test_every_method_in_place_of_one_of_qt_is_guarded(qtbot, classes):
    methods = [vars(cls)[name] for cls in classes for name in overrides(cls)]
    assert len(methods) > 100
    assert all(hasattr(method, "__wrapped__") for method in methods)


def _slots_replaced(cls: type[QObject]) -> list[str]:
    above = next(base for base in cls.__mro__ if base.__module__.startswith("PySide6.")).staticMetaObject
    methods = [above.method(place) for place in range(above.methodCount())]
    slots = {bytes(one.name().data()).decode() for one in methods if one.methodType() == QMetaMethod.MethodType.Slot}
    return sorted(slots & vars(cls).keys())


def test_no_class_has_a_method_in_place_of_a_slot(qtbot, classes):
    """A signal of another thread may call a connected one after its widget is destroyed, with any object as self."""
    replaced = {cls.__name__: _slots_replaced(cls) for cls in classes if issubclass(cls, QObject)}
    found = {name: slots for name, slots in replaced.items() if slots}
    assert found == {"FigurePlot": ["close"]}  # pyqtgraph's own close; nothing is connected to it


def test_a_refusal_on_its_way_while_its_dialog_closes_harms_nothing(qtbot):
    class Told(QObject):
        refused = Signal(str)

    told, ended = Told(), threading.Event()

    def tell_all_the_time() -> None:
        while not ended.wait(0.0002):
            told.refused.emit("no")

    thread = threading.Thread(target=tell_all_the_time)
    thread.start()
    for _ in range(200):
        dialog = QDialog()
        line = FaultLine()
        QVBoxLayout(dialog).addWidget(line)
        told.refused.connect(line.say)
        qtbot.waitUntil(lambda line=line: line.text() == "no")
        dialog.deleteLater()
        del dialog, line
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    ended.set()
    thread.join()


def test_the_window_of_experiments_says_its_own_faults(qtbot, shown, tmp_path, monkeypatch):
    settings = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    window = ExperimentsWindow(settings, load_theme("light"))
    qtbot.addWidget(window)
    window.show()
    elsewhere: list[str] = []
    window.said.connect(elsewhere.append)
    monkeypatch.setattr(window.form, "order", lambda: 1 / 0)
    qtbot.mouseClick(window.bar.run, Qt.MouseButton.LeftButton)
    assert "ZeroDivisionError" in window.bar.message.text()
    assert load_theme("light").rejection in window.bar.message.styleSheet()
    qtbot.mouseClick(window.bar.copy, Qt.MouseButton.LeftButton)
    assert "Traceback" in QGuiApplication.clipboard().text()
    assert elsewhere == []
    monkeypatch.undo()
    monkeypatch.setattr(window.form, "order", lambda: None)
    qtbot.mouseClick(window.bar.run, Qt.MouseButton.LeftButton)
    assert window.bar.copy.isHidden()
    window.hide()
    window.fail(faults.Fault("ValueError: unseen", "details"))
    assert elsewhere == ["Experiments: That could not be done: ValueError: unseen"]
    window.shut_down()


def test_a_window_that_is_not_yet_built_leaves_its_fault_to_another_one(qtbot, shown, tmp_path, monkeypatch):
    told: list[str] = []

    class Teller(QWidget):
        def fail(self, fault: faults.Fault) -> None:
            told.append(fault.sentence)

    teller = Teller()
    qtbot.addWidget(teller)
    monkeypatch.setattr(QApplication, "topLevelWidgets", lambda: [teller])
    monkeypatch.setattr("slotscope.gui.experiments.window.OrderForm", lambda *_: 1 / 0)
    try:
        ExperimentsWindow(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat), load_theme("light"))
    except ZeroDivisionError as error:
        faults.show(type(error), error, error.__traceback__)
    assert told == ["ZeroDivisionError: division by zero"]


def test_the_help_tells_of_the_page_and_its_buttons(qtbot, panel):
    told = flat(page("lecturer"))
    for button in (panel.fault_page.retry, panel.fault_page.copy):
        assert f"**{button.text()}**" in told


# In a whole window.


@pytest.fixture
def shared(qtbot: QtBot, warm: None, shared_window: MainWindow) -> MainWindow:
    """For faults that leave no trace."""
    open_anew(qtbot, shared_window, "dra-classroom")
    rest(qtbot, shared_window, lambda: shared_window.frame.engine == "kernel")
    return shared_window


@pytest.fixture
def window(qtbot: QtBot, warm: None, window: MainWindow) -> MainWindow:
    """For faults while panels are built: building them again takes longer than opening another window."""
    window.control.open("dra-classroom")
    rest(qtbot, window, lambda: window.frame.engine == "kernel")
    return window


def test_neither_frames_nor_keys_nor_other_panels_stop(qtbot, shown, shared, monkeypatch):
    monkeypatch.setattr(RewardPanel, "_show_counts", lambda self, frame: 1 / 0)
    reward = shared.docks["reward"].panel
    for event in (1, 2, 3):
        press(qtbot, shared, Qt.Key.Key_Right)
        rest(qtbot, shared, lambda event=event: shared.frame.event == event)
    qtbot.waitUntil(lambda: _page(reward) is reward.fault_page)
    assert "ZeroDivisionError" in reward.fault_page.words.text()
    shown_at = {dock.panel.frame.event for dock in shared.docks.values() if dock.seen}
    assert shown_at == {3}
    shared.resize(1300, 800)
    monkeypatch.undo()
    qtbot.mouseClick(reward.fault_page.retry, Qt.MouseButton.LeftButton)
    assert _page(reward) is reward.body


def test_a_fault_outside_the_panels_is_named_in_the_status_bar(qtbot, shown, shared):
    shortcuts = shared.actions_by_name["shortcuts"]
    broken = shortcuts.triggered.connect(lambda: 1 / 0)
    shortcuts.trigger()
    shortcuts.triggered.disconnect(broken)
    assert "ZeroDivisionError" in shared.status.said.text()
    qtbot.mouseClick(shared.status.copy_fault, Qt.MouseButton.LeftButton)
    assert "Traceback" in QGuiApplication.clipboard().text()
    assert not shared.status.copy_fault.isVisible()


def test_the_thread_of_the_run_outlives_a_command_that_fails(qtbot, shown, shared):
    shared.control.go_to(20)
    rest(qtbot, shared, lambda: shared.frame.event == 20)

    def broken(worker: RunWorker) -> None:
        worker.session.step()
        raise KeyError("a command")

    shared.worker.post(broken)
    qtbot.waitUntil(lambda: "KeyError" in shared.status.said.text())
    qtbot.waitUntil(shared.status.copy_fault.isVisible)
    rest(qtbot, shared, lambda: shared.frame.event == 20)
    press(qtbot, shared, Qt.Key.Key_Right)
    rest(qtbot, shared, lambda: shared.frame.event == 21)


def test_the_thread_of_the_run_outlives_a_frame_that_cannot_be_made(qtbot, shown, shared, monkeypatch):
    with monkeypatch.context() as broken:
        broken.setattr(Session, "frame", lambda *_, **__: 1 / 0)
        press(qtbot, shared, Qt.Key.Key_Right)
        qtbot.waitUntil(lambda: "ZeroDivisionError" in shared.status.said.text())
    press(qtbot, shared, Qt.Key.Key_Right)
    rest(qtbot, shared, lambda: shared.frame.event == 2)


def test_exceptions_of_other_threads_are_said_too(qtbot, shown, shared):
    thread = threading.Thread(target=lambda: 1 / 0)
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: "ZeroDivisionError" in shared.status.said.text())


def test_a_hall_sees_what_went_wrong_until_there_is_more_to_say(qtbot, shown, shared):
    shared.lecture.toggle()
    assert not shared.status.isVisible()
    shared.control.open("no-such-scenario")
    qtbot.waitUntil(shared.status.isVisible)
    assert "no-such-scenario" in shared.status.said.text()
    shared.say("said later")
    assert not shared.status.isVisible()
    shared.say("said before it is left")
    shared.lecture.toggle()
    assert shared.status.isVisible()


def another_kind(qtbot: QtBot, window: MainWindow) -> None:
    """Choose another kind of system; return once all panels that can be built exist."""
    with qtbot.waitSignal(window.ready):
        window.control.open("queues-classroom")
    rest(qtbot, window, lambda: window.frame.info.system == "queue")


@pytest.mark.slow
def test_a_panel_that_cannot_be_built_keeps_neither_the_others_nor_a_hall_waiting(qtbot, shown, window, monkeypatch):
    window.lecture.toggle()
    monkeypatch.setattr(QueuesPanel, "__init__", lambda self, theme: 1 / 0)
    another_kind(qtbot, window)
    assert {*window.docks} == {entry.name for entry in panels_of("queue")} - {QueuesPanel.name}
    assert window.updatesEnabled() and window.lecture.on
    assert "ZeroDivisionError" in window.status.said.text()
    assert window.status.isVisible()


def test_a_panel_that_cannot_be_built_once_it_is_seen_leaves_the_others(qtbot, shown, window, monkeypatch):
    monkeypatch.setattr(MonitorsPanel, "__init__", lambda self, theme: 1 / 0)
    window.docks["monitors"].raise_()
    qtbot.waitUntil(lambda: "monitors" not in window.docks)
    assert "ZeroDivisionError" in window.status.said.text()
    window.control.go_to(1)
    rest(qtbot, window, lambda: window.docks["servers"].panel.frame.event == 1)
    window.docks["scenario"].raise_()
    qtbot.waitUntil(lambda: window.docks["scenario"].panel.frame is window.frame)


@pytest.mark.slow
@pytest.mark.parametrize("where", ["_place", "offer", "leave"])
def test_a_hall_that_cannot_be_arranged_does_not_stand_still(qtbot, shown, window, monkeypatch, where):
    window.lecture.toggle()
    monkeypatch.setattr(LectureMode, where, lambda self: 1 / 0)
    another_kind(qtbot, window)
    assert {*window.docks} == {entry.name for entry in panels_of("queue")}
    assert window.updatesEnabled()
    assert "That could not be done: " in window.status.said.text()


@pytest.mark.slow
@pytest.mark.parametrize("where", ["choose_fronts", "_shares"])
def test_panels_that_cannot_be_laid_out_are_there_in_a_hall(qtbot, shown, window, monkeypatch, where):
    window.lecture.toggle()
    monkeypatch.setattr(PanelDocks, where, lambda self: 1 / 0)
    with qtbot.waitSignal(window.ready):
        window.control.open("queues-classroom")
    assert {*window.docks} == {entry.name for entry in panels_of("queue")}
    qtbot.waitUntil(window.updatesEnabled)
    assert "ZeroDivisionError" in window.status.said.text()
