"""The window of experiments, built when it is first opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSettings, Signal
from PySide6.QtWidgets import QWidget

from slotscope.gui.running.worker import RunWorker
from slotscope.gui.theme import Theme
from slotscope.model.reporting.frame import RunInfo

if TYPE_CHECKING:
    from slotscope.gui.experiments.window import ExperimentsWindow

#: The window's initial size in pixels, if the screen is large enough.
_WIDTH, _HEIGHT = 1240, 820

#: The height in pixels that the window's frame and the desktop's bars take.
_FRAME = 60


class Experiments(QObject):
    """Opens the window of experiments from the main window, and keeps it up to date."""

    said = Signal(str)  #: (text): a line for the main window's status bar

    def __init__(self, main: QWidget, settings: QSettings, theme: Theme, worker: RunWorker) -> None:
        super().__init__(main)
        self._main, self._settings, self._theme = main, settings, theme
        self._info: RunInfo | None = None
        self.window: ExperimentsWindow | None = None  #: None until it is first opened
        worker.opened.connect(self._follow)

    def _follow(self, info: RunInfo) -> None:
        self._info = info
        if self.window is not None:
            self.window.follow(info)

    def show(self) -> None:
        """Show the window and raise it."""
        if self.window is None:
            self._build()
        assert self.window is not None
        self.window.show()
        self.window.raise_()
        self.window.activateWindow()
        self.window.list.setFocus()
        self.window.look()

    def _build(self) -> None:
        from slotscope.gui.experiments.window import ExperimentsWindow

        room = self._main.screen().availableGeometry()
        self.window = ExperimentsWindow(self._settings, self._theme, self._main)
        self.window.resize(min(_WIDTH, room.width()), min(_HEIGHT, room.height() - _FRAME))
        self.window.set_theme(self._theme)
        self.window.said.connect(self.said)
        if self._info is not None:
            self.window.follow(self._info)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        if self.window is not None:
            self.window.set_theme(theme)

    def stop(self) -> None:
        """Stop the running experiment; returns when no process is left."""
        if self.window is not None:
            self.window.shut_down()
