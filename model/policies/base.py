"""What a reference policy of a loss system provides, and what it is told.

A policy of one's own starts from :class:`OwnPolicy` and needs no other module than this one:
the records that it yields can be imported from here too.
"""

from __future__ import annotations

from typing import Any, Iterator, NamedTuple, Protocol

from model.records import (
    Admit,
    Classify,
    Line,
    Migrate,
    Preempt,
    Reassign,
    Record,
    Reject,
    Remember,
    UpdateAt,
)
from model.scenario.fields import Section
from model.systems.reservation.numbers import ReservationNumbers
from model.systems.reservation.view import ReservationView

Decisions = Iterator[Record]


class ArrivingJob(NamedTuple):
    """The job that must be admitted or rejected."""

    type: int
    number: int


class DepartedJob(NamedTuple):
    """The job whose service has just ended, and the slot that it left."""

    type: int
    number: int
    server: int
    served: float = 0.0  #: how long it was in service


class PseudocodeLine(NamedTuple):
    """A line of the paper's algorithm as it is read here, for display beside a run."""

    line: Line
    indent: int
    text: str
    heading: str = ""  #: above the first line of lines that are no algorithm of the paper


class ReservationPolicy(Protocol):
    """A policy for the loss system with slots."""

    name: str
    title: str
    pseudocode: tuple[PseudocodeLine, ...]
    #: True: jobs go into reserved slots.  False: a job needs free resources only.
    reserves_slots: bool
    #: True: servers have ranks and groups, which the policy tells by Classify.
    has_groups: bool

    def start(self, view: ReservationView) -> Decisions:
        """Called once at time 0."""
        ...

    def arrival(self, view: ReservationView, job: ArrivingJob) -> Decisions:
        """Called for each arrival; must yield exactly one Admit or Reject."""
        ...

    def departure(self, view: ReservationView, job: DepartedJob) -> Decisions:
        """Called after a job has left its slot."""
        ...

    def update(self, view: ReservationView) -> Decisions:
        """Called at the time that the policy asked for with UpdateAt."""
        ...


class NoParameters(Section):
    """The parameters of a policy that has none."""


class OwnPolicy:
    """A policy of one's own: all that it may leave out.

    A file defines ``class Policy(OwnPolicy)`` with at least the generator ``arrival``.
    Attributes of the policy must not change after ``__init__``: what is to be kept from one
    event to the next belongs into ``memory``, see :class:`model.records.Remember`.
    """

    #: What the window calls it; the name of the file if empty.
    title: str = ""
    paper: str = ""
    reserves_slots: bool = False
    has_groups: bool = False
    #: How many numbers are remembered from event to event.
    memory: int = 0
    schema: type[Section] = NoParameters
    #: Shown beside the run; the text of the methods if empty.
    pseudocode: tuple[PseudocodeLine, ...] = ()

    def __init__(self, numbers: ReservationNumbers, parameters: Any) -> None:
        self.numbers = numbers
        self.parameters = parameters

    def start(self, view: ReservationView) -> Decisions:
        """Nothing to do at time 0."""
        yield from ()

    def departure(self, view: ReservationView, job: DepartedJob) -> Decisions:
        """Nothing to do when a job has left."""
        yield from ()

    def update(self, view: ReservationView) -> Decisions:
        """Nothing to do at an update."""
        yield from ()


def say(kind: str, /, **values: Any) -> Record:
    """A sub-step that explains: *kind* says what happened, *values* the numbers compared.

    The sentence is made of both: ``say("too_full", free=3, needed=4)`` is shown as
    "too full: free = 3, needed = 4".
    """
    return Record(kind, None, values)


__all__ = [
    "Admit", "ArrivingJob", "Classify", "Decisions", "DepartedJob", "Line", "Migrate",
    "NoParameters", "OwnPolicy", "Preempt", "PseudocodeLine", "Reassign", "Record", "Reject",
    "Remember", "ReservationNumbers", "ReservationPolicy", "ReservationView", "Section",
    "UpdateAt", "say",
]  # fmt: skip
