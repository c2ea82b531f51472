"""Keeps what a student answers, and writes it into a file once one was chosen."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from slotscope.gui.language.words import tr
from slotscope.gui.widgets.file_dialogs import ask_new_file
from slotscope.model.errors import UserError
from slotscope.model.lessons.answers import Given, add_answers


class AnswerKeeper(QObject):
    """The answers since the program was started; each is written as it is given.

    Signals
    -------
    said(text)
        A line for the status bar.
    """

    said = Signal(str)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._path: Path | None = None
        self._count = 0
        self._waiting: tuple[Given, ...] = ()  # until there is a file

    def choose(self) -> None:
        """Ask for a file, new or one of answers, that gets all that was answered, and what will be."""
        ask_new_file(
            self._window, tr("Keep answers in"), self._keep_in, tr("Answers (*.answers)"), "my.answers", adds=True
        )

    def _keep_in(self, path: Path) -> None:
        self._path, self._count = path, 0
        self._write()

    def take(self, given: Given) -> None:
        """An answer was given."""
        self._waiting = (*self._waiting, given)
        if self._path is not None:
            self._write()

    def _write(self) -> None:
        assert self._path is not None
        try:
            code = add_answers(self._path, self._waiting)
        except UserError as error:
            self._path = None
            self.said.emit(tr("{fault}; choose another file").format(fault=error.line))
            return
        self._count += len(self._waiting)
        self._waiting = ()
        said = tr("Answers written to {path}: {count}; closing code {code}")
        self.said.emit(said.format(path=self._path, count=self._count, code=code))
