"""Questions in the window: put at the moment, answered in the picture, and stepped out once they are."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal

from slotscope.gui.dock_area import DockArea
from slotscope.gui.intents import GoTo, Intent, RunUntil, Select
from slotscope.gui.lessons.question_line import QuestionLine
from slotscope.gui.worker import Command, RunWorker
from slotscope.model.errors import UserError
from slotscope.model.exercises.counts import counted_answers, read_counts
from slotscope.model.exercises.exercise import Exercise, ask_here
from slotscope.model.exercises.posed import Posed, told, verdict
from slotscope.model.exercises.posing import pose
from slotscope.model.exercises.question import QuizQuestion
from slotscope.model.frame import Frame

#: What a student does who goes on without an answer.
WAITS = "Commit an answer first, reveal it, or skip the question."


class QuestionControl(QObject):
    """Asks one question at a time.

    Signals
    -------
    held(bool)
        Whether the run must not go on, because a question is open.
    refused(str)
        Why nothing is asked.
    """

    held = Signal(bool)
    refused = Signal(str)

    def __init__(self, area: DockArea, worker: RunWorker) -> None:
        super().__init__(area)
        self._area, self._worker = area, worker
        self.line = QuestionLine(area.window)
        self.posed: Posed | None = None
        self.open = False  #: whether it waits for its answer
        self._question, self._lane, self._event = QuizQuestion(ask="server"), 0, 0
        self._turns = 0  # how often something was asked: what was posed before comes too late
        worker.posed.connect(self._take)
        area.asked.connect(self._point)
        self.line.committed.connect(self.commit)
        self.line.revealed.connect(self.reveal)
        self.line.skipped.connect(self.close)

    # Asking.

    def asking(self, question: QuizQuestion, lane: int = 0) -> Command:
        """What the run's thread is to do, once the run stands at a moment, to put a question there."""
        self.close()
        self._lane = lane
        return partial(_pose, question=question, lane=lane, turn=self._turns)

    def ask_present(self) -> None:
        """Ask for the decision that comes; where a question is open, go to its answer."""
        if self.open:
            self.line.answer.setFocus()
            return
        self.close()
        self._lane = 0
        self._worker.post(partial(_pose_next, turn=self._turns))

    def _take(self, turn: int, made: Exercise | str) -> None:
        if turn != self._turns:
            return
        if isinstance(made, str):
            self.refused.emit(made)
            return
        self._question, self.posed, self._event = made
        self.line.ask(self.posed)
        self._hold(True)
        if not self.line.counts.isVisible():  # a lecturer's keys stay commands
            self.line.answer.setFocus()

    def forget(self) -> None:
        """Another run: what was asked of the last one is asked no more; what is about to be asked is."""
        if self.posed is not None:
            self.close()

    def close(self) -> None:
        """Nothing is asked any more."""
        self._turns += 1
        self.posed = None
        self._hold(False)
        if self.line.isVisible():
            self.line.hide()
            self._area.window.setFocus()

    def _hold(self, on: bool) -> None:
        self.open = on
        self.held.emit(on)

    # Answering.

    def _point(self, intent: Intent, lane: int) -> None:
        """Something is pointed at in a picture of the policy that is asked about."""
        thing = intent.inspected if isinstance(intent, Select) else None
        if self.posed is None or not self.open or lane != self._lane or thing is None:
            return
        server = intent.server if self.posed.picks == "server" and isinstance(intent, Select) else None
        if server is None and thing.what == self.posed.picks:
            server = thing.number
        if server is not None and (text := self.posed.pointed(server)):
            self.line.fill(text)

    def commit(self) -> None:
        """Grade the answer, and step it out."""
        if self.posed is None or not self.open:
            return
        try:
            found = verdict(self.posed, self.line.answer.text())
        except UserError as error:
            self.line.say_fault(error.line)
            return
        self._end(f"{'✓' if found.right else '✗'} {found.text}")

    def reveal(self) -> None:
        """Show the answer, beside what a class has said."""
        if self.posed is None:
            return
        try:
            counts = read_counts(self.posed, self.line.counts.text())
        except UserError as error:
            self.line.say_fault(error.line)
            return
        class_said = f"   {counted_answers(self.posed, counts)}" if counts else ""
        self._end(f"{self.posed.taken}: {told(self.posed)}{class_said}")

    def _end(self, text: str) -> None:
        assert self.posed is not None
        was_open = self.open
        self.line.say_fault("")
        self.line.show_answer(text, False)
        self._hold(False)
        if was_open:
            self._area.asked.emit(self._step_out(self.posed), self._lane)
            self._area.window.setFocus()

    def _step_out(self, posed: Posed) -> Intent:
        """Where the policy has decided."""
        if self._question.until is not None:
            return RunUntil(time=self._question.until)
        if posed.decided > posed.place:
            return GoTo(self._event, posed.decided)
        return GoTo(self._event + 1)

    def follow(self, frame: Frame) -> None:
        """A frame is shown: one beyond the decision tells the answer."""
        if self.posed is None or not self.open:
            return
        lanes = frame.lanes
        if self._lane >= len(lanes):
            self.close()
            return
        shown = lanes[self._lane].event, len(lanes[self._lane].records)
        if shown > (self._event, self.posed.place) and self._question.until is None:
            self.reveal()


def _pose(worker: RunWorker, question: QuizQuestion, lane: int, turn: int) -> None:
    """Make the question of the moment where the run stands."""
    try:
        posed = pose(worker.present, question, lane)
        worker.posed.emit(turn, Exercise(question, posed, worker.lane(lane).timeline.event))
    except UserError as error:
        worker.posed.emit(turn, f"The question of this step cannot be asked: {error.line}")


def _pose_next(worker: RunWorker, turn: int) -> None:
    """Make a question of what is decided next."""
    try:
        found = ask_here(worker.lane(0))
    except UserError as error:
        worker.posed.emit(turn, error.line)
        return
    worker.posed.emit(turn, found or "The event that comes decides nothing; go on to one that does.")
