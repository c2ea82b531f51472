"""Why a job is placed on its server, waits on, or is overtaken by another job; why a server has its configuration.

Reference: Psychas & Ghaderi (2019), Sections III.A, IV.A, V.B, VI, VII.B and VIII.  Servers are described
just before the job is placed; for a job that waits on, at the end of the slot.

For configurations: Section V.B, step 1, (8); MaxWeight: Section III.A, Definition 2, (5).
"""

from __future__ import annotations

from functools import partial
from typing import Any, Iterator

import numpy as np
from numpy.typing import NDArray

from slotscope.model.errors import UserError
from slotscope.model.kinds.queue.explain import weighed
from slotscope.model.kinds.queue.facts import waiting_records
from slotscope.model.kinds.queue.inspection import QUEUE
from slotscope.model.kinds.queue.invariants import MONITORS
from slotscope.model.kinds.queue.state import DEPARTURES, STALLED_SERVERS, QueueState
from slotscope.model.kinds.queue.why_jobs import jobs_of
from slotscope.model.kinds.queue.why_servers import is_configured, job_of, places_for, servers_of
from slotscope.model.reporting.explain import counted, grouped
from slotscope.model.reporting.inspection import Thing
from slotscope.model.reporting.letters import subscript
from slotscope.model.reporting.records import Place, Record, Renew
from slotscope.model.whys.decision import (
    Change,
    Happened,
    Meant,
    Setting,
    Subject,
    Whys,
    asked_by,
    own_choice,
    rescheduled,
    soonest,
    with_policy,
)
from slotscope.model.whys.tables import Candidates, Condition, Preference


def renewal_in(system: Any, happened: Happened, whose: int) -> Subject | None:
    """The configuration that a server gets in a slot.

    As it concerns no job, -2 - server takes the place of the job number; *whose* is such a number, or -1 for any.
    """
    for place, record in enumerate(happened.records):
        if isinstance(record, Renew) and whose in (-1, about(record)):
            server = f"server {record.server + 1}"
            name = system.policy.configuration_names[record.configuration]
            return Subject(
                about(record),
                place,
                (record.server,),
                f"Why has {server} the configuration {name}?",
                f"{server} gets the configuration {name}",
                record.configuration,
            )
    return None


def about(renewal: Renew) -> int:
    """The number in place of a job number: see :func:`renewal_in`."""
    return -2 - renewal.server


def of_renewal(setting: Setting) -> tuple[Candidates, ...]:
    """The servers, one of which is renewed, and the configurations that it could get."""
    return _servers(setting), _configurations(setting)


def changes_of(setting: Setting) -> Iterator[Change]:
    """Changes of the queue lengths weighed: with or without the slot's arrivals, or what earlier servers took."""
    policy = setting.system.policy
    if not policy.may_fail:
        yield _otherwise(setting, "before", not policy.before, ("after", "before"), "renew")
        yield _otherwise(setting, "sequential", not policy.sequential, ("together", "sequential"), "renew_mode")


def _otherwise(setting: Setting, name: str, value: bool, words: tuple[str, str], parameter: str) -> Change:
    other = with_policy(setting.system, **{name: value})
    return Change(1, f'{parameter} = "{words[value]}" instead of "{words[not value]}"', lambda _: other)


def _servers(setting: Setting) -> Candidates:
    jobs = setting.state.jobs_on
    servers = np.arange(len(jobs))
    empty = jobs == 0
    each = "every empty server renews its own"
    return Candidates(
        "server",
        lambda server: f"server {server + 1}",
        servers,
        (
            Condition(
                "is empty",
                "is not empty: it keeps its configuration",
                "no job in ℓ",
                asked_by(setting, _place(setting)),
                empty | getattr(setting.system.policy, "preemptive", False),
                f"{counted(int(empty.sum()), 'empty server')} now",
                lambda server: f"{counted(int(jobs[server]), 'job')} on it",
            ),
        ),
        Preference("the one asked about", asked_by(setting, _place(setting)), lambda _: each),
        np.array(setting.subject.on, np.int64),
    )


def _configurations(setting: Setting) -> Candidates:
    policy, renewal = setting.system.policy, setting.decision
    assert isinstance(renewal, Renew)
    first, end = policy.pool_configurations[setting.system.numbers.pool_of[renewal.server]]
    names, numbers = policy.configuration_names, np.arange(first, end)
    conditions: tuple[Condition, ...] = ()
    preference = own_choice(setting)
    if not policy.may_fail:
        conditions = (_heaviest(setting, policy.configurations[first:end], np.array(renewal.values["lengths"])),)
        preference = Preference(
            "the first of those that have it",
            f"{_place(setting)}; which of several is left open there",
            lambda one: f"number {one + 1} of {grouped(end - first)}",
        )
    chosen = np.array([renewal.configuration - first])
    return Candidates("configuration", lambda one: names[first + one], numbers, conditions, preference, chosen)


def _heaviest(setting: Setting, configurations: NDArray[Any], lengths: NDArray[Any]) -> Condition:
    weights = configurations.astype(np.int64) @ lengths
    largest = int(weights.max())

    return Condition(
        "has the largest weight",
        "weighs less",
        "k = argmax ⟨k, Q⟩",
        _place(setting),
        weights == largest,
        f"the largest is ⟨k, Q⟩ = {grouped(largest)}",
        lambda one: f"⟨k, Q⟩ = {weighed(configurations[one], lengths, int(weights[one]))} < {grouped(largest)}",
    )


def _place(setting: Setting) -> str:
    exactly = setting.system.policy.may_fail or setting.system.policy.serves_by == "exactly"
    return "Section III.A, Definition 2, (5)" if exactly else "Section V.B, step 1, (8)"


#: The most departures, and servers, for which a change is tried.
_MOST = 30


class QueueWhys(Whys):
    """See :class:`model.whys.decision.Whys`."""

    monitors = MONITORS

    def subject(self, system: Any, happened: Happened, job: int) -> Subject | None:
        """The placement of the job, by default of the first one placed; or that it waits: see :func:`_first_waiting`.

        If no job was decided on, the active configuration that a server gets: see :func:`renewal_in`.
        """
        if job < -1:
            return renewal_in(system, happened, job)
        records = happened.records
        for place, record in enumerate(records):
            if isinstance(record, Place) and job in (-1, record.job):
                name, where = f"job {system.job_name(record.job)}", f"server {record.server + 1}"
                stays = _server_of(happened.state, record.job) == record.server
                evicted = "" if stays else ", and leaves it again in the same slot"
                return Subject(
                    record.job,
                    place,
                    (record.server,),
                    f"Why is {name} on {where}?",
                    f"{name} is placed on {where}{evicted}",
                )
        waiting = waiting_records(happened.state)
        numbers = happened.state.job_number[waiting]
        if not len(waiting) or job not in (-1, *numbers.tolist()):
            return renewal_in(system, happened, job) if job < 0 else None
        job = _first_waiting(happened.state) if job < 0 else job
        name = f"job {system.job_name(job)}"
        return Subject(job, len(records), (), f"Why does {name} still wait?", f"{name} waits on")

    def told(self, system: Any, happened: Happened) -> Subject | None:
        """The subject that the first of the jobs that have just arrived waits."""
        fresh = _fresh(happened.state)
        return self.subject(system, happened, int(fresh[0])) if len(fresh) else None

    def about(self, record: Record) -> int | None:
        """The job that a record concerns; for a renewal the number of its server, see :func:`renewal_in`."""
        return about(record) if isinstance(record, Renew) else super().about(record)

    def decided(self, state: QueueState, job: int, initial_jobs: int) -> bool:
        """Whether the job was placed."""
        waits = ((state.job_number == job) & (state.job_server < 0)).any()
        return super().decided(state, job, initial_jobs) and not waits

    def meant(self, state: QueueState, thing: Thing) -> Meant:
        """What a click on a thing refers to; for a queue, the job at its head."""
        if thing.what != QUEUE:
            return Meant()
        head = int(state.first_waiting[thing.number])
        if head < 0:
            raise UserError(f"found no job in VQ{subscript(thing.number)}, allowed: a queue in which jobs wait")
        return Meant(int(state.job_number[head]))

    def candidates(self, setting: Setting) -> tuple[Candidates, ...]:
        """The servers for the job; also the jobs for the server, if one is asked about. See also :func:`of_renewal`."""
        if setting.subject.job < 0:
            return of_renewal(setting)
        servers = servers_of(setting)
        server = setting.server if setting.server >= 0 else next(iter(setting.subject.on), -1)
        return servers if server < 0 else (*servers, jobs_of(setting, server))

    def outlined(self, setting: Setting) -> NDArray[np.bool_]:
        """[L] the servers with room in all resources, or else those configured for the job, or else the one with the
        most room."""
        job, state = job_of(setting), setting.state
        free = setting.system.numbers.capacity - state.used
        shown: NDArray[np.bool_] = (free >= job.room).all(axis=1)
        if is_configured(setting.system.policy):
            shown |= places_for(setting, job) > 0
        elif not shown.any():
            shown[np.argmax(np.where(state.stalled > 0, -1, free[:, 0]))] = True
        return shown

    def changes(self, setting: Setting, before: QueueState) -> Iterator[Change]:
        """An earlier departure, a server not stalled, another active configuration, or other queue lengths."""
        if setting.subject.job < 0:
            yield from changes_of(setting)
            return
        yield from _departures(setting, before)
        yield from _servers_otherwise(setting, before)


def _server_of(state: QueueState, job: int) -> int:
    found = state.job_server[state.job_number == job]
    return int(found[0]) if len(found) else -1


# Changes.


def _departures(setting: Setting, before: QueueState) -> Iterator[Change]:
    """Changes in which a job in service departs at the start of this slot instead of later."""
    system, slot = setting.system, setting.event.time

    due = np.where(before.job_server >= 0, before.job_departure, np.inf)
    due = np.where(due > slot, due, np.inf)
    for record in soonest(due, before.job_server, setting.server, _MOST).tolist():
        later = counted(round(due[record] - slot), "slot")
        job, server = system.job_name(int(before.job_number[record])), int(before.job_server[record]) + 1
        words = f"job {job} leaves server {server} before this slot, {later} earlier"
        yield Change(1, words, partial(rescheduled, system, "job_departure", DEPARTURES, record, slot))


def _servers_otherwise(setting: Setting, before: QueueState) -> Iterator[Change]:
    """Changes in which a server is not stalled, or has another active configuration."""
    system, policy = setting.system, setting.system.policy
    job = job_of(setting)

    def freed(server: int) -> Any:
        def make(state: Any) -> Any:
            state.stalled[server] = 0
            state.number[STALLED_SERVERS] -= 1
            return system

        return make

    def configured(server: int, configuration: int) -> Any:
        def make(state: Any) -> Any:
            state.active[server] = configuration
            return system

        return make

    meant = [setting.server] if setting.server >= 0 else range(min(_MOST, system.numbers.servers))
    for server in meant:
        if before.stalled[server]:
            yield Change(1, f"server {server + 1} not stalled", freed(server))
        if not len(policy.pool_configurations) or not before.jobs_on[server]:
            continue
        first, end = policy.pool_configurations[system.numbers.pool_of[server]]
        for number in (first + np.flatnonzero(policy.configurations[first:end, job.queue] > 0)).tolist()[:3]:
            if number != before.active[server]:
                words = f"server {server + 1} with the active configuration {policy.configuration_names[number]}"
                yield Change(1, words, configured(server, number))


def _fresh(state: QueueState) -> NDArray[np.int64]:
    """[n] the numbers of the jobs that have just arrived and wait."""
    waiting = waiting_records(state)
    numbers: NDArray[np.int64] = state.job_number[waiting[state.job_arrival[waiting] == state.clock[0]]]
    return numbers


def _first_waiting(state: QueueState) -> int:
    """The first job that has just arrived and waits, which the event row names; or else the first waiting job."""
    fresh = _fresh(state)
    return int(fresh[0] if len(fresh) else state.job_number[waiting_records(state)[0]])


WHYS = QueueWhys()
