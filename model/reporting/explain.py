"""Sentences made from records, and wordings that all kinds of system share.

Each kind has its own narrator, the only place that words its decisions.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any, Mapping, Sequence

import numpy as np

from slotscope.model.reporting.records import Configuration, Event, Record

#: A no-break thin space, between thousands and before a sign such as %.
THIN_SPACE = "\u202f"

_POWER = re.compile(r"\^(-?[0-9.]*[0-9])")
_RAISED = str.maketrans("-0123456789.", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹·")

#: Symbols of units of time; they have no plural.
UNIT_SYMBOLS = frozenset({"µs", "ms", "s", "min", "h", "d"})

_RESIDUE = 1e-8

#: Fractions are shown as such up to this denominator, decimals up to this number of places.
_MOST_DENOMINATOR, _MOST_PLACES = 64, 4


class Narrator(ABC):
    """Words the records of one run; numbers of things start from 1 in sentences.

    A sub-step that is not an action is worded by the method ``_substep_KIND`` from its values.
    """

    #: For a run in which rules change: (events before each leg, the narrator of the leg).
    legs: Sequence[tuple[int, Narrator]] = ()

    def row(self, row: np.void) -> str:
        """One sentence for an event, with its reason in numbers, worded for the policy that decided it."""
        own = (leg for before, leg in reversed(self.legs) if before < row["event"])
        return next(own, self)._row(row)

    @abstractmethod
    def _row(self, row: np.void) -> str:
        """The sentence for an event under this narrator's policy."""

    @abstractmethod
    def event(self, event: Event) -> str:
        """A few words for an event that is about to happen."""

    def event_anywhere(self, event: Event) -> str:
        """As :meth:`event`, without the server, for runs in which it happens on different servers."""
        return self.event(event)

    def record(self, record: Record) -> str:
        """One sentence for a sub-step.

        A user policy may give other values than the wording of a kind needs; then kind and values are
        listed as they are.
        """
        wording = getattr(self, f"_substep_{record.kind}", None)
        try:
            text = self._action(record) or (wording(record.values) if wording else "")
        except (LookupError, TypeError, ValueError, AttributeError):
            text = ""
        return text or told(record.kind, record.values)

    @abstractmethod
    def _action(self, record: Record) -> str:
        """The sentence for an action; empty if *record* is not an action."""


def amount(value: Fraction) -> str:
    """A size as text: 0.61, 2/3, or 0.6845 if neither an exact decimal nor a fraction is short."""
    if value.denominator == 1:
        return str(value.numerator)
    if 10**_MOST_PLACES % value.denominator == 0:
        return f"{float(value):.{_MOST_PLACES}f}".rstrip("0")
    if value.denominator <= _MOST_DENOMINATOR:
        return str(value)
    return f"{float(value):.4g}"


def told(kind: str, values: Mapping[str, Any]) -> str:
    """A sentence for a kind of sub-step that only its policy defines."""
    what = " ".join(kind.replace("_", " ").split())
    numbers = ", ".join(f"{name.replace('_', ' ')} = {_told(item)}" for name, item in values.items())
    return f"{what}: {numbers}" if numbers else what


def _told(value: Any) -> str:
    if isinstance(value, tuple | list):
        return f"({', '.join(_told(item) for item in value)})"
    if isinstance(value, Fraction):
        return amount(value)
    return f"{settled(value):.6g}" if isinstance(value, float) else str(value)


def plural(count: int, word: str) -> str:
    """The singular or plural of a word, as *count* requires."""
    return word if count == 1 else f"{word}s"


def quantity(number: str, unit: str) -> str:
    """A formatted number with its unit: 29.42 minutes, 1 hour, 3 s; the number alone if there is no unit.

    Scenarios give units in singular or plural, or as symbols, which have no plural.
    """
    if not unit or unit in UNIT_SYMBOLS:
        return f"{number} {unit}".rstrip()
    return f"{number} {plural(1 if number == '1' else 2, singular(unit))}"


def units(unit: str) -> str:
    """A unit in the form after a number other than 1; empty if there is none."""
    return quantity("2", unit).removeprefix("2").lstrip()


def singular(unit: str) -> str:
    """A unit in the form after "per": minute, hour, s."""
    return unit if unit in UNIT_SYMBOLS else unit.removesuffix("s")


def settled(value: float) -> float:
    """*value*, or 0 for a rounding error of a difference: a negative number above -1e-8.

    Probabilities and rates, which are positive, may really be that small.
    """
    return 0.0 if -_RESIDUE < value < 0 else value


def counted(count: int, word: str) -> str:
    """A count with its noun: 1 token, 3 tokens."""
    return f"{grouped(count)} {plural(count, word)}"


def shown(configuration: Configuration | Sequence[int]) -> str:
    """A configuration in the paper's notation: (12, 3, 8, 0)."""
    return f"({', '.join(str(slots) for slots in configuration)})"


def grouped(number: int) -> str:
    """An integer with thin spaces between thousands."""
    return f"{number:,}".replace(",", THIN_SPACE)


def raised(text: str) -> str:
    """*text* with powers as superscripts, for plain text without markup: log^1.1 becomes log¹·¹."""
    return _POWER.sub(lambda found: found[1].translate(_RAISED), text)


def full_time(time: float) -> str:
    """A time with all its digits, as a user entered it: 1 000 000, 18.4."""
    return f"{time:,.10g}".replace(",", THIN_SPACE)


def shown_time(time: float, decimals: int) -> str:
    """A time with so many decimals, and thin spaces between thousands."""
    return f"{time:,.{decimals}f}".replace(",", THIN_SPACE)


def decimals_for(event: int, time: float) -> int:
    """The number of decimals that distinguishes successive events at the run's mean pace."""
    if event <= 0 or time <= 0:
        return 2
    return min(9, max(0, math.ceil(-math.log10(time / event))))
