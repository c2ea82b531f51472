"""Sentences about moldable jobs: what a job requests, what it gets, and why it is blocked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from slotscope.model.kinds.moldable.explain import MoldableNarrator, neighbours_told, time_told
from slotscope.model.kinds.moldable.rows import (
    FLAG_ADMITTED,
    FLAG_ARRIVED,
    FLAG_BELOW,
    FLAG_BLOCKED,
    FLAG_DEPARTED,
    FLAG_FREED,
    FLAG_FULL,
    FLAG_PARTIAL,
    FLAG_SPLIT,
    MOLDABLE_ROW,
)
from slotscope.model.reporting.inspection import Thing
from slotscope.model.reporting.records import ARRIVAL, DEPARTURE, Allocate, Event, Record, Reject
from slotscope.model.running.assembly import assemble
from slotscope.model.running.engine import EventRun, started
from slotscope.model.scenario.load import parse_scenario
from tests.kinds.moldable.strategies import moldable_scenarios
from tests.runs import ran
from tests.told import happened, row_of

#: y* uses 3 and 4 servers, p* = (0, 0, 5/8, 3/8, 0).
ONE: dict[str, Any] = {
    "system": "moldable",
    "servers": {"count": 2000},
    "classes": [{"speedup": ["1", "9/5", "5/2", "3", "17/5"]}],
    "workload": {"kind": "poisson", "load": "4/5"},
}

TWO: dict[str, Any] = ONE | {
    "servers": {"count": 20},
    "classes": [{"name": "wide", "speedup": ["1", "9/5", "5/2", "3"]}, {"name": "narrow", "speedup": ["1", "3/2"]}],
}

SHARES = {"wide": "1/2", "narrow": "1/4"}


def narrator(data: dict[str, Any] = ONE, name: str = "greedy-p", /, **parameters: Any) -> Any:
    policy = {"name": name, "parameters": parameters}
    bench = assemble(parse_scenario(data | {"policy": policy}))
    found = bench.kind.narrator(bench.system)
    assert isinstance(found, MoldableNarrator)
    return found


def row(**values: Any) -> np.void:
    return row_of(MOLDABLE_ROW, "job server type request", **values)


GOT = happened(FLAG_ARRIVED | FLAG_ADMITTED, job=17, type=0, request=4, width=4, free=1200, server=6, lasts=2.345678)
LEFT = happened(FLAG_DEPARTED, job=17, type=0, request=4, width=3, free=9, server=6, lasts=0.5)
LOST = happened(FLAG_ARRIVED | FLAG_BLOCKED | FLAG_FULL, job=17, type=0, request=3, width=0, free=0, busy=2000)

ROWS: dict[str, tuple[dict[str, Any], str]] = {
    "all that it asked for": (GOT, "job 17 asks for 4 servers, 1\u202f200 are free: it gets servers 7 to 10 for 2.346"),
    "two": (
        GOT | {"request": 2, "width": 2},
        "job 17 asks for 2 servers, 1\u202f200 are free: it gets servers 7 and 8 for 2.346",
    ),
    "the last one": (
        GOT | happened(GOT["flags"] | FLAG_FULL, request=1, width=1, free=1),
        "job 17 asks for 1 server, 1 is free: it gets server 7 for 2.346; no server is free any more",
    ),
    "fewer than it asked for": (
        GOT | happened(GOT["flags"] | FLAG_PARTIAL | FLAG_FULL, width=1, free=1),
        "job 17 asks for 4 servers, only 1 is free: it gets server 7 for 2.346; no server is free any more",
    ),
    "fewer, against Lemma 2": (
        GOT | happened(GOT["flags"] | FLAG_PARTIAL | FLAG_FULL | FLAG_BELOW, width=2, free=2),
        "job 17 asks for 4 servers, only 2 are free: it gets servers 7 and 8 for 2.346; now two "
        "jobs run on fewer than i₁ = 3 servers, by Lemma 2 it is at most one; no server is free "
        "any more",
    ),
    "in pieces": (
        GOT | {"free": 9, "flags": GOT["flags"] | FLAG_SPLIT},
        "job 17 asks for 4 servers, 9 are free: it gets 4 servers, server 7 being the first, for "
        "2.346; no gap is long enough, so that it runs in several pieces",
    ),
    "blocked": (LOST, "job 17 asks for 3 servers, no server is free: it is blocked"),
    "a departure": (LEFT, "job 17 departs after 0.5 on 3 servers: 12 are free"),
    "a departure from all that were busy": (
        LEFT | happened(FLAG_DEPARTED | FLAG_FREED, width=1, free=0),
        "job 17 departs after 0.5 on 1 server: 1 is free; until now none was free",
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_rows(name: str) -> None:
    values, sentence = ROWS[name]
    assert narrator().row(row(**values)) == sentence


OF_NARROW = {"type": 1, "request": 2, "width": 2, "free": 4, "server": 12}

POOLS: dict[str, tuple[str, dict[str, Any], str]] = {
    "one pool for all": (
        "none",
        LOST | {"busy": 20},
        "job 17 of class wide asks for 3 servers, no server is free: it is blocked",
    ),
    "servers of its own": (
        "idle",
        GOT | OF_NARROW,
        "job 17 of class narrow asks for 2 servers, 4 are free for class narrow: it gets servers 13 and 14 for 2.346",
    ),
    "blocked while others are free": (
        "idle",
        LOST | {"busy": 13},
        "job 17 of class wide asks for 3 servers, no server of class wide is free: it is blocked, "
        "although 7 are that it may not take",
    ),
    "blocked while one other is free": (
        "common",
        LOST | {"busy": 19},
        "job 17 of class wide asks for 3 servers, no server of class wide and no common one is "
        "free: it is blocked, although 1 is that it may not take",
    ),
    "blocked while none is free": (
        "common",
        LOST | {"busy": 20},
        "job 17 of class wide asks for 3 servers, no server of class wide and no common one is free: it is blocked",
    ),
    "of both pools": (
        "common",
        GOT | OF_NARROW | {"flags": GOT["flags"] | FLAG_SPLIT | FLAG_FULL},
        "job 17 of class narrow asks for 2 servers, 4 are free for class narrow: it gets 2 "
        "servers, server 13 being the first, for 2.346; it runs in several pieces; no server is "
        "free any more for class narrow",
    ),
    "freed": (
        "common",
        LEFT | {"free": 0, "flags": FLAG_DEPARTED | FLAG_FREED},
        "job 17 of class wide departs after 0.5 on 3 servers: 3 are free for class wide; until "
        "now none was free for class wide",
    ),
}


@pytest.mark.parametrize("name", POOLS)
def test_rows_of_classes_and_pools(name: str) -> None:
    rest, values, sentence = POOLS[name]
    parameters = {"shares": "none"} if rest == "none" else {"shares": SHARES, "rest": rest}
    assert narrator(TWO, **parameters).row(row(**values)) == sentence


def test_two_jobs_below_i1_are_of_the_same_class() -> None:
    found = narrator(TWO).row(row(**GOT | {"flags": GOT["flags"] | FLAG_BELOW}))
    assert "; now two jobs of class wide run on fewer than i₁ = " in found


# Events.


def test_what_comes_next() -> None:
    words = narrator()
    arrival = Event(ARRIVAL, 1.0, 0, 17, service=1.23456)
    assert words.event(arrival) == "job 17 arrives, of inherent size 1.235"
    assert words.event(Event(DEPARTURE, 1.0, 0, 17)) == "job 17 departs"
    assert narrator(TWO).event(Event(DEPARTURE, 1.0, 1, 17)) == "job 17 of class narrow departs"


# Sub-steps.

OF_17 = {"job": 17, "type": 0}
DRAWN = OF_17 | {"reason": "drawn", "widths": (3, 4), "shares": (0.625, 0.375)}

STEPS: dict[str, tuple[Record, str]] = {
    "arrival": (Record("arrival", None, OF_17 | {"size": 2.0}), "job 17 arrives; on one server it would take 2"),
    "departure": (Record("departure", None, OF_17 | {"width": 3}), "job 17 departs: 3 servers are free again"),
    "departure from one": (Record("departure", None, OF_17 | {"width": 1}), "job 17 departs: 1 server is free again"),
    "the lower one drawn": (
        Record("request", None, DRAWN | {"request": 3, "uniform": 0.2}),
        "it asks for i = 3 servers, drawn by u = 0.2000 in (0, 0.625], a part of length p*₃ = 0.625",
    ),
    "the upper one drawn": (
        Record("request", None, DRAWN | {"request": 4, "uniform": 0.98765}),
        "it asks for i = 4 servers, drawn by u = 0.9877 in (0.625, 1], a part of length p*₄ = 0.375",
    ),
    "no other to be drawn": (
        Record("request", None, DRAWN | {"request": 5, "uniform": 0.5, "widths": (5,), "shares": (1.0,)}),
        "it asks for i = 5 servers, as every job does",
    ),
    "certain": (
        Record("request", None, OF_17 | {"request": 1, "reason": "certain"}),
        "it asks for i = 1 server, as every job does",
    ),
    "scripted": (
        Record("request", None, OF_17 | {"request": 2, "reason": "scripted"}),
        "it asks for i = 2 servers, as its script says",
    ),
    "step": (
        Record("request", None, OF_17 | {"request": 4, "reason": "step", "free": 30, "from": 20}),
        "it asks for i = 4 servers, because j = 30 are free, at least 20",
    ),
    "lowest step": (
        Record("request", None, OF_17 | {"request": 1, "reason": "step", "free": 1, "from": 0}),
        "it asks for i = 1 server, because j = 1 is free, the lowest step",
    ),
    "allocation": (
        Allocate(servers=4, values={"request": 4, "free": 1200, "type": 0}),
        "min(i, j) = min(4, 1\u202f200) = 4: it gets 4 servers",
    ),
    "partial": (
        Allocate(servers=1, values={"request": 4, "free": 1, "type": 0}),
        "min(i, j) = min(4, 1) = 1: it gets 1 server, 3 fewer than it asked for",
    ),
    "blocked": (Reject(values={"request": 4, "free": 0, "type": 0}), "j = 0: no server is free, the job is blocked"),
    "a kind of one's own": (Record("too_full", None, {"free": 3}), "too full: free = 3"),
}


@pytest.mark.parametrize("name", STEPS)
def test_sub_steps(name: str) -> None:
    record, sentence = STEPS[name]
    assert narrator().record(record) == sentence


def test_sub_steps_of_classes_and_pools() -> None:
    words = narrator(TWO, shares=SHARES, rest="common")
    assert words.record(STEPS["certain"][0]) == "it asks for i = 1 server, as every job of its class does"
    assert (
        words.record(STEPS["blocked"][0])
        == "j = 0: no server of class wide and no common one is free, the job is blocked"
    )
    assert words.record(STEPS["departure"][0]).startswith("job 17 of class wide departs")


def test_names_of_a_script_are_used() -> None:
    script = {"kind": "scripted", "arrivals": [{"time": 0, "size": 1, "requested": 1, "job": "first"}]}
    assert narrator(ONE | {"workload": script}).job(0) == "job first"


@given(moldable_scenarios())
def test_every_sub_step_of_every_policy_has_words_of_its_own(scenario: Any) -> None:
    bench = assemble(scenario)
    words, state = bench.kind.narrator(bench.system), started(bench.system)
    for _ in range(40):
        coming = bench.system.next_event(state)
        assert coming is not None
        assert words.event(coming)
        run = EventRun(bench.system, state)
        run.finish()
        state = run.state
        for record in run.records:
            sentence = words.record(record)
            assert not sentence.startswith(f"{record.kind}:"), sentence
        said = words.row(run.row[0])
        assert said.endswith(("more", "blocked", "take", "pieces")) or "free" in said
        assert words.job(coming.job) in said


class TestWords:
    def test_neighbours(self) -> None:
        assert [neighbours_told(999, count) for count in (1, 2, 3)] == [
            "server 1\u202f000",
            "servers 1\u202f000 and 1\u202f001",
            "servers 1\u202f000 to 1\u202f002",
        ]

    def test_times(self) -> None:
        """Times in seconds of a log are written without powers of ten."""
        assert [time_told(time) for time in (0.0, 1 / 3, 999.94, 86400.4, 1.0e-5)] == [
            "0",
            "0.3333",
            "999.9",
            "86\u202f400",
            "1e-05",
        ]


@pytest.mark.parametrize(("forced", "said"), [("", "it gets"), ("@0:servers=1", "the fork"), ("@0:block", "the fork")])
def test_of_a_users_policy_that_chooses_no_job_asks_for_servers(forced: str, said: str) -> None:
    session = ran("moldable-classroom", f"resources/policies/half_of_the_rest.py{forced}", events=1)
    (row,), narrator = session.timeline.rows(1, 1), session.info.narrator
    session.explain()
    told = [narrator.row(row), *(narrator.record(record) for record in session.timeline.records)]
    assert "job 0 arrives" in told[0] and said in told[0]
    assert not [sentence for sentence in told if "ask" in sentence or "min(" in sentence]
    assert not row["flags"] & FLAG_PARTIAL
    assert not [record for record in session.timeline.records if not forced and "request" in record.values]
    described = session.bench.kind.inspector.describe(session.frame(), Thing("server", 0))
    facts = {fact.label for section in described.sections for fact in section.facts}
    assert ("got" in facts) == (not forced.endswith("block")) and "asked for" not in facts
