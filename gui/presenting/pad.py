"""The layer over a panel that paints its marks, and takes the mouse while a drawing tool is active.

Marks have an outline, so that they are legible from the back of a room over any background.
"""

from __future__ import annotations

import math
from typing import Sequence

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QLineEdit, QWidget

from slotscope.gui.language.words import tr
from slotscope.gui.panel import Panel
from slotscope.gui.pictures.pointed import PointedPicture
from slotscope.gui.theme import Theme, current_fonts
from slotscope.model.lessons.marks import FURTHEST, MOST_POINTS, Ground, Mark, written_path

#: In pixels at the usual font size: a line's width, its outline's on either side, and the length of an arrow's head.
_WIDTH, _UNDER, _HEAD = 3.5, 2.0, 16.0

#: Half the angle of an arrow's head, in radians; and padding in pixels around the text of a note.
_ANGLE, _PAD = math.radians(27), 5.0

#: The theme's colour for each colour of a mark.
ROLES = {"red": "rejection", "blue": "focus", "ink": "normal"}


def picture_in(panel: QWidget) -> PointedPicture | None:
    """The visible picture of servers in a panel; None if it has none."""
    return next((one for one in panel.findChildren(PointedPicture) if one.isVisibleTo(panel)), None)


def base_of(panel: QWidget, on: Ground) -> QRectF | None:
    """The rectangle, in the panel, that a mark's path is relative to; None if it is not visible."""
    if on == "panel":
        return QRectF(panel.rect())
    picture = picture_in(panel)
    if picture is None:
        return None
    box = picture.content_box() if on == "picture" else picture.anchor_box(on)
    if box is None or box.isEmpty():
        return None
    return box.translated(QPointF(picture.mapTo(panel, picture.rect().topLeft())))


def ground_of(panel: QWidget, points: list[QPointF]) -> Ground:
    """What a mark with these points is attached to: the server at an arrow's end, or in the middle of other marks.

    Without a server there, as at a caption, it is the picture of all servers, which scales with the panel's size.
    """
    picture = picture_in(panel)
    if picture is None:
        return "panel"
    middle = points[-1] if len(points) == 2 else QPolygonF(points).boundingRect().center()
    at = picture.anchor_at(QPointF(picture.mapFrom(panel, middle)))
    grounds: tuple[Ground, ...] = ("picture",) if at is None else (at, "picture")
    bases = ((on, base_of(panel, on)) for on in grounds)
    return next((on for on, base in bases if base is not None and _is_near(base, points)), "panel")


def _is_near(base: QRectF, points: list[QPointF]) -> bool:
    return max(max(abs(x), abs(y)) for x, y in _shares(base, points)) < FURTHEST


def _shares(base: QRectF, points: list[QPointF]) -> tuple[tuple[float, float], ...]:
    return tuple(((point.x() - base.x()) / base.width(), (point.y() - base.y()) / base.height()) for point in points)


def path_of(panel: QWidget, on: Ground, points: list[QPointF]) -> str:
    """Points of a panel as a mark's path, relative to what the mark is attached to."""
    base = base_of(panel, on)
    assert base is not None
    return written_path(_shares(base, points))


def placed(panel: QWidget, mark: Mark) -> list[QPointF]:
    """The points of a mark in its panel; empty if what it is attached to is not visible."""
    base = base_of(panel, mark.ground)
    if base is None:
        return []
    return [QPointF(base.x() + x * base.width(), base.y() + y * base.height()) for x, y in mark.points]


def paint_mark(painter: QPainter, theme: Theme, room: QRectF, mark: Mark, points: list[QPointF]) -> None:
    """Paint a mark on a panel whose rectangle is *room*."""
    color = theme.color(ROLES[mark.color])
    if mark.shape != "note":
        _paint_line(painter, theme, color, mark.shape == "arrow", points)
    if mark.text:
        _paint_words(painter, theme, color, room, mark.text, points[0])


def _paint_line(painter: QPainter, theme: Theme, color: str, headed: bool, points: list[QPointF]) -> None:
    scale = current_fonts().scale
    lines = [QPolygonF(points)]
    if headed:
        lines.append(_head(points[0], points[1], _HEAD * scale))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for tone, width in ((theme.panel, _WIDTH + 2 * _UNDER), (color, _WIDTH)):
        round_ends = Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin
        painter.setPen(QPen(QColor(tone), width * scale, Qt.PenStyle.SolidLine, *round_ends))
        for line in lines:
            painter.drawPolyline(line)


def _head(start: QPointF, end: QPointF, size: float) -> QPolygonF:
    towards = math.atan2(end.y() - start.y(), end.x() - start.x())
    sides = [
        QPointF(end.x() - size * math.cos(towards + turn), end.y() - size * math.sin(towards + turn))
        for turn in (_ANGLE, -_ANGLE)
    ]
    return QPolygonF([sides[0], end, sides[1]])


def _paint_words(painter: QPainter, theme: Theme, color: str, room: QRectF, text: str, at: QPointF) -> None:
    """Paint a text on a plate that stays within the panel."""
    font = current_fonts().heading
    wrap = Qt.TextFlag.TextWordWrap
    most = QRectF(0, 0, max(1.0, 0.6 * room.width()), room.height())
    plate = QFontMetricsF(font).boundingRect(most, wrap, text).adjusted(-_PAD, -_PAD, _PAD, _PAD)
    plate.moveTopLeft(at)
    plate.moveLeft(max(room.left(), min(plate.left(), room.right() - plate.width() - 1)))
    plate.moveTop(max(room.top(), min(plate.top(), room.bottom() - plate.height() - 1)))
    painter.setFont(font)
    painter.setPen(QPen(QColor(color), 2.0))
    painter.setBrush(QColor(theme.panel))
    painter.drawRoundedRect(plate, 4, 4)
    painter.setPen(QColor(color))
    painter.drawText(plate.adjusted(_PAD, _PAD, _PAD, _PAD), wrap, text)


#: In pixels: the minimum distance between two points of a stroke, and the minimum length of an arrow.
_APART, _SHORTEST = 3.0, 12.0

#: Width of a note's field in pixels at the usual font size, and the maximum number of characters of a note.
_FIELD, _LONGEST = 260, 120


class NoteField(QLineEdit):
    """The field in which a note is typed: Enter places it, Esc cancels it."""

    def __init__(self, pad: MarkPad, at: QPointF) -> None:
        super().__init__(pad)
        self.setAccessibleName(tr("Note"))
        self.setPlaceholderText(tr("Note, then Enter"))
        self.setMaxLength(_LONGEST)
        self.setFont(current_fonts().heading)
        wide = min(pad.width(), round(_FIELD * current_fonts().scale))
        self.resize(wide, self.sizeHint().height())
        self.move(
            max(0, min(round(at.x()), pad.width() - wide)), max(0, min(round(at.y()), pad.height() - self.height()))
        )
        self.show()
        self.setFocus()

    def event(self, event: QEvent) -> bool:
        """Keep Esc from the window's shortcuts."""
        override = event.type() == QEvent.Type.ShortcutOverride
        if override and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.deleteLater()
            self.window().setFocus()
        else:
            super().keyPressEvent(event)


def mark_over(panel: Panel, lane: int, marks: Sequence[Mark]) -> None:
    """Show those of *marks* that belong to this panel and the policy *lane*, counted from 0."""
    if mine := [mark for mark in marks if (mark.panel, mark.policy - 1) == (panel.name, lane)]:
        MarkPad(panel).show_marks(mine)


class MarkPad(QWidget):
    """The layer of marks over a panel."""

    drawn = Signal(dict)  #: shape, path, ground and text of a mark just drawn

    def __init__(self, panel: Panel) -> None:
        super().__init__(panel)
        self.setObjectName("marks")
        self._panel = panel
        self.marks: Sequence[Mark] = ()
        self._tool, self._color = "", "red"
        self._points: list[QPointF] = []  # of the mark being drawn
        panel.installEventFilter(self)
        self.resize(panel.size())
        self.take("", "red")
        self.show()

    def eventFilter(self, _: QObject, event: QEvent) -> bool:
        """Keep the panel's size, and stay above its other children."""
        if event.type() in {QEvent.Type.Resize, QEvent.Type.ChildAdded}:
            self.resize(self._panel.size())
            self.raise_()
        return False

    def show_marks(self, marks: Sequence[Mark]) -> None:
        self.marks = marks
        self.update()

    def take(self, tool: str, color: str) -> None:
        """Activate a tool: the shape that it draws, or none if empty."""
        self._tool, self._color, self._points = tool, color, []
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, not tool)
        if tool:
            self.setCursor(Qt.CursorShape.CrossCursor)
        for field in self.findChildren(NoteField):
            field.deleteLater()

    def ask_note(self, at: QPointF) -> None:
        """Open a field for a note at a point; a note that is still being typed is placed first."""
        for unwritten in self.findChildren(NoteField):
            unwritten.returnPressed.emit()
        field = NoteField(self, at)
        field.returnPressed.connect(lambda: self._write(field, at))

    def _write(self, field: NoteField, at: QPointF) -> None:
        text = field.text().strip()
        field.deleteLater()
        self.window().setFocus()
        if text:
            self.give("note", [at], text)

    def give(self, shape: str, points: list[QPointF], text: str = "") -> None:
        """Emit the drawn mark."""
        ground = ground_of(self._panel, points)
        where = {"of": ground} if isinstance(ground, str) else {"on": ground}
        self.drawn.emit({"shape": shape, "path": path_of(self._panel, ground, points), "text": text, **where})

    # The mouse.

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a mark here."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if self._tool == "note":
            self.ask_note(event.position())
        else:
            self._points = [event.position()]

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Extend a stroke, or move an arrow's head here."""
        if not self._points:
            return
        at = event.position()
        if self._tool == "arrow":
            self._points = [self._points[0], at]
        elif (at - self._points[-1]).manhattanLength() >= _APART:
            if len(self._points) == MOST_POINTS:  # keep every other point, so that the stroke can go on
                del self._points[1::2]
            self._points.append(at)
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Finish the mark; a click without movement draws nothing."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        points, self._points = self._points, []
        self.update()
        long_enough = len(points) > 1 and (points[-1] - points[0]).manhattanLength() >= _SHORTEST
        if long_enough or (self._tool == "stroke" and len(points) > 1):
            self.give(self._tool, points)

    # Painting.

    def paintEvent(self, _: QPaintEvent) -> None:
        """Paint all marks, and the one being drawn."""
        painter, room = QPainter(self), QRectF(self.rect())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for mark in self.marks:
            if points := placed(self._panel, mark):
                paint_mark(painter, self._panel.theme, room, mark, points)
        if len(self._points) > 1:
            path = path_of(self._panel, "panel", self._points)
            fields = {"panel": self._panel.name, "shape": self._tool, "path": path, "color": self._color}
            draft = Mark.model_validate(fields)
            paint_mark(painter, self._panel.theme, room, draft, self._points)
