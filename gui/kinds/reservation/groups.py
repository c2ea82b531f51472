"""Accept Group and Reject Group over time: servers, and empty slots beside the reserved ones."""

from __future__ import annotations

from typing import Iterable, Iterator

import numpy as np

from slotscope.gui.intents import GoTo
from slotscope.gui.kinds.reservation.groups_chart import RowChart, RowStyle
from slotscope.gui.panels.columns import scrolled
from slotscope.gui.panels.tiles import TiledPanel, TileText
from slotscope.gui.plotting.sampled import LEAST_GROWTH, Columns, History
from slotscope.gui.plotting.scales import format_number, time_axis
from slotscope.model.kinds.reservation import sampling
from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.reporting.frame import Frame

RESERVED_PLAIN, RESERVED = "⌈g(L)⌉", "⌈<i>g</i>(<i>L</i>)⌉"


def read_groups(numbers: ReservationNumbers, samples: np.ndarray) -> Columns:
    """Columns: servers of the Reject Group; empty slots of each type in the Accept Group."""
    slots, jobs, rejecting = (
        samples[:, sampling.columns(name, numbers.types)] for name in ("slots", "jobs", "reject_group_empty")
    )
    return Columns(np.column_stack([samples[:, sampling.REJECT_GROUP_COLUMN], slots - jobs - rejecting]))


def accepting_slots(frame: Frame) -> tuple[int, ...]:
    """The empty slots of each type on Accept Group servers at the current moment."""
    state, rejecting = frame.state, frame.derived.reject_group
    empty = (state.configuration - state.placement)[~rejecting].sum(axis=0)
    return tuple(map(int, empty))


class GroupsPanel(TiledPanel):
    """How many servers accept no arrivals, and how many slots are empty for arrivals."""

    name = "groups"
    title = "Groups"
    summary = "Servers of the Reject Group, and empty slots of the Accept Group, over time."
    needs = frozenset({"groups"})
    spacing = 4

    def build(self) -> None:
        """Tiles above, and one row with a curve for each series below."""
        super().build()
        self._history = History(read_groups)
        self.chart = RowChart(self.theme)
        self.chart.setAccessibleName("groups over time")
        self.chart.setToolTip(
            "Empty slots of each type on Accept Group servers over time; shades are ranges.\n"
            "A click goes to that moment."
        )
        self.chart.picked.connect(self._go_to)
        self.follow_theme(self.chart)
        self.ground(self.chart)
        self.column.addWidget(scrolled(self.chart, self.body), 1)

    def show_frame(self, frame: Frame) -> None:
        """Update tiles and curves to this moment."""
        anew = not self._history.continues(frame)
        if anew or not frame.running or self.chart.shift(frame.time) >= LEAST_GROWTH:
            self._history.update(frame)
            if anew:
                self._begin_chart(frame)
            self.chart.set_time(frame.time, frame.extent.live_end_time)
        if self.numbers_due(frame):
            self._show_numbers(frame)

    def _begin_chart(self, frame: Frame) -> None:
        info = frame.info
        line = RESERVED_PLAIN + f" = {info.facts.reserved}"
        rows = [RowStyle("servers", "reject_group", heading="Reject Group")]
        rows += [
            RowStyle(
                name,
                job_type,
                float(info.facts.reserved),
                line,
                heading="" if job_type else "Accept Group: empty slots",
            )
            for job_type, name in enumerate(info.numbers.type_names)
        ]
        axis = time_axis(info.time_unit)
        self.chart.begin(tuple(rows), self._history.series, axis)

    def _show_numbers(self, frame: Frame) -> None:
        empty = accepting_slots(frame)
        self.tiles.set_texts(_tiles(frame, sum(empty)))
        self.chart.set_values((int(frame.derived.reject_group.sum()), *empty))

    def _go_to(self, time: float) -> None:
        if self.frame is not None:
            self.intent.emit(GoTo(self._history.event_at(self.frame, time)))

    def series(self) -> tuple[list[str], Iterable[Iterable[object]]] | None:
        """One row per sample: event, time, I*, Reject Group servers, and empty slots by group and type."""
        if self.frame is None:
            return None
        numbers, samples = self.frame.info.numbers, self.frame.samples
        names = ["event", "time", "i_star", "reject_group_servers"]
        names += [f"accept_group_empty {name}" for name in numbers.type_names]
        names += [f"reject_group_empty {name}" for name in numbers.type_names]
        accepting = read_groups(numbers, samples).values
        rejecting = samples[:, sampling.columns("reject_group_empty", numbers.types)]
        scalars = samples[:, [sampling.EVENT_COLUMN, sampling.I_STAR_COLUMN]]
        counts = np.column_stack([scalars, accepting, rejecting]).astype(np.int64)
        rows = zip(samples[:, sampling.TIME_COLUMN].tolist(), counts.tolist(), strict=True)
        return names, ([row[0], time, *row[1:]] for time, row in rows)


def _tiles(frame: Frame, empty: int) -> Iterator[TileText]:
    """Servers in the Reject Group, I*, the reserved slots, and *empty*, the slots empty in the Accept Group."""
    info, rejecting = frame.info, format_number(int(frame.derived.reject_group.sum()))
    tip = "The servers that take no arrivals and lose their jobs to the others."
    yield TileText(f"of {format_number(info.numbers.servers)} in Reject Group", rejecting, "reject_group", tip)
    tip = "The first configuration of GPA that still lacks servers."
    yield TileText("<i>I</i><sup>*</sup>", str(frame.derived.i_star), "normal", tip)
    tip = "Slots that GPA plans for arrivals of each type, beyond the jobs present."
    yield TileText(f"{RESERVED} reserved", format_number(info.facts.reserved), "normal", tip)
    tip = "Empty slots of all types that arrivals may take."
    yield TileText("empty, Accept Group", format_number(empty), "normal", tip)
