"""The values, sentences and tables that the panel of load and capacity shows for a run's bounds."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from html import escape
from typing import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.gui.kinds.queue.lp_picture import Size, size_name
from slotscope.gui.kinds.queue.lp_refining import RefinedBounds
from slotscope.gui.kinds.queue.lp_scale import GUARANTEES, LoadValues
from slotscope.gui.panels.pages import inked, table_of
from slotscope.gui.panels.share_bars import ShareBars
from slotscope.gui.panels.wording import exact, significant
from slotscope.gui.plotting.scales import format_number
from slotscope.gui.theme import Theme
from slotscope.model.errors import PolicyError
from slotscope.model.kinds.queue.numbers import QueueNumbers
from slotscope.model.kinds.queue.programs.bounds import QueueBounds
from slotscope.model.kinds.queue.programs.fluid import FluidLimit
from slotscope.model.kinds.queue.programs.theorem1 import MOST_REFINED
from slotscope.model.policies import reference_class
from slotscope.model.programs.configurations import Configuration

_RESOLUTION = 0.001


@dataclass(frozen=True)
class ConfigurationRow:
    """A configuration's shares of the servers, in the optimum and now; ``configuration`` None: all others.

    ``words`` lists the jobs, as 2 of 0.4 + 1 of 0.2; ``brief`` is shorter, as 2×0.4 + 0.2.
    """

    configuration: Configuration | None
    words: str
    best: Fraction
    present: float
    brief: str = ""

    @property
    def name(self) -> str:
        """The configuration as in the paper: (2, 1)."""
        if self.configuration is None:
            return "others"
        return f"({', '.join(map(str, self.configuration))})"


class ConfigurationBars(ShareBars[ConfigurationRow]):
    """Bars for the shares of configurations that support rho*, and for those at present."""

    heads = (("for ρ*", "optimum"), ("now", "run"))
    widest, most_label = "0.0000", 0.4
    about = "The shares of the servers that support ρ* in (4), and the servers that hold just these jobs now."

    def name_of(self, row: ConfigurationRow) -> str:
        return row.name

    def words_of(self, row: ConfigurationRow) -> tuple[str, ...]:
        """The jobs in the configuration, in full and brief."""
        return tuple(filter(None, (row.words, row.brief)))

    def shares_of(self, row: ConfigurationRow) -> tuple[float, ...]:
        """The shares in the optimum and now."""
        return float(row.best), row.present

    def numbers_of(self, row: ConfigurationRow) -> tuple[str, ...]:
        """The shares as text; the optimum's is exact if that is short."""
        best = exact(row.best) or significant(float(row.best))
        return best, format_number(row.present, _RESOLUTION) if row.present else "0"

    def sentence_of(self, row: ConfigurationRow) -> str:
        shares = f"{float(row.best):.4f} of the servers for ρ*, {row.present:.4f} now"
        return f"{'all other configurations' if row.configuration is None else row.words or 'no job'}: {shares}"


#: At most this many configurations have their own row.
MOST_ROWS = 8
#: Rows for sizes in the table of prices; further sizes are only counted.
MOST_PRICES = 12


def is_known(bounds: QueueBounds) -> bool:
    """Whether there is anything to show."""
    return bounds.lower is not None or bounds.mean_bound is not None


def is_complete(bounds: QueueBounds) -> bool:
    """Whether no better bounds will follow."""
    refined = bool(bounds.theorem1) and bounds.theorem1[-1].level >= MOST_REFINED
    return bounds.supportable is not None or bool(bounds.problem) or refined


def load_values(bounds: QueueBounds) -> LoadValues | None:
    """The values for the axis of loads; None without a lower bound of rho*, or without a load."""
    if not bounds.lower or not bounds.workload:
        return None
    return LoadValues(
        load=bounds.workload,
        low=bounds.lower,
        high=bounds.upper,
        reduced=bounds.reduced.value if bounds.reduced else None,
        packed=bounds.real.value if bounds.real else None,
        capacity=bounds.mean_bound,
    )


def steps(bounds: QueueBounds) -> tuple[RefinedBounds, ...]:
    """The bounds of Theorem 1, one step per partition."""
    return tuple(
        RefinedBounds(len(row.cells), float(row.lower), None if row.upper is None else float(row.upper))
        for row in bounds.theorem1
    )


# Configurations.


def configuration_rows(
    best: Mapping[Configuration, Fraction], held: NDArray[np.int64], names: Sequence[str]
) -> tuple[ConfigurationRow, ...]:
    """Rows for the configurations that support rho*, the largest shares first, then one for all others.

    - *best*: Each configuration's share of all servers in the solution of (4).
    - *held*: [L, J] the number of jobs that servers hold now, by size.
    - *names*: [J] the names of the sizes.
    """
    ordered = sorted(best, key=lambda k: (-best[k], tuple(-count for count in k)))
    kept = ordered[:MOST_ROWS]
    present = [int((held == np.array(k)).all(axis=1).sum()) for k in kept]
    rows = [
        ConfigurationRow(k, _words(k, names), best[k], count / len(held), _brief(k, names))
        for k, count in zip(kept, present, strict=True)
    ]
    left = sum((best[k] for k in ordered[MOST_ROWS:]), Fraction(0))
    rest = len(held) - sum(present)
    if left or rest:
        rows.append(ConfigurationRow(None, "", left, rest / len(held)))
    return tuple(rows)


def _words(configuration: Configuration, names: Sequence[str]) -> str:
    parts = zip(configuration, names, strict=True)
    return " + ".join(f"{count} of {name}" for count, name in parts if count)


def _brief(configuration: Configuration, names: Sequence[str]) -> str:
    parts = zip(configuration, names, strict=True)
    return " + ".join(name if count == 1 else f"{count}×{name}" for count, name in parts if count)


# Sentences and tables.


def in_symbols(text: str) -> str:
    """A sentence from the model with rho* and alpha as the paper's Greek letters."""
    return text.replace("rho*", "ρ*").replace("alpha", "α")


def guarantee_sentences(theme: Theme) -> str:
    """The guaranteed shares of rho*, with conditions and sources."""
    lines = [
        f"≥ {item.ratio} <i>ρ</i><sup>*</sup> by {item.names}, {item.condition}: {item.source}" for item in GUARANTEES
    ]
    return inked("<br>".join(lines), theme.muted)


def limit_sentences(bounds: QueueBounds, policy: str, theme: Theme) -> str:
    """Sentences on the queues' long-run growth, for the policies for which it is known, *policy* first."""
    lines = []
    for limit in sorted(bounds.fluid, key=lambda limit: policy not in limit.policies):
        text = _limit_sentence(limit)
        known = theme.ink(theme.rejection if limit.slope else theme.normal)
        lines.append(inked(text, known if policy in limit.policies else theme.muted))
    return "".join(f"<div>{line}</div>" for line in lines)


def _limit_sentence(limit: FluidLimit) -> str:
    names = ", ".join(escape(policy_title(name)) for name in limit.policies)
    source = escape(limit.source.rsplit(", ", 1)[-1])
    growth = f"the queue grows by {significant(float(limit.slope), 2)} jobs per slot"
    if limit.limit is not None:
        most = exact(limit.limit) or significant(float(limit.limit))
        text = f"{names}: at most {most} jobs per slot"
        return f"{text}; {growth if limit.slope else 'the load is less'} ({source})"
    held = f"({', '.join(map(str, limit.configuration))})"
    return f"{names}: {growth} while servers stay in {held}, a trap ({source})"


def policy_title(name: str) -> str:
    """A policy's title in the window; its name if it is not a reference policy."""
    try:
        return str(reference_class(name).title)
    except PolicyError:
        return name


def price_table(bounds: QueueBounds, numbers: QueueNumbers, types: Sequence[Size], theme: Theme) -> str:
    """The table of each size's load and dual price, and the dual price of a server of each pool."""
    best = bounds.supportable
    if best is None:
        return ""
    rows = []
    each = zip(types, bounds.probabilities, best.type_prices, strict=True)
    for size, share, price in list(each)[:MOST_PRICES]:
        load = significant(float(bounds.workload * share))
        rows.append((size_name(numbers, size), _number(share), load, _number(price)))
    for pool, price in zip(numbers.pools, best.pool_prices, strict=True):
        name = f"server, {escape(pool.name)}" if len(numbers.pools) > 1 else "server"
        rows.append((name, "", "", _number(price)))
    note = (
        "Price of a size: how much supportable workload one such job takes up, 1 on average; "
        "of a server: how much one more adds."
    )
    left = len(types) - MOST_PRICES
    more = f"{left} more sizes are left out. " if left > 0 else ""
    return table_of(("size", "share", "load", "price"), rows, theme, note=more + note)


def _number(value: Fraction) -> str:
    return exact(value) or significant(float(value))
