"""Effective servers of each greedy configuration, x^(e), against the target x^(g)."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from slotscope.gui.kinds.reservation.theory_deficit import (
    GAP,
    LEFT,
    MARGIN,
    NAMES,
    PAD,
    RIGHT,
    Rows,
    configuration_text,
)
from slotscope.gui.kinds.reservation.theory_values import EffectiveServers
from slotscope.gui.panels.wording import GREEDY_MARK
from slotscope.gui.plotting.scales import format_number
from slotscope.gui.theme import Theme, current_fonts
from slotscope.model.programs.configurations import Configuration

_RESOLUTION = 0.001
#: Width of the mark at a target.
_MARK = 4.0

EFFECTIVE, TARGET = "x⁽ᵉ⁾", f"x{GREEDY_MARK}"


class TargetBars(Rows):
    """A row for each configuration: x^(e) as a bar, x^(g) as a mark; one can be selected.

    The last row is all of them together.  Signal ``chosen``: a configuration, or None for all.
    """

    chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "effective servers of each greedy configuration", parent)
        self._moment: EffectiveServers | None = None
        self.selected: Configuration | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    @property
    def moment(self) -> EffectiveServers | None:
        """What is shown."""
        return self._moment

    def begin(self) -> None:
        """Forget another run."""
        self._moment, self.selected, self.most_rows = None, None, 0
        self.updateGeometry()

    def set_moment(self, moment: EffectiveServers) -> None:
        """Show another moment."""
        self._moment = moment
        self.make_room(len(moment.configurations) + 1)

    def shares(self) -> list[tuple[Configuration | None, float, float | None]]:
        """The rows: configuration (None: all), present share, target's share if known."""
        moment = self._moment
        if moment is None:
            return []
        present = [count / moment.servers for count in moment.effective]
        target: list[float | None] = [None] * len(present)
        if moment.target is not None:
            target = [*moment.target]
        whole = None if moment.target is None else sum(moment.target)
        rows: list[tuple[Configuration | None, float, float | None]] = [
            *zip(moment.configurations, present, target, strict=True)
        ]
        return [*rows, (None, sum(present), whole)]

    # Choosing.

    def row_at(self, height: float) -> int | None:
        """The row at this height, or None."""
        row = int(height // self.row_height()) - 1
        return row if 0 <= row < len(self.shares()) else None

    def _choose(self, row: int) -> None:
        self.selected = self.shares()[row][0]
        self.update()
        self.chosen.emit(self.selected)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = self.row_at(event.position().y())
        if event.button() == Qt.MouseButton.LeftButton and row is not None:
            self._choose(row)
        else:
            super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        if event.key() not in steps or self._moment is None:
            super().keyPressEvent(event)
            return
        rows = [row[0] for row in self.shares()]
        at = rows.index(self.selected) if self.selected in rows else len(rows) - 1
        self._choose(min(max(0, at + steps[Qt.Key(event.key())]), len(rows) - 1))

    # Painting.

    def _columns(self) -> tuple[QRectF, float]:
        """The bars of one row at height 0, and the width of a number."""
        metrics = self._metrics()
        room = NAMES * self.width()
        names = [self._name(row[0], room) for row in self.shares()]
        widest = max((metrics.horizontalAdvance(name) for name in names), default=0.0) + 1
        number = metrics.horizontalAdvance("0.000") + GAP
        left = MARGIN + widest + GAP
        right = self.width() - MARGIN - 2 * number
        return QRectF(left, 0, max(20.0, right - left), self.row_height()), number

    def _name(self, configuration: Configuration | None, room: float) -> str:
        if configuration is None:
            return "all"
        return configuration_text(configuration, self._metrics(), room)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(current_fonts().body)
        bars, number = self._columns()
        self._paint_heading(painter, bars, number)
        for row, (configuration, present, target) in enumerate(self.shares(), start=1):
            box = bars.translated(0, row * self.row_height())
            self._paint_row(painter, box, number, configuration, (present, target))
        if self.hasFocus() and self._moment is not None:
            painter.setPen(QPen(QColor(self._theme.focus)))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def _paint_heading(self, painter: QPainter, bars: QRectF, number: float) -> None:
        height, theme = self.row_height(), self._theme
        painter.setPen(QColor(theme.muted))
        text = self._metrics().elidedText(
            "share of servers, effective", Qt.TextElideMode.ElideRight, bars.right() - MARGIN
        )
        painter.drawText(QRectF(MARGIN, 0, bars.right() - MARGIN, height), LEFT, text)
        for place, (name, role) in enumerate(((EFFECTIVE, "run"), (TARGET, "greedy"))):
            painter.setPen(QColor(theme.ink(theme.color(role))))
            box = QRectF(bars.right() + place * number, 0, number, height)
            painter.drawText(box, RIGHT, name)
        painter.setPen(QPen(QColor(theme.grid)))
        for share in (0.0, 0.5, 1.0):
            x = round(bars.left() + share * bars.width())
            bottom = int(height * (len(self.shares()) + 1))
            painter.drawLine(x, int(height), x, bottom)

    def _paint_row(
        self,
        painter: QPainter,
        box: QRectF,
        number: float,
        configuration: Configuration | None,
        shares: tuple[float, float | None],
    ) -> None:
        theme = self._theme
        if configuration == self.selected:
            ground = QRectF(PAD, box.top(), self.width() - 2 * PAD, box.height())
            painter.fillRect(ground, QColor(theme.selection))
        painter.setPen(QColor(theme.normal))
        name = self._name(configuration, box.left() - GAP - MARGIN)
        painter.drawText(QRectF(MARGIN, box.top(), box.left(), box.height()), LEFT, name)
        present, target = shares
        if present > 0:
            bar = QRectF(box.left(), box.top() + 4, max(1.0, present * box.width()), box.height() - 8)
            painter.fillRect(bar, QColor(theme.run))
        if target is not None:
            self._paint_target(painter, box, target)
        for place, share in enumerate(shares):
            painter.setPen(QColor(theme.normal if share else theme.muted))
            text = "–" if share is None else format_number(share, _RESOLUTION) if share else "0"
            where = QRectF(box.right() + place * number, box.top(), number, box.height())
            painter.drawText(where, RIGHT, text)

    def _paint_target(self, painter: QPainter, box: QRectF, target: float) -> None:
        """An upright mark at the target, on a ground of its own so that it is seen on the bar."""
        x = box.left() + target * box.width()
        size = _MARK * current_fonts().scale
        mark = QRectF(x - size / 2, box.top() + 1, size, box.height() - 2)
        painter.fillRect(mark.adjusted(-1, 0, 1, 0), QColor(self._theme.panel))
        painter.fillRect(mark, QColor(self._theme.greedy))

    def tip_at(self, point: QPointF) -> str:
        """A sentence on the row at this height."""
        row = self.row_at(point.y())
        if row is None or self._moment is None:
            return (
                "Servers that have a configuration and that GPA wants there, as a share of all "
                f"({EFFECTIVE}), against the fluid limit's target ({TARGET}).\n"
                "A click shows the slot deficit up to that configuration."
            )
        configuration, present, target = self.shares()[row]
        servers = round(present * self._moment.servers)
        whole = "all together"
        if configuration is not None:
            whole = f"({', '.join(map(str, configuration))})"
        aim = "not known" if target is None else f"{target * self._moment.servers:.1f}"
        return f"{whole}: {servers} effective servers, target {aim} of {self._moment.servers}"
