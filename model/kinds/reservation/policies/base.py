"""What a reference policy of a loss system provides, and what it is told.

A policy of one's own starts from :class:`OwnPolicy` and needs no other module than this one:
the records that it yields can be imported from here too.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Callable, Iterator, NamedTuple

from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.view import ReservationView
from slotscope.model.policies.common import NoParameters, Policy, PseudocodeLine, listing, say
from slotscope.model.reporting.records import (
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
from slotscope.model.scenario.fields import Section

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


class ReservationPolicy(Policy):
    """A policy for the loss system with slots: what it is unless it says otherwise.

    A policy must have ``arrival``, which is called for each arrival and yields exactly one
    Admit or Reject; on the other occasions it may do nothing.
    """

    system = "reservation"
    #: True: jobs go into reserved slots.  False: a job needs free resources only.
    reserves_slots: bool = False
    #: True: servers have ranks and groups, which the policy tells by Classify.
    has_groups: bool = False
    #: True: CRA has run after each admission and departure, so that again it changes nothing.
    cra_at_events: bool = False
    #: g(L), 0 without a reservation factor.
    reservation: Fraction = Fraction(0)
    #: ceil(g(L)): slots are whole.
    reserved: int = 0
    #: How many numbers are remembered from event to event.
    memory: int = 0
    #: Whether updates go on once no job will arrive or leave any more.
    updates_when_idle: bool = False

    arrival: Callable[[ReservationView, ArrivingJob], Decisions]

    def start(self, view: ReservationView) -> Decisions:
        """Called once at time 0."""
        yield from ()

    def departure(self, view: ReservationView, job: DepartedJob) -> Decisions:
        """Called after a job has left its slot."""
        yield from ()

    def after(self, view: ReservationView) -> Decisions:
        """What follows an admission; called where one is forced on the policy."""
        yield from ()

    def update(self, view: ReservationView) -> Decisions:
        """Called at the time that the policy asked for with UpdateAt."""
        yield from ()


class OwnPolicy(ReservationPolicy):
    """A policy of one's own: all that it may leave out.

    A file defines ``class Policy(OwnPolicy)`` with at least the generator ``arrival``.
    Without a title it is called by the name of its file; without pseudocode the text of its
    methods is shown.  Attributes of the policy must not change after ``__init__``: what is to be
    kept from one event to the next belongs into ``memory``, see :class:`model.reporting.records.Remember`.
    """

    def __init__(self, numbers: ReservationNumbers, parameters: Any) -> None:
        self.numbers = numbers
        self.parameters = parameters


__all__ = [
    "Admit",
    "ArrivingJob",
    "Classify",
    "Decisions",
    "DepartedJob",
    "Line",
    "Migrate",
    "NoParameters",
    "OwnPolicy",
    "Preempt",
    "PseudocodeLine",
    "Reassign",
    "Record",
    "Reject",
    "Remember",
    "ReservationNumbers",
    "ReservationPolicy",
    "ReservationView",
    "Section",
    "UpdateAt",
    "listing",
    "say",
]
