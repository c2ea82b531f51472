"""Checks whether what a policy yields is a decision at all: a known record with fields of the right types.

Whether a decision is possible in the present state is checked by the kind's system.  Here arbitrary values
from user code become exact integers and floats, or an error message.

So do the arrays that a user kernel gets beside the state.
"""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from functools import cache
from math import isnan
from types import GeneratorType, MappingProxyType
from typing import Any, Callable, Iterable, Mapping, cast

import numpy as np

from slotscope.model.reporting.records import Line, Record, altered

#: Checks a value: (value, its description, the scenario's numbers or a view); returns it in exact form.
Check = Callable[[Any, str, Any], Any]
#: Checks the fields of a record: (record, numbers); returns the checked fields by name.
RecordCheck = Callable[[Any, Any], dict[str, Any]]

#: The largest integer in a decision: the maximum of a 64-bit integer.
LARGEST = 2**63 - 1
#: Most jobs or slots of one type on a server.
MOST_JOBS = 2**31 - 1
#: The most numbers that a policy can remember.
MOST_MEMORY = 1_000_000
#: The most characters of a value shown in a message.
_SHOWN = 40


class NotADecisionError(ValueError):
    """What was yielded is not a record, or one of its fields has an invalid value."""


def sound(record: Any, checks: Mapping[type[Record], RecordCheck], numbers: Any) -> Record:
    """*record* with exact integers and floats in its fields; the same object if they are exact already.

    Raises NotADecisionError: a sentence that names what was found and what is allowed.
    """
    check = checks.get(type(record))
    if check is None and type(record) is not Record:
        raise NotADecisionError(_no_record(record, checks))
    if type(record.values) not in (dict, MappingProxyType):
        name = type(record).__name__
        raise NotADecisionError(f"the values of {name} are {found(record.values)}, allowed: a dictionary")
    kind: Any = record.kind
    if check is None:
        if type(kind) is not str or not kind.strip():
            raise NotADecisionError(f"the kind of a Record is {found(kind)}, allowed: a text")
    elif not (type(kind) is str and kind == type(record).__dataclass_fields__["kind"].default):
        name, own = type(record).__name__, [each.name for each in dataclasses.fields(record)][3:]
        written = ", ".join(f"{each}=..." for each in own)
        raise NotADecisionError(f"found {name}({found(kind)}), allowed: {name}({written}), each field by its name")
    right = {} if record.line is None or type(record.line) is Line else {"line": _line(record)}
    if check is not None:
        right |= check(record, numbers)
    elif not right:
        return record  # type: ignore[no-any-return]
    changes = {field: value for field, value in right.items() if value is not getattr(record, field)}
    result: Record = altered(record, changes) if changes else record
    return result


def fields(**checks: Check) -> RecordCheck:
    """The check of a record that checks its fields one by one."""

    @cache
    def told(kind: Any) -> tuple[tuple[str, Check, str], ...]:
        return tuple((field, one, f"{field} of {kind.__name__}") for field, one in checks.items())

    def check(record: Any, numbers: Any) -> dict[str, Any]:
        return {field: one(getattr(record, field), what, numbers) for field, one, what in told(cast(Any, type(record)))}

    return check


def found(value: Any) -> str:
    """A value as text for a message, without calling the code of an unknown object."""
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
    """*value* as a Python integer. Raises NotADecisionError if it is not an integer or is out of bounds."""
    if type(value) is int and lowest <= value <= highest:
        return value
    number = None
    if isinstance(value, int) and not isinstance(value, bool):
        number = int.__index__(value)  # not int(value), which would call the object's own code
    elif isinstance(value, np.integer):
        number = int(value)
    if number is None or not lowest <= number <= highest:
        bounds = f"of at least {lowest}" if highest == LARGEST else f"from {lowest} to {highest}"
        raise NotADecisionError(f"{what} is {found(value)}, allowed: a whole number {bounds}")
    return number


def real(value: Any, what: str) -> float:
    """*value* as a Python float, which may be infinite. Raises NotADecisionError if it is not a number."""
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


def number(lowest: int = 0, highest: int = LARGEST) -> Check:
    """The check of an integer within bounds."""
    return lambda value, what, _: whole(value, what, lowest, highest)


def server(value: Any, what: str, numbers: Any) -> int:
    """Check the number of a server: an integer from 0 below ``numbers.servers``."""
    return whole(value, what, 0, numbers.servers - 1)


def number_or_infinity(value: Any, what: str, _: Any) -> float:
    """Check a number, which may be infinite."""
    return real(value, what)


def truth(value: Any, what: str, _: Any) -> bool:
    """Check a bool."""
    if not isinstance(value, bool):
        raise NotADecisionError(f"{what} is {found(value)}, allowed: True or False")
    return value


def of_class(*classes: type) -> Check:
    """The check of an instance of the given classes of the program, or None."""

    def check(value: Any, what: str, _: Any) -> Any:
        if value is not None and type(value) not in classes:
            names = " or ".join(kind.__name__ for kind in classes)
            raise NotADecisionError(f"{what} is {found(value)}, allowed: {names}")
        return value

    return check


def remembered(record: Any, _: Any) -> dict[str, Any]:
    """The check of a Remember record."""
    numbers = sequence(record.numbers, "numbers of Remember")
    return {
        "start": whole(record.start, "start of Remember"),
        "numbers": same_tuple(record.numbers, (real(item, "a number of Remember") for item in numbers)),
    }


def sequence(value: Any, what: str, length: int | None = None) -> list[Any]:
    """The members of a tuple, list or array. Raises NotADecisionError if it is none of these or has another length."""
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


def same_tuple(before: Any, items: Iterable[Any]) -> tuple[Any, ...]:
    """A tuple of *items*; *before* itself if it consists of the same objects."""
    made = tuple(items)
    same = type(before) is tuple and all(a is b for a, b in zip(before, made, strict=True))
    return before if same else made


def _line(record: Record) -> Line:
    what = f"the line of {type(record).__name__}"
    first, second = (whole(item, what) for item in sequence(record.line, what, 2))
    return Line(first, second)


def _no_record(value: Any, checks: Mapping[type[Record], RecordCheck]) -> str:
    allowed = ", ".join(kind.__name__ for kind in (*checks, Record))
    if isinstance(value, GeneratorType):
        return "it yields a generator; write 'yield from' to yield what that one yields"
    if isinstance(value, type) and issubclass(value, Record):
        return f"it yields the class {value.__name__}; write {value.__name__}(...)"
    return f"it yields {found(value)}, allowed: {allowed}"


class ImpossibleDecisionError(Exception):
    """A user kernel has made an impossible decision; raised in compiled code."""


def arrays(value: Any, what: str, _: Any) -> tuple[np.ndarray, ...] | np.ndarray:
    """An array of numbers or a tuple of such arrays, as read-only copies.

    Raises NotADecisionError if it is anything else.
    """
    if type(value) is tuple:
        return tuple(_array(item, what) for item in value)
    return _array(value, what)


def _array(value: Any, what: str) -> np.ndarray:
    if type(value) is not np.ndarray or value.dtype.kind not in "biuf":
        raise NotADecisionError(f"{what} is {found(value)}, allowed: a NumPy array of numbers, or a tuple of those")
    array = np.array(value, order="C")
    array.flags.writeable = False
    return array
