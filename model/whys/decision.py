"""What a room tells of a decision: the questions it answers, its candidates, and what could be changed.

And what policies of users say of their own decisions, which no paper explains.

What changes of a state just before an event are made of is the same for several kinds.
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

    ``place`` is the number of sub-steps taken before it: the state just then is what it was made in.
    ``on`` are the servers that the job is on after the event, none where it was turned away or waits.
    """

    job: int  #: negative: it is about none, such as a request for jobs; the number then says which
    place: int
    on: tuple[int, ...]
    question: str  #: "Why is job 812 on server 7?"
    outcome: str  #: "job 812 is admitted to server 7"
    choice: int = -1  #: what is chosen among the candidates of the last table, where that is asked about


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
    """What a thing other than a job or a numbered server stands for: a job, or what has been *made* in a state."""

    job: int = -1
    made: Callable[[Any], bool] | None = None


class Change(NamedTuple):
    """Something small that could have been otherwise just before an event.

    ``make`` is given a copy of the state before the event, changes it, and returns the system that goes on.
    """

    size: int  #: how much is changed: slots, departures, units of a parameter
    words: str
    make: Callable[[Any], Any]


class Whys(Protocol):
    """What a kind of system knows of its decisions."""

    #: what must hold of a state that was changed; it may well be none that the policy would come to
    monitors: Sequence[Monitor]

    def subject(self, system: Any, happened: Happened, job: int) -> Subject | None:
        """The decision about a job in an event (-1: the job that the event is about); None: there is none."""

    def about(self, record: Record) -> int | None:
        """The job whose decision a sub-step can be, or what stands in place of one; None: it decides of none."""
        return getattr(record, "job", None)

    def told(self, system: Any, happened: Happened) -> Subject | None:
        """The decision that the sentence of the whole event tells the reason of; None: there is none.

        As a rule that about the job that arrives.
        """
        return self.subject(system, happened, -1) if happened.event.kind == ARRIVAL else None

    def missed(self, setting: Setting) -> Subject | None:
        """What the decision comes to where a change keeps its event from coming; None: nothing is known then."""
        return None

    def candidates(self, setting: Setting) -> tuple[Candidates, ...]:
        """The tables; the first one is about servers."""

    def outlined(self, setting: Setting) -> NDArray[np.bool_]:
        """[servers] where the job is put nowhere, those that could hold it, whatever the policy asks of them.

        And those that the sentence of the event speaks of.
        """

    def changes(self, setting: Setting, before: Any) -> Iterable[Change]:
        """What could be changed in the state *before* the event, in any order."""

    def decided(self, state: Any, job: int, initial_jobs: int) -> bool:
        """Whether a job's decision has been made: as a rule, once it has arrived."""
        return job < initial_jobs + int(state.number[NEXT_ARRIVAL])

    def server_now(self, state: Any, job: int) -> int:
        """The server to which a job may have moved since it was decided; -1: jobs stay where they are put."""
        return -1

    def meant(self, state: Any, thing: Thing) -> Meant:
        """Whose decision a thing is asked about; as a rule the last one.

        Raises UserError if it stands for nothing in this state.
        """
        return Meant()


#: Where it is asked for, of what the system asks of a decision whoever makes it.
SYSTEM = "the system"


def asked_by(setting: Setting, place: str) -> str:
    """Where a condition of the system comes from: the paper's *place*, under policies that follow it."""
    return SYSTEM if setting.system.policy.may_fail else place


def last_said(setting: Setting) -> tuple[str, dict[str, Any]] | None:
    """The last sub-step of the policy's own about the job before its decision, without the job's number."""
    last = _last(setting)
    return None if last is None else (last.kind, {name: value for name, value in last.values.items() if name != "job"})


def _last(setting: Setting) -> Record | None:
    job = setting.subject.job
    said = [one for one in setting.records if type(one) is Record and one.line and one.values.get("job", job) == job]
    return said[-1] if said else None


def own_choice(setting: Setting, numbers: Callable[[int], str] | None = None) -> Preference:
    """The choice of a policy's file, with what it said last and with it; *numbers* are of the one that was chosen."""
    policy, decision = setting.system.policy, setting.decision
    values = decision.values if decision is not None else {}
    with_it = {name: values[name] for name in said_by(policy) if name in values}
    said = [
        told(*each) for each in (last_said(setting), (decision.kind, with_it) if with_it and decision else None) if each
    ]
    words = f"it says “{'; '.join(said)}”" if said else "it says nothing of why"
    last = _last(setting)
    if last is not None and decision is None and setting.subject.job >= 0 and "job" not in last.values:
        words = f"what it said last names no job: “{'; '.join(said)}”"  # it may be of another one
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
    """The *system*, after what is due of a job record comes at another *time*.

    *field* of the state has it, and ``number[count]`` the size of the heap.
    """
    due, size = getattr(state, field), int(state.number[count])
    position = int(np.flatnonzero(state.heap_record[:size] == record)[0])
    heap.remove(state.heap_time, state.heap_record, size, position, state.job_number)
    due[record] = time
    heap.push(state.heap_time, state.heap_record, size - 1, time, record, state.job_number)
    return system


def soonest(due: np.ndarray, server: np.ndarray, asked: int, most: int) -> np.ndarray:
    """Records in order of what is *due* of them: at most so many, and as many on the server asked about (-1: none)."""
    order = np.argsort(due, kind="stable")
    order = order[np.isfinite(due[order])]
    there = order[server[order] == asked][:most] if asked >= 0 else order[:0]
    return np.asarray(np.r_[there, order[:most][server[order[:most]] != asked]] if asked >= 0 else order[:most])
