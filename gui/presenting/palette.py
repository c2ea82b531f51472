"""The tools that draw on pictures, on a small plate over the window: nothing moves when they are taken in hand."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSlider, QWidget

from slotscope.gui.language.words import tr
from slotscope.gui.presenting.strokes import ROLES
from slotscope.gui.theme import Theme
from slotscope.gui.widgets.boxes import EnterButton

#: Tools: the shape, its words, and a tip.
TOOLS = (
    ("stroke", "Pen", "Pen\nDraws freehand (N); Enter frames what is selected."),
    ("arrow", "Arrow", "Arrow\nDrag to where it points (Shift+N); Enter points at what is selected."),
    ("note", "Note", "Note\nClick where it is to stand (Ctrl+N); Enter puts it at what is selected."),
)

_COLORS = tuple((name, "■", f"{name.capitalize()}\nDraws in this colour.") for name in ROLES)

#: What else it offers: name, words, tip.
_DEEDS = (
    ("undo", "Undo", "Undo\nTakes the last mark back (Ctrl+Z)."),
    ("clear", "Clear", "Clear\nTakes all marks away (C); Ctrl+Z brings them back."),
    ("done", "Done", "Done\nPuts the pen away; the marks stay (Esc)."),
)


class PenPalette(QFrame):
    """Which tool and which colour are in hand.

    Signals
    -------
    chosen(tool, color)
        Another tool or colour.
    undone(), cleared(), put_away()
        What is to be done with the marks.
    pointed()
        A mark is to stand at what is selected.
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
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 3, 8, 3)
        self.buttons: dict[str, EnterButton] = {}
        for name, *words in (*TOOLS, *_COLORS, *_DEEDS):
            text, tip = map(tr, words)
            button = self.buttons[name] = EnterButton(self)
            button.setText(text)
            button.setToolTip(tip)
            button.setAccessibleName(tip.partition("\n")[0])
            button.setCheckable(name not in {"undo", "clear", "done"})
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
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
        """Take a tool in hand, in a colour."""
        self.tool, self.color = tool, color
        for name, *_ in TOOLS:
            self.buttons[name].setChecked(name == tool)
        for name in ROLES:
            self.buttons[name].setChecked(name == color)
        if not self.isVisible():
            for one in self._row:
                one.installEventFilter(self)
            self.show()
        self._place()
        inside = self.focusWidget()
        if inside is None or not inside.hasFocus():
            self.setFocus()  # Enter is its own
        self.chosen.emit(tool, color)

    def _place(self) -> None:
        """Above all else, over the run's speed and if need be its buttons: they have keys, and no number is hidden."""
        self.adjustSize()
        speed, coming = self._row[0], self._over.findChild(QLabel, "next")
        assert isinstance(coming, QLabel)
        at = speed.mapTo(self._over, QPoint(0, (speed.height() - self.height()) // 2))
        end = coming.mapTo(self._over, QPoint(0, 0)).x()
        self.move(max(0, min(at.x(), end - self.width())), at.y())
        self.raise_()

    @property
    def _row(self) -> tuple[QWidget, QWidget]:
        """What it lies over, and what that is in."""
        speed = self._over.findChild(QSlider, "speed")
        assert isinstance(speed, QSlider)
        around = speed.parentWidget()
        assert around is not None
        return speed, around

    def set_theme(self, theme: Theme) -> None:
        """Follow another theme or size of type."""
        for name, role in ROLES.items():
            self.buttons[name].setStyleSheet(f"color: {theme.color(role)}")
        if self.isVisible():
            self._place()

    def eventFilter(self, _: QObject, event: QEvent) -> bool:
        """It stays over that row."""
        if event.type() in {QEvent.Type.Move, QEvent.Type.Resize}:
            self._place()
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter puts a mark at what is selected."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.pointed.emit()
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """The pen is put away."""
        super().closeEvent(event)
        for one in self._row:
            one.removeEventFilter(self)
        self.put_away.emit()
        self._over.setFocus()
