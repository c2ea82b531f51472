"""The load against what servers can support: rho*, K_RED, and what is served now."""

from __future__ import annotations

from typing import Iterable, Iterator

from PySide6.QtWidgets import QWidget

from slotscope.gui.kinds.queue.lp_picture import Size, jobs_by_size, picture_of, service_of, size_name, types_of
from slotscope.gui.kinds.queue.lp_refining import RefiningPlot
from slotscope.gui.kinds.queue.lp_region import RegionPlot
from slotscope.gui.kinds.queue.lp_scale import LoadScale
from slotscope.gui.kinds.queue.lp_values import (
    ConfigurationBars,
    configuration_rows,
    guarantee_sentences,
    in_symbols,
    is_complete,
    is_known,
    limit_sentences,
    load_values,
    price_table,
    steps,
)
from slotscope.gui.language.words import tr
from slotscope.gui.panels.bounds import BoundsPanel, busy_page, say
from slotscope.gui.panels.pages import rich_text
from slotscope.gui.panels.tiles import TileText, exact_tile
from slotscope.gui.panels.wording import significant
from slotscope.gui.plotting.scales import format_number
from slotscope.gui.theme import current_fonts
from slotscope.model.kinds.queue.programs.bounds import QueueBounds
from slotscope.model.reporting.frame import Frame

#: A panel that is lower than this has two columns from a smaller width on.
_FLAT, _TWO_NARROW = 560, 600
_BELOW, _UNLIMITED = 8, 16_777_215
#: Pixels beside a column of text.
_BESIDE = 20
_SHARE = 0.001
_BEST = "<i>ρ</i><sup>*</sup>"


class SupportablePanel(BoundsPanel):
    """The maximum supportable workload, its proof, and how near the present load is to it."""

    name = "supportable"
    title = "Load and capacity"
    summary = "The load as a share of the supportable workload ρ*, and which jobs make up ρ*."
    needs = frozenset({"supportable"})

    def build(self) -> None:
        """Three pages: the programs, a busy sign, a sentence."""
        super().build()
        self._types: tuple[Size, ...] = ()
        self.scale = LoadScale(self.theme)
        self.region = RegionPlot(self.theme)
        self.bars = ConfigurationBars(self.theme)
        self.refining = RefiningPlot(self.theme)
        self.follow_theme(self.scale, self.region, self.bars, self.refining)
        self.limits = rich_text("what becomes of the queues")
        self.prices = rich_text("prices of the optimum")
        self.guarantees = rich_text("guarantees")
        self.note = rich_text("what is missing")
        self.build_pages(busy_page(tr("Computing the supportable workload …")))

    # Frames.

    def begin(self, frame: Frame) -> None:
        """Another run: its configurations may be fewer."""
        super().begin(frame)
        self.bars.begin()

    def knows(self, bounds: QueueBounds) -> bool:
        """Whether the load can be compared with anything."""
        return is_known(bounds)

    def problem_of(self, bounds: QueueBounds) -> str:
        """In the symbols of the paper."""
        return in_symbols(bounds.problem)

    def show_bounds(self, frame: Frame) -> None:
        """The load on its scale, the region, and how bounds were refined."""
        info, bounds = frame.info, self.bounds
        self._types = types_of(bounds, info.numbers)
        self.tiles.set_texts(_tiles(bounds))
        values = load_values(bounds)
        self.scale.setVisible(values is not None)
        self.scale.set_values(values, info.policy_name)
        picture = picture_of(info, bounds)
        self.region.setVisible(picture is not None)
        self.region.set_picture(picture)
        self.bars.setVisible(bounds.supportable is not None)
        self.refining.setVisible(bool(bounds.theorem1))
        self.refining.set_steps(steps(bounds), float(bounds.workload))

    def write(self) -> None:
        """Sentences and the table of prices."""
        assert self.frame is not None
        info, bounds, theme = self.frame.info, self.bounds, self.theme
        note = in_symbols(bounds.problem) or ("" if is_complete(bounds) else "Computing better bounds …")
        say(
            (self.note, note),
            (self.limits, limit_sentences(bounds, info.policy_name, theme)),
            (self.prices, price_table(bounds, info.numbers, self._types, theme)),
            (self.guarantees, guarantee_sentences(theme) if self.scale.values else ""),
        )

    def show_present(self, frame: Frame) -> None:
        """What servers hold, beside what they would hold at best."""
        best, state, numbers = self.bounds.supportable, frame.state, frame.info.numbers
        if best is None:
            return
        held = jobs_by_size(state, self._types, numbers.servers)
        names = [size_name(numbers, size) for size in self._types]
        self.bars.set_rows(configuration_rows(best.shares(), held, names))
        if self.region.picture is not None:
            self.region.set_service(service_of(self.region.picture, state, held))

    # The window.

    def arrange(self) -> None:
        """Two columns where there is room for them, or too little for pictures below each other."""
        scale = current_fonts().scale
        flat = self.width() >= _TWO_NARROW * scale and self.height() < _FLAT * scale
        two = (self.wide or flat) and not (self.region.isHidden() and self.refining.isHidden())
        place: list[QWidget] = [self.scale, self.note]
        pictures: list[QWidget] = [self.region, self.refining]
        numbers: list[QWidget] = [self.limits, self.bars, self.prices, self.guarantees]
        if two:
            self.area.arrange([*place, *numbers], pictures, pictures)
        else:
            self.area.arrange([*place, *pictures, *numbers], growing=pictures)
        # Beside long tables, and in a hall, the pictures stay in view as a whole.
        room = self.height() - self.tiles.sizeHint().height() - _BELOW
        if not two:
            wide = self.area.viewport().width() - _BESIDE
            room -= self.scale.sizeHint().height() * (not self.scale.isHidden())
            room -= self.limits.heightForWidth(wide) * (not self.limits.isHidden())
        for picture in pictures:
            whole = two or current_fonts().lecture
            picture.setMaximumHeight(max(room, picture.minimumHeight()) if whole else _UNLIMITED)

    def series(self) -> tuple[list[str], Iterable[Iterable[object]]] | None:
        """Theorem 1's bounds, or the configurations that support rho*."""
        if self.bounds is None:
            return None
        best = self.bounds.supportable
        if best is not None:
            shares = sorted(best.shares().items(), reverse=True)
            return ["configuration", "share", "share_exact"], (
                (" ".join(map(str, k)), float(share), str(share)) for k, share in shares
            )
        if not self.bounds.theorem1:
            return None
        return ["cells", "lower", "upper"], (
            (step.cells, step.lower, "" if step.upper is None else step.upper) for step in steps(self.bounds)
        )


def _tiles(bounds: QueueBounds) -> Iterator[TileText]:
    """rho*, or what it lies between; the load, its share, and the capacity."""
    low, high = bounds.lower, bounds.upper
    if bounds.supportable is not None:
        yield exact_tile(
            _BEST, bounds.supportable.value, "optimum", "The maximum supportable workload of (4), in jobs."
        )
    elif low is not None and high is not None:
        between = f"{significant(float(low))} – {significant(float(high))}"
        tip = "The best bounds of the supportable workload so far."
        yield TileText(f"{_BEST} lies between", between, "optimum", tip, short=_BEST)
    if bounds.workload:
        tip = "Arrivals per slot times the mean slots of service."
        yield exact_tile("load <i>ρ</i>", bounds.workload, "normal", tip)
    if bounds.load is not None:
        least, most = bounds.load
        role = "rejection" if least > 1 else "normal"
        written = format_number(float(most), _SHARE)
        if least != most:
            written = f"{format_number(float(least), 0.01)} – {format_number(float(most), 0.01)}"
        yield TileText(f"<i>ρ</i> / {_BEST}", written, role, "The load as a share of the supportable workload.")
    if bounds.mean_bound is not None:
        tip = "No load above this fits: the servers over the mean size, Lemma 1."
        yield exact_tile("<i>L</i> / E[<i>R</i>]", bounds.mean_bound, "normal", tip)
