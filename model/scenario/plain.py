"""Checks of plain data from a JSON file: required keys and types, with errors about anything else."""

from __future__ import annotations

from typing import Any, Callable, Mapping, TypeVar

from slotscope.model.errors import ScenarioError
from slotscope.model.scenario.validation import shown

Item = TypeVar("Item")


def refusal(found: object, allowed: str, where: str) -> ScenarioError:
    """The error for a value that is not allowed at a place."""
    return ScenarioError(f"found {shown(found)}, allowed: {allowed}", where=where)


def required(table: Mapping[str, Any], key: str, inside: str = "") -> Any:
    """``table[key]``, where *inside* is the path of *table*. Raises ScenarioError if the key is missing."""
    if key not in table:
        raise ScenarioError(
            "found nothing, allowed: this key is required", where=".".join(part for part in (inside, key) if part)
        )
    return table[key]


def an_object(value: Any, where: str) -> dict[str, Any]:
    """*value*, if it is an object. Raises ScenarioError if it is anything else."""
    if not isinstance(value, dict):
        raise refusal(value, "an object", where)
    return value


def each(value: Any, where: str, read: Callable[[Any, str], Item]) -> list[Item]:
    """The results of *read*, called with each item of a list and its path.

    Raises ScenarioError if *value* is not a list, or *read* refuses an item.
    """
    if not isinstance(value, list):
        raise refusal(value, "a list", where)
    return [read(item, f"{where}[{place}]") for place, item in enumerate(value)]
