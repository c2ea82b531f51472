"""Configurations in words, for the panels of the loss system."""

from __future__ import annotations

from slotscope.model.reporting.explain import shown
from slotscope.model.reporting.letters import type_letter
from slotscope.model.reporting.records import Configuration

#: Up to this many job types, a configuration is written with the slots of every type.
_LISTED = 6


def configuration_words(configuration: Configuration) -> str:
    """A configuration as (12, 3, 8, 0); with many types, its nonzero ones as 12 A + 3 B."""
    return shown(configuration) if len(configuration) <= _LISTED else letter_words(configuration)


def letter_words(configuration: Configuration, plus: str = "+ ") -> str:
    """A configuration by the letters of its types, such as 12 A + 3 B; with an empty *plus*, 12A 3B."""
    parts = [f"{k} {type_letter(j)}" if plus else f"{k}{type_letter(j)}" for j, k in enumerate(configuration) if k]
    return f" {plus}".join(parts) or "0"


def letter_forms(configuration: Configuration) -> tuple[str, ...]:
    """A configuration by its letters, in a long and a short form."""
    return (letter_words(configuration), letter_words(configuration, plus="")) if any(configuration) else ("empty",)
