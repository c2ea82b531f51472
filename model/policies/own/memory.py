"""Prints of objects, by which it is seen that something was changed behind the run's back.

What a policy keeps in its attributes or in its file's variables is no part of the state: a
rewind does not take it back.  So both are compared after every event.
"""

from __future__ import annotations

import operator
import random
from collections import deque
from contextlib import suppress
from fractions import Fraction
from functools import cached_property
from hashlib import blake2b
from types import CellType, FunctionType, GeneratorType, ModuleType
from typing import Any, Iterable, Iterator, Mapping

import numpy as np
from pydantic import BaseModel

#: Parts of one attribute that are looked at; what lies beyond is taken as unchanged.
MOST_PARTS = 10_000

#: Types whose values tell themselves; subclasses may have been given any ``__repr__``.
_PLAIN = frozenset({int, float, complex, str, bytes, bool, type(None), Fraction, range})


class Lasting:
    """What lasts from event to event beside the state: to be left as it is.

    Parameters
    ----------
    owner:
        The policy.
    variables:
        Those of its file.
    known:
        Objects that are not looked into.

    Values that ``functools.cached_property`` keeps do not count: they can be computed again.
    """

    def __init__(self, owner: Any, variables: Mapping[str, Any], known: Iterable[Any]) -> None:
        self._owner, self._variables = owner, variables
        self._known = frozenset(id(item) for item in known)
        self._module = str(variables.get("__name__", ""))
        self._cached = {name for kind in type(owner).__mro__ for name, item in vars(kind).items()
                        if isinstance(item, cached_property)}  # fmt: skip
        self._before = {name: (value, self._print(value)) for name, value in self._all()}

    def changed(self) -> list[str]:
        """Names of attributes and variables that are not what they were."""
        left = dict(self._before)
        found = [name for name, value in self._all()
                 if name not in self._before or not self._same(value, *left.pop(name))]  # fmt: skip
        return [*found, *left]

    def _same(self, value: Any, before: Any, made: bytes | None) -> bool:
        if made is None and value is before:
            return True
        known, module = self._known, self._module
        return _print(value, known, module) == (made or _print(before, known, module))

    def _all(self) -> Iterator[tuple[str, Any]]:
        for name, value in _attributes(self._owner):
            if name not in self._cached:
                yield f"self.{name}", value
        for name, value in self._variables.items():
            if _is_special(name):
                continue
            if isinstance(value, type) and value.__module__ == self._module:
                for inner, part in vars(value).items():
                    if not _is_special(inner) or inner == "__init__":
                        yield f"the variable {name}.{inner}", part
            else:
                yield f"the variable {name}", value

    def _print(self, value: Any) -> bytes | None:
        """None for what cannot change without becoming another object."""
        if self._is_fixed(value):
            return None
        return _print(value, self._known, self._module)

    def _is_fixed(self, value: Any) -> bool:
        kind = type(value)
        if kind in _PLAIN or id(value) in self._known or kind is ModuleType:
            return True
        if isinstance(value, tuple):
            return not hasattr(value, "__dict__") and all(map(self._is_fixed, value))
        if isinstance(value, FunctionType):
            own = (value.__defaults__ or (), *(value.__kwdefaults__ or {}).values())
            return value.__module__ != self._module or (
                all(map(self._is_fixed, own)) and not value.__closure__ and not vars(value)
            )
        if isinstance(value, BaseModel):
            return bool(kind.model_config.get("frozen")) and all(
                self._is_fixed(part) for part in vars(value).values()
            )
        if isinstance(value, type):
            return value.__module__ != self._module or issubclass(value, BaseModel)
        return isinstance(value, staticmethod | classmethod | property)


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _print(value: Any, known: frozenset[int], module: str) -> bytes:
    made = blake2b(digest_size=16)
    left = MOST_PARTS
    seen: set[int] = set()
    pending: list[Any] = [value]
    while pending and left:
        left -= 1
        item = pending.pop()
        if type(item) in _PLAIN or isinstance(item, np.generic):
            made.update(_plain(item))
        elif id(item) in seen or id(item) in known:
            made.update(b"again")
        else:
            seen.add(id(item))
            head, parts = _taken_apart(item, module)
            made.update(head)
            pending.extend(parts)
    return made.digest()


def _plain(item: Any) -> bytes:
    if isinstance(item, int) and not isinstance(item, bool):
        return b"i%x" % item
    return f"{type(item).__name__}{item!r}".encode("utf-8", "surrogatepass")


def _taken_apart(item: Any, module: str) -> tuple[bytes, Iterable[Any]]:
    """Something that tells the item itself, and its parts."""
    name = type(item).__qualname__.encode()
    if isinstance(item, np.ndarray):
        body = list(item.flat) if item.dtype.hasobject else [np.ascontiguousarray(item).tobytes()]
        return name + str((item.dtype.str, item.shape)).encode(), body
    if isinstance(item, dict):
        return name, [part for pair in item.items() for part in pair] + list(_attributes(item))
    if isinstance(item, set | frozenset):
        return name, sorted(_print(part, frozenset(), module) for part in item)
    if isinstance(item, list | tuple | deque | bytearray):
        return name + b"%d" % len(item), [*item, *_attributes(item)]
    return name, _inside(item, module)


def _inside(item: Any, module: str) -> list[Any]:
    if isinstance(item, random.Random):
        return [repr(item.getstate())]
    if isinstance(item, np.random.Generator):
        return [repr(item.bit_generator.state)]
    if isinstance(item, np.random.RandomState):
        return [repr(item.get_state(legacy=False))]
    if isinstance(item, CellType):
        try:
            return [item.cell_contents]
        except ValueError:  # still empty
            return []
    if isinstance(item, GeneratorType):
        frame = item.gi_frame
        return [] if frame is None else [frame.f_lasti, frame.f_locals]
    if isinstance(item, FunctionType):
        own = item.__module__ == module
        return [item.__defaults__, item.__kwdefaults__, item.__closure__, vars(item)] if own else []
    if isinstance(item, type):
        own = item.__module__ == module and not issubclass(item, BaseModel)
        return [part for name, part in vars(item).items()
                if name[:2] != "__" or name == "__init__"] if own else []  # fmt: skip
    parts: list[Any] = list(_attributes(item))
    if not parts:
        goes_on = hasattr(type(item), "__next__")
        parts.append(operator.length_hint(item, -1) if goes_on else id(item))
    return parts


def _attributes(item: Any) -> Iterator[tuple[str, Any]]:
    """Attributes in the object's own dictionary and slots, read without the object's help."""
    with suppress(AttributeError):
        yield from tuple(object.__getattribute__(item, "__dict__").items())
    for kind in type(item).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else tuple(slots):
            try:
                yield name, object.__getattribute__(item, name)
            except AttributeError:
                continue
