"""Bars: the slot deficit q of each job type; x^(e) against x^(g) for each greedy configuration."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy

from slotscope.gui.kinds.reservation.theory_values import EffectiveServers
from slotscope.gui.kinds.reservation.wording import letter_forms
from slotscope.gui.painting.text import LEFT, RIGHT
from slotscope.gui.painting.textures import paint_type_mark
from slotscope.gui.panels.wording import GREEDY_MARK
from slotscope.gui.plotting.scales import MINUS, SteppedRange, format_number
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.chart import Chart
from slotscope.model.programs.configurations import Configuration
from slotscope.model.reporting.letters import type_letter

MARGIN, GAP, PAD = 10.0, 10.0, 6.0
#: Largest share of a widget's width for names: beside two numbers, and beside one.
NAMES, NAMES_OF_TYPES = 0.34, 0.45


def configuration_text(configuration: Configuration, metrics: QFontMetricsF, room: float) -> str:
    """A configuration as the paper writes it; if that is too wide for *room* pixels, by its types' letters."""
    forms = f"({', '.join(map(str, configuration))})", *letter_forms(configuration)
    fitting = (text for text in forms if metrics.horizontalAdvance(text) <= room)
    return next(fitting, None) or metrics.elidedText(forms[-1], Qt.TextElideMode.ElideRight, room)


class Rows(Chart):
    """Rows below a heading, as high as the most rows so far need, so that the layout does not jump."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme, name, QSizePolicy.Policy.Fixed)
        self.most_rows = 0
        self.other_lines = 1.0  # the heading, and lines below the rows

    def row_height(self) -> float:
        """Distance from one row to the next, in pixels."""
        return self._metrics().height() + PAD

    def make_room(self, rows: int) -> None:
        """Reserve the height of *rows* rows, and repaint."""
        if rows > self.most_rows:
            self.most_rows = rows
            self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, round((self.most_rows + self.other_lines) * self.row_height() + PAD))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())


class DeficitBars(Rows):
    """A bar from 0 to q for each job type; reference lines at 0 and at -ceil(g(L))."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "slot deficit of each job type")
        self.other_lines = 2.0
        self._names: tuple[str, ...] = ()
        self.values: tuple[int, ...] = ()
        self._last: Configuration | None = None
        self._reserved = 0
        self._scale = SteppedRange(0.0, 1.0)
        self.setToolTip(
            "q: slots of the servers that have a greedy configuration effectively, minus the jobs\n"
            "present, minus the ⌈g(L)⌉ slots to be reserved. From 0 on enough is reserved;\n"
            f"below {MINUS}⌈g(L)⌉ there are fewer such slots than jobs."
        )

    def begin(self, names: tuple[str, ...], reserved: int) -> None:
        """Begin with other job types; *reserved* is ceil(g(L))."""
        self._names, self._reserved, self.values, self._last = names, reserved, (), None
        self._scale = SteppedRange(-float(reserved), 1.0)
        self.most_rows = 0
        self.make_room(len(names))

    def set_values(self, q: tuple[int, ...], last: Configuration | None) -> None:
        """Show q of each type, up to the configuration *last* or over all.

        The scale depends on these values alone, not on earlier ones.
        """
        if (q, last) != (self.values, self._last):
            self.values, self._last = q, last
            self._scale = SteppedRange(-float(self._reserved), 1.0)
            self._scale.include(float(min(q)), float(max(q)))
            self.update()

    # Geometry.

    def box(self) -> QRectF:
        metrics = self._metrics()
        widest = max((metrics.horizontalAdvance(name) for name in self._titles()), default=0.0)
        names = min(widest, NAMES_OF_TYPES * self.width()) + metrics.height()
        number = metrics.horizontalAdvance(f"{MINUS}0000")
        left = MARGIN + names + GAP
        right = self.width() - MARGIN - number - GAP
        return QRectF(left, self.row_height(), max(20.0, right - left), len(self._names) * self.row_height())

    def _titles(self) -> list[str]:
        return [f"{type_letter(j)}\u2002{name}" for j, name in enumerate(self._names)]

    def across(self, value: float) -> float:
        """The x coordinate of a value of q."""
        box, scale = self.box(), self._scale
        return box.left() + (value - scale.low) / (scale.high - scale.low) * box.width()

    # Painting.

    def paint(self, painter: QPainter) -> None:
        box = self.box()
        self._paint_heading(painter)
        self._paint_line(painter, 0.0, "0", "normal")
        reserve = f"{MINUS}⌈g(L)⌉ = {format_number(-self._reserved)}"
        self._paint_line(painter, -float(self._reserved), reserve, "muted")
        for job_type, name in enumerate(self._titles()[: len(self.values)]):
            top = box.top() + job_type * self.row_height()
            self._paint_row(painter, job_type, name, QRectF(0, top, box.right(), self.row_height()))

    def _paint_heading(self, painter: QPainter) -> None:
        painter.setPen(QColor(self._theme.muted))
        room, metrics = self.width() - 2 * MARGIN, self._metrics()
        begin = "slot deficit q, up to " if self._last else "slot deficit q, all effective servers"
        text = begin
        if self._last:
            text += configuration_text(self._last, metrics, room - metrics.horizontalAdvance(begin))
        text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
        painter.drawText(QRectF(MARGIN, 0, room, self.row_height()), LEFT, text)

    def _paint_line(self, painter: QPainter, value: float, text: str, role: str) -> None:
        """A line through all rows with its name below; the reserve's name moves left to avoid that of 0."""
        box, metrics, x = self.box(), self._metrics(), round(self.across(value)) + 0.5
        dash = Qt.PenStyle.SolidLine if value == 0 else Qt.PenStyle.DashLine
        painter.setPen(QPen(QColor(self._theme.color(role)), 1.0, dash))
        painter.drawLine(QLineF(x, box.top(), x, box.bottom() + 3))
        width = metrics.horizontalAdvance(text) + 2
        low = self.across(0.0) - metrics.horizontalAdvance("00")
        left = x - width / 2 if value == 0 else max(MARGIN, min(x - width / 2, low - width))
        painter.setPen(QColor(self._theme.color(role)))
        painter.drawText(QRectF(left, box.bottom() + 3, width, metrics.height()), LEFT, text)

    def _paint_row(self, painter: QPainter, job_type: int, name: str, row: QRectF) -> None:
        metrics, box, value = self._metrics(), self.box(), self.values[job_type]
        side = metrics.ascent()
        mark = QRectF(MARGIN, row.center().y() - side / 2, side, side)
        paint_type_mark(painter, mark, self._theme, job_type)
        left = MARGIN + metrics.height()
        painter.setPen(QColor(self._theme.normal))
        room = box.left() - GAP - left + 1
        text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, room)
        painter.drawText(QRectF(left, row.top(), room, row.height()), LEFT, text)
        ends = sorted((self.across(0.0), self.across(value)))
        if value:
            bar = QRectF(ends[0], row.top() + 3, max(1.0, ends[1] - ends[0]), row.height() - 6)
            paint_type_mark(painter, bar, self._theme, job_type)
        painter.setPen(QColor(self._theme.normal))
        place = QRectF(box.right(), row.top(), self.width() - MARGIN - box.right(), row.height())
        painter.drawText(place, RIGHT, format_number(value))


_RESOLUTION = 0.001
#: Width of the mark at a target, in pixels at the usual font size.
_MARK = 4.0

EFFECTIVE, TARGET = "x⁽ᵉ⁾", f"x{GREEDY_MARK}"


class TargetBars(Rows):
    """A row per configuration: x^(e) as a bar, x^(g) as a mark; one row can be selected.

    The last row is the total.  Signal ``chosen``: a configuration, or None for the total.
    """

    chosen = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "effective servers of each greedy configuration")
        self.moment: EffectiveServers | None = None  #: the moment shown
        self.selected: Configuration | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def begin(self) -> None:
        """Clear the moment and the selection for another run."""
        self.moment, self.selected, self.most_rows = None, None, 0
        self.updateGeometry()

    def set_moment(self, moment: EffectiveServers) -> None:
        self.moment = moment
        self.make_room(len(moment.configurations) + 1)

    def shares(self) -> list[tuple[Configuration | None, float, float | None]]:
        """The rows: configuration (None: the total), present share, and the target's share if known."""
        moment = self.moment
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
        """The row at a y coordinate, or None."""
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
        if event.key() not in steps or self.moment is None:
            super().keyPressEvent(event)
            return
        rows = [row[0] for row in self.shares()]
        at = rows.index(self.selected) if self.selected in rows else len(rows) - 1
        self._choose(min(max(0, at + steps[Qt.Key(event.key())]), len(rows) - 1))

    # Painting.

    def _columns(self) -> tuple[QRectF, float]:
        """The rectangle of a row's bars, at y = 0, and the width of a number."""
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

    def paint(self, painter: QPainter) -> None:
        bars, number = self._columns()
        self._paint_heading(painter, bars, number)
        for row, (configuration, present, target) in enumerate(self.shares(), start=1):
            box = bars.translated(0, row * self.row_height())
            self._paint_row(painter, box, number, configuration, (present, target))
        if self.hasFocus() and self.moment is not None:
            painter.setPen(QPen(QColor(self._theme.focus)))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

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
        """A vertical mark at the target, with a border so that it stands out on the bar."""
        x = box.left() + target * box.width()
        size = _MARK * current_fonts().scale
        mark = QRectF(x - size / 2, box.top() + 1, size, box.height() - 2)
        painter.fillRect(mark.adjusted(-1, 0, 1, 0), QColor(self._theme.panel))
        painter.fillRect(mark, QColor(self._theme.greedy))

    def tip_at(self, point: QPointF) -> str:
        """A sentence on the row at this point, or on how to read the picture."""
        row = self.row_at(point.y())
        if row is None or self.moment is None:
            return (
                f"Servers that have a configuration and that GPA wants there, as a share of all ({EFFECTIVE}), against "
                f"the fluid limit's target ({TARGET}).\nA click shows the slot deficit up to that configuration."
            )
        configuration, present, target = self.shares()[row]
        servers = round(present * self.moment.servers)
        whole = "all together"
        if configuration is not None:
            whole = f"({', '.join(map(str, configuration))})"
        aim = "not known" if target is None else f"{target * self.moment.servers:.1f}"
        return f"{whole}: {servers} effective servers, target {aim} of {self.moment.servers}"
