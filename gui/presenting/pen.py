"""Marks on the pictures of the window: drawn, taken back, cleared, and those that a step of a lesson brings along."""

from __future__ import annotations

from typing import Any, Sequence

from PySide6.QtCore import QObject, QPointF, QRectF
from PySide6.QtGui import QPolygonF
from shiboken6 import Shiboken

from slotscope.gui.docking.dock_area import DockArea
from slotscope.gui.docking.docks import PanelDock, lane_name
from slotscope.gui.presenting.pad import MarkPad
from slotscope.gui.presenting.palette import PenPalette
from slotscope.gui.presenting.strokes import base_of
from slotscope.model.lessons.marks import Mark

#: Marks at most, as many as a step of a lesson may have.
MOST_MARKS = 100

#: Half of the side of a frame around nothing, in pixels.
_FRAME = 40


class PenControl(QObject):
    """Knows all marks; a panel without any has no pad, unless a tool is in hand."""

    def __init__(self, area: DockArea) -> None:
        super().__init__(area)
        self._area = area
        self.marks: tuple[Mark, ...] = ()
        self._before: list[tuple[Mark, ...]] = []  # what there was before each change
        self._pads: dict[str, MarkPad] = {}
        self.palette = PenPalette(area.window)
        self.palette.chosen.connect(self.refresh)
        self.palette.put_away.connect(self.refresh)
        self.palette.undone.connect(self.undo)
        self.palette.cleared.connect(self.clear)
        self.palette.pointed.connect(self._point)

    @property
    def in_hand(self) -> bool:
        """Whether a tool is."""
        return self.palette.isVisible()

    @property
    def cleared(self) -> bool:
        """Whether no marks are left of those that there were."""
        return bool(self._before) and not self.marks

    def take(self, tool: str) -> None:
        """Take a tool in hand; the one that is there is put away."""
        if self.in_hand and self.palette.tool == tool:
            self.palette.close()
        else:
            self.palette.choose(tool, self.palette.color)

    def show(self, marks: Sequence[Mark]) -> None:
        """Show these and no others, and forget what could be taken back."""
        self._before = []
        self._become(tuple(marks))

    def _change(self, marks: tuple[Mark, ...]) -> None:
        self._before.append(self.marks)
        self._become(marks)

    def _become(self, marks: tuple[Mark, ...]) -> None:
        self.marks = marks
        self.refresh()

    def undo(self) -> bool:
        """Take the last change back; False where there is none."""
        if not self._before:
            return False
        self._become(self._before.pop())
        return True

    def clear(self) -> None:
        """Take all marks away."""
        if self.marks:
            self._change(())

    def refresh(self) -> None:
        """Have a pad over each panel that needs one, and over no other."""
        drawing = self.palette.tool if self.in_hand else ""
        wanted: dict[str, list[Mark]] = {name: [] for name in self._area.docks if drawing}
        for mark in self.marks:
            wanted.setdefault(lane_name(mark.panel, mark.policy - 1), []).append(mark)
        for name, pad in [*self._pads.items()]:
            if name not in wanted or not Shiboken.isValid(pad):
                del self._pads[name]
                if Shiboken.isValid(pad):
                    pad.hide()
                    pad.deleteLater()
        for name, marks in wanted.items():
            if (dock := self._area.docks.get(name)) is not None:
                pad = self._pad(name, dock)
                pad.take(drawing, self.palette.color)
                pad.show_marks(marks)

    def _pad(self, name: str, dock: PanelDock) -> MarkPad:
        if name not in self._pads:
            pad = self._pads[name] = MarkPad(dock.panel)
            pad.drawn.connect(lambda drawn: self._add(dock, drawn))
        return self._pads[name]

    def _add(self, dock: PanelDock, drawn: dict[str, Any]) -> None:
        whose = {"panel": dock.panel.name, "policy": dock.lane + 1, "color": self.palette.color}
        mark = Mark.model_validate({**whose, **drawn})
        self._change((*self.marks, mark)[-MOST_MARKS:])

    def _point(self) -> None:
        """Without a mouse: an arrow to the selected server, a note at it, or a frame; else at the middle of all."""
        dock = self._area.docks.get(self._area.roles.servers)
        if dock is None or not dock.isVisible():
            return
        panel, pad = dock.panel, self._pad(dock.name, dock)
        server = self._area.selection.server
        box = None if server is None else base_of(panel, (0, server))
        if box is None:
            middle = QRectF(pad.rect()).center()
            box = QRectF(middle, middle).adjusted(-_FRAME, -_FRAME, _FRAME, _FRAME)
        at = box.center()
        if self.palette.tool == "note":
            pad.ask_note(at)
        elif self.palette.tool == "arrow":
            away = 0.18 * min(pad.width(), pad.height())
            pad.give("arrow", [at - QPointF(away if at.x() > away else -away, away), at])
        else:
            pad.give("stroke", QPolygonF(box).toList())
