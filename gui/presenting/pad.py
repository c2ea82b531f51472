"""What lies over a panel that has marks, or may get some: it paints them, and takes the mouse for a tool in hand.

Marks are legible from the back, over whatever is below them.
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

#: Pixels of a line's width, of what lies below it on either side, and of an arrow's head, at the usual size of type.
_WIDTH, _UNDER, _HEAD = 3.5, 2.0, 16.0

#: Half the angle of an arrow's head, and pixels around the words of a note.
_ANGLE, _PAD = math.radians(27), 5.0

#: The colour of the theme for each colour of a mark.
ROLES = {"red": "rejection", "blue": "focus", "ink": "normal"}


def picture_in(panel: QWidget) -> PointedPicture | None:
    """The picture of servers in a panel, if it shows one."""
    return next((one for one in panel.findChildren(PointedPicture) if one.isVisibleTo(panel)), None)


def base_of(panel: QWidget, on: Ground) -> QRectF | None:
    """Where what a mark's path is in shares of is in the panel; None: that cannot be seen."""
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
    """On what a mark with these points stands: the server at the end of an arrow or in the middle of all else.

    Where no server is, as at a caption, all of them together, which shrink and grow with the panel's room.
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
    """Points of a panel as a mark's path."""
    base = base_of(panel, on)
    assert base is not None
    return written_path(_shares(base, points))


def placed(panel: QWidget, mark: Mark) -> list[QPointF]:
    """The points of a mark in its panel; none where what it stands on cannot be seen."""
    base = base_of(panel, mark.ground)
    if base is None:
        return []
    return [QPointF(base.x() + x * base.width(), base.y() + y * base.height()) for x, y in mark.points]


def paint_mark(painter: QPainter, theme: Theme, room: QRectF, mark: Mark, points: list[QPointF]) -> None:
    """Paint a mark of a panel that is *room* large."""
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
    """Words on a plate that is kept within the panel."""
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


#: Pixels between two points of a stroke at least, and the length of an arrow at least.
_APART, _SHORTEST = 3.0, 12.0

#: Pixels of the width of a note's field, at the usual size of type, and characters of a note at most.
_FIELD, _LONGEST = 260, 120


class NoteField(QLineEdit):
    """Where a note is typed: Enter writes it, Esc gives it up."""

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
        """Esc is the field's."""
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
    """Show those of some marks over a panel that were drawn on it, as that of the policy *lane*, from 0."""
    if mine := [mark for mark in marks if (mark.panel, mark.policy - 1) == (panel.name, lane)]:
        MarkPad(panel).show_marks(mine)


class MarkPad(QWidget):
    """Marks over a panel."""

    drawn = Signal(dict)  #: the shape, the path, what it stands on and the text of a mark that was just drawn

    def __init__(self, panel: Panel) -> None:
        super().__init__(panel)
        self.setObjectName("marks")
        self._panel = panel
        self.marks: Sequence[Mark] = ()
        self._tool, self._color = "", "red"
        self._points: list[QPointF] = []  # of what is being drawn
        panel.installEventFilter(self)
        self.resize(panel.size())
        self.take("", "red")
        self.show()

    def eventFilter(self, _: QObject, event: QEvent) -> bool:
        """It is as large as its panel, and above what that shows."""
        if event.type() in {QEvent.Type.Resize, QEvent.Type.ChildAdded}:
            self.resize(self._panel.size())
            self.raise_()
        return False

    def show_marks(self, marks: Sequence[Mark]) -> None:
        self.marks = marks
        self.update()

    def take(self, tool: str, color: str) -> None:
        """A tool is in hand: a shape; or none."""
        self._tool, self._color, self._points = tool, color, []
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, not tool)
        if tool:
            self.setCursor(Qt.CursorShape.CrossCursor)
        for field in self.findChildren(NoteField):
            field.deleteLater()

    def ask_note(self, at: QPointF) -> None:
        """Have a note typed that begins at a point; one that is being typed is written."""
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
        """Hand over what was drawn."""
        ground = ground_of(self._panel, points)
        where = {"of": ground} if isinstance(ground, str) else {"on": ground}
        self.drawn.emit({"shape": shape, "path": path_of(self._panel, ground, points), "text": text, **where})

    # The mouse.

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Something begins here."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if self._tool == "note":
            self.ask_note(event.position())
        else:
            self._points = [event.position()]

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """A stroke goes on; an arrow points here."""
        if not self._points:
            return
        at = event.position()
        if self._tool == "arrow":
            self._points = [self._points[0], at]
        elif (at - self._points[-1]).manhattanLength() >= _APART:
            if len(self._points) == MOST_POINTS:  # the stroke is coarser, and goes on
                del self._points[1::2]
            self._points.append(at)
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """It is done; a mere click draws nothing."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        points, self._points = self._points, []
        self.update()
        long_enough = len(points) > 1 and (points[-1] - points[0]).manhattanLength() >= _SHORTEST
        if long_enough or (self._tool == "stroke" and len(points) > 1):
            self.give(self._tool, points)

    # Painting.

    def paintEvent(self, _: QPaintEvent) -> None:
        """All marks, and the one that is being drawn."""
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
