"""The legend below the servers: the phases, and what the marks mean."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter, QPen

from slotscope.gui.kinds.phases.colours import paint_phase_mark
from slotscope.gui.kinds.phases.servers_palette import DIM, dimmed, heat_color
from slotscope.gui.kinds.phases.servers_stamps import Stamps
from slotscope.gui.kinds.phases.wording import phase_letters, units_text
from slotscope.gui.painting.stack_text import Symbols
from slotscope.gui.painting.textures import device_ratio
from slotscope.gui.pictures.legend import PictureLegend, paint_gradient, paint_line, paint_pair
from slotscope.gui.theme import Theme
from slotscope.model.reporting.frame import RunInfo

#: The type of the token that stands for all.
_SOME_TYPE = 0


class PhaseEntry(NamedTuple):
    """A mark and its words; ``phase`` for the jobs in a phase, else ``mark`` names it."""

    words: str
    mark: str = "phase"
    phase: int = -1


def entries(info: RunInfo, jobs: bool, amounts: bool = True) -> list[PhaseEntry]:
    """What the legend explains, where *jobs* are told apart or only how much is in use."""
    tokens = bool(info.facts.normal_servers)
    numbers = info.numbers
    over = [] if numbers.model.hard else [PhaseEntry("above capacity", "over")]
    paused = [PhaseEntry("token", "token"), PhaseEntry("paused", "paused")] if tokens else []
    resources = [PhaseEntry(f"in each server: {', '.join(numbers.model.resources)}", "resources")]
    several = resources if numbers.resources > 1 else []
    if not jobs:
        return [PhaseEntry("share in use: none to all", "heat"), *over, *paused]
    result = [PhaseEntry(_phase_words(info, phase, amounts), "phase", phase) for phase in range(numbers.phases)]
    if tokens:
        result.append(PhaseEntry("virtual job: uses nothing" if amounts else "virtual job", "virtual"))
    result += paused
    if tokens:
        result.append(PhaseEntry("timer runs", "timer"))
    return [*result, PhaseEntry("capacity", "rim"), *over, *several]


def _phase_words(info: RunInfo, phase: int, amounts: bool) -> str:
    names = info.numbers.model.phases
    letter, name = phase_letters(names)[phase], names[phase]
    words = name if letter == name else f"{letter} {name}"
    if not amounts:
        return words
    return f"{words}: {units_text(info, info.numbers.demand[phase].tolist())}"


class PhaseLegend(PictureLegend):
    """Lays out and paints the legend for one run, theme and font."""

    def __init__(self, info: RunInfo, text: Symbols, stamps: Stamps, theme: Theme) -> None:
        super().__init__(text, theme)
        self._info, self._stamps = info, stamps

    def _entries(self, jobs: bool, full: bool) -> list[PhaseEntry]:
        return entries(self._info, jobs, full)

    def _jobs(self) -> list[list[PhaseEntry]]:
        return [[item for item in self._entries(True, False) if item.mark == "phase"]]

    def _mark(self, painter: QPainter, item: PhaseEntry, rect: QRectF) -> None:
        theme, stamps = self._theme, self._stamps
        frame = rect.adjusted(0.5, 0.5, -0.5, -0.5)
        ratio = device_ratio(painter)
        match item.mark:
            case "phase":
                paint_phase_mark(painter, frame, theme, item.phase)
            case "virtual":
                paint_phase_mark(painter, frame, theme, _SOME_TYPE, virtual=True)
            case "token":
                side = round(rect.height() * ratio)
                painter.drawPixmap(rect.topLeft(), stamps.token(_SOME_TYPE, side))
            case "timer":
                side = round(rect.height() * ratio)
                painter.drawPixmap(rect.topLeft(), stamps.timer(side))
            case "paused":
                painter.save()
                painter.setOpacity(1 - DIM)
                paint_phase_mark(painter, frame, theme, _SOME_TYPE)
                painter.restore()
            case "rim":
                paint_line(painter, frame, theme.run)
            case "over":
                painter.fillRect(rect, QColor(theme.rejection))
            case "heat":
                paint_gradient(painter, frame, heat_color(theme, 0), heat_color(theme, 1))
                painter.drawRect(frame)
            case "resources":
                painter.setPen(QPen(QColor(dimmed(theme.run, theme)), 1))
                paint_pair(painter, frame)
