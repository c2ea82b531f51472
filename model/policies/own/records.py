"""Records of a policy of one's own, made fit to be kept and shown.

Frames keep records, and panels read values by their names; so values become plain data that
stay as they were, and names that panels know must hold what these expect.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Mapping

import numpy as np

from slotscope.model.policies.own.kind import OwnKind
from slotscope.model.policies.own.sound import NotADecisionError, found
from slotscope.model.reporting.records import Record
from slotscope.model.systems.view import PolicyView

#: Values in one record, characters of a text, and members of a tuple that are kept.
MOST_VALUES = 50
MOST_CHARACTERS = 200
MOST_MEMBERS = 100

#: Below it, whole numbers are plain; and types of values that are plain whatever the value.
_SMALL = 2**63
_PLAIN = frozenset({float, bool, type(None), Fraction})


class BadValueError(ValueError):
    """A record that cannot be shown."""


def plain_values(
    record: Record, kind: OwnKind, view: PolicyView, arguments: tuple[Any, ...], by_user: bool
) -> dict[str, Any]:
    """The values of a sound *record*, plain.

    A decision also gets the numbers that explain it, unless it has them.  What is not *by_user* but
    by a module of the program that the policy calls is as it should be.
    Raises BadValueError if a value cannot be shown under its name.
    """
    if len(record.values) > MOST_VALUES:
        raise BadValueError(f"a record has {len(record.values)} values, allowed: {MOST_VALUES}")
    values: dict[str, Any] = {}
    if type(record) is not Record:
        values.update(kind.explained(record, view, arguments))
    for name, value in record.values.items():
        if type(name) is not str or len(name) > MOST_CHARACTERS:
            raise BadValueError(f"the name of a value is {found(name)}, allowed: a short text")
        small = type(value) is int and -_SMALL < value < _SMALL
        values[name] = value if small or type(value) in _PLAIN else _plain(value)
    if by_user:
        if type(record) is Record:
            _check_kind(record, kind, values)
        if not kind.names.keys().isdisjoint(values):
            _check_names(values, kind, view)
    if len(record.kind) > MOST_CHARACTERS:
        raise BadValueError(f"a kind of {len(record.kind)} characters, allowed: {MOST_CHARACTERS}")
    return values


def _plain(value: Any, depth: int = 0) -> Any:
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is int:
        return value if value.bit_length() <= 200 else found(value)
    if kind is str:
        return value if len(value) <= MOST_CHARACTERS else f"{value[:MOST_CHARACTERS]}..."
    if isinstance(value, np.generic):
        return _plain(value.item(), depth) if not isinstance(value, np.void) else "a record"
    if isinstance(value, np.ndarray) and value.size <= MOST_MEMBERS and not value.dtype.hasobject:
        return _plain(value.tolist(), depth)
    if kind in (tuple, list, set, frozenset) and len(value) <= MOST_MEMBERS and depth < 3:
        return tuple(_plain(item, depth + 1) for item in value)
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    return f"a {kind.__name__}"


def _check_kind(record: Record, kind: OwnKind, values: Mapping[str, Any]) -> None:
    if record.kind in kind.reserved:
        raise BadValueError(
            f"a record of the kind '{record.kind}', which the program itself uses; allowed: another word"
        )
    needed = kind.needed.get(record.kind, ())
    if needed and (missing := [name for name in needed if name not in values]):
        raise BadValueError(
            f"a record of the kind '{record.kind}' without the value '{missing[0]}', allowed: all of "
            f"{', '.join(needed)}, or another kind"
        )


def _check_names(values: Mapping[str, Any], kind: OwnKind, view: PolicyView) -> None:
    try:
        for name, value in values.items():
            if check := kind.names.get(name):
                check(value, f"the value '{name}'", view.numbers)
    except NotADecisionError as error:
        raise BadValueError(f"{error}; what is meant otherwise needs another name") from None
