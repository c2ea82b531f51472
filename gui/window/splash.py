"""The first thing that is seen: painted by bare Qt, before anything heavy is imported."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QSplashScreen

from slotscope.gui.theme import Theme, fonts

_WIDTH, _HEIGHT, _MARGIN = 460, 200, 28


def show_splash(app: QApplication, theme: Theme) -> QSplashScreen:
    """Show the program's name until ``finish`` is called with the window."""
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
    splash = QSplashScreen(picture)
    splash.show()
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
