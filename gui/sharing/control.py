"""Exports of the current moment from the window: command line, link, film, HTML page, handout."""

from __future__ import annotations

import shlex
from contextlib import suppress
from functools import partial
from html import escape
from itertools import count
from pathlib import Path
from typing import Any, Callable

from PySide6.QtCore import QMimeData, QObject, QTemporaryDir, Signal
from PySide6.QtGui import QGuiApplication

from slotscope.gui.docking.dock_area import DockArea
from slotscope.gui.docking.panel_docks import PanelDocks
from slotscope.gui.language.words import line_of, tr
from slotscope.gui.running.worker import RunWorker
from slotscope.gui.sharing.dialog import FILM, HANDOUT, PAGE, ShareDialog, ShareShape, Take
from slotscope.gui.sharing.picture_button import copy_data
from slotscope.model.cli.links import link_of
from slotscope.model.comparison.file import save_run
from slotscope.model.errors import UserError
from slotscope.model.lessons.files import add_step
from slotscope.model.phrase import Phrase
from slotscope.model.reporting.frame import Frame
from slotscope.model.running.origin import NO_LINE

#: What to do if no link can open a moment.
NO_LINK = "a link names built-in scenarios and policies only, and no file; Ctrl+L copies the line of this moment"


class SharingControl(QObject):
    """Carries out the window's exporting commands."""

    said = Signal(str)  #: (text): a line for the status bar
    _saved = Signal(object, str, str)  # emitted in the run's thread: (callback, file, fault)

    def __init__(
        self,
        panels: PanelDocks,
        area: DockArea,
        worker: RunWorker,
        lesson: Callable[[], Path | None],
        moment: Callable[[], dict[str, Any]],
    ) -> None:
        """*lesson* returns the open lesson's file, *moment* the current moment with its marks as a lesson's step."""
        super().__init__(area)
        self._panels, self._area, self._worker, self._lesson, self._moment = panels, area, worker, lesson, moment
        self._folder: QTemporaryDir | None = None  # holds runs that no command line opens
        self._numbers = count(1)
        self._saved.connect(self._go_on)

    def commands(self) -> dict[str, Callable[[], object]]:
        """The commands that this object carries out, by name."""
        return {
            "copy_line": self.copy_line,
            "copy_link": self.copy_link,
            "film": partial(self.ask, FILM),
            "page": partial(self.ask, PAGE),
            "handout": partial(self.ask, HANDOUT),
        }

    def end(self) -> None:
        """Stop all exports; the window closes."""
        for dialog in self._area.window.findChildren(ShareDialog):
            dialog.job.end()

    # The line and the link.

    def copy_line(self) -> None:
        """Copy the command line that opens this moment; if there is none, say what to save instead.

        Rich text, such as a mail, gets the command line as a link that opens the moment.
        """
        if (frame := self._area.frame) is None:
            return
        line, link = frame.opening_line, _link(frame)
        if line:
            data = QMimeData()
            data.setText(line)
            if link:
                data.setHtml(f'<a href="{escape(link)}">{escape(line)}</a>')
            copy_data(data)
        self._say_copied(line, NO_LINE.said(tr))

    def copy_link(self) -> None:
        """Copy the link that opens this moment; if there is none, say why."""
        if (frame := self._area.frame) is None:
            return
        if link := _link(frame):
            QGuiApplication.clipboard().setText(link)
        self._say_copied(link, tr(NO_LINK))

    def _say_copied(self, text: str, fault: str) -> None:
        said = tr("Copied: {text}").format(text=text) if text else tr("Nothing is copied: {fault}.").format(fault=fault)
        self.said.emit(said)

    # Films, pages, handouts.

    def ask(self, shape: ShareShape) -> None:
        """Open the dialog for a film, a page or a handout of this run."""
        area = self._area
        if area.frame is None:
            return
        self._panels.finish()  # builds all panels: each can be chosen, and each knows whether it reveals an answer
        frame = area.frame
        present = [dock for dock in area.docks.values() if not dock.lane]
        panels = [(dock.shows.name, dock.shows.title) for dock in present]
        hidden = [(dock.shows.name, dock.shows.title) for dock in present if dock.veiled]
        opened, lesson = partial(self._open, frame), self._lesson()
        dialog = ShareDialog(area.window, shape, frame.moment, panels, opened, area.theme.dark, lesson, hidden)
        dialog.said.connect(self.said)
        dialog.show()

    def _open(self, frame: Frame, take: Take) -> None:
        """Pass to *take* the words of a command that opens the run.

        They are those of its command line, or, if it has none, the path of a file to which the run is saved.
        """
        if line := frame.opening_line:
            take([*shlex.split(line)[1:-2], *self._marks()], "")
            return
        path = self._file("run", ".slotscope")

        def save(worker: RunWorker) -> None:
            fault = ""
            try:
                if worker.present.info.origin is not frame.info.origin:
                    raise UserError(Phrase("another run is open meanwhile, and no line opens this one"))
                save_run(worker.present, path)
            except UserError as error:
                fault = line_of(error)
            self._saved.emit(take, str(path), fault)

        self._worker.post(save)

    def _file(self, kind: str, suffix: str) -> Path:
        """The path of a new temporary file, removed with the window."""
        if self._folder is None:
            self._folder = QTemporaryDir()
        return Path(self._folder.path()) / f"{kind}-{next(self._numbers)}{suffix}"

    def _marks(self) -> list[str]:
        """The command's option for the current marks; empty if there are none, or the run has changed."""
        if self._area.frame is None or not self._area.frame.opening_line:
            return []
        step = self._moment()
        if not step["marks"]:
            return []
        path = self._file("marks", ".toml")
        add_step(path, {**step, "text": "Marks."})
        return [f"--marks={path}:1"]

    def _go_on(self, take: Take, path: str, fault: str) -> None:
        with suppress(RuntimeError):  # the dialog was closed meanwhile
            take([path], fault)


def _link(frame: Frame) -> str:
    return link_of([part.info.origin for part in frame.lanes], frame.moment)
