"""Keeps what is read, such as numbers and the order of columns, still for a moment."""

from __future__ import annotations

from time import monotonic

from PySide6.QtCore import QObject, QTimer, Signal

#: Seconds for which it stands still while the run goes on.
STILL = 0.2


class Calm(QObject):
    """Says whether something may change now; if not, :attr:`over` tells when it may."""

    over = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._shown: dict[str, tuple[object, float]] = {}
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.over)

    def may_show(self, what: str, value: object, running: bool) -> bool:
        """Whether *what* may show *value* now; while nothing runs, it always may."""
        now = monotonic()
        known, until = self._shown.get(what, (None, 0.0))
        if known == value:
            return True
        if running and now < until:
            if not self._timer.isActive():
                self._timer.start(int(1000 * (until - now)) + 1)
            return False
        self._shown[what] = value, now + STILL if running else 0.0
        return True

    def forget(self) -> None:
        """Everything may change at once."""
        self._shown.clear()
        self._timer.stop()
