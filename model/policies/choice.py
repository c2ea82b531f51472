"""A policy as it is named on a command line or in a field: ``NAME`` or ``NAME:key=value,...``.

Values are numbers, ``true`` or ``false``, text, lists in brackets, or tables in braces,
``{key=value,...}``; the policy's own schema decides what they mean.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePath
from typing import Any, Sequence

from slotscope.model.errors import PolicyError
from slotscope.model.scenario.common import PolicyChoice

_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_KEY = re.compile(r"[a-z][a-z0-9_]*")

#: A key inside a table: of the policy's own, or the name of a type or a class.
_NAME = re.compile(r"[^=,\[\]{}]+")

#: The name and its parameters; a colon that is followed by no key belongs to a path.
_CHOICE = re.compile(r"(?P<name>.*?)(?::(?P<parameters>\s*[a-z][a-z0-9_]*\s*=.*))?", re.DOTALL)


def policy_choice(text: str) -> PolicyChoice:
    """The policy's name and the parameters given with it. Raises PolicyError if a part is not ``key=value``."""
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
    """The text that :func:`policy_choice` reads back, with every parameter."""
    given = ",".join(f"{key}={value_text(value)}" for key, value in choice.parameters.items())
    return f"{choice.name}:{given}" if given else choice.name


def without_folder(text: str) -> str:
    """What a policy is called: one in a file by the file's name, with its parameters."""
    name = policy_choice(text).name
    return PurePath(name).name + text.strip().removeprefix(name)


def seen_from(running: str, text: str) -> str:
    """The policy that *text* means where *running* runs: a file without its folder may be one beside that."""
    name = policy_choice(text).name
    near = PurePath(policy_choice(running).name).parent / name
    if not name.lower().endswith(".py") or Path(name).exists() or not Path(near).exists():
        return text
    return str(near) + text.strip().removeprefix(name)


def names_beside(texts: Sequence[str]) -> dict[str, str]:
    """What policies are called beside each other: one in a file without its folder, if no other is called so."""
    short = {text: without_folder(text) for text in texts}
    called = list(short.values())
    return {text: name if called.count(name) == 1 else text for text, name in short.items()}


def _parts(text: str) -> list[str]:
    """*text* cut at the commas that stand outside brackets and braces."""
    parts, depth, start = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter in "[{") - (letter in "]}")
        if letter == "," and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    return [*parts, text[start:]] if text.strip() else []


def _table(text: str, keys: re.Pattern[str]) -> dict[str, Any]:
    """The values of ``key=value,...`` by key. Raises PolicyError if a part is none."""
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
    """A value as :func:`policy_choice` reads it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return f"{{{','.join(f'{key}={value_text(item)}' for key, item in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{','.join(value_text(item) for item in value)}]"
    return str(value)
