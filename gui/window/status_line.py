"""The line below the panels: what the run or the window said last, and what is next."""

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
    """What was said, and what is next behind it, placed by hand.

    What is next has another width in each frame, at which a layout would have all docks of the window laid out.
    """

    def __init__(self, said: CutLabel, following: CutLabel) -> None:
        super().__init__()
        self._said, self._following = said, following
        self._wrong = False
        for label in (said, following):
            label.setParent(self)

    def share(self, wrong: bool) -> None:
        """What is next is whole where what was said leaves the room.

        Where both are long it has half, and gives all of it up to what went *wrong*.
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
    """Says one sentence at a time; the run's own stays until it, or the window, has another."""

    def __init__(self) -> None:
        super().__init__()
        self.said = CutLabel()
        self.next = CutLabel()
        self._line = SharedLine(self.said, self.next)
        self.next.setContentsMargins(self.fontMetrics().height(), 0, 0, 0)  # apart from what was said
        self.copy_fault = push_button(tr("Copy the details"))
        self._told = ""  # the run's last message; the window's own stay until the next
        self._progress = ""  # what was last said of what takes long
        self._following = ""  # what is next where the run stood last
        self._fault_details = ""
        self._lecture = self._wrong = False
        self._moment, self._of_moment = (0, 0), False  # where the run stood last; whether what is said is about that
        self._answer: Why | None = None  # the one that was seen last
        self.addWidget(self._line, 1)
        self.addPermanentWidget(self.copy_fault)
        self.copy_fault.setObjectName("copy-fault")
        self.copy_fault.clicked.connect(self._copy_details)
        self.copy_fault.hide()

    def set_lecture(self, lecture: bool) -> None:
        """A hall sees only what went wrong, until there is something else to say."""
        self._lecture = lecture
        self.setVisible(self._wrong or not lecture)

    def say(self, text: str) -> None:
        """Say something of the window."""
        self._put(text, wrong=False)

    def _put(self, text: str, wrong: bool) -> None:
        self.said.say(text)
        self._wrong, self._of_moment = wrong, False
        self.set_lecture(self._lecture)
        self._line.share(self._wrong)
        announce(self, text)

    def refuse(self, text: str) -> None:
        """Say what the run refuses; it stays until the run has another message."""
        self._told = text
        self._put(text, wrong=True)

    def refuse_here(self, text: str) -> None:
        """Say what cannot be done where the run stands; it stays until that stands elsewhere."""
        self._put(text, wrong=True)
        self._of_moment = True

    def show_run(
        self, message: str, following: str, answer: Why | None = None, moment: tuple[int, int] = (0, 0)
    ) -> None:
        """Say what the run tells, unless it was said before, and what is next; an *answer* ends what was refused."""
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
        """Say how far it is, and which moment the panels show meanwhile; once that is over, what the run said last."""
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
        """Say so, but not in place of what the run or the window has just said."""
        if not done:
            self.say(tr("Compiling failed; the reference goes on running."))
        elif self.said.text() in {"", self._progress}:
            self.say(tr("Compiled: the run is at full speed."))

    def fail(self, fault: Fault) -> None:
        """Say what went wrong; a button copies the details."""
        self._put(tr("That could not be done: {fault}").format(fault=fault.sentence), wrong=True)
        self._fault_details = fault.details
        self.copy_fault.show()

    def _copy_details(self) -> None:
        QGuiApplication.clipboard().setText(self._fault_details)
        self.copy_fault.hide()
