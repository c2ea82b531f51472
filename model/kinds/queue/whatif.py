"""The decisions that a fork can force in a slot: the placement of a job, and the configuration of an empty server."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Iterator

import numpy as np

from slotscope.model.errors import PolicyError
from slotscope.model.forks.changes import Choice, forced_words
from slotscope.model.forks.overruled import Overruled
from slotscope.model.kinds.queue.facts import waiting_records
from slotscope.model.kinds.queue.state import ALWAYS, NEXT_ARRIVAL, QueueState
from slotscope.model.kinds.queue.view import QueueView
from slotscope.model.reporting.records import Event, Evict, Place, Record, Renew
from slotscope.model.systems.outcome import FLAG_CONFIGURED

#: A :class:`model.kinds.queue.system.QueueSystem`, which imports this module.
QueueSystem = Any

#: The most jobs, and configurations of each pool, for which decisions are offered; others can be typed.
OFFERED = 40

_ALLOWED = "'job=N,server=N', 'job=N,wait' or 'configuration=N,server=N'"


def choices(system: QueueSystem, state: QueueState) -> tuple[Choice, ...]:
    """The decisions that can be forced in the next slot: on waiting and arriving jobs, and on servers renewed in it."""
    event = system.next_event(state)
    if event is None:
        return ()
    first = system.initial_jobs + int(state.number[NEXT_ARRIVAL])
    arriving = range(first, first + len(system.arriving(state, event.time)[1]))
    waiting = state.job_number[waiting_records(state)].tolist()
    found: list[Choice] = []
    for job in [*arriving, *waiting][:OFFERED]:
        name = system.job_name(job)
        found.append(Choice(f"job={job},server", f"put job {name} on server {{}}", system.numbers.servers))
        found.append(Choice(f"job={job},wait", f"let job {name} wait"))
    return (*found, *_configurations(system, state, event))


def _configurations(system: QueueSystem, state: QueueState, event: Event) -> Iterator[Choice]:
    """The choices of active configurations for the servers that are empty after the departures of the slot."""
    policy, pools = system.policy, system.numbers.pool_of
    if not policy.pool_configurations:
        return
    leaving = state.job_server[(state.job_server >= 0) & (state.job_departure <= event.time)]
    left = state.jobs_on - np.bincount(leaving, minlength=len(state.jobs_on))
    renewed = np.flatnonzero((left == 0) | policy.preemptive)
    for pool, (first, end) in enumerate(policy.pool_configurations):
        if servers := tuple(renewed[pools[renewed] == pool].tolist()):
            for place, name in enumerate(policy.configuration_names[first : min(end, first + OFFERED)], 1):
                title = f"give the configuration {name} to server {{}}"
                yield Choice(f"configuration={place},server", title, system.numbers.servers, servers)


def overruled(system: QueueSystem, _: Event, decision: str) -> Overruled:
    """The system's policy with a forced *decision*.

    Raises PolicyError if there is no such decision; an impossible one is detected when it is carried out.
    """
    words = forced_words(decision, _ALLOWED, ({"job", "server"}, {"job", "wait"}, {"configuration", "server"}))
    server = words["server"] - 1 if "server" in words else None
    if server is not None and "configuration" in words:
        return OverruledRenewal(system.policy, decision, server, _configuration(system, server, words["configuration"]))
    return OverruledSlot(system.policy, decision, words["job"], server)


def _configuration(system: QueueSystem, server: int, number: int) -> int:
    """The row of a configuration, given its number (from 1) among those of its server's pool."""
    pools = system.policy.pool_configurations
    if not pools:
        raise PolicyError(f"found configuration {number}, allowed: a policy whose servers have configurations")
    if not 0 <= server < system.numbers.servers:
        raise PolicyError(f"there is no server {server + 1}")
    first, end = pools[system.numbers.pool_of[server]]
    if not 1 <= number <= end - first:
        raise PolicyError(f"found configuration {number}, allowed: 1 to {end - first}")
    return int(first + number - 1)


class OverruledRenewal(Overruled):
    """A policy with a forced active *configuration* for one of the servers that it renews."""

    flag = FLAG_CONFIGURED

    def __init__(self, policy: Any, decision: str, server: int, configuration: int) -> None:
        super().__init__(policy, decision)
        self.server = server
        self.configuration = configuration

    def slot(self, view: QueueView) -> Iterator[Record]:
        """The decisions of the policy, with the forced configuration."""

        def instead(own: Renew) -> Record:
            return replace(own, configuration=self.configuration, values={**own.values, "forced": True})

        if not (yield from self.altered(self.policy.slot(view), Renew, self.server, instead)):
            raise PolicyError(f"server {self.server + 1} gets no configuration in this slot")


class OverruledSlot(Overruled):
    """A policy with a forced *server* for one job; None: the job stays in the queue."""

    def __init__(self, policy: Any, decision: str, job: int, server: int | None) -> None:
        super().__init__(policy, decision)
        self.job = job
        self.server = server

    def slot(self, view: QueueView) -> Iterator[Record]:
        """The decisions of the policy, with the forced server; a job that the policy does not place is placed last.

        A job that must wait returns to the queue at the end of the slot, so that the policy does not try it again.
        """
        yield self.told()
        if not any(job.number == self.job for job in view.waiting()):
            raise PolicyError(f"job {self.job} does not wait in this slot")
        placed: int | None = None
        for record in self.policy.slot(view):
            if isinstance(record, Place) and record.job == self.job:
                if self.server is not None and placed is None:
                    yield replace(record, server=self.server, values={**record.values, "reason": "forced"})
                else:
                    yield record
                placed = record.server
            else:
                yield record
        if self.server is None and placed is not None:
            self.looks_again = ALWAYS  # the policy may take it in the very next slot
            yield Evict(job=self.job, server=placed)
        elif self.server is not None and placed is None:
            yield Place(job=self.job, server=self.server, values={"reason": "forced"})
