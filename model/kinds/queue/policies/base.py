"""The interface of reference policies of queueing systems, and the types of their arguments.

A user-written policy derives from :class:`OwnPolicy` and needs to import nothing but this module.
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
    """Base class of policies for servers with a queue, with the defaults of all attributes and methods.

    A policy must define ``slot``, which is called once for each busy slot, after the departures of the
    previous slot and the arrivals of this one.  It yields records of what it finds, and its decisions:
    ``Place``, ``Renew``, ``Stall``, ``Evict``.
    """

    system = "queue"
    #: How many numbers the policy remembers from one slot to the next.
    memory: int = 0
    #: Whether ``slot`` must also be called in the slot after a busy one: NEVER, WHILE_IDLE or ALWAYS.
    looks_again: int = ALWAYS
    #: The virtual queues.
    layout: QueueLayout = OneQueue()
    #: [V] the sizes (low, high] of each virtual queue, in units of a largest server; empty without a partition.
    intervals: tuple[tuple[int, int], ...] = ()
    #: [C, V] the configurations from which the active configuration of a server is chosen.
    configurations: NDArray[np.int32] = NO_CONFIGURATIONS
    configuration_names: tuple[str, ...] = ()
    #: [P] pairs (start, stop): the rows of ``configurations`` for the servers of each pool.
    pool_configurations: tuple[tuple[int, int], ...] = ()
    #: Whether k_1 = 1 reserves two thirds of a server for VQ_1.
    reserves: bool = False
    #: Whether non-empty servers are renewed too, so that jobs in service may return to the queue.
    preemptive: bool = False
    #: Whether each empty server gets a configuration of maximum weight, (8), in every slot; whether the weight excludes
    #: the arrivals of the slot; and whether it uses, for each server, the queue lengths left by the servers before it.
    max_weight: bool = False
    before: bool = False
    sequential: bool = False
    #: What fits no server (other than stalled ones) at the end of a slot: no waiting job ("queue"), the
    #: longest-waiting job ("head of line"), or nothing is guaranteed ("").
    exhausts: str = ""
    #: Servers whose configuration has a weight below this share of the largest weight are stalled.
    gamma: Fraction = Fraction(0)

    slot: Callable[[QueueView], Decisions]

    def __init__(self, numbers: QueueNumbers, parameters: Any) -> None:
        self.numbers = numbers
        self.parameters = parameters


class OwnPolicy(QueuePolicy):
    """Base class of user-written policies: defaults for everything that they may leave out.

    A policy file defines ``class Policy(OwnPolicy)`` either with ``slot``, which may place any waiting job,
    or with some of ``departure`` (called for each server that jobs have just left), ``emptied`` (for each
    of these servers that is now empty) and ``arrival`` (for each job that has just arrived).
    """

    def slot(self, view: QueueView) -> Decisions:
        """Call ``departure`` and ``emptied`` for the servers that jobs left, then ``arrival`` for the new jobs."""
        for server in view.left():
            yield from self.departure(view, server) or ()
        for server in view.left():
            if view.is_empty(server):
                yield from self.emptied(view, server) or ()
        for job in view.arrived():
            yield from self.arrival(view, job) or ()

    def departure(self, view: QueueView, server: int) -> Decisions:
        """Called for a server that one or more jobs have just left."""
        yield from ()

    def emptied(self, view: QueueView, server: int) -> Decisions:
        """Called for a server that has just become empty."""
        yield from ()

    def arrival(self, view: QueueView, job: QueuedJob) -> Decisions:
        """Called for a job that has just arrived and waits."""
        yield from ()


def placed(line: Line, view: QueueView, job: QueuedJob, server: int, reason: str, **values: Any) -> Place:
    """The decision to place a job, with the values that explain it."""
    told: Mapping[str, Any] = {
        "reason": reason,
        "queue": job.queue,
        "size": view.told(job.room),
        "free": view.told(view.free(server)),
        **values,
    }
    return Place(line=line, job=job.number, server=server, values=told)
