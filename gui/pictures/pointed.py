"""A picture that is zoomed, dragged and pointed at: what every picture of servers does with the mouse and its keys."""

from __future__ import annotations

from typing import Callable

from PySide6.QtCore import QPointF, QRectF, QSize, Signal
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QSizePolicy, QWidget

from slotscope.gui.painting.text import WRAPPED
from slotscope.gui.theme import Theme
from slotscope.gui.widgets.gestures import Gestures

#: A server as pictures know it: its section, and its place in that; both from 0.
Anchor = tuple[int, int]


class PointedPicture(QWidget):
    """Base of such pictures; a subclass has the methods that are declared here."""

    chosen = Signal(object)  #: a Select

    #: The section and the place of the server at a point, and where in the picture it is; None where it is not seen.
    anchor_at: Callable[[QPointF], Anchor | None]
    anchor_box: Callable[[Anchor], QRectF | None]
    #: Where all servers together are; None where nothing is drawn.
    content_box: Callable[[], QRectF | None]

    _theme: Theme

    #: Zoom by a factor around a point; show everything again.
    zoom: Callable[[float, QPointF], None]
    reset_zoom: Callable[[], None]
    #: What hovering at a point says.
    words_at: Callable[[QPointF], str]
    #: Move what is seen by so much.
    _drag: Callable[[QPointF], None]
    #: Say what is chosen by a click at a point, and whether an inspector of its own is to open; False: nothing is.
    _choose: Callable[[QPointF, bool], bool]

    def _become(self, name: str, pointed: QWidget) -> None:
        """Take the *name* and the room of a picture; the gestures are those on *pointed*."""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(name)
        gestures = Gestures(pointed, self.words_at)
        gestures.zoomed.connect(self.zoom)
        gestures.dragged.connect(self._drag)
        gestures.clicked.connect(lambda position: self._choose(position, False))
        gestures.double_clicked.connect(self._double)
        gestures.reset.connect(self.reset_zoom)

    def sizeHint(self) -> QSize:
        return QSize(900, 560)

    def _double(self, position: QPointF) -> None:
        if not self._choose(position, True):
            self.reset_zoom()

    def _paint_too_small(self, painter: QPainter) -> None:
        """Say that there is no room for the picture."""
        painter.setPen(QColor(self._theme.muted))
        painter.drawText(self.rect().adjusted(8, 8, -8, -8), WRAPPED, "Too small to draw: make this panel larger.")
