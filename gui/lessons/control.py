"""A lesson in the window: goes from step to step, and shows each step's moment, panels and outlined things."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, Callable

from PySide6.QtCore import QEvent, QObject, QSettings, Signal
from PySide6.QtWidgets import QApplication, QWidget

from slotscope.gui.docking.compare_docks import CompareDocks
from slotscope.gui.docking.dock_area import DockArea
from slotscope.gui.docking.layouts import soon
from slotscope.gui.intents import Select
from slotscope.gui.language.words import line_of, spoken, tr
from slotscope.gui.lessons.adding import AddingLine
from slotscope.gui.lessons.exercises import ExerciseControl
from slotscope.gui.lessons.questions import WAITS, QuestionControl
from slotscope.gui.lessons.strip import TOUR, LessonStrip, TourOffer
from slotscope.gui.panels import SENTENCES, names_of
from slotscope.gui.presenting.control import Presenter
from slotscope.gui.running.run_control import RunControl
from slotscope.gui.running.worker import Command, RunWorker
from slotscope.gui.theme import Theme
from slotscope.gui.widgets.file_dialogs import ask_new_file
from slotscope.gui.window.lecture import LectureMode
from slotscope.model.comparison.runs import stand_at
from slotscope.model.errors import UntrustedPolicyError, UserError
from slotscope.model.lessons.answers import Given, add_answers
from slotscope.model.lessons.files import find_lesson, load_lesson
from slotscope.model.lessons.lesson import Lesson, Step, StepPlace, not_there
from slotscope.model.reporting.frame import Frame
from slotscope.model.reporting.inspection import JOB, SERVER
from slotscope.model.running.origin import NO_LINE


class AnswerKeeper(QObject):
    """Keeps the answers given since the program was started; once a file is chosen, each is written at once."""

    said = Signal(str)  #: (text): a line for the status bar
    chosen = Signal()  #: a file has been chosen

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._path: Path | None = None
        self._count = 0
        self._waiting: tuple[Given, ...] = ()  # answers not written yet

    def choose(self) -> None:
        """Ask for a file of answers, new or existing; it gets the answers so far and all further ones."""
        ask_new_file(
            self._window, tr("Keep answers in"), self._keep_in, tr("Answers (*.answers)"), "my.answers", adds=True
        )

    def _keep_in(self, path: Path) -> None:
        self._path, self._count = path, 0
        self._write()
        self.chosen.emit()

    def take(self, given: Given) -> None:
        """Add an answer, and write it if there is a file."""
        self._waiting = (*self._waiting, given)
        if self._path is not None:
            self._write()

    def _write(self) -> None:
        assert self._path is not None
        try:
            code = add_answers(self._path, self._waiting)
        except UserError as error:
            self._path = None
            self.said.emit(tr("{fault}; choose another file").format(fault=line_of(error)))
            return
        self._count += len(self._waiting)
        self._waiting = ()
        said = tr("Closing code {code}; answers written to {path}: {count}")
        self.said.emit(said.format(path=self._path, count=self._count, code=code))


class LessonControl(QObject):
    """Shows the steps of one lesson at a time.

    Signals
    -------
    said(text), refused(text)
        A line for the status bar; why no question is asked, which is also shown in lecture mode.
    """

    said = Signal(str)
    refused = Signal(str)

    def __init__(
        self,
        area: DockArea,
        lanes: CompareDocks,
        lecture: LectureMode,
        worker: RunWorker,
        control: RunControl,
        settings: QSettings,
    ) -> None:
        super().__init__(area)
        self._area, self._lanes, self._lecture, self._worker = area, lanes, lecture, worker
        self._control, self.questions = control, QuestionControl(area, worker)
        self.exercises = ExerciseControl(area.window, worker, self.questions)
        self.keeper = AnswerKeeper(area.window)
        self.strip = LessonStrip(area.window)
        self.adding = AddingLine(area.window, settings, self.present)
        self.offer = TourOffer(area.window, settings)
        self.presenter = Presenter(area, lecture, worker, control)
        self.lesson: Lesson | None = None
        self.number = 0  #: the number of the step, from 0
        self._folder, self._name = Path(), ""
        self._usual: dict[str, str] = {}  # the layouts before the lesson, by settings key
        self._turns = 0  # counts the steps shown: the worker's replies for earlier ones are ignored
        self._stands = False  # whether the next frame is that of a step's moment
        self._told: dict[str, str] = {}  # the step's errors, by their subject
        self._source: str | None = None  # the scenario of the run shown last; None before the step's moment is shown
        self._dress_soon = soon(self, self.dress)
        lecture.switched.connect(self._follow_lecture)
        self.offer.begun.connect(partial(self.open, TOUR))
        self.strip.turned.connect(self.turn)
        self.strip.ended.connect(self.end)
        self.adding.said.connect(self.said)
        worker.stood.connect(self._take_answer)
        worker.framed.connect(self._look)  # called before the panels show the frame
        self.exercises.begins.connect(self._end_for_exercise)
        self.questions.given.connect(self.keeper.take)
        self.questions.held.connect(lambda _: lecture.ask(self.questions.stands))
        self.keeper.said.connect(self.said)
        self.keeper.chosen.connect(self.questions.attend)  # return the focus, which the menu has taken
        self.questions.refused.connect(self._refuse_question)
        self.set_theme(area.theme)

    @property
    def rows(self) -> tuple[QWidget, ...]:
        """The widgets above the panels, from top to bottom."""
        return self.offer, self.strip, self.exercises.line, self.questions.line, self.adding

    def commands(self) -> dict[str, Callable[[], object]]:
        """The functions that carry out the commands about lessons, by command name."""
        return {
            "lesson_next": partial(self.turn, 1),
            "lesson_back": partial(self.turn, -1),
            "lesson_add": self.adding.ask,
            "tour": partial(self.open, TOUR),
            "ask_me": self.questions.ask_present,
            "reveal": self.questions.reveal,
            "exercise": lambda: self.exercises.line.ask(self._area.system),
            "keep_answers": self.keeper.choose,
            **self.presenter.commands(),
        }

    def set_theme(self, theme: Theme) -> None:
        self.strip.set_theme(theme)
        self.questions.line.set_theme(theme)
        self.presenter.set_theme(theme)

    def _follow_lecture(self, on: bool) -> None:
        """Follow lecture mode: in it, keys are commands, not answers, and the tour is not offered."""
        self._dress_soon.start()
        if on and self.questions.line.answer.hasFocus():
            self._area.window.setFocus()
        if on:
            self.offer.hide()

    # From step to step.

    def open(self, name: str | Path, number: int = 0) -> None:
        """Begin a lesson, by name or path, at step *number* (from 0); the status bar shows an error in its file."""
        try:
            path = find_lesson(str(name))
            lesson = load_lesson(path, spoken())
        except UserError as error:
            self.said.emit(line_of(error))
            return
        self.lesson, self._folder, self._name = lesson, path.parent, path.stem
        if self._name == TOUR:
            self.offer.close()
        self.offer.hide()  # the lesson takes its place
        self._area.window.setFocus()
        self._go_to(number)

    def turn(self, by: int) -> None:
        """Go one step on (1) or back (-1) in the lesson; without one, to an exercise's next question, or by one event.

        If a question is open, going on reveals it in lecture mode, as a presenter has no other key; otherwise it is
        refused.
        """
        if by > 0 and self.questions.open:
            self.questions.reveal() if self._lecture.on else self.questions.line.say_fault(tr(WAITS))
        elif by > 0 and self.exercises.waits:
            self.exercises.go_on()
        elif self.lesson is None:
            (self._control.step if by > 0 else self._control.step_back)()
        elif 0 <= self.number + by < len(self.lesson.steps):
            self._go_to(self.number + by)

    @property
    def path(self) -> Path | None:
        """The file of the open lesson; None if no lesson is open."""
        return None if self.lesson is None else self._folder / f"{self._name}.toml"

    @property
    def in_front(self) -> QWidget | None:
        """The widget that Esc closes first: a line with fields, the pen, the tour, or the tour's offer; else None."""
        rows = [self.adding, self.exercises.line, *self.presenter.in_front]
        rows += [self.strip] if self._name == TOUR else []
        return next((row for row in (*rows, self.offer) if row.isVisible()), None)

    def end(self) -> None:
        """End the lesson, and restore the layout from before it."""
        self.lesson = None
        self._lecture.lead(False)
        self.questions.close()
        self.presenter.pen.show(())
        self.strip.hide()
        self._restore()
        self._area.select(Select())

    def _go_to(self, number: int) -> None:
        lesson = self.lesson
        assert lesson is not None
        self.number = number
        self._lecture.lead(True)
        self._turns += 1
        self._source, self._told = None, {}
        self.questions.close()
        self.strip.show_step(lesson.title, number, len(lesson.steps), lesson.steps[number].text)
        step, asking = lesson.steps[number], None
        if step.question is not None:
            asking = self.questions.asking(step.question, step.policy - 1, (self._name, number + 1))
        QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)  # lay the text out before its run is opened
        place = step.place(self._folder)
        self._worker.post_instead(partial(_begin, place=place, turn=self._turns, then=asking))

    def _take_answer(self, turn: int, fault: str) -> None:
        """Handle the worker's reply: a step's run or moment is shown, or cannot be (*fault*)."""
        if turn != self._turns or self.lesson is None:
            return
        self._tell(moment=tr("This step's moment cannot be shown: {fault}").format(fault=fault) if fault else "")
        if fault:
            self.questions.close()  # the step's question will not be asked
        else:
            self._stands = True
            self.presenter.pen.show(self.lesson.steps[self.number].marks)
            self.dress()

    def _look(self, frame: Frame) -> None:
        """Prepare the panels for a frame of a step's moment; report if the run of another scenario is shown.

        At a step's moment the panels forget what was shown before, so that a step always has the same picture.
        """
        if self.lesson is None:
            return
        source = frame.info.origin.source
        if self._stands:
            self._stands, self._source = False, source
            for dock in self._area.docks.values():
                dock.forget()
            step = self.lesson.steps[self.number]
            self._outline(step)
            faults = not_there(step, names_of(frame.info.system), frame.lanes)
            self._tell(shown="\n".join(tr("This step: {fault}").format(fault=line_of(fault)) for fault in faults))
        elif self._source not in (None, source):
            self._source = source
            here = self.lesson.steps[self.number].place(self._folder).origins[0].source
            said = tr("Shown is {other}, this step is about {scenario}: PageUp and PageDown lead back to the lesson.")
            other = said.format(other=frame.info.scenario_name, scenario=Path(here).stem)
            self._tell(run="" if source == here else other)

    def _tell(self, **faults: str) -> None:
        """Show the step's errors, one line per subject; an empty text removes the subject's line."""
        self._told |= faults
        self.strip.say_fault("\n".join(filter(None, self._told.values())))

    def _end_for_exercise(self) -> None:
        if self.lesson is not None:
            self.end()

    def _refuse_question(self, text: str) -> None:
        self.refused.emit(text) if self.lesson is None else self._tell(question=text)

    # Panels.

    def dress(self) -> None:
        """Show the panels of the step and outline the things it names, once all docks exist."""
        area = self._area
        if self.lesson is None or not area.complete or area.info is None:
            return
        step = self.lesson.steps[self.number]
        self._usual.setdefault(self._lanes.layout_key, area.layouts.text())
        panels = [name for name in step.panels if name in area.docks]
        if self._lecture.on:
            self._lecture.stage(panels, step.width)
        else:
            for name in panels:
                self._lanes.bring(name, 0)
            if step.width is not None:
                area.layouts.widen(step.width)
        self._outline(step)
        self.presenter.pen.refresh()  # panels may have been built since

    def _outline(self, step: Step) -> None:
        self._area.select(Select(step.outlined(SERVER), step.outlined(JOB)), step.policy - 1)

    def present(self) -> dict[str, Any]:
        """The moment shown as a step of a lesson: its command line, panels, outlined things and pen marks.

        Raises UserError if no command line opens this moment.
        """
        area, frame = self._area, self._area.frame
        line = "" if frame is None else frame.opening_line
        if not line:
            raise UserError(NO_LINE)
        usual = {area.roles.servers, *([SENTENCES] if self._lecture.tells_briefly else [])}
        seen = [name for name in area.roles.numbered if name in area.docks and area.docks[name].seen]
        server, job = area.selection.server, area.selection.job
        outlined = [f"{JOB} {job}"] if job is not None else []
        outlined += [f"{SERVER} {server + 1}"] if server is not None else []
        return {
            "moment": line,
            "panels": [name for name in seen if name not in usual],
            "outline": outlined,
            "marks": [mark.model_dump(mode="json", exclude_defaults=True) for mark in self.presenter.pen.marks],
        }

    def _restore(self) -> None:
        """Restore the layout from before the lesson."""
        usual, self._usual = self._usual.get(self._lanes.layout_key, ""), {}
        if usual and self._lecture.on:
            self._area.layouts.aside = usual
            self._lecture.stage([], None)
        elif usual:
            self._area.layouts.restore(usual)


def _begin(worker: RunWorker, place: StepPlace, turn: int, then: Command | None) -> None:
    """Open the run of *place*, unless it is open, and go to its moment; there call *then*, if given."""
    try:
        if worker.session is None or not place.is_of(worker.session):
            worker.begin_opening(place.origins[0].source)
            worker.exchange(place.open(kernel=False))
        worker.stood.emit(turn, "")
    except UntrustedPolicyError:
        raise  # the user is asked for permission, and the command is repeated
    except UserError as error:
        worker.stood.emit(turn, line_of(error))
        raise
    worker.post(partial(_stand, place=place, turn=turn, then=then))


def _stand(worker: RunWorker, place: StepPlace, turn: int, then: Command | None) -> None:
    """Go to the moment of *place*, unless another run was opened meanwhile; then call *then*, if given."""
    if worker.session is None or not place.is_of(worker.session):
        worker.stood.emit(turn, tr("another run was opened meanwhile"))
        return
    told: list[str | None] = []
    try:
        worker.walk(lambda run: told.append(stand_at(run, place.moment)))
    except UserError as error:
        told.append(line_of(error))
        raise
    finally:
        worker.stood.emit(turn, "".join(filter(None, told)))
    if then is not None and not any(told):
        then(worker)
