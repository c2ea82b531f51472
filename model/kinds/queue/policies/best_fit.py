"""Best fit from a job's and from a server's perspective: the common part of BF-J, BF-S and BF-J/S.

Reference
    Psychas & Ghaderi (2019), Section IV.A; for several resources Section VIII.
Implements
    The search of BF-J for one job, that of BF-S for one server, and Section VIII's stalling.
Symbols
    l  ``server``
    j  ``job``
Deviations
    Section VIII leaves ties open.  Here, of several jobs with equal scores the one with the larger sum of
    demands wins, then the earlier one; of several servers the one of lowest number.
"""

from __future__ import annotations

import numpy as np

from slotscope.model.kinds.queue.numbers import QueueNumbers
from slotscope.model.kinds.queue.policies.base import Decisions, PseudocodeLine, QueuePolicy, placed
from slotscope.model.kinds.queue.state import NEVER
from slotscope.model.kinds.queue.view import QueuedJob, QueueView
from slotscope.model.reporting.records import Line, Record, Stall
from slotscope.model.scenario.fields import Section


class Stalling(Section):
    """Whether servers that are less than half full are stalled (Section VIII)."""

    stall: bool = False


class BestFitPolicy(QueuePolicy):
    """Base class of BF-J, BF-S and BF-J/S."""

    schema = Stalling
    looks_again = NEVER
    exhausts = "queue"

    def __init__(self, numbers: QueueNumbers, parameters: Stalling) -> None:
        super().__init__(numbers, parameters)
        self.stalls = parameters.stall


def stalling(line: Line) -> PseudocodeLine:
    """The stalling rule of Section VIII, as the last pseudocode line of BF-J, BF-S and BF-J/S."""
    return PseudocodeLine(
        line,
        0,
        "stall servers in use below one half while jobs wait",
        heading="Stalling",
        printed="stall a server that is less than half full",
    )


def place_in_tightest(view: QueueView, job: QueuedJob, found: Line, taken: Line) -> Decisions:
    """BF-J for one job: place it on the server with the least residual capacity that accommodates it."""
    servers = view.with_room(job)
    yield Record(
        "servers_that_fit",
        found,
        {
            "job": job.number,
            "size": view.told(job.room),
            "servers": len(servers),
            "most_free": view.told(view.most_free()),
        },
    )
    if not len(servers):
        return
    if view.numbers.resources == 1:
        server, reason = view.least_residual(servers), "least_residual"
    else:
        scores = [view.score(np.array(job.room), int(server)) for server in servers]
        server, reason = int(servers[int(np.argmax(scores))]), "best_score"
    yield placed(taken, view, job, server, reason)


def fill_server(view: QueueView, server: int, found: Line, taken: Line) -> Decisions:
    """BF-S for one server: place the largest waiting job that fits, until none fits."""
    while True:
        job = largest(view, server)
        values = {"server": server, "free": view.told(view.free(server)), "waiting": int(view.queue_length.sum())}
        if job is None:
            yield Record("nothing_fits", found, values)
            return
        yield Record("largest_that_fits", found, values | {"job": job.number, "size": view.told(job.room)})
        reason = "largest" if view.numbers.resources == 1 else "best_score"
        yield placed(taken, view, job, server, reason)


def largest(view: QueueView, server: int) -> QueuedJob | None:
    """The largest waiting job that fits the server; with several resources the one with the best score."""
    if view.numbers.resources == 1:
        return view.largest_that_fits(server)
    found = view.best_score(server)
    return None if found is None else found[0]


def stall_half_empty(view: QueueView, line: Line) -> Decisions:
    """If jobs wait, stall each non-empty server that is less than half full (Section VIII)."""
    if not view.queue_length.any():
        return
    for server in range(view.numbers.servers):
        if view.is_empty(server) or view.is_stalled(server):
            continue
        if (2 * view.used(server) < view.numbers.capacity[server]).all():
            yield Stall(line=line, server=server, values={"used": view.told(view.used(server)), "reason": "half_empty"})
