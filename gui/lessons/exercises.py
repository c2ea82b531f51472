"""Exercises in the window: a student decides in place of the policy, one decision after the other."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSpinBox, QWidget

from slotscope.gui.language.words import line_of, tr
from slotscope.gui.lessons.questions import QuestionControl
from slotscope.gui.running.worker import RunWorker
from slotscope.gui.widgets.boxes import ChoiceBox, EnterButton, changed_by_editing
from slotscope.model.errors import UntrustedPolicyError, UserError
from slotscope.model.exercises.deciding import asks_of
from slotscope.model.exercises.exercise import DIFFICULTIES, Exercise, exercise_run, moment_line, next_exercise
from slotscope.model.exercises.question import ASKS

_ALL = "all decisions"

_MOST_SEED = 999_999


class ExerciseLine(QWidget):
    """Asks for an exercise's kind of decisions, difficulty and seed."""

    #: (asks, among, seed): begin an exercise; each decision is the hardest in *among* events that decide something,
    #: or with 0 the next one
    begun = Signal(object, int, int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("exercise")
        self.what, self.level, self.seed = ChoiceBox(), ChoiceBox(), QSpinBox()
        for difficulty, among in DIFFICULTIES.items():
            self.level.addItem(tr(difficulty), among)
        self.level.setToolTip(
            tr(
                "Difficulty\nany: each decision. harder, hardest: the one in {few}, or in {many}, events that decide "
                "something for which most is to be looked at."
            ).format(few=DIFFICULTIES["harder"], many=DIFFICULTIES["hardest"])
        )
        self.seed.setRange(1, _MOST_SEED)
        changed_by_editing(self.seed)
        self.begin = EnterButton(
            tr("Begin"), tr("Begin\nRuns the scenario with this seed, and asks for its decisions (Enter).")
        )
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 2, 8, 4)
        for title, field in ((tr("Decide"), self.what), (tr("Difficulty"), self.level), (tr("Seed"), self.seed)):
            field.setAccessibleName(title)
            row.addWidget(QLabel(title))
            row.addWidget(field)
        row.addWidget(self.begin)
        row.addStretch(1)
        self.begin.clicked.connect(self._begin)
        self.seed.lineEdit().returnPressed.connect(self._begin)
        self.hide()

    def ask(self, system: str) -> None:
        """Show the line for a kind of system."""
        self.what.clear()
        self.what.addItem(tr(_ALL), "")
        for ask in ASKS:
            if ask in asks_of(system).poses or (ask == "value" and asks_of(system).values):
                self.what.addItem(tr(ASKS[ask]), ask)
        self.show()
        self.begin.setFocus()

    def _begin(self) -> None:
        self.close()
        asks = frozenset(filter(None, (self.what.currentData(),)))
        self.begun.emit(asks, self.level.currentData(), self.seed.value())
        self.seed.setValue(self.seed.value() % _MOST_SEED + 1)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Return the focus to the window when the line is closed."""
        super().closeEvent(event)
        self.window().setFocus()


class ExerciseControl(QObject):
    """Goes from decision to decision, and counts the right answers."""

    begins = Signal()  #: an exercise begins, which ends an open lesson

    def __init__(self, window: QWidget, worker: RunWorker, questions: QuestionControl) -> None:
        super().__init__(window)
        self._worker, self._questions = worker, questions
        self.line = ExerciseLine(window)
        self._asks: frozenset[str] = frozenset()
        self._among = 0
        self._right = self._count = 0
        self.line.begun.connect(self.begin)
        questions.graded.connect(self._count_one)
        questions.line.advanced.connect(self.go_on)

    def begin(self, asks: frozenset[str], among: int, seed: int) -> None:
        """Open the run of a seed, and ask for its first decision; parameters as in :attr:`ExerciseLine.begun`."""
        self.begins.emit()
        self._asks, self._among = asks, among
        self._right = self._count = 0
        turn = self._questions.begin_turn(goes_on=True)
        self._worker.post_instead(partial(_begin, seed=seed, asks=asks, among=among, turn=turn))
        self._show_score()

    @property
    def waits(self) -> bool:
        """Whether a question of an exercise is answered, and the next one can be asked."""
        return self._questions.goes_on and self._questions.posed is not None and not self._questions.open

    def go_on(self) -> None:
        """Ask for the next decision."""
        turn = self._questions.begin_turn(goes_on=True)
        self._worker.post(partial(_next, asks=self._asks, among=self._among, turn=turn))
        self._show_score()

    def _count_one(self, right: bool) -> None:
        if self._questions.goes_on:
            self._count += 1
            self._right += right
            self._show_score()

    def _show_score(self) -> None:
        self._questions.line.show_score(
            tr("{right} of {count} right").format(right=self._right, count=self._count) if self._count else ""
        )


def _begin(worker: RunWorker, seed: int, asks: frozenset[str], among: int, turn: int) -> None:
    """Run the scenario with the exercise's seed and ask its first decision, if there is one of this kind."""
    try:
        run = exercise_run(worker.lane(0), seed)
        made = next_exercise(run, asks, among)
    except UntrustedPolicyError:
        raise  # the user is asked for permission, and the command is repeated
    except UserError as error:
        worker.posed.emit(turn, line_of(error))
        return
    worker.exchange(run, tr("Exercise in"))
    worker.posed.emit(turn, made._replace(moment=moment_line(run)))


def _next(worker: RunWorker, asks: frozenset[str], among: int, turn: int) -> None:
    """Go to the next decision, and ask it."""
    found: list[Exercise] = []
    try:
        worker.walk(lambda _: found.append(next_exercise(worker.lane(0), asks, among)))
        worker.posed.emit(turn, found[0]._replace(moment=moment_line(worker.present)))
    except UserError as error:
        worker.posed.emit(turn, line_of(error))
