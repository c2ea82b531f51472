"""The splash screen: painted with plain Qt before anything heavy is imported.

PySide creates all enums of the namespace ``Qt`` when the first of them is used, which takes a tenth of the time until
something is seen.  So nothing here uses that namespace, or calls that would convert a colour to a pen or brush.  The
splash screen has the focus until the window is shown, and keeps the keys pressed meanwhile for it: a lecturer presses
F5 at once.
"""

from __future__ import annotations

from time import monotonic

from PySide6.QtCore import QEvent
from PySide6.QtGui import QColor, QFont, QKeyEvent, QKeySequence, QMouseEvent, QPainter, QPixmap, QTextDocument
from PySide6.QtWidgets import QApplication, QSplashScreen, QWidget

from slotscope.gui.language.words import tr
from slotscope.gui.theme import Theme, fonts

_WIDTH, _HEIGHT, _MARGIN = 460, 200, 28

#: Seconds to wait for the splash screen to be exposed.
_PATIENCE = 0.2


class Splash(QSplashScreen):
    """Shows a picture, and records the keys that are pressed meanwhile."""

    def __init__(self, picture: QPixmap) -> None:
        super().__init__(picture)
        self.pressed: list[QKeySequence] = []

    def event(self, event: QEvent) -> bool:
        """Bypass QSplashScreen's handling of Show, which blocks for a whole second (Qt 6.11) processing events."""
        return QWidget.event(self, event) if event.type() == QEvent.Type.Show else super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Do not hide at a click: the window closes the splash screen."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Record keys in order."""
        self.pressed.append(QKeySequence(event.keyCombination()))


def show_splash(app: QApplication, theme: Theme) -> Splash:
    """Show the splash screen; the caller closes it."""
    ratio = app.primaryScreen().devicePixelRatio()
    picture = _block(_WIDTH, _HEIGHT, theme.panel, ratio)
    painter = QPainter(picture)
    type_sizes, room = fonts(), _HEIGHT - 2 * _MARGIN
    _write(painter, type_sizes.display, theme.normal, "slotscope", 0.0, room)
    _write(painter, type_sizes.body, theme.muted, tr("a laboratory for scheduling policies"), 0.5, room)
    _paint_slots(painter, theme, ratio)
    painter.end()
    splash = Splash(picture)
    splash.move(app.primaryScreen().availableGeometry().center() - splash.rect().center())
    splash.show()
    end = monotonic() + _PATIENCE
    while not splash.windowHandle().isExposed() and monotonic() < end:
        app.processEvents()
    splash.activateWindow()  # many systems give such a window no focus otherwise
    app.processEvents()
    return splash


def _write(painter: QPainter, font: QFont, colour: str, words: str, share: float, room: int) -> None:
    """Write a line of text, with *share* of the spare *room* above it."""
    line = QTextDocument(documentMargin=0, defaultFont=font)
    line.setHtml(f"<span style='color: {colour}'>{words}</span>")
    above = _MARGIN + round(share * (room - line.size().height()))
    painter.translate(_MARGIN, above)
    line.drawContents(painter)
    painter.translate(-_MARGIN, -above)


def _paint_slots(painter: QPainter, theme: Theme, ratio: float) -> None:
    """Paint a server with four filled slots and an empty one."""
    width, height = 52, 18
    top = _HEIGHT - _MARGIN - height
    for place, colour in enumerate((*theme.types[:4], theme.muted)):
        painter.drawPixmap(_MARGIN + place * (width + 4), top, _block(width, height, colour, ratio))
    inside = _block(width - 2, height - 2, theme.panel, ratio)
    painter.drawPixmap(_MARGIN + 4 * (width + 4) + 1, top + 1, inside)


def _block(width: int, height: int, colour: str, ratio: float) -> QPixmap:
    """A rectangle in one colour."""
    block = QPixmap(round(width * ratio), round(height * ratio))
    block.setDevicePixelRatio(ratio)
    block.fill(QColor(colour))
    return block
