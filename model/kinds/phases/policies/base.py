"""What a reference policy of a system with phases provides, and what it is told.

A policy of one's own starts from :class:`OwnPolicy` and needs no other module than this one.
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
    """A policy for jobs with phases: what it is unless it says otherwise.

    A policy must have ``arrival``, called for each job that arrives; it decides ``Match`` or
    ``Overflow``, or ``Place`` where servers are unlimited.  ``start`` is called once, before the
    first event; ``move`` after a job, real or virtual, has changed its phase on a server that is no
    backup, ``departure`` after it has departed from one; ``tick`` when a server's timer rings.  They
    decide ``Request``, ``VirtualArrival`` and ``SetTimer``.
    """

    system = "phases"
    #: [L] the pool of each normal server; empty where servers are unlimited and none is a backup.
    pool_of: NDArray[np.int32] = np.zeros(0, np.int32)
    #: P.
    pools: int = 1
    #: Whether it reads observed configurations, and so needs the lattice.
    observes: bool = False
    #: The most tokens that one event may make.
    most_tokens: int = 0
    #: The plan that it follows (:class:`model.kinds.phases.programs.plan.ServerPlan`), if it follows one.
    plan: Any = None
    #: It as tables (:class:`model.kinds.phases.programs.rules.Rules`).
    rules: Any = None
    #: How many numbers are remembered from event to event.
    memory: int = 0

    arrival: Callable[[PhaseView, PhaseJob], Decisions]

    def __init__(self, numbers: PhaseNumbers, parameters: Any) -> None:
        self.numbers = numbers
        self.parameters = parameters

    def start(self, view: PhaseView) -> Decisions:
        """Before the first event."""
        yield from ()

    def move(self, view: PhaseView, job: PhaseJob) -> Decisions:
        """A job on a server has changed its phase."""
        yield from ()

    def departure(self, view: PhaseView, job: PhaseJob) -> Decisions:
        """A job has departed from a server: as a change of phase, unless the policy says otherwise."""
        return self.move(view, job)

    def tick(self, view: PhaseView, server: int) -> Decisions:
        """The timer of a normal server rang."""
        yield from ()


class OwnPolicy(PhasePolicy):
    """A policy of one's own: all that it may leave out.

    A file defines ``class Policy(OwnPolicy)`` with at least the generator ``arrival``.  Without
    ``servers`` each job is placed, on a busy server or an idle one, of which there are always some.
    With ``servers = L`` these ask for jobs, and a job takes a token or goes to a backup server.
    """

    #: L: how many servers ask for jobs; 0: servers are unlimited.
    servers: int = 0

    def __init__(self, numbers: PhaseNumbers, parameters: Any) -> None:
        super().__init__(numbers, parameters)
        self.pool_of = np.zeros(self.servers, np.int32)
        self.observes = self.servers > 0
        self.most_tokens = self.servers * numbers.model.most_jobs
