"""The title of a panel, after the name of the policy that it shows, and the panel's own buttons."""

from __future__ import annotations

from typing import Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QMenu, QSizePolicy, QToolButton, QWidget

from slotscope.gui.language.words import tr
from slotscope.gui.widgets.boxes import keep_keys
from slotscope.gui.widgets.rows import in_row

#: As wide as this is what is left of a policy's name at least, since nothing else tells panels of one kind apart; and
#: its share of the width where the panel's own name has to be cut, too.
_LEAST, _SHARE = "M…m", 0.45


class PanelTitle(QLabel):
    """Cuts the policy's name where both have no room, so that the panel's own is seen; the end of that where it must.

    A policy's name is cut in the middle: a fork is called as the run that it leaves, and then by what is otherwise.
    """

    def __init__(self, own: str) -> None:
        super().__init__(own)
        self._own, self._policy = own, ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def name_policy(self, policy: str) -> None:
        """Name this policy, too; nothing is none."""
        self._policy = policy
        self._fit()

    def whole_width(self) -> int:
        """Pixels that nothing would be cut at."""
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
    """A title and buttons; where the title would be cut, some of them wait in a menu.

    - *folding*: Those of the *buttons* that do; of several such lists the first that leaves the title its room.
    """

    def __init__(
        self, title: PanelTitle, buttons: Sequence[QToolButton], folding: Sequence[Sequence[QToolButton]]
    ) -> None:
        super().__init__()
        self._title, self._buttons, self._folding = title, buttons, folding
        self._folded: Sequence[QToolButton] = ()  # those that wait in the menu now
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
        """Name this policy in the title, too; nothing is none."""
        self._title.name_policy(policy)
        self._fit()

    def offer_buttons(self, offered: bool) -> None:
        """Show the buttons, or the title alone."""
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
        """What is left of the width where these buttons wait in the menu."""
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
