"""x*, x^(g) and X/L side by side: the shares of the servers in each configuration."""

from __future__ import annotations

from slotscope.gui.kinds.reservation.lp_solution import BarRow
from slotscope.gui.panels.share_bars import ShareBars
from slotscope.gui.panels.wording import GREEDY_MARK
from slotscope.gui.plotting.scales import format_number
from slotscope.gui.theme import type_letter

_RESOLUTION = 0.001


class SolutionBars(ShareBars[BarRow]):
    """The optimum, the greedy assignment and the run."""

    heads = (("x*", "optimum"), (f"x{GREEDY_MARK}", "greedy"), ("X/L", "run"))
    widest, most_label = "0.000", 0.36
    about = (
        "The shares of the servers that the optimum x*, the greedy assignment "
        f"x{GREEDY_MARK} and the run X/L give to each configuration."
    )

    def name_of(self, row: BarRow) -> str:
        """The configuration as the paper writes it."""
        return "others" if row.configuration is None else f"({', '.join(map(str, row.configuration))})"

    def words_of(self, row: BarRow) -> str:
        """The types that are in it."""
        if row.configuration is None:
            return ""
        parts = [f"{count}\u202f{type_letter(j)}" for j, count in enumerate(row.configuration) if count]
        return " + ".join(parts) or "empty"

    def shares_of(self, row: BarRow) -> tuple[float, ...]:
        """At best, greedily packed, and now."""
        return row.best, row.packed, row.present

    def numbers_of(self, row: BarRow) -> tuple[str, ...]:
        """The shares as they are written."""
        return tuple(format_number(share, _RESOLUTION) if share else "0" for share in self.shares_of(row))

    def sentence_of(self, row: BarRow) -> str:
        """All of a row, for a tooltip."""
        shares = f"optimum {row.best:.4f}, greedy {row.packed:.4f}, run {row.present:.4f} of the servers"
        return f"{'all other configurations' if row.configuration is None else self.name_of(row)}: {shares}"
