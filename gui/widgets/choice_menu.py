"""The submenu of possible decisions of the next event, filled by a later frame while it is open."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from slotscope.gui.language.words import tr
from slotscope.gui.widgets.boxes import keep_keys
from slotscope.model.forks.changes import offered
from slotscope.model.reporting.frame import Frame


class ChoiceMenu(QMenu):
    """Decisions of one event, above an entry for all others; finding them takes too long to do it for every frame.

    Signals: ``decided`` (the decision as text, empty for others).
    """

    decided = Signal(str)

    def __init__(self, parent: QMenu, frame: Frame, server: int, job: int) -> None:
        """Offers the decisions about a *server* or *job*, counted from 0; -1: about any."""
        super().__init__(tr("What if ..."), parent)
        keep_keys(self)
        self._asked, self._about = frame, (server, job)
        self._told = False
        self._others = self.addAction(tr("Others ..."), lambda: self.decided.emit(""))
        self.take(frame)

    def take(self, frame: Frame) -> None:
        """Add a frame's decisions, if it is at the event for which the menu was opened."""
        of_this = frame.info is self._asked.info and frame.event == self._asked.event
        if self._told or not of_this or not frame.choices:
            return
        self._told = True
        for words, decision in offered(frame.choices, *self._about):
            action = QAction(words, self)
            action.triggered.connect(partial(self._decide, decision))
            self.insertAction(self._others, action)

    def _decide(self, decision: str, _: bool = False) -> None:
        self.decided.emit(decision)
