"""Questions in the window: put at the moment, answered in the picture, and stepped out once they are."""

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

#: What a student does who goes on without an answer.
WAITS = "Commit an answer first, reveal it, or skip the question."

#: An answer of a class stays in one line with its share.
_NO_BREAK = "\u00a0"


class QuestionControl(QObject):
    """Asks one question at a time."""

    held = Signal(bool)  #: whether the run must not go on, because a question is open
    refused = Signal(str)  #: why nothing is asked
    graded = Signal(bool)  #: an answer was right, or not; one that was revealed is not
    given = Signal(object)  #: (Given): what was answered

    def __init__(self, area: DockArea, worker: RunWorker) -> None:
        super().__init__(area)
        self._area, self._worker = area, worker
        self.line = QuestionLine(area.window)
        self.posed: Posed | None = None
        self.open = False  #: whether it waits for its answer
        self.goes_on = False  #: whether another question follows, as in an exercise
        self._exercise: Exercise | None = None
        self._lane, self._step = 0, ("", 0)
        self._awaited = False  # whether a question that was asked for is on its way
        self._stepped_out = False  # whether its decision has been shown since it was answered
        self._turns = 0  # how often something was asked: what was posed before comes too late
        worker.posed.connect(self._take)
        # Until a policy's file is allowed none comes; who does not allow it goes on with the run that is there.
        worker.permission_wanted.connect(lambda *_: self.held.emit(self.open))
        area.asked.connect(self._point)
        self.line.committed.connect(self.commit)
        self.line.revealed.connect(self.reveal)
        self.line.skipped.connect(self.close)

    # Asking.

    @property
    def stands(self) -> bool:
        """Whether a question is there, or on its way; also one that was answered, until it is closed."""
        return self._awaited or self.posed is not None

    def begin_turn(self, lane: int = 0, step: tuple[str, int] = ("", 0), goes_on: bool = False) -> int:
        """Another question is made, of a *step* of a lesson by name and number, or none; its turn."""
        self.close()
        self._lane, self._step, self.goes_on = lane, step, goes_on
        self._awaited = True
        self.held.emit(True)  # nobody lets the run go on past what is about to be asked
        return self._turns

    def asking(self, question: QuizQuestion, lane: int, step: tuple[str, int]) -> Command:
        """What the run's thread is to do, once the run stands at a moment, to put a question there."""
        return partial(_pose, question=question, lane=lane, turn=self.begin_turn(lane, step))

    def ask_present(self) -> None:
        """Ask for the decision that comes; where a question is open or on its way, go to its answer."""
        if self.open:
            self.line.focus_answer()
        if self.open or self._awaited:
            return
        ask = partial(_pose_next, turn=self.begin_turn())
        self._worker.post(lambda worker: worker.post(ask))  # behind the way to its moment of a run that is being opened

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
        """What is typed goes to the answer of the question that is open; a lecturer's keys stay commands."""
        if self.open and not self.line.counts.isVisible():
            self.line.focus_answer()

    def forget(self) -> None:
        """Another run: what was asked of the last one is asked no more; what is about to be asked is."""
        if self.posed is not None:
            self.close()

    def close(self) -> None:
        """Nothing is asked any more."""
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
        """Something is pointed at in a picture of the policy that is asked about."""
        thing = intent.inspected if isinstance(intent, Select) else None
        if self.posed is None or not self.open or lane != self._lane or thing is None:
            return
        server = intent.server if self.posed.picks == "server" and isinstance(intent, Select) else None
        if server is None and thing.what == self.posed.picks:
            server = thing.number
        if server is not None and (text := self.posed.pointed(server)):
            self.line.choose(text)

    def commit(self) -> None:
        """Grade the answer, and step it out."""
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
        """Show the answer, beside what a class has said."""
        if self.posed is None:
            return
        try:
            counts = read_counts(self.posed, self.line.counts.text())
        except UserError as error:
            self.line.say_fault(line_of(error))
            return
        if not self.open and not counts:
            return  # the verdict of an answer stays
        said = counted_answers(self.posed, counts).split(BETWEEN)
        class_said = f"   {BETWEEN.join(one.replace(' ', _NO_BREAK) for one in said)}" if counts else ""
        why = told(self.posed).said(tr)
        answer = capitalized(why) if self.posed.sketch is not None else f"{self.posed.taken}: {why}"
        self._end(f"{answer}{class_said}")

    def _end(self, text: str, answer: str = "", right: bool = False) -> None:
        """The question is over: say so, step the answer out, and keep what was given."""
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
        """A frame is shown: one beyond the decision tells the answer."""
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
        """Once the run has left its decision a verdict says nothing of what is shown.

        In a lesson and an exercise it stays for what comes next.
        """
        events = {lane.event for lane in frame.lanes[self._lane :][:1]}
        here = bool(events & {made.event, made.event + 1})
        if self._stepped_out and not here and not self.goes_on and not self._step[0]:
            self.close()
        self._stepped_out |= here


def _step_out(made: Exercise) -> Intent:
    """Where the policy has decided."""
    if made.question.until is not None:
        return RunUntil(time=made.question.until)
    if made.posed.decided:
        return GoTo(made.event, made.posed.decided)
    return GoTo(made.event + 1)


def _pose(worker: RunWorker, question: QuizQuestion, lane: int, turn: int) -> None:
    """Make the question of the moment where the run stands."""
    try:
        posed = pose(worker.present, question, lane)
        event, moment = worker.lane(lane).timeline.event, moment_line(worker.present)
        worker.posed.emit(turn, Exercise(question, posed, event, moment))
    except UserError as error:
        worker.posed.emit(turn, tr("The question of this step cannot be asked: {fault}").format(fault=line_of(error)))


def _pose_next(worker: RunWorker, turn: int) -> None:
    """Make a question of what is decided next; a run that goes on stops before it."""
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
