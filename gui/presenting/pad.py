"""What lies over a panel that has marks, or may get some: it paints them, and takes the mouse for a tool in hand."""

from __future__ import annotations

from typing import Sequence

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from slotscope.gui.language.words import tr
from slotscope.gui.panel import Panel
from slotscope.gui.presenting.strokes import ground_of, paint_mark, path_of, placed
from slotscope.gui.theme import current_fonts
from slotscope.model.lessons.marks import MOST_POINTS, Mark

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
