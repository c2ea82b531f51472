"""The columns of Figure 1: the order of the configurations, and the servers in each stack.

Figure 1 of Psychas & Ghaderi (2022): the configurations of GPA in the order k[1], k[2], ...; then configurations that
are present but not wanted by GPA; then the empty configuration.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable, NamedTuple, Sequence

import numpy as np
import numpy.typing as npt

from slotscope.model.kinds.reservation.state import GREEDY_LENGTH
from slotscope.model.reporting.frame import Frame
from slotscope.model.reporting.records import Configuration, Reassign, Record

Places = tuple[Configuration | None, ...]


class WantedServers(NamedTuple):
    """A configuration k[i] and X-hat, the number of servers that GPA wants; None while GPA has not found it."""

    configuration: Configuration
    wanted: int | None
    settled: bool = True  #: False: from the last CRA, as the present one has not reached it yet


@dataclass(frozen=True, eq=False)
class ConfigurationColumn:
    """One configuration and its servers.

    ``position`` is the i of k[i], or 0 if GPA does not want the configuration; ``servers`` are server numbers from the
    bottom (largest index) to the top (index 1) of the stack.
    """

    configuration: Configuration
    position: int
    wanted: int | None
    settled: bool
    servers: npt.NDArray[np.int32]

    @property
    def held(self) -> int:
        """X, the number of servers with this configuration."""
        return len(self.servers)

    @property
    def missing(self) -> int:
        """How many more servers GPA wants for this configuration."""
        return max(0, (self.wanted or 0) - self.held)

    @property
    def surplus(self) -> int:
        """How many of the servers GPA does not want; 0 while X-hat is not known."""
        return 0 if self.wanted is None else max(0, self.held - self.wanted)

    @property
    def is_empty(self) -> bool:
        """Whether this is the configuration without slots."""
        return not any(self.configuration)

    @property
    def tallest(self) -> int:
        """The larger of the numbers of servers held and wanted."""
        return max(self.held, self.wanted or 0)


@dataclass(frozen=True, eq=False)
class StackFigure:
    """One moment as Figure 1 shows it."""

    columns: tuple[ConfigurationColumn | None, ...]  #: from left to right; None: a column without configuration now
    #: column, place: [L] each server's column, and its place in the stack counted from the bottom
    column: npt.NDArray[np.int32]
    place: npt.NDArray[np.int32]
    reject_group: npt.NDArray[np.bool_]  #: [L] whether a server belongs to the Reject Group
    i_star: int
    greedy: int  #: number of columns that belong to GPA
    places: Places  #: the configuration in each of the other columns, to be kept at the next moment

    @property
    def names(self) -> tuple[tuple[int, tuple[int, ...]] | None, ...]:
        """The identity of each column: its position and configuration, without changing numbers."""
        return tuple(None if item is None else (item.position, item.configuration) for item in self.columns)

    @property
    def tallest(self) -> int:
        """Height of the tallest stack in servers, missing ones included; the empty configuration does not count."""
        stacks = [item.tallest for item in self.columns if item is not None and not item.is_empty]
        return max(stacks, default=0)


def figure_of(frame: Frame, places: Places = (), order: Sequence[WantedServers] | None = None) -> StackFigure:
    """The figure of a frame; *places* are those of the previous moment, so that columns keep their places.

    If *order* is given, GPA's columns are in that order, and only their counts are taken from the frame.
    """
    classes = frame.derived
    types = frame.state.configuration.shape[1]
    present = {tuple(row): i for i, row in enumerate(classes.configurations.tolist())}
    wanted = wanted_of(frame)
    if order is not None:
        counts = {item.configuration: item.wanted for item in wanted}
        wanted = tuple(item._replace(wanted=counts.get(item.configuration, 0)) for item in order)
    empty = (0,) * types
    others = sorted(set(present) - {item.configuration for item in wanted} - {empty}, reverse=True)
    places = assign_places(places, others)
    stacks = stacks_of(classes.stack, classes.index, len(present))
    nobody = np.zeros(0, np.int32)

    def column(item: WantedServers | None, position: int = 0) -> ConfigurationColumn | None:
        if item is None:
            return None
        number = present.get(item.configuration)
        servers = stacks[number] if number is not None else nobody
        return ConfigurationColumn(item.configuration, position, item.wanted, item.settled, servers)

    columns = [column(item, i) for i, item in enumerate(wanted, 1)]
    columns += [column(WantedServers(k, 0) if k is not None else None) for k in places]
    if empty in present:
        columns.append(column(WantedServers(empty, 0)))
    where = np.zeros(len(classes.stack), np.int32)
    for number, item in enumerate(columns):
        where[item.servers if item is not None else nobody] = number
    height = np.bincount(classes.stack, minlength=len(present))
    return StackFigure(
        columns=tuple(columns),
        column=where,
        place=(height[classes.stack] - classes.index).astype(np.int32),
        reject_group=settled_reject_group(frame),
        i_star=classes.i_star,
        greedy=len(wanted),
        places=places,
    )


def tallest_of(frame: Frame) -> int:
    """Height of the tallest stack of a run beside this one, in servers; 0 if its policy reserves no slots."""
    if not frame.info.facts.reserves_slots:
        return 0
    classes = frame.derived
    heights = np.bincount(classes.stack, minlength=len(classes.configurations))
    stacks = heights[classes.configurations.any(axis=1)].tolist()
    return max([*stacks, *(item.wanted or 0 for item in wanted_of(frame))], default=0)


def settled_reject_group(frame: Frame) -> npt.NDArray[np.bool_]:
    """[L] the Reject Group; without servers that the event in progress has reassigned, until they are classified."""
    result: npt.NDArray[np.bool_] = frame.derived.reject_group
    moved = [record.server for record in frame.records if isinstance(record, Reassign)]
    if moved and frame.records[-1].kind != "classify":
        result = result.copy()
        result[moved] = False
    return result


def stacks_of(stack: npt.NDArray[np.int32], index: npt.NDArray[np.int32], stacks: int) -> list[npt.NDArray[np.int32]]:
    """The servers of each stack, from the largest index to index 1."""
    heights = np.bincount(stack, minlength=stacks)
    starts = np.cumsum(heights) - heights
    order = np.empty(len(stack), np.int32)
    order[starts[stack] + heights[stack] - index] = np.arange(len(stack), dtype=np.int32)
    return np.split(order, starts[1:])


def wanted_of(frame: Frame) -> tuple[WantedServers, ...]:
    """k[1], k[2], ... with X-hat: those that the CRA in progress has found, then the rest from the last CRA."""
    state = frame.state
    found = int(state.number[GREEDY_LENGTH])
    rows, counts = state.greedy_configuration[:found].tolist(), state.greedy_count[:found].tolist()
    last = [WantedServers(tuple(row), count) for row, count in zip(rows, counts, strict=True)]
    now = found_so_far(frame.records)
    if now is None:
        return tuple(last)
    known = {item.configuration for item in now}
    rest = [item._replace(settled=False) for item in last[len(now) :]]
    return (*now, *(item for item in rest if item.configuration not in known))


def found_so_far(records: Sequence[Record]) -> list[WantedServers] | None:
    """What the GPA in progress has found so far; None if no GPA is in progress."""
    result: list[WantedServers] | None = None
    for record in records:
        if record.kind == "greedy_start":
            result = []
        elif record.kind == "classify":
            result = None
        elif result is not None and record.kind == "configuration_found":
            result.append(WantedServers(record.values["configuration"], None))
        elif result and record.kind == "count_found":
            result[-1] = WantedServers(record.values["configuration"], record.values["count"])
    return result


def assign_places(places: Places, present: Iterable[Configuration]) -> Places:
    """Assign columns to the configurations *present*: each keeps its column, and new ones take free columns.

    There is always at least one such column, so that the others do not move when it is filled.
    """
    missing = list(present)
    result: list[Configuration | None] = []
    for configuration in places:
        result.append(configuration if configuration in missing else None)
        if configuration in missing:
            missing.remove(configuration)
    for configuration in missing:
        if None in result:
            result[result.index(None)] = configuration
        else:
            result.append(configuration)
    while len(result) > 1 and result[-1] is None:
        result.pop()
    return tuple(result) or (None,)
