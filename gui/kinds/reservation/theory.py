"""The theory of the fluid limit beside the run: slot deficit, greedy target, and V."""

from __future__ import annotations

from functools import partial
from typing import Iterable

import numpy as np
from PySide6.QtCore import QSize
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QLabel, QWidget

from slotscope.gui.kinds.reservation.theory_bars import DeficitBars, TargetBars, configuration_text
from slotscope.gui.kinds.reservation.theory_search import SearchRow
from slotscope.gui.kinds.reservation.theory_values import (
    EffectiveServers,
    falling_for,
    has_greedy,
    moment_of,
    read_function,
    value_of,
)
from slotscope.gui.panel import Panel
from slotscope.gui.panels.columns import TwoColumns, scrolled
from slotscope.gui.panels.tiles import Tiles, TileText
from slotscope.gui.panels.wording import GREEDY_MARK, THIN, significant
from slotscope.gui.plotting.run_plot import RunPlot
from slotscope.gui.plotting.sampled import Columns, History, SampledSeries, Values
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.rows import in_column
from slotscope.model.kinds.reservation.programs.lyapunov import Lyapunov
from slotscope.model.kinds.reservation.sampling import EVENT_COLUMN, TIME_COLUMN
from slotscope.model.programs.configurations import Configuration
from slotscope.model.reporting.explain import quantity
from slotscope.model.reporting.frame import Frame

#: From this width, in pixels at the usual font size, the bars are placed side by side.
_TWO_COLUMNS = 700
#: Maximum width of a configuration among the tiles, in widths of a digit.
_NEXT_FIGURES = 17
#: Minimum height of the plot, in pixels at the usual font size.
_HEIGHT = 190


class FunctionPlot(RunPlot):
    """The curve of V, muted after the moment shown, and the target at 0."""

    def __init__(self, theme: Theme) -> None:
        about = "V(z) of (6.3) at the samples of the run, and what the configurations add to it."
        super().__init__(theme, "V", about, History(_unknown))
        self.add_line("whole", "run", ahead=True, label="V")
        self.add_line("servers", "greedy", place=1, label="servers’ part")
        self._chance: float | None = None

    def sizeHint(self) -> QSize:
        return QSize(200, round(_HEIGHT * current_fonts().scale))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    @property
    def whole(self) -> SampledSeries | None:
        """V at each sample; None until it is known."""
        return self.history.series[0] if self.history.series else None

    def know(self, function: Lyapunov, chance: float | None) -> None:
        """Plot *function*, which has become known; *chance* bounds what chance alone adds to its mean, if known."""
        self.history = History(partial(read_function, function))
        self._chance = chance

    def begin(self, frame: Frame) -> None:
        """Reset the reference lines for another run."""
        super().begin(frame)
        self.set_reference("target", 0.0, "greedy", "target")
        text = "" if self._chance is None else f"chance ≤{THIN}{significant(self._chance, 2)}"
        self.set_reference("chance", self._chance, "muted", text)


def _unknown(_numbers: object, samples: Values) -> Columns:
    """No series: V is not known."""
    return Columns(np.zeros((len(samples), 0)))


class TheoryPanel(Panel):
    """Where the proof says that the run converges to, and how far the run is from there."""

    name = "theory"
    title = "Theory"
    summary = "The slot deficit q, effective servers against the fluid limit, and V(z)."
    needs = frozenset({"greedy configurations"})
    tells = frozenset({"greedy configurations"})

    def build(self) -> None:
        """Tiles, two bar charts, the curve of V, and the search."""
        self._function: Lyapunov | None = None
        self._chance: float | None = None
        self.tiles = Tiles(self.theme)
        self.deficit = DeficitBars(self.theme)
        self.target = TargetBars(self.theme)
        self.target.chosen.connect(self._choose)
        self.plot = FunctionPlot(self.theme)
        self.plot.event_picked.connect(self.go_to)
        self.verdict = _text("what V does")
        self.search = SearchRow()
        self.follow_theme(self.tiles, self.deficit, self.target, self.plot)
        self._bars = TwoColumns()
        content = self._content()
        in_column(self.body, scrolled(content, self.body))
        self.ground(self.body, content)
        self.restyle(self.theme)

    def _content(self) -> QWidget:
        content = QWidget()
        column = in_column(
            content, self.tiles, self._bars, (self.plot, 1), self.verdict, self.search, margins=(0, 0, 0, 4), spacing=2
        )
        column.addStretch()
        return content

    def arrange(self) -> None:
        """Place the bars of q above those of the configurations, or side by side if there is room."""
        if self.width() >= _TWO_COLUMNS * current_fonts().scale:
            self._bars.arrange([self.deficit], [self.target])
        else:
            self._bars.arrange([self.deficit, self.target])

    # Frames.

    def why_not(self, frame: Frame) -> str:
        """Why the theory does not apply: it requires servers of one kind, and greedy configurations."""
        if note := super().why_not(frame):
            return note
        problem = _beyond(frame)
        return f"{self.title} does not apply to {frame.info.policy_title} {problem}" if problem else ""

    def show_frame(self, frame: Frame) -> None:
        """Update bars, tiles and curve to this moment."""
        if frame.bounds.lyapunov is not self._function:
            self._know(frame)
        if self._function is not None:
            self.plot.show_moment(frame)
        if self.numbers_due(frame):
            self._show_numbers(frame)

    def begin(self, frame: Frame) -> None:
        """Begin another run: set its job types; V is not known yet."""
        self._function = None
        self.tiles.forget()
        self.deficit.begin(frame.info.numbers.type_names, frame.info.facts.reserved)
        self.target.begin()
        self.search.begin(frame.info.numbers)
        self.search.setVisible(any(frame.info.numbers.workload))
        self.plot.hide()

    def _know(self, frame: Frame) -> None:
        """Take over V, or that there is none."""
        self._function = function = frame.bounds.lyapunov
        self.plot.setVisible(function is not None)
        self._chance = None
        if function is not None:
            if frame.info.scenario.workload.kind == "poisson":
                self._chance = function.chance(frame.info.numbers.servers)
            self.plot.know(function, self._chance)

    def _show_numbers(self, frame: Frame) -> None:
        moment = moment_of(frame, self.target.selected)
        self.target.set_moment(moment)
        self.deficit.set_values(moment.q(self.target.selected), self.target.selected)
        self.tiles.set_texts((self._next_tile(moment), *self._function_tiles(frame, moment)))
        self.verdict.setText(self._verdict(frame))

    # Words.

    def _next_tile(self, moment: EffectiveServers) -> TileText:
        """(5.3): the configuration that the next empty server gets."""
        tip = (
            "The first greedy configuration of whose slots every type is short, (5.3): CRA "
            "gives it to the next server of rank J + 1 that is empty."
        )
        if moment.all_effective:
            return TileText("servers effective, none to assign, (5.3)", "all", "normal", tip, short="effective, (5.3)")
        text, caption, short, role = ("stay", "empty servers: slots enough, (5.3)", "empty servers, (5.3)", "normal")
        if moment.place is not None:
            metrics = QFontMetricsF(current_fonts().display)
            room = _NEXT_FIGURES * metrics.horizontalAdvance("0")
            text = configuration_text(moment.configurations[moment.place], metrics, room)
            caption, short = "the next empty server gets, (5.3)", "next server, (5.3)"
            role = "migration"
        if not moment.agrees:
            caption, short = "by (5.3); the last CRA planned otherwise", "by (5.3), not CRA"
            role = "muted"
        return TileText(caption, text, role, tip, short=short)

    def _function_tiles(self, frame: Frame, moment: EffectiveServers) -> Iterable[TileText]:
        if self._function is None:
            return
        value = value_of(self._function, frame, moment)
        jobs = sum(map(float, value.jobs))
        whole, servers, above = (significant(part, 2) for part in (float(value.value), float(value.value) - jobs, jobs))
        ratio = f"{_CONSTANTS} ξ = {self._function.ratio}."
        yield TileText("<i>V</i>(<i>z</i>), 0 at the target", whole, "run", ratio, short="<i>V</i>(<i>z</i>)")
        tip = f"How far x⁽ᵉ⁾ is from x{GREEDY_MARK}, weighted by Z₁, Z₂, …"
        yield TileText("of it: servers", servers, "greedy", tip)
        tip = "Z times the jobs of each type beyond its mean number, per server."
        yield TileText("of it: jobs above <i>ρ</i>", above, "normal", tip)

    def _verdict(self, frame: Frame) -> str:
        """Whether V falls, and why it need not; or why there is no V."""
        if self._function is None:
            return _missing(frame)
        servers = frame.info.numbers.servers
        said = "V does not fall at this moment."
        series = self.plot.whole
        if series is not None and len(series.values) > 1:
            duration, width = falling_for(series, frame.time)
            if duration > 0:
                since = significant(frame.time - duration, 3)
                stretch = quantity(significant(width, 2), frame.info.time_unit)
                said = f"V has fallen since t = {since}, in averages over {stretch}."
        limit = (
            f"Only the fluid limit falls for ever (Proposition 7); {servers} servers "
            "fluctuate, and V can even be below 0."
        )
        return f"{said} {limit}{self._chance_words()}"

    def _chance_words(self) -> str:
        if self._chance is None:
            return ""
        return f" Chance alone adds up to {significant(self._chance, 2)} on average; with more servers less."

    def _choose(self, _configuration: Configuration | None) -> None:
        if self.frame is not None:
            self._show_numbers(self.frame)

    # The window.

    def restyle(self, theme: Theme) -> None:
        super().restyle(theme)
        for label in (self.verdict, self.search.answer):
            label.setFont(current_fonts().body)

    def series(self) -> tuple[list[str], Iterable[Iterable[object]]] | None:
        """One row per sample: event, time, V, and the servers' part of it."""
        history = self.plot.history
        if (frame := self.current) is None or self._function is None or not history.series:
            return None
        whole, servers = (series.values.y.tolist() for series in history.series)
        samples = frame.samples[: len(whole)]
        rows = zip(
            samples[:, EVENT_COLUMN].astype(int).tolist(), samples[:, TIME_COLUMN].tolist(), whole, servers, strict=True
        )
        return ["event", "time", "v", "v_servers"], rows


_CONSTANTS = "V of (6.3) with Z_i = ξ Z_(i+1) and Z = 4 Z₁ + 1, scaled to 1 in the empty system;"


def _beyond(frame: Frame) -> str:
    """Why effective servers and q are not defined here; empty if they are."""
    pools = len(frame.info.numbers.pools)
    if pools > 1:
        return f"here: it supposes servers of one kind, and there are {pools}."
    return "" if has_greedy(frame) else "before GPA has run: no server is effective yet."


def _missing(frame: Frame) -> str:
    """Why there is no V."""
    if not any(frame.info.numbers.workload):
        return "The workload is not known, so there is no target that V could measure the distance to; q needs none."
    bounds = frame.bounds
    if bounds.optimum is None and not bounds.problem:
        return "Computing the target and V …"
    return f"There is no V here. {bounds.problem}".strip()


def _text(name: str) -> QLabel:
    label = QLabel(wordWrap=True)
    label.setContentsMargins(10, 2, 10, 4)
    label.setAccessibleName(name)
    return label
