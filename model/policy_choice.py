"""A policy as it is named on a command line or in a field: ``NAME`` or ``NAME:key=value,...``.

Values are numbers, ``true`` or ``false``, text, or lists in brackets; the policy's own schema
decides what they mean.
"""

from __future__ import annotations

import re
from typing import Any

from model.errors import PolicyError
from model.scenario.common import PolicyChoice

_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_KEY = re.compile(r"[a-z][a-z0-9_]*")

#: The name and its parameters; a colon that is followed by no key belongs to a path.
_CHOICE = re.compile(r"(?P<name>.*?)(?::(?P<parameters>\s*[a-z][a-z0-9_]*\s*=.*))?", re.DOTALL)


def policy_choice(text: str) -> PolicyChoice:
    """The policy's name and the parameters given with it.

    Raises
    ------
    PolicyError
        If a part is not ``key=value``.
    """
    match = _CHOICE.fullmatch(text.strip())
    assert match is not None  # the pattern takes any text
    given = match["parameters"]
    name = match["name"].removesuffix(":") if given is None else match["name"]
    parameters: dict[str, Any] = {}
    for part in _parts(given or ""):
        key, sign, value = part.partition("=")
        if not sign or not _KEY.fullmatch(key.strip()):
            raise PolicyError(f"found '{part.strip()}', allowed: NAME or NAME:key=value,key=value",
                              where=name)  # fmt: skip
        parameters[key.strip()] = _value(value.strip())
    return PolicyChoice.model_construct(name=name, parameters=parameters)


def choice_text(choice: PolicyChoice) -> str:
    """The text that :func:`policy_choice` reads back, with every parameter."""
    given = ",".join(f"{key}={_text(value)}" for key, value in choice.parameters.items())
    return f"{choice.name}:{given}" if given else choice.name


def _parts(text: str) -> list[str]:
    """*text* cut at the commas that stand outside brackets."""
    parts, depth, start = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter == "[") - (letter == "]")
        if letter == "," and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    return [*parts, text[start:]] if text.strip() else []


def _value(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    if _WHOLE.fullmatch(text):
        return int(text)
    if text.startswith("[") and text.endswith("]"):
        return [_value(item.strip()) for item in _parts(text[1:-1])]
    return text


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return f"[{','.join(_text(item) for item in value)}]"
    return str(value)
