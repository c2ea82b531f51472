"""The line below the panels: the message is shortened, and the next event is shown in full."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject, QPointF, Qt
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QSizePolicy, QWidget
from pytestqt.qtbot import QtBot

from slotscope.gui.main_window import MainWindow
from slotscope.gui.running.goals import GoalProgress
from slotscope.gui.widgets.labels import CutLabel
from slotscope.gui.widgets.rows import in_row
from slotscope.gui.window.status_line import StatusLine
from slotscope.model.running.origin import Moment
from tests.gui.test_keys import strike
from tests.gui.windows import rest


def test_a_long_fault_is_cut_beside_what_is_next(qtbot):
    line = StatusLine()
    qtbot.addWidget(line)
    line.resize(600, 24)
    line.show_run("question 'rejectd', character 1: found the name 'rejectd', nearest: rejected. " * 2, "next: slot 7")
    line.show()
    assert line.said.text().endswith("rejected. ")
    assert line.said.shown[-1].endswith("…")
    assert line.said.toolTip() == line.said.text()
    assert line.next.shown == [line.next.text()]
    assert line.said.geometry().right() < line.next.geometry().left()


def test_both_are_long_and_have_half_of_it(qtbot):
    line = StatusLine()
    qtbot.addWidget(line)
    line.resize(600, 24)
    line.show_run("Forked after event 50. " * 9, "next: job 36 arrives, of inherent size 9.378 minutes. " * 9)
    line.show()
    qtbot.waitUntil(lambda: abs(line.next.width() - line.said.width()) < 80)
    assert line.next.shown[-1].endswith("…") and line.said.shown[-1].endswith("…")
    line.show_run("", "next: slot 7")
    qtbot.waitUntil(lambda: line.next.width() < 150 < line.said.width())


def test_what_is_next_gives_way_to_what_is_refused(qtbot):
    """Until the run has another message."""
    line = StatusLine()
    qtbot.addWidget(line)
    line.resize(700, 24)
    line.show()
    following = "next: database job 36 arrives at t = 40.7432"
    line.show_run("", following)
    line.refuse("event 47 cannot be decided so: it admits job 36 on server 5, which has no empty slot of type database")
    qtbot.waitUntil(lambda: line.said.shown == [line.said.text()])
    line.show_run("Forked after event 50.", following)
    qtbot.waitUntil(lambda: line.next.shown == [following])


def test_while_a_run_is_on_its_way_the_moment_that_panels_show_is_told(qtbot):
    line = StatusLine()
    qtbot.addWidget(line)
    line.show_run("", "next: slot 7", moment=(18, 0))
    line.show_progress(GoalProgress("Running to event 4000: 40%", 1600))
    assert line.next.text() == "panels: event 18"
    line.show_progress(GoalProgress("Looking for what would change it", 18))
    assert line.next.text() == "next: slot 7"
    line.show_progress(GoalProgress("Running to event 4000: 60%", 2400))
    line.show_progress(GoalProgress())
    assert line.next.text() == "next: slot 7"


def test_what_a_button_says_in_its_tip_hides_no_message(window: MainWindow) -> None:
    """The pointer rests on a button while progress is shown; menu entries, without tooltips, show their text there."""
    window.say("Running to event 1000: 40%")
    action, button = window.actions_by_name["express"], window.transport._buttons["express"]
    assert button.statusTip()
    enter = QPointF(button.rect().center())
    QApplication.sendEvent(button, QEnterEvent(enter, enter, QPointF(button.mapToGlobal(enter.toPoint()))))
    assert window.status.currentMessage() == ""
    assert window.status.said.isVisible()
    action.showStatusText(window)
    assert window.status.currentMessage() == button.statusTip()


@pytest.mark.slow
@pytest.mark.usefixtures("warm")
def test_a_hall_is_told_why_nothing_is_asked(qtbot: QtBot, window: MainWindow) -> None:
    """At this sub-step all servers have their configurations; before it, the next decision can be asked about."""
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.control.open("queues-classroom", "vqs-bf", None, Moment((15,), 2))
    rest(qtbot, window, lambda: len(window.frame.records) == 2)
    strike(window, Qt.Key.Key_L)
    qtbot.waitUntil(lambda: window.lecture.on)
    strike(window, Qt.Key.Key_A)
    qtbot.waitUntil(lambda: "decides nothing" in window.status.said.text())
    assert window.status.isVisible()
    strike(window, Qt.Key.Key_Left)
    qtbot.waitUntil(lambda: not window.status.isVisible())
    strike(window, Qt.Key.Key_A)
    qtbot.waitUntil(lambda: window.lessons.questions.open)
    assert "decides nothing" not in window.status.said.text()


class LaidOut(QObject):
    """Counts the layout requests of a widget."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.count = 0
        widget.installEventFilter(self)

    def eventFilter(self, _: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.LayoutRequest
        return False


def test_what_is_next_lays_out_no_window(qtbot: QtBot) -> None:
    """Its width changes at each step, and the layout of a window's docks takes long."""
    window, line = QMainWindow(), StatusLine()
    qtbot.addWidget(window)
    window.setStatusBar(line)
    window.resize(600, 100)
    window.show()
    QApplication.processEvents()
    laid_out, widths = LaidOut(window), set()
    for following in ("next: slot 7", "next: job 36 arrives", "next: job 36 arrives at t = 40.7432"):
        line.show_run("", following)
        QApplication.processEvents()
        widths.add(line.next.width())
        assert line.next.geometry().right() == line.next.parentWidget().rect().right()
    assert len(widths) == 3 and laid_out.count == 0


@pytest.mark.parametrize("policy", [QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred])
def test_a_line_that_asks_for_no_width_asks_for_no_layout(qtbot: QtBot, policy: QSizePolicy.Policy) -> None:
    around, label = QWidget(), CutLabel()
    qtbot.addWidget(around)
    in_row(around, label)
    label.setSizePolicy(policy, QSizePolicy.Policy.Preferred)
    around.show()
    QApplication.processEvents()
    laid_out, height = LaidOut(around), label.sizeHint().height()
    label.say("all of it")
    QApplication.processEvents()
    assert (laid_out.count > 0) is (policy is QSizePolicy.Policy.Preferred)
    assert (label.text(), label.accessibleName(), label.toolTip()) == ("all of it",) * 3
    assert label.sizeHint().height() == height > 0


def test_a_line_with_a_name_of_its_own_keeps_it(qtbot: QtBot) -> None:
    label = CutLabel()
    qtbot.addWidget(label)
    label.setAccessibleName("what happens now")
    label.say("a job arrives")
    assert label.accessibleName() == "what happens now"
