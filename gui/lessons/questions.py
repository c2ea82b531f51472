"""Questions in the window: asked about the current moment, answered, and then the run steps through the decision."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal

from slotscope.gui.docking.dock_area import DockArea
from slotscope.gui.intents import GoTo, Intent, RunUntil, Select
from slotscope.gui.language.words import line_of, tr
from slotscope.gui.lessons.question_line import QuestionLine
from slotscope.gui.panels.wording import capitalized
from slotscope.gui.running.worker import Command, RunWorker
from slotscope.model.errors import UserError
from slotscope.model.exercises.exercise import Exercise, ask_here, moment_line
from slotscope.model.exercises.posed import BETWEEN, Posed, counted_answers, read_counts, told, verdict
from slotscope.model.exercises.posing import pose, under_its_policy
from slotscope.model.exercises.question import QuizQuestion
from slotscope.model.lessons.answers import Given, now
from slotscope.model.reporting.frame import Frame

#: Shown to a student who goes on without an answer.
WAITS = "Commit an answer first, reveal it, or skip the question."

#: Keeps an answer of a class and its share on one line.
_NO_BREAK = "\u00a0"


class QuestionControl(QObject):
    """Asks one question at a time."""

    held = Signal(bool)  #: whether the run must stay where it is, because of a question
    refused = Signal(str)  #: why no question is asked
    graded = Signal(bool)  #: whether an answer was right; False if it was revealed
    given = Signal(object)  #: (Given): the answer

    def __init__(self, area: DockArea, worker: RunWorker) -> None:
        super().__init__(area)
        self._area, self._worker = area, worker
        self.line = QuestionLine(area.window)
        self.posed: Posed | None = None
        self.open = False  #: whether the question waits for its answer
        self.goes_on = False  #: whether another question follows, as in an exercise
        self._exercise: Exercise | None = None
        self._lane, self._step = 0, ("", 0)
        self._awaited = False  # whether the worker is making a question
        self._stepped_out = False  # whether its decision has been shown since it was answered
        self._turns = 0  # counts the questions asked for: those made for earlier turns are ignored
        worker.posed.connect(self._take)
        # No question comes until the user allows a policy's file; who refuses goes on with the current run.
        worker.permission_wanted.connect(lambda *_: self.held.emit(self.open))
        area.asked.connect(self._point)
        self.line.committed.connect(self.commit)
        self.line.revealed.connect(self.reveal)
        self.line.skipped.connect(self.close)

    # Asking.

    @property
    def stands(self) -> bool:
        """Whether a question is awaited or shown; an answered one counts until it is closed."""
        return self._awaited or self.posed is not None

    def begin_turn(self, lane: int = 0, step: tuple[str, int] = ("", 0), goes_on: bool = False) -> int:
        """Prepare for another question about a lane, perhaps of a lesson's *step* (name, number); returns its turn."""
        self.close()
        self._lane, self._step, self.goes_on = lane, step, goes_on
        self._awaited = True
        self.held.emit(True)  # so that the run does not go on past the moment of the question
        return self._turns

    def asking(self, question: QuizQuestion, lane: int, step: tuple[str, int]) -> Command:
        """The command for the worker that asks a question once the run is at its moment."""
        return partial(_pose, question=question, lane=lane, turn=self.begin_turn(lane, step))

    def ask_present(self) -> None:
        """Ask for the next decision; if a question is already open, only focus its answer."""
        if self.open:
            self.line.focus_answer()
        if self.open or self._awaited:
            return
        ask = partial(_pose_next, turn=self.begin_turn())
        # Posted twice: opening a run posts the command that goes to its moment, and the question must come after it.
        self._worker.post(lambda worker: worker.post(ask))

    def _take(self, turn: int, made: Exercise | str) -> None:
        if turn != self._turns:
            return
        self._awaited = False
        if isinstance(made, str):
            self.held.emit(False)
            self.refused.emit(made)
            return
        self._exercise, self.posed = made, made.posed
        self.line.ask(self.posed)
        self._hold(True)
        self.attend()

    def attend(self) -> None:
        """Focus the answer of the open question, except in lecture mode, where keys remain commands."""
        if self.open and not self.line.counts.isVisible():
            self.line.focus_answer()

    def forget(self) -> None:
        """Close a question about the last run when another begins; an awaited question is kept."""
        if self.posed is not None:
            self.close()

    def close(self) -> None:
        """Close the question, and ignore one that is still being made."""
        self._turns += 1
        self._awaited = False
        self.posed = None
        self._hold(False)
        if self.line.isVisible():
            self.line.hide()
            self._area.window.setFocus()

    def _hold(self, on: bool) -> None:
        self.open = on
        self._area.veil(self.posed.veils if on and self.posed is not None else "")
        self.held.emit(on)

    # Answering.

    def _point(self, intent: Intent, lane: int) -> None:
        """Enter the thing selected in a picture as the answer, if it is one of the lane that the question is about."""
        thing = intent.inspected if isinstance(intent, Select) else None
        if self.posed is None or not self.open or lane != self._lane or thing is None:
            return
        server = intent.server if self.posed.picks == "server" and isinstance(intent, Select) else None
        if server is None and thing.what == self.posed.picks:
            server = thing.number
        if server is not None and (text := self.posed.pointed(server)):
            self.line.choose(text)

    def commit(self) -> None:
        """Grade the answer, and step the run through the decision."""
        if self.posed is None or not self.open:
            return
        try:
            found = verdict(self.posed, self.line.answer.text())
        except UserError as error:
            self.line.say_fault(line_of(error))
            return
        self._end(
            f"{'✓' if found.right else '✗'} {found.text.said(tr)}",
            self.posed.read(self.line.answer.text()),
            found.right,
        )

    def reveal(self) -> None:
        """Show the right answer, with the counts of a class's answers."""
        if self.posed is None:
            return
        try:
            counts = read_counts(self.posed, self.line.counts.text())
        except UserError as error:
            self.line.say_fault(line_of(error))
            return
        if not self.open and not counts:
            return  # keep the verdict of a graded answer
        said = counted_answers(self.posed, counts).split(BETWEEN)
        class_said = f"   {BETWEEN.join(one.replace(' ', _NO_BREAK) for one in said)}" if counts else ""
        why = told(self.posed).said(tr)
        answer = capitalized(why) if self.posed.sketch is not None else f"{self.posed.taken}: {why}"
        self._end(f"{answer}{class_said}")

    def _end(self, text: str, answer: str = "", right: bool = False) -> None:
        """End the question: show *text*, step the run through the decision, and emit the answer."""
        assert self._exercise is not None
        was_open, self._stepped_out = self.open, False
        self.line.say_fault("")
        self.line.show_answer(text, self.goes_on)
        self._hold(False)
        if not was_open:
            return
        self._area.asked.emit(_step_out(self._exercise), self._lane)
        if self.goes_on:
            self.line.buttons["next"].setFocus()
        else:
            self._area.window.setFocus()
        self.graded.emit(right)
        if self._exercise.moment:
            lesson, step = self._step
            self.given.emit(
                Given(
                    moment=self._exercise.moment,
                    question=self._exercise.question,
                    answer=answer,
                    time=now(),
                    lesson=lesson,
                    step=step,
                    policy=self._lane + 1,
                )
            )

    def follow(self, frame: Frame) -> None:
        """Follow a frame: reveal the answer if it is past the decision, or close a verdict left behind."""
        made = self._exercise
        if made is not None and self.posed is not None and not self.open:
            self._follow_verdict(made, frame)
        if made is None or not self.open or made.question.until is not None:
            return
        lanes = frame.lanes
        if self._lane >= len(lanes):
            self.close()
            return
        shown = lanes[self._lane].event, len(lanes[self._lane].records)
        if shown > (made.event, made.posed.place):
            self.reveal()

    def _follow_verdict(self, made: Exercise, frame: Frame) -> None:
        """Close the verdict once the run has left its decision, as it no longer concerns what is shown.

        In lessons and exercises it is kept until the next step or question.
        """
        events = {lane.event for lane in frame.lanes[self._lane :][:1]}
        here = bool(events & {made.event, made.event + 1})
        if self._stepped_out and not here and not self.goes_on and not self._step[0]:
            self.close()
        self._stepped_out |= here


def _step_out(made: Exercise) -> Intent:
    """The intent that moves the run to where the answer shows: after the decision, or at the time asked about."""
    if made.question.until is not None:
        return RunUntil(time=made.question.until)
    if made.posed.decided:
        return GoTo(made.event, made.posed.decided)
    return GoTo(made.event + 1)


def _pose(worker: RunWorker, question: QuizQuestion, lane: int, turn: int) -> None:
    """Ask a lesson's question at the run's current moment."""
    try:
        posed = pose(worker.present, question, lane)
        event, moment = worker.lane(lane).timeline.event, moment_line(worker.present)
        worker.posed.emit(turn, Exercise(question, posed, event, moment))
    except UserError as error:
        worker.posed.emit(turn, tr("The question of this step cannot be asked: {fault}").format(fault=line_of(error)))


def _pose_next(worker: RunWorker, turn: int) -> None:
    """Ask for the next decision; a running run is stopped first."""
    worker.rest()
    try:
        found = ask_here(worker.lane(0))
    except UserError as error:
        worker.posed.emit(turn, line_of(error))
        return
    if found is None:
        worker.posed.emit(turn, tr("The event that comes decides nothing; go on to one that does."))
    else:
        posed = under_its_policy(found.posed, worker.present, 0)
        worker.posed.emit(turn, found._replace(posed=posed, moment=moment_line(worker.present)))
