"""What is selected: brackets at four corners, where what a step names has a frame around it."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from slotscope.gui.theme import Theme

#: The pen, the gap to what is selected, and a corner's arms: a share of the shorter side, at most.
WIDTH, GAP, _ARM, _LONGEST = 3.0, 4.0, 0.3, 14.0


def paint_brackets(painter: QPainter, rect: QRectF, theme: Theme) -> None:
    """Brackets outside the corners of *rect*, over whatever frame it has."""
    around = rect.adjusted(-GAP, -GAP, GAP, GAP)
    arm = min(_LONGEST, _ARM * min(around.width(), around.height()))
    centre = around.center()
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for tone, width in ((theme.panel, WIDTH + 2), (theme.run, WIDTH)):
        pen = QPen(QColor(tone), width, c=Qt.PenCapStyle.SquareCap, j=Qt.PenJoinStyle.MiterJoin)
        painter.setPen(pen)
        for corner in (around.topLeft(), around.topRight(), around.bottomRight(), around.bottomLeft()):
            x = arm if corner.x() < centre.x() else -arm
            y = arm if corner.y() < centre.y() else -arm
            painter.drawPolyline([corner + QPointF(x, 0), corner, corner + QPointF(0, y)])
