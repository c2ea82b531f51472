"""Sizes of jobs in words, for the panels of queueing systems."""

from __future__ import annotations

from fractions import Fraction

from slotscope.gui.panels.wording import THIN, significant
from slotscope.model.kinds.queue.facts import QueueFacts
from slotscope.model.reporting.explain import amount
from slotscope.model.reporting.frame import RunInfo

Interval = tuple[Fraction, Fraction]

#: Fractions of more characters than this are written as decimals.
_LONGEST = 9
_MOST_DIGITS = 16


def lane_name(facts: QueueFacts, queue: int) -> str:
    """A queue's name: VQ₃, or the size of its jobs if each size has its own queue; Q if there is only one queue."""
    return facts.layout.names[queue] if facts.layout.queues > 1 else "Q"


def fraction_words(value: Fraction) -> str:
    """A fraction as 2/3, or as a decimal if the fraction is too long to read."""
    text = str(value)
    return text if len(text) <= _LONGEST else significant(float(value))


def interval_words(interval: Interval) -> str:
    """The interval as it stands in the paper: (1/2, 2/3]."""
    low, high = interval
    return f"({fraction_words(low)}, {fraction_words(high)}]"


def size_words(info: RunInfo, units: list[int]) -> str:
    """A size [D] in the scenario's units, resource by resource if there are several."""
    names = info.numbers.resource_names
    parts = []
    for d, (one, name) in enumerate(zip(units, names, strict=True)):
        words = [amount(info.numbers.amount(one, d)), info.scenario.unit_of(name)]
        words += [name] if len(names) > 1 else []
        parts.append(" ".join(filter(None, words)))
    return ", ".join(parts)


def share_words(info: RunInfo, units: list[int]) -> str:
    """A size [D] as a share of a server, in the resource of which it needs the largest share."""
    numbers = info.numbers
    d = max(range(len(units)), key=lambda d: numbers.fraction(units[d], d))
    of = f"{numbers.whole}'s {numbers.resource_names[d]}" if len(units) > 1 else numbers.whole
    return f"{amount(numbers.fraction(units[d], d))} of {of}"


def told_size(info: RunInfo, units: list[int]) -> str:
    """A size [D] in the scenario's units and as a share of a server; only the share if both are the same number."""
    numbers = info.numbers
    same = len(units) == 1 and numbers.amount(units[0]) == numbers.fraction(units[0])
    share = share_words(info, units)
    if same:
        return share
    return f"{size_words(info, units)}{';' if len(units) > 1 else ' ='} {share}"


def percent(share: float) -> str:
    """A share of all jobs in percent."""
    if 0 < share < 0.001:
        return f"<{THIN}0.1{THIN}%"
    return f"{significant(100 * share, 2)}{THIN}%"


def reason_words(share: Fraction, interval: Interval, rounded: Fraction | None = None) -> str:
    """Why a job of a size is in its virtual queue: 1/3 < 0.34 ≤ 1/2, or that its size is rounded up to *rounded*."""
    low, high = interval
    if rounded is not None and share < rounded:
        least = fraction_words(rounded)
        return f"{_between(share, Fraction(0), rounded)} ≤ {least}, and takes {least}"
    told = _between(share, low, high)
    if not low:
        return f"{told} ≤ {fraction_words(high)}"
    return f"{fraction_words(low)} < {told} ≤ {fraction_words(high)}"


def _between(share: Fraction, low: Fraction, high: Fraction) -> str:
    """A size with as many digits as show that it is in (low, high]."""
    text = amount(share)
    for digits in range(4, _MOST_DIGITS):
        if "/" in text or low < Fraction(text) <= high:
            break
        text = f"{float(share):.{digits}g}"
    return text
