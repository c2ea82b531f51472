"""Why a moldable job runs on its number of servers, and on these servers, or is blocked.

Reference: Ghanbarian et al. (2025), Section 4; several classes: Section 6.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any, Iterator

import numpy as np
from numpy.typing import NDArray

from slotscope.model.errors import UserError
from slotscope.model.kinds.moldable import physics
from slotscope.model.kinds.moldable.inspection import CLASS
from slotscope.model.kinds.moldable.invariants import MONITORS
from slotscope.model.kinds.moldable.state import ARRIVED, OF_ADMITTED, MoldableState
from slotscope.model.reporting.explain import counted, grouped, plural, quantity
from slotscope.model.reporting.inspection import Thing
from slotscope.model.reporting.records import ARRIVAL, Allocate, Reject
from slotscope.model.whys.decision import Change, Happened, Meant, Setting, Subject, Whys, asked_by, own_choice
from slotscope.model.whys.tables import THAT, Candidates, Condition, Preference

#: Most departures, and most widths, for which a change is tried.
_MOST = 30


class MoldableWhys(Whys):
    """See :class:`model.whys.decision.Whys`."""

    monitors = MONITORS

    def subject(self, system: Any, happened: Happened, job: int) -> Subject | None:
        """The arriving job."""
        event = happened.event
        if event.kind != ARRIVAL or job not in (-1, event.job):
            return None
        place = next(n for n, one in enumerate(happened.records) if isinstance(one, Allocate | Reject))
        decision, name = happened.records[place], f"job {system.job_name(event.job)}"
        if not isinstance(decision, Allocate):
            return Subject(event.job, place, (), f"Why is {name} blocked?", f"{name} is blocked")
        record = int(np.flatnonzero(happened.state.job_number == event.job)[0])
        on = tuple(np.flatnonzero(happened.state.server_job == record).tolist())
        where = f"{plural(len(on), 'server')} {_listed(on)}"
        runs_on = where if len(on) == 1 else f"{len(on)} servers: {_listed(on)}"
        return Subject(event.job, place, on, f"Why is {name} on {where}?", f"{name} runs on {runs_on}")

    def meant(self, state: MoldableState, thing: Thing) -> Meant:
        """The job meant by a thing: for a class, the latest arrival of the class.

        Raises UserError if no job of the class has arrived yet.
        """
        if thing.what != CLASS:
            return Meant()
        came = int(state.tally[ARRIVED, thing.number])
        if not came:
            raise UserError("found a class of which no job has come yet, allowed: one of which there was a job")
        return Meant(made=lambda later: bool(later.tally[ARRIVED, thing.number] >= came))

    def candidates(self, setting: Setting) -> tuple[Candidates, ...]:
        """The servers, and the possible numbers of servers."""
        return _servers(setting), _widths(setting)

    def outlined(self, setting: Setting) -> NDArray[np.bool_]:
        """[n] whether each server is free."""
        free: NDArray[np.bool_] = setting.state.server_job < 0
        return free

    def changes(self, setting: Setting, before: MoldableState) -> Iterator[Change]:
        """Possible changes: another request, earlier departures."""
        yield from _requests(setting)
        yield from _departures(setting, before)


def _listed(servers: tuple[int, ...]) -> str:
    """Numbers from 1, with ranges: 3 to 6, 9, 11 and 12."""
    numbers = np.array(servers) + 1
    runs = np.split(numbers, np.flatnonzero(np.diff(numbers) > 1) + 1)
    ends = ((" and " if len(run) == 2 else " to ", dict.fromkeys((run[0], run[-1]))) for run in runs)
    return ", ".join(between.join(map(str, both)) for between, both in ends)


def _asked(setting: Setting) -> tuple[int, str]:
    """The number of servers that the job requests, and how it came about."""
    record = next((one for one in setting.records if one.kind == "request"), None)
    if record is None:
        decision = setting.decision
        asked = decision.values.get("request", -1) if decision is not None else -1
        return int(asked), "the policy's file says so"
    values = record.values
    how = "always as many"
    match values["reason"]:
        case "drawn":
            how = f"drawn with u = {values['uniform']:.4g}"
        case "step":
            how = f"the step from {values['from']} free servers on"
        case "scripted":
            how = "as its script says"
    return int(values["request"]), how


def _widths(setting: Setting) -> Candidates:
    """The numbers of servers 1, 2, ..., d."""
    system, j = setting.system, setting.event.type
    degree = int(system.numbers.degrees[j])
    free = int(physics.free_for(setting.state, system.rules, j))
    asked, how = _asked(setting)
    width = np.arange(1, degree + 1)
    own = system.policy.may_fail
    conditions = (
        []
        if own
        else [
            Condition(
                "is at most what the job asks for",
                "is more than the job asks for",
                "i ≤ request",
                "Section 4, line 2",
                width <= asked,
                f"it asks for {counted(asked, 'server')}: {how}",
                lambda i: f"{i + 1} > {asked}, {how}",
            )
        ]
    )
    conditions.append(
        Condition(
            "is at most what is free",
            "is more than is free",
            "i ≤ j",
            asked_by(setting, "Section 4, line 3"),
            width <= free,
            f"{grouped(free)} free for the job's class",
            lambda i: f"{i + 1} > {grouped(free)} free",
        )
    )
    speed_up = lambda i: f"speed-up {float(system.tables.speedup[j, i + 1]):.4g}"  # noqa: E731
    preference = Preference("the largest", "Section 4, line 3: min(i, j)", speed_up, -width, compares=-width)
    if own:
        preference = own_choice(setting, speed_up)
    chosen = np.array([len(setting.subject.on) - 1] if setting.subject.on else [], np.int64)
    return Candidates(
        "width", lambda i: counted(i + 1, "server"), width, tuple(conditions), preference, chosen, it=THAT
    )


def _servers(setting: Setting) -> Candidates:
    """All servers: open to the class, free."""
    gap = _gaps(setting)
    number = np.arange(setting.system.numbers.servers)
    preference = Preference(
        "in the shortest gap that holds the job, from its beginning",
        "places of servers: no part of the paper",
        lambda server: f"a gap of {counted(int(gap[server]), 'free server')}",
    )
    chosen = np.array(setting.subject.on, np.int64)
    conditions = (*_of_pools(setting), _of_free(setting))
    return Candidates("server", lambda server: f"server {server + 1}", number, conditions, preference, chosen)


def _gaps(setting: Setting) -> NDArray[np.int64]:
    """[n] the length of the gap that each server is in; 0 if it is not free."""
    free, first = setting.state.server_job < 0, setting.system.rules.pool_first
    begins = np.diff(free, prepend=free[:1])
    begins[first[first < len(free)]] = True
    run = np.cumsum(begins)
    return np.where(free, np.bincount(run)[run], 0).astype(np.int64)


def _of_pools(setting: Setting) -> Iterator[Condition]:
    """The class's own pool, and the common one if the own one does not suffice; nothing with a single pool."""
    rules = setting.system.rules
    if rules.pools == 1:
        return
    own, common = int(rules.own_pool[setting.event.type]), int(rules.common_pool[0])
    mine, shared = _in_pool(setting, own), _in_pool(setting, common)
    yield Condition(
        "is open to the job's class",
        "is reserved for another class, or for none",
        "⌊b_j n⌋",
        "Section 6",
        mine | shared,
        f"{grouped(int(mine.sum()))} of its own, {grouped(int(shared.sum()))} common",
        lambda _: "it is of another pool",
        ("for another class, or none", "other class", ""),
    )
    if common < 0:
        return
    width, left = len(setting.subject.on), int(setting.state.free[own])
    told = f"{grouped(left)} of its own are free"
    yield Condition(
        "is its class's own, or those do not suffice",
        "is common, and the class's own suffice",
        "",
        "Section 6",
        mine | (left < max(width, 1)),
        told,
        lambda _: told,
    )


def _in_pool(setting: Setting, pool: int) -> NDArray[np.bool_]:
    """[n] whether each server is in a pool; -1: an empty pool."""
    rules, number = setting.system.rules, np.arange(setting.system.numbers.servers)
    if pool < 0:
        return np.zeros(len(number), np.bool_)
    inside: NDArray[np.bool_] = (number >= rules.pool_first[pool]) & (number < rules.pool_end[pool])
    return inside


def _of_free(setting: Setting) -> Condition:
    """No other job runs on the server."""
    system, state = setting.system, setting.state
    free = state.server_job < 0
    return Condition(
        "is free",
        "runs another job",
        "",
        asked_by(setting, "Section 4, line 3"),
        free,
        f"{grouped(int(free.sum()))} free of {grouped(len(free))}",
        lambda server: f"job {system.job_name(int(state.job_number[state.server_job[server]]))} runs on it",
    )


# Changes.


def _requests(setting: Setting) -> Iterator[Change]:
    """The job requests more servers, or fewer."""
    system, event = setting.system, setting.event
    asked, _ = _asked(setting)
    if system.policy.may_fail or asked < 1:
        return

    def asking(width: int) -> Any:
        def make(_: Any) -> Any:
            other = copy(system)
            other.script = replace(system.script, requests={**system.script.requests, event.job: width})
            return other

        return make

    for width in range(1, int(system.numbers.degrees[event.type]) + 1):
        if 0 < abs(width - asked) <= _MOST:
            yield Change(
                abs(width - asked), f"it asks for {counted(width, 'server')} instead of {asked}", asking(width)
            )


def _departures(setting: Setting, before: MoldableState) -> Iterator[Change]:
    """The next departures happen just before: one, two, ...; and that of the job on the server asked about."""
    system, now = setting.system, setting.event.time

    def leaving(records: list[int]) -> Any:
        def make(state: Any) -> Any:
            lasting = state.job_departure[records] - now
            np.subtract.at(state.time_sum[OF_ADMITTED], state.job_class[records], lasting)
            state.job_departure[records] = now
            return system

        return make

    due = np.where(before.job_departure > now, before.job_departure, np.inf)
    order = np.argsort(due, kind="stable")
    order = order[np.isfinite(due[order])]
    there = int(before.server_job[setting.server]) if setting.server >= 0 else -1
    for record in (*([there] if there >= 0 and np.isfinite(due[there]) else []), *order[:_MOST].tolist()):
        later = quantity(f"{due[record] - now:.3g}", system.scenario.run.time_unit)
        job, width = system.job_name(int(before.job_number[record])), int(before.job_width[record])
        words = f"job {job} leaves its {counted(width, 'server')} just before, {later} earlier"
        yield Change(1, words, leaving([int(record)]))
    for size in range(2, min(len(order), 10) + 1):
        yield Change(size, f"the next {size} departures come just before", leaving(order[:size].tolist()))


WHYS = MoldableWhys()
