"""The first thing that is seen: painted by bare Qt, before anything heavy is imported.

PySide makes all enums of the namespace ``Qt`` where one is asked for first, a tenth of the time until something is
seen.  So nothing here names it, or calls what would take one for a colour: pens and brushes.  The splash has the keys
until the window comes, and keeps what is pressed for that: a lecturer presses F5 at once.
"""

from __future__ import annotations

from time import monotonic

from PySide6.QtCore import QEvent
from PySide6.QtGui import QColor, QFont, QKeyEvent, QKeySequence, QMouseEvent, QPainter, QPixmap, QTextDocument
from PySide6.QtWidgets import QApplication, QSplashScreen, QWidget

from slotscope.gui.language.words import tr
from slotscope.gui.theme import Theme, fonts

_WIDTH, _HEIGHT, _MARGIN = 460, 200, 28

#: Seconds in which it is there, or never.
_PATIENCE = 0.2


class Splash(QSplashScreen):
    """Shows a picture, and keeps the keys that are pressed meanwhile."""

    def __init__(self, picture: QPixmap) -> None:
        super().__init__(picture)
        self.pressed: list[QKeySequence] = []

    def event(self, event: QEvent) -> bool:
        """Its own way to be shown keeps the caller for a whole second (Qt 6.11), waiting for what has happened."""
        return QWidget.event(self, event) if event.type() == QEvent.Type.Show else super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """It goes once the window is there, and not at a click."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Kept, in their order."""
        self.pressed.append(QKeySequence(event.keyCombination()))


def show_splash(app: QApplication, theme: Theme) -> Splash:
    """Show the program's name until it is closed."""
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
    splash.activateWindow()  # to a window of this kind many systems give no keys unless it asks
    app.processEvents()
    return splash


def _write(painter: QPainter, font: QFont, colour: str, words: str, share: float, room: int) -> None:
    """A line of text with so much of the room that it leaves above it."""
    line = QTextDocument(documentMargin=0, defaultFont=font)
    line.setHtml(f"<span style='color: {colour}'>{words}</span>")
    above = _MARGIN + round(share * (room - line.size().height()))
    painter.translate(_MARGIN, above)
    line.drawContents(painter)
    painter.translate(-_MARGIN, -above)


def _paint_slots(painter: QPainter, theme: Theme, ratio: float) -> None:
    """A server with four filled slots and an empty one."""
    width, height = 52, 18
    top = _HEIGHT - _MARGIN - height
    for place, colour in enumerate((*theme.types[:4], theme.muted)):
        painter.drawPixmap(_MARGIN + place * (width + 4), top, _block(width, height, colour, ratio))
    inside = _block(width - 2, height - 2, theme.panel, ratio)
    painter.drawPixmap(_MARGIN + 4 * (width + 4) + 1, top + 1, inside)


def _block(width: int, height: int, colour: str, ratio: float) -> QPixmap:
    """A rectangle of a colour."""
    block = QPixmap(round(width * ratio), round(height * ratio))
    block.setDevicePixelRatio(ratio)
    block.fill(QColor(colour))
    return block
