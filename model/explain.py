"""Sentences made from records: what all kinds of system word alike.

Each kind has a narrator of its own, the only place that words its decisions.
"""

from __future__ import annotations

from typing import Any, Mapping, Protocol, Sequence

import numpy as np

from model.records import Configuration, Event, Record

THIN_SPACE = "\u2009"


class Narrator(Protocol):
    """Words the records of one run; what is numbered is numbered from 1 in sentences."""

    def row(self, row: np.void) -> str:
        """One sentence for an event, with its reason in numbers."""
        ...

    def event(self, event: Event) -> str:
        """A few words for an event that is about to happen."""
        ...

    def record(self, record: Record) -> str:
        """One sentence for a sub-step."""
        ...


def told(kind: str, values: Mapping[str, Any]) -> str:
    """A sentence for a kind of sub-step that only its policy knows."""
    what = " ".join(kind.replace("_", " ").split())
    numbers = ", ".join(
        f"{name.replace('_', ' ')} = {_told(item)}" for name, item in values.items()
    )
    return f"{what}: {numbers}" if numbers else what


def _told(value: Any) -> str:
    if isinstance(value, tuple | list):
        return f"({', '.join(_told(item) for item in value)})"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def plural(count: int, word: str) -> str:
    """A word in the number that *count* asks for."""
    return word if count == 1 else f"{word}s"


def shown(configuration: Configuration | Sequence[int]) -> str:
    """A configuration as it stands in the paper: (12, 3, 8, 0)."""
    return f"({', '.join(str(slots) for slots in configuration)})"


def grouped(number: int) -> str:
    """A whole number with thin spaces between thousands."""
    return f"{number:,}".replace(",", THIN_SPACE)
