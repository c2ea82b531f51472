"""The linear program beside the greedy assignment, for all workloads alpha rho."""

from __future__ import annotations

import time
from fractions import Fraction
from html import escape
from typing import Iterable, Sequence

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from slotscope.gui.intents import Say
from slotscope.gui.kinds.reservation.lp_curve import AlphaPlot, alpha_text
from slotscope.gui.kinds.reservation.lp_solution import (
    BarRow,
    RatioScale,
    Solution,
    bar_rows,
    guarantee_sentence,
    present_shares,
    solve_at,
)
from slotscope.gui.kinds.reservation.wording import letter_forms
from slotscope.gui.language.words import tr
from slotscope.gui.panels.bounds import BoundsPanel, busy_page
from slotscope.gui.panels.pages import inked, rich_text, table_of
from slotscope.gui.panels.share_bars import ShareBars
from slotscope.gui.panels.tiles import TileText, exact_tile
from slotscope.gui.panels.wording import GREEDY, GREEDY_MARK, OPTIMUM, significant
from slotscope.gui.plotting.scales import format_number
from slotscope.gui.theme import Theme
from slotscope.model.kinds.reservation.bounds import Bounds
from slotscope.model.kinds.reservation.measures import reward_rate
from slotscope.model.kinds.reservation.programs.bounds import GUARANTEES
from slotscope.model.reporting.frame import Frame
from slotscope.model.reporting.letters import type_letter

#: Minimum and maximum time between two solutions while the cursor is dragged, in milliseconds.
_LEAST_WAIT, _MOST_WAIT = 15, 400
_RESOLUTION = 0.001
_HEADINGS = ("", "<i>ρ<sub>j</sub></i>", "", "<i>y<sub>j</sub></i><sup>*</sup>", "", "slots", "price")
_SCALED = "<i>αρ<sub>j</sub></i>"
_NOTE = "Per server; a bold = binds. Price: what one more job of a type in reach, or one more server, adds."


def price_table(solution: Solution, names: Sequence[str], theme: Theme) -> str:
    """A table: workload, jobs, slots and price of each type, and the price of a server."""
    headings = [*_HEADINGS]
    if solution.alpha != 1:
        headings[1] = _SCALED
    rows = []
    for j, name in enumerate(names):
        mark = inked(f"<b>{type_letter(j)}</b>", theme.ink(theme.type_style(j).color))
        rows.append(
            (
                f"{mark}&ensp;{escape(name)}",
                significant(solution.workload[j]),
                _relation(solution.workload_binds[j], "≥", theme),
                significant(solution.jobs[j]),
                _relation(solution.slots_bind[j], "≤", theme),
                significant(solution.slots[j]),
                significant(solution.prices[j]),
            )
        )
    rows.append(("server", "1", _relation(True, "", theme), "1", "", "", significant(solution.server_price)))
    return table_of(headings, rows, theme, note=_NOTE)


def _relation(binds: bool, otherwise: str, theme: Theme) -> str:
    return "<b>=</b>" if binds else inked(otherwise, theme.muted)


class SolutionBars(ShareBars[BarRow]):
    """Bars of the optimum, the greedy assignment and the run."""

    heads = (("x*", "optimum"), (f"x{GREEDY_MARK}", "greedy"), ("X/L", "run"))
    widest, most_label = "0.000", 0.36
    about = (
        "The shares of the servers that the optimum x*, the greedy assignment "
        f"x{GREEDY_MARK} and the run X/L give to each configuration."
    )

    def name_of(self, row: BarRow) -> str:
        return "others" if row.configuration is None else f"({', '.join(map(str, row.configuration))})"

    def words_of(self, row: BarRow) -> tuple[str, ...]:
        """The types in the configuration, as above the servers."""
        return () if row.configuration is None else letter_forms(row.configuration)

    def shares_of(self, row: BarRow) -> tuple[float, ...]:
        """The shares in the optimum, in the greedy assignment, and now."""
        return row.best, row.packed, row.present

    def numbers_of(self, row: BarRow) -> tuple[str, ...]:
        return tuple(format_number(share, _RESOLUTION) if share else "0" for share in self.shares_of(row))

    def sentence_of(self, row: BarRow) -> str:
        shares = f"optimum {row.best:.4f}, greedy {row.packed:.4f}, run {row.present:.4f} of the servers"
        return f"{'all other configurations' if row.configuration is None else self.name_of(row)}: {shares}"


class LPPanel(BoundsPanel):
    """The optimum, the reward of greedy packing, and the run's configurations."""

    name = "lp"
    title = "Optimum and greedy"
    summary = "The linear program's optimum beside the greedy assignment, over all workloads."
    needs = frozenset({"bounds", "reward"})
    tells = frozenset({"greedy configurations"})

    def build(self) -> None:
        """Create the three pages: results, progress, sentence."""
        super().build()
        self.solution: Solution | None = None
        self._wait = _LEAST_WAIT
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._solve)
        self.bars = SolutionBars(self.theme)
        self.scale = RatioScale(self.theme)
        self.curve = AlphaPlot(self.theme)
        self.curve.chosen.connect(self._choose)
        self.follow_theme(self.bars, self.scale, self.curve)
        self.prices = rich_text("prices of the optimum")
        self.guarantees = rich_text("guarantees")
        self.curve_note = rich_text("why there is no curve")
        self.build_pages(busy_page(tr("Computing the optimum and the greedy assignment …")))

    # Frames.

    def knows(self, bounds: Bounds) -> bool:
        """Whether both programs are solved; until then the cursor cannot move."""
        return bounds.optimum is not None and bounds.greedy is not None

    def show_bounds(self, frame: Frame) -> None:
        """Show the curve, with the cursor at the present workload."""
        self._timer.stop()
        curve = self.bounds.curve
        self.bars.begin()
        self.curve.setVisible(curve is not None)
        self.curve_note.setVisible(curve is None)
        self.curve_note.setText(self.bounds.problem)
        if curve is not None:
            self.curve.set_curve(curve)
        self._solve_at(frame, Fraction(1))

    # The cursor over alpha.

    def _choose(self, alpha: Fraction) -> None:
        """Show the values at once; solve later, and not at each pixel of a fast drag."""
        if self.bounds.curve is None or alpha == self.curve.alpha:
            return
        self.curve.set_alpha(alpha)
        greedy, optimum = self.bounds.curve.value_at(alpha)
        self._show_values(alpha, optimum, greedy)
        if not self._timer.isActive():
            self._timer.start(self._wait)

    def _solve(self) -> None:
        if self.current is None or not self.known:
            return
        start = time.monotonic()
        try:
            self._solve_at(self.current, self.curve.alpha)
        except ValueError as error:
            alpha = alpha_text(self.curve.alpha)
            self.intent.emit(Say(f"The programs are too large at α = {alpha}: {error}"))
        spent = round(2000 * (time.monotonic() - start))
        self._wait = min(max(_LEAST_WAIT, spent), _MOST_WAIT)

    def _solve_at(self, frame: Frame, alpha: Fraction) -> None:
        self.solution = solution = solve_at(frame.info.numbers, self.bounds, alpha)
        self._show_values(alpha, solution.optimum, solution.greedy)
        self.write()
        self.show_present(frame)

    # Numbers.

    def _show_values(self, alpha: Fraction, optimum: Fraction, greedy: Fraction) -> None:
        of = "[<i>ρ</i>]" if alpha == 1 else "[<i>αρ</i>]"
        ratio = greedy / optimum if optimum else None
        share = "–" if ratio is None else format_number(float(ratio), _RESOLUTION)
        best = "The optimum of LP (3.2): reward per server and time unit."
        packed = "The reward of the global greedy assignment, per server and time unit."
        self.tiles.set_texts(
            (
                exact_tile(f"{OPTIMUM}{of}", optimum, "optimum", best),
                exact_tile(f"{GREEDY}{of}", greedy, "greedy", packed),
                exact_tile("ratio", ratio, "normal", "The greedy assignment as a share of the optimum.", share),
                TileText("<i>α</i>", alpha_text(alpha), "normal", "The workload is the scenario's times α."),
            )
        )
        self.scale.set_shares(None if ratio is None else float(ratio), self._run_share(alpha))

    def _run_share(self, alpha: Fraction) -> float | None:
        """The present reward rate as a share of the optimum; None at workloads other than the run's."""
        optimum = self.bounds.optimum
        if self.frame is None or alpha != 1 or optimum is None or not optimum.exact:
            return None
        numbers = self.frame.info.numbers
        rate = float(reward_rate(numbers, self.frame.state.jobs_in_system))
        return rate / float(optimum.exact)

    def show_present(self, frame: Frame) -> None:
        """Show the run's configurations beside those of both solutions."""
        assert self.solution is not None
        rewards = frame.info.numbers.rewards
        self.bars.set_rows(bar_rows(self.solution, present_shares(frame), rewards))
        greedy, _ = self.scale.shares
        alpha = self.curve.alpha if self.bounds.curve is not None else Fraction(1)
        self.scale.set_shares(greedy, self._run_share(alpha))

    def write(self) -> None:
        """Fill in the table of prices, and the guarantees that are proved for greedy packing."""
        assert self.frame is not None and self.solution is not None
        self.prices.setText(price_table(self.solution, self.frame.info.numbers.type_names, self.theme))
        words = "<br>".join(guarantee_sentence(guarantee) for guarantee in GUARANTEES)
        self.guarantees.setText(inked(words, self.theme.muted))

    # The window.

    def arrange(self) -> None:
        """Place everything in one column, or the curve in a second column if the panel is wide."""
        shares: list[QWidget] = [self.bars]
        place: list[QWidget] = [self.scale, self.guarantees]
        curve: list[QWidget] = [self.curve, self.curve_note]
        if self.wide:
            self.area.arrange([*shares, *place], [*curve, self.prices], [self.curve])
        else:
            self.area.arrange([*shares, *curve, *place, self.prices], growing=[self.curve])

    def series(self) -> tuple[list[str], Iterable[Iterable[object]]] | None:
        """The corners of both curves, as exact fractions and as decimal numbers."""
        curve = None if self.bounds is None else self.bounds.curve
        if curve is None:
            return None
        names = ["alpha", "greedy", "optimum", "alpha_exact", "greedy_exact", "optimum_exact"]
        alphas = sorted({alpha for alpha, _ in curve.greedy + curve.optimum})
        exactly = [(alpha, *curve.value_at(alpha)) for alpha in alphas]
        return names, ([*map(float, row), *map(str, row)] for row in exactly)
