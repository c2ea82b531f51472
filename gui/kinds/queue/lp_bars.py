"""The configurations that support rho*, as shares of the servers, beside those present."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from slotscope.gui.panels.share_bars import ShareBars
from slotscope.gui.panels.wording import exact, significant
from slotscope.gui.plotting.scales import format_number
from slotscope.model.programs.configurations import Configuration

_RESOLUTION = 0.001


@dataclass(frozen=True)
class ConfigurationRow:
    """Shares of the servers; no configuration stands for all others.

    ``words`` names the jobs where the numbers alone are too long.
    """

    configuration: Configuration | None
    words: str
    best: Fraction
    present: float

    @property
    def name(self) -> str:
        """As the paper writes it."""
        if self.configuration is None:
            return "others"
        return f"({', '.join(map(str, self.configuration))})"


class ConfigurationBars(ShareBars[ConfigurationRow]):
    """What supports rho*, and what is there now."""

    heads = (("for ρ*", "optimum"), ("now", "run"))
    widest, most_label = "0.0000", 0.4
    about = "The shares of the servers that support ρ* in (4), and the servers that hold just these jobs now."

    def name_of(self, row: ConfigurationRow) -> str:
        """The configuration as the paper writes it."""
        return row.name

    def words_of(self, row: ConfigurationRow) -> str:
        """The jobs in it."""
        return "" if row.configuration is None else row.words

    def shares_of(self, row: ConfigurationRow) -> tuple[float, ...]:
        """At best, and now."""
        return float(row.best), row.present

    def numbers_of(self, row: ConfigurationRow) -> tuple[str, ...]:
        """The shares as they are written: the first exactly, where that is short."""
        best = exact(row.best) or significant(float(row.best))
        return best, format_number(row.present, _RESOLUTION) if row.present else "0"

    def sentence_of(self, row: ConfigurationRow) -> str:
        """All of a row, for a tooltip."""
        shares = f"{float(row.best):.4f} of the servers for ρ*, {row.present:.4f} now"
        return f"{'all other configurations' if row.configuration is None else row.words or 'no job'}: {shares}"
