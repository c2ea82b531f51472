"""A picture that is zoomed, dragged and pointed at: what every picture of servers does with the mouse and its keys."""

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

    #: Zoom by a factor around a point; show everything again.
    zoom: Callable[[float, QPointF], None]
    reset_zoom: Callable[[], None]
    #: What hovering at a point says.
    words_at: Callable[[QPointF], str]
    #: Move what is seen by so much.
    _drag: Callable[[QPointF], None]
    #: Say what is chosen by a click at a point, and whether an inspector of its own is to open; False: nothing is.
    _choose: Callable[[QPointF, bool], bool]
    #: Follow another theme or size of type.
    set_theme: Callable[[Theme], None]
    #: Paint the picture, as far as it is in a part of the widget; False where there is no room for it.
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
        """Outline a server or a job."""
        self._selection = selection
        self.update()

    def _is_of_another_run(self, frame: Frame) -> bool:
        """Whether *frame* is not of the runs that are shown."""
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
        if event.type() in kinds and hasattr(self, "_ratio"):  # which it has once it knows how it looks
            self.set_theme(self._theme)
