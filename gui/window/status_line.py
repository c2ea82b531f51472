"""The status line below the panels: the last message of the run or the window, and the next event."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QStatusBar, QWidget

from slotscope.gui.faults import Fault
from slotscope.gui.language.words import tr
from slotscope.gui.running.goals import GoalProgress
from slotscope.gui.widgets.boxes import push_button
from slotscope.gui.widgets.labels import CutLabel
from slotscope.gui.widgets.spoken import announce
from slotscope.model.reporting.explain import grouped
from slotscope.model.whys.asking import Why


class SharedLine(QWidget):
    """The message and, behind it, the next event, placed without a layout.

    The width of the next event changes with each frame; a layout would then lay out all docks of the window again.
    """

    def __init__(self, said: CutLabel, following: CutLabel) -> None:
        super().__init__()
        self._said, self._following = said, following
        self._wrong = False
        for label in (said, following):
            label.setParent(self)

    def share(self, wrong: bool) -> None:
        """Place both labels; the next event is shown whole if the message leaves the room.

        If both are long, the next event gets half, or nothing if the message is about something *wrong*.
        """
        self._wrong = wrong
        room, height = self.width(), self.height()
        left = max(0 if wrong else room // 2, room - self._said.wanted)
        begin = room - min(self._following.wanted, left)
        self._said.setGeometry(0, 0, begin, height)
        self._following.setGeometry(begin, 0, room - begin, height)

    def sizeHint(self) -> QSize:
        return self._said.sizeHint()

    def minimumSizeHint(self) -> QSize:
        return self._said.minimumSizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.share(self._wrong)


class StatusLine(QStatusBar):
    """Shows one message at a time; the run's stays until the run or the window has another."""

    def __init__(self) -> None:
        super().__init__()
        self.said = CutLabel()
        self.next = CutLabel()
        self._line = SharedLine(self.said, self.next)
        self.next.setContentsMargins(self.fontMetrics().height(), 0, 0, 0)  # a gap after the message
        self.copy_fault = push_button(tr("Copy the details"))
        self._told = ""  # the run's last message
        self._progress = ""  # the last progress message
        self._following = ""  # the next event as of the last frame
        self._fault_details = ""
        self._lecture = self._wrong = False
        self._moment, self._of_moment = (0, 0), False  # the last frame's moment; whether the message is about it
        self._answer: Why | None = None  # the last answer shown
        self.addWidget(self._line, 1)
        self.addPermanentWidget(self.copy_fault)
        self.copy_fault.setObjectName("copy-fault")
        self.copy_fault.clicked.connect(self._copy_details)
        self.copy_fault.hide()

    def set_lecture(self, lecture: bool) -> None:
        """In lecture mode show the line only for errors, until the next message."""
        self._lecture = lecture
        self.setVisible(self._wrong or not lecture)

    def say(self, text: str) -> None:
        """Show a message of the window."""
        self._put(text, wrong=False)

    def _put(self, text: str, wrong: bool) -> None:
        self.said.say(text)
        self._wrong, self._of_moment = wrong, False
        self.set_lecture(self._lecture)
        self._line.share(self._wrong)
        announce(self, text)

    def refuse(self, text: str) -> None:
        """Show what the run refused, until the run has another message."""
        self._told = text
        self._put(text, wrong=True)

    def refuse_here(self, text: str) -> None:
        """Show what cannot be done at the current moment, until the moment changes."""
        self._put(text, wrong=True)
        self._of_moment = True

    def show_run(
        self, message: str, following: str, answer: Why | None = None, moment: tuple[int, int] = (0, 0)
    ) -> None:
        """Show the run's message if it is new, and the next event; a new *answer*, or moment, clears an old refusal."""
        answered, self._answer = answer not in (None, self._answer), answer
        over, self._moment = self._of_moment and moment != self._moment, moment
        if message != self._told:
            self._told = message
            self.say(message)
        elif over or (answered and self._wrong):
            self.say("")
        self._following = following
        self._say_next(following)

    def show_progress(self, progress: GoalProgress) -> None:
        """Show a task's progress, and which moment the panels show meanwhile; once over, the run's last message."""
        event, _ = self._moment
        elsewhere = bool(progress.text) and progress.event != event
        shown = tr("panels: event {event}").format(event=grouped(event))
        self._say_next(shown if elsewhere else self._following)
        if progress.text:
            self.say(progress.text)
            self._progress = progress.text
        elif self.said.text() == self._progress:
            self.say(self._told)

    def _say_next(self, text: str) -> None:
        self.next.say(text)
        self._line.share(self._wrong)

    def show_compiled(self, done: bool) -> None:
        """Announce that compiling is done or has failed; success never replaces another message."""
        if not done:
            self.say(tr("Compiling failed; the reference goes on running."))
        elif self.said.text() in {"", self._progress}:
            self.say(tr("Compiled: the run is at full speed."))

    def fail(self, fault: Fault) -> None:
        """Show a fault; a button copies its details."""
        self._put(tr("That could not be done: {fault}").format(fault=fault.sentence), wrong=True)
        self._fault_details = fault.details
        self.copy_fault.show()

    def _copy_details(self) -> None:
        QGuiApplication.clipboard().setText(self._fault_details)
        self.copy_fault.hide()
