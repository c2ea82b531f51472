"""The policy as a map of configurations, and the servers' places on it."""

from __future__ import annotations

from dataclasses import replace
from typing import Iterable

import numpy as np
from PySide6.QtWidgets import QBoxLayout, QComboBox, QHBoxLayout, QLabel, QWidget

from slotscope.gui.intents import Select
from slotscope.gui.kinds.phases.policy_map_bars import StationaryBars, bars, heaviest
from slotscope.gui.kinds.phases.policy_map_layout import MOST_PHASES, Cells, cells_of, usual_axes
from slotscope.gui.kinds.phases.policy_map_values import (
    cell_words,
    cost_rates,
    distance,
    event_server,
    expected_shares,
    lemma_words,
    map_values,
    most_jobs,
    tiles,
)
from slotscope.gui.kinds.phases.policy_map_view import MapView
from slotscope.gui.panels.columns import TwoColumns
from slotscope.gui.panels.pages import rich_text
from slotscope.gui.panels.tiles import TiledPanel
from slotscope.gui.theme import current_fonts
from slotscope.gui.widgets.boxes import ChoiceBox
from slotscope.gui.widgets.rows import STRETCH, in_row
from slotscope.model.reporting.explain import counted
from slotscope.model.reporting.frame import Frame

#: Least panel width for bars beside the map; in a flat panel, and the height below which it is flat.
_WIDE, _WIDE_IF_FLAT, _FLAT = 860, 620, 430
#: Least panel heights for bars, and for Lemma 7, below the map.
_LOW, _LOWEST = 480, 360
#: Below this height, outside lecture mode, the tiles are beside the map, whose cells would otherwise be too small to
#: read; for a map with slices, which need the width, they are beside the choices above it.
_FLATTEST = 230
#: Least width for a low panel's choices beside the tiles.
_WIDE_ENOUGH = 500


class PolicyMapPanel(TiledPanel):
    """The lattice of configurations under the single-server policy, and the servers on it."""

    name = "policy-map"
    title = "Policy map"
    summary = "What a server asks for in each configuration, how often it is there, and who is now."
    needs = frozenset({"lattice"})

    def build(self) -> None:
        """Create tiles and choices on top, the map, and bars beside or below it."""
        super().build()
        self._bounds: object = None
        self._cells: Cells | None = None
        self._sliced = False  # whether the map has slices, one per number of jobs in a third phase
        self._costs = self._expected = np.zeros(0)
        self._heaviest: tuple[int, ...] = ()
        self.view = MapView(self.theme)
        self.view.cell_clicked.connect(self._click)
        self.view.words_of = self._words_of
        self.bars = StationaryBars(self.theme)
        self.lemma = rich_text("Lemma 7")
        self.follow_theme(self.view, self.bars)
        self._top = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._top.setSpacing(0)
        self._top.addWidget(self.tiles, 1)
        self._top.addWidget(self._build_choices())
        self._columns = TwoColumns(spacing=6)
        self.column.addLayout(self._top)
        self.column.addLayout(self._columns, 1)

    def _build_choices(self) -> QWidget:
        """Create the choices of the pool and of the phases that span the map; hidden if there is no choice."""
        self.choices = QWidget(self.body)
        self._choice_rows = QBoxLayout(QBoxLayout.Direction.LeftToRight, self.choices)
        self._choice_rows.setSizeConstraint(QHBoxLayout.SizeConstraint.SetNoConstraint)
        self._choice_rows.setContentsMargins(10, 0, 10, 0)
        self.pool, self.right, self.up = ChoiceBox(), ChoiceBox(), ChoiceBox()
        self._captions = []
        for text, box, name in (
            ("Pool", self.pool, "pool of servers"),
            ("to the right", self.right, "phase to the right"),
            ("up", self.up, "phase upwards"),
        ):
            caption = QLabel(text)
            caption.setBuddy(box)
            box.setAccessibleName(name)
            box.setToolTip(f"{text[0].upper()}{text[1:]}: choose the {name}.")
            box.activated.connect(self._chosen)
            self._captions.append(caption)
        pool, right, up = zip(self._captions, (self.pool, self.right, self.up), strict=True)
        for row in (in_row(None, *pool), in_row(None, *right, *up, STRETCH)):
            self._choice_rows.addLayout(row)
        return self.choices

    def _arrange_choices(self) -> None:
        """Place the choices in one row, or the pool above the phases if that is too wide."""
        shown = [one for one in (*self._captions, self.pool, self.right, self.up) if not one.isHidden()]
        wide = sum(one.sizeHint().width() + self._choice_rows.spacing() for one in shown) > self.width() - 20
        direction = QBoxLayout.Direction
        self._choice_rows.setDirection(direction.TopToBottom if wide else direction.LeftToRight)

    # Frames.

    def show_frame(self, frame: Frame) -> None:
        """Move the servers with each frame; update bars and tiles a few times a second."""
        if frame.bounds is not self._bounds:
            self._bounds = frame.bounds
            self.lemma.setText(lemma_words(frame.bounds, frame.info.facts.plan))
        self._show_servers(frame)
        if self.numbers_due(frame):
            self._show_time(frame)

    def begin(self, frame: Frame) -> None:
        """Take the lattice, pools and phases of another run."""
        self._bounds = None
        facts, numbers = frame.info.facts, frame.info.numbers
        self._costs = cost_rates(numbers, facts.plan.lattice.configurations)
        self._expected = expected_shares(facts)
        self.bars.begin()
        names = numbers.model.phases
        self._fill(
            self.pool, [f"{j + 1}: {counted(pool.servers, 'server')}" for j, pool in enumerate(facts.plan.pools)], 0
        )
        right, up = usual_axes(len(names))
        self._fill(self.right, names, right)
        self._fill(self.up, names, max(up, 0))
        choosing = (len(facts.plan.pools) > 1, *[len(names) >= MOST_PHASES] * 2)
        boxes = (self.pool, self.right, self.up)
        for box, caption, shown in zip(boxes, self._captions, choosing, strict=True):
            box.setVisible(shown)
            caption.setVisible(shown)
        self.choices.setVisible(any(choosing))
        self._sliced = len(names) == MOST_PHASES
        self.arrange()
        self._show_map(frame)

    @staticmethod
    def _fill(box: QComboBox, texts: Iterable[str], chosen: int) -> None:
        box.clear()
        box.addItems(list(texts))
        box.setCurrentIndex(chosen)

    def _show_map(self, frame: Frame) -> None:
        """Show the map of the chosen pool, spanned by the chosen phases."""
        facts, numbers = frame.info.facts, frame.info.numbers
        names = numbers.model.phases
        right, up = usual_axes(len(names))
        if len(names) >= MOST_PHASES:
            right, up = self.right.currentIndex(), self.up.currentIndex()
        most = most_jobs(frame, self.pool.currentIndex())
        self._cells = cells_of(facts.plan.lattice, right, up, most)
        values = map_values(facts, self._cells, self._costs, self.pool.currentIndex())
        self.view.set_values(values, names)

    def _chosen(self) -> None:
        """Show another pool or phase; choosing the other axis's phase swaps the axes."""
        if (frame := self.current) is None:
            return
        if self.right.currentIndex() == self.up.currentIndex() and self._cells is not None:
            moved = self.up if self.right.currentIndex() == self._cells.up else self.right
            moved.setCurrentIndex(self._cells.right if moved is self.up else self._cells.up)
        self._show_map(frame)
        self._show_servers(frame)

    def _show_servers(self, frame: Frame) -> None:
        assert self._cells is not None
        present = frame.derived.present[self.pool.currentIndex()]
        if present[self._cells.cell_of == len(self._cells)].any():
            self._show_map(frame)  # a server has more jobs, left by an earlier plan
        counts = self._cells.sums(present).astype(np.int64)
        self.view.set_servers(counts, tuple(self._marks(frame)))

    def _marks(self, frame: Frame) -> Iterable[tuple[int, str]]:
        """The cells of the event's server and of the selected server."""
        facts = frame.info.facts
        for server, role in ((event_server(frame), "run"), (self.selection.server, "focus")):
            if server is None or not 0 <= server < facts.normal_servers:
                continue
            if facts.pool_of[server] == self.pool.currentIndex():
                assert self._cells is not None
                yield int(self._cells.cell_of[frame.state.observed[server]]), role

    def _show_time(self, frame: Frame) -> None:
        """Compare the servers' time in configurations so far with pi."""
        facts, spent = frame.info.facts, frame.derived.occupancy
        names = frame.info.numbers.model.phases
        known = self._expected.any()
        self._heaviest = heaviest(self._expected if known else spent)
        self.tiles.set_texts(tiles(frame, distance(spent, self._expected)))
        shown = bars(names, facts.plan.lattice.configurations, self._expected, spent, self._heaviest)
        self.bars.set_rows(shown, frame.running)

    # The mouse.

    def _servers_in(self, cell: int) -> list[int]:
        """The servers of the shown pool that are in a cell now."""
        if (frame := self.current) is None or self._cells is None:
            return []
        observed, pool_of = frame.state.observed, frame.info.facts.pool_of
        here = self._cells.cell_of[observed] == cell
        found: list[int] = np.flatnonzero(here & (pool_of == self.pool.currentIndex())).tolist()
        return found

    def _click(self, cell: int, double: bool) -> None:
        """Select a server of the cell; each further click selects the next one."""
        servers = self._servers_in(cell)
        if double and self.selection.server in servers:
            self.intent.emit(replace(self.selection, floating=True))
        elif servers:
            before = -1 if self.selection.server is None else self.selection.server
            server = next((one for one in servers if one > before), servers[0])
            self.intent.emit(Select(server=server, floating=double))

    def _words_of(self, cell: int | None) -> str:
        if cell is not None and self.frame is not None and self._cells is not None:
            return cell_words(self.frame, self._cells, cell, self.pool.currentIndex(), self._costs)
        return (
            "Each cell is a configuration, real and virtual jobs together. Its shade is π, "
            "arrows are what a server asks for there, dots are servers."
        )

    def show_selection(self, selection: Select) -> None:
        """Outline the configuration of the selected server."""
        if (frame := self.current) is not None:
            self._show_servers(frame)

    # The window.

    def arrange(self) -> None:
        """Place everything in one column, or the bars beside the map if they have enough room there."""
        self._arrange_choices()
        scale = current_fonts().scale
        flat = self.height() < _FLAT * scale and self.width() >= _WIDE_IF_FLAT * scale
        beside = flat or self.width() >= _WIDE * scale
        wide = self.width() >= 2 * self.height() and not current_fonts().lecture
        flattest = wide and not beside and self.height() < _FLATTEST
        aside = flattest and not self._sliced
        if not aside and self._top.indexOf(self.tiles) < 0:
            self._top.insertWidget(0, self.tiles, 1)
        if beside:
            self._columns.arrange([self.view], [self.bars, self.lemma], {self.view: 3, self.bars: 100}, widths=(3, 2))
        elif aside:
            self._columns.arrange([self.view], [self.tiles, self.bars, self.lemma], {self.view: 1})
        else:
            self._columns.arrange([self.view, self.bars, self.lemma], (), {self.view: 3, self.bars: 1})
        low = flattest or (self.height() < _LOW * scale and self.width() >= _WIDE_ENOUGH * scale)
        direction = QBoxLayout.Direction
        self._top.setDirection(direction.LeftToRight if low else direction.TopToBottom)
        self.bars.setVisible(beside or self.height() >= _LOW * scale)
        least = _LOW if current_fonts().lecture else _LOWEST  # a lecture needs large cells; "Plan and gap" says it, too
        self.lemma.setVisible(beside or self.height() >= least * scale)

    def series(self) -> tuple[list[str], Iterable[Iterable[object]]] | None:
        """A row per configuration: the policy's case, pi, and the share of time spent there."""
        frame = self.frame
        if frame is None or self.needs - frame.info.offers:
            return None
        facts, standing = frame.info.facts, frame.derived
        names = ["pool", *frame.info.numbers.model.phases, "case", "pi", "servers_now", "share_of_all_servers_time"]
        rows = (
            (
                j + 1,
                *k,
                int(pool.case[place]),
                float(pool.stationary[place]),
                int(standing.present[j, place]),
                float(standing.occupancy[place]),
            )
            for j, pool in enumerate(facts.plan.pools)
            for place, k in enumerate(facts.plan.lattice.configurations.tolist())
        )
        return names, rows
