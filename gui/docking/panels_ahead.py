"""Docks of panels that are about to be needed, built before what they will show is opened."""

from __future__ import annotations

from contextlib import suppress
from typing import Callable, Iterable

from PySide6.QtCore import QObject

from slotscope.gui.docking.dock_area import DockArea
from slotscope.gui.docking.docks import PanelDock
from slotscope.gui.docking.layouts import soon
from slotscope.gui.kinds.declaration import PanelEntry
from slotscope.gui.theme import current_fonts

#: A panel of a lane.
LanePanel = tuple[PanelEntry, int]


class PanelsAhead(QObject):
    """Builds one panel with its dock in each turn of the event loop, so that the window answers in between."""

    def __init__(self, area: DockArea) -> None:
        super().__init__(area)
        self._area = area
        self._wanted: list[LanePanel] = []
        self._built: dict[LanePanel, PanelDock] = {}
        self._then: list[Callable[[], object]] = []
        self._turn = soon(self, self._build_next)

    def expect(self, wanted: Iterable[LanePanel], then: Callable[[], object]) -> None:
        """Build each of these, and do *then* what needs them; what was to be done before is done at once.

        In a hall none is built: it is left before docks come, and has another type.
        """
        self._go_on()
        self.forget()
        self._wanted, self._then = [] if current_fonts().lecture else list(wanted), [then]
        if self._wanted:
            self._turn.start()
        else:
            self._go_on()

    def _build_next(self) -> None:
        if not self._wanted:
            self._go_on()
            return
        self._turn.start()
        wanted = self._wanted.pop(0)
        with suppress(Exception):  # it is raised again where the panel is needed, and told there
            self._built[wanted] = self._made(*wanted)

    def _go_on(self) -> None:
        while self._then:
            self._then.pop()()

    def _made(self, entry: PanelEntry, lane: int) -> PanelDock:
        return self._area.make(entry.load()(self._area.theme), lane)

    def dock(self, entry: PanelEntry, lane: int) -> PanelDock:
        """One that is there, or is built now."""
        return self._built.pop((entry, lane), None) or self._made(entry, lane)

    def forget(self) -> None:
        """Nobody needs what is left, nor what was to be done with it."""
        self._turn.stop()
        self._wanted, self._then = [], []
        for dock in self._built.values():
            dock.deleteLater()
        self._built = {}
