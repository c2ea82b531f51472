"""What happened, as data: sub-steps of a decision, actions, and one row for each event.

No record holds a sentence; :mod:`model.explain` makes sentences from records, and panels
make pictures.  Servers and job types are numbered from 0 here and from 1 in sentences.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Mapping, NamedTuple

import numpy as np

Configuration = tuple[int, ...]


class Line(NamedTuple):
    """A line of an algorithm in the paper, such as Algorithm 2, line 12."""

    algorithm: int
    number: int


@dataclass(frozen=True, slots=True)
class Record:
    """One sub-step: something a policy found, compared or decided.

    ``kind`` names it in snake case, ``line`` is the line of the algorithm, ``values`` the
    numbers that were compared, by the name of the paper's symbol spelled out.
    """

    kind: str
    line: Line | None = None
    values: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Admit(Record):
    """The arriving job goes into a slot of *server*."""

    kind: str = "admit"
    server: int = -1


@dataclass(frozen=True, slots=True)
class Reject(Record):
    """The arriving job is turned away."""

    kind: str = "reject"


@dataclass(frozen=True, slots=True)
class Migrate(Record):
    """A job of *source* moves into the empty slot on *target*."""

    kind: str = "migrate"
    job: int = -1
    source: int = -1
    target: int = -1


@dataclass(frozen=True, slots=True)
class Preempt(Record):
    """A job on *server* is thrown out before its service ends."""

    kind: str = "preempt"
    job: int = -1
    server: int = -1


@dataclass(frozen=True, slots=True)
class Reassign(Record):
    """The empty *server* gets *configuration* and index 1 in it."""

    kind: str = "reassign"
    server: int = -1
    configuration: Configuration = ()


@dataclass(frozen=True, slots=True)
class Classify(Record):
    """The outcome of CRA: k[i] with X-hat in order, and I*; ranks and groups follow."""

    kind: str = "classify"
    configurations: tuple[Configuration, ...] = ()
    counts: tuple[int, ...] = ()
    i_star: int = 0
    extended: bool = False  #: all servers of rank J + 1 are in the Reject Group


@dataclass(frozen=True, slots=True)
class Remember(Record):
    """The policy's memory from place *start* on becomes *numbers*."""

    kind: str = "remember"
    start: int = 0
    numbers: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class UpdateAt(Record):
    """The policy asks to be called again at *time*."""

    kind: str = "update_at"
    time: float = float("inf")


# Kinds of events.
ARRIVAL, DEPARTURE, UPDATE = 1, 2, 3

# Flags of an event: what happened in it.
FLAG_ADMITTED = 1
FLAG_REJECTED = 2
FLAG_DEPARTED = 4
FLAG_MIGRATED = 8
FLAG_REASSIGNED = 16
FLAG_I_STAR = 32  # I* changed
FLAG_GREEDY = 64  # GPA's configurations or counts changed
FLAG_PREEMPTED = 128

#: Names of the kinds of event that a run can be asked to stop at.
EVENT_KINDS: Mapping[str, int] = MappingProxyType({
    "rejection": FLAG_REJECTED,
    "admission": FLAG_ADMITTED,
    "departure": FLAG_DEPARTED,
    "migration": FLAG_MIGRATED,
    "reassignment": FLAG_REASSIGNED,
    "change of I*": FLAG_I_STAR,
    "change of GPA": FLAG_GREEDY,
    "preemption": FLAG_PREEMPTED,
})  # fmt: skip

#: One row for each event; -1 where a field does not apply or was not computed.
EVENT_ROW = np.dtype([
    ("event", np.int64),
    ("time", np.float64),
    ("job", np.int64),
    ("moved", np.int64),  # the job that migrated
    ("trail", np.uint64),
    ("server", np.int32),
    ("source", np.int32),  # where the migrated job came from
    ("reassigned", np.int32),  # how many servers were reassigned
    ("first_reassigned", np.int32),
    ("empty_slots", np.int32),  # of the type, all on Reject Group servers (at a rejection)
    ("servers_with_room", np.int32),  # servers whose free resources would hold the job
    ("preempted", np.int32),  # how many jobs were preempted; ``moved`` is the first of them
    ("i_star", np.int16),
    ("type", np.int16),
    ("flags", np.uint16),
    ("kind", np.uint8),
])  # fmt: skip


class Event(NamedTuple):
    """What happens next: an arrival, a departure or a policy's update."""

    kind: int
    time: float
    type: int = -1
    job: int = -1
    server: int = -1
    service: float = np.inf
    priority: int = 0
