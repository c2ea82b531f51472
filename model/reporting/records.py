"""What happens, as data: sub-steps of a decision, actions, and the next event.

Records contain no sentences; :mod:`model.reporting.explain` makes sentences from records, and panels
make pictures.  Servers and job types are numbered from 0 here and from 1 in sentences.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Mapping, NamedTuple, TypeVar, dataclass_transform

import numpy as np

Configuration = tuple[int, ...]

_Made = TypeVar("_Made")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def written_once(kind: type[_Made]) -> type[_Made]:
    """A dataclass whose instances are not modified once made; only the type checker enforces this.

    An event makes a dozen of them, and enforcement at run time would make each five times as slow to make.
    """
    return dataclass(slots=True, unsafe_hash=True)(kind)


class Line(NamedTuple):
    """A line of an algorithm in the paper, such as Algorithm 2, line 12."""

    algorithm: int
    number: int


@written_once
class Record:
    """One sub-step: something that a policy found, compared or decided.

    ``kind`` names it in snake case, ``line`` is the line of the algorithm, ``values`` are the numbers
    compared, by the spelled-out name of the paper's symbol.
    """

    kind: str
    line: Line | None = None
    values: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


_AnyRecord = TypeVar("_AnyRecord", bound=Record)


def altered(record: _AnyRecord, changes: Mapping[str, Any]) -> _AnyRecord:
    """As ``dataclasses.replace``, which is two to four times as slow."""
    kind = type(record)
    fields = kind.__match_args__
    return kind(*[changes[name] if name in changes else getattr(record, name) for name in fields])


@written_once
class Admit(Record):
    """The arriving job goes into a slot of *server*."""

    kind: str = "admit"
    server: int = -1


@written_once
class Reject(Record):
    """The arriving job is rejected."""

    kind: str = "reject"


@written_once
class Allocate(Record):
    """The arriving job runs on so many *servers*."""

    kind: str = "allocate"
    servers: int = 0


@written_once
class Migrate(Record):
    """A job of *source* moves into the empty slot on *target*."""

    kind: str = "migrate"
    job: int = -1
    source: int = -1
    target: int = -1


@written_once
class Preempt(Record):
    """A job on *server* is preempted before its service ends."""

    kind: str = "preempt"
    job: int = -1
    server: int = -1


@written_once
class Reassign(Record):
    """The empty *server* is assigned to *configuration*, with index 1 in it."""

    kind: str = "reassign"
    server: int = -1
    configuration: Configuration = ()


@written_once
class Classify(Record):
    """The outcome of CRA: k[i] with X-hat in order, and I*; ranks and groups follow from these."""

    kind: str = "classify"
    configurations: tuple[Configuration, ...] = ()
    counts: tuple[int, ...] = ()
    i_star: int = 0
    extended: bool = False  #: whether the Reject Group is all servers of rank J + 1


@written_once
class Remember(Record):
    """The policy's memory from index *start* on becomes *numbers*."""

    kind: str = "remember"
    start: int = 0
    numbers: tuple[float, ...] = ()


@written_once
class UpdateAt(Record):
    """The policy requests to be called again at *time*."""

    kind: str = "update_at"
    time: float = float("inf")


@written_once
class Place(Record):
    """A waiting *job* goes into service on *server*."""

    kind: str = "place"
    job: int = -1
    server: int = -1


@written_once
class Renew(Record):
    """The active configuration of *server* becomes the one with number *configuration*."""

    kind: str = "renew"
    server: int = -1
    configuration: int = -1


@written_once
class Stall(Record):
    """*server* takes no job until it is empty; with *stalled* False, it takes jobs again."""

    kind: str = "stall"
    server: int = -1
    stalled: bool = True


@written_once
class Evict(Record):
    """A *job* in service on *server* goes back to its queue."""

    kind: str = "evict"
    job: int = -1
    server: int = -1


@written_once
class Match(Record):
    """An arriving *job* takes the token at *position* of its type in *pool* (0: the oldest)."""

    kind: str = "match"
    job: int = -1
    pool: int = 0
    position: int = -1


@written_once
class Overflow(Record):
    """An arriving *job* goes to an idle backup server of *pool*."""

    kind: str = "overflow"
    job: int = -1
    pool: int = 0


@written_once
class Request(Record):
    """*server* requests *jobs* of each type at once, with a token for each."""

    kind: str = "request"
    server: int = -1
    jobs: tuple[int, ...] = ()


@written_once
class VirtualArrival(Record):
    """A virtual job takes the token at *position* of *type* in *pool* (0: the oldest)."""

    kind: str = "virtual_arrival"
    pool: int = 0
    type: int = -1
    position: int = -1


@written_once
class SetTimer(Record):
    """The timer of *server* runs at *rate* from now on; a rate of 0 cancels it."""

    kind: str = "set_timer"
    server: int = -1
    rate: float = 0.0


# Kinds of events.
ARRIVAL, DEPARTURE, UPDATE, SLOT, MOVE, TICK = range(1, 7)


class Event(NamedTuple):
    """The next event: an arrival, a departure, a policy's update, a time slot, the move of a job to its
    next phase, or the tick of a server's timer."""

    kind: int
    time: float
    type: int = -1
    job: int = -1
    server: int = -1
    service: float = np.inf
    priority: int = 0
    record: int = -1  #: the job's record, where the kind of system looks it up by that
