"""What a presenter's keys do: point, draw, black out, begin and end the lecture."""

from __future__ import annotations

from functools import partial
from typing import Callable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from slotscope.gui.docking.dock_area import DockArea
from slotscope.gui.presenting.blackout import Blackout
from slotscope.gui.presenting.laser import LaserDot
from slotscope.gui.presenting.pen import PenControl
from slotscope.gui.running.run_control import RunControl
from slotscope.gui.running.worker import RunWorker
from slotscope.gui.theme import Theme
from slotscope.gui.window.lecture import LectureMode


class Presenter(QObject):
    """What lies over the window."""

    def __init__(self, area: DockArea, lecture: LectureMode, worker: RunWorker, control: RunControl) -> None:
        super().__init__(area)
        self._area, self._lecture, self._worker, self._control = area, lecture, worker, control
        self.laser = LaserDot(area.window, area.theme)
        self.pen = PenControl(area)
        self.blackout = Blackout(self._lighten)
        self._goes_on = False  # whether the run goes on once the picture is back
        self._began = False  # whether F5 has begun the lecture, so that Esc ends it
        worker.opened.connect(lambda _: self.pen.show(()))
        lecture.switched.connect(self._follow_lecture)

    def commands(self) -> dict[str, Callable[[], object]]:
        """What carries out the commands, by their names."""
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
        """Follow another theme or size of type."""
        self.laser.theme = theme
        self.pen.palette.set_theme(theme)

    @property
    def in_front(self) -> tuple[QWidget, ...]:
        """What Esc puts away, if it is seen: the pen."""
        return (self.pen.palette,)

    # Black.

    def black(self) -> None:
        """Black out; a run that is watched waits, one that goes on unseen (express) goes on."""
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

    # The lecture, by the keys of a presenter's remote.

    def begin_show(self) -> None:
        """Lecture mode, unless it is on."""
        if not self._lecture.on:
            self._began = True
            self._lecture.toggle()

    def end_show(self) -> bool:
        """End the lecture that F5 has begun, where nothing runs; whether it did."""
        frame = self._area.frame
        ends = self._began and self._lecture.on and not (frame is not None and frame.playing)
        if ends:
            self._lecture.leave()
        return ends
