"""The first thing that is seen: painted by bare Qt, before anything heavy is imported.

A label, not a QSplashScreen: that keeps its caller for a whole second (Qt 6.11), waiting for what has happened.
"""

from __future__ import annotations

from time import monotonic

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QLabel

from slotscope.gui.theme import Theme, fonts

_WIDTH, _HEIGHT, _MARGIN = 460, 200, 28

#: Seconds in which it is there, or never.
_PATIENCE = 0.2


def show_splash(app: QApplication, theme: Theme) -> QLabel:
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
    painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, "a laboratory for scheduling policies")
    _paint_slots(painter, theme)
    painter.end()
    splash = QLabel()
    splash.setWindowFlags(Qt.WindowType.SplashScreen | Qt.WindowType.FramelessWindowHint)
    splash.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    splash.setPixmap(picture)
    splash.resize(_WIDTH, _HEIGHT)
    splash.move(app.primaryScreen().availableGeometry().center() - splash.rect().center())
    splash.show()
    end = monotonic() + _PATIENCE
    while not splash.windowHandle().isExposed() and monotonic() < end:
        app.processEvents()
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
