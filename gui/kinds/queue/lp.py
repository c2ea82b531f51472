"""The panel of load and capacity: the load against rho* and K_RED, and the jobs in service now."""

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

#: Panels less high than the first number of pixels have two columns if at least as wide as the second.
_FLAT, _TWO_NARROW = 560, 600
_BELOW, _UNLIMITED = 8, 16_777_215
#: Pixels left free beside a column of text.
_BESIDE = 20
_SHARE = 0.001
_BEST = "<i>ρ</i><sup>*</sup>"


class SupportablePanel(BoundsPanel):
    """The maximum supportable workload, its proof, and the load as a share of it."""

    name = "supportable"
    title = "Load and capacity"
    summary = "The load as a share of the supportable workload ρ*, and which jobs make up ρ*."
    needs = frozenset({"supportable"})

    def build(self) -> None:
        """Build three pages: the programs' results, a busy sign, a sentence."""
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
        """Begin another run; it may have fewer configurations, so their bars are reset."""
        super().begin(frame)
        self.bars.begin()

    def knows(self, bounds: QueueBounds) -> bool:
        """Whether there is any bound to compare the load with."""
        return is_known(bounds)

    def problem_of(self, bounds: QueueBounds) -> str:
        """Why bounds are missing, in the paper's symbols."""
        return in_symbols(bounds.problem)

    def show_bounds(self, frame: Frame) -> None:
        """Show the load on its scale, the region, and the refined bounds."""
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
        """Write the sentences and the table of prices."""
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
        """Show the shares of servers in each configuration now, beside those in the optimum of (4)."""
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
        """Use two columns if the panel is wide enough, or too low for pictures below each other."""
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
        # In two columns, and in lecture mode, each picture is at most as high as the view.
        room = self.height() - self.tiles.sizeHint().height() - _BELOW
        if not two:
            wide = self.area.viewport().width() - _BESIDE
            room -= self.scale.sizeHint().height() * (not self.scale.isHidden())
            room -= self.limits.heightForWidth(wide) * (not self.limits.isHidden())
        for picture in pictures:
            whole = two or current_fonts().lecture
            picture.setMaximumHeight(max(room, picture.minimumHeight()) if whole else _UNLIMITED)

    def series(self) -> tuple[list[str], Iterable[Iterable[object]]] | None:
        """The configurations that support rho* and their shares, or else Theorem 1's bounds; None without either."""
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
    """Tiles for rho* or its bounds, the load, the load as a share of rho*, and L / E[R] of Lemma 1."""
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
