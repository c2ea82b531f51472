"""The interface of reference policies for jobs with phases, and the types of their arguments.

A user-written policy derives from :class:`OwnPolicy` and needs to import nothing but this module.
"""

from __future__ import annotations

from typing import Any, Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.phases.numbers import PhaseNumbers
from slotscope.model.kinds.phases.view import PhaseJob, PhaseView
from slotscope.model.policies.common import NoParameters, Policy, PseudocodeLine, listing, say
from slotscope.model.reporting.records import (
    Line,
    Match,
    Overflow,
    Place,
    Record,
    Remember,
    Request,
    SetTimer,
    VirtualArrival,
)
from slotscope.model.scenario.fields import Section

Decisions = Iterator[Record]

__all__ = [
    "Decisions",
    "Line",
    "Match",
    "NoParameters",
    "Overflow",
    "OwnPolicy",
    "PhaseJob",
    "PhasePolicy",
    "Place",
    "PseudocodeLine",
    "Record",
    "Remember",
    "Request",
    "Section",
    "SetTimer",
    "VirtualArrival",
    "listing",
    "say",
]


class PhasePolicy(Policy):
    """Base class of policies for jobs with phases, with the defaults of all attributes and methods.

    A policy must define ``arrival``, which is called for each arriving job and decides ``Match`` or
    ``Overflow``, or ``Place`` if servers are unlimited.  ``start`` is called once, before the first
    event; ``move`` after a real or virtual job on a normal (non-backup) server has changed its phase;
    ``departure`` after such a job has departed; ``tick`` when the timer of a server rings.  These four
    decide ``Request``, ``VirtualArrival`` and ``SetTimer``.
    """

    system = "phases"
    #: [L] the pool of each normal server; empty if servers are unlimited, and there are no backup servers.
    pool_of: NDArray[np.int32] = np.zeros(0, np.int32)
    #: P, the number of pools.
    pools: int = 1
    #: Whether the policy reads observed configurations, and so needs the lattice.
    observes: bool = False
    #: The largest number of tokens that one event can generate.
    most_tokens: int = 0
    #: The plan that the policy follows (:class:`model.kinds.phases.programs.plan.ServerPlan`), or None.
    plan: Any = None
    #: The plan as tables (:class:`model.kinds.phases.programs.rules.Rules`), or None.
    rules: Any = None
    #: How many numbers the policy remembers from one event to the next.
    memory: int = 0

    arrival: Callable[[PhaseView, PhaseJob], Decisions]

    def __init__(self, numbers: PhaseNumbers, parameters: Any) -> None:
        self.numbers = numbers
        self.parameters = parameters

    def start(self, view: PhaseView) -> Decisions:
        """Called once, before the first event."""
        yield from ()

    def move(self, view: PhaseView, job: PhaseJob) -> Decisions:
        """Called after a job on a normal server has changed its phase."""
        yield from ()

    def departure(self, view: PhaseView, job: PhaseJob) -> Decisions:
        """Called after a job has departed from a normal server; by default treated as a change of phase."""
        return self.move(view, job)

    def tick(self, view: PhaseView, server: int) -> Decisions:
        """Called when the timer of a normal server has rung."""
        yield from ()


class OwnPolicy(PhasePolicy):
    """Base class of user-written policies: defaults for everything that they may leave out.

    A policy file defines ``class Policy(OwnPolicy)`` with at least the generator ``arrival``.  By default
    servers are unlimited and ``arrival`` places each job on a busy or an idle server.  With
    ``servers = L`` the L normal servers request jobs, and a job takes a token or goes to a backup server.
    """

    #: L, the number of normal servers, which request jobs; 0: servers are unlimited.
    servers: int = 0

    def __init__(self, numbers: PhaseNumbers, parameters: Any) -> None:
        super().__init__(numbers, parameters)
        self.pool_of = np.zeros(self.servers, np.int32)
        self.observes = self.servers > 0
        self.most_tokens = self.servers * numbers.model.most_jobs
