"""What panels of this room call configurations."""

from __future__ import annotations

from slotscope.model.reporting.explain import shown, type_letter
from slotscope.model.reporting.records import Configuration

#: Types whose slots are listed one by one.
_LISTED = 6


def configuration_words(configuration: Configuration) -> str:
    """(12, 3, 8, 0), or where there are many types the nonzero ones as 12 A + 3 B."""
    return shown(configuration) if len(configuration) <= _LISTED else letter_words(configuration)


def letter_words(configuration: Configuration, plus: str = "+ ") -> str:
    """A configuration by the letters of its types, such as 12 A + 3 B."""
    parts = [f"{k} {type_letter(j)}" if plus else f"{k}{type_letter(j)}" for j, k in enumerate(configuration) if k]
    return f" {plus}".join(parts) or "0"


def letter_forms(configuration: Configuration) -> tuple[str, ...]:
    """A configuration by its letters, in full and in short."""
    return (letter_words(configuration), letter_words(configuration, plus="")) if any(configuration) else ("empty",)
