"""One moment of the plain grid: what is where, and what lies under a point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from PySide6.QtCore import QRectF

from slotscope.gui.kinds.reservation.servers_columns import settled_reject_group
from slotscope.gui.kinds.reservation.servers_grid_layout import GridLayout
from slotscope.gui.kinds.reservation.servers_shapes import GridServers, slot_at
from slotscope.gui.pictures.layout import Integers
from slotscope.gui.pictures.scene import CellScene
from slotscope.model.kinds.reservation.kind import ReservationFacts
from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.state import ReservationState

NEITHER = 2


class GridHit(NamedTuple):
    """What lies under a point: a server, and the job type and the slot where single slots are shown."""

    server: int
    slot: tuple[int, int] | None = None


@dataclass(frozen=True, eq=False)
class GridScene(CellScene[ReservationState, ReservationNumbers, ReservationFacts]):
    """Everything that painting and hit tests need of one moment."""

    layout: GridLayout

    def _content(self, _section: Any, index: Integers) -> GridServers:
        group = np.full(len(index), NEITHER)
        if self.facts.reserves_slots:
            group = settled_reject_group(self.frame)[index].astype(np.int64)
        weight = np.clip(self.numbers.largest_share, 1e-6, 1.0)
        slots, jobs = self.state.configuration[index], self.state.placement[index]
        return GridServers(slots.astype(np.int64), jobs.astype(np.int64), group, weight)

    def server_rect(self, server: int) -> QRectF | None:
        """A server without its label; None where it cannot be seen."""
        rect = self.rect((*self.layout.corner(0, server), *self.layout.cell.server))
        return rect if rect.intersects(self.stage) else None

    def _hit(self, _number: int, index: int, x: int, y: int) -> GridHit | None:
        left, top = self.layout.corner(0, index)
        size = self.layout.cell.server
        if x - left >= size[0] or y - top >= size[1]:
            return None
        shown = self._content(None, np.array([index]))
        return GridHit(index, slot_at(shown, size, x - left, y - top, self.layout.wishes.scale))
