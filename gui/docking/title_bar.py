"""The title bar of a dock: the policy's name, the panel's name, and the panel's buttons."""

from __future__ import annotations

from typing import Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QMenu, QSizePolicy, QToolButton, QWidget

from slotscope.gui.language.words import tr
from slotscope.gui.widgets.boxes import keep_keys
from slotscope.gui.widgets.rows import in_row

#: The least width of an elided policy name, as text: only the name distinguishes panels of the same kind; and
#: its share of the width when the panel's own name must be elided, too.
_LEAST, _SHARE = "M…m", 0.45


class PanelTitle(QLabel):
    """A title that elides the policy's name first, in the middle, and the panel's name at its end only if it must.

    Forks are named after the run that they leave, followed by what differs, so both ends matter.
    """

    def __init__(self, own: str) -> None:
        super().__init__(own)
        self._own, self._policy = own, ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def name_policy(self, policy: str) -> None:
        """Set the policy's name; empty for none."""
        self._policy = policy
        self._fit()

    def whole_width(self) -> int:
        """Width in pixels at which nothing is elided."""
        whole = f"{self._policy}: {self._own}" if self._policy else self._own
        return self.fontMetrics().horizontalAdvance(whole) + 2

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        self.setText(self._beside_policy() if self._policy else self._own)

    def _beside_policy(self) -> str:
        metrics = self.fontMetrics()
        room = self.width() - metrics.horizontalAdvance(f": {self._own}")
        if room < metrics.horizontalAdvance(_LEAST):
            room = int(_SHARE * self.width())
        policy = metrics.elidedText(self._policy, Qt.TextElideMode.ElideMiddle, room)
        left = self.width() - metrics.horizontalAdvance(f"{policy}: ")
        return f"{policy}: {metrics.elidedText(self._own, Qt.TextElideMode.ElideRight, left)}"


class TitleBar(QWidget):
    """A title and buttons; if the title would be elided, some buttons fold into a menu.

    - *folding*: Lists of *buttons* to fold; the first that leaves the title enough room is used.
    """

    def __init__(
        self, title: PanelTitle, buttons: Sequence[QToolButton], folding: Sequence[Sequence[QToolButton]]
    ) -> None:
        super().__init__()
        self._title, self._buttons, self._folding = title, buttons, folding
        self._folded: Sequence[QToolButton] = ()  # buttons that are folded into the menu now
        self._offered = True
        self.more = QToolButton(self)
        self.more.setText("⋯")
        self.more.setAutoRaise(True)
        self.more.setToolTip(tr("More buttons of this panel"))
        self.more.setAccessibleName(tr("More buttons of this panel"))
        self.more.clicked.connect(self._open_menu)
        self.more.hide()
        *others, last = buttons
        in_row(self, (title, 1), *others, self.more, last, margins=(8, 2, 4, 2), spacing=0)

    def name_policy(self, policy: str) -> None:
        """Set the policy's name in the title; empty for none."""
        self._title.name_policy(policy)
        self._fit()

    def offer_buttons(self, offered: bool) -> None:
        """Show or hide the buttons."""
        self._offered = offered
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        wanted, ways = self._title.whole_width(), ((), *self._folding)
        self._folded = next((way for way in ways if self._room_beside(way) >= wanted), ways[-1])
        for button in self._buttons:
            button.setVisible(self._offered and button not in self._folded)
        self.more.setFixedHeight(self._buttons[-1].sizeHint().height())
        self.more.setVisible(self._offered and bool(self._folded))

    def _room_beside(self, folded: Sequence[QToolButton]) -> int:
        """The width left for the title if these buttons are folded."""
        shown = [button for button in self._buttons if button not in folded]
        shown += [self.more] if folded else []
        return self.width() - 12 - sum(button.sizeHint().width() for button in shown)

    def _open_menu(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        keep_keys(menu)
        for button in self._folded:
            menu.addAction(button.icon(), button.accessibleName(), button.click)
        menu.popup(self.more.mapToGlobal(self.more.rect().bottomLeft()))
