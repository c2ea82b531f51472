"""What the window does to let a moment leave it: the line and the link that open it, a film, a page, a handout."""

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

#: What to do about a moment that no link can open.
NO_LINK = "a link names built-in scenarios and policies only, and no file; Ctrl+L copies the line of this moment"


class SharingControl(QObject):
    """Carries out the commands by which moments leave the window."""

    said = Signal(str)  #: (text): a line for the status bar
    _saved = Signal(object, str, str)  # by the run's thread: who waits for it, the file, and what is wrong

    def __init__(
        self,
        panels: PanelDocks,
        area: DockArea,
        worker: RunWorker,
        lesson: Callable[[], Path | None],
        moment: Callable[[], dict[str, Any]],
    ) -> None:
        """*lesson* says which lesson's file is open, *moment* gives what is shown, with its marks, as a step of one."""
        super().__init__(area)
        self._panels, self._area, self._worker, self._lesson, self._moment = panels, area, worker, lesson, moment
        self._folder: QTemporaryDir | None = None  # of runs that no line opens
        self._numbers = count(1)
        self._saved.connect(self._go_on)

    def commands(self) -> dict[str, Callable[[], object]]:
        """What carries out the commands, by their names."""
        return {
            "copy_line": self.copy_line,
            "copy_link": self.copy_link,
            "film": partial(self.ask, FILM),
            "page": partial(self.ask, PAGE),
            "handout": partial(self.ask, HANDOUT),
        }

    def end(self) -> None:
        """The window closes: nothing is made any more."""
        for dialog in self._area.window.findChildren(ShareDialog):
            dialog.job.end()

    # The line and the link.

    def copy_line(self) -> None:
        """Copy the command that opens this moment, or say what to save where there is none.

        Where a text can have links, as in a mail, the line is pasted as the link that opens the moment.
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
        """Copy the link that opens this moment, or say why there is none."""
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
        """Ask for what a film, a page or a handout of this run is to show."""
        area = self._area
        if area.frame is None:
            return
        self._panels.finish()  # all that there are can be chosen, and are known to tell an answer
        frame = area.frame
        present = [dock for dock in area.docks.values() if not dock.lane]
        panels = [(dock.shows.name, dock.shows.title) for dock in present]
        hidden = [(dock.shows.name, dock.shows.title) for dock in present if dock.veiled]
        opened, lesson = partial(self._open, frame), self._lesson()
        dialog = ShareDialog(area.window, shape, frame.moment, panels, opened, area.theme.dark, lesson, hidden)
        dialog.said.connect(self.said)
        dialog.show()

    def _open(self, frame: Frame, take: Take) -> None:
        """Hand on the words of a command that open the run: those of its line, else a file to which it is saved."""
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
        """A new file that goes with the window."""
        if self._folder is None:
            self._folder = QTemporaryDir()
        return Path(self._folder.path()) / f"{kind}-{next(self._numbers)}{suffix}"

    def _marks(self) -> list[str]:
        """The words of a command that bring along what is drawn now; none where another run is shown by now."""
        if self._area.frame is None or not self._area.frame.opening_line:
            return []
        step = self._moment()
        if not step["marks"]:
            return []
        path = self._file("marks", ".toml")
        add_step(path, {**step, "text": "Marks."})
        return [f"--marks={path}:1"]

    def _go_on(self, take: Take, path: str, fault: str) -> None:
        with suppress(RuntimeError):  # its dialog was closed meanwhile
            take([path], fault)


def _link(frame: Frame) -> str:
    return link_of([part.info.origin for part in frame.lanes], frame.moment)
