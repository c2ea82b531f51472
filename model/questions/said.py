"""The names of the numbers that a user's policy may say while it decides, read from its text and not from a run."""

from __future__ import annotations

import ast
from typing import Any


def said_by(policy: Any) -> tuple[str, ...]:
    """Names in ``say("step", name=..)`` and ``values={"name": ..}``, in the order of the text; none of a policy
    that has no file."""
    text = getattr(policy, "text", "")
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)] if text else []
    return tuple(dict.fromkeys(name for call in sorted(calls, key=lambda one: one.lineno) for name in _named(call)))


def _named(call: ast.Call) -> list[str]:
    keywords = [one for one in call.keywords if one.arg is not None]
    names = []
    if isinstance(call.func, ast.Name) and call.func.id == "say":
        names = [str(one.arg) for one in keywords]
    tables = [one.value for one in keywords if one.arg == "values" and isinstance(one.value, ast.Dict)]
    keys = [key.value for table in tables for key in table.keys if isinstance(key, ast.Constant)]
    return names + [key for key in keys if isinstance(key, str)]
