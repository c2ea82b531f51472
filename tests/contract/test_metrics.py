"""Every number that ``run`` measures is compared with an independent, slow calculation.

Here every number is counted only from the lists of jobs and servers after every event, never from a running sum,
a counter or a sample of the program.  Each kind of system defines the levels that hold between two events,
what an event adds to the counts, and how the metrics follow from both.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from typing import Any, Mapping, NamedTuple

import numpy as np
import pytest

from slotscope.gui.kinds.rooms import PANEL_ROOMS
from slotscope.gui.window.manual import HELP
from slotscope.model.api import Session
from slotscope.model.kinds.spec import KINDS, kind_named
from slotscope.model.systems.state import copied
from tests.runs import ran

Numbers = Mapping[str, float]


class Job(NamedTuple):
    """A job in the system; *place* is its server, below ``NOWHERE`` one of another kind."""

    kind: int
    place: int
    record: int


NOWHERE = -1


def live(state: Any, kind_of: str) -> dict[int, Job]:
    """The jobs in the system by number; *kind_of* names the array with their type or phase.

    Virtual jobs, which are numbered separately, have the key -1 - number.
    """
    free = set(state.free_record[: int(state.number[3 if kind_of == "job_type" else 2])].tolist())
    kinds = getattr(state, kind_of)
    virtual = getattr(state, "job_virtual", np.zeros(len(kinds), np.uint8))
    found = {}
    for at in set(range(len(kinds))) - free:
        number = int(state.job_number[at])
        job = Job(int(kinds[at]), int(state.job_server[at]), at)
        found[-1 - number if virtual[at] else number] = job
    return found


def _reservation_levels(bench: Any, state: Any) -> Numbers:
    rewards = [float(reward) for reward in bench.numbers.rewards]
    jobs = live(state, "job_type").values()
    return {"reward": sum(rewards[job.kind] for job in jobs) / bench.numbers.servers}


def _reservation_counts(_bench: Any, before: Any, after: Any) -> Numbers:
    old, new = live(before, "job_type"), live(after, "job_type")
    both = old.keys() & new.keys()
    arrived = int(after.number[1] - before.number[1])
    # Policies whose slots are just the jobs in them never assign configurations to servers.
    reserves = any((state.configuration != state.placement).any() for state in (before, after))
    changed = (before.configuration != after.configuration).any(axis=1)
    return {
        "admitted": len(new.keys() - old.keys()),
        "rejected": arrived - len(new.keys() - old.keys()),
        "migrations": sum(old[job].place != new[job].place for job in both),
        "reassignments": int(changed.sum()) * reserves,
    }


def _reservation_metrics(_bench: Any, area: Numbers, count: Numbers, length: float) -> Numbers:
    both = count["admitted"] + count["rejected"]
    return {"reward_rate": area["reward"] / length, **count, "rejection_probability": count["rejected"] / both}


def _queue_levels(bench: Any, state: Any) -> Numbers:
    capacity = bench.numbers.capacity.sum(axis=0)
    jobs = live(state, "job_queue").values()
    used = sum((state.job_room[job.record] for job in jobs if job.place != NOWHERE), np.zeros(len(capacity)))
    return {"waiting": sum(job.place == NOWHERE for job in jobs), "used": float((used / capacity).mean())}


def _queue_counts(_bench: Any, before: Any, after: Any) -> Numbers:
    old, new = live(before, "job_queue"), live(after, "job_queue")
    waited = {job for job in new if job not in old or old[job].place == NOWHERE}
    return {
        "arrived": len(new.keys() - old.keys()),
        "placed": sum(new[job].place != NOWHERE for job in waited),
        "departed": len(old.keys() - new.keys()),
        "renewals": int((before.active != after.active).sum()),
    }


def _queue_metrics(_bench: Any, area: Numbers, count: Numbers, length: float) -> Numbers:
    return {
        "queue_length": area["waiting"] / length,
        "used_capacity": area["used"] / length,
        "waiting_time": area["waiting"] / count["placed"],
        **count,
    }


def _phases_levels(bench: Any, state: Any) -> Numbers:
    model = bench.numbers.model
    jobs = live(state, "job_phase")
    real = [found for job, found in jobs.items() if job >= 0]
    demands: dict[int, list[Any]] = {}
    for job in real:
        use = demands.setdefault(job.place, [0] * len(model.capacity))
        for place, amount in enumerate(model.demand[job.kind]):
            use[place] += amount
    overrun = sum(
        max(use - most, 0) / most for uses in demands.values() for use, most in zip(uses, model.capacity, strict=True)
    )
    return {
        "active_servers": len(demands),
        "real_jobs": len(real),
        "cost": float(overrun),
        "virtual_jobs": len(jobs) - len(real),
        "tokens": int(state.token_count.sum()),
        "backup_jobs": sum(job.place < NOWHERE for job in real),
    }


def _phases_counts(_bench: Any, before: Any, after: Any) -> Numbers:
    old, new = live(before, "job_phase"), live(after, "job_phase")
    fresh = new.keys() - old.keys()
    real = [new[job] for job in fresh if job >= 0]
    matches = sum(after.job_token[found.record] != NOWHERE for found in real)
    virtual = sum(job < 0 for job in fresh)
    more = int(after.token_count.sum()) - int(before.token_count.sum())
    return {
        "requests": more + matches + virtual,  # tokens are never lost
        "matches": matches,
        "virtual_arrivals": virtual,
        "overflows": sum(found.place < NOWHERE for found in real),
    }


def _phases_metrics(_bench: Any, area: Numbers, count: Numbers, length: float) -> Numbers:
    cost = area["cost"] / area["active_servers"]
    means = {name: value / length for name, value in area.items() if name != "cost"}
    return {**means, "cost_rate": cost, **count}


def _moldable_jobs(state: Any) -> dict[int, int]:
    """The records of the jobs in the system, by job number."""
    return {int(state.job_number[at]): at for at in set(state.server_job.tolist()) - {NOWHERE}}


def _moldable_levels(bench: Any, state: Any) -> Numbers:
    numbers = bench.numbers
    widths = Counter(int(state.job_width[at]) for at in _moldable_jobs(state).values())
    (speedup,), (mean,), (target,) = numbers.speedups, numbers.means, numbers.target
    apart = {i: widths[i] - float(target[i]) for i in range(1, len(speedup) + 1)}
    (support,) = numbers.support
    few = sum(jobs for i, jobs in widths.items() if i < min(support))
    return {
        "jobs": widths.total(),
        "busy": int((state.server_job != NOWHERE).sum()),
        "leaving": sum(float(speedup[i - 1] / mean) * jobs for i, jobs in widths.items()),
        "distance": sum(map(abs, apart.values())),
        "squared": sum(float(speedup[i - 1]) * apart[i] ** 2 for i in support),
        "below": few > 1,
        **{f"x_{i}": widths[i] for i in apart},
    }


def _moldable_counts(_bench: Any, before: Any, after: Any) -> Numbers:
    old, new = _moldable_jobs(before), _moldable_jobs(after)
    arrived = int(after.number[1] - before.number[1])
    fresh = [new[job] for job in new.keys() - old.keys()]
    left = [old[job] for job in old.keys() - new.keys()]
    return {
        "admitted": len(fresh),
        "blocked": arrived - len(fresh),
        "partial": sum(after.job_width[at] < after.job_request[at] for at in fresh),
        "split": sum(int(after.piece_next[at]) != NOWHERE for at in fresh),
        "departed": len(left),
        "time_of_admitted": sum(after.job_departure[at] - after.job_arrival[at] for at in fresh),
        "time_of_departed": sum(before.job_departure[at] - before.job_arrival[at] for at in left),
    }


def _moldable_metrics(bench: Any, area: Numbers, count: Numbers, length: float) -> Numbers:
    each = length * bench.numbers.servers
    counted = {name: value for name, value in count.items() if not name.startswith("time")}
    return {
        "blocking_probability": count["blocked"] / (count["blocked"] + count["admitted"]),
        "execution_time": count["time_of_admitted"] / count["admitted"],
        "execution_time_completed": count["time_of_departed"] / count["departed"],
        "execution_time_little": area["jobs"] / count["admitted"],
        "jobs": area["jobs"] / length,
        "busy": area["busy"] / each,
        "departure_rate": area["leaving"] / each,
        "distance": area["distance"] / each,
        "squared_distance": area["squared"] / (each * bench.numbers.servers),
        "below": area["below"] / length,
        **{name: value / each for name, value in area.items() if name.startswith("x_")},
        **counted,
    }


_BOOKS = {
    "reservation": (_reservation_levels, _reservation_counts, _reservation_metrics),
    "queue": (_queue_levels, _queue_counts, _queue_metrics),
    "phases": (_phases_levels, _phases_counts, _phases_metrics),
    "moldable": (_moldable_levels, _moldable_counts, _moldable_metrics),
}


def metrics_of(session: Session, warmup: float, until: float) -> Numbers:
    """Each metric over [warmup, until) of a run that is at its start."""
    levels, counts, metrics = _BOOKS[session.info.system]
    bench, line = session.bench, session.timeline
    area: Counter[str] = Counter()
    count: Counter[str] = Counter()
    while True:
        before, since = copied(line.state), line.time
        held = levels(bench, before)
        event = line.event
        session.run(events=1)
        now = line.time if line.event > event else until
        for name, value in held.items():
            area[name] += value * max(0.0, min(now, until) - max(since, warmup))
        if now >= until:
            return metrics(bench, area, count, until - warmup)
        if now >= warmup:
            count.update(counts(bench, before, line.state))


EVENTS = 500

SMALL = {
    "reservation": "dra-classroom",
    "queue": "queues-classroom",
    "phases": "jrs-classroom",
    "moldable": "moldable-classroom",
}

#: Metrics that cannot be computed as a sum over events, and the file of their tests.
ELSEWHERE = {"queue_growth": "tests/model/test_metrics.py"}


def stretch(name: str, policy: str, seed: int) -> tuple[float, float]:
    """A warm-up and an end, so that the run has about EVENTS events."""
    session = ran(name, policy=policy, seed=seed, kernel=True, events=EVENTS)
    return float(round(session.timeline.time / 7)), float(round(session.timeline.time))


@pytest.mark.slow
@pytest.mark.parametrize("system", list(KINDS))
def test_metrics_are_those_of_a_second_bookkeeping(system):
    name, seed = SMALL[system], random.randrange(10**6)
    for policy in kind_named(system).kernels:
        warmup, until = stretch(name, policy, seed)
        measured = Session.open(name, policy=policy, seed=seed).measure(until, warmup)
        expected = metrics_of(Session.open(name, policy=policy, seed=seed), warmup, until)
        assert set(measured) - set(ELSEWHERE) == set(expected)
        for metric, value in expected.items():
            assert measured[metric].mean == pytest.approx(value, rel=1e-9, abs=1e-9), (
                f"{metric} of {name} under {policy}, seed {seed}"
            )


@pytest.mark.parametrize("system", KINDS)
def test_every_measure_is_explained_in_the_manual(system: str) -> None:
    page = (HELP / f"{PANEL_ROOMS[system].page}.md").read_text(encoding="utf-8")
    told = set(re.findall(r"`(\w+)`", page))
    measured = Session.open(SMALL[system]).measure(60.0, 0.0)
    assert [name for name in measured if name not in told and not re.fullmatch(r"x_\d+", name)] == []
