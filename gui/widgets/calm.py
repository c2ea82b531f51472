"""Limits how often numbers, sentences and the order of columns change, so that they can be read."""

from __future__ import annotations

from time import monotonic

from PySide6.QtCore import QObject, QTimer, Signal

#: Seconds for which a value is kept while the run goes on.
STILL = 0.25

#: Seconds to wait for a next frame that shows the values that have become due; then :attr:`Calm.over` is emitted.
NEXT_FRAME = 0.1


class Steady:
    """A widget that keeps the largest width or range so far, so that it does not change with each frame."""

    def refit(self) -> None:
        """Forget earlier widths or ranges: the next contents are of a moment that is not adjacent."""


class Calm(QObject):
    """Decides whether something may change now; if not, :attr:`over` is emitted when it may."""

    over = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._shown: dict[str, object] = {}
        self._until: dict[str, float] = {}  # until when each is kept
        self._kept: set[str] = set()  # what would have changed by now
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.over)

    def may_show(self, what: str, value: object, running: bool) -> bool:
        """Whether *what* may show *value* now; always true while nothing runs."""
        if self._shown.get(what) == value:
            self._let_go(what)
            return True
        if not self.may_change(what, running):
            return False
        self._shown[what] = value
        return True

    def may_change(self, what: str, running: bool) -> bool:
        """Whether *what* may be computed and shown anew now."""
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
        """Note that *what* is up to date; when nothing is kept back, stop the timer."""
        self._kept.discard(what)
        if not self._kept:
            self._timer.stop()

    def forget(self) -> None:
        """Let everything change at once."""
        self._shown.clear()
        self._until.clear()
        self._kept.clear()
        self._timer.stop()
