"""The things of a system that can be inspected: what is known of a thing now, and what happened to it.

Each kind of system has an :class:`Inspector`; the code that shows things depends on no kind of system, and infers
no reasons.
"""

from __future__ import annotations

from typing import Any, Iterator, Mapping, NamedTuple, Protocol, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.reporting.explain import THIN_SPACE, decimals_for, grouped, shown_time, units
from slotscope.model.reporting.records import Event, Record

#: The index in every state's ``number`` of the number of arrivals taken from the workload.
NEXT_ARRIVAL = 1

#: The kinds of thing that several kinds of system have.
SERVER, JOB = "server", "job"


class Thing(NamedTuple):
    """A server, a job, a token, ...: its kind and its number, from 0.

    *pool* distinguishes things that are numbered separately in each pool.
    """

    what: str
    number: int
    pool: int = 0


class Fact(NamedTuple):
    """A known fact: a label, a value, and the value's unit if it has one."""

    label: str
    value: str
    unit: str = ""
    thing: Thing | None = None  #: the thing that the value names
    meaning: str = ""  #: the field of the theme that holds its colour: "reject_group", "rejection", ...


class FactSection(NamedTuple):
    """A group of facts; the first section of a thing has no title."""

    title: str
    facts: tuple[Fact, ...]


class TableLine(NamedTuple):
    """A line of a table, with a cell for each column."""

    cells: tuple[str, ...]
    thing: Thing | None = None  #: the thing that the line describes
    type: int = -1  #: the type whose mark precedes the line, -1: none
    letter: str = ""  #: the letter on that mark, if it is not the type's


class Table(NamedTuple):
    """A table of things that belong to a thing, such as the jobs on a server."""

    name: str
    columns: tuple[str, ...]
    lines: tuple[TableLine, ...]


class HistoryCurve(NamedTuple):
    """[n] values at [n] times; each value holds until the next time."""

    label: str
    times: NDArray[np.float64]
    values: NDArray[np.float64]


class Description(NamedTuple):
    """All that is known of a thing now; ``absent`` says why, if nothing is known."""

    title: str
    sections: tuple[FactSection, ...] = ()
    table: Table | None = None
    curve: HistoryCurve | None = None
    absent: str = ""


class Told(NamedTuple):
    """One line of a thing's history."""

    event: int
    time: float
    flags: int  #: what happened to the thing, as row flags
    sentence: str


class Found(NamedTuple):
    """The history of a thing as far as it was searched: the events *first* to *last*."""

    entries: tuple[Told, ...]  #: in order of time
    first: int
    last: int
    searching: bool
    complete: bool  #: whether the whole history was searched
    fault: str = ""  #: why the search cannot go on


class InspectedMoment(Protocol):
    """A moment of a run: a frame of :mod:`model.reporting.frame`."""

    @property
    def info(self) -> Any:
        """The run: ``numbers``, ``facts``, ``narrator``, ``time_unit``, ``scenario``, ..."""

    @property
    def state(self) -> Any:
        """The state of the kind of system."""

    @property
    def event(self) -> int:
        """The number of events so far."""

    @property
    def time(self) -> float:
        """The time now."""

    @property
    def derived(self) -> Any:
        """What the kind of system derives from the state."""

    @property
    def samples(self) -> NDArray[np.float64]:
        """[n, width] samples of all history."""


class Passed(NamedTuple):
    """An event that has just happened."""

    before: Any  #: the result of :meth:`Inspector.looks` before it
    state: Any  #: the state after it
    event: Event
    rows: NDArray[Any]  #: [1] its row
    records: Sequence[Record]


class Inspector(Protocol):
    """What a kind of system provides for inspecting its things."""

    #: The kinds of thing that can be looked at.
    things: tuple[str, ...]

    def describe(self, moment: InspectedMoment, thing: Thing) -> Description:
        """The description of a thing at a moment."""

    def may_concern(self, rows: NDArray[Any], thing: Thing, before: Any) -> NDArray[np.bool_]:
        """[n] in which of the events, judged by their rows, something may have happened to a thing.

        A row names only the first job or server of its event, so events with more of them are included.  *before*
        is the result of :meth:`looks` before the first event.
        """

    def looks(self, state: Any, thing: Thing) -> Any:
        """What in a state shows whether an event changed a thing; usually None, as rows and sub-steps suffice."""
        return None

    def presence(self, state: Any, thing: Thing, initial_jobs: int) -> int:
        """Whether a thing is yet to come (-1), may be there (0), or is gone for good (1).

        *initial_jobs* are numbered before the first arrival.  By default jobs come and go, all else is always there.
        """
        return job_presence(state, thing, initial_jobs) if thing.what == JOB else 0

    def tell(self, passed: Passed, thing: Thing, narrator: Any) -> tuple[str, int]:
        """The sentence about what an event did to a thing, and its flags; an empty sentence means nothing."""


#: Kinds of plain records (of class Record) that change something; other plain records only look.
_CHANGING = frozenset(
    {"arrival", "departure", "move", "tick", "recovery_tick", "reactive", "resumed", "missed_request"}
)


def changes(records: Sequence[Record]) -> Iterator[Record]:
    """The sub-steps that decide or change something."""
    return (record for record in records if type(record) is not Record or record.kind in _CHANGING)


def naming(records: Sequence[Record], fields: Mapping[str, int]) -> list[Record]:
    """The sub-steps that change something and have one of the given numbers, as a field or a value."""
    return [
        record for record in changes(records) if any(_number(record, name) == number for name, number in fields.items())
    ]


def _number(record: Record, name: str) -> Any:
    return record.values.get(name, getattr(record, name, None))


def told_together(records: Sequence[Record], narrator: Any) -> str:
    """Several sub-steps as one sentence."""
    return "; ".join(narrator.record(record) for record in records)


def touching(rows: NDArray[Any], fields: Sequence[str], number: int) -> NDArray[np.bool_]:
    """[n] whether one of the *fields* of each row has this number."""
    found = np.zeros(len(rows), np.bool_)
    for name in fields:
        found |= rows[name] == number
    return found


def sections(*parts: tuple[str, Sequence[Fact | None]]) -> tuple[FactSection, ...]:
    """Sections made of the known facts; a section without any is left out."""
    known = ((title, tuple(fact for fact in facts if fact is not None)) for title, facts in parts)
    return tuple(FactSection(title, facts) for title, facts in known if facts)


def time_fact(moment: InspectedMoment, label: str, time: float) -> Fact:
    """A time as a fact, with enough digits to distinguish successive events."""
    if time == np.inf:
        return Fact(label, "never")
    digits = 0 if moment.info.kind.slotted else decimals_for(moment.event, moment.time)
    unit = "" if moment.info.kind.slotted else units(moment.info.time_unit)
    return Fact(label, shown_time(time, digits), unit)


def time_cell(moment: InspectedMoment, time: float) -> str:
    """A time as the cell of a table."""
    return time_fact(moment, "", time).value


def per_cent(share: float) -> str:
    """A fraction as text: 37.5 %."""
    return f"{100 * share:.3g}{THIN_SPACE}%"


def record_of(state: Any, thing: Thing) -> int:
    """The index of a job's record in the state; -1 if the job is not in the system."""
    found = np.flatnonzero((state.job_number == thing.number) & (state.job_number >= 0))
    return int(found[0]) if len(found) else -1


def job_presence(state: Any, thing: Thing, initial_jobs: int) -> int:
    """See :meth:`Inspector.presence`, for a job."""
    if record_of(state, thing) >= 0:
        return 0
    return -1 if thing.number >= initial_jobs + int(state.number[NEXT_ARRIVAL]) else 1


def not_there(moment: InspectedMoment, title: str, number: int) -> Description:
    """The description of a job that is not in the system; its *number* tells whether it is still to arrive."""
    when = f"after event {grouped(moment.event)}"
    known = moment.info.initial_jobs + int(moment.state.number[NEXT_ARRIVAL])
    if number >= known:
        return Description(title, absent=f"It has not arrived yet {when}.")
    return Description(title, absent=f"It is not in the system {when}; its history says why.")
