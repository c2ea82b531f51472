"""Invariants after every event of moldable jobs: each planted fault must be found."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from slotscope.model.kinds.moldable.invariants import doubtful, pieces_of
from slotscope.model.kinds.moldable.state import (
    ADMITTED,
    ARRIVED,
    BELOW,
    BLOCKED,
    BUSY,
    DEPARTED,
    DISTANCE,
    EVENT,
    JOBS,
    NEXT_ARRIVAL,
    NOW,
    OF_ADMITTED,
    OF_DEPARTED,
    PARTIAL,
    SPLIT,
    SQUARED,
    MoldableState,
)
from slotscope.model.kinds.moldable.system import MoldableSystem
from slotscope.model.running.assembly import assemble
from slotscope.model.scenario.load import parse_scenario
from slotscope.model.scenario.workload import ContinuedWorkload
from slotscope.model.systems.state import copied
from tests.sound import Plant, add, is_told, put, reached, violations

#: Two classes with own servers, followed by common servers.
DATA: dict[str, Any] = {
    "system": "moldable",
    "seed": 4,
    "servers": {"count": 24},
    "classes": [{"name": "a", "speedup": ["1", "9/5", "5/2", "3"]}, {"name": "b", "speedup": ["1", "3/2", "7/4"]}],
    "workload": {"kind": "poisson", "load": "9/10"},
    "policy": {
        "name": "greedy-p",
        "parameters": {
            "p": {"a": ["1/10", 0, "6/10", "3/10"], "b": [0, "1/2", "1/2"]},
            "shares": {"a": "1/2", "b": "1/4"},
            "rest": "common",
        },
    },
}


def system_of(**parameters: Any) -> Any:
    policy = {"name": "greedy-p", "parameters": DATA["policy"]["parameters"] | parameters}
    return assemble(parse_scenario(DATA | {"policy": policy})).system


def everything(state: Any) -> bool:
    """Whether there are split jobs, also across both pools, partial ones, gaps, and two gaps in one list."""
    live = state.job_number >= 0
    split = live & (state.piece_next >= 0)
    partial = live & (state.job_width < state.job_request)
    gaps = (state.gap_head[:2] >= 0).sum()
    alike = (state.gap_next[state.gap_head[state.gap_head >= 0]] >= 0).any()
    in_both = split[:12].any() and (state.server_job[18:] == np.flatnonzero(split)[0]).any()
    return bool(
        split.any()
        and in_both
        and partial.any()
        and gaps
        and alike
        and state.free[2] > 0
        and state.below[0, 0] >= 2
        and state.jobs[1].sum() >= 2
        and (state.tally[BLOCKED] > 0).all()
        and (state.run_length[state.server_job < 0] > 1).any()
    )


@cache
def common() -> tuple[MoldableSystem, MoldableState]:
    return reached(system_of(), everything)


@cache
def idle() -> tuple[MoldableSystem, MoldableState]:
    """A state without common servers, in which the last six servers belong to no class."""
    return reached(system_of(rest="idle"), lambda state: bool(state.jobs.sum() > 5))


def live(state: MoldableState, place: int = 0) -> int:
    """The record of some job."""
    return int(np.flatnonzero(state.job_number >= 0)[place])


def gone(state: MoldableState) -> int:
    """A server whose index is no record of a job."""
    return int(np.flatnonzero(state.job_number < 0)[0])


twice_here = put("job_number", live, lambda state: state.job_number[live(state, 1)])


not_arrived = put("job_number", live, lambda state: state.number[NEXT_ARRIVAL])


def idle_server(state: MoldableState) -> int:
    return int(np.flatnonzero(state.server_job < 0)[0])


def stolen(_: MoldableSystem, state: MoldableState) -> None:
    """A server of one job is assigned to another: the sums of widths and of servers in use stay the same."""
    wide = np.flatnonzero((state.job_number >= 0) & (state.job_width > 1))[0]
    mine = np.flatnonzero(state.server_job == wide)
    state.server_job[mine[-1]] = live(state, -1)


def first_server_of_another(_: MoldableSystem, state: MoldableState) -> None:
    """Two jobs of the same width have their servers exchanged."""
    widths = state.job_width[np.flatnonzero(state.job_number >= 0)]
    width = next(int(w) for w in widths if (widths == w).sum() > 1)
    one, other = np.flatnonzero((state.job_number >= 0) & (state.job_width == width))[:2]
    mine, theirs = state.server_job == one, state.server_job == other
    state.server_job[mine], state.server_job[theirs] = other, one


def other_class(_: MoldableSystem, state: MoldableState) -> None:
    """A job changes its class, so that it is on servers of the other class."""
    found = np.flatnonzero((state.job_number >= 0) & (state.job_class == 1))
    state.job_class[found[0]] = 0


narrow_for_ever = put("below", (1, 0), lambda state: state.below[0, 0] - 1)


def split_record(state: MoldableState) -> int:
    return int(np.flatnonzero((state.job_number >= 0) & (state.piece_next >= 0))[0])


def piece_too_many(_: MoldableSystem, state: MoldableState) -> None:
    """The last piece of one job links to another job's piece."""
    whole = np.flatnonzero((state.job_number >= 0) & (state.piece_next < 0))
    state.piece_next[whole[0]] = whole[-1]


def a_gap(state: MoldableState) -> tuple[int, int, int]:
    """A gap with a successor in its list: pool, list and first server."""
    for pool, place in np.argwhere(state.gap_head >= 0).tolist():
        start = int(state.gap_head[pool, place])
        if state.gap_next[start] >= 0:
            return pool, place, start
    raise AssertionError("no such gap")


def gap_twice(_: MoldableSystem, state: MoldableState) -> None:
    start = a_gap(state)[2]
    state.gap_next[state.gap_next[start]] = start


gap_before = put("gap_previous", lambda state: state.gap_next[a_gap(state)[2]], -1)


def gap_in_the_wrong_list(_: MoldableSystem, state: MoldableState) -> None:
    pool, place, start = a_gap(state)
    empty = int(np.flatnonzero(state.gap_head[pool] < 0)[0])
    state.gap_head[pool, empty], state.gap_head[pool, place] = start, state.gap_next[start]
    state.gap_previous[state.gap_next[start]] = -1
    state.gap_next[start] = -1


def long_gap(state: MoldableState) -> int:
    starts = [int(start) for start in state.gap_head.ravel() if start >= 0]
    return next(start for start in starts if state.run_length[start] > 1)


def gap_of_another_end(_: MoldableSystem, state: MoldableState) -> None:
    start = long_gap(state)
    state.run_length[start + state.run_length[start] - 1] += 1


in_the_past = put("clock", NOW, lambda state: state.job_departure.min() + 1e-09)


def arrived_before(_: MoldableSystem, state: MoldableState) -> None:
    state.job_arrival[live(state)] *= 0.5


def since_the_future(_: MoldableSystem, state: MoldableState) -> None:
    state.class_since[0] = state.since[0, 1] = state.clock[NOW] + 1.0


def all_the_time(_: MoldableSystem, state: MoldableState) -> None:
    state.area[0, 4] += 24 * state.clock[NOW]


def used_bin(state: MoldableState) -> tuple[int, ...]:
    return tuple(np.argwhere(state.occupancy > 0)[0].tolist())


def time_where_nobody_can_be(_: MoldableSystem, state: MoldableState) -> None:
    bins = state.occupancy[0]
    bins[-1, -1], bins[used_bin(state)[1:]] = bins[used_bin(state)[1:]], 0.0


FAULTS: dict[str, tuple[Plant, str]] = {
    "a job has two records": (twice_here, "two jobs have the same number"),
    "a job of a number below 0": (put("job_number", gone, -7), "a number below 0"),
    "a job that has not come": (not_arrived, "given were those below"),
    "a job of no class": (put("job_class", live, 5), "of a class that is none of 2"),
    "a job of no server": (put("job_width", live, 0), " runs on no server"),
    "a job asked for less": (put("job_request", live, 0), " servers and asked for 0"),
    "a job asked for too much": (add("job_request", live, 9), " servers and can run on "),
    "a server of nobody": (put("server_job", live, idle_server), "a server runs a job that is not here"),
    "a server of no job": (add("server_job", 0, 999), "a server runs a job that is not here"),
    "a server stolen": (stolen, "servers, its width is"),
    "servers exchanged": (first_server_of_another, "is not on it"),
    "servers in use": (add("number", BUSY, 1), "servers have a job, counted"),
    "a job in X too many": (add("jobs", (0, 2), 1), "jobs by class and width are"),
    "a job on no server in X": (add("jobs", (0, 0), 1), "jobs by class and width are"),
    "a job too many": (add("number", JOBS, 1), "jobs, counted"),
    "a narrow job too many": (add("below", (0, 0), 1), "run on fewer than"),
    "fewer narrow jobs ever": (narrow_for_ever, "on fewer than i1 servers than ever did"),
    "an arrival vanished": (add("tally", (ARRIVED, 0), 1), "jobs arrived,"),
    "a job came from nowhere": (add("tally", (ADMITTED, 1), 1), "jobs arrived,"),
    "a blocked job vanished": (add("tally", (BLOCKED, 0), -1), "jobs arrived,"),
    "a job came back": (add("tally", (DEPARTED, 0), -1), "jobs got servers,"),
    "another next arrival": (add("number", NEXT_ARRIVAL, 1), "arrivals were taken"),
    "another event": (add("number", EVENT, 1), "left, in"),
    "fewer partial ones": (add("tally", (PARTIAL, slice(None)), -9999), "than they asked for"),
    "too many partial ones": (add("tally", (PARTIAL, 0), 9999), "than they asked for"),
    "fewer in pieces": (add("tally", (SPLIT, slice(None)), -9999), "in several pieces and"),
    "too many in pieces": (add("tally", (SPLIT, 1), 9999), "in several pieces and"),
    "happened less than never": (add("tally", (SPLIT, 1), -9999), "something happened -"),
    "a job should have departed": (in_the_past, "a job should have departed before"),
    "a job never departs": (put("job_departure", live, np.inf), "or never departs"),
    "a job departs at no time": (put("job_departure", live, np.nan), "or never departs"),
    "a job from the future": (put("job_arrival", live, 1e9), "a job that is here arrives later"),
    "a job from before": (put("job_arrival", live, -1.0), "a job that is here arrives later"),
    "nobody departs": (put("job_departure", gone, 1e9), "a job that is not here will depart"),
    "no time": (put("clock", NOW, np.nan), "the time is nan"),
    "counted last at another time": (add("class_since", 0, -0.1), "when no job of it came or left"),
    "counted up to the future": (since_the_future, "when no job of it came or left"),
    "another distance": (add("distance", 0, 1), "||X - n y*|| is"),
    "another level of the distance": (add("level", (0, DISTANCE), 1), "the levels are"),
    "another level of the square": (add("level", (1, SQUARED), 1), "the levels are"),
    "another level of Lemma 2": (add("level", (0, BELOW), -1), "the levels are"),
    "an area below 0": (add("area", (0, 1), -1e9), "an integral over time is -"),
    "an area that is none": (add("area", (0, 1), np.nan), "an integral over time is nan"),
    "a level's area below 0": (add("level_area", (1, DISTANCE), -1e9), "over time is -"),
    "more than all servers' time": (all_the_time, "of the servers' time was used"),
    "longer than there was time": (add("level_area", (0, BELOW), 1e6), "two jobs ran on fewer"),
    "a little more area": (add("area", (0, 1), 1e-3), "the integral of the jobs is"),
    "an arrival moved": (arrived_before, "the integral of the jobs is"),
    "the times of those that left": (add("time_sum", (OF_DEPARTED, 0), 1e-3), "the integral of the jobs is"),
    "the times of all": (add("time_sum", (OF_ADMITTED, 1), 1e-3), "execution times are"),
    # The message is about the sum of execution times, not about the changed departure time.
    "a departure moved": (add("job_departure", live, 1.0), "execution times are"),
    "time lost in a bin": (put("occupancy", used_bin, 0.0), "in the bins, of"),
    "time won in a bin": (add("occupancy", used_bin, 1.0), "was spent in the bins, of"),
    "time below 0 in a bin": (add("occupancy", (0, 60, 60), -1.0), "was spent in the bins, of"),
    "time in an impossible bin": (time_where_nobody_can_be, "class a has spent time where it has more jobs than"),
    "servers of another class": (other_class, "servers that are not for its class"),
    "a piece lost": (put("piece_next", split_record, -1), "are not its servers"),
    "a piece too long": (add("run_length", split_record, 1), "are not its servers"),
    "a piece too many": (piece_too_many, "are not its servers"),
    "a piece of nothing": (put("run_length", live, 0), "are not its servers"),
    "free servers of a pool": (add("free", 2, -1), "pool 3 has"),
    "a gap lost": (put("gap_next", lambda state: a_gap(state)[2], -1), "has gaps"),
    "a gap listed twice": (gap_twice, "is listed twice"),
    "a gap behind another": (gap_before, "in the wrong list, or wrongly linked"),
    "a gap in another list": (gap_in_the_wrong_list, "in the wrong list, or wrongly linked"),
    "a gap of another length": (add("run_length", long_gap, -1), "has gaps"),
    "a gap with another end": (gap_of_another_end, "has another length at its end"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_seen(name: str) -> None:
    plant, sentence = FAULTS[name]
    is_told(sentence, plant, *common())


@pytest.mark.parametrize(
    ("field", "value", "told"), [("job_request", 0, "asked for 0"), ("job_width", 0, "runs on no server")]
)
def test_the_job_that_is_wrong_is_named(field: str, value: int, told: str) -> None:
    system, state = common()[0], copied(common()[1])
    record = live(state)
    put(field, record, value)(system, state)
    name = system.job_name(int(state.job_number[record]))
    assert any(line.startswith(f"job {name} ") and told in line for line in violations(system, state))


def test_every_array_of_the_state_is_looked_at() -> None:
    """A fault is planted in each array but the trail, which is a hash, and the memory of the policy."""
    touched = set()
    for plant, _ in FAULTS.values():
        system, state = common()[0], copied(common()[1])
        plant(system, state)
        touched |= {
            name
            for name in state._fields
            if not np.array_equal(getattr(state, name), getattr(common()[1], name), equal_nan=False)
        }
    assert touched == set(MoldableState._fields) - {"trail", "memory"}


def test_servers_of_no_pool_are_idle() -> None:
    system, state = idle()[0], copied(idle()[1])
    assert (state.server_job[18:] == -1).all()
    wide = np.flatnonzero((state.job_number >= 0) & (state.job_width > 1))[0]
    mine = np.flatnonzero(state.server_job == wide)
    state.server_job[[mine[-1], 20]] = -1, wide
    assert any("server 21 is in no pool and runs a job" in line for line in violations(system, state))


def test_a_piece_is_in_one_pool() -> None:
    """Adjacent servers of two pools are two pieces."""
    system, state = common()
    rules = system.rules
    moved = rules._replace(pool_first=rules.pool_first.copy(), pool_end=rules.pool_end.copy())
    wide = next(
        int(record)
        for record in np.flatnonzero(state.job_number >= 0)
        if state.job_class[record] == 1 and state.run_length[record] > 1
    )
    moved.pool_end[1] = moved.pool_first[2] = wide + 1
    system.rules = moved
    found = violations(system, state)
    system.rules = rules
    assert f"a piece of the job of server {wide + 1} is in two pools" in found


def test_more_servers_in_use_than_there_are() -> None:
    system, state = common()[0], copied(common()[1])
    state.job_width[live(state)] = state.job_request[live(state)] = 99
    assert any(line.endswith("there are 24") for line in violations(system, state))


def test_a_run_that_goes_on_from_another_may_have_less_time_in_its_bins() -> None:
    """Another optimum has other bins, so that they are filled anew from the fork on."""
    system, state = common()[0], copied(common()[1])
    state.occupancy[...] = 0.0
    workload = system.workload
    assert any("in the bins" in line for line in violations(system, state))
    system.workload = ContinuedWorkload(workload, 0)
    found = violations(system, state)
    system.workload = workload
    assert found == []


@pytest.mark.parametrize("seed", range(60))
def test_no_job_with_a_fault_in_its_pieces_is_passed_over(seed: int) -> None:
    """The check of all jobs at once must find the same jobs as the check of one job after the other."""
    chance, (system, sound) = np.random.default_rng(seed), common()
    state, servers = copied(sound), len(sound.server_job)
    for name in chance.choice(["server_job", "run_length", "piece_next", "job_width", "job_class"], 1 + seed % 3):
        most = len(system.rules.own_pool) if name == "job_class" else servers
        getattr(state, name)[chance.integers(servers)] = chance.integers(-(name != "job_class"), most)
    pools = np.searchsorted(system.rules.pool_end, np.arange(servers), side="right")
    jobs = np.flatnonzero(state.job_number >= 0).tolist()
    wrong = [one for one in jobs if [*pieces_of(system, state, pools, one)]]
    assert doubtful(system, state, pools).tolist() == wrong
