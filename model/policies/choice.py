"""The text form of a policy choice, on a command line or in a field: ``NAME`` or ``NAME:key=value,...``.

Values are numbers, ``true`` or ``false``, text, lists in brackets, or tables in braces,
``{key=value,...}``; the policy's schema gives them their meaning.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePath
from typing import Any, Sequence

from slotscope.model.errors import PolicyError
from slotscope.model.scenario.common import PolicyChoice

_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_KEY = re.compile(r"[a-z][a-z0-9_]*")

#: A key inside a table: a key defined by the policy, or the name of a type or a class.
_NAME = re.compile(r"[^=,\[\]{}]+")

#: The name and its parameters; a colon that no key follows is part of a path.
_CHOICE = re.compile(r"(?P<name>.*?)(?::(?P<parameters>\s*[a-z][a-z0-9_]*\s*=.*))?", re.DOTALL)


def policy_choice(text: str) -> PolicyChoice:
    """The policy's name and its parameters, from text. Raises PolicyError if a part is not ``key=value``."""
    match = _CHOICE.fullmatch(text.strip())
    assert match is not None  # the pattern takes any text
    given = match["parameters"]
    name = match["name"].removesuffix(":") if given is None else match["name"]
    try:
        parameters = _table(given or "", _KEY)
    except PolicyError as error:
        raise error.inside(name) from None
    return PolicyChoice.model_construct(name=name, parameters=parameters)


def choice_text(choice: PolicyChoice) -> str:
    """The text of a policy choice with all its parameters, the inverse of :func:`policy_choice`."""
    given = ",".join(f"{key}={value_text(value)}" for key, value in choice.parameters.items())
    return f"{choice.name}:{given}" if given else choice.name


def without_folder(text: str) -> str:
    """The short name of a policy, with its parameters: for a policy file, the file name without its folder."""
    name = policy_choice(text).name
    return PurePath(name).name + text.strip().removeprefix(name)


def seen_from(running: str, text: str) -> str:
    """The policy that *text* names while *running* runs; a file name without folder may be a file beside *running*."""
    name = policy_choice(text).name
    near = PurePath(policy_choice(running).name).parent / name
    if not name.lower().endswith(".py") or Path(name).exists() or not Path(near).exists():
        return text
    return str(near) + text.strip().removeprefix(name)


def names_beside(texts: Sequence[str]) -> dict[str, str]:
    """The labels of several policies: a policy file's name without its folder, if that is unique among them."""
    short = {text: without_folder(text) for text in texts}
    called = list(short.values())
    return {text: name if called.count(name) == 1 else text for text, name in short.items()}


def _parts(text: str) -> list[str]:
    """*text* split at the commas outside brackets and braces."""
    parts, depth, start = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter in "[{") - (letter in "]}")
        if letter == "," and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    return [*parts, text[start:]] if text.strip() else []


def _table(text: str, keys: re.Pattern[str]) -> dict[str, Any]:
    """The values of ``key=value,...`` by key. Raises PolicyError if a part is not ``key=value``."""
    table: dict[str, Any] = {}
    for part in _parts(text):
        key, sign, value = (piece.strip() for piece in part.partition("="))
        if not sign or not keys.fullmatch(key):
            raise PolicyError(f"found '{part.strip()}', allowed: NAME or NAME:key=value,key=value")
        table[key] = _value(value)
    return table


def _value(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    if _WHOLE.fullmatch(text):
        return int(text)
    if text.startswith("[") and text.endswith("]"):
        return [_value(item.strip()) for item in _parts(text[1:-1])]
    if text.startswith("{") and text.endswith("}"):
        return _table(text[1:-1], _NAME)
    return text


def value_text(value: Any) -> str:
    """A value in the text form that :func:`policy_choice` reads."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return f"{{{','.join(f'{key}={value_text(item)}' for key, item in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{','.join(value_text(item) for item in value)}]"
    return str(value)
