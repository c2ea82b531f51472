"""Painted pseudocode: the current line stays visible, values are shown beside their lines."""

from __future__ import annotations

from typing import Mapping, NamedTuple, Sequence

from PySide6.QtCore import (
    QAbstractAnimation,
    QEasingCurve,
    QEvent,
    QPoint,
    QPointF,
    QPropertyAnimation,
    QRect,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QFont,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QRegion,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QToolTip, QWidget

from slotscope.gui.panels.algorithm_layout import HEADING_LEFT, CodeLayout, PlacedLine, draw_document
from slotscope.gui.panels.algorithm_values import Beside, Code
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.kept_picture import once_laid_out
from slotscope.gui.widgets.spoken import describe, heard, without_markup
from slotscope.model.reporting.records import Line

_SCROLL_TIME = 180  # ms
_DIMMED = 0.38


class TypeSetting(NamedTuple):
    """How lines are typeset."""

    tight: bool = False
    share: float = 1.08  #: font size relative to the panel's
    brief: bool = False  #: whether long lines are elided


#: From the roomiest on.  In lecture mode all steps have the same font size, as smaller type is illegible from the
#: last row; long lines are elided there instead.
_SETTINGS = (TypeSetting(), *(TypeSetting(True, share) for share in (1.0, 0.92, 0.85, 0.78, 0.72)))
_IN_HALL = (TypeSetting(True, 1.0), TypeSetting(True, 1.0, True))


class ShownPseudocode(NamedTuple):
    """What is shown of the pseudocode at one moment."""

    current: Line | None = None
    beside: Mapping[Line, Mapping[str, Beside]] = {}
    dimmed: bool = False
    selected: Line | None = None
    past: bool = False  #: the run has long left the event: lines keep their places, but lose marks and values

    @property
    def marks(self) -> Mapping[Line, Mapping[str, Beside]]:
        """The lines that are marked, with their values."""
        return {} if self.past else self.beside

    @property
    def marked(self) -> Line | None:
        """The line that is marked as the current one."""
        return None if self.past else self.current


class PseudocodeView(QAbstractScrollArea):
    """A scroll area of painted lines of pseudocode; the current one stays visible."""

    line_chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.code = Code(())
        self.picture = ShownPseudocode()
        self.headings = False
        self._due = False  # whether lines must be typeset again
        self._anew = True  # whether the next picture is laid out independently of earlier ones
        self._setting, self._set_as, self._size = 0, _SETTINGS[0], self.size()
        self._layout = CodeLayout(self.code, self._type(), 0.0, False)
        self._given: object = None  #: what all cached layouts were made from
        self._layouts: dict[TypeSetting, CodeLayout] = {}  #: a cache: if none shows enough, all are tried at each step
        self._placed: list[PlacedLine] = []
        self._glide = QPropertyAnimation(self.verticalScrollBar(), b"value", self)
        self._glide.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._glide.setDuration(_SCROLL_TIME)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName("pseudocode")

    # What is shown.

    def set_code(self, code: Code) -> None:
        """Show another algorithm."""
        self.code = code
        self.headings = len({line.line.algorithm for line in code.lines}) > 1
        self.picture = ShownPseudocode()
        self._anew = True
        self.typeset()

    def set_picture(self, picture: ShownPseudocode) -> None:
        """Show another moment; nothing is painted if nothing has changed."""
        if picture == self.picture and not self._anew:
            return
        was, self.picture = self.picture, picture
        if self._anew:
            self._anew = False
            self.typeset()
        elif not self._due:
            self._move_on(was, picture)
        if heard():
            describe(self, self._words())

    def _move_on(self, was: ShownPseudocode, picture: ShownPseudocode) -> None:
        """Show another moment with the present font size and widget size."""
        moved = (picture.current, picture.beside) != (was.current, was.beside)
        selected = picture.selected != was.selected
        before = self._looks(was)
        self._place()
        self._paint_again(before)
        if moved and picture.current is not None:
            self.bring_into_view(picture.current)
        elif selected and picture.selected is not None:
            self.bring_into_view(picture.selected)

    def _words(self) -> str:
        """The current line and all values as text for screen readers."""
        current, code = self.picture.marked, self.code
        said = [] if current is None else [f"{code.heading(current.algorithm)}, line {current.number}"]
        for line in code.lines:
            beside = self.picture.marks.get(line.line, {})
            if line.line == current or beside:
                said.append(
                    " ".join([code.plain[code.place[line.line]], *(without_markup(v.text) for v in beside.values())])
                )
        return "; ".join(said)

    def typeset(self) -> None:
        """Typeset all lines for the present font and size, and scroll to the current one."""
        self._due = True
        once_laid_out(self, self._typeset_due)

    def _typeset_due(self) -> None:
        """Typeset now if due, scrolled from the top without animation: earlier moments leave no trace."""
        if not self._due:
            return
        self._due = False
        self._glide.stop()
        self.verticalScrollBar().setRange(0, 0)  # nor does the result depend on the scroll bar's width
        self._set(0)
        self._place()
        self._keep_in_view()

    def _keep_in_view(self) -> None:
        """Repaint a new layout, scrolled to the current or selected line."""
        self.viewport().update()
        shown = self.picture.current or self.picture.selected
        if shown is not None:
            self.bring_into_view(shown, glide=False)

    def _set(self, setting: int) -> None:
        settings = _settings()
        self._setting = min(setting, len(settings) - 1)
        self._set_as = one = settings[self._setting]
        width, given = self.viewport().width(), (self.code, self.font().key())
        if given != self._given:
            self._given, self._layouts = given, {}
        if one not in self._layouts:
            self._layouts[one] = CodeLayout(self.code, self._type(), width, self.headings, one.tight, one.brief)
        self._layout = self._layouts[one]
        self._layout.wrap(width)
        self._placed = self._layout.placed(self.picture.beside, self.picture.current)

    def _place(self) -> None:
        """Lay out lines and values, as roomy as shows the whole current function; later moments keep the setting.

        If no setting does, the present one is kept; in lecture mode the tightest is used, which shows most lines.
        """
        self._placed = self._layout.placed(self.picture.beside, self.picture.current)
        roomy = self._setting
        while self._too_high() and self._setting < len(_settings()) - 1:
            self._set(self._setting + 1)
        if self._too_high() and not current_fonts().lecture:
            self._set(roomy)
        self._set_range()

    def _type(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * self._set_as.share)
        return font

    def _too_high(self) -> bool:
        """Whether the current function with its values is higher than the viewport."""
        place = None if self.picture.current is None else self.code.place.get(self.picture.current)
        if place is None:
            return False
        top, bottom = self._extent(self.code.function_of(place))
        return bottom - top > self.viewport().height()

    # Scrolling.

    def _set_range(self) -> None:
        height = self.viewport().height()
        whole = self._placed[-1].bottom + 6 if self._placed else 0
        bar = self.verticalScrollBar()
        bar.setRange(0, max(0, round(whole - height)))
        highest = max((one.bottom - _above(one) for one in self._placed), default=0.0)
        bar.setPageStep(max(1, round(height - highest)))  # so that a line cut at the edge is whole on the next page
        bar.setSingleStep(round(self._layout.row))

    def bring_into_view(self, line: Line, glide: bool = True) -> None:
        """Scroll as little as needed to show *line* with its whole algorithm, or at least its function, if they fit.

        Otherwise show it with the values that the last sub-step found, and a margin.
        """
        place = self.code.place.get(line)
        if place is None:
            return
        bar, room, row = self.verticalScrollBar(), self.viewport().height(), self._layout.row
        margin = 0.0
        whole = self.code.algorithm_of(place)
        top, bottom = self._placed[whole[0]].begin, self._placed[whole[-1]].bottom
        if bottom - top > room:
            top, bottom = self._extent(self.code.function_of(place))
        if bottom - top > room:
            (top, bottom), margin = self._extent([place, *self._fresh()]), 1.2 * row
        if bottom - top + 2 * margin > room:
            top, bottom = self._extent([place])
            margin = max(0.0, min(margin, (room - (bottom - top)) / 2))
        running = self._glide.state() == QAbstractAnimation.State.Running
        seen = self._glide.endValue() if running else bar.value()
        target = min(max(seen, bottom + margin - room), top - margin)
        self._scroll_to(round(min(max(target, bar.minimum()), bar.maximum())), seen, glide and self.isVisible())

    def _scroll_to(self, target: int, seen: int, glide: bool) -> None:
        bar = self.verticalScrollBar()
        if target == seen:
            return
        self._glide.stop()
        if not glide:
            bar.setValue(target)
            return
        self._glide.setStartValue(bar.value())
        self._glide.setEndValue(target)
        self._glide.start()

    def _extent(self, places: Sequence[int]) -> tuple[float, float]:
        """Top and bottom of some lines together."""
        placed = [self._placed[place] for place in places]
        return min(one.top for one in placed), max(one.bottom for one in placed)

    def _fresh(self) -> list[int]:
        """The lines beside which the last sub-step's values are shown."""
        return [
            self.code.place[line]
            for line, items in self.picture.beside.items()
            if any(item.fresh for item in items.values())
        ]

    def scrollContentsBy(self, _dx: int, _dy: int) -> None:
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        before, self._size = self._size, self.size()
        if self._size != before:
            self.typeset()
        elif not self._due:  # only the scroll bar has changed: the font size stays
            self._set(self._setting)
            self._place()
            self._keep_in_view()

    # Painting.

    def _looks(self, shown: ShownPseudocode) -> list[tuple[PlacedLine, bool, bool, bool, bool]]:
        """Everything that determines how each line is painted."""
        return [
            (placed, shown.dimmed, one.line in shown.marks, one.line == shown.marked, one.line == shown.selected)
            for one, placed in zip(self.code.lines, self._placed, strict=True)
        ]

    def _paint_again(self, before: Sequence[tuple[PlacedLine, bool, bool, bool, bool]]) -> None:
        """Repaint the lines that looked different *before*."""
        changed = QRegion()
        for was, now in zip(before, self._looks(self.picture), strict=True):
            if was != now:
                changed = changed.united(self._reach(was[0])).united(self._reach(now[0]))
        self.viewport().update(changed)

    def _reach(self, placed: PlacedLine) -> QRect:
        """The rectangle that a line may paint into, with its heading; subscripts extend into the next row."""
        top, row = placed.top - self.verticalScrollBar().value(), self._layout.row
        above = placed.top - placed.begin + row
        return QRectF(0, top - above, self.viewport().width(), above + placed.height + row).toAlignedRect()

    def paintEvent(self, event: QPaintEvent) -> None:
        self._typeset_due()
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), QColor(self.theme.panel))
        if self.picture.dimmed:
            painter.setOpacity(_DIMMED)
        painter.translate(0, -self.verticalScrollBar().value())
        seen, room = self._seen(), QRectF(self.viewport().rect())
        # When printing, Qt does not clip a widget to its viewport.
        whole = self._whole(seen) if current_fonts().lecture else room.translated(0, self.verticalScrollBar().value())
        painter.setClipRect(whole)
        seen = [(place, placed) for place, placed in seen if event.region().intersects(self._reach(placed))]
        for place, placed in seen:  # all backgrounds before any text
            strip = QRectF(0, placed.top, self.viewport().width(), placed.height)
            self._paint_ground(painter, self.code.lines[place].line, strip)
        kind = self._type()
        for place, placed in seen:
            painter.setFont(kind)  # drawing rich text changes the painter's font
            self._paint_line(painter, place, placed)
        painter.end()

    def _seen(self) -> list[tuple[int, PlacedLine]]:
        """The visible lines, each with its index; in lecture mode without those cut by the edges."""
        first = self.verticalScrollBar().value()
        last, about = first + self.viewport().height(), 4 * self._layout.row
        lines = [*enumerate(self._placed)]
        whole = [(place, one) for place, one in lines if self._holds(one)]
        if current_fonts().lecture and whole:
            return whole
        return [(place, one) for place, one in lines if first - about <= one.bottom and one.top <= last + about]

    def _whole(self, seen: Sequence[tuple[int, PlacedLine]]) -> QRectF:
        """The area in which lines are visible, from the first one's heading on unless the edge cuts that."""
        first, room = self.verticalScrollBar().value(), QRectF(self.viewport().rect())
        top = min((_above(one) if _above(one) >= first else one.top for _, one in seen), default=first)
        return QRectF(0, top, room.width(), first + room.height() - top)

    def _paint_line(self, painter: QPainter, place: int, placed: PlacedLine) -> None:
        line, top, ascent = self.code.lines[place].line, placed.top, 1 + self._layout.ascent
        if placed.heading is not None:
            above = top - placed.heading.size().height() - 2 + placed.heading.ascent
            draw_document(painter, placed.heading, QPointF(HEADING_LEFT, above), self.theme.muted)
        known = line in self.picture.beside
        ink = self.theme.normal if known or line == self.picture.current else self.theme.muted
        painter.setPen(QColor(self.theme.muted))
        number = str(line.number)
        right = self._layout.gutter - 10 - painter.fontMetrics().horizontalAdvance(number)
        painter.drawText(QPointF(right, top + ascent), number)
        base = QPointF(self._layout.indent(place), top + ascent)
        draw_document(painter, placed.document, base, self.theme.normal)
        # What the paper prints differently remains.
        for value in placed.values[: bool(self.code.lines[place].printed) if self.picture.past else None]:
            color = ink if value.fresh else self.theme.muted
            draw_document(painter, value.document, value.base + QPointF(0, top), color)

    def _ground(self, line: Line) -> str:
        if line == self.picture.marked:
            return self.theme.selection
        return self.theme.raised if line in self.picture.marks else self.theme.panel

    def _paint_ground(self, painter: QPainter, line: Line, strip: QRectF) -> None:
        bar = QRectF(strip.x(), strip.y(), 3, strip.height())
        painter.fillRect(strip, QColor(self._ground(line)))
        if line == self.picture.marked:
            painter.fillRect(bar, QColor(self.theme.run))
        elif line in self.picture.marks:
            painter.fillRect(bar, QColor(self.theme.border))
        if line == self.picture.selected:
            painter.setPen(QPen(QColor(self.theme.focus), 1))
            painter.drawRect(strip.adjusted(0.5, 0.5, -0.5, -0.5))

    # Pointing.

    def line_at(self, position: QPoint) -> Line | None:
        """The line at a position of the viewport; None if there is none."""
        self._typeset_due()
        y = position.y() + self.verticalScrollBar().value()
        for line, placed in zip(self.code.lines, self._placed, strict=True):
            if placed.top <= y < placed.bottom:
                return line.line
        return None

    def place_of(self, line: Line) -> QPoint:
        """The middle of a line's first row, at the left, in viewport coordinates."""
        self._typeset_due()
        top = self._placed[self.code.place[line]].top - self.verticalScrollBar().value()
        row = self._layout.row
        return QPoint(round(self._layout.gutter + row), round(top + row / 2))

    def is_whole(self, line: Line) -> bool:
        """Whether a line and its values are completely visible."""
        self._typeset_due()
        return self._holds(self._placed[self.code.place[line]])

    def _holds(self, placed: PlacedLine) -> bool:
        """Whether a line is within the edges, up to a pixel: lines end between pixels, scrolling does not."""
        top = self.verticalScrollBar().value()
        return top <= placed.top + 1 and placed.bottom <= top + self.viewport().height() + 1

    def mousePressEvent(self, event: QMouseEvent) -> None:
        line = self.line_at(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and line is not None:
            self.line_chosen.emit(line)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        if step is None or event.modifiers() or not self.code.lines:
            super().keyPressEvent(event)
            return
        known = self.picture.selected or self.picture.current
        place = self.code.place.get(known, -1 if step > 0 else 0) if known else -1
        place = min(max(place + step, 0), len(self.code.lines) - 1)
        self.line_chosen.emit(self.code.lines[place].line)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            line = self.line_at(event.pos())
            QToolTip.showText(event.globalPos(), self.tip(line) if line else "", self.viewport())
            return True
        return super().viewportEvent(event)

    def tip(self, line: Line) -> str:
        """The tooltip of a line."""
        values = self.picture.marks.get(line)
        visited = "" if self.picture.past else f", {'not ' if values is None else ''}visited in this event"
        name = f"{self.code.heading(line.algorithm)}, line {line.number}" if self.headings else f"Line {line.number}"
        shown = "; ".join(item.text for item in values.values()) if values else ""
        text = self.code.lines[self.code.place[line]].text
        return f"<p>{name}{visited}</p><p>{text}</p>{f'<p>{shown}</p>' if shown else ''}"


def _settings() -> tuple[TypeSetting, ...]:
    return _IN_HALL if current_fonts().lecture else _SETTINGS


def _above(line: PlacedLine) -> float:
    """Top of a line, heading included."""
    return line.top - (0.0 if line.heading is None else line.heading.size().height() + 2)
