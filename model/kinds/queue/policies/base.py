"""What a reference policy of a queueing system provides, and what it is told.

A policy of one's own starts from :class:`OwnPolicy` and needs no other module than this one.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Callable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.queue.layout import OneQueue, QueueLayout
from slotscope.model.kinds.queue.numbers import QueueNumbers
from slotscope.model.kinds.queue.state import ALWAYS
from slotscope.model.kinds.queue.view import QueuedJob, QueueView
from slotscope.model.policies.common import NoParameters, Policy, PseudocodeLine, listing, say
from slotscope.model.reporting.records import Evict, Line, Place, Record, Remember, Renew, Stall
from slotscope.model.scenario.fields import Section

Decisions = Iterator[Record]

__all__ = [
    "Decisions",
    "Evict",
    "Line",
    "NoParameters",
    "OwnPolicy",
    "Place",
    "PseudocodeLine",
    "QueuePolicy",
    "QueueView",
    "QueuedJob",
    "Record",
    "Remember",
    "Renew",
    "Section",
    "Stall",
    "listing",
    "placed",
    "say",
]

NO_CONFIGURATIONS = np.zeros((0, 1), np.int32)


class QueuePolicy(Policy):
    """A policy for servers with a queue: what it is unless it says otherwise.

    A policy must have ``slot``, which is called once for each busy slot, after the jobs of the
    previous slot have left and those of this one have arrived.  It yields what it finds
    and what it decides: ``Place``, ``Renew``, ``Stall``, ``Evict``.
    """

    system = "queue"
    #: How many numbers are remembered from event to event.
    memory: int = 0
    #: When the slot after one in which something happened must be looked at.
    looks_again: int = ALWAYS
    #: The virtual queues.
    layout: QueueLayout = OneQueue()
    #: [V] (low, high] in units of a largest server; empty without a partition of sizes.
    intervals: tuple[tuple[int, int], ...] = ()
    #: [C, V] what a server's active configuration is chosen from.
    configurations: NDArray[np.int32] = NO_CONFIGURATIONS
    configuration_names: tuple[str, ...] = ()
    #: [P] of (start, stop): the configurations of the servers of each pool.
    pool_configurations: tuple[tuple[int, int], ...] = ()
    #: Whether k_1 = 1 reserves two thirds of a server for VQ_1.
    reserves: bool = False
    #: Whether servers in use are renewed too, and jobs go back to the queue.
    preemptive: bool = False
    #: Whether each server that is empty in a slot gets a configuration of maximum weight, (8); whether that weighs the
    #: queue without the slot's arrivals, and for each server what those before it have left.
    max_weight: bool = False
    before: bool = False
    sequential: bool = False
    #: What fits no server that takes jobs once a slot is over: "queue" (no waiting job does),
    #: "head of line" (the job that has waited longest does not) or "" (nothing is sure).
    exhausts: str = ""
    #: Servers whose configuration weighs less than this share of the largest weight are stalled.
    gamma: Fraction = Fraction(0)

    slot: Callable[[QueueView], Decisions]

    def __init__(self, numbers: QueueNumbers, parameters: Any) -> None:
        self.numbers = numbers
        self.parameters = parameters


class OwnPolicy(QueuePolicy):
    """A policy of one's own: all that it may leave out.

    A file defines ``class Policy(OwnPolicy)`` with ``slot``, which may place any job that waits; or
    with some of ``departure``, for each server that jobs have just left, ``emptied``, for each of
    those that is empty now, and ``arrival``, for each job that has just arrived.
    """

    def slot(self, view: QueueView) -> Decisions:
        """The servers that jobs left, then those that became empty, then the jobs that arrived."""
        for server in view.left():
            yield from self.departure(view, server) or ()
        for server in view.left():
            if view.is_empty(server):
                yield from self.emptied(view, server) or ()
        for job in view.arrived():
            yield from self.arrival(view, job) or ()

    def departure(self, view: QueueView, server: int) -> Decisions:
        """Jobs have left a server."""
        yield from ()

    def emptied(self, view: QueueView, server: int) -> Decisions:
        """A server became empty."""
        yield from ()

    def arrival(self, view: QueueView, job: QueuedJob) -> Decisions:
        """A job has arrived and waits."""
        yield from ()


def placed(line: Line, view: QueueView, job: QueuedJob, server: int, reason: str, **values: Any) -> Place:
    """The decision to place a job, with the numbers that were compared."""
    told: Mapping[str, Any] = {
        "reason": reason,
        "queue": job.queue,
        "size": view.told(job.room),
        "free": view.told(view.free(server)),
        **values,
    }
    return Place(line=line, job=job.number, server=server, values=told)
