"""What goes through the pipes between the program and the process of policies of one's own."""

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

#: Bytes that tell how long a message is.
_LENGTH = 8

#: Blocks of jobs that the other side keeps: the next arrival's, and one more.
BLOCKS = 2

#: Stands where a view holds the state, or the scenario's numbers.
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
    """What the program asks."""

    #: verb, arguments: A function of :mod:`.serving`, and what it is given
    verb: str
    arguments: tuple[Any, ...]
    #: limits, path: those that hold from now on, where they have changed; so for where modules are found
    limits: Any
    path: tuple[str, ...] | None
    #: policies that are not needed any more, and events that were left halfway, as (policy, event)
    dropped: tuple[tuple[int, int | None], ...]
    asked: bool  #: whether somebody wants to stop what runs (Esc)


class Answer(NamedTuple):
    """What the policies' process answers."""

    value: Any = None  #: what was asked for
    fault: Any = None  #: what is wrong instead, as :func:`told` makes it
    #: whether the process is of no use any more: what a file was importing when it was stopped is there by half
    spoilt: bool = False
    broken: str = ""  #: the traceback of a fault of the program's own; else empty


class Batch(NamedTuple):
    """What a policy has yielded up to its next decision, as :func:`packed` makes it; how it stands then.

    ``line`` is that of the file; ``over``: the event is; ``fault``: what is wrong after the records.
    """

    records: list[tuple[Any, ...]]
    line: int
    over: bool
    fault: Any = None


class SystemParts(NamedTuple):
    """What a system is made of beside policy, numbers and workload; see :class:`model.systems.base.PolicySystem`."""

    scenario: Any
    initial_jobs: int
    names: Mapping[str, str]  #: of jobs, by their numbers


class NearAdvance(NamedTuple):
    """What came of a request to run events; see :class:`model.running.engine.Advance`."""

    rows: int
    samples: np.ndarray
    reason: Reason
    changes: Changes
    fault: Any  #: as :func:`.wire.told` makes it


@cache
def _fields_of(kind: Any) -> Callable[[Any], tuple[Any, ...]]:
    return attrgetter(*(field.name for field in fields(kind)))


def packed(record: Record) -> tuple[Any, ...]:
    """A record as plain data."""
    return (type(record).__name__, *_fields_of(cast(Any, type(record)))(record))


def unpacked(data: tuple[Any, ...]) -> Record:
    """The record again."""
    made: Record = getattr(records, data[0])(*data[1:])
    return made


def told(error: UserError) -> tuple[Any, ...]:
    """An error in the user's words as plain data."""
    problems = tuple(map(tuple, error.problems)) if isinstance(error, ValidationFaultError) else ()
    return type(error).__name__, error.message, error.where, problems


def error_of(data: tuple[Any, ...]) -> UserError:
    """The error again."""
    name, message, where, problems = data
    if problems:
        return ValidationFaultError(tuple(Problem(*problem) for problem in problems))
    made: UserError = getattr(errors, name)(message, where=where)
    return made


class ViewPart(NamedTuple):
    """An object that a view holds: its class, and those of its attributes that are others than the last time."""

    cls: type
    changed: Mapping[str, Any]


#: Types of values that cannot change.
_FIXED = frozenset({int, float, bool, str, type(None)})


def is_fixed(value: Any) -> bool:
    """Whether nothing in *value* can change, so that it needs no copy; no for what is not known."""
    return type(value) in _FIXED or (isinstance(value, tuple) and all(map(is_fixed, value)))


def copied_apart(value: Any) -> Any:
    """*value* as it comes through the pipes."""
    return pickle.loads(pickle.dumps(value, pickle.HIGHEST_PROTOCOL))


def told_of(view: Any, known: dict[str, Any]) -> ViewPart:
    """What the other side must be told of a view, of whose state and numbers it has its own."""
    return taken_apart(view, {id(view._state): STATE, id(view.numbers): NUMBERS}, known)


def taken_apart(thing: Any, stand_ins: Mapping[int, str], known: dict[str, Any]) -> ViewPart:
    """What the other side must be told of a view that looks at a state.

    *stand_ins* has by their ids the objects that the other side has its own of; *known* what it was told before.
    """
    changed: dict[str, Any] = {}
    for name, value in vars(thing).items():
        if id(value) in stand_ins:
            changed[name] = stand_ins[id(value)]
        elif known.get(name, changed) is value:
            continue
        elif hasattr(value, "_state"):  # it looks at the state, too
            changed[name] = taken_apart(value, stand_ins, known.setdefault(f"within {name}", {}))
        else:
            changed[name] = known[name] = value
    return ViewPart(type(thing), changed)


def put_together(part: ViewPart, stand_ins: Mapping[str, Any], known: dict[str, Any]) -> Any:
    """The object again, with the other side's own in the places of *stand_ins*."""
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
