"""The tokens: their numbers against their limits, and the life of each."""

from __future__ import annotations

from dataclasses import replace
from typing import Iterable

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from slotscope.gui.intents import Select
from slotscope.gui.kinds.phases.tokens_lines import LifeLines
from slotscope.gui.kinds.phases.tokens_lines_layout import waiting
from slotscope.gui.kinds.phases.tokens_rates import RateRow, RatesChart
from slotscope.gui.kinds.phases.tokens_words import (
    RecentRates,
    TokenRow,
    limits_shown,
    read_all,
    reader,
    recent_rates,
    row_words,
    shown_types,
    table,
    tiles,
    token_rows,
    unit,
)
from slotscope.gui.panels.columns import TwoColumns
from slotscope.gui.panels.tiles import TiledPanel
from slotscope.gui.plotting.run_plot import RunPlot
from slotscope.gui.plotting.sampled import History
from slotscope.gui.theme import Theme, current_fonts
from slotscope.model.kinds.phases.inspection import TOKEN
from slotscope.model.reporting.frame import Frame
from slotscope.model.reporting.inspection import Thing
from slotscope.model.reporting.letters import own_letters

#: Least panel width for the lives beside curves and rates.
_WIDE = 1000
#: Below this height the lives are beside the curves alone from this width on, else replace them.
_LOW, _BESIDE = 460, 420
#: Least height of a narrow panel with curves above the lives.
_STACKED = 330
#: Least height for rates.
_LOWEST = 250
#: These heights are for so many types; each further type has a row of rates of this height.
_USUAL_TYPES, _ROW = 2, 27
#: Largest share of a plot's width for names of types.
_NAMES_SHARE = 0.35
#: During a run the lines follow each frame that is at most so many events later; otherwise they would flicker.
_FEW_EVENTS = 12
_ALL = "all"  # name of the curve of the sum over all types


class TokensPlot(RunPlot):
    """A curve per type, with its present number at its end; dashed lines at the limits."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        about = "The tokens of each type over time, and the limit of each. Averages are drawn where there are many."
        super().__init__(theme, "tokens", about, History(read_all), whole=True, parent=parent)
        self._rows: tuple[TokenRow, ...] = ()  # with the names used here
        self._known: tuple[TokenRow, ...] = ()

    @property
    def types(self) -> tuple[int, ...]:
        """The types with a curve."""
        return tuple(int(name) for name in self.lines if name != _ALL)

    def show_rows(self, frame: Frame, rows: tuple[TokenRow, ...]) -> None:
        """Update the curves of these types to a frame, if the change is visible."""
        before = [(row.type, row.name) for row in self._rows]
        self._known, self._rows = rows, self._in_short(frame, rows)
        self.show_moment(frame, anew=[(row.type, row.name) for row in self._rows] != before)

    def _in_short(self, frame: Frame, rows: tuple[TokenRow, ...]) -> tuple[TokenRow, ...]:
        """The rows with letters instead of names, if names would leave the curves too little room."""
        metrics = self.fontMetrics()
        longest = max((metrics.horizontalAdvance(f"{row.name} ≤ 00") for row in rows), default=0)
        if longest <= _NAMES_SHARE * self.width():
            return rows
        letters = own_letters(frame.info.numbers.model.phases)
        return tuple(row._replace(name=letters[row.type]) for row in rows)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._frame is not None:
            self.show_rows(self._frame, self._known)

    def begin(self, frame: Frame) -> None:
        """Create curves and limits for another run, or with other names."""
        for name in self.lines:
            self.remove_line(name)
        super().begin(frame)
        if frame.info.facts.limit_in_all:
            self.add_line(_ALL, "run", ahead=True)
        for row in self._rows:
            self.add_line(str(row.type), row.type, History(reader(row.type)), ahead=True)
        limits = limits_shown(frame, self._rows)
        roles = {f"{row.name} ≤": row.type for row in self._rows}
        for text, limit in limits.items():
            told = f"{text} {limit}" if text in roles else f"{text} = {limit}"
            self.set_reference(text, float(limit), roles.get(text, "normal"), told)

    def choose(self, frame: Frame) -> None:
        """Label the curves with the present numbers."""
        for row in self._rows:
            self.set_label(str(row.type), f"{row.name} {sum(row.tokens)}")
        if _ALL in self.lines:
            self.set_label(_ALL, f"all {sum(sum(row.tokens) for row in self._rows)}")


class TokensPanel(TiledPanel):
    """Outstanding requests of servers for jobs (tokens): curves, rates, and the life of each token."""

    name = "tokens"
    title = "Tokens"
    summary = "The tokens of each type, against their limit where there is one, and each token's way to a job."
    needs = frozenset({"tokens"})

    def build(self) -> None:
        """Create tiles, curves and rates, and below or beside them the lives."""
        super().build()
        self._event = self._types = 0
        self.plot = TokensPlot(self.theme, self.body)
        self.plot.event_picked.connect(self.go_to)
        self.rates = RatesChart(self.theme)
        self.lines = LifeLines(self.theme)
        self.lines.picked.connect(self._pick)
        self.follow_theme(self.rates, self.lines, self.plot)
        self._columns = TwoColumns()
        self.column.addLayout(self._columns, 1)

    def minimumSizeHint(self) -> QSize:
        """Wide enough for the headings of rates; lecture mode grants a panel this width."""
        least = super().minimumSizeHint()
        return QSize(max(least.width(), self.rates.whole_width), least.height())

    # Frames.

    def begin(self, frame: Frame) -> None:
        """Reset rates and lives for another run."""
        self.rates.begin()
        self.lines.begin(frame)
        self._types = len(shown_types(frame))
        self.arrange()

    def show_frame(self, frame: Frame) -> None:
        """Update curves, rates and lives to a frame."""
        types = shown_types(frame)
        rows = token_rows(frame, types)
        self.plot.show_rows(frame, rows)
        if self.numbers_due(frame):
            self._show_numbers(frame, rows, recent_rates(frame, types))
        near = 0 <= frame.event - self._event <= _FEW_EVENTS
        if near or self.calm.may_change("lives", frame.running):
            self._event = frame.event
            self.lines.show_moment(frame)

    def _show_numbers(self, frame: Frame, rows: tuple[TokenRow, ...], recent: RecentRates) -> None:
        self.tiles.set_texts(tiles(frame, waiting(frame.state, 1), recent))
        arrivals, letters = frame.info.numbers.arrival_rates, own_letters(frame.info.numbers.model.phases)
        each = zip(rows, recent.of, strict=True)
        self.rates.show_rates(
            tuple(RateRow(row, of, float(arrivals[row.type]), letters[row.type]) for row, of in each),
            recent,
            unit(frame),
            tuple(row_words(frame, row, recent, place) for place, row in enumerate(rows)),
            frame.running,
        )

    def show_selection(self, selection: Select) -> None:
        """Mark the tokens of the selected server."""
        self.lines.set_server(selection.server)

    def _pick(self, token: int, server: int, floating: bool) -> None:
        self.intent.emit(replace(Select.of(Thing(TOKEN, token), floating), server=server))

    # The window.

    def arrange(self) -> None:
        """Use one column; put the lives beside the rest in a wide panel, beside the curves or alone in a low one."""
        scale = current_fonts().scale
        width = self.width() / scale
        height = self.height() / scale - _ROW * max(0, self._types - _USUAL_TYPES)
        beside = width >= _BESIDE
        low = height < (_LOW if beside else _STACKED)
        growing: dict[QWidget, int] = {self.plot: 4, self.lines: 5}
        if width >= _WIDE and height >= _LOWEST:
            self._columns.arrange([self.plot, self.rates], [self.lines], growing)
        elif low:
            self._columns.arrange([self.plot], [self.lines], growing, widths=(2, 3) if beside else (0, 1))
            self.column.addWidget(self.rates)
        else:
            self._columns.arrange([self.plot, self.rates, self.lines], (), growing)
        self.plot.setVisible(not low or beside)
        self.rates.setVisible(height >= _LOWEST)
        self.tiles.setVisible(height >= _LOW)  # the rates contain nearly all of it

    def series(self) -> tuple[list[str], Iterable[Iterable[object]]] | None:
        """A row per sample."""
        return None if self.frame is None else table(self.frame)
