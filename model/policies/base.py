"""What a reference policy of a loss system provides, and what it is told."""

from __future__ import annotations

from typing import Iterator, NamedTuple, Protocol

from model.records import Line, Record
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


class PseudocodeLine(NamedTuple):
    """A line of the paper's algorithm as it is read here, for display beside a run."""

    line: Line
    indent: int
    text: str


class ReservationPolicy(Protocol):
    """A policy for the loss system with slots."""

    name: str
    title: str
    pseudocode: tuple[PseudocodeLine, ...]
    #: True: jobs go into reserved slots.  False: a job needs free resources only.
    reserves_slots: bool

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
