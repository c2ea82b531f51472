"""The numbers of jobs by the number of servers that they run on, now and on average, beside the optimum."""

from __future__ import annotations

from typing import Iterable

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QResizeEvent
from PySide6.QtWidgets import QLabel, QWidget

from slotscope.gui.intents import Select
from slotscope.gui.kinds.moldable.allocations_layout import Facet, Measures, WidthSpan, facet, grid, least_height
from slotscope.gui.kinds.moldable.allocations_marks import EventMark, Flashes, event_mark
from slotscope.gui.kinds.moldable.allocations_painting import FacetPainter
from slotscope.gui.kinds.moldable.allocations_values import (
    ClassAllocations,
    WidthColumn,
    caption_width,
    class_rows,
    column_words,
    columns_of,
    number_width,
    tiles,
)
from slotscope.gui.painting.kept import Kept
from slotscope.gui.painting.text import WRAPPED
from slotscope.gui.panels.tiles import TiledPanel
from slotscope.gui.plotting.scales import SteppedRange, format_number
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.boxes import ChoiceBox
from slotscope.gui.widgets.chart import Chart
from slotscope.gui.widgets.gestures import Gestures
from slotscope.gui.widgets.rows import STRETCH, in_row
from slotscope.model.reporting.frame import Frame

#: Milliseconds between repaints of fading flashes while no frame arrives; frames are more frequent.
_FADING = 100
#: Upper end of the axis of jobs, relative to the largest number.
_HEADROOM = 1.06
#: Least width in characters of a facet, for two side by side.
_LETTERS = 42


class AllocationsChart(Chart):
    """The chart; ``picked`` is emitted with the class and the width that were clicked."""

    picked = Signal(int, int)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "jobs by the servers that they run on")
        self.rows: tuple[ClassAllocations, ...] = ()  #: all classes
        self.mark: EventMark | None = None  #: the event that is marked
        self.flashes = Flashes()  #: recently blocked arrivals, still visible
        self._chosen = 0
        self._spans: dict[int, WidthSpan] = {}
        self._scales: dict[int, SteppedRange] = {}
        self.facets: dict[int, Facet] = {}  #: the facet of each visible class
        self._kept = Kept()  # cached pixels of what does not change
        self._fading = QTimer(self, interval=_FADING)
        self._fading.timeout.connect(self._fade)
        gestures = Gestures(self)
        gestures.zoomed.connect(self._zoom)
        gestures.dragged.connect(self._drag)
        gestures.clicked.connect(self._click)
        gestures.double_clicked.connect(lambda _: self.show_all())
        gestures.reset.connect(self.show_all)

    # What is shown.

    def begin(self) -> None:
        self._spans, self._scales, self._chosen = {}, {}, 0
        self._kept.forget()

    def set_rows(self, rows: tuple[ClassAllocations, ...], mark: EventMark | None, running: bool) -> None:
        """Show the classes of a frame, and its event."""
        self.rows, self.mark = rows, mark
        changed = False
        for row in rows:
            scale = self._scales.setdefault(row.job_class, SteppedRange(0.0, 1.0))
            changed |= scale.follow(0.0, _HEADROOM * row.most, running)
        if changed or len(self.facets) == 0:
            self._lay_out()
        if self.flashes.left():
            self._fading.start()
        self.update()

    def columns(self, job_class: int) -> tuple[WidthColumn, ...]:
        """The columns drawn for a visible class."""
        row, place = self.rows[job_class], self.facets[job_class]
        return columns_of(row, *place.seen(row.degree), place.together)

    def choose(self, job_class: int) -> None:
        """Show this class if there is no room for all."""
        self._chosen = job_class
        self._lay_out()
        self.update()

    def restyle(self, theme: Theme) -> None:
        self._theme = theme
        self._lay_out()
        self.update()

    def _fade(self) -> None:
        if not self.flashes.left():
            self._fading.stop()
        self.update()

    # Geometry.

    def fits_all(self) -> bool:
        """Whether there is room for all classes."""
        return len(self.rows) <= 1 or bool(self._grid(self._measures(self.rows)))

    def _measures(self, rows: tuple[ClassAllocations, ...]) -> Measures:
        metrics = self._metrics()
        numbers = [number_width(metrics, row, self._scales[row.job_class].high) for row in rows]
        return Measures(metrics.height(), caption_width(metrics), max(numbers, default=0.0))

    def _grid(self, measures: Measures) -> tuple[QRectF, ...]:
        area = QRectF(0, 0, self.width(), self.height())
        wide = _LETTERS * self._metrics().averageCharWidth()
        return grid(area, len(self.rows), measures, wide)

    def _lay_out(self) -> None:
        """Compute the facets after a change of size, font, class, zoom or scale."""
        self.facets = {}
        self._kept.forget()
        if not self.rows:
            return
        measures = self._measures(self.rows)
        shown, areas = self.rows, self._grid(measures)
        if len(shown) > 1 and not areas:
            shown = (self.rows[self._chosen],)
        if len(shown) == 1:
            areas = (QRectF(0, 0, self.width(), self.height()),)
            if areas[0].height() < least_height(measures, False) or self.width() < 100:
                return
        for row, area in zip(shown, areas, strict=True):
            span = self._spans.get(row.job_class, WidthSpan(0.0, float(row.degree)))
            highest = format_number(self._scales[row.job_class].high)
            axis = self._metrics().horizontalAdvance(highest)
            mine, asked = self._measures((row,)), bool(row.asked.any())
            self.facets[row.job_class] = facet(area, len(shown) > 1, mine, axis, span, asked)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def sizeHint(self) -> QSize:
        return QSize(400, round(14 * self._metrics().height()))

    def minimumSizeHint(self) -> QSize:
        return QSize(80, round(4 * self._metrics().height()))

    # The mouse.

    def facet_at(self, point: QPointF) -> tuple[ClassAllocations, Facet] | None:
        for job_class, place in self.facets.items():
            top = min(place.title.top(), place.lane.top())
            if (
                top <= point.y() <= place.bar.bottom()
                and place.words.left() - 20 <= point.x()
                and point.x() <= place.plot.right() + 20
            ):
                return self.rows[job_class], place
        return None

    def _zoom(self, factor: float, around: QPointF) -> None:
        found = self.facet_at(around)
        if found is not None:
            row, place = found
            x = min(max(around.x(), place.plot.left()), place.plot.right())
            at = place.span.low + (x - place.plot.left()) / place.pitch
            self._look(row, place.span.zoomed(factor, at, row.degree))

    def _drag(self, by: QPointF) -> None:
        for job_class, place in list(self.facets.items()):
            row = self.rows[job_class]
            self._look(row, place.span.moved(-by.x() / place.pitch, row.degree))

    def _look(self, row: ClassAllocations, span: WidthSpan) -> None:
        self._spans[row.job_class] = span
        self._lay_out()
        self.update()

    def show_all(self) -> None:
        """Undo the zoom, so that all widths are visible."""
        self._spans = {}
        self._lay_out()
        self.update()

    def _click(self, point: QPointF) -> None:
        found = self.facet_at(point)
        width = found[1].width_at(point, found[0].degree) if found else None
        if found is not None and width is not None:
            self.picked.emit(found[0].job_class, width)

    def tip_at(self, point: QPointF) -> str:
        """The tooltip of the column at a point."""
        found = self.facet_at(point)
        width = found[1].width_at(point, found[0].degree) if found else None
        if found is None or width is None:
            return (
                "Columns: jobs that run on 1, 2, ... servers now; gold: n y*, the optimum; "
                "dark line: the average so far. The wheel enlarges."
            )
        row, place = found
        (column,) = columns_of(row, width, width, place.together)
        return column_words(row, column)

    # Painting.

    def paint(self, painter: QPainter) -> None:
        self._kept.paint(painter, self.rect(), QColor(self._theme.panel), None, self._paint_still)
        if self.rows and not self.facets:
            painter.setPen(QColor(self._theme.muted))
            painter.drawText(self.rect().adjusted(8, 4, -8, -4), WRAPPED, "Too small to draw: make this panel larger.")
        left = self.flashes.left()
        for job_class, place in self.facets.items():
            row = self.rows[job_class]
            high = self._scales[job_class].high
            looks = FacetPainter(painter, self._theme, place, row, high)
            looks.columns({request: share for (one, request), share in left.items() if one == job_class})
            looks.numbers()
            looks.servers()
            if self.mark is not None and self.mark.job_class == job_class:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                looks.mark(self.mark)
                painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _paint_still(self, painter: QPainter) -> None:
        for job_class, place in self.facets.items():
            FacetPainter(painter, self._theme, place, self.rows[job_class], self._scales[job_class].high).still()


#: Least panel height in pixels for tiles above the chart.
_LOW = 300


class AllocationsPanel(TiledPanel):
    """X_1, ..., X_d of each class against n y*, and what became of the last request."""

    name = "allocations"
    title = "Allocations"
    summary = "How many jobs run on 1, 2, ... servers, now and on average, beside the optimum."
    needs = frozenset({"moldable"})

    def build(self) -> None:
        """Create the tiles, a choice of class for when not all fit, and the chart."""
        super().build()
        self.chart = AllocationsChart(self.theme)
        self.chart.picked.connect(self._pick)
        self.follow_theme(self.chart)
        self.column.addWidget(self._build_choice())
        self.column.addWidget(self.chart, 1)

    def _build_choice(self) -> QWidget:
        self.choice = QWidget(self.body)
        caption = QLabel("Class")
        self.job_class = ChoiceBox()
        self.job_class.setAccessibleName("job class")
        self.job_class.setToolTip("Class: choose the class of jobs that is shown; a larger panel shows all.")
        self.job_class.activated.connect(self.chart.choose)
        caption.setBuddy(self.job_class)
        in_row(self.choice, caption, self.job_class, STRETCH, margins=(10, 0, 10, 0))
        return self.choice

    # Frames.

    def begin(self, frame: Frame) -> None:
        """Show the classes of another run."""
        self.chart.begin()
        self.job_class.clear()
        self.job_class.addItems(list(frame.info.numbers.class_names))
        self.chart.set_rows(class_rows(frame), None, frame.running)
        self.arrange()

    def show_frame(self, frame: Frame) -> None:
        """Update the columns with each frame, and the tiles a few times a second."""
        self.chart.flashes.take(frame)
        self.chart.set_rows(class_rows(frame), event_mark(frame), frame.running)
        if self.numbers_due(frame):
            self.tiles.set_texts(tiles(frame))

    def _pick(self, job_class: int, width: int) -> None:
        """Select a job of this class and width; each further click selects the next one."""
        if self.frame is None:
            return
        state = self.frame.state
        there = (state.job_number >= 0) & (state.job_class == job_class)
        records = np.flatnonzero(there & (state.job_width == width)).tolist()
        if records:
            before = -1 if self.selection.server is None else self.selection.server
            record = next((one for one in records if one > before), records[0])
            self.intent.emit(Select(server=record, job=int(state.job_number[record])))

    # The window.

    def arrange(self) -> None:
        """Show the choice of a class if there is no room for all classes."""
        self.tiles.setVisible(self.height() >= _LOW * current_fonts().scale)
        self.choice.setVisible(self.job_class.count() > 1 and not self.chart.fits_all())

    def series(self) -> tuple[list[str], Iterable[Iterable[object]]] | None:
        """A row for every class and width."""
        frame = self.frame
        if frame is None or self.needs - frame.info.offers:
            return None
        names = ["class", "servers", "jobs_now", "jobs_on_average", "optimum", "asked", "speedup"]
        return names, (
            (
                frame.info.numbers.class_names[row.job_class],
                width,
                int(row.now[width]),
                float(row.mean[width]),
                float(row.target[width]),
                float(row.asked[width]),
                float(row.speedup[width]),
            )
            for row in class_rows(frame)
            for width in range(1, row.degree + 1)
        )
