"""The first thing that is seen: painted by bare Qt, before anything heavy is imported.

A label, not a QSplashScreen: that keeps its caller for a whole second (Qt 6.11), waiting for what has happened.
It has the keys until the window comes, and keeps what is pressed for that: a lecturer presses F5 at once.
"""

from __future__ import annotations

from time import monotonic

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QKeyEvent, QKeySequence, QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QLabel

from slotscope.gui.language.words import tr
from slotscope.gui.theme import Theme, fonts

_WIDTH, _HEIGHT, _MARGIN = 460, 200, 28

#: Seconds in which it is there, or never.
_PATIENCE = 0.2


class Splash(QLabel):
    """Shows a picture, and keeps the keys that are pressed meanwhile."""

    def __init__(self, picture: QPixmap) -> None:
        super().__init__()
        self.pressed: list[QKeySequence] = []
        self.setWindowFlags(Qt.WindowType.SplashScreen | Qt.WindowType.FramelessWindowHint)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setPixmap(picture)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Kept, in their order."""
        self.pressed.append(QKeySequence(event.keyCombination()))


def show_splash(app: QApplication, theme: Theme) -> Splash:
    """Show the program's name until it is closed."""
    ratio = app.primaryScreen().devicePixelRatio()
    picture = QPixmap(round(_WIDTH * ratio), round(_HEIGHT * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(QColor(theme.panel))
    painter = QPainter(picture)
    room = QRect(_MARGIN, _MARGIN, _WIDTH - 2 * _MARGIN, _HEIGHT - 2 * _MARGIN)
    type_sizes = fonts()
    painter.setPen(QColor(theme.normal))
    painter.setFont(type_sizes.display)
    painter.drawText(room, Qt.AlignmentFlag.AlignTop, "slotscope")
    painter.setPen(QColor(theme.muted))
    painter.setFont(type_sizes.body)
    painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, tr("a laboratory for scheduling policies"))
    _paint_slots(painter, theme)
    painter.end()
    splash = Splash(picture)
    splash.resize(_WIDTH, _HEIGHT)
    splash.move(app.primaryScreen().availableGeometry().center() - splash.rect().center())
    splash.show()
    end = monotonic() + _PATIENCE
    while not splash.windowHandle().isExposed() and monotonic() < end:
        app.processEvents()
    splash.activateWindow()  # to a window of this kind many systems give no keys unless it asks
    app.processEvents()
    return splash


def _paint_slots(painter: QPainter, theme: Theme) -> None:
    """A server with four filled slots and an empty one."""
    width, height = 52, 18
    for place in range(5):
        box = QRect(_MARGIN + place * (width + 4), _HEIGHT - _MARGIN - height, width, height)
        if place < 4:
            painter.fillRect(box, QColor(theme.types[place]))
        else:
            painter.setPen(QColor(theme.muted))
            painter.drawRect(box)
