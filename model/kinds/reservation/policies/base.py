"""The interface of reference policies of the loss system, and the types of their arguments.

A user-written policy derives from :class:`OwnPolicy` and needs to import nothing but this module, which
also exports the records that a policy yields.
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
    """The arriving job, which the policy must admit or reject."""

    type: int
    number: int


class DepartedJob(NamedTuple):
    """The job that has just departed, and the server whose slot it left."""

    type: int
    number: int
    server: int
    served: float = 0.0  #: its time in service


class ReservationPolicy(Policy):
    """Base class of policies for the loss system with slots, with the defaults of all attributes and methods.

    A policy must define ``arrival``, which is called for each arriving job and yields exactly one
    Admit or Reject; the other methods may do nothing.
    """

    system = "reservation"
    #: True: jobs go into reserved slots.  False: a job needs free resources only.
    reserves_slots: bool = False
    #: True: servers have ranks and groups, which the policy sets by Classify.
    has_groups: bool = False
    #: True: CRA runs after each admission and departure, so that running it once more would change nothing.
    cra_at_events: bool = False
    #: g(L); 0 for a policy without a reservation factor.
    reservation: Fraction = Fraction(0)
    #: ceil(g(L)), the number of whole slots.
    reserved: int = 0
    #: How many numbers the policy remembers from one event to the next.
    memory: int = 0
    #: Whether updates continue when no arrival or departure is left.
    updates_when_idle: bool = False

    arrival: Callable[[ReservationView, ArrivingJob], Decisions]

    def start(self, view: ReservationView) -> Decisions:
        """Called once at time 0."""
        yield from ()

    def departure(self, view: ReservationView, job: DepartedJob) -> Decisions:
        """Called after a job has left its slot."""
        yield from ()

    def after(self, view: ReservationView) -> Decisions:
        """Called after an admission that was forced on the policy: what it does after its own admissions."""
        yield from ()

    def update(self, view: ReservationView) -> Decisions:
        """Called at the time that the policy asked for with UpdateAt."""
        yield from ()


class OwnPolicy(ReservationPolicy):
    """Base class of user-written policies: defaults for everything that they may leave out.

    A policy file defines ``class Policy(OwnPolicy)`` with at least the generator ``arrival``.
    The title defaults to the name of the file, and the pseudocode to the source text of the methods.
    Attributes of the policy must not change after ``__init__``: what a policy keeps from one event
    to the next belongs in ``memory``, see :class:`model.reporting.records.Remember`.
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
