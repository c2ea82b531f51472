"""The commands of a presenter: laser pointer, pen, black-out, and starting and ending the lecture."""

from __future__ import annotations

from collections import deque
from functools import partial
from time import monotonic
from typing import Callable

from PySide6.QtCore import QEvent, QObject, QPointF, QRect, QRectF, Qt, QTimer
from PySide6.QtGui import QColor, QCursor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QRadialGradient
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import Shiboken

from slotscope.gui.docking.dock_area import DockArea
from slotscope.gui.language.words import tr
from slotscope.gui.presenting.pen import PenControl
from slotscope.gui.running.run_control import RunControl
from slotscope.gui.running.worker import RunWorker
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.window.lecture import LectureMode

_MODIFIERS = {Qt.Key.Key_Shift, Qt.Key.Key_Control, Qt.Key.Key_Alt, Qt.Key.Key_AltGr, Qt.Key.Key_Meta}


class BlackCover(QWidget):
    """Covers a window in black and takes its keys and clicks; the first one only removes the cover."""

    def __init__(self, window: QWidget, back: Callable[[], None]) -> None:
        super().__init__(window)
        self.setObjectName("black")
        self.setAccessibleName(tr("Black: any key brings the picture back"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.BlankCursor)
        self._back = back
        window.installEventFilter(self)
        self.setGeometry(window.rect())
        self.show()
        self.raise_()

    def eventFilter(self, window: QWidget, event: QEvent) -> bool:  # type: ignore[override]
        """Keep the window's size."""
        if event.type() == QEvent.Type.Resize:
            self.setGeometry(window.rect())
        return False

    def event(self, event: QEvent) -> bool:
        """Keep keys from the window's shortcuts."""
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return on any key, but a modifier or a repeat: the key that caused the black-out may still be held."""
        if event.key() not in _MODIFIERS and not event.isAutoRepeat():
            self._back()

    def mousePressEvent(self, _: QMouseEvent) -> None:
        """Return on a click, too."""
        self._back()

    def paintEvent(self, _: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), Qt.GlobalColor.black)


class Blackout:
    """Covers all windows of the program, and removes the covers."""

    def __init__(self, returned: Callable[[], None]) -> None:
        self._returned = returned
        self._covers: list[BlackCover] = []
        self._focus: QWidget | None = None

    @property
    def on(self) -> bool:
        """Whether the windows are covered."""
        return bool(self._covers)

    def begin(self) -> None:
        """Cover all visible windows."""
        if self.on:
            return
        self._focus = QApplication.focusWidget()
        seen = [one for one in QApplication.topLevelWidgets() if one.isVisible() and not one.isMinimized()]
        self._covers = [BlackCover(one, self.end) for one in seen]
        for cover in self._covers:
            if cover.window().isActiveWindow():
                cover.setFocus()

    def end(self) -> None:
        """Remove the covers, and restore the focus."""
        covers, self._covers = self._covers, []
        for cover in filter(Shiboken.isValid, covers):  # a closed window has destroyed its cover
            cover.hide()
            cover.deleteLater()
        if self._focus is not None and Shiboken.isValid(self._focus):
            self._focus.setFocus()
        self._focus = None
        self._returned()


#: Milliseconds between two reads of the pointer's position, and seconds until the trail has faded.
_PERIOD, _TRAIL = 16, 0.25

#: Radius of the dot in pixels at the usual font size, and the radius of its glow as a multiple of that.
_RADIUS, _GLOW = 7.0, 2.2


class LaserDot(QWidget):
    """The laser pointer's dot over the window; transparent to clicks.  While off it is hidden, and no timer runs."""

    def __init__(self, window: QWidget, theme: Theme) -> None:
        super().__init__(window)
        self._over = window
        self.setObjectName("laser")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.theme = theme
        self._trail: deque[tuple[float, QPointF]] = deque()
        self._painted = QRect()
        self._timer = QTimer(self, interval=_PERIOD)
        self._timer.timeout.connect(self._follow)
        self.hide()

    @property
    def on(self) -> bool:
        """Whether the laser pointer is on."""
        return self._timer.isActive()

    def toggle(self, on: bool) -> None:
        """Switch the laser pointer on or off."""
        self._trail.clear()
        self.setVisible(on)
        if on:
            self._follow()
            self._timer.start()
        else:
            self._timer.stop()

    def _follow(self) -> None:
        """Read the pointer's position; repaint only if the dot or its trail has changed."""
        if self.size() != self._over.size():
            self.resize(self._over.size())
        self.raise_()
        now, at = monotonic(), QPointF(self.mapFromGlobal(QCursor.pos()))
        moved = not self._trail or self._trail[-1][1] != at
        if moved:
            self._trail.append((now, at))
        old = len(self._trail)
        while len(self._trail) > 1 and self._trail[0][0] < now - _TRAIL:
            self._trail.popleft()
        if moved or len(self._trail) > 1 or len(self._trail) < old:
            self._repaint()

    def _repaint(self) -> None:
        reach = self._radius * _GLOW + 2
        dots = [QRectF(at, at).adjusted(-reach, -reach, reach, reach) for _, at in self._trail]
        area = QRectF()
        for dot in dots:
            area = area.united(dot)
        self.update(self._painted.united(area.toAlignedRect()))
        self._painted = area.toAlignedRect()

    @property
    def _radius(self) -> float:
        return _RADIUS * current_fonts().scale

    def paintEvent(self, _: QPaintEvent) -> None:
        """Paint the trail, smaller and fainter with age, and the dot."""
        painter, now = QPainter(self), monotonic()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        *passed, last = self._trail or [(now, QPointF(-1, -1))]
        for then, at in passed:
            left = max(0.0, 1 - (now - then) / _TRAIL)
            color = QColor(self.theme.rejection)
            color.setAlphaF(0.5 * left)
            painter.setBrush(color)
            painter.drawEllipse(at, self._radius * left, self._radius * left)
        here = last[1]
        glow = QRadialGradient(here, self._radius * _GLOW)
        for place, alpha in ((0.0, 1.0), (1 / _GLOW, 0.95), (1 / _GLOW + 0.08, 0.4), (1.0, 0.0)):
            color = QColor(self.theme.rejection)
            color.setAlphaF(alpha)
            glow.setColorAt(place, color)
        painter.setBrush(glow)
        painter.drawEllipse(here, self._radius * _GLOW, self._radius * _GLOW)


class Presenter(QObject):
    """Owns the presenter's tools: laser pointer, pen and black-out."""

    def __init__(self, area: DockArea, lecture: LectureMode, worker: RunWorker, control: RunControl) -> None:
        super().__init__(area)
        self._area, self._lecture, self._worker, self._control = area, lecture, worker, control
        self.laser = LaserDot(area.window, area.theme)
        self.pen = PenControl(area)
        self.blackout = Blackout(self._lighten)
        self._goes_on = False  # whether the run resumes after the black-out
        self._began = False  # whether F5 began the lecture, so that Esc ends it
        worker.opened.connect(lambda _: self.pen.show(()))
        lecture.switched.connect(self._follow_lecture)

    def commands(self) -> dict[str, Callable[[], object]]:
        """The commands that this object carries out, by name."""
        pen = self.pen
        return {
            "laser": lambda: self.laser.toggle(not self.laser.on),
            "pen": partial(pen.take, "stroke"),
            "arrow": partial(pen.take, "arrow"),
            "note": partial(pen.take, "note"),
            "clear_marks": pen.clear,
            "undo": lambda: pen.undo() if pen.in_hand or pen.cleared else self._area.layouts.undo(),
            "black": self.black,
            "show": self.begin_show,
            "break_here": lambda: self.black() if self._lecture.on else self._control.break_here(),
        }

    def _follow_lecture(self, on: bool) -> None:
        self._began &= on or self._lecture.returns
        self.pen.refresh()

    def set_theme(self, theme: Theme) -> None:
        self.laser.theme = theme
        self.pen.palette.set_theme(theme)

    @property
    def in_front(self) -> tuple[QWidget, ...]:
        """The widgets that Esc closes if they are visible: the pen's palette."""
        return (self.pen.palette,)

    # The black-out.

    def black(self) -> None:
        """Black out; pauses the run if its events are shown; an express run, which shows none, goes on."""
        frame = self._area.frame
        self._goes_on = frame is not None and frame.playing and not self._worker.drive.unseen
        if self._goes_on:
            self._control.pause()
        self.laser.hide()
        self.blackout.begin()

    def _lighten(self) -> None:
        self.laser.setVisible(self.laser.on)
        if self._goes_on:
            self._control.run()

    # The lecture, by the keys of a presenter's remote control.

    def begin_show(self) -> None:
        """Begin lecture mode, unless it is on."""
        if not self._lecture.on:
            self._began = True
            self._lecture.toggle()

    def end_show(self) -> None:
        """End a lecture that F5 began; if something still runs, stop that instead."""
        if self._began and self._lecture.on and not self._control.goes_on:
            self._lecture.leave()
        else:
            self._control.pause()
