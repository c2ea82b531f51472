"""What policies that run side by side are called."""

from __future__ import annotations

from typing import Any, Sequence

from slotscope.model.policies.choice import value_text
from slotscope.model.reporting.explain import raised
from slotscope.model.scenario.common import PolicyChoice


def labels_of(titles: Sequence[str], choices: Sequence[PolicyChoice]) -> tuple[str, ...]:
    """The title of each policy, with what sets it apart from others of the same title."""
    return tuple(
        title if titles.count(title) == 1 else f"{title}, {_own(choice, choices)}"
        for title, choice in zip(titles, choices, strict=True)
    )


def _own(mine: PolicyChoice, choices: Sequence[PolicyChoice]) -> str:
    others = [one.parameters for one in choices if one.name == mine.name]
    differ = [
        _told(key, value) for key, value in mine.parameters.items() if any(other.get(key) != value for other in others)
    ]
    return ", ".join(differ) or "as given"


def _told(key: str, value: Any) -> str:
    """A parameter in a few words, such as "factor 3", "factor log²" or "no patch"."""
    word = key.rpartition("_")[2]
    if isinstance(value, bool):
        return word if value else f"no {word}"
    return f"{word} {raised(value_text(value))}"
