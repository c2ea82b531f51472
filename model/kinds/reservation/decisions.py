"""Is what a policy yields a decision at all: known records with fields of the right kind.

Whether a decision is possible in the present state is checked by
:class:`model.kinds.reservation.system.ReservationSystem`; here arbitrary values, of a
policy that anybody may have written, become exact integers and floats or a sentence.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import isnan
from types import GeneratorType, MappingProxyType
from typing import Any, Callable, Iterable

import numpy as np

from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.records import (
    Admit,
    Classify,
    Configuration,
    Line,
    Migrate,
    Preempt,
    Reassign,
    Record,
    Reject,
    Remember,
    UpdateAt,
)

#: Largest whole number in a decision: that of a 64-bit array.
LARGEST = 2**63 - 1
#: Most slots of one type on a server.
MOST_SLOTS = 2**31 - 1
#: Characters of a value shown in a sentence.
_SHOWN = 40


class NotADecisionError(ValueError):
    """What was yielded is no record, or a field of it has a value that makes no sense."""


def sound(record: Any, numbers: ReservationNumbers) -> Record:
    """*record* with exact integers and floats in its fields; the same object where it had.

    Raises
    ------
    NotADecisionError
        A sentence that names what was found and what is allowed.
    """
    check = _CHECKS.get(type(record))
    if check is None:
        raise NotADecisionError(_no_record(record))
    if type(record.values) not in (dict, MappingProxyType):
        raise NotADecisionError(f"the values of {_name(record)} are {found(record.values)}, allowed: a dictionary")
    usual = type(record).__dataclass_fields__["kind"].default
    kind: Any = record.kind
    if type(record) is not Record and not (type(kind) is str and kind == usual):
        raise NotADecisionError(
            f"{_name(record)} has the kind {found(record.kind)}, allowed: "
            f"none; what else is to be said goes into values"
        )
    changes = {name: value for name, value in check(record, numbers).items() if value is not getattr(record, name)}
    result: Record = replace(record, **changes) if changes else record
    return result


def found(value: Any) -> str:
    """A value as it may stand in a sentence, without asking an unknown object for its text."""
    kind = type(value)
    if value is None or kind is bool:
        return str(value)
    try:
        known = kind in (int, float, str, Fraction) or isinstance(value, np.generic)
        text = repr(value.item() if isinstance(value, np.generic) else value) if known else ""
    except ValueError:  # Python refuses to write integers of thousands of digits
        return "a number of thousands of digits"
    if kind in (tuple, list):
        return f"a {kind.__name__} of {len(value)}"
    if not known:
        return f"an object of the class {kind.__name__}"
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def whole(value: Any, what: str, lowest: int = 0, highest: int = LARGEST) -> int:
    """*value* as a Python integer.

    Raises
    ------
    NotADecisionError
        If it is none, or lies outside of the bounds.
    """
    if type(value) is int and lowest <= value <= highest:
        return value
    number = None
    if isinstance(value, int) and not isinstance(value, bool):
        number = int.__index__(value)  # an object's own code may do anything: it is not asked
    elif isinstance(value, np.integer):
        number = int(value)
    if number is None or not lowest <= number <= highest:
        bounds = f"of at least {lowest}" if highest == LARGEST else f"from {lowest} to {highest}"
        raise NotADecisionError(f"{what} is {found(value)}, allowed: a whole number {bounds}")
    return number


def real(value: Any, what: str) -> float:
    """*value* as a Python float, which may be infinite.

    Raises
    ------
    NotADecisionError
        If it is no number.
    """
    if type(value) is float and not isnan(value):
        return value
    known = type(value) in (int, float, Fraction) or isinstance(value, np.integer | np.floating)
    try:
        number = float(value) if known else float("nan")
    except (ValueError, OverflowError):
        number = float("nan")
    if isnan(number):
        raise NotADecisionError(f"{what} is {found(value)}, allowed: a number")
    return number


def _no_record(value: Any) -> str:
    allowed = ", ".join(kind.__name__ for kind in _CHECKS)
    if isinstance(value, GeneratorType):
        return "it yields a generator; write 'yield from' to yield what that one yields"
    if isinstance(value, type) and issubclass(value, Record):
        return f"it yields the class {value.__name__}; write {value.__name__}(...)"
    return f"it yields {found(value)}, allowed: {allowed}"


def _name(record: Record) -> str:
    return type(record).__name__


def _sequence(value: Any, what: str, length: int | None = None) -> list[Any]:
    items: list[Any] | None = None
    if type(value) is np.ndarray and value.ndim >= 1:
        items = list(value)
    elif isinstance(value, tuple):
        items = list(tuple.__iter__(value))
    elif type(value) is list:
        items = value
    if items is None or (length is not None and len(items) != length):
        many = "" if length is None else f" of {length}"
        raise NotADecisionError(f"{what} is {found(value)}, allowed: a tuple{many}")
    return items


def _configuration(value: Any, what: str, numbers: ReservationNumbers) -> Configuration:
    if type(value) is tuple and all(type(slots) is int for slots in value):
        same: Configuration = value
    else:
        items = _sequence(value, what)
        same = tuple(whole(item, f"a number of slots in {what}", 0, MOST_SLOTS) for item in items)
    if len(same) != numbers.types or not all(0 <= slots <= MOST_SLOTS for slots in same):
        raise NotADecisionError(
            f"{what} is {found(value)}, allowed: a tuple of {numbers.types} numbers of slots, one for each job type"
        )
    return same


def _line(record: Record) -> Line | None:
    line = record.line
    if line is None or type(line) is Line:
        return line
    items = _sequence(line, f"the line of {_name(record)}", 2)
    first, second = (whole(item, f"the line of {_name(record)}") for item in items)
    return Line(first, second)


def _plain(record: Record, _: ReservationNumbers) -> dict[str, Any]:
    kind: Any = record.kind
    if type(kind) is not str or not kind.strip():
        raise NotADecisionError(f"the kind of a Record is {found(kind)}, allowed: a text")
    return {"line": _line(record)}


def _server(record: Any, field: str, numbers: ReservationNumbers) -> int:
    what = f"{field} of {_name(record)}"
    return whole(getattr(record, field), what, 0, numbers.servers - 1)


def _admit(record: Admit, numbers: ReservationNumbers) -> dict[str, Any]:
    return {"line": _line(record), "server": _server(record, "server", numbers)}


def _reject(record: Reject, _: ReservationNumbers) -> dict[str, Any]:
    for name in ("empty_slots", "servers_with_room"):
        if name in record.values:
            whole(record.values[name], f"{name} of Reject", -1, MOST_SLOTS)
    return {"line": _line(record)}


def _migrate(record: Migrate, numbers: ReservationNumbers) -> dict[str, Any]:
    return {
        "line": _line(record),
        "job": whole(record.job, "job of Migrate"),
        "source": _server(record, "source", numbers),
        "target": _server(record, "target", numbers),
    }


def _preempt(record: Preempt, numbers: ReservationNumbers) -> dict[str, Any]:
    job = whole(record.job, "job of Preempt")
    return {"line": _line(record), "job": job, "server": _server(record, "server", numbers)}


def _reassign(record: Reassign, numbers: ReservationNumbers) -> dict[str, Any]:
    return {
        "line": _line(record),
        "server": _server(record, "server", numbers),
        "configuration": _configuration(record.configuration, "configuration of Reassign", numbers),
    }


def _classify(record: Classify, numbers: ReservationNumbers) -> dict[str, Any]:
    rows = _sequence(record.configurations, "configurations of Classify")
    if len(rows) > numbers.ranks:
        raise NotADecisionError(
            f"Classify names {len(rows)} configurations, allowed: at most {numbers.ranks}, one "
            "for each job type and further pool"
        )
    counts = _sequence(record.counts, "counts of Classify", len(rows))
    if not isinstance(record.extended, bool):
        raise NotADecisionError(f"extended of Classify is {found(record.extended)}, allowed: True or False")
    return {
        "line": _line(record),
        "configurations": _tuple(
            record.configurations, (_configuration(row, "a configuration of Classify", numbers) for row in rows)
        ),
        "counts": _tuple(record.counts, (whole(item, "a count of Classify", 0, MOST_SLOTS) for item in counts)),
        "i_star": whole(record.i_star, "i_star of Classify", 1, numbers.ranks),
    }


def _remember(record: Remember, _: ReservationNumbers) -> dict[str, Any]:
    numbers = _sequence(record.numbers, "numbers of Remember")
    return {
        "line": _line(record),
        "start": whole(record.start, "start of Remember"),
        "numbers": _tuple(record.numbers, (real(item, "a number of Remember") for item in numbers)),
    }


def _update_at(record: UpdateAt, _: ReservationNumbers) -> dict[str, Any]:
    return {"line": _line(record), "time": real(record.time, "time of UpdateAt")}


def _tuple(before: Any, items: Iterable[Any]) -> tuple[Any, ...]:
    """A tuple of *items*; *before* itself where it was made of these very objects."""
    made = tuple(items)
    same = type(before) is tuple and all(a is b for a, b in zip(before, made, strict=True))
    return before if same else made


_CHECKS: dict[type[Record], Callable[[Any, ReservationNumbers], dict[str, Any]]] = {
    Admit: _admit,
    Reject: _reject,
    Migrate: _migrate,
    Preempt: _preempt,
    Reassign: _reassign,
    Classify: _classify,
    Remember: _remember,
    UpdateAt: _update_at,
    Record: _plain,
}

#: The classes of all that may be yielded.
KINDS = frozenset(_CHECKS)
