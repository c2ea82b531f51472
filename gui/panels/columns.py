"""Widgets in one column or in two, also below a head and scrolled where there is no room for them."""

from __future__ import annotations

from typing import Collection, Mapping, Sequence

from PySide6.QtCore import QEvent, QObject, QSize
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from slotscope.gui.widgets.curtain import Curtain
from slotscope.gui.widgets.rows import in_column

_GAP = 2  # between one widget and the next below it


class TwoColumns(QHBoxLayout):
    """What :meth:`arrange` says."""

    def __init__(self, spacing: int = 0) -> None:
        super().__init__()
        self.setSpacing(spacing)
        self._stacks = (QVBoxLayout(), QVBoxLayout())
        for stack in self._stacks:
            stack.setSpacing(_GAP)
            self.addLayout(stack)
        self._shown: tuple[object, ...] = ()
        self.columns = 0  #: how many there are; 0 before anything was arranged

    def arrange(
        self,
        left: Sequence[QWidget],
        right: Sequence[QWidget] = (),
        growing: Mapping[QWidget, int] | None = None,
        widths: tuple[int, int] = (1, 1),
    ) -> None:
        """Show the widgets in these orders; the room that is left goes to those of *growing*, in such shares."""
        growing = growing or {}
        wanted = (tuple(left), tuple(right), growing, widths)
        if wanted == self._shown:
            return
        self._shown, self.columns = wanted, bool(left) + bool(right)
        for number, (stack, widgets) in enumerate(zip(self._stacks, (left, right), strict=True)):
            while stack.count():
                stack.takeAt(0)
            for widget in widgets:
                stack.addWidget(widget, growing.get(widget, 0))
            # A column in which nothing grows, or what grows is hidden, keeps to the top.
            stack.addStretch(0 if any(widget in growing for widget in widgets) else 1)
            self.setStretch(number, widths[number] if widgets else 0)


def scrolled(content: QWidget, parent: QWidget | None = None) -> QScrollArea:
    """*content* as wide as its area, which scrolls where it is low."""
    area = QScrollArea(parent, widgetResizable=True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidget(content)
    Curtain(area)
    return area


class HeadedColumns(QScrollArea):
    """A head, and below it columns."""

    def __init__(self, head: QWidget) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.content, self._head = QWidget(), head
        column = in_column(self.content, head, margins=(0, 0, 0, 4), spacing=_GAP)
        self._columns = TwoColumns()
        column.addLayout(self._columns, 1)
        self.setWidget(self.content)
        self.content.installEventFilter(self)
        Curtain(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Ask for another width where the content does."""
        if watched is self.content and event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)

    @property
    def count(self) -> int:
        """How many columns there are; 0 before anything was arranged."""
        return self._columns.columns

    def arrange(
        self, left: Sequence[QWidget], right: Sequence[QWidget] = (), growing: Collection[QWidget] = ()
    ) -> None:
        """Show the widgets in these orders; those of *growing* take the room that is left."""
        self._columns.arrange(left, right, dict.fromkeys(growing, 1))

    def least_height(self, first: Sequence[QWidget]) -> int:
        """Pixels that the head and the *first* widgets of a single column need, down to where the next one begins."""
        parts = (self._head, *(widget for widget in first if not widget.isHidden()))
        return sum(max(part.minimumSizeHint().height(), part.minimumHeight()) + _GAP for part in parts)

    def minimumSizeHint(self) -> QSize:
        """Wide enough for nothing to be scrolled sideways."""
        wanted = self.content.minimumSizeHint().width() + self.verticalScrollBar().sizeHint().width()
        return QSize(wanted, super().minimumSizeHint().height())
