"""Marks on the window's pictures: drawn, undone, cleared, or set by a step of a lesson."""

from __future__ import annotations

from typing import Any, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent, QPolygonF
from PySide6.QtWidgets import QFrame, QSlider, QWidget
from shiboken6 import Shiboken

from slotscope.gui.docking.dock_area import DockArea
from slotscope.gui.docking.docks import PanelDock, lane_name
from slotscope.gui.language.words import tr
from slotscope.gui.presenting.pad import ROLES, MarkPad, base_of
from slotscope.gui.theme import Theme
from slotscope.gui.widgets.boxes import EnterButton
from slotscope.gui.widgets.rows import in_row
from slotscope.model.lessons.marks import Mark

#: Tools: shape, text, tip.
TOOLS = (
    ("stroke", "Pen", "Pen\nDraws freehand (N); Enter frames what is selected."),
    ("arrow", "Arrow", "Arrow\nDrag to where it points (Shift+N); Enter points at what is selected."),
    ("note", "Note", "Note\nClick where it is to stand (Ctrl+N); Enter puts it at what is selected."),
)

_COLORS = tuple((name, "■", f"{name.capitalize()}\nDraws in this colour.") for name in ROLES)

#: Other buttons: name, text, tip.
_DEEDS = (
    ("undo", "Undo", "Undo\nTakes the last mark back (Ctrl+Z)."),
    ("clear", "Clear", "Clear\nTakes all marks away (C); Ctrl+Z brings them back."),
    ("done", "Done", "Done\nPuts the pen away; the marks stay (Esc)."),
)


class PenPalette(QFrame):
    """The palette of drawing tools and colours.

    Signals
    -------
    chosen(tool, color)
        Another tool or colour was chosen.
    undone(), cleared(), put_away()
        The last mark is to be undone; all marks are to be cleared; the pen is to be put away.
    pointed()
        A mark is to be placed at the selection.
    """

    chosen = Signal(str, str)
    undone = Signal()
    cleared = Signal()
    put_away = Signal()
    pointed = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._over = window
        self.setObjectName("pen")
        self.setAccessibleName(tr("Pen"))
        self.setAutoFillBackground(True)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.tool, self.color = "stroke", "red"
        row = in_row(self, margins=(8, 3, 8, 3))
        self.buttons: dict[str, EnterButton] = {}
        for name, *words in (*TOOLS, *_COLORS, *_DEEDS):
            button = self.buttons[name] = EnterButton(*map(tr, words))
            button.setCheckable(name not in {"undo", "clear", "done"})
            row.addWidget(button)
        for name, *_ in TOOLS:
            self.buttons[name].clicked.connect(lambda _=False, tool=name: self.choose(tool, self.color))
        for name in ROLES:
            self.buttons[name].clicked.connect(lambda _=False, color=name: self.choose(self.tool, color))
        self.buttons["undo"].clicked.connect(self.undone)
        self.buttons["clear"].clicked.connect(self.cleared)
        self.buttons["done"].clicked.connect(self.close)
        self.hide()

    def choose(self, tool: str, color: str) -> None:
        """Activate a tool in a colour, and show the palette."""
        self.tool, self.color = tool, color
        for name, *_ in TOOLS:
            self.buttons[name].setChecked(name == tool)
        for name in ROLES:
            self.buttons[name].setChecked(name == color)
        if not self.isVisible():
            for one in (*self._row, *self._told):
                one.installEventFilter(self)
            self.show()
        self._place()
        inside = self.focusWidget()
        if inside is None or not inside.hasFocus():
            self.setFocus()  # so that Enter reaches the palette
        self.chosen.emit(tool, color)

    def _place(self) -> None:
        """Cover the speed slider and, if need be, buttons (they have shortcuts), but no number to be read."""
        self.adjustSize()
        speed, _ = self._row
        at = speed.mapTo(self._over, QPoint(0, (speed.height() - self.height()) // 2))
        told = [QRect(one.mapTo(self._over, QPoint()), one.size()) for one in self._told if one.isVisible()]
        beside = (box.left() for box in told if at.y() <= box.center().y() < at.y() + self.height())
        self.move(max(0, min(at.x(), min(beside, default=self._over.width()) - self.width())), at.y())
        self.raise_()

    @property
    def _told(self) -> tuple[QWidget, ...]:
        """Widgets to be kept readable: the next event, and in lecture mode with a lesson the current moment."""
        found = (self._over.findChild(QWidget, name) for name in ("next", "moment"))
        return tuple(one for one in found if one is not None)

    @property
    def _row(self) -> tuple[QWidget, QWidget]:
        """The slider that the palette covers, and its parent."""
        speed = self._over.findChild(QSlider, "speed")
        assert isinstance(speed, QSlider)
        around = speed.parentWidget()
        assert around is not None
        return speed, around

    def set_theme(self, theme: Theme) -> None:
        for name, role in ROLES.items():
            self.buttons[name].setStyleSheet(f"color: {theme.color(role)}")
        if self.isVisible():
            self._place()

    def eventFilter(self, _: QObject, event: QEvent) -> bool:
        """Follow the slider when it moves or is resized."""
        if event.type() in {QEvent.Type.Move, QEvent.Type.Resize}:
            self._place()
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Place a mark at the selection on Enter."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.pointed.emit()
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Put the pen away."""
        super().closeEvent(event)
        self.hide()  # Qt would hide it only later, and the tool would still take the mouse
        for one in self._row:
            one.removeEventFilter(self)
        self.put_away.emit()
        self._over.setFocus()


#: Maximum number of marks, as in a step of a lesson.
MOST_MARKS = 100

#: Half the side of the frame drawn if nothing is selected, in pixels.
_FRAME = 40


class PenControl(QObject):
    """Holds all marks; panels get a pad only if they have marks or a tool is active."""

    def __init__(self, area: DockArea) -> None:
        super().__init__(area)
        self._area = area
        self.marks: tuple[Mark, ...] = ()
        self._before: list[tuple[Mark, ...]] = []  # the marks before each change
        self._pads: dict[str, MarkPad] = {}
        self.palette = PenPalette(area.window)
        area.built.connect(self.refresh)
        self.palette.chosen.connect(self.refresh)
        self.palette.put_away.connect(self.refresh)
        self.palette.undone.connect(self.undo)
        self.palette.cleared.connect(self.clear)
        self.palette.pointed.connect(self._point)

    @property
    def in_hand(self) -> bool:
        """Whether a tool is active."""
        return self.palette.isVisible()

    @property
    def cleared(self) -> bool:
        """Whether all marks have been cleared, and can be brought back."""
        return bool(self._before) and not self.marks

    def take(self, tool: str) -> None:
        """Activate a tool; if it is active already, put it away."""
        if self.in_hand and self.palette.tool == tool:
            self.palette.close()
        else:
            self.palette.choose(tool, self.palette.color)

    def show(self, marks: Sequence[Mark]) -> None:
        """Replace all marks, and forget the changes that could be undone."""
        self._before = []
        self._become(tuple(marks))

    def _change(self, marks: tuple[Mark, ...]) -> None:
        self._before.append(self.marks)
        self._become(marks)

    def _become(self, marks: tuple[Mark, ...]) -> None:
        self.marks = marks
        self.refresh()

    def undo(self) -> bool:
        """Undo the last change; returns False if there is none."""
        if not self._before:
            return False
        self._become(self._before.pop())
        return True

    def clear(self) -> None:
        """Remove all marks."""
        if self.marks:
            self._change(())

    def refresh(self) -> None:
        """Create pads over the panels that need one, and remove the others."""
        drawing = self.palette.tool if self.in_hand else ""
        wanted: dict[str, list[Mark]] = {name: [] for name in self._area.docks if drawing}
        for mark in self.marks:
            wanted.setdefault(lane_name(mark.panel, mark.policy - 1), []).append(mark)
        for name, pad in [*self._pads.items()]:
            if name not in wanted or not Shiboken.isValid(pad):
                del self._pads[name]
                if Shiboken.isValid(pad):
                    pad.hide()
                    pad.deleteLater()
        for name, marks in wanted.items():
            if (dock := self._area.docks.get(name)) is not None and dock.is_built:
                pad = self._pad(name, dock)
                pad.take(drawing, self.palette.color)
                pad.show_marks(marks)

    def _pad(self, name: str, dock: PanelDock) -> MarkPad:
        if name not in self._pads:
            pad = self._pads[name] = MarkPad(dock.panel)
            pad.drawn.connect(lambda drawn: self._add(dock, drawn))
        return self._pads[name]

    def _add(self, dock: PanelDock, drawn: dict[str, Any]) -> None:
        whose = {"panel": dock.shows.name, "policy": dock.lane + 1, "color": self.palette.color}
        mark = Mark.model_validate({**whose, **drawn})
        self._change((*self.marks, mark)[-MOST_MARKS:])

    def _point(self) -> None:
        """Place a mark without a mouse: arrow, note or frame at the selected server, else in the middle."""
        dock = self._area.docks.get(self._area.roles.servers)
        if dock is None or not dock.isVisible():
            return
        panel, pad = dock.panel, self._pad(dock.name, dock)
        server = self._area.selection.server
        box = None if server is None else base_of(panel, (0, server))
        if box is None:
            middle = QRectF(pad.rect()).center()
            box = QRectF(middle, middle).adjusted(-_FRAME, -_FRAME, _FRAME, _FRAME)
        at = box.center()
        if self.palette.tool == "note":
            pad.ask_note(at)
        elif self.palette.tool == "arrow":
            away = 0.18 * min(pad.width(), pad.height())
            pad.give("arrow", [at - QPointF(away if at.x() > away else -away, away), at])
        else:
            pad.give("stroke", QPolygonF(box).toList())
