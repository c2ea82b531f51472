"""What an edit of a scenario changes, as a short text: the values that are others, by their places."""

from __future__ import annotations

import json
from typing import Any, Iterator, Mapping

from slotscope.model.errors import ScenarioError


def edits_between(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """The JSON object that :func:`edited_by` takes, such as ``{"job_types.0.reward":"3"}``; empty: nothing differs."""
    found = dict(_differences("", before, after))
    return json.dumps(found, separators=(",", ":")) if found else ""


def _differences(place: str, before: Any, after: Any) -> Iterator[tuple[str, Any]]:
    """Each place whose value differs; one that came or went changes what holds it as a whole."""
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys():
        pairs = [(key, before[key], after[key]) for key in before]
        if not any("." in key for key in before):
            for key, one, other in pairs:
                yield from _differences(f"{place}.{key}".lstrip("."), one, other)
            return
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from _differences(f"{place}.{number}", one, other)
        return
    if before != after:
        yield place, after


def edited_by(data: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Plain data of a scenario with the values of *text* at their places.

    Raises ScenarioError if the text is no such object, or a place is none of the scenario's.
    """
    try:
        edits, result = json.loads(text), json.loads(json.dumps(data))
        for place, value in edits.items():
            if not place:
                return dict(value)
            *path, last = place.split(".")
            holder = result
            for part in path:
                holder = holder[_key(holder, part)]
            holder[_key(holder, last)] = value
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        raise ScenarioError(
            f"found the edit '{text[:80]}', allowed: values by their places, such as {{\"job_types.0.reward\":3}}"
        ) from None
    return dict(result)


def _key(holder: Any, part: str) -> int | str:
    """A part of a place, in what it leads into: lists are counted."""
    return int(part) if isinstance(holder, list) else part
