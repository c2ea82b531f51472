"""The plane of service rates for two job sizes: the picture of a run, and its service at one moment.

Psychas & Ghaderi (2019), Section III.A, (4), and the examples of Sections VII.A.1 and VII.A.2.
A server that always holds configuration k serves mu k jobs per slot; configurations count jobs by
size, the smaller size first.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from slotscope.gui.painting.text import CENTRE, RIGHT
from slotscope.gui.panels.wording import significant
from slotscope.gui.plotting.scales import format_number, step_up
from slotscope.gui.theme import Theme, current_fonts
from slotscope.model.kinds.queue.facts import QueueFacts
from slotscope.model.kinds.queue.numbers import QueueNumbers
from slotscope.model.kinds.queue.programs.bounds import QueueBounds
from slotscope.model.kinds.queue.programs.partition import Partition
from slotscope.model.kinds.queue.programs.reduced import largest_sizes, real_contents
from slotscope.model.kinds.queue.programs.region import Region
from slotscope.model.kinds.queue.state import QueueState

Counts = tuple[int, int]
Point = tuple[float, float]
#: A job size in units, one number per resource.
Size = tuple[int, ...]

#: Feasible configurations are drawn one by one only up to this number.
MOST_DOTS = 600


@dataclass(frozen=True)
class SupportablePicture:
    """The part of the picture that stays the same during a run."""

    region: Region  #: polygons and vectors, in jobs per slot and server
    types: tuple[Size, Size]  #: both sizes in units
    names: tuple[str, str]  #: both sizes in the scenario's unit
    rate: float  #: mu, departures per slot and job in service
    dots: tuple[Counts, ...]  #: the feasible configurations; empty if there are several pools of servers
    reduced_names: tuple[tuple[Counts, str], ...]  #: configurations of K_RED as counts of both sizes, and their names
    #: [C] how many jobs of both sizes, at their true sizes, each configuration holds; empty if there are no
    #: configurations, or if this depends on which jobs come first
    contents: tuple[Counts, ...]
    traps: tuple[Counts, ...]  #: configurations that servers in them do not leave under this policy while queues grow
    #: share, reduced_share: load, and workload that K_RED supports, as shares of rho*; None if unknown
    share: Fraction | None
    reduced_share: Fraction | None
    value: Fraction  #: rho*
    servers: int  #: L

    def at(self, counts: Sequence[float]) -> Point:
        """The service rates, in jobs per slot, of a server that holds *counts* jobs of both sizes."""
        return self.rate * counts[0], self.rate * counts[1]

    @property
    def most(self) -> Point:
        """The largest coordinates of regions and arrivals."""
        points = [*self.region.full, *self.region.reduced, self.region.arrivals]
        return float(max(x for x, _ in points)), float(max(y for _, y in points))


@dataclass(frozen=True)
class Service:
    """The service at one moment.

    ``held`` has counts of jobs in service with the number of servers that hold just these, ``mean`` is the
    mean over all servers, and ``aims`` has the counts by the servers' active configurations.
    """

    held: tuple[tuple[Counts, int], ...]
    mean: Point
    aims: tuple[tuple[Counts, int], ...]


# From a run.


def picture_of(info: Any, bounds: QueueBounds) -> SupportablePicture | None:
    """The picture of a run with two sizes; None if there are more or fewer, or before (4) is solved."""
    region, best = bounds.region, bounds.supportable
    if region is None or best is None or not best.value:
        return None
    numbers: QueueNumbers = info.numbers
    first, second = types_of(bounds, numbers)
    one_pool = len(numbers.pools) == 1
    drawn = [(k.configuration[0], k.configuration[1]) for k in region.configurations]
    return SupportablePicture(
        region=region,
        types=(first, second),
        names=(size_name(numbers, first), size_name(numbers, second)),
        rate=float(1 / numbers.mean_service),
        dots=_below(drawn) if one_pool else (),
        reduced_names=_reduced_names(region, numbers) if one_pool and info.facts.intervals else (),
        contents=_contents(numbers, info.facts, (first, second)),
        traps=tuple(
            (limit.configuration[0], limit.configuration[1])
            for limit in bounds.fluid
            if limit.configuration and limit.slope and info.policy_name in limit.policies
        ),
        share=best.load(bounds.workload),
        reduced_share=None if bounds.real is None else bounds.real.value / best.value,
        value=best.value,
        servers=numbers.servers,
    )


def types_of(bounds: QueueBounds, numbers: QueueNumbers) -> tuple[Size, ...]:
    """[J] the job sizes in the programs, in units."""
    return tuple(tuple(int(share * int(numbers.largest[d])) for d, share in enumerate(size)) for size in bounds.sizes)


def size_name(numbers: QueueNumbers, size: Size) -> str:
    """A size in the scenario's unit, as 2 × 4 if there are several resources."""
    return " × ".join(significant(float(numbers.amount(u, d))) for d, u in enumerate(size))


def _below(maximal: Iterable[Counts]) -> tuple[Counts, ...]:
    """All configurations dominated by one of *maximal*; none if there are more than :data:`MOST_DOTS`."""
    found = {(x, y) for right, up in maximal for x in range(right + 1) for y in range(up + 1)}
    return tuple(sorted(found)) if len(found) <= MOST_DOTS else ()


def _reduced_names(region: Region, numbers: QueueNumbers) -> tuple[tuple[Counts, str], ...]:
    slots = numbers.mean_service
    return tuple(
        ((int(x * slots), int(y * slots)), name.replace("+", " + ")) for name, (x, y) in region.reduced_configurations
    )


def _contents(numbers: QueueNumbers, facts: QueueFacts, types: tuple[Size, Size]) -> tuple[Counts, ...]:
    """How many jobs of both sizes each configuration holds, at their true sizes."""
    if not facts.has_configurations:
        return ()
    if not facts.intervals:
        first, second = (numbers.values.index(size) for size in types)
        return tuple((int(row[first]), int(row[second])) for row in facts.configurations)
    partition = Partition(len(facts.intervals) // 2)
    sizes = [numbers.fraction(size[0]) for size in types]
    first, second = (partition.type_of(size) for size in sizes)
    if first == second:
        return ()
    largest = largest_sizes(partition, sizes)
    return tuple(
        (content[first], content[second])
        for pool in numbers.pools
        for content in real_contents(partition, largest, numbers.fraction(pool.capacity[0]))
    )


# At a moment.


def jobs_by_size(state: QueueState, types: Sequence[Size], servers: int) -> NDArray[np.int64]:
    """[L, J] the number of jobs in service on each server, by size."""
    serving = (state.job_number >= 0) & (state.job_server >= 0)
    places, sizes = state.job_server[serving].astype(np.int64), state.job_size[serving]
    if sizes.shape[1] == 1:
        values = np.array([size[0] for size in types])
        order = np.argsort(values)
        columns = order[np.searchsorted(values[order], sizes[:, 0])]
    else:
        columns = np.zeros(len(sizes), np.int64)
        for column, size in enumerate(types):
            columns[(sizes == np.array(size)).all(axis=1)] = column
    found = np.bincount(places * len(types) + columns, minlength=servers * len(types))
    return found.reshape(servers, len(types))


def service_of(picture: SupportablePicture, state: QueueState, held: NDArray[np.int64]) -> Service:
    """The service in *state*, in which servers hold *held* [L, 2] jobs."""
    mean = held.mean(axis=0)
    active = state.active[state.active >= 0].tolist() if picture.contents else []
    return Service(
        held=_counted((x, y) for x, y in held.tolist()),
        mean=(float(mean[0]), float(mean[1])),
        aims=_counted(picture.contents[place] for place in active),
    )


def _counted(pairs: Iterable[Counts]) -> tuple[tuple[Counts, int], ...]:
    return tuple(sorted(Counter(pairs).items()))


_MARGIN, _GAP, _TICK = 10.0, 6.0, 4.0
_ROOM = 1.14  # the axes' ends as a multiple of the largest coordinates
_SPACING = (6.0, 3.0)  # least distance of ticks on each axis, in lines of text


class RegionPlane:
    """Maps points from the origin up to *most* to a widget of *size* pixels."""

    def __init__(self, size: QSize, most: tuple[float, float]) -> None:
        self.size = size
        self.high = tuple(_ROOM * (value or 1.0) for value in most)
        self.metrics = current_fonts().metrics
        line = self.metrics.height()
        wide = self.metrics.horizontalAdvance(format_number(*self._highest_tick(1)))
        left, bottom = line + 2 * _GAP + wide, 2 * line + 2 * _GAP
        self.area = QRectF(
            left, _MARGIN, max(1.0, size.width() - _MARGIN - left), max(1.0, size.height() - _MARGIN - bottom)
        )

    def _highest_tick(self, axis: int) -> tuple[float, float]:
        """The last tick, and the distance between ticks."""
        high = self.high[axis]
        length = self.size.width() if axis == 0 else self.size.height()
        room = _SPACING[axis] * self.metrics.height()
        step = step_up(high / max(2.0, length / room))
        return high // step * step, step

    def ticks(self, axis: int) -> list[tuple[float, str]]:
        """Coordinates and labels of the ticks."""
        last, step = self._highest_tick(axis)
        values = [number * step for number in range(round(last / step) + 1)]
        return [(value, format_number(value, step)) for value in values]

    def at(self, point: Sequence[Fraction | float]) -> QPointF:
        """The position of a point in the widget, in pixels."""
        x, y = (float(value) / high for value, high in zip(point, self.high, strict=True))
        area = self.area
        return QPointF(area.left() + x * area.width(), area.bottom() - y * area.height())


#: Names of an axis to choose from, the longest first.
Names = tuple[str, ...]


def paint_axes(painter: QPainter, plane: RegionPlane, theme: Theme, names: tuple[Names, Names]) -> None:
    """Draw grid, numbers and names of both axes."""
    area, line = plane.area, plane.metrics.height()
    for place, text in plane.ticks(0):
        x = round(plane.at((place, 0.0)).x()) + 0.5
        painter.setPen(QPen(QColor(theme.grid)))
        painter.drawLine(QLineF(x, area.top(), x, area.bottom()))
        painter.setPen(QColor(theme.muted))
        painter.drawText(QRectF(x - 60, area.bottom() + _TICK, 120, line), CENTRE, text)
    for place, text in plane.ticks(1):
        y = round(plane.at((0.0, place)).y()) + 0.5
        painter.setPen(QPen(QColor(theme.grid)))
        painter.drawLine(QLineF(area.left(), y, area.right(), y))
        if place:
            painter.setPen(QColor(theme.muted))
            box = QRectF(0, y - line / 2, area.left() - _TICK, line)
            painter.drawText(box, RIGHT, text)
    painter.setPen(QPen(QColor(theme.border)))
    painter.drawLine(QLineF(area.bottomLeft(), area.bottomRight()))
    painter.drawLine(QLineF(area.topLeft(), area.bottomLeft()))
    painter.setPen(QColor(theme.muted))
    _paint_names(painter, plane, names)


def _paint_names(painter: QPainter, plane: RegionPlane, names: tuple[Names, Names]) -> None:
    """Draw one name below, the other rotated at the left, each the longest that fits."""
    area, line = plane.area, plane.metrics.height()
    below = QRectF(area.left(), plane.size.height() - line - 2, area.width(), line)
    painter.drawText(below, CENTRE, _fitting(plane, names[0], below.width()))
    painter.save()
    painter.translate(_MARGIN / 2, area.bottom())
    painter.rotate(-90)
    side = QRectF(0, 0, area.height(), line)
    painter.drawText(side, CENTRE, _fitting(plane, names[1], side.width()))
    painter.restore()


def _fitting(plane: RegionPlane, names: Names, width: float) -> str:
    fits = (name for name in names if plane.metrics.horizontalAdvance(name) <= width)
    return next(fits, "") or plane.metrics.elidedText(names[-1], Qt.TextElideMode.ElideRight, width)
