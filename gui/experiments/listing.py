"""The list of experiments, with title, paper and progress."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QFontMetrics, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from slotscope.gui.language.words import tr
from slotscope.gui.theme import Theme, current_fonts

_ENTRY = Qt.ItemDataRole.UserRole
_SIDE, _ABOVE, _BAR, _STRIPE = 12, 7, 3, 4
_FLAGS = int(Qt.TextFlag.TextWordWrap)


@dataclass(frozen=True)
class ListedExperiment:
    """One line of the list."""

    key: str  #: identifies the entry in the window
    title: str
    paper: str
    state: str = ""  #: in words; ``share`` is the part that is done, 0 to 1
    share: float = 0.0
    running: bool = False


class ExperimentList(QListWidget):
    """The list widget; ``currentItemChanged`` reports another chosen experiment."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._delegate = _Delegate(self, theme)
        self.setItemDelegate(self._delegate)
        self.setAccessibleName(tr("experiments"))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setToolTip(tr("Experiments\nUp and down choose one; F5 runs it."))
        self.currentItemChanged.connect(lambda item, _: item and item.setSelected(True))

    def put(self, entry: ListedExperiment) -> None:
        """Add an entry at the end, or update the one with the same key."""
        item = self._item(entry.key)
        before = item.data(_ENTRY) if item is not None else None
        if before == entry:
            return
        shown = item or QListWidgetItem()
        shown.setData(_ENTRY, entry)
        shown.setData(Qt.ItemDataRole.AccessibleTextRole, f"{entry.title}, {entry.paper}, {entry.state}")
        if item is None:
            self.addItem(shown)
        elif before is not None and (before.title, before.paper) != (entry.title, entry.paper):
            self.scheduleDelayedItemsLayout()

    def tell(self, key: str, state: str, share: float, *, running: bool = False) -> None:
        """Change an experiment's state and the share that is done."""
        self.put(replace(self.entry(key), state=state, share=share, running=running))

    def entry(self, key: str) -> ListedExperiment:
        item = self._item(key)
        assert item is not None
        entry: ListedExperiment = item.data(_ENTRY)
        return entry

    def current(self) -> str:
        """The key of the chosen experiment; empty if there is none."""
        item = self.currentItem()
        return str(item.data(_ENTRY).key) if item is not None else ""

    def choose(self, key: str) -> None:
        item = self._item(key)
        if item is not None:
            self.setCurrentItem(item)

    def _item(self, key: str) -> QListWidgetItem | None:
        items = (self.item(row) for row in range(self.count()))
        return next((item for item in items if item.data(_ENTRY).key == key), None)

    def set_theme(self, theme: Theme) -> None:
        self._delegate.theme = theme
        self.setFont(current_fonts().body)
        self.scheduleDelayedItemsLayout()
        self.viewport().update()

    def selectionCommand(
        self, index: QModelIndex | QPersistentModelIndex, event: QEvent | None = None
    ) -> QItemSelectionModel.SelectionFlag:
        """Change no selection by mouse or keys; only the current entry is selected.

        Pressing an entry changes the form below and so may move the entries: another one may then be under the mouse.
        """
        return QItemSelectionModel.SelectionFlag.NoUpdate

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Ignore drags: the press has already chosen an entry."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out again, as titles wrap differently at another width, and keep the chosen entry in view."""
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()
        QTimer.singleShot(0, self, self._keep_in_view)

    def _keep_in_view(self) -> None:
        if self.currentItem() is not None:
            self.scrollToItem(self.currentItem())


class _Delegate(QStyledItemDelegate):
    """Paints an entry: title, paper, state, and a progress bar."""

    def __init__(self, view: ExperimentList, theme: Theme) -> None:
        super().__init__(view)
        self._view = view
        self.theme = theme

    def _width(self) -> int:
        return max(60, self._view.viewport().width() - 2 * _SIDE)

    def _heights(self, entry: ListedExperiment) -> tuple[int, ...]:
        """The heights of title, paper and state, in pixels."""
        metrics = QFontMetrics(current_fonts().body)
        room = QRect(0, 0, self._width(), 10_000)
        return (
            *(metrics.boundingRect(room, _FLAGS, text).height() for text in (entry.title, entry.paper)),
            metrics.height(),
        )

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        entry: ListedExperiment = index.data(_ENTRY)
        height = sum(self._heights(entry)) + 2 * _ABOVE + 2 * _BAR
        return QSize(self._width() + 2 * _SIDE, height)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        entry: ListedExperiment = index.data(_ENTRY)
        area: QRect = option.rect
        state: QStyle.StateFlag = option.state
        chosen = bool(state & QStyle.StateFlag.State_Selected)
        painter.save()
        if chosen:
            painter.fillRect(area, QColor(self.theme.selection))
            stripe = QRect(area.left(), area.top(), _STRIPE, area.height())
            painter.fillRect(stripe, QColor(self.theme.focus))
        painter.setFont(current_fonts().body)
        colors = (self.theme.normal, self.theme.normal if chosen else self.theme.muted, self.theme.normal)
        top = area.top() + _ABOVE
        texts = zip((entry.title, entry.paper, entry.state), self._heights(entry), colors, strict=True)
        for text, height, color in texts:
            painter.setPen(QColor(color))
            painter.drawText(QRect(area.left() + _SIDE, top, self._width(), height), _FLAGS, text)
            top += height
        self._paint_bar(painter, QRect(area.left() + _SIDE, top + 1, self._width(), _BAR), entry)
        painter.setPen(QColor(self.theme.grid))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        painter.restore()

    def _paint_bar(self, painter: QPainter, area: QRect, entry: ListedExperiment) -> None:
        if not (entry.running or 0 < entry.share < 1):
            return
        painter.fillRect(area, QColor(self.theme.grid))
        area.setWidth(round(area.width() * entry.share))
        painter.fillRect(area, QColor(self.theme.focus if entry.running else self.theme.muted))
