"""Lanes of waiting jobs: one for each virtual queue, the head of the line nearest to the servers."""

from __future__ import annotations

from fractions import Fraction
from typing import Callable

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Signal
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QToolButton, QWidget

from slotscope.gui.kinds.queue.queues_layout import LanesLayout, LaneText, length_share
from slotscope.gui.kinds.queue.queues_painting import LanesPainter, more_words
from slotscope.gui.kinds.queue.queues_reading import Focus, JobCell, LaneName, QueueLane
from slotscope.gui.kinds.queue.wording import interval_words
from slotscope.gui.plotting.scales import SteppedRange, format_number
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.chart import Chart


class LogSwitch(QToolButton):
    """A button that switches an axis to a logarithmic scale."""

    def __init__(self, what: str, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setText("log")
        self.setCheckable(True)
        self.setToolTip(f"Log: {what} on a logarithmic scale.")
        self.setAccessibleName(f"logarithmic {what}")
        self.restyle(theme)

    def restyle(self, theme: Theme) -> None:
        # The button is inside a picture, where without a border it would look like a label.
        edge = f"border: 1px solid {theme.border}; border-radius: 4px; padding: 0px 4px;"
        self.setStyleSheet(
            f"QToolButton {{ {edge} color: {theme.muted}; background: {theme.panel}; }}"
            f"QToolButton:hover, QToolButton:focus {{ border-color: {theme.focus}; }}"
            f"QToolButton:checked {{ color: {theme.normal}; background: {theme.selection}; }}"
        )
        self.setFont(current_fonts().body)
        self.adjustSize()

    def stand_at(self, right: float, height: float) -> None:
        """Move to the right end of a heading of this height."""
        self.adjustSize()
        self.move(round(right - self.width()), round((height - self.height()) / 2))


_USUAL_LENGTH = 1000.0


class LanesView(Chart):
    """The widget of lanes; its signals report the job or queue under the mouse."""

    resized = Signal()  #: the number of jobs that fit may have changed
    job_hovered = Signal(object)  #: number of the job under the mouse, or None
    job_clicked = Signal(int, bool)  #: a job's number, and whether by a double click
    queue_clicked = Signal(int, bool)  #: a queue whose lane was clicked beside its jobs, and whether it was doubly
    #: The tooltip for a job (by its record), or else for a queue.
    words_of: Callable[[int | None, int | None], str]

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "queues")
        self._names: tuple[LaneName, ...] = ()
        self._lanes: dict[int, QueueLane] = {}
        self._focus = Focus()
        self._hovered: int | None = None
        self._total = 0
        self._top, self._whole = Fraction(1), ""
        self._widest: dict[str, float] = {}
        self._most = SteppedRange(0.0, 1.0)
        self.switch = LogSwitch("lengths", theme, self)
        self.switch.toggled.connect(self.update)
        self.layout_of_lanes = LanesLayout(100, 100, 1, LaneText(10, 0, 0, 0, 0, 0))
        self.setMouseTracking(True)

    # What is shown.

    def begin(self, names: tuple[LaneName, ...], top: Fraction, whole: str) -> None:
        """Begin another run's queues; a job of size *top*, as a share of a *whole*, is as high as a lane."""
        self._names, self._top, self._whole = names, top, whole
        self._lanes, self._widest = {}, {}
        self._most = SteppedRange(0.0, 1.0)
        self._arrange()

    def set_lanes(self, lanes: tuple[QueueLane, ...], total: int, focus: Focus, running: bool) -> None:
        """Show these lanes, which are those in view; *total* is the number of all waiting jobs."""
        self._lanes = {lane.queue: lane for lane in lanes}
        self._total = total
        self._focus = focus
        longest = max((lane.length for lane in lanes), default=0)
        if self._most.follow(0.0, float(longest), running) and self._measure():
            self._arrange()
        self.update()

    def queues_in_view(self) -> range:
        """The lanes in view."""
        area = self.visibleRegion().boundingRect()
        if area.isEmpty():
            return range(len(self._names))
        return self.layout_of_lanes.lanes_in(area.top(), area.bottom() + 1)

    @property
    def most(self) -> int:
        """The largest number of jobs that can be drawn of a queue."""
        return self.layout_of_lanes.most

    @property
    def longest(self) -> float:
        """The queue length whose bar has the full width."""
        return self._most.high

    def lane(self, queue: int) -> QueueLane | None:
        return self._lanes.get(queue)

    def shown(self, queue: int) -> int:
        """The number of jobs drawn in a lane."""
        lane = self._lanes.get(queue)
        if lane is None:
            return 0
        return min(len(lane.first), self.layout_of_lanes.shown(lane.length))

    def height_of(self, job: JobCell) -> float:
        """The share of a lane's height for a job."""
        return job.share / float(self._top)

    def box_of(self, record: int) -> QRectF | None:
        """The rectangle of the job in a record; None if it is not drawn."""
        for queue, lane in self._lanes.items():
            for place, job in enumerate(lane.first[: self.shown(queue)]):
                if job.record == record:
                    return self.layout_of_lanes.job(queue, place, self.height_of(job))
        return None

    def restyle(self, theme: Theme) -> None:
        self._theme = theme
        self._widest = {}
        self.switch.restyle(theme)
        self._arrange()

    # Places.

    def _measure(self) -> bool:
        """Measure the widths of the texts; returns whether any has changed."""
        metrics = QFontMetricsF(current_fonts().heading)
        body = self._metrics()
        most = max(_USUAL_LENGTH, self._most.high)
        widest = {
            "numbers": metrics.horizontalAdvance(format_number(most)),
            "more": body.horizontalAdvance(more_words(int(most))),
            "brief": body.horizontalAdvance(more_words(int(most), brief=True)),
        }
        if not self._widest:
            intervals = [interval_words(name.interval) for name in self._names if name.interval]
            widest["names"] = max((body.horizontalAdvance(name.text) for name in self._names), default=0.0)
            widest["intervals"] = max(map(body.horizontalAdvance, intervals), default=0.0)
        before, self._widest = self._widest, self._widest | widest
        return self._widest != before

    def _arrange(self) -> None:
        self._measure()
        fonts = current_fonts()
        text = LaneText(fonts.metrics.height(), scale=fonts.scale, **self._widest)
        size = self.size()
        lanes = max(1, len(self._names))
        self.layout_of_lanes = LanesLayout(size.width(), size.height(), lanes, text)
        self.setMinimumHeight(round(LanesLayout(size.width(), 0, lanes, text).full_height))
        self.setMaximumHeight(round(LanesLayout(size.width(), 1e6, lanes, text).full_height))
        self.switch.setVisible(self.layout_of_lanes.has_bars)
        self.switch.stand_at(self.layout_of_lanes.jobs_right, self.layout_of_lanes.header)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(400, self.minimumHeight())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()
        self.resized.emit()

    # Painting.

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        drawing = LanesPainter(painter, self._theme, self.layout_of_lanes, self._names, self._top, self._whole)
        visible = event.rect()
        drawing.heading(self._most.high, self.switch.isChecked(), self.switch.x())
        if len(self._names) > 1:
            drawing.total(self._total)
        for queue in self.layout_of_lanes.lanes_in(visible.top(), visible.bottom() + 1):
            lane = self._lanes.get(queue)
            if lane is None:
                continue
            drawing.lane(lane)
            drawing.jobs(lane, self.shown(queue))
            drawing.marks(lane, self.shown(queue), self._focus, self._hovered)
            share = length_share(lane.length, self._most.high, self.switch.isChecked())
            drawing.bar(lane, share)
        painter.end()

    # The mouse.

    def _job_at(self, point: QPointF) -> JobCell | None:
        shown = [self.shown(queue) for queue in range(len(self._names))]
        hit = self.layout_of_lanes.job_at(point, shown)
        return None if hit is None else self._lanes[hit[0]].first[hit[1]]

    def _queue_at(self, point: QPointF) -> int | None:
        found = self.layout_of_lanes.lanes_in(point.y(), point.y() + 1)
        return found[0] if len(found) and found[0] < len(self._names) else None

    def _hover(self, job: JobCell | None) -> None:
        number = None if job is None else job.number
        if number != self._hovered:
            self._hovered = number
            self.job_hovered.emit(number)
            self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self._job_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover(None)

    def pick(self, point: QPointF, double: bool) -> bool:
        """Report a click on the job at *point*, or else on the lane's queue; returns whether there was one."""
        job, queue = self._job_at(point), self._queue_at(point)
        if job is not None:
            self.job_clicked.emit(job.number, double)
        elif queue is not None:
            self.queue_clicked.emit(queue, double)
        return job is not None or queue is not None

    def tip_at(self, point: QPointF) -> str:
        """The panel's words for the job or queue at *point*."""
        job = self._job_at(point)
        return self.words_of(None if job is None else job.record, self._queue_at(point))
