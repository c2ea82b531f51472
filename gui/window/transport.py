"""The transport bar, two rows above the panels: the choice of what runs, and the controls of the run."""

from __future__ import annotations

from pathlib import Path
from typing import Mapping

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSizePolicy, QSlider, QSpinBox, QToolButton, QWidget

from slotscope.gui.language.words import tr
from slotscope.gui.running.goals import GoalProgress
from slotscope.gui.running.pace import REAL_TIME, SLIDER_MOST, Pace, next_position, pace_at, position_of
from slotscope.gui.theme import Theme
from slotscope.gui.widgets.boxes import ChoiceBox, changed_by_editing
from slotscope.gui.widgets.fault_words import FaultLabel
from slotscope.gui.widgets.icons import icon
from slotscope.gui.widgets.labels import CutLabel
from slotscope.gui.widgets.rows import in_column, in_row
from slotscope.gui.window.actions import Actions
from slotscope.gui.window.history_bar import HistoryBar
from slotscope.gui.window.moment_labels import MomentLabels
from slotscope.model.policies import is_file, policy_titles
from slotscope.model.reporting.frame import Frame, RunInfo

_BUTTONS = (
    "to_start",
    "to_previous",
    "step_back",
    "back_into",
    "run",
    "into",
    "out",
    "step",
    "to_next",
    "to_live_end",
    "express",
)

#: Data of the entries that ask for a file; no policy has these names.
FROM_A_FILE, FROM_TEMPLATE = "*.py ...", "*.py new ..."

#: Entries below the policies: text, data, tooltip.
OWN_ENTRIES = (
    ("From a file ...", FROM_A_FILE, "A policy of your own"),
    ("New from template ...", FROM_TEMPLATE, "Write a first policy of your own for this kind of system, and run it"),
)

#: Prefix of lessons' data in the scenario box; no scenario has such a name.
_LESSON = "Lesson:"

#: Width of the scenario box in characters: the long titles of lessons are shown only in its list.
_SCENARIO_LETTERS = 18

#: Width of a combo box's arrow and frame, in line heights.
_ARROW = 1.8

#: Least space in pixels between the buttons and the box of the next kind; with less, each has a row of its own.
_BETWEEN = 30
#: Space in pixels between the compiling label and the box beside it when both fill their row.
_APART = 12

#: Qt's default maximum width, QWIDGETSIZE_MAX.
_ANY_WIDTH = 2**24 - 1


#: Fields of the bar: attribute, name and tooltip.
FIELDS = (
    ("scenario", "Scenario", "Scenario\nWhich system runs."),
    ("policy", "Policy", "Policy\nWhich policy decides; the jobs stay the same."),
    ("seed", "Seed", "Seed\nThe same seed gives every policy the same jobs."),
    ("kind", "Kind of event", "Next kind\nWhat Ctrl+Right runs to."),
    (
        "speed",
        "Speed",
        "Speed (< and >)\nFrom single sub-steps to no limit; it snaps at 1×, one unit of time per second. "
        "No event is waited for longer than 5 seconds.",
    ),
)

#: Buttons beside a policy that needs permission to run: name, text and tooltip.
FAULT_BUTTONS = (
    ("show", "Show", "Show the file's text"),
    ("run", "Run it", "Allow this file as it is now, and run it"),
)


class TransportBar(QWidget):
    """Boxes of scenario, policy and seed, with time and speed; buttons, pace slider and kind to run to; history.

    Signals
    -------
    scenario_chosen(scenario)
        The user chose another scenario, to run under its own policy and seed.
    lesson_chosen(lesson)
        The user chose a lesson, by name.
    chosen(policy, seed)
        The user chose another policy or seed for the current scenario.
    file_wanted()
        The user wants to choose a policy file.
    template_wanted()
        The user wants to write a policy from the template.
    paced(Pace)
        The user chose another pace.
    """

    scenario_chosen = Signal(str)
    lesson_chosen = Signal(str)
    chosen = Signal(str, int)
    file_wanted = Signal()
    template_wanted = Signal()
    paced = Signal(object)

    def __init__(self, theme: Theme, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._actions = actions
        self._running = self._led = False
        self._stacked = (1, 0, False)  #: row of the next-kind box, row of the moment labels, whether these are stacked
        self._policy = self._system = self._shown = ""
        self.scenario = ChoiceBox()
        self.trace = QToolButton()
        self.policy = ChoiceBox()
        self.policy_fault = FaultLabel()
        self.fault_buttons = {"show": QToolButton(), "run": QToolButton()}
        self.seed = QSpinBox()
        self._seed_label = QLabel(tr("seed"))
        self.kind = ChoiceBox()
        self.compare = QToolButton()
        self.speed = QSlider(Qt.Orientation.Horizontal)
        self.history = HistoryBar(theme)
        self.moment = MomentLabels()
        self._pace = QLabel()
        self._compiling = CutLabel()
        self._frame: Frame | None = None
        self._usual = 0  # usual width of the moment labels when the boxes were last fitted
        self._others = True  # whether the boxes must be fitted again for another reason
        self._buttons: dict[str, QToolButton] = {}
        self._controls, self._toward = self._make_controls(), self._make_toward()
        self._describe()
        layout = in_column(self, margins=(8, 4, 8, 2), spacing=2)
        self._rows = tuple(QHBoxLayout() for _ in range(4))
        for row in self._rows:  # added while empty: PySide would keep stale layout items of widgets moved later
            layout.addLayout(row)
        self._fill_first(self._rows[0])
        self._fill_second(self._rows[1])
        layout.addWidget(self.history)
        self.set_theme(theme)
        self._show_pace(pace_at(self.speed.value()))

    def _describe(self) -> None:
        for attribute, name, text in FIELDS:
            widget = getattr(self, attribute)
            widget.setObjectName(name.lower().replace(" ", "-"))
            widget.setAccessibleName(tr(name))
            widget.setToolTip(tr(text))
        for name, text, tip in FAULT_BUTTONS:
            self.fault_buttons[name].setText(tr(text))
            self.fault_buttons[name].setToolTip(tr(tip))
        self.seed.setRange(0, 2**31 - 1)
        self.seed.setKeyboardTracking(False)
        changed_by_editing(self.seed)
        self.speed.setRange(0, SLIDER_MOST)
        self.speed.setValue(position_of(REAL_TIME))
        self.speed.setMinimumWidth(115)
        self.speed.setMaximumWidth(260)
        self.speed.valueChanged.connect(self._pace_moved)
        self.scenario.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.scenario.setMinimumContentsLength(_SCENARIO_LETTERS)
        self.scenario.activated.connect(self._scenario_chosen)
        self.policy.activated.connect(self._policy_chosen)
        self.seed.valueChanged.connect(self._choice_made)
        self.seed.lineEdit().returnPressed.connect(self._leave_boxes)
        self.kind.activated.connect(self._leave_boxes)
        self.kind.currentTextChanged.connect(self._fit_boxes)
        self.trace.setObjectName("trace")
        self.trace.setAccessibleName(tr("Trace"))
        self.trace.setToolTip(tr("Trace\nThe files of recorded jobs that the scenario plays."))
        self.trace.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.trace.hide()
        self._compiling.setObjectName("compiling")
        self._compiling.setContentsMargins(0, 0, _APART, 0)
        self._compiling.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self._compiling.setToolTip(tr("Compiling\nThe run goes on under the reference meanwhile."))
        self._compiling.hide()

    def _fill_first(self, row: QHBoxLayout) -> None:
        row.addWidget(self.scenario)
        row.addWidget(self.trace)
        row.addWidget(self.policy)
        row.addWidget(self.policy_fault, 20)
        for button in self.fault_buttons.values():
            button.hide()
            row.addWidget(button)
        row.addWidget(self._seed_label)
        row.addWidget(self.seed)
        row.addWidget(self.compare)
        row.addStretch(1)
        row.addWidget(self.moment)

    def _fill_second(self, row: QHBoxLayout) -> None:
        row.addWidget(self._controls)
        row.addStretch(1)
        row.addWidget(self._toward)

    def _make_controls(self) -> QWidget:
        """Create the buttons, the pace slider and the compiling label."""
        controls = QWidget()
        row = _row_in(controls)
        for name in _BUTTONS:
            button = QToolButton()
            button.setDefaultAction(self._actions[name])
            button.setAutoRaise(True)
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            self._buttons[name] = button
            row.addWidget(button)
        row.addSpacing(12)
        row.addWidget(self.speed)
        row.addWidget(self._pace)
        row.addSpacing(12)
        row.addWidget(self._compiling)
        return controls

    def _make_toward(self) -> QWidget:
        """Create the box of the kind of event to run to."""
        toward = QWidget()
        row = _row_in(toward)
        coming = QLabel(tr("next"))
        coming.setObjectName("next")
        row.addWidget(coming)
        row.addWidget(self.kind)
        until = QToolButton()
        until.setDefaultAction(self._actions["until"])
        until.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Expanding)
        row.addWidget(until)
        return toward

    def event(self, event: QEvent) -> bool:
        """Swallow status tips: a button's tip must not hide a message of the run in the status bar."""
        self._others |= event.type() == QEvent.Type.LayoutRequest
        return event.type() == QEvent.Type.StatusTip or super().event(event)

    # What it shows.

    def set_scenarios(self, scenarios: list[tuple[str, str]], lessons: list[tuple[str, str]]) -> None:
        """Fill the scenario box with lessons, and below them scenarios, each as (name, title)."""
        _fill(self.scenario, scenarios)
        for place, (name, title) in enumerate(lessons):
            self.scenario.insertItem(place, f"{tr('Lesson')}: {title}", f"{_LESSON}{name}")
        self.scenario.insertSeparator(len(lessons))

    def set_system(self, system: str, event_kinds: Mapping[str, int]) -> None:
        """Fill the boxes with the policies and event kinds of a kind of system."""
        if system == self._system:
            return
        self._system = system
        self.kind.clear()
        self.kind.addItems(list(event_kinds))
        _fill(self.policy, policy_titles(system))
        self.policy.insertSeparator(self.policy.count())
        for title, name, tip in OWN_ENTRIES:
            self.policy.addItem(tr(title), name)
            self.policy.setItemData(self.policy.count() - 1, tr(tip), Qt.ItemDataRole.ToolTipRole)

    @property
    def event_kinds(self) -> tuple[str, ...]:
        """The kinds of event in the box."""
        return tuple(self.kind.itemText(place) for place in range(self.kind.count()))

    def show_nothing(self) -> None:
        """Clear the scenario and policy boxes: nothing runs."""
        for box in (self.scenario, self.policy):
            box.setCurrentIndex(-1)
        self._others = True

    def set_info(self, info: RunInfo) -> None:
        """Show the current run in the boxes."""
        source = info.origin.source or info.scenario_name
        _show_choice(self.scenario, source, info.scenario_name)
        _show_choice(self.policy, info.policy_name, info.policy_name)
        self._policy = info.policy_name
        if info.scenario_name != self._shown:
            self._shown = info.scenario_name
            if pace_at(self.speed.value()).time is not None:  # paces without simulated time suit all scenarios
                self.speed.setValue(position_of(Pace(time=info.usual_pace)))
        with QSignalBlocker(self.seed):
            self.seed.setValue(info.seed)
        self._others = True

    def show_fault(self, text: str, asks: bool = False) -> None:
        """Show beside the policy what is wrong with its file; an empty *text* clears it.

        With *asks* there are buttons to show the file, and to allow it to run.
        """
        self.policy_fault.show_text(text, self._theme, self.policy.currentText())
        for button in self.fault_buttons.values():
            button.setVisible(asks)

    def set_frame(self, frame: Frame) -> None:
        """Show a frame's time, event and speed."""
        self._frame = frame
        self.moment.set_frame(frame)
        self.history.set_frame(frame)
        self._show_whether(frame.playing)
        before, self._usual = self._usual, self.moment.usual_width(frame)
        if self._others or self._usual != before:
            self._others = False
            self._fit_boxes()

    def _fit_boxes(self) -> None:
        """Set the boxes' minimum widths to their current texts, and reserve room for the widest pace."""
        widest = "8.0 sub-steps/s" if self._compiling.isHidden() and not self._led else ""
        paces = (self._pace.text(), widest)  # so that another pace moves little or nothing
        self._pace.setFixedWidth(max(map(self._pace.fontMetrics().horizontalAdvance, paces)) + 4)
        for box in (self.scenario, self.policy, self.kind):
            needed = box.fontMetrics().horizontalAdvance(box.currentText()) + _ARROW * box.fontMetrics().height()
            box.setMinimumWidth(min(box.sizeHint().width(), round(needed)))
        # The compiling label is cut only after the box beside it has shrunk to its minimum.
        self.kind.setMaximumWidth(_ANY_WIDTH if self._compiling.isHidden() else self.kind.minimumWidth())
        self._stack()

    def set_progress(self, progress: GoalProgress) -> None:
        """Show the progress of a task without frames; when it is over, the last frame again."""
        if self._frame is None:
            return
        if not progress.text:
            self.set_frame(self._frame)
            return
        self.moment.set_progress(self._frame.info, progress)
        self._show_whether(True)

    def show_compiling(self, text: str) -> None:
        """Show the progress of compiling; an empty *text* hides it."""
        self._compiling.put(text)
        self._compiling.setVisible(bool(text))
        self._fit_boxes()

    def _show_whether(self, running: bool) -> None:
        if running != self._running:
            self._running, self._others = running, True
            self._show_run_button()

    def set_lecture(self, lecture: bool) -> None:
        """In lecture mode hide what an audience need not see, so that nothing else is cut."""
        for widget in (self._seed_label, self.seed, self.moment.rate):
            widget.setHidden(lecture)

    def set_led(self, led: bool, low: bool) -> None:
        """In lecture mode hide what a lesson decides; one row has the rest, which leaves the panels more room.

        In a low window that row has only the time and the event; shortcuts still work.
        """
        for widget in (self._controls, self.history):
            widget.setHidden(led and low)
        if led == self._led:
            return
        for widget in (self.scenario, self.policy, self.compare, self.speed, self._toward):
            widget.setHidden(led)
        self._led = led
        self._rows[1 - led].insertWidget(0, self._controls)
        self._fit_boxes()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Choose two or four rows."""
        super().resizeEvent(event)
        self._stack()

    def _stack(self) -> None:
        """In a narrow window, give the box of the next kind and the moment labels a row each.

        Only usual widths count, not texts that change with each step, so that no step moves the panels.
        """
        needed = self._controls.minimumSizeHint().width() + self._toward.minimumSizeHint().width()
        narrow = not self._led and self.width() < needed + _BETWEEN
        first, moment = self._first_widths()
        rows = (2 if narrow else 1, 3 if narrow or self.width() < first else 0, self.width() < moment)
        if rows == self._stacked:
            return
        self._stacked = rows
        self.moment.set_upright(rows[2])
        for widget, row in zip((self._toward, self.moment), rows[:2], strict=True):
            self._rows[row].addWidget(widget, 0, Qt.AlignmentFlag.AlignLeft if row > 1 else Qt.AlignmentFlag(0))

    def _first_widths(self) -> tuple[int, int]:
        """Widths of the first row with the moment labels in it, and of these labels in a row of their own."""
        if self._frame is None:
            return 0, 0
        row, usual = self._rows[0], self.moment.usual_width(self._frame) + _BETWEEN
        here = row.indexOf(self.moment) >= 0
        return row.minimumSize().width() - here * self.moment.minimumSizeHint().width() + usual, usual

    def set_theme(self, theme: Theme) -> None:
        """Apply another theme or font size."""
        self._theme = theme
        self.history.set_theme(theme)
        self.policy_fault.show_text(self.policy_fault.toolTip(), theme, self.policy.currentText())
        self.moment.follow_type()
        self._fit_boxes()
        self._show_run_button()

    def _show_run_button(self) -> None:
        action = self._actions["run"]
        action.setIcon(icon("pause" if self._running else "run", self._theme))
        action.setText(tr("Pause") if self._running else tr("Run"))

    # What it asks for.

    def _scenario_chosen(self) -> None:
        self._leave_boxes()
        chosen = str(self.scenario.currentData())
        if not chosen.startswith(_LESSON):
            self.scenario_chosen.emit(chosen)
            return
        if self._frame is not None:  # show what runs until the lesson has begun
            _show_choice(self.scenario, self._frame.info.origin.source, self._frame.info.scenario_name)
        self.lesson_chosen.emit(chosen.removeprefix(_LESSON))

    def _policy_chosen(self) -> None:
        self._leave_boxes()
        wanted = {FROM_A_FILE: self.file_wanted, FROM_TEMPLATE: self.template_wanted}.get(self.policy.currentData())
        if wanted is None:
            self._choice_made()
            return
        self.policy.setCurrentIndex(max(0, self.policy.findData(self._policy)))
        wanted.emit()

    def _leave_boxes(self) -> None:
        """Return the focus to the window after a choice."""
        self.window().setFocus()

    def _choice_made(self) -> None:
        self.chosen.emit(self.policy.currentData(), self.seed.value())

    def _pace_moved(self, position: int) -> None:
        pace = pace_at(position)
        self._show_pace(pace)
        self.paced.emit(pace)

    def _show_pace(self, pace: Pace) -> None:
        self._pace.setText(pace.label)
        self._fit_boxes()

    def change_speed(self, steps: int) -> None:
        """Go *steps* round paces up or down."""
        self.speed.setValue(next_position(self.speed.value(), steps))


def _row_in(widget: QWidget) -> QHBoxLayout:
    """A row layout with little spacing."""
    return in_row(widget, spacing=2)


def _fill(box: QComboBox, items: list[tuple[str, str]]) -> None:
    """Fill a box with names, with titles as tooltips; nothing is selected until it runs."""
    with QSignalBlocker(box):
        box.clear()
        for name, title in items:
            box.addItem(name, name)
            box.setItemData(box.count() - 1, title, Qt.ItemDataRole.ToolTipRole)
        box.setCurrentIndex(-1)


def _show_choice(box: QComboBox, source: str, name: str) -> None:
    """Select what runs; a choice that the box lacks is added."""
    with QSignalBlocker(box):
        place = box.findData(source)
        if place < 0 and source == name:  # a scenario from a file is still called so after an edit
            place = box.findText(name)
        box.setCurrentIndex(_offer(box, source, name) if place < 0 else place)


def _offer(box: QComboBox, source: str, name: str) -> int:
    """Add a choice and return its index; a user's policy file is shown by its name, before the entries for files."""
    own = is_file(source)
    place = max(0, box.findData(FROM_A_FILE)) if own else box.count()
    box.insertItem(place, Path(name).name if own else name, source)
    if source != box.itemText(place):
        box.setItemData(place, source, Qt.ItemDataRole.ToolTipRole)
    return place
