"""A window whose docks may change while the pointer rests between two of them."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QPointF
from PySide6.QtGui import QHoverEvent
from PySide6.QtWidgets import QMainWindow


class DockWindow(QMainWindow):
    """Lets go of the separator under the pointer before the docks beside it change.

    Qt keeps that separator by its place among the docks, and looks there at the next key and at the
    next move of the mouse; if fewer docks stand there by then, it reads beyond them and the program dies.
    """

    def _let_go(self) -> None:
        nowhere = QPointF()
        QCoreApplication.sendEvent(self, QHoverEvent(QEvent.Type.HoverLeave, nowhere, nowhere, nowhere))

    def addDockWidget(self, *place: Any) -> None:
        self._let_go()
        super().addDockWidget(*place)

    def removeDockWidget(self, *dock: Any) -> None:
        self._let_go()
        super().removeDockWidget(*dock)

    def splitDockWidget(self, *place: Any) -> None:
        self._let_go()
        super().splitDockWidget(*place)

    def tabifyDockWidget(self, *docks: Any) -> None:
        self._let_go()
        super().tabifyDockWidget(*docks)

    def restoreState(self, *state: Any) -> bool:
        self._let_go()
        return super().restoreState(*state)
