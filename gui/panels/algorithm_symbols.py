"""Wording of records' values beside pseudocode; their names are declared by each kind of system."""

from __future__ import annotations

import html
from fractions import Fraction
from typing import Any, Callable, Mapping, NamedTuple

from slotscope.model.reporting.explain import amount
from slotscope.model.reporting.frame import RunInfo

Wording = Callable[[Any, RunInfo, Mapping[str, Any]], str]


def _number(value: Any) -> str:
    return f"−{-value}" if isinstance(value, int) and value < 0 else html.escape(str(value))


def vector(value: Any, *_: Any) -> str:
    """A number, or several in parentheses."""
    if isinstance(value, tuple | list):
        return f"({', '.join(_number(item) for item in value)})"
    return _number(value)


def server(value: Any, *_: Any) -> str:
    """A server, numbered from 1."""
    return f"server {value + 1}"


def servers(value: Any, *_: Any) -> str:
    """Several servers as a set."""
    return f"{{{', '.join(str(server + 1) for server in value)}}}"


def size(value: Any, *_: Any) -> str:
    """A job size, or several."""
    if isinstance(value, tuple | list):
        return f"({', '.join(size(item) for item in value)})"
    return amount(value) if isinstance(value, Fraction) else f"{float(value):.4g}"


class Symbol(NamedTuple):
    """How a value is written, and the paper's symbol by which its line is found."""

    text: str  #: rich text; ``{i}`` stands for the iteration
    plain: str = ""
    word: Wording = vector


def numbered_job(value: Any, *_: Any) -> str:
    return f"job {value}"


def left_out(*_: Any) -> str:
    """Nothing, for values that others already express."""
    return ""
