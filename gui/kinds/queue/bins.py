"""The servers of a queueing system as bins, each filled with its jobs to scale."""

from __future__ import annotations

import math
from itertools import zip_longest
from typing import Any, Iterator, NamedTuple, Sequence

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QWidget

from slotscope.gui.intents import Select
from slotscope.gui.kinds.queue.bins_content import slot_heights
from slotscope.gui.kinds.queue.bins_layout import BinWishes, fitting_bins
from slotscope.gui.kinds.queue.bins_raster import BinRaster, heat_color
from slotscope.gui.kinds.queue.bins_scene import BinScene, draw
from slotscope.gui.kinds.queue.bins_text import BinText, label_widths
from slotscope.gui.kinds.queue.bins_words import block_words, may_stall, server_words, size_on_block
from slotscope.gui.kinds.queue.colours import Look, paint_look, size_classes
from slotscope.gui.kinds.queue.wording import Interval, fraction_words, interval_words, lane_name
from slotscope.gui.painting.text import Symbols
from slotscope.gui.painting.textures import device_ratio, texture_scale, texture_tile
from slotscope.gui.pictures.legend import PictureLegend, paint_gradient, paint_pair, paint_tile
from slotscope.gui.pictures.marks import outline_server, outline_thing, paint_brackets, paint_reason, passed_role
from slotscope.gui.pictures.picture import PicturePanel, ZoomedPicture
from slotscope.gui.theme import Texture, Theme
from slotscope.model.kinds.queue.facts import QueueFacts
from slotscope.model.kinds.queue.numbers import QueueNumbers, QueuePool
from slotscope.model.reporting.frame import Frame
from slotscope.model.reporting.records import Evict, Place, Record, Renew, Stall

#: The legend names up to this many sizes one by one.
MOST_NAMED = 16


class BinEntry(NamedTuple):
    """An entry of the legend: words, and a mark; ``look`` counts only for the mark "jobs"."""

    words: str
    mark: str = "jobs"
    look: Look = None


def entries(
    numbers: QueueNumbers, facts: QueueFacts, jobs: bool, stalls: bool, intervals: bool = True
) -> list[BinEntry]:
    """The legend's entries, with *jobs* for bins that show each job, else for those that show only the share in use."""
    resources = [BinEntry(f"in each server: {', '.join(numbers.resource_names)}", "resources")]
    several = resources if numbers.resources > 1 else []
    stalled = [BinEntry("stalled", "lid")] if stalls else []
    if not jobs:
        return [BinEntry("share in use: none to all", "heat"), *several, *stalled]
    queues = facts.layout.queues
    if queues == 1:
        result = _size_entries(numbers)
    else:
        looks = size_classes(numbers).of_queues(numbers, facts)
        result = [
            BinEntry(_queue_words(numbers, facts, queue, intervals), "jobs", look) for queue, look in enumerate(looks)
        ]
        result += _smaller_entries(numbers, facts, intervals)
    result += [*several, BinEntry("service so far", "gauge")]
    if facts.has_configurations:
        result.append(BinEntry("active configuration", "slot"))
    if facts.reserves:
        result.append(BinEntry("reserved, empty", "reserved"))
    return result + stalled


def _smaller_entries(numbers: QueueNumbers, facts: QueueFacts, full: bool) -> list[BinEntry]:
    """Entries for the classes of smaller arriving sizes, all of which join the last virtual queue."""
    queues, looks = facts.layout.queues, size_classes(numbers).looks
    name = lane_name(facts, queues - 1)
    return [
        BinEntry(f"{name} {interval_words(interval) if full else f'≤ {fraction_words(interval[1])}'}", look=looks[one])
        for one, interval in _arriving(numbers).items()
        if facts.intervals and one >= queues
    ]


def _arriving(numbers: QueueNumbers) -> dict[int, Interval]:
    """The interval (low, high] of each class whose sizes arrive, as shares of a largest server."""
    whole, sizes = int(numbers.largest[0]), numbers.sizes
    return {
        one: (low, high)
        for one, (low, high) in enumerate(size_classes(numbers).intervals)
        if any(sizes.probability(low * whole, high * whole, d) for d in range(numbers.resources))
    }


def _size_entries(numbers: QueueNumbers) -> list[BinEntry]:
    """Entries for the classes of arriving sizes; with the sizes themselves if these are few."""
    classes = size_classes(numbers)
    told: dict[int, str] = {}
    if 0 < numbers.types <= MOST_NAMED and numbers.resources == 1:
        looks = classes.of(np.array(numbers.values, np.int64)).tolist()
        for value, look in zip(numbers.values, looks, strict=True):
            size = size_on_block(numbers, value[0], 0)
            told[look] = f"{told[look]}, {size}" if look in told else size
    else:
        told = {classes.looks[one]: interval_words(interval) for one, interval in _arriving(numbers).items()}
    first = next(iter(told), None)
    return [BinEntry(f"size {words}" if look == first else words, "jobs", look) for look, words in told.items()]


def _queue_words(numbers: QueueNumbers, facts: QueueFacts, queue: int, intervals: bool) -> str:
    name = lane_name(facts, queue)
    if not facts.intervals:
        return name if queue else f"size {name}"
    if not intervals:
        return name
    low, high = (numbers.fraction(edge) for edge in facts.intervals[queue])
    return f"{name} {interval_words((low, high))}"


class BinLegend(PictureLegend):
    """Lays out and paints the legend for one run, theme and font."""

    def __init__(
        self, numbers: QueueNumbers, facts: QueueFacts, lanes: Sequence[QueueFacts], text: Symbols, theme: Theme
    ) -> None:
        super().__init__(text, theme)
        self._numbers, self._facts, self._lanes = numbers, facts, lanes

    def _entries(self, jobs: bool, stalls: bool, full: bool) -> list[BinEntry]:
        return entries(self._numbers, self._facts, jobs, stalls, full)

    def _jobs(self) -> list[list[BinEntry]]:
        told = [entries(self._numbers, lane, jobs=True, stalls=False, intervals=False) for lane in self._lanes]
        return [[item for item in items if item.mark == "jobs"] for items in told]

    def _mark(self, painter: QPainter, item: BinEntry, rect: QRectF) -> None:
        theme = self._theme
        frame = rect.adjusted(0.5, 0.5, -0.5, -0.5)
        match item.mark:
            case "jobs":
                paint_look(painter, frame, theme, item.look)
            case "heat":
                paint_gradient(painter, frame, heat_color(theme, 0), heat_color(theme, 1))
                painter.drawRect(frame)
            case "resources":
                paint_pair(painter, frame)
            case "gauge":
                _gauge(painter, rect, theme)
            case "slot":
                middle = frame.height() / 2
                painter.drawRect(frame.adjusted(3, 0, -3, -middle))
                painter.drawRect(frame.adjusted(3, middle, -3, 0))
            case "reserved":
                _hatched(painter, frame, theme)
            case "lid":
                painter.drawPolyline([frame.topLeft(), frame.bottomLeft(), frame.bottomRight(), frame.topRight()])
                painter.fillRect(QRectF(rect.x(), rect.y(), rect.width(), 3), QColor(theme.run))


def _gauge(painter: QPainter, rect: QRectF, theme: Theme) -> None:
    painter.fillRect(rect, QColor(theme.empty))
    line = QRectF(rect.x(), rect.bottom() - 4, rect.width(), 3)
    painter.fillRect(line, QColor(theme.muted))
    line.setWidth(0.6 * rect.width())
    painter.fillRect(line, QColor(theme.run))


def _hatched(painter: QPainter, rect: QRectF, theme: Theme) -> None:
    scale = texture_scale(device_ratio(painter))
    paint_tile(painter, rect, texture_tile(Texture.FALLING, theme.panel, theme.reserved, scale))
    painter.drawRect(rect)


class BinMark(NamedTuple):
    """A server, or a job, that the current step names."""

    role: str  #: the role that names its colour in the theme
    server: int | None = None
    job: int | None = None


def marks(frame: Frame) -> tuple[BinMark, ...]:
    """The marks of the last sub-step, or else of all that was done in the last slot; none while the run goes on."""
    if frame.running:
        return ()
    found: list[BinMark] = []
    for record in frame.records[-1:] or frame.last_records:
        found += _marks_of(record, whole=not frame.records)
    return tuple(dict.fromkeys(found))


def _marks_of(record: Record, whole: bool) -> list[BinMark]:
    match record:
        case Place():
            named = [BinMark("run", job=record.job)]
            return named if whole else [*named, BinMark("run", server=record.server)]
        case Renew():
            return [BinMark("migration", server=record.server)]
        case Stall():
            role = "rejection" if record.stalled else "run"
            return [BinMark(role, server=record.server)]
        case Evict():
            return [BinMark("rejection", server=record.server)]
    if whole:
        return []  # servers and jobs that were only considered are not marked in the picture of a whole slot
    server, job = record.values.get("server"), record.values.get("job")
    return [
        *([BinMark("run", server=int(server))] if isinstance(server, int) else []),
        *([BinMark("run", job=int(job))] if isinstance(job, int) else []),
    ]


def paint_marks(painter: QPainter, scene: BinScene, named: tuple[BinMark, ...]) -> None:
    """Outline the servers and jobs of the marks."""
    for role in dict.fromkeys(mark.role for mark in named):
        mine = [mark for mark in named if mark.role == role]
        color = scene.theme.color(role)
        for server in {mark.server for mark in mine if mark.server is not None}:
            _outline_server(painter, scene, server, color)
        _outline_jobs(painter, scene, {mark.job for mark in mine if mark.job is not None}, color)


def paint_passed(painter: QPainter, scene: BinScene, text: Symbols) -> None:
    """Outline the servers that were passed over, and write the reason in each."""
    for one in scene.frame.passed_over:
        if scene.place_of(one.server) is not None:
            color = scene.theme.color(passed_role(one))
            _outline_server(painter, scene, one.server, color)
            paint_reason(painter, scene.server_rect(one.server), one.reasons, text, scene.theme, color)


def paint_selection(painter: QPainter, scene: BinScene, selection: Select) -> None:
    """Outline the selected server and the selected job."""
    if selection.server is not None and scene.place_of(selection.server) is not None:
        paint_brackets(painter, scene.server_rect(selection.server), scene.theme)
    if selection.job is not None:
        _outline_jobs(painter, scene, {selection.job}, scene.theme.run)


def _outline_server(painter: QPainter, scene: BinScene, server: int, color: str) -> None:
    if scene.place_of(server) is not None:
        outline_server(painter, scene.server_rect(server), color, scene.theme.panel, scene.layout.shows_jobs)


def _outline_jobs(painter: QPainter, scene: BinScene, jobs: set[int], color: str) -> None:
    for block in scene.blocks_with(jobs):
        for resource in range(scene.layout.wishes.resources):
            outline_thing(painter, scene.rect(scene.block_box(block, resource)), color, scene.theme.panel)


class BinView(ZoomedPicture):
    """The picture of every server as a bin with its jobs to scale."""

    least = 48.0
    _fitting = staticmethod(fitting_bins)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Servers as bins", parent)
        self._rasters = [BinRaster()]

    def _prepare(self, frame: Frame) -> None:
        numbers, facts = frame.info.numbers, frame.info.facts

        def share_of(pool: QueuePool) -> float:
            return float((np.array(pool.capacity) / numbers.largest).max())

        self._heights = slot_heights(numbers, facts)
        self._kinds, _ = label_widths(numbers, facts, self._text)
        # Bins of all lanes have the same size: each leaves the room that any of the lanes needs.
        lanes = [one.facts for one in frame.runs]
        self._legend = BinLegend(numbers, facts, lanes, self._text, self._theme)
        widths = [label_widths(numbers, one, self._text)[1] for one in lanes]
        self._wishes = BinWishes(
            counts=(numbers.servers,),
            pools=tuple((pool.count, share_of(pool)) for pool in numbers.pools),
            resources=numbers.resources,
            bars=any(slot_heights(numbers, one) is not None for one in lanes),
            line=max(1, round(self._text.height * self._ratio)),
            labels=tuple(math.ceil(max(line) * self._ratio) for line in zip_longest(*widths, fillvalue=0.0)),
            scale=texture_scale(self._ratio),
        )

    # Layout.

    def _made(self, frame: Frame, stage: QRectF) -> BinScene:
        layout = self._layout(stage, self._wishes)
        scene = BinScene(frame, layout, (frame.info.numbers,), stage, self._theme, self._ratio)
        draw(scene, self._rasters[0], self._heights)
        return scene

    # Pointing.

    def _selected(self, frame: Frame, hit: Any, floating: bool) -> Select:
        job = None if hit.record is None else int(frame.state.job_number[hit.record])
        return Select(server=hit.server, job=job, floating=floating)

    def _words(self, frame: Frame, hit: Any) -> str:
        return server_words(frame, hit.server) if hit.record is None else block_words(frame, hit.record)

    # Painting.

    def _paint_text(self, painter: QPainter, scene: BinScene) -> None:
        BinText(painter, scene, self._text).paint(self._kinds, self._heights)

    def _paint_marks(self, painter: QPainter, scene: BinScene) -> None:
        paint_marks(painter, scene, marks(scene.frame))
        paint_passed(painter, scene, self._text)  # above the other marks, as the headline is about these servers
        paint_selection(painter, scene, self._selection)

    def _paint_legend(self, painter: QPainter, scene: BinScene, area: QRectF) -> None:
        self._legend.paint(painter, area, scene.layout.shows_jobs, may_stall(scene.frame))


class ServerBinsPanel(PicturePanel):
    """The panel of every server as a bin: its jobs, its active configuration, and free room."""

    name = "bins"
    title = "Servers"
    summary = "Every server as a bin with its jobs to scale, and its active configuration."
    needs = frozenset({"bins"})
    picture = BinView

    @staticmethod
    def header(frame: Frame) -> list[str]:
        """The column names."""
        names = frame.info.numbers.resource_names
        uses = [f"{name} {what}" for name in names for what in ("in use", "in all")]
        active = ["active configuration"] if frame.info.facts.has_configurations else []
        return ["server", "pool", "jobs", *uses, *active, "state"]

    @staticmethod
    def rows(frame: Frame) -> Iterator[list[object]]:
        """One row per server: the use of each resource as the policy accounts for it, in the scenario's units."""
        state, numbers, facts = frame.state, frame.info.numbers, frame.info.facts
        for server, jobs in enumerate(state.jobs_on.tolist()):
            row: list[object] = [server + 1, numbers.pools[int(numbers.pool_of[server])].name, jobs]
            for d, (used, capacity) in enumerate(zip(state.used[server], numbers.capacity[server], strict=True)):
                row += [float(numbers.amount(used, d)), float(numbers.amount(capacity, d))]
            if facts.has_configurations:
                active = int(state.active[server])
                row.append(facts.configuration_names[active] if active >= 0 else "")
            yield [*row, "stalled" if state.stalled[server] else "in use" if jobs else "idle"]
