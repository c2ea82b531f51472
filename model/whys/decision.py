"""What a room declares about decisions: the questions that it answers, their candidates, and possible changes.

Also: what users' policies say about their own decisions, which no paper explains; and building blocks, shared by
several kinds, of changes to a state just before an event.
"""

from __future__ import annotations

from copy import copy
from pathlib import Path
from typing import Any, Callable, Iterable, NamedTuple, Protocol, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.measures.monitors import Monitor
from slotscope.model.questions.words import said_by
from slotscope.model.reporting.explain import told
from slotscope.model.reporting.inspection import Thing
from slotscope.model.reporting.records import ARRIVAL, Event, Record
from slotscope.model.systems import heap
from slotscope.model.systems.base import NEXT_ARRIVAL
from slotscope.model.whys.tables import Candidates, Preference


class Happened(NamedTuple):
    """An event that was replayed: its sub-steps, and the state after it."""

    event: Event
    records: Sequence[Record]
    state: Any


class Subject(NamedTuple):
    """The decision that is asked about.

    ``place`` is the number of sub-steps before it: it was made in the state after these.
    ``on`` are the servers that the job is on after the event, empty if it was turned away or waits.
    """

    job: int  #: negative: it is about no job but, say, a request for jobs, which the number then identifies
    place: int
    on: tuple[int, ...]
    question: str  #: "Why is job 812 on server 7?"
    outcome: str  #: "job 812 is admitted to server 7"
    choice: int = -1  #: the candidate chosen from the last table, if that is asked about


class Setting(NamedTuple):
    """The exact state in which a decision was made."""

    system: Any
    state: Any
    event: Event
    records: Sequence[Record]  #: those before it
    subject: Subject
    decision: Record | None  #: None: the job waits once the event is over
    server: int = -1  #: the server asked about, -1: none


class Meant(NamedTuple):
    """What a thing other than a job or a numbered server stands for: a job, or what exists once *made* is true."""

    job: int = -1
    made: Callable[[Any], bool] | None = None


class Change(NamedTuple):
    """A small change to the state just before an event.

    ``make`` is given a copy of the state before the event, changes it, and returns the system that goes on.
    """

    size: int  #: how much is changed: slots, departures, units of a parameter
    words: str
    make: Callable[[Any], Any]


class Whys(Protocol):
    """What a kind of system declares about its decisions."""

    #: the invariants that a changed state must satisfy; the policy itself need not be able to reach it
    monitors: Sequence[Monitor]

    def subject(self, system: Any, happened: Happened, job: int) -> Subject | None:
        """The decision about a job in an event (-1: the job that the event is about); None if there is none."""

    def about(self, record: Record) -> int | None:
        """The job that a sub-step may decide about, or what stands for one; None: it decides nothing."""
        return getattr(record, "job", None)

    def told(self, system: Any, happened: Happened) -> Subject | None:
        """The decision that the event's sentence explains; None if there is none.

        By default the one about the job that arrives.
        """
        return self.subject(system, happened, -1) if happened.event.kind == ARRIVAL else None

    def missed(self, setting: Setting) -> Subject | None:
        """The outcome if a change prevents the event of the decision; None: unknown."""
        return None

    def candidates(self, setting: Setting) -> tuple[Candidates, ...]:
        """The tables; the first one is about servers."""

    def outlined(self, setting: Setting) -> NDArray[np.bool_]:
        """[servers] for a job that is put nowhere: whether a server has room for it, whatever the policy's conditions.

        Servers that the event's sentence mentions count, too.
        """

    def changes(self, setting: Setting, before: Any) -> Iterable[Change]:
        """The possible changes of the state *before* the event, in any order."""

    def decided(self, state: Any, job: int, initial_jobs: int) -> bool:
        """Whether a job's decision has been made: by default, once it has arrived."""
        return job < initial_jobs + int(state.number[NEXT_ARRIVAL])

    def server_now(self, state: Any, job: int) -> int:
        """The server to which a job may have moved since it was decided; -1: jobs stay where they are put."""
        return -1

    def meant(self, state: Any, thing: Thing) -> Meant:
        """What a thing that is asked about stands for; by default nothing, which means the last decision.

        Raises UserError if it stands for nothing in this state.
        """
        return Meant()


#: The source of a condition that the system imposes on decisions, whoever makes them.
SYSTEM = "the system"


def asked_by(setting: Setting, place: str) -> str:
    """The source of a condition that the system imposes: the paper's *place*, or "the system" under a user's policy."""
    return SYSTEM if setting.system.policy.may_fail else place


def last_said(setting: Setting) -> tuple[str, dict[str, Any]] | None:
    """The last thing that the policy said about the job before its decision: kind and values, without the job."""
    last = _last(setting)
    return None if last is None else (last.kind, {name: value for name, value in last.values.items() if name != "job"})


def _last(setting: Setting) -> Record | None:
    job = setting.subject.job
    said = [one for one in setting.records if type(one) is Record and one.line and one.values.get("job", job) == job]
    return said[-1] if said else None


def own_choice(setting: Setting, numbers: Callable[[int], str] | None = None) -> Preference:
    """A user's policy's preference, in what it said before and with its choice; *numbers* describes a candidate."""
    policy, decision = setting.system.policy, setting.decision
    values = decision.values if decision is not None else {}
    with_it = {name: values[name] for name in said_by(policy) if name in values}
    said = [
        told(*each) for each in (last_said(setting), (decision.kind, with_it) if with_it and decision else None) if each
    ]
    words = f"it says “{'; '.join(said)}”" if said else "it says nothing of why"
    last = _last(setting)
    if last is not None and decision is None and setting.subject.job >= 0 and "job" not in last.values:
        words = f"what it said last names no job: “{'; '.join(said)}”"  # it may be about another job
    return Preference(
        "the one that the policy's file chose",
        Path(policy.name).name,
        lambda one: f"{numbers(one)}; {words}" if numbers else words,
        declined=words,
    )


def with_policy(system: Any, **attributes: Any) -> Any:
    """The same system under a copy of its policy with other attributes."""
    policy = copy(system.policy)
    for name, value in attributes.items():
        setattr(policy, name, value)
    other = copy(system)
    other.policy = policy
    return other


def rescheduled(system: Any, field: str, count: int, record: int, time: float, state: Any) -> Any:
    """Move the due time of a job's record to *time*, in *field* of the state and in the heap; returns the *system*.

    ``number[count]`` is the size of the heap.
    """
    due, size = getattr(state, field), int(state.number[count])
    position = int(np.flatnonzero(state.heap_record[:size] == record)[0])
    heap.remove(state.heap_time, state.heap_record, size, position, state.job_number)
    due[record] = time
    heap.push(state.heap_time, state.heap_record, size - 1, time, record, state.job_number)
    return system


def soonest(due: np.ndarray, server: np.ndarray, asked: int, most: int) -> np.ndarray:
    """The *most* records with the soonest finite *due*; first up to *most* of the server *asked* about (-1: none)."""
    order = np.argsort(due, kind="stable")
    order = order[np.isfinite(due[order])]
    there = order[server[order] == asked][:most] if asked >= 0 else order[:0]
    return np.asarray(np.r_[there, order[:most][server[order[:most]] != asked]] if asked >= 0 else order[:most])
