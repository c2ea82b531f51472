"""The legend below the servers: the phases, and what the marks mean."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPen

from gui.kinds.phases.colours import paint_phase_mark
from gui.kinds.phases.servers_palette import DIM, dimmed, heat_color
from gui.kinds.phases.servers_stamps import Stamps
from gui.kinds.phases.wording import phase_letters, units_text
from gui.painting.stack_text import Symbols
from gui.theme import Theme
from model.frame import RunInfo

LINES = 2
#: Height of a line in lines of text, from a mark to its words, and between entries.
LINE, GAP, BETWEEN = 1.35, 6.0, 18.0
_MARK, _GRADIENT = 1.0, 2.6
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
        result.append(PhaseEntry("virtual job: uses nothing", "virtual"))
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


class PhaseLegend:
    """Lays out and paints the legend for one run, theme and font."""

    def __init__(self, info: RunInfo, text: Symbols, stamps: Stamps, theme: Theme) -> None:
        self._info, self._text, self._stamps, self._theme = info, text, stamps, theme
        self._known: dict[tuple[float, bool], list[tuple[PhaseEntry, int, float]]] = {}

    @property
    def height(self) -> float:
        """The height that is kept for it."""
        return LINES * LINE * self._text.height

    def chosen(self, room: float, jobs: bool) -> list[tuple[PhaseEntry, int, float]]:
        """Entries with line and x; without amounts where there is no room for those."""
        key = room, jobs
        if key not in self._known:
            self._known = {key: self._flowing(*key)}
        return self._known[key]

    def _flowing(self, room: float, jobs: bool) -> list[tuple[PhaseEntry, int, float]]:
        result: list[tuple[PhaseEntry, int, float]] = []
        for amounts in (True, False):
            items = entries(self._info, jobs, amounts)
            result = self._wrapped(items, room)
            if len(result) == len(items):
                break
        return result

    def _wrapped(self, items: list[PhaseEntry], room: float) -> list[tuple[PhaseEntry, int, float]]:
        """Line and x of each of the first *items*, as many as there are lines for."""
        result: list[tuple[PhaseEntry, int, float]] = []
        line, x = 0, 0.0
        for item in items:
            width = self._wide(item) + GAP + self._text.width(item.words)
            if x and x + width > room:
                line, x = line + 1, 0.0
            if line >= LINES:
                break
            result.append((item, line, x))
            x += width + BETWEEN
        return result

    def _wide(self, item: PhaseEntry) -> float:
        return (_GRADIENT if item.mark == "heat" else _MARK) * self._text.height

    def paint(self, painter: QPainter, area: QRectF, jobs: bool) -> None:
        """Paint it into *area*."""
        height = LINE * self._text.height
        for item, line, x in self.chosen(area.width(), jobs):
            left, top = area.x() + x, area.y() + line * height
            side = self._text.height
            mark = QRectF(left, top + (height - side) / 2, self._wide(item), side)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(self._theme.muted), 1))
            self._mark(painter, item, mark.adjusted(0, 1, 0, -1))
            self._text.draw(painter, mark.right() + GAP, top + (height - side) / 2, item.words, self._theme.normal)

    def _mark(self, painter: QPainter, item: PhaseEntry, rect: QRectF) -> None:
        theme, stamps = self._theme, self._stamps
        frame = rect.adjusted(0.5, 0.5, -0.5, -0.5)
        device = painter.device()
        ratio = device.devicePixelRatioF() if device is not None else 1.0
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
                painter.setPen(QPen(QColor(theme.run), 2))
                middle = frame.center().y()
                painter.drawLine(QPointF(frame.x(), middle), QPointF(frame.right(), middle))
            case "over":
                painter.fillRect(rect, QColor(theme.rejection))
            case "heat":
                _gradient(painter, frame, heat_color(theme, 0), heat_color(theme, 1))
            case "resources":
                half = frame.width() / 2 - 1
                painter.setPen(QPen(QColor(dimmed(theme.run, theme)), 1))
                painter.drawRect(frame.adjusted(0, 0, -half, 0))
                painter.drawRect(frame.adjusted(half, 0, 0, 0))


def _gradient(painter: QPainter, rect: QRectF, start: str, end: str) -> None:
    gradient = QLinearGradient(rect.topLeft(), rect.topRight())
    gradient.setColorAt(0, QColor(start))
    gradient.setColorAt(1, QColor(end))
    painter.fillRect(rect, gradient)
    painter.drawRect(rect)
