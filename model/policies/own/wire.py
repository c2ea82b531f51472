"""The messages between the program and the policy process, sent through pipes."""

from __future__ import annotations

import pickle
from dataclasses import fields
from functools import cache
from operator import attrgetter
from typing import Any, BinaryIO, Callable, Mapping, NamedTuple, cast

import numpy as np

from slotscope.model import errors
from slotscope.model.errors import UserError
from slotscope.model.policies.own.mirror import Changes
from slotscope.model.reporting import records
from slotscope.model.reporting.records import Record
from slotscope.model.running.engine import Reason
from slotscope.model.scenario.validation import Problem, ValidationFaultError

#: Bytes of a message's length field.
_LENGTH = 8

#: The number of job blocks that the other side keeps: that of the next arrival, and one more.
BLOCKS = 2

#: Placeholders in a view for the state and for the scenario's numbers.
STATE, NUMBERS = "the state", "the numbers"


def put(stream: BinaryIO, message: Any) -> None:
    """Write a message."""
    body = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    stream.write(len(body).to_bytes(_LENGTH, "little"))
    stream.write(body)
    stream.flush()


def take(stream: BinaryIO) -> Any:
    """Read a message. Raises EOFError if the other side is gone."""
    head = stream.read(_LENGTH)
    body = stream.read(int.from_bytes(head, "little"))
    if len(head) < _LENGTH or len(body) < int.from_bytes(head, "little"):
        raise EOFError
    return pickle.loads(body)


class Query(NamedTuple):
    """A request of the program."""

    #: verb, arguments: a method of :class:`.serving.Policies`, and its arguments
    verb: str
    arguments: tuple[Any, ...]
    #: limits, path: the limits in force and ``sys.path``; None for each that has not changed
    limits: Any
    path: tuple[str, ...] | None
    #: policies that are not needed any more, and abandoned events, as (policy, event)
    dropped: tuple[tuple[int, int | None], ...]
    asked: bool  #: whether the user asked to stop what runs (Esc)


class Answer(NamedTuple):
    """The answer of the policy process."""

    value: Any = None  #: the result
    fault: Any = None  #: the error instead, as made by :func:`told`
    #: whether the process must be replaced, since an import was stopped and has left a module half initialized
    spoilt: bool = False
    broken: str = ""  #: the traceback of an error in the program itself; otherwise empty


class Batch(NamedTuple):
    """The records that a policy has yielded up to its next decision, as made by :func:`packed`, and its position then.

    ``line`` is the line in its file; ``over``: whether the event is over; ``fault``: the error after the records.
    """

    records: list[tuple[Any, ...]]
    line: int
    over: bool
    fault: Any = None


class SystemParts(NamedTuple):
    """The parts of a system besides policy, numbers and workload; see :class:`model.systems.base.PolicySystem`."""

    scenario: Any
    initial_jobs: int
    names: Mapping[str, str]  #: of jobs, by their numbers


class NearAdvance(NamedTuple):
    """The result of a request to run events; see :class:`model.running.engine.Advance`."""

    rows: int
    samples: np.ndarray
    reason: Reason
    changes: Changes
    fault: Any  #: as made by :func:`.wire.told`


@cache
def _fields_of(kind: Any) -> Callable[[Any], tuple[Any, ...]]:
    return attrgetter(*(field.name for field in fields(kind)))


def packed(record: Record) -> tuple[Any, ...]:
    """A record as plain data."""
    return (type(record).__name__, *_fields_of(cast(Any, type(record)))(record))


def unpacked(data: tuple[Any, ...]) -> Record:
    """The record made from such data."""
    made: Record = getattr(records, data[0])(*data[1:])
    return made


def told(error: UserError) -> tuple[Any, ...]:
    """A user error as plain data."""
    problems = tuple(map(tuple, error.problems)) if isinstance(error, ValidationFaultError) else ()
    return type(error).__name__, error.message, error.where, problems


def error_of(data: tuple[Any, ...]) -> UserError:
    """The error made from such data."""
    name, message, where, problems = data
    if problems:
        return ValidationFaultError(tuple(Problem(*problem) for problem in problems))
    made: UserError = getattr(errors, name)(message, where=where)
    return made


class ViewPart(NamedTuple):
    """An object within a view: its class, and those of its attributes that have changed since the last time."""

    cls: type
    changed: Mapping[str, Any]


#: Immutable types.
_FIXED = frozenset({int, float, bool, str, type(None)})


def is_fixed(value: Any) -> bool:
    """Whether *value* is known to be immutable throughout, so that it needs no copy."""
    return type(value) in _FIXED or (isinstance(value, tuple) and all(map(is_fixed, value)))


def copied_apart(value: Any) -> Any:
    """A copy of *value*, as pickled and sent through a pipe."""
    return pickle.loads(pickle.dumps(value, pickle.HIGHEST_PROTOCOL))


def told_of(view: Any, known: dict[str, Any]) -> ViewPart:
    """The changed parts of a view to send; the other side has its own state and numbers."""
    return taken_apart(view, {id(view._state): STATE, id(view.numbers): NUMBERS}, known)


def taken_apart(thing: Any, stand_ins: Mapping[int, str], known: dict[str, Any]) -> ViewPart:
    """The changed parts of an object within a view to send.

    *stand_ins* replaces, by id, objects of which the other side has its own; *known* is what was sent before.
    """
    changed: dict[str, Any] = {}
    for name, value in vars(thing).items():
        if id(value) in stand_ins:
            changed[name] = stand_ins[id(value)]
        elif known.get(name, changed) is value:
            continue
        elif hasattr(value, "_state"):  # a part of the view with its own reference to the state
            changed[name] = taken_apart(value, stand_ins, known.setdefault(f"within {name}", {}))
        else:
            changed[name] = known[name] = value
    return ViewPart(type(thing), changed)


def put_together(part: ViewPart, stand_ins: Mapping[str, Any], known: dict[str, Any]) -> Any:
    """The object made from such parts, with this side's own objects in place of *stand_ins*."""
    made: Any = object.__new__(part.cls)
    own = {}
    for name, value in part.changed.items():
        if isinstance(value, ViewPart):
            own[name] = put_together(value, stand_ins, known.setdefault(f"within {name}", {}))
        elif type(value) is str and value in stand_ins:
            own[name] = stand_ins[value]
        else:
            known[name] = value
    vars(made).update({name: value for name, value in known.items() if not name.startswith("within ")}, **own)
    return made
