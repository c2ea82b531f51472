"""Panels that are about to be needed, built before what they will show is opened."""

from __future__ import annotations

from contextlib import suppress
from typing import Callable, Iterable

from PySide6.QtCore import QObject

from slotscope.gui.docking.dock_area import DockArea
from slotscope.gui.docking.layouts import soon
from slotscope.gui.kinds.declaration import PanelEntry
from slotscope.gui.panel import Panel
from slotscope.gui.theme import current_fonts


class PanelsAhead(QObject):
    """Builds one panel in each turn of the event loop, so that the window answers in between."""

    def __init__(self, area: DockArea) -> None:
        super().__init__(area)
        self._area = area
        self._wanted: list[PanelEntry] = []
        self._built: list[tuple[PanelEntry, Panel]] = []
        self._then: list[Callable[[], object]] = []
        self._turn = soon(self, self._build_next)

    def expect(self, entries: Iterable[PanelEntry], then: Callable[[], object]) -> None:
        """Build a panel of each, and do *then* what needs them; what was to be done before is done at once.

        In a hall none is built: it is left before docks come, and has another type.
        """
        self._go_on()
        self.forget()
        self._wanted, self._then = [] if current_fonts().lecture else list(entries), [then]
        if self._wanted:
            self._turn.start()
        else:
            self._go_on()

    def _build_next(self) -> None:
        if not self._wanted:
            self._go_on()
            return
        self._turn.start()
        entry = self._wanted.pop(0)
        with suppress(Exception):  # it is raised again where the panel is needed, and told there
            self._built.append((entry, self._made(entry)))

    def _go_on(self) -> None:
        while self._then:
            self._then.pop()()

    def _made(self, entry: PanelEntry) -> Panel:
        return entry.load()(self._area.theme)

    def panel(self, entry: PanelEntry) -> Panel:
        """One that is there, or is built now."""
        found = next((place for place, (known, _) in enumerate(self._built) if known is entry), None)
        return self._made(entry) if found is None else self._built.pop(found)[1]

    def forget(self) -> None:
        """Nobody needs what is left, nor what was to be done with it."""
        self._turn.stop()
        self._wanted, self._then = [], []
        for _, panel in self._built:
            panel.deleteLater()
        self._built = []
