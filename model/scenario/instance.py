"""Instance files: small hand-checkable systems with scripted events, as JSON.

An instance file is read as scripted scenarios, so that it runs like any other; ``slotscope
trace`` prints its events in the same form.
"""

from __future__ import annotations

import json
from importlib import import_module
from types import MappingProxyType
from typing import Any, Mapping

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.rooms import ROOMS
from slotscope.model.scenario.validation import shown

#: What reads an instance file, by the key that tells whose it is.
READERS: Mapping[str, str] = MappingProxyType(
    {key: module for room in ROOMS.values() for key, module in room.readers.items()}
)


def scenarios_in(text: str, where: str) -> list[dict[str, Any]]:
    """The scenarios that the text of an instance file describes, at least one, as plain data.

    Raises
    ------
    ScenarioError
        If the text is not JSON, or a part is missing or wrong.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ScenarioError(f"not valid JSON: {error}", where=where) from None
    if not isinstance(data, dict):
        raise ScenarioError(f"found {shown(data)}, allowed: an object", where=where)
    key = next((key for key in READERS if key in data), None)
    if key is None:
        known = " or ".join(f"'{key}'" for key in READERS)
        raise ScenarioError(f"found no key {known}", where=where)
    try:
        found: list[dict[str, Any]] = import_module(READERS[key]).scenarios(data)
    except ScenarioError as error:
        raise error.inside(where) from None
    except KeyError as error:
        raise ScenarioError(f"found no key {error}", where=where) from None
    except (TypeError, ValueError, AttributeError, IndexError) as error:
        raise ScenarioError(f"a part has the wrong shape: {error}", where=where) from None
    if not found:
        raise ScenarioError("found no run, allowed: at least one", where=where)
    return found
