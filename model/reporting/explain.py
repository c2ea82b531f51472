"""Sentences made from records: what all kinds of system word alike.

Each kind has a narrator of its own, the only place that words its decisions.

Types of jobs, phases and classes have letters where there is little room.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any, Mapping, Sequence

import numpy as np

from slotscope.model.reporting.records import Configuration, Event, Record

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def type_letter(job_type: int) -> str:
    """A, B, ..., Z, AA, AB, ...: the letter of the job type with this index."""
    letters = ""
    number = job_type + 1
    while number:
        number, place = divmod(number - 1, 26)
        letters = chr(ord("A") + place) + letters
    return letters


def subscript(number: int) -> str:
    """A number as it stands below the line after a symbol."""
    return str(number).translate(_SUBSCRIPTS)


def own_letters(names: Sequence[str], short: int = 2) -> tuple[str, ...]:
    """Each name, if it has at most *short* letters, else its initial.

    They are A, B, C, ... where two would be the same, or one is read as a number.
    """
    letters = tuple(name if len(name) <= short else name[:1].upper() for name in names)
    if len({letter.casefold() for letter in letters}) == len(letters) and all(one[:1].isalpha() for one in letters):
        return letters
    return tuple(type_letter(number) for number in range(len(names)))


#: Between thousands, and before a sign such as %: no line ends at it.
THIN_SPACE = "\u202f"

_POWER = re.compile(r"\^(-?[0-9.]*[0-9])")
_RAISED = str.maketrans("-0123456789.", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹·")

#: Symbols of units of time; they have no plural.
UNIT_SYMBOLS = frozenset({"µs", "ms", "s", "min", "h", "d"})

_RESIDUE = 1e-8

#: Fractions are told as such up to this denominator, decimals up to so many places.
_MOST_DENOMINATOR, _MOST_PLACES = 64, 4


class Narrator(ABC):
    """Words the records of one run; what is numbered is numbered from 1 in sentences.

    What is said of a sub-step that is no action, ``_substep_KIND`` makes of its values.
    """

    #: Of a run in which rules change: how many events came before each of its policies, and what words their events.
    legs: Sequence[tuple[int, Narrator]] = ()

    def row(self, row: np.void) -> str:
        """One sentence for an event, with its reason in numbers, as the policy has it that decided there."""
        own = (leg for before, leg in reversed(self.legs) if before < row["event"])
        return next(own, self)._row(row)

    @abstractmethod
    def _row(self, row: np.void) -> str:
        """The same under one policy."""

    @abstractmethod
    def event(self, event: Event) -> str:
        """A few words for an event that is about to happen."""

    def event_anywhere(self, event: Event) -> str:
        """The same without a server, for runs in which it happens on different ones."""
        return self.event(event)

    def record(self, record: Record) -> str:
        """One sentence for a sub-step.

        A policy of one's own may give values other than the words for a kind are made of: they
        are told as they are.
        """
        wording = getattr(self, f"_substep_{record.kind}", None)
        try:
            text = self._action(record) or (wording(record.values) if wording else "")
        except (LookupError, TypeError, ValueError, AttributeError):
            text = ""
        return text or told(record.kind, record.values)

    @abstractmethod
    def _action(self, record: Record) -> str:
        """What an action does; empty for what is none."""


def amount(value: Fraction) -> str:
    """A size as it is told: 0.61, 2/3, or 0.6845 where neither is short."""
    if value.denominator == 1:
        return str(value.numerator)
    if 10**_MOST_PLACES % value.denominator == 0:
        return f"{float(value):.{_MOST_PLACES}f}".rstrip("0")
    if value.denominator <= _MOST_DENOMINATOR:
        return str(value)
    return f"{float(value):.4g}"


def told(kind: str, values: Mapping[str, Any]) -> str:
    """A sentence for a kind of sub-step that only its policy knows."""
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
    """A word in the number that *count* asks for."""
    return word if count == 1 else f"{word}s"


def quantity(number: str, unit: str) -> str:
    """A written number with its unit: 29.42 minutes, 1 hour, 3 s; alone where there is no unit.

    Scenarios name units in either number, or by symbols, which have no plural.
    """
    if not unit or unit in UNIT_SYMBOLS:
        return f"{number} {unit}".rstrip()
    return f"{number} {plural(1 if number == '1' else 2, singular(unit))}"


def units(unit: str) -> str:
    """A unit as it stands after a number other than 1; nothing where there is none."""
    return quantity("2", unit).removeprefix("2").lstrip()


def singular(unit: str) -> str:
    """A unit as it stands after "per": minute, hour, s."""
    return unit if unit in UNIT_SYMBOLS else unit.removesuffix("s")


def settled(value: float) -> float:
    """*value*, or 0 for what rounding leaves of a difference: negative, and nearer to 0 than 1e-8.

    Chances and rates, which are positive, may truly be as small.
    """
    return 0.0 if -_RESIDUE < value < 0 else value


def counted(count: int, word: str) -> str:
    """So many of a thing: 1 token, 3 tokens."""
    return f"{grouped(count)} {plural(count, word)}"


def shown(configuration: Configuration | Sequence[int]) -> str:
    """A configuration as it stands in the paper: (12, 3, 8, 0)."""
    return f"({', '.join(str(slots) for slots in configuration)})"


def grouped(number: int) -> str:
    """A whole number with thin spaces between thousands."""
    return f"{number:,}".replace(",", THIN_SPACE)


def raised(text: str) -> str:
    """*text* with its powers set above the line, where only plain text can stand: log^1.1 is log¹·¹."""
    return _POWER.sub(lambda found: found[1].translate(_RAISED), text)


def full_time(time: float) -> str:
    """A time with all its digits, as somebody asked for it: 1 000 000, 18.4."""
    return f"{time:,.10g}".replace(",", THIN_SPACE)


def shown_time(time: float, decimals: int) -> str:
    """A time with thin spaces between thousands."""
    return f"{time:,.{decimals}f}".replace(",", THIN_SPACE)


def decimals_for(event: int, time: float) -> int:
    """As many decimals as tell one event from the next, at the run's mean pace."""
    if event <= 0 or time <= 0:
        return 2
    return min(9, max(0, math.ceil(-math.log10(time / event))))
