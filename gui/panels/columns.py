"""Widgets in one column or in two, below a head; it scrolls where there is no room for them."""

from __future__ import annotations

from typing import Collection, Sequence

from PySide6.QtCore import QEvent, QObject, QSize
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget


class HeadedColumns(QScrollArea):
    """A head, and below it what :meth:`arrange` says."""

    def __init__(self, head: QWidget) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.content = QWidget()
        column = QVBoxLayout(self.content)
        column.setContentsMargins(0, 0, 0, 4)
        column.setSpacing(2)
        column.addWidget(head)
        self._row = QHBoxLayout()
        self._row.setSpacing(0)
        column.addLayout(self._row, 1)
        self._stacks = (QVBoxLayout(), QVBoxLayout())
        for stack in self._stacks:
            stack.setSpacing(2)
            self._row.addLayout(stack)
        self._shown: tuple[tuple[QWidget, ...], ...] = ()
        self.setWidget(self.content)
        self.content.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Ask for another width where the content does."""
        if watched is self.content and event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)

    @property
    def count(self) -> int:
        """How many columns there are; 0 before anything was arranged."""
        return sum(map(bool, self._shown))

    def minimumSizeHint(self) -> QSize:
        """Wide enough for nothing to be scrolled sideways."""
        wanted = self.content.minimumSizeHint().width() + self.verticalScrollBar().sizeHint().width()
        return QSize(wanted, super().minimumSizeHint().height())

    def arrange(
        self, left: Sequence[QWidget], right: Sequence[QWidget] = (), growing: Collection[QWidget] = ()
    ) -> None:
        """Show the widgets in these orders; those of *growing* take the room that is left."""
        wanted = (tuple(left), tuple(right))
        if wanted == self._shown:
            return
        self._shown = wanted
        for number, (stack, widgets) in enumerate(zip(self._stacks, wanted, strict=True)):
            while stack.count():
                stack.takeAt(0)
            for widget in widgets:
                stack.addWidget(widget, int(widget in growing))
            # A column in which nothing grows, or what grows is hidden, keeps to the top.
            stack.addStretch(0 if any(widget in growing for widget in widgets) else 1)
            self._row.setStretch(number, int(bool(widgets)))
