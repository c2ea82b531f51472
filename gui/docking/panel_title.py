"""What stands above a panel: its name, after that of the policy that it shows."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy


class PanelTitle(QLabel):
    """Cuts the policy's name where both have no room, so that the panel's own is seen.

    It is cut in the middle: a fork is called as the run that it leaves, and then by what is otherwise.
    """

    def __init__(self, own: str) -> None:
        super().__init__(own)
        self._own, self._policy = own, ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def name_policy(self, policy: str) -> None:
        """Name this policy, too; nothing is none."""
        self._policy = policy
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        metrics, rest = self.fontMetrics(), f": {self._own}"
        room = self.width() - metrics.horizontalAdvance(rest)
        policy = metrics.elidedText(self._policy, Qt.TextElideMode.ElideMiddle, max(0, room))
        self.setText(f"{policy}{rest}" if policy else self._own)
