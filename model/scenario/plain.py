"""Plain data as a JSON file gives it: what must be there, and what is said of what is otherwise."""

from __future__ import annotations

from typing import Any, Callable, Mapping, TypeVar

from slotscope.model.errors import ScenarioError
from slotscope.model.scenario.validation import shown

Item = TypeVar("Item")


def refusal(found: object, allowed: str, where: str) -> ScenarioError:
    """What is said of a value that cannot stand at a place."""
    return ScenarioError(f"found {shown(found)}, allowed: {allowed}", where=where)


def required(table: Mapping[str, Any], key: str, inside: str = "") -> Any:
    """``table[key]``, where *table* stands at *inside*. Raises ScenarioError if it is not there."""
    if key not in table:
        raise ScenarioError(
            "found nothing, allowed: this key is required", where=".".join(part for part in (inside, key) if part)
        )
    return table[key]


def an_object(value: Any, where: str) -> dict[str, Any]:
    """*value*, which must be an object. Raises ScenarioError if it is something else."""
    if not isinstance(value, dict):
        raise refusal(value, "an object", where)
    return value


def each(value: Any, where: str, read: Callable[[Any, str], Item]) -> list[Item]:
    """What *read* makes of each item, and its place, of what must be a list.

    Raises ScenarioError if it is something else, or *read* refuses an item.
    """
    if not isinstance(value, list):
        raise refusal(value, "a list", where)
    return [read(item, f"{where}[{place}]") for place, item in enumerate(value)]
