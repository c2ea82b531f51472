"""Fingerprints of objects, which reveal changes that a rewind could not undo.

What a policy keeps in its attributes or in its file's variables is not part of the state, so that
a rewind does not restore it.  Therefore both are compared after every event.
"""

from __future__ import annotations

import random
from collections import deque
from contextlib import suppress
from fractions import Fraction
from functools import cached_property
from hashlib import blake2b
from itertools import chain
from operator import is_, length_hint
from types import CellType, FunctionType, GeneratorType, ModuleType
from typing import Any, Iterable, Iterator, Mapping

import numpy as np
from pydantic import BaseModel

#: The most parts that attributes and variables may hold in total, and their deepest nesting, since all of it is
#: examined after each event.  An array of numbers is one part.
MOST_PARTS, MOST_DEPTH = 10_000, 200

#: Types whose ``repr`` is their value; subclasses may override ``__repr__``, so they do not count.
_PLAIN = frozenset({int, float, complex, str, bytes, bool, type(None), Fraction, range})
#: Types whose objects always hold the same parts.
_CONSTANT = _PLAIN - {Fraction} | {tuple, frozenset}
#: Types compared by value in a look, as they are made for it and are not parts of the object.
_TOLD = frozenset({bytes, str, int})
#: Dictionaries with fewer entries are compared value by value.
_FEW = 20
#: Types of containers that have no attributes.
_BARE = frozenset({list, tuple, dict, set, frozenset, bytearray})


class TooMuchError(ValueError):
    """A policy holds more than can be examined after each event."""


class Lasting:
    """What lasts from event to event outside the state, and must not change.

    *owner* is the policy, *variables* are those of its file; the contents of *known* objects are not examined.
    Values kept by ``functools.cached_property`` are exempt: they can be computed again.
    Raises TooMuchError with the name of what holds more than :data:`MOST_PARTS` or nests deeper than
    :data:`MOST_DEPTH`.
    """

    def __init__(self, owner: Any, variables: Mapping[str, Any], known: Iterable[Any]) -> None:
        self._owner, self._variables = owner, variables
        self._known = {id(item): item for item in known}
        self._module = str(variables.get("__name__", ""))
        self._cached = {
            name
            for kind in type(owner).__mro__
            for name, item in vars(kind).items()
            if isinstance(item, cached_property)
        }
        press = _Press(self._known, self._module)
        self._before = self._first_prints(press)
        self._note_places(press)

    def _first_prints(self, press: _Press) -> dict[str, tuple[Any, _Print | None]]:
        """By name, each value and its print; None instead of the print for what cannot change in place."""
        before = dict[str, tuple[Any, _Print | None]]()
        for name, value in self._all():
            try:
                before[name] = value, None if self._is_fixed(value) else _held(value) or press.print(value)
            except TooMuchError as error:
                raise TooMuchError(f"with {name} it {error}") from None
        return before

    def changed(self) -> list[str]:
        """The names of the attributes and variables that have changed."""
        if self._in_place() and all(_held(value) == made for value, made in self._held) and self._noted.are_in_place():
            return []
        press, left = _Press(self._known, self._module), dict(self._before)
        found = [name for name, value in self._all() if name not in left or not _same(press, value, *left.pop(name))]
        if not (found or left):  # only identities, or exempt values, have changed
            self._note_places(press)
        return [*found, *left]

    def _note_places(self, press: _Press) -> None:
        """Note the objects now held, and those inside them that *press* has noted, for a quick comparison later."""
        pairs = [(value, *self._before[name]) for name, value in self._all()]
        self._held = [(value, made) for value, _, made in pairs if isinstance(made, tuple)]
        self._noted = press
        self._places: list[tuple[Mapping[str, Any], tuple[str, ...], tuple[Any, ...]]] = []
        slots = any(vars(kind).get("__slots__") for kind in type(self._owner).__mro__)
        if not slots and all(value is before for value, before, made in pairs if made is None):
            classes = [value for value in self._variables.values() if self._is_own(value)]
            spaces = (object.__getattribute__(self._owner, "__dict__"), self._variables, *map(vars, classes))
            self._places = [(space, tuple(space), tuple(space.values())) for space in spaces]

    def _in_place(self) -> bool:
        """Whether the same objects are held under the same names, which usually settles the comparison."""
        for space, names, values in self._places:
            same = len(space) == len(names) and all(map(is_, space, names)) and all(map(is_, space.values(), values))
            if not same:
                return False
        return bool(self._places) and object.__getattribute__(self._owner, "__dict__") is self._places[0][0]

    def _is_own(self, value: Any) -> bool:
        """Whether a value is a class of the policy's file."""
        return isinstance(value, type) and value.__module__ == self._module

    def _all(self) -> Iterator[tuple[str, Any]]:
        for name, value in _attributes(self._owner):
            if name not in self._cached:
                yield f"self.{name}", value
        for name, value in self._variables.items():
            if _is_special(name):
                continue
            if self._is_own(value):
                for inner, part in vars(value).items():
                    if not _is_special(inner) or inner == "__init__":
                        yield f"the variable {name}.{inner}", part
            else:
                yield f"the variable {name}", value

    def _is_fixed(self, value: Any, depth: int = 0) -> bool:
        """Whether a value is immutable, so that a change makes it another object."""
        kind = type(value)
        if depth > MOST_DEPTH:
            return False
        if kind in _PLAIN or id(value) in self._known or kind is ModuleType:
            return True
        # A compiled function of the file; what an abstract class keeps for isinstance.
        if kind.__module__.partition(".")[0] in {"numba", "_abc"}:
            return True
        if isinstance(value, tuple):
            return not hasattr(value, "__dict__") and all(self._is_fixed(part, depth + 1) for part in value)
        if isinstance(value, FunctionType):
            own = (value.__defaults__ or (), *(value.__kwdefaults__ or {}).values())
            return value.__module__ != self._module or (
                all(self._is_fixed(part, depth + 1) for part in own) and not value.__closure__ and not vars(value)
            )
        if isinstance(value, BaseModel):
            return bool(kind.model_config.get("frozen")) and all(
                self._is_fixed(part, depth + 1) for part in vars(value).values()
            )
        if isinstance(value, type):
            return value.__module__ != self._module or issubclass(value, BaseModel)
        return isinstance(value, staticmethod | classmethod | property)


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


#: The contents, of arrays of numbers and small dictionaries of plain values; of anything else a hash.
_Print = bytes | tuple[Any, ...]


def _held(value: Any) -> tuple[Any, ...]:
    """The contents of an array of numbers, a tuple of such arrays, or a small dictionary of plain values.

    Empty for anything else, for which a print takes ten times as long.
    """
    if type(value) is dict:
        parts = _flat(value.items()) if len(value) < _FEW else [value]
        return (dict, *map(_plain, parts)) if all(type(part) in _PLAIN for part in parts) else ()
    arrays = value if isinstance(value, tuple) and not hasattr(value, "__dict__") else (value,)
    if not all(type(array) is np.ndarray and not array.dtype.hasobject for array in arrays):
        return ()
    return type(value), *((array.dtype, array.shape, array.tobytes()) for array in arrays)


def _same(press: _Press, value: Any, before: Any, made: _Print | None) -> bool:
    if made is None and value is before:
        return True
    if isinstance(made, tuple):
        return _held(value) == made
    try:
        return press.print(value) == (made or press.print(before))
    except TooMuchError:  # it has grown
        return False


def _is_constant(item: Any) -> bool:
    """Whether an item holds the same objects for ever."""
    if isinstance(item, np.generic):
        return type(item).__module__ == "numpy" and not isinstance(item, np.void)
    return type(item) in _CONSTANT or (isinstance(item, tuple) and not hasattr(item, "__dict__"))


def _are_same(now: tuple[Any, ...], before: tuple[Any, ...]) -> bool:
    return len(now) == len(before) and (all(map(is_, now, before)) or all(map(_is_same, now, before)))


def _is_same(one: Any, other: Any) -> bool:
    return one is other or (type(one) is type(other) and type(one) in _TOLD and one == other)


class _Press:
    """Makes prints, of at most :data:`MOST_PARTS` parts in all, and notes the parts of whatever can change.

    If these parts are still the same objects, no new print is needed; that comparison is ten times as fast.

    - *known*: Objects whose contents are not examined, by their id.
    - *module*: The name of the policy's own module.
    """

    def __init__(self, known: Mapping[int, Any], module: str) -> None:
        self._known, self._module = known, module
        self._left = MOST_PARTS
        self._looks: list[tuple[Any, tuple[Any, ...]]] = []  # pairs (item, its parts)

    def are_in_place(self) -> bool:
        """Whether everything printed still consists of the same objects."""
        return all(_are_same(self._look(item), look) for item, look in self._looks)

    def _note(self, item: Any) -> None:
        if not _is_constant(item):
            self._looks.append((item, self._look(item)))

    def _look(self, item: Any) -> tuple[Any, ...]:
        """The parts of an item: objects, or bytes, texts and numbers that represent them."""
        kind = type(item)
        if kind is dict:
            return kind, *item, *item.values()
        if kind is list or isinstance(item, set | frozenset):
            return kind, *item
        if kind is FunctionType or isinstance(item, type):
            return kind, item.__module__, *_inside(item, self._module)
        if kind is Fraction:
            return kind, item.numerator, item.denominator
        if isinstance(item, np.generic):
            return kind, _plain(item)
        head, parts = self._taken_apart(item, 0)
        return (kind, head, *parts) if isinstance(item, np.ndarray) else (kind, *parts)

    def print(self, value: Any, depth: int = 0) -> bytes:
        """A hash of *value* and everything in it."""
        made = blake2b(digest_size=16)
        # Kept alive to the end: the id of a freed object may be reused for another.
        seen: dict[int, Any] = {}
        pending: list[tuple[Any, int]] = [(value, depth)]
        while pending:
            item, depth = pending.pop()
            self._count(depth)
            if type(item) in _PLAIN or isinstance(item, np.generic):
                made.update(_plain(item))
                self._note(item)
            elif id(item) in seen or id(item) in self._known:
                made.update(b"again")
            else:
                seen[id(item)] = item
                self._note(item)
                head, parts = self._taken_apart(item, depth)
                made.update(head)
                pending.extend((part, depth + 1) for part in parts)
        return made.digest()

    def _count(self, depth: int) -> None:
        self._left -= 1
        if depth > MOST_DEPTH:
            raise TooMuchError(f"holds data nested deeper than {MOST_DEPTH}, allowed: {MOST_DEPTH}")
        if self._left < 0:
            raise TooMuchError(
                f"holds more than {MOST_PARTS:,} objects, allowed: {MOST_PARTS:,}; an array of numbers is one"
            )

    def _taken_apart(self, item: Any, depth: int) -> tuple[bytes, Iterable[Any]]:
        """Bytes that represent the item itself, and its parts."""
        name = type(item).__qualname__.encode()
        if isinstance(item, np.ndarray):
            whole = not item.dtype.hasobject
            body = [np.ascontiguousarray(item).tobytes()] if whole else list(item.flat)
            return name + str((item.dtype.str, item.shape)).encode(), body
        if isinstance(item, dict):
            return name, [*_flat(item.items()), *_beside(item)]
        if isinstance(item, set | frozenset):
            return name, sorted(self.print(part, depth + 1) for part in item)
        if isinstance(item, list | tuple | deque | bytearray):
            return name + b"%d" % len(item), [*item, *_beside(item)]
        return name, _inside(item, self._module)


def _beside(container: Any) -> list[Any]:
    """The attributes of a container object, apart from its members."""
    return [] if type(container) in _BARE else _flat(_attributes(container))


def _plain(item: Any) -> bytes:
    if isinstance(item, int) and not isinstance(item, bool):
        return b"i%x" % item
    return f"{type(item).__name__}{item!r}".encode("utf-8", "surrogatepass")


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
        return [part for name, part in vars(item).items() if name[:2] != "__" or name == "__init__"] if own else []
    parts: list[Any] = _flat(_attributes(item))
    if not parts:
        goes_on = hasattr(type(item), "__next__")
        parts.append(length_hint(item, -1) if goes_on else id(item))
    return parts


def _flat(pairs: Iterable[tuple[Any, Any]]) -> list[Any]:
    return list(chain.from_iterable(pairs))


def _attributes(item: Any) -> Iterator[tuple[str, Any]]:
    """The attributes in the object's own dictionary and slots, read without running the object's code."""
    with suppress(AttributeError):
        yield from tuple(object.__getattribute__(item, "__dict__").items())
    for kind in type(item).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else tuple(slots):
            try:
                yield name, object.__getattribute__(item, name)
            except AttributeError:
                continue
