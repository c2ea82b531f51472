"""The window of experiments: list, form, and results, which are filled while an experiment runs."""

from __future__ import annotations

from time import monotonic
from typing import NamedTuple

from PySide6.QtCore import QEvent, QSettings, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from slotscope.gui.experiments.fields import words_of
from slotscope.gui.experiments.form import SWEEP, FormArea, OrderForm
from slotscope.gui.experiments.laboratory import End, Laboratory, Survey
from slotscope.gui.experiments.listing import ExperimentList, ListedExperiment
from slotscope.gui.experiments.results import Results, split
from slotscope.gui.experiments.run_bar import RunBar
from slotscope.gui.experiments.words import goes_on, kept_text, running_text
from slotscope.gui.faults import Fault
from slotscope.gui.language.words import tr
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.rows import in_column
from slotscope.model.lab import experiments
from slotscope.model.lab.results import Result
from slotscope.model.lab.runner import Status
from slotscope.model.reporting.frame import RunInfo

#: Milliseconds after the last edit before the results of earlier runs are looked up.
SETTLE = 300

#: Keys that act on this window while it has the focus, not on the run in the main window.
_OWN_KEYS = {
    Qt.Key.Key_Space,
    Qt.Key.Key_Left,
    Qt.Key.Key_Right,
    Qt.Key.Key_Up,
    Qt.Key.Key_Down,
    Qt.Key.Key_Home,
    Qt.Key.Key_End,
    Qt.Key.Key_Escape,
    Qt.Key.Key_Return,
    Qt.Key.Key_Enter,
    Qt.Key.Key_PageUp,
    Qt.Key.Key_PageDown,
}

#: The width of the list in pixels at the usual font size, and its largest share of the window.
_LEFT, _LEFT_SHARE = 360, 0.36

#: The state of an experiment whose number of parts depends on a trace not read yet.
UNREAD = "not run: choose it to read its trace"


class Said(NamedTuple):
    """A sentence about an entry, whether it is an error, and the error's details for a bug report."""

    text: str
    fault: bool = False
    details: str = ""


class ExperimentsWindow(QWidget):
    """The window of experiments; one of them runs at a time, independent of the main window's run.

    Signals: ``said`` (a line for the main window's status bar: an experiment ended, or an error while hidden).
    """

    said = Signal(str)

    def __init__(self, settings: QSettings, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setObjectName("experiments")
        self.setWindowTitle(tr("Experiments"))
        self.theme = theme
        self.laboratory = Laboratory(self)
        self.running = ""  #: the key of the running entry; empty if none runs
        self._name = ""  # the start of its files' names
        self._status: Status | None = None
        self._told = 0.0
        self._results: dict[str, Result] = {}
        self._surveys: dict[str, Survey] = {}
        self._said: dict[str, Said] = {}  # the last sentence about each entry
        self.list = ExperimentList(theme)
        self.form = OrderForm(settings, theme)
        self.results = Results(theme)
        self._form_area = FormArea(self.form)
        self.bar = RunBar(theme)
        self._settle = QTimer(self, singleShot=True, interval=SETTLE)
        self._clock = QTimer(self, interval=1000)
        self._build()
        self._connect()
        self._fill()
        self.set_theme(theme)

    # Building.

    def _build(self) -> None:
        self.list.setMinimumHeight(140)
        left = QWidget()
        in_column(left, (self.list, 1), self._form_area)
        right = QWidget()
        in_column(right, self.bar, (self.results, 1), margins=(6, 8, 8, 8))
        self._across = split(Qt.Orientation.Horizontal, (left, 0), (right, 1))
        in_column(self, self._across)
        self.setMinimumSize(760, 480)

    def _connect(self) -> None:
        self.list.currentItemChanged.connect(lambda *_: self._choose())
        self.bar.run.clicked.connect(self.run)
        self.bar.stop.clicked.connect(self.stop)
        self.form.moved.connect(self._settle.start)
        self.form.edited.connect(self._show_buttons)
        self._settle.timeout.connect(self.look)
        self._clock.timeout.connect(self._show_progress)
        laboratory = self.laboratory
        laboratory.progressed.connect(self._take_status)
        laboratory.drawn.connect(self._take_result)
        laboratory.writing.connect(lambda: self._say(tr("Writing data and pictures ..."), self.running))
        laboratory.ended.connect(self._take_end)
        laboratory.looked.connect(self._take_survey)

    def _fill(self) -> None:
        for name, item in experiments().items():
            self.list.put(ListedExperiment(name, item.title, item.paper, tr(UNREAD) if item.needs_trace else ""))
        self.list.put(
            ListedExperiment(SWEEP, tr("Sweep of the open scenario"), tr("all combinations of values"), "not run")
        )
        self.list.setCurrentRow(0)

    # Results of earlier runs.

    def follow(self, info: RunInfo) -> None:
        """Follow another open scenario, which sweeps vary from now on."""
        before = self.form.scenario_title
        self.form.follow(info)
        entry = self.list.entry(SWEEP)
        title = tr("Sweep of {name}").format(name=info.scenario_name)
        self.list.put(
            ListedExperiment(
                SWEEP, title, "the open scenario, all combinations", entry.state, entry.share, entry.running
            )
        )
        if before != info.scenario_name and self.running != SWEEP:
            self._results.pop(SWEEP, None)
            self._said.pop(SWEEP, None)
            self.list.tell(SWEEP, "not run", 0.0)
            self._show()

    def look(self) -> None:
        """Look up what earlier runs have left in the folder, at the chosen scale."""
        self._settle.stop()
        self.laboratory.forget_looks()
        orders = []
        for name in experiments():
            if name == self.running:
                continue
            self._results.pop(name, None)
            self._surveys.pop(name, None)
            self._said.pop(name, None)
            if self._can_look(name):
                orders.append(self.form.order_of(name))
            else:
                self.list.tell(name, tr(UNREAD), 0.0)
        self.laboratory.look(orders, self.list.current())
        self._show()

    def _can_look(self, name: str) -> bool:
        """Whether to look up an experiment now; those with a trace, slow to read, only if chosen."""
        return name == self.list.current() or not experiments()[name].needs_trace

    def _take_survey(self, name: str, found: Survey) -> None:
        if name == self.running:
            return
        if found.error is not None:
            if name == self.list.current():
                self.form.show_error(found.error)
            return
        self._surveys[name] = found
        share = found.done / found.total if found.total else 0.0
        self.list.tell(name, kept_text(found.done, found.total), share)
        if found.result is not None:
            self._results[name] = found.result
        if name == self.list.current():
            self._show()

    def _choose(self) -> None:
        """Show another chosen entry."""
        key = self.list.current()
        self.form.set_entry(key)
        self.form.clear_faults()
        if key not in {SWEEP, self.running, *self._results} and self._can_look(key):
            self.laboratory.look([self.form.order_of(key)], key)
        self._show()

    # Running.

    def run(self) -> None:
        """Run the missing parts of the chosen entry."""
        if self.laboratory.busy:
            return
        order = self.form.order()
        if order is None:
            self._say("")
            return
        self._settle.stop()
        self.form.remember()
        self.running, self._name = self.list.current(), order.name
        self._status, self._told = None, monotonic()
        if self.running == SWEEP:
            self._results.pop(SWEEP, None)
        self._say("")
        self.laboratory.start(order)
        self._clock.start()
        self._show_progress()
        self._show()

    def stop(self) -> None:
        """Stop the running experiment."""
        if self.laboratory.busy:
            self._say(tr("Stopping ..."), self.running)
            self.laboratory.stop()

    def _busy_text(self) -> str:
        title = self.list.entry(self.running).paper
        return tr("One experiment at a time: {title} runs.").format(title=title)

    def _take_status(self, status: Status) -> None:
        first = self._status is None
        self._status, self._told = status, monotonic()
        if first and 0 < status.kept < status.total:
            kept = tr("{kept} of {total} parts kept; going on from there.")
            self._say(kept.format(kept=status.kept, total=status.total), self.running)
        self._show_progress()

    def _take_result(self, result: Result) -> None:
        self._results[self.running] = result
        if self.running == self.list.current():
            self._show_result()

    def _show_progress(self) -> None:
        """Show the run's progress in the list and above the picture."""
        if not self.running:
            return
        share = self._status.share if self._status is not None else 0.0
        text = running_text(self._status, monotonic() - self._told)
        self.list.tell(self.running, text, share, running=True)
        if self.running == self.list.current():
            self.bar.show_state(text, share)

    def _take_end(self, end: End) -> None:
        key, status = self.running, self._status
        self.running = ""
        self._clock.stop()
        done, total = (status.done, status.total) if status is not None else (0, 0)
        self._surveys[key] = Survey(done, total)
        self.list.tell(key, kept_text(done, total), done / total if total else 0.0)
        chosen = key == self.list.current()
        beside = end.error is not None and chosen and self.form.show_error(end.error)
        text = "" if beside else self._end_text(end, done, total)
        self._said[key] = Said(text, fault=end.error is not None)
        if chosen:
            self._show()
        self._show_buttons()
        self.said.emit(f"{self.list.entry(key).paper}: {self.list.entry(key).state}")

    def _end_text(self, end: End, done: int, total: int) -> str:
        if end.error is not None:
            return f"{words_of(end.error)}. {goes_on(done, total)}"
        if end.files:
            first, *others = (path.name for path in end.files)
            names = ", ".join([first, *(name.removeprefix(self._name) for name in others)])
            return tr("Written to {folder}: {names}").format(folder=end.files[0].parent.absolute(), names=names)
        return f"{tr('Stopped.')} {goes_on(done, total)}" if end.stopped else ""

    # Showing.

    def _say(self, text: str, key: str = "") -> None:
        """Set the sentence about an entry, by default the chosen one."""
        key = key or self.list.current()
        self._said[key] = Said(text)
        if key == self.list.current():
            self.bar.say(text)

    def fail(self, fault: Fault) -> None:
        """Show an error in this window, above the picture of the chosen entry."""
        said = Said(tr("That could not be done: {fault}").format(fault=fault.sentence), True, fault.details)
        if not self.isVisible():
            self.said.emit(f"{self.windowTitle()}: {said.text}")
        if self._said.get(self.list.current()) != said:  # an error at each repaint is shown once
            self._said[self.list.current()] = said
            self.bar.say(*said)

    def _show(self) -> None:
        """Show sentence, result and buttons for the chosen entry."""
        key = self.list.current()
        survey = self._surveys.get(key, Survey())
        said = self._said.get(key, Said(""))
        if not said.text and key != self.running:
            said = Said(goes_on(survey.done, survey.total))
        self.bar.say(*said)
        self._show_result()
        self._show_buttons()

    def _show_result(self) -> None:
        key = self.list.current()
        result = self._results.get(key)
        self.results.show_result(result, self._note(key), complete=key != self.running)

    def _note(self, key: str) -> str:
        """The sentence in place of the picture if there is no curve yet."""
        result, survey = self._results.get(key), self._surveys.get(key, Survey())
        first = tr("The first points come as soon as their parts are finished.")
        if key == self.running:
            return first
        if result is not None and result.rows and not any(figure.planned for figure in result.figures):
            return tr("This experiment has no curves; its numbers stand below.")
        if survey.done:
            return first
        if key == SWEEP:
            return tr("Write what to vary at the left, a line for each field, and press Run.")
        if survey.total > 1:
            return tr("Nothing has run yet. Run carries out {total} parts.").format(total=survey.total)
        return tr("Nothing has run yet. Run carries out the experiment.")

    def _show_buttons(self) -> None:
        busy = self.laboratory.busy
        key = self.list.current()
        mine = busy and key == self.running
        survey = self._surveys.get(key, Survey())
        self.bar.run.setEnabled(not busy)
        self.bar.stop.setEnabled(busy)
        if mine:
            self._show_progress()
        else:
            self.bar.show_state(self._busy_text() if busy else "", None)
        going = 0 < survey.done < survey.total and not busy
        self.bar.run.setText(tr("&Run on") if going else tr("&Run"))
        self.bar.set_folder(self.form.folder.path)
        self.form.setEnabled(not busy)
        self._form_area.setHidden(busy and current_fonts().scale > 1)  # lecture mode leaves the room to the list

    def set_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.list.set_theme(theme)
        self.form.restyle(theme)
        self.results.set_theme(theme)
        self.bar.set_theme(theme)
        self._show_buttons()
        self._share_width()

    def _share_width(self) -> None:
        left = round(min(_LEFT * current_fonts().scale, _LEFT_SHARE * self.width()))
        self._across.setSizes([left, max(1, self.width() - left)])

    def showEvent(self, event: QShowEvent) -> None:
        """Divide the width, which is known only once the window is shown."""
        super().showEvent(event)
        QTimer.singleShot(0, self, self._share_width)

    # Keys and closing.

    def event(self, event: QEvent) -> bool:
        """Claim this window's keys, so that they are not taken as shortcuts of the main window."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier)
            if plain and Qt.Key(event.key()) in _OWN_KEYS:
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """F5 runs the chosen entry, Esc stops the running one."""
        if event.key() == Qt.Key.Key_F5:
            self.run()
        elif event.key() == Qt.Key.Key_Escape:
            self.stop()
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop the running experiment; its finished parts are kept."""
        self.stop()
        super().closeEvent(event)

    def shut_down(self) -> None:
        """Stop the running experiment and all timers for good; returns when no process is left."""
        self._clock.stop()
        self._settle.stop()
        self.laboratory.close()
