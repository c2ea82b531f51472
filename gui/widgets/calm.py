"""Keeps what is read, such as numbers, sentences and the order of columns, still for a moment."""

from __future__ import annotations

from time import monotonic

from PySide6.QtCore import QObject, QTimer, Signal

#: Seconds for which it stands still while the run goes on.
STILL = 0.25

#: Seconds in which the next frame of a run shows what has become due meanwhile; else it is shown without one.
NEXT_FRAME = 0.1


class Steady:
    """A widget that keeps the width or the range of what it has shown, so that it does not breathe."""

    def refit(self) -> None:
        """Fit what is shown next alone: it is another moment, and not the next one."""


class Calm(QObject):
    """Says whether something may change now; if not, :attr:`over` tells when it may."""

    over = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._shown: dict[str, object] = {}
        self._until: dict[str, float] = {}  # until when each stands still
        self._kept: set[str] = set()  # what would be otherwise by now
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.over)

    def may_show(self, what: str, value: object, running: bool) -> bool:
        """Whether *what* may show *value* now; while nothing runs, it always may."""
        if self._shown.get(what) == value:
            self._let_go(what)
            return True
        if not self.may_change(what, running):
            return False
        self._shown[what] = value
        return True

    def may_change(self, what: str, running: bool) -> bool:
        """Whether *what* may be found and shown anew now."""
        now, until = monotonic(), self._until.get(what, 0.0)
        if running and now < until:
            self._kept.add(what)
            if not self._timer.isActive():
                self._timer.start(int(1000 * (until - now + NEXT_FRAME)))
            return False
        self._let_go(what)
        self._until[what] = now + STILL if running else 0.0
        return True

    def _let_go(self, what: str) -> None:
        """*what* is as it is by now: once nothing else is kept, nobody needs to be told."""
        self._kept.discard(what)
        if not self._kept:
            self._timer.stop()

    def forget(self) -> None:
        """Everything may change at once."""
        self._shown.clear()
        self._until.clear()
        self._kept.clear()
        self._timer.stop()
