"""The base of pictures of servers that are zoomed, dragged and clicked: mouse gestures and keys."""

from __future__ import annotations

from typing import Callable

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from slotscope.gui.intents import Select
from slotscope.gui.painting.text import WRAPPED
from slotscope.gui.theme import Theme
from slotscope.gui.widgets.gestures import Gestures
from slotscope.model.reporting.frame import Frame

#: A server's address in a picture: the section, and the index in it, both from 0.
Anchor = tuple[int, int]


class PointedPicture(QWidget):
    """Base of such pictures; subclasses supply the methods declared here."""

    chosen = Signal(object)  #: (Select)

    #: The server at a point, None if there is none; and the box of a server in the widget, None if it is not visible.
    anchor_at: Callable[[QPointF], Anchor | None]
    anchor_box: Callable[[Anchor], QRectF | None]
    #: The box of all servers together; None if nothing is drawn.
    content_box: Callable[[], QRectF | None]

    #: Zoom by a factor around a point; and show everything again.
    zoom: Callable[[float, QPointF], None]
    reset_zoom: Callable[[], None]
    #: The tooltip at a point.
    words_at: Callable[[QPointF], str]
    #: Move the picture by this vector.
    _drag: Callable[[QPointF], None]
    #: Select what is at a point, in a floating inspector if the flag is set; returns False if nothing is there.
    _choose: Callable[[QPointF, bool], bool]
    #: Apply another theme or font size.
    set_theme: Callable[[Theme], None]
    #: Paint the part of the picture in a rectangle of the widget; returns False if there is no room for the picture.
    _paint_picture: Callable[[QPainter, QRect], bool]

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._frame: Frame | None = None
        self._selection = Select()
        self._offset = (0, 0)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(name)
        gestures = Gestures(self, self.words_at)
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

    def set_selection(self, selection: Select) -> None:
        """Outline the selected server or job."""
        self._selection = selection
        self.update()

    def _is_of_another_run(self, frame: Frame) -> bool:
        """Whether the runs of *frame* differ from those shown."""
        shown = self._frame
        return shown is None or list(map(id, shown.runs)) != list(map(id, frame.runs))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.panel))
        if not self._paint_picture(painter, event.rect()) and self._frame is not None:
            painter.setPen(QColor(self._theme.muted))
            room = self.rect().adjusted(8, 8, -8, -8)
            painter.drawText(room, WRAPPED, "Too small to draw: make this panel larger.")
        painter.end()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        kinds = QEvent.Type.FontChange, QEvent.Type.DevicePixelRatioChange
        if event.type() in kinds and hasattr(self, "_ratio"):  # set once the constructor is done
            self.set_theme(self._theme)
