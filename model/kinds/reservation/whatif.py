"""Decisions that can be forced on the policy: an arriving job's server or rejection; slots of an empty server."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import Any, Iterator

import numpy as np

from slotscope.model.errors import PolicyError
from slotscope.model.forks.changes import Choice, forced_words
from slotscope.model.forks.overruled import Overruled
from slotscope.model.kinds.reservation.classification import stacked
from slotscope.model.kinds.reservation.policies.base import ArrivingJob, DepartedJob
from slotscope.model.kinds.reservation.state import ReservationState
from slotscope.model.kinds.reservation.view import ReservationView
from slotscope.model.programs.configurations import Configuration
from slotscope.model.reporting.explain import shown
from slotscope.model.reporting.records import ARRIVAL, DEPARTURE, Admit, Event, Reassign, Record, Reject
from slotscope.model.systems.outcome import FLAG_CONFIGURED

#: A :class:`model.kinds.reservation.system.ReservationSystem`, which imports this module.
ReservationSystem = Any

#: Most configurations that are offered for empty servers; any other one can be typed.
OFFERED = 40

_OF_SLOTS = "'configuration=N,server=N'"
_ALLOWED = f"'server=N' or 'reject', where a job arrives, or {_OF_SLOTS}"


def choices(system: ReservationSystem, state: ReservationState) -> tuple[Choice, ...]:
    """The decisions that can be forced in the next event."""
    event = system.next_event(state)
    if event is None:
        return ()
    slots = tuple(islice(_slots(system, state, event), OFFERED))
    if event.kind != ARRIVAL:
        return slots
    job = system.job_name(event.job)
    admit = Choice("server", f"put job {job} on server {{}}", system.numbers.servers)
    return admit, Choice("reject", f"reject job {job}"), *slots


def _slots(system: ReservationSystem, state: ReservationState, event: Event) -> Iterator[Choice]:
    """Other configurations of the servers that are empty after the event's departure, if it is one."""
    if not system.policy.reserves_slots:
        return
    numbers, jobs = system.numbers, state.placement.sum(axis=1)
    if event.kind == DEPARTURE:
        jobs[event.server] -= 1
    empty = np.flatnonzero(jobs == 0)
    fits = [pool.space.contains for pool in numbers.pools]
    for number, configuration in enumerate(_configurations(system.policy, ReservationView(numbers, state)), 1):
        able = [place for place, contains in enumerate(fits) if contains(configuration)]
        if servers := tuple(empty[np.isin(numbers.pool_of[empty], able)].tolist()):
            name = f"k[{number}] = " if system.policy.has_groups else ""
            title = f"give the slots {name}{shown(configuration)} to server {{}}"
            yield Choice(f"configuration={number},server", title, numbers.servers, servers)


def _configurations(policy: Any, view: ReservationView) -> list[Configuration]:
    """k[1], k[2], ... of the last CRA; without CRA the configurations that servers have, the largest first."""
    if policy.has_groups:
        rows = view.greedy_configurations.tolist()
    else:
        *_, distinct = stacked(view.configuration, np.zeros(len(view.configuration), np.int64))
        rows = sorted(distinct.tolist(), reverse=True)
    return [tuple(row) for row in rows if any(row)]


def overruled(system: ReservationSystem, event: Event, decision: str) -> Overruled:
    """The system's policy with one decision forced on it.

    Raises PolicyError if there is no such decision; whether it is possible is found when it is carried out.
    """
    of_slots = {"configuration", "server"}
    if event.kind == ARRIVAL:
        words = forced_words(decision, _ALLOWED, ({"server"}, {"reject"}, of_slots))
    else:
        words = forced_words(decision, _OF_SLOTS, (of_slots,))
    server = words["server"] - 1 if "server" in words else None
    if server is not None and "configuration" in words:
        return OverruledSlots(system.policy, decision, server, words["configuration"])
    return OverruledAdmission(system.policy, decision, server)


class OverruledSlots(Overruled):
    """A policy that is forced to give an empty *server* the configuration of that *number*, from 1."""

    flag = FLAG_CONFIGURED

    def __init__(self, policy: Any, decision: str, server: int, number: int) -> None:
        super().__init__(policy, decision)
        self.server = server
        self.number = number

    def arrival(self, view: ReservationView, job: ArrivingJob) -> Iterator[Record]:
        """The policy's records, with the slots replaced."""
        return self._reassigned(view, self.policy.arrival(view, job))

    def departure(self, view: ReservationView, job: DepartedJob) -> Iterator[Record]:
        """The policy's records, with the slots replaced."""
        return self._reassigned(view, self.policy.departure(view, job))

    def update(self, view: ReservationView) -> Iterator[Record]:
        """The policy's records, with the slots replaced."""
        return self._reassigned(view, self.policy.update(view))

    def _reassigned(self, view: ReservationView, decisions: Iterator[Record]) -> Iterator[Record]:
        """The records of an event; a server that the policy does not reassign in it gets its slots at the end."""
        known = _configurations(self.policy, view)
        if not 1 <= self.number <= len(known):
            raise PolicyError(f"found configuration {self.number}, allowed: 1 to {len(known)}")
        values = {"i": self.number} if self.policy.has_groups else {}
        forced = Reassign(server=self.server, configuration=known[self.number - 1], values={**values, "forced": True})

        def instead(own: Reassign) -> Record:
            return replace(forced, line=own.line)

        if not (yield from self.altered(decisions, Reassign, self.server, instead)):
            yield forced


class OverruledAdmission(Overruled):
    """A policy that is forced to place one arriving job on *server*; None: to reject it."""

    def __init__(self, policy: Any, decision: str, server: int | None) -> None:
        super().__init__(policy, decision)
        self.server = server

    def arrival(self, view: ReservationView, job: ArrivingJob) -> Iterator[Record]:
        """The policy's records, with the server replaced; what follows an admission follows a forced one, too."""

        def instead(own: Admit | Reject) -> Record:
            if self.server is not None:
                return Admit(line=own.line, server=self.server, values={"reason": "forced"})
            return own if isinstance(own, Reject) else Reject(values={"reason": "forced"})

        after = None if self.server is None else self.policy.after(view)
        return self.substituted(self.policy.arrival(view, job), (Admit, Reject), instead, after)
