"""Widgets in one column or two; also below a head, in a scroll area."""

from __future__ import annotations

from typing import Collection, Mapping, Sequence

from PySide6.QtCore import QEvent, QObject, QSize
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from slotscope.gui.widgets.curtain import Curtain
from slotscope.gui.widgets.rows import in_column

_GAP = 2  # pixels between widgets in a column


class TwoColumns(QHBoxLayout):
    """A layout of one or two columns, set by :meth:`arrange`."""

    def __init__(self, spacing: int = 0) -> None:
        super().__init__()
        self.setSpacing(spacing)
        self._stacks = (QVBoxLayout(), QVBoxLayout())
        for stack in self._stacks:
            stack.setSpacing(_GAP)
            self.addLayout(stack)
        self._shown: tuple[object, ...] = ()
        self.columns = 0  #: the number of columns; 0 before the first :meth:`arrange`

    def arrange(
        self,
        left: Sequence[QWidget],
        right: Sequence[QWidget] = (),
        growing: Mapping[QWidget, int] | None = None,
        widths: tuple[int, int] = (1, 1),
    ) -> None:
        """Show these widgets in order; *growing* maps those that share the spare height to their stretch factors."""
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
            # A column without a growing widget, or whose growing widget is hidden, is aligned to the top.
            stack.addStretch(0 if any(widget in growing for widget in widgets) else 1)
            self.setStretch(number, widths[number] if widgets else 0)


def scrolled(content: QWidget, parent: QWidget | None = None) -> QScrollArea:
    """A scroll area with *content*, which takes the area's width and scrolls vertically."""
    area = QScrollArea(parent, widgetResizable=True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidget(content)
    Curtain(area)
    return area


class HeadedColumns(QScrollArea):
    """A scroll area with a head and columns below it."""

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
        """Update the size hint when the content's changes."""
        if watched is self.content and event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)

    @property
    def count(self) -> int:
        """The number of columns; 0 before the first :meth:`arrange`."""
        return self._columns.columns

    def arrange(
        self, left: Sequence[QWidget], right: Sequence[QWidget] = (), growing: Collection[QWidget] = ()
    ) -> None:
        """Show these widgets in order; those in *growing* take the spare height."""
        self._columns.arrange(left, right, dict.fromkeys(growing, 1))

    def least_height(self, first: Sequence[QWidget]) -> int:
        """Height in pixels of the head and the *first* widgets of a single column, up to where the next one begins."""
        parts = (self._head, *(widget for widget in first if not widget.isHidden()))
        return sum(max(part.minimumSizeHint().height(), part.minimumHeight()) + _GAP for part in parts)

    def minimumSizeHint(self) -> QSize:
        """The content's minimum width, so that nothing is scrolled sideways, and the scroll bar's."""
        wanted = self.content.minimumSizeHint().width() + self.verticalScrollBar().sizeHint().width()
        return QSize(wanted, super().minimumSizeHint().height())
