"""What no policy ought to yield, where a process of its own can import it."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any


class Odd:
    """An object whose every part is a trap."""

    def __index__(self) -> int:
        raise RuntimeError("asked for its index")

    def __str__(self) -> str:
        raise RuntimeError("asked for its text")

    def __len__(self) -> int:
        raise RuntimeError("asked for its length")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("compared")

    __hash__ = None  # type: ignore[assignment]


def read_only(values: dict[str, Any]) -> MappingProxyType[str, Any]:
    """The values of a record that was given none: they cannot be pickled themselves."""
    return MappingProxyType(values)
