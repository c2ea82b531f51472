"""Wording of phases, configurations and amounts, for the panels of systems with phases."""

from __future__ import annotations

from fractions import Fraction
from typing import Sequence

from slotscope.gui.panels.wording import significant
from slotscope.model.reporting.frame import RunInfo
from slotscope.model.reporting.letters import own_letters

#: Longest names, in letters, that serve as their own mark and follow a number without a space.
SHORT_NAME = 2
#: The notation of the configuration without jobs.
EMPTY = "0"


def configuration_text(names: Sequence[str], k: Sequence[int]) -> str:
    """A configuration as a sum of its jobs: 3L + H, or 3 steady + boot; 0 for the empty one."""
    between = "" if all(len(name) <= SHORT_NAME for name in names) else " "
    parts = [
        name if count == 1 else f"{int(count)}{between}{name}" for name, count in zip(names, k, strict=True) if count
    ]
    return " + ".join(parts) or EMPTY


def short_configuration(names: Sequence[str], k: Sequence[int]) -> str:
    """A configuration by letters, as short as possible: 3L+H."""
    return configuration_text(own_letters(names), k).replace(" ", "")


def amount_text(value: Fraction | float) -> str:
    """An amount of a resource, or a rate, with up to four significant digits."""
    return significant(float(value), 4)


def units_text(info: RunInfo, units: Sequence[int]) -> str:
    """Whole units [D] of each resource as amounts: "7" if there is one, "7 cpu, 12 memory" if several."""
    numbers = info.numbers
    names = numbers.model.resources
    parts = []
    for units_of_one, unit, name in zip(units, numbers.unit, names, strict=True):
        amount = amount_text(int(units_of_one) * unit)
        parts.append(f"{amount} {name}" if len(names) > 1 else amount)
    return ", ".join(parts)
