"""Records of a policy of one's own, made fit to be kept and shown.

Frames keep records, and panels read values by their names; so values become plain data that
stay as they were, and names that panels know must hold what these expect.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Mapping

import numpy as np

from slotscope.model.kinds.reservation.decisions import NotADecisionError, found, whole
from slotscope.model.kinds.reservation.policies.base import ArrivingJob, DepartedJob
from slotscope.model.kinds.reservation.view import ReservationView
from slotscope.model.records import Line, Record, Reject

#: Values in one record, characters of a text, and members of a tuple that are kept.
MOST_VALUES = 50
MOST_CHARACTERS = 200
MOST_MEMBERS = 100

#: Kinds that the program itself records; a policy cannot use them for something else.
OWN_KINDS = frozenset(
    {
        "arrival",
        "departure",
        "update",
        "admit",
        "reject",
        "migrate",
        "preempt",
        "reassign",
        "classify",
        "remember",
        "update_at",
    }
)

#: Values that the words for a known kind are made of.
NEEDED: Mapping[str, tuple[str, ...]] = {
    "greedy_start": ("jobs_left",),
    "configuration_found": ("i", "configuration"),
    "count_found": ("i", "configuration", "count", "exhausted", "servers_left"),
    "ranked": ("i", "held", "count", "surplus"),
    "unmatched": ("i", "missing"),
    "servers_scanned": ("servers_with_room",),
}

#: Names of whole numbers.
WHOLE = frozenset(
    {
        "count",
        "held",
        "missing",
        "surplus",
        "servers_left",
        "candidates",
        "job",
        "choices",
        "empty_slots",
        "servers_with_room",
        "rank",
    }
)
TYPES, SERVERS = frozenset({"type", "exhausted"}), frozenset({"server", "source", "target"})
TUPLES = frozenset({"jobs_left", "configuration"})


class BadValueError(ValueError):
    """A record that cannot be shown."""


def plain_record(
    record: Record,
    line: Line | None,
    view: ReservationView,
    job: ArrivingJob | DepartedJob | None,
    written_by_user: bool,
) -> Record:
    """*record* with plain values, and with *line* where it names none.

    A ``Reject`` also gets the numbers that explain a rejection, unless it has them.

    Raises
    ------
    BadValueError
        If a value cannot be shown under its name.
    """
    if type(record.values) not in (dict, MappingProxyType) or type(record.kind) is not str:
        return record  # the system says what is allowed
    values = {**_explained(record, view, job), **_plain_values(record)}
    if written_by_user:
        _check_kind(record, values)
        _check_names(values, view)
    own = record.line if record.line is not None else line
    if len(record.kind) > MOST_CHARACTERS:
        raise BadValueError(f"a kind of {len(record.kind)} characters, allowed: {MOST_CHARACTERS}")
    return replace(record, line=own, values=values)


def _explained(record: Record, view: ReservationView, job: ArrivingJob | DepartedJob | None) -> dict[str, int]:
    if type(record) is not Reject or not isinstance(job, ArrivingJob):
        return {}
    return {"empty_slots": int(view.empty_slots(job.type).sum()), "servers_with_room": len(view.with_room(job.type))}


def _plain_values(record: Record) -> dict[str, Any]:
    if len(record.values) > MOST_VALUES:
        raise BadValueError(f"a record has {len(record.values)} values, allowed: {MOST_VALUES}")
    result = {}
    for name, value in record.values.items():
        if type(name) is not str or len(name) > MOST_CHARACTERS:
            raise BadValueError(f"the name of a value is {found(name)}, allowed: a short text")
        result[name] = _plain(value)
    return result


def _plain(value: Any, depth: int = 0) -> Any:
    kind = type(value)
    if kind in (int, float, bool, type(None), Fraction):
        return value if kind is not int or value.bit_length() <= 200 else found(value)
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


def _check_kind(record: Record, values: Mapping[str, Any]) -> None:
    if type(record) is not Record:
        return
    if record.kind in OWN_KINDS:
        raise BadValueError(
            f"a record of the kind '{record.kind}', which the program itself uses; allowed: another word"
        )
    missing = [name for name in NEEDED.get(record.kind, ()) if name not in values]
    if missing:
        raise BadValueError(
            f"a record of the kind '{record.kind}' without the value "
            f"'{missing[0]}', allowed: all of "
            f"{', '.join(NEEDED[record.kind])}, or another kind"
        )


def _check_tuple(what: str, value: Any, types: int) -> None:
    if not isinstance(value, tuple) or len(value) != types:
        raise NotADecisionError(f"{what} is {found(value)}, allowed: a tuple of {types} numbers")
    for item in value:
        whole(item, f"a number in {what}", -(2**31))


def _check_names(values: Mapping[str, Any], view: ReservationView) -> None:
    try:
        for name, value in values.items():
            what = f"the value '{name}'"
            if name in WHOLE:
                whole(value, what, -(2**31))
            elif name in TYPES:
                whole(value, what, 0, view.types - 1)
            elif name in SERVERS:
                whole(value, what, 0, view.servers - 1)
            elif name == "i":
                whole(value, what, 1, view.ranks)
            elif name in TUPLES:
                _check_tuple(what, value, view.types)
    except NotADecisionError as error:
        raise BadValueError(f"{error}; what is meant otherwise needs another name") from None
