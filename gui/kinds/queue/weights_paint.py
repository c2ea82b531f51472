"""Painting the lines of the picture of weights."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from slotscope.gui.kinds.queue.weights_columns import (
    GAP,
    MARGIN,
    NAME_HEADING,
    OWN_NAME,
    SERVERS_HEADING,
    VALUE_HEADING,
    WeightColumns,
    best_name,
    chips,
    work_text,
)
from slotscope.gui.kinds.queue.weights_values import WeightBlock, WeightRow
from slotscope.gui.painting.colour import mix
from slotscope.gui.painting.text import LEFT, RIGHT
from slotscope.gui.panels.wording import significant
from slotscope.gui.plotting.scales import format_number
from slotscope.gui.theme import Theme

_BAR = 0.5  # height of a bar as a share of its row's
_FAINT = 0.6  # share of the background in the bars of smaller weights
_OWN_WIDTH = 5.0
_PAD = 3.0
TIE = "tie"
STALLED = "reject_group"  # the role of rejected groups: stalled servers, too, take no job until they are empty


class WeightsPainter:
    """Paints the lines of blocks; a line's box is as wide as the picture."""

    def __init__(self, painter: QPainter, theme: Theme, places: WeightColumns, selected: int | None) -> None:
        self._painter, self._theme, self._places = painter, theme, places
        self._selected = selected
        self._plain = QFont(painter.font())
        self._bold = QFont(self._plain)
        self._bold.setBold(True)
        self._metrics = QFontMetricsF(self._plain)

    # Lines.

    def heading(self, block: WeightBlock, box: QRectF) -> None:
        """Write the names of the columns, and the meaning of the dashed line."""
        places, muted = self._places, self._theme.muted
        if block.heading:
            self._text(self._cell(places.name, box, to=places.bar), block.heading, bold=True)
        else:
            shown = len(block.rows)
            some = f"{shown} of {format_number(shown + block.hidden)}"
            name = some if block.hidden else NAME_HEADING
            self._text(self._cell(places.name, box), name, muted)
            work = self._cell(places.work if places.work[1] else places.value, box)
            work.setRight(sum(places.value))
            self._text(work, VALUE_HEADING, muted, RIGHT)
        self._text(self._cell(places.servers, box), SERVERS_HEADING, muted)
        if block.threshold is not None:
            self._threshold_text(block, box)

    def _threshold_text(self, block: WeightBlock, box: QRectF) -> None:
        """Write gamma at the line of the stalling threshold, in the longest words that fit above the bars."""
        assert block.threshold is not None
        gamma = float(block.gamma or 0)
        room = self._cell(self._places.bar, box)
        at = self._across(float(block.threshold), block)
        for text in (
            f"stalls below {significant(gamma)} × the largest",
            f"{significant(gamma)} × the largest",
            f"γ = {significant(gamma)}",
        ):
            width = self._metrics.horizontalAdvance(text) + 1
            if width <= room.width():
                left = min(max(room.left(), at - width / 2), room.right() - width)
                place = QRectF(left, box.top(), width, box.height())
                self._text(place, text, self._theme.ink(self._theme.color(STALLED)))
                return

    def guides(self, block: WeightBlock, top: float, bottom: float) -> None:
        """Draw lines behind the bars at 0, the largest weight, and the threshold of stalling."""
        theme = self._theme
        lines = [(0.0, theme.border, Qt.PenStyle.SolidLine)]
        if block.heaviest.weight:
            lines.append((float(block.heaviest.weight), theme.muted, Qt.PenStyle.DotLine))
        if block.threshold is not None:
            lines.append((float(block.threshold), theme.color(STALLED), Qt.PenStyle.DashLine))
        for value, color, style in lines:
            x = self._across(value, block)
            self._painter.setPen(QPen(QColor(color), 1.0, style))
            self._painter.drawLine(QLineF(x, top, x, bottom))

    def best(self, block: WeightBlock, box: QRectF) -> None:
        """Draw MaxWeight's choice among all feasible configurations, in gold."""
        assert block.best is not None
        gold = self._theme.color("optimum")
        ink = self._theme.ink(gold)
        cell = self._cell(self._places.name, box)
        if self._places.split:
            cell = QRectF(MARGIN, box.top(), box.width() - 2 * MARGIN, box.height() / 2)
            box = QRectF(box.left(), cell.bottom(), box.width(), cell.height())
        name = best_name(block)
        self._text(cell, name if self._metrics.horizontalAdvance(name) <= cell.width() + 1 else block.best_words, ink)
        self._work(block.best_terms, box)
        self._text(self._cell(self._places.value, box), format_number(block.best.weight), ink, RIGHT)
        self._bar(block.best.weight, block, box, gold)

    def own(self, block: WeightBlock, box: QRectF) -> None:
        """Draw the numbers of servers by the weights of their active configurations, as small columns."""
        theme = self._theme
        self._text(self._cell(self._places.name, box, to=self._places.bar), OWN_NAME, theme.muted)
        ground = round(box.bottom() - _PAD)
        self._painter.setPen(QPen(QColor(theme.border)))
        left, width = self._places.bar
        self._painter.drawLine(QLineF(left, ground, left + width, ground))
        room = box.height() - 2 * _PAD
        most = max((count for _, count in block.own), default=1)
        for weight, count in block.own:
            low = block.threshold is not None and weight < block.threshold
            color = theme.color(STALLED if low else "run")
            tall = max(3.0, room * count / most)
            x = self._across(float(weight), block)
            place = QRectF(x - _OWN_WIDTH / 2, ground - tall, _OWN_WIDTH, tall)
            self._painter.fillRect(place, QColor(color))
        if block.stalled:
            place = self._cell(self._places.servers, box)
            text = f"{format_number(block.stalled)} stalled"
            self._text(place, text, theme.ink(theme.color(STALLED)))

    def row(self, block: WeightBlock, row: WeightRow, box: QRectF) -> None:
        """Draw a configuration: its name, the arithmetic, its weight as a bar, and its servers."""
        theme, places = self._theme, self._places
        if row.largest:
            ground = QColor(mix(theme.selection, theme.panel, 0.35))
            self._painter.fillRect(box.adjusted(_PAD, 1, -_PAD, -1), ground)
        ink = theme.normal if row.weight else theme.muted
        self._text(self._cell(places.name, box), row.name, ink, bold=row.largest)
        self._work(row.terms, box)
        number = format_number(row.weight)
        self._text(self._cell(places.value, box), number, ink, RIGHT, bold=row.largest)
        color = theme.run if row.largest else mix(theme.run, theme.panel, _FAINT)
        bar = self._bar(row.weight, block, box, color)
        if row.tie:
            self._tie(bar, box)
        self._servers(row, box)

    # Parts.

    def _work(self, terms: tuple[tuple[str, int, int], ...], box: QRectF) -> None:
        if self._places.work[1]:
            text = work_text(terms, self._places.symbols)
            self._text(self._cell(self._places.work, box), text, self._theme.muted, RIGHT)

    def _bar(self, weight: int, block: WeightBlock, box: QRectF, color: str) -> QRectF:
        left = self._places.bar[0]
        tall = round(_BAR * box.height())
        top = round(box.center().y() - tall / 2)
        bar = QRectF(left, top, self._across(float(weight), block) - left, tall)
        if weight:
            bar.setWidth(max(1.0, bar.width()))
            self._painter.fillRect(bar, QColor(color))
        return bar

    def _tie(self, bar: QRectF, box: QRectF) -> None:
        """Draw a frame around the bar, and the word "tie" behind it or, if too wide for that, in it."""
        theme = self._theme
        self._painter.setPen(QPen(QColor(theme.run), 1.0))
        self._painter.drawRect(bar.adjusted(0.5, 0.5, -0.5, -0.5))
        width = self._metrics.horizontalAdvance(TIE) + 2 * _PAD
        room = self._cell(self._places.bar, box)
        if bar.right() + width <= room.right():
            self._text(QRectF(bar.right() + _PAD, box.top(), width, box.height()), TIE)
            return
        if bar.width() >= width + 2 * _PAD:
            place = QRectF(bar.right() - width - _PAD, box.top() + 1, width, box.height() - 2)
            self._painter.fillRect(place, QColor(theme.panel))
            self._text(place, TIE, theme.normal, Qt.AlignmentFlag.AlignCenter)

    def _servers(self, row: WeightRow, box: QRectF) -> None:
        """Write the servers' numbers, or how many there are above a bar of their share."""
        theme, place = self._theme, self._cell(self._places.servers, box)
        if not row.servers or not place.width():
            return
        listed = chips(row, place, self._metrics.horizontalAdvance)
        if listed:
            for server, box_of in listed:
                chosen = server == self._selected
                if chosen:
                    self._painter.fillRect(box_of, QColor(theme.selection))
                self._text(box_of, str(server + 1), theme.normal, bold=chosen)
            return
        tall = 3.0
        share = QRectF(place.left(), place.bottom() - tall - 1, place.width() * row.share, tall)
        self._painter.fillRect(share, QColor(theme.run))
        self._text(place, format_number(row.servers), theme.normal)

    def _cell(self, column: tuple[float, float], box: QRectF, to: tuple[float, float] | None = None) -> QRectF:
        """The cell of a column in a line, extended up to the column *to* if given."""
        cell = WeightColumns.box(column, box.top(), box.height())
        if to is not None:
            cell.setRight(to[0] - GAP)
        return cell

    def _across(self, weight: float, block: WeightBlock) -> float:
        left, width = self._places.bar
        return left + width * weight / max(1, block.top)

    def _text(
        self, box: QRectF, text: str, ink: str = "", where: Qt.AlignmentFlag = LEFT, *, bold: bool = False
    ) -> None:
        self._painter.setFont(self._bold if bold else self._plain)
        self._painter.setPen(QColor(ink or self._theme.normal))
        if not box.width():
            return
        metrics = QFontMetricsF(self._painter.font())
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, box.width() + 1)
        self._painter.drawText(box, where, shown)
