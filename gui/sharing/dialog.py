"""The dialog of an export: asks what to show, runs the job in another process, and shows its progress."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Callable, NamedTuple, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QFormLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QProgressBar,
    QPushButton,
    QWidget,
)

from slotscope.gui.language.words import tr
from slotscope.gui.sharing.job import ShareJob
from slotscope.gui.widgets.boxes import ChoiceBox, check_box, checked_by_space
from slotscope.gui.widgets.fault_words import FaultLine
from slotscope.gui.widgets.file_dialogs import ask_new_file
from slotscope.gui.widgets.rows import in_column, in_row
from slotscope.gui.widgets.spoken import announce
from slotscope.model.folders import working_folder
from slotscope.model.running.origin import Moment

#: Steps between moments: the text in the box, and the value of the command's option.
_STEPS = (("as usual", ""), ("sub-step by sub-step", "substep"), ("event by event", "event"), ("by time", "time"))


#: Matches the option that an error message of a command begins with.
_OPTION = re.compile(r"--([a-z]+): ")

#: Gets the words of a command that opens a run, and what is wrong (empty if nothing).
Take = Callable[[list[str], str], None]


class ShareShape(NamedTuple):
    """A form of export: its command, its title, its default file name, and its file filter."""

    command: str
    title: str
    file: str
    kinds: str
    stretch: bool = True  #: whether it shows a stretch of the run, rather than one moment
    film: bool = False


FILM = ShareShape("film", "Save a film", "film.mp4", "Films (*.mp4);;Pictures that move (*.gif)", film=True)
PAGE = ShareShape("export-html", "Save a page that plays", "moment.html", "Pages (*.html)")
HANDOUT = ShareShape("handout", "Save all panels", "handout.pdf", "PDF (*.pdf)", stretch=False)


class ShareDialog(QDialog):
    """Exports the shown run in one form; the window stays usable meanwhile."""

    said = Signal(str)  #: (text): a line for the status bar

    def __init__(
        self,
        parent: QWidget,
        shape: ShareShape,
        moment: Moment,
        panels: Sequence[tuple[str, str]],
        opened: Callable[[Take], None],
        dark: bool = False,
        lesson: Path | None = None,
        hidden: Sequence[tuple[str, str]] = (),
    ) -> None:
        """*panels* are names and titles of the panels; *opened* passes on the words that open the run.

        If a *lesson* is open, a page can show all of it; *hidden* panels would reveal the answer to a question.
        """
        super().__init__(parent)
        self._shape, self._opened, self._moment, self._dark, self._lesson = shape, opened, moment, dark, lesson
        self.setObjectName(f"share-{shape.command}")
        self.setWindowTitle(tr(shape.title))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.job = ShareJob(self)
        self.job.progressed.connect(self._show_progress)
        self.job.doing.connect(self._show_doing)
        self.job.ended.connect(self._end)
        self.start, self.end, self.pace, self.extent = QLineEdit(str(moment)), QLineEdit(), QLineEdit(), QLineEdit()
        self.end.setText(str(Moment(tuple(event + 1 for event in moment.events))))
        self.steps, self.panels = ChoiceBox(), QListWidget()
        self.whole = check_box(tr("The whole lesson, with its questions"))
        self.file, self.browse = QLineEdit(str(working_folder() / shape.file)), QPushButton(tr("Choose ..."))
        self._hidden = hidden if shape is HANDOUT else ()
        self.left_out = QLabel(self, wordWrap=True)  #: which panels are not saved
        self._replaced = ""  # the existing file whose replacement is confirmed
        self.fault, self.bar = FaultLine(), QProgressBar()
        self.faults: dict[str, tuple[QWidget, FaultLine]] = {}  #: by option: field, and line for its fault
        self.save, self.cancel = QPushButton(tr("Save")), QPushButton(tr("Cancel"))
        checked_by_space(self.panels)
        self._fill(panels)
        self._lay_out()
        self.browse.clicked.connect(self._choose)
        self.save.clicked.connect(self.begin)
        self.cancel.clicked.connect(self.close)

    def _fill(self, panels: Sequence[tuple[str, str]]) -> None:
        for words, by in _STEPS:
            self.steps.addItem(tr(words), by)
        self.extent.setText("1280x720")
        self.pace.setPlaceholderText(tr("as usual; moments a second, or time a second"))
        for name, title in panels:
            item = QListWidgetItem(tr(title), self.panels)
            item.setData(Qt.ItemDataRole.UserRole, name)
            item.setCheckState(Qt.CheckState.Unchecked)
        tip = tr("Panels that are shown; the first is the largest; none: lecture mode's.")
        self.panels.setToolTip(tr("Panels that are shown; none: the servers alone.") if self._shape is PAGE else tip)
        self.panels.setMaximumHeight(6 * max(0, self.panels.sizeHintForRow(0)))  # there may be no panels

    def _lay_out(self) -> None:
        form = QFormLayout()
        rows: list[tuple[str, str, QWidget]] = []
        if self._shape.stretch:
            rows += [("from", tr("From"), self.start), ("to", tr("To"), self.end)]
            rows += [("by", tr("Steps"), self.steps), ("panel", tr("Panels"), self.panels)]
        if self._shape is PAGE and self._lesson is not None:
            form.addRow("", self.whole)
            for own in (self.start, self.end, self.steps):
                self.whole.toggled.connect(own.setDisabled)
        if self._shape.film:
            rows += [("pace", tr("Pace"), self.pace), ("size", tr("Size"), self.extent)]
        for option, title, field in rows:
            self._add_row(form, option, title, field)
        for field in (self.start, self.end):
            field.setToolTip(tr("An event such as 40, 40.3 for three sub-steps into the next, or t = 12.5 for a time."))
        self._add_row(form, "out", tr("File"), self.file, self.browse)
        self.left_out.setVisible(bool(self._hidden))
        if self._hidden:
            titles = ", ".join(tr(title) for _, title in self._hidden)
            without = tr("While the question is open, without what tells its answer: {panels}.")
            self.left_out.setText(without.format(panels=titles))
            form.addRow("", self.left_out)
        if self._shape is not PAGE:
            self.file.setToolTip(tr("A path without an ending is that of a folder, which gets PNG pictures."))
        self.bar.setAccessibleName(tr("how far it is"))
        self.bar.hide()
        buttons = in_row(None, (self.bar, 1), 0, self.save, self.cancel)
        self.save.setDefault(True)
        in_column(self, form, self.fault, buttons, margins=None)
        self.resize(max(560, self.sizeHint().width()), self.sizeHint().height())

    def _add_row(self, form: QFormLayout, option: str, title: str, field: QWidget, *beside: QWidget) -> None:
        """Add a field with its title, and below it a line that shows what is wrong there."""
        field.setAccessibleName(title)
        fault = FaultLine()
        form.addRow(title, in_column(None, in_row(None, (field, 1), *beside), fault))
        self.faults[option] = field, fault

    def _choose(self) -> None:
        def take(path: Path) -> None:
            self.file.setText(str(path))
            self._replaced = str(path)  # the file dialog has asked already

        ask_new_file(self, tr(self._shape.title), take, tr(self._shape.kinds), self.file.text())

    # The export.

    def begin(self) -> None:
        """Start the export; faults are shown in the dialog."""
        if self.job.running:
            return
        self._tell(objection := self._objection())
        if objection:
            return
        self.save.setEnabled(False)
        self._show_doing("")
        self.bar.show()
        if self.whole.isChecked():
            self._start([f"--lesson={self._lesson}"], "")
        else:
            self._opened(self._start)

    def _objection(self) -> str:
        """What prevents the start, or an empty text; an existing file is replaced only at the second press."""
        name = self.file.text().strip()
        if not name:
            return f"--out: {tr('found nothing, allowed: a path')}"
        replaced, self._replaced = self._replaced, name
        if replaced != name and Path(name).is_file():
            there = tr("{file} is there already; Save once more to replace it").format(file=name)
            return f"--out: {there}"
        return ""

    def _tell(self, fault: str) -> None:
        """Show a fault beside its field, which gets the focus, and clear all other faults."""
        for field, line in self.faults.values():
            line.say("")
            field.setAccessibleDescription("")
        option = _OPTION.match(fault)
        field, line = self.faults.get(option[1] if option else self._named(fault), (self.save, self.fault))
        said = _OPTION.sub("", fault, count=1)
        self.fault.say("")
        line.say(said)
        announce(self, said)
        if said and line is not self.fault:
            field.setAccessibleDescription(said)
            field.setFocus()

    def _named(self, fault: str) -> str:
        """The option of a fault that names none: "out" if it begins with the path of the file or of one in it."""
        out = Path(self.file.text().strip())
        return "out" if fault.startswith((f"{out}:", f"{out}{os.sep}")) else ""

    def _start(self, words: list[str], fault: str) -> None:
        if fault:
            self._end({}, fault)
        else:
            self.job.start([self._shape.command, *words, *self._options()])

    def _options(self) -> list[str]:
        """The values of the fields as options of the command."""
        found = [f"--out={self.file.text().strip()}"]
        if self._shape is not PAGE:
            found.append(f"--theme={'dark' if self._dark else 'light'}")
        if not self._shape.stretch:
            return [*found, f"--event={self._moment}", *(f"--without={name}" for name, _ in self._hidden)]
        checked = (self.panels.item(row) for row in range(self.panels.count()))
        wanted = (one for one in checked if one.checkState() is Qt.CheckState.Checked)
        names = [str(one.data(Qt.ItemDataRole.UserRole)) for one in wanted]
        found += [f"--panel={name}" for name in names]
        if self.whole.isChecked():
            return found
        found += [f"--from={self.start.text().strip()}", f"--to={self.end.text().strip()}"]
        more = {"by": self.steps.currentData()}
        if self._shape.film:
            more |= {"pace": self.pace.text().strip(), "size": self.extent.text().strip()}
        return [*found, *(f"--{name}={value}" for name, value in more.items() if value)]

    def _show_progress(self, done: float) -> None:
        self.bar.setRange(0, 1000)
        self.bar.setFormat("%p %")
        self.bar.setValue(round(1000 * done))

    def _show_doing(self, words: str) -> None:
        """Show a busy indicator with *words*, while preparation takes long."""
        self.bar.setRange(0, 0)
        self.bar.setFormat(words)

    def _end(self, made: dict[str, object], fault: str) -> None:
        self.save.setEnabled(True)
        self.bar.hide()
        if made:
            self.said.emit(tr("Saved as {file}").format(file=made["file"]))
            self.accept()
        else:
            self._tell(fault)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Treat Esc as Cancel."""
        if event.matches(QKeySequence.StandardKey.Cancel):
            self.close()
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop a running export (on Cancel, Esc or the window's close button); close only if none runs."""
        if self.job.running:
            self.job.stop()
            event.ignore()
        else:
            super().closeEvent(event)
