"""The servers of a system with phases: jobs to scale, tokens, timers and backup servers."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Iterator, NamedTuple

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QWidget

from slotscope.gui.intents import Select
from slotscope.gui.kinds.phases.colours import paint_phase_mark
from slotscope.gui.kinds.phases.servers_layout import PhaseWishes, bins_side_by_side, fitting_servers
from slotscope.gui.kinds.phases.servers_marks import marks, paint_marks, paint_passed, paint_selection
from slotscope.gui.kinds.phases.servers_raster import DIM, dimmed, heat_color
from slotscope.gui.kinds.phases.servers_scene import PhaseScene, draw
from slotscope.gui.kinds.phases.servers_sections import (
    Gatherer,
    PhaseContent,
    PhaseSection,
    ServerPlace,
    content_of,
    info_has_tokens,
    most_use,
)
from slotscope.gui.kinds.phases.servers_text import PhaseText, Stamps, label_widths
from slotscope.gui.kinds.phases.servers_words import brief_caption, job_lines, server_words
from slotscope.gui.kinds.phases.wording import configuration_text, units_text
from slotscope.gui.painting.text import Symbols
from slotscope.gui.painting.textures import device_ratio, texture_scale
from slotscope.gui.pictures.legend import PictureLegend, paint_gradient, paint_line, paint_pair
from slotscope.gui.pictures.picture import PicturePanel, ZoomedPicture
from slotscope.gui.theme import Theme
from slotscope.model.kinds.phases.inspection import TOKEN, VIRTUAL
from slotscope.model.reporting.frame import Frame, RunInfo
from slotscope.model.reporting.inspection import SERVER, Thing
from slotscope.model.reporting.letters import own_letters

#: The share of the capacity for which a bin's height stands: at first, by how much it grows when more is in use, and
#: if the capacity is a hard limit.
FIRST_TOP, TOP_STEP, HARD_TOP = 1.25, 0.25, 1.08
#: The type of token drawn as the example of all.
_SOME_TYPE = 0


class PhaseEntry(NamedTuple):
    """A mark and its words; ``phase`` is set for the jobs in a phase, else ``mark`` names the mark."""

    words: str
    mark: str = "phase"
    phase: int = -1


def entries(info: RunInfo, jobs: bool, amounts: bool = True) -> list[PhaseEntry]:
    """The legend's entries, with *jobs* drawn individually or only the amount in use."""
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
    letter, name = own_letters(names)[phase], names[phase]
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


class PhaseServersView(ZoomedPicture):
    """The picture of every server with its jobs to scale, its tokens and its timer."""

    _fitting = staticmethod(fitting_servers)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self._top = FIRST_TOP
        super().__init__(theme, "Servers with their jobs and tokens", parent)

    def set_frame(self, frame: Frame) -> None:
        if self._frame is None or list(map(id, self._frame.runs)) != list(map(id, frame.runs)):
            self.begin(frame)
        super().set_frame(frame)

    def begin(self, frame: Frame) -> None:
        """Let this moment determine places and scale, independent of earlier ones."""
        self._top = HARD_TOP if frame.info.numbers.model.hard else FIRST_TOP
        self._gatherers = [Gatherer(run.facts) for run in frame.runs]

    def _prepare(self, frame: Frame) -> None:
        info = frame.info
        letters = own_letters(info.numbers.model.phases)
        self._stamps = Stamps(self._theme, self.font(), letters, self._ratio)
        self._legend = PhaseLegend(info, self._text, self._stamps, self._theme)
        self._kinds, _ = label_widths(info, self._text)
        self._widths = [label_widths(run, self._text)[1] for run in frame.runs]

    def _follow(self, lanes: tuple[Frame, ...]) -> None:
        """Enlarge the scale for good if a bin would be too high for the picture."""
        most = max(most_use(one.state, one.info.numbers) for one in lanes)
        if most > self._top:
            self._top = math.ceil(most / TOP_STEP) * TOP_STEP

    def _wishes(self, frame: Frame, sections: tuple[PhaseSection, ...], widths: tuple[float, ...]) -> PhaseWishes:
        line = max(1, round(self._text.height * self._ratio))
        briefest = max((self._text.width(brief_caption(frame, section)) for section in sections), default=0.0)
        return PhaseWishes(
            counts=tuple(len(section) for section in sections),
            backup=tuple(section.backup for section in sections),
            resources=frame.info.numbers.resources,
            tokens=info_has_tokens(frame),
            top=self._top,
            line=line,
            labels=tuple(math.ceil(width * self._ratio) for width in widths),
            scale=texture_scale(self._ratio),
            brief=math.ceil(briefest * self._ratio) + line,
        )

    # Layout.

    def _made(self, frame: Frame, stage: QRectF) -> PhaseScene:
        lanes = (frame, *frame.beside)
        self._follow(lanes)
        found = [gatherer.sections(one.state) for gatherer, one in zip(self._gatherers, lanes, strict=True)]
        wishes = [self._wishes(*each) for each in zip(lanes, found, self._widths, strict=True)]
        size = (int(side * self._ratio) for side in (stage.width(), stage.height()))
        most = bins_side_by_side(wishes, *size) if len(wishes) > 1 else None
        layout = self._layout(stage, replace(wishes[0], most=most))
        scene = PhaseScene(frame, layout, found[0], stage, self._theme, self._ratio)
        draw(scene, self._rasters)
        return scene

    # Pointing.

    def _selected(self, frame: Frame, hit: Any, floating: bool) -> Select:
        server, pool = hit.place.server, max(hit.place.pool, 0)
        if hit.token is not None:
            return Select(server=server, floating=floating, thing=_oldest_token(frame, server, hit.token))
        if hit.record is None:
            thing = Thing(SERVER, server, pool) if pool else None  # without a pool the number is unique
            return Select(server=server, floating=floating, thing=thing)
        number = int(frame.state.job_number[hit.record])
        if frame.state.job_virtual[hit.record]:  # virtual jobs have numbers of their own
            return Select(server=server, floating=floating, thing=Thing(VIRTUAL, number))
        return Select(server=server, job=number, floating=floating)

    def _words(self, frame: Frame, hit: Any) -> str:
        words = server_words(frame, hit.place)
        if hit.record is None or hit.place.is_backup:
            return words
        return "\n".join([*job_lines(frame, hit.record), "", words])

    # Painting.

    def _paint_text(self, painter: QPainter, scene: PhaseScene) -> None:
        PhaseText(painter, scene, self._text, self._stamps).paint(self._kinds)

    def _paint_marks(self, painter: QPainter, scene: PhaseScene) -> None:
        paint_passed(painter, scene, self._text)
        paint_marks(painter, scene, marks(scene.frame))
        paint_selection(painter, scene, self._selection)

    def _paint_legend(self, painter: QPainter, scene: PhaseScene, area: QRectF) -> None:
        self._legend.paint(painter, area, any(grid.cell.shows_jobs for grid in scene.layout.grids))


def _oldest_token(frame: Frame, server: int, job_type: int) -> Thing:
    """The oldest outstanding token of a type on a server."""
    state = frame.state
    numbers = state.token_number[:, job_type][state.token_server[:, job_type] == server]
    return Thing(TOKEN, int(numbers.min()))


class PhaseServersPanel(PicturePanel):
    """The panel of every server with its real and virtual jobs, and what it waits for."""

    name = "phase-servers"
    title = "Servers"
    summary = "Every server with its jobs to scale, real and virtual, its tokens and its timer."
    needs = frozenset({"phases"})
    picture = PhaseServersView

    def begin(self, frame: Frame) -> None:
        """Show another run, or step of a lesson."""
        self.view.begin(frame)

    @staticmethod
    def header(frame: Frame) -> list[str]:
        """The column names; virtual jobs and tokens only if the policy has them."""
        model = frame.info.numbers.model
        known = ("jobs", "virtual jobs", "tokens") if info_has_tokens(frame) else ("jobs",)
        counts = [f"{what} of {name}" for what in known for name in model.phases]
        uses = [f"{name} in use" for name in model.resources]
        return ["server", "kind", "pool", "jobs", *uses, *counts, "configuration", "state"]

    @staticmethod
    def rows(frame: Frame) -> Iterator[list[object]]:
        """All normal servers, then the backup servers in use; without normal ones, the servers in use."""
        numbered = info_has_tokens(frame)
        for section in Gatherer(frame.info.facts).sections(frame.state):
            content = content_of(frame.state, section, np.arange(len(section)))
            for index in range(len(section)):
                if (numbered and not section.backup) or content.real[index].any():
                    yield _row(frame, section.place(index), content, index)


def _row(frame: Frame, place: ServerPlace, content: PhaseContent, index: int) -> list[object]:
    facts, numbers = frame.info.facts, frame.info.numbers
    real, virtual = content.real[index], content.virtual[index]
    use = zip((real @ numbers.demand).tolist(), numbers.unit, strict=True)
    counts = [*real.tolist()]
    kind: list[object] = ["unlimited", ""]
    if info_has_tokens(frame):
        counts += [*virtual.tolist(), *content.tokens[index].tolist()]
        pool = place.pool if place.is_backup else int(facts.pool_of[place.server])
        kind = ["backup" if place.is_backup else "normal", pool + 1]
    observed = configuration_text(numbers.model.phases, (real + virtual).tolist())
    amounts = [float(units * unit) for units, unit in use]
    return [place.number + 1, *kind, int(real.sum()), *amounts, *counts, observed, _state(content, index)]


def _state(content: PhaseContent, index: int) -> str:
    if content.paused[index]:
        return "paused"
    if content.timer[index]:
        return "a timer runs"
    return "in use" if content.real[index].any() else "idle"
