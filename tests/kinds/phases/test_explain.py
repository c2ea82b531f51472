"""Sentences about jobs with phases: why a job went to its server, and why a server waits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from slotscope.model.kinds.phases.rows import (
    FLAG_ARRIVED,
    FLAG_DEPARTED,
    FLAG_IDLE,
    FLAG_MATCHED,
    FLAG_MISSED,
    FLAG_MOVED,
    FLAG_OF_VIRTUAL,
    FLAG_OVERFLOW,
    FLAG_OVERRUN,
    FLAG_PLACED,
    FLAG_REQUESTED,
    FLAG_TICKED,
    FLAG_VIRTUAL,
    PHASE_ROW,
)
from slotscope.model.kinds.phases.state import FIRST_BACKUP
from slotscope.model.reporting.records import (
    ARRIVAL,
    DEPARTURE,
    MOVE,
    TICK,
    Event,
    Match,
    Overflow,
    Place,
    Record,
    Request,
    SetTimer,
    VirtualArrival,
)
from slotscope.model.running.assembly import assemble
from slotscope.model.running.engine import EventRun, started
from tests.kinds.phases.narrated import narrator
from tests.kinds.phases.strategies import phase_scenarios
from tests.told import happened, row_of

FOLDER = Path(__file__).parents[2] / "golden" / "phases"

# Rows.


def row(**values: Any) -> np.void:
    return row_of(
        PHASE_ROW, "job token token_age first_token first_virtual server pool type phase tokens fitting", **values
    )


ROWS: dict[str, tuple[dict[str, Any], str]] = {
    "overflow": (
        happened(FLAG_ARRIVED | FLAG_OVERFLOW, job=17, type=0, pool=0, server=FIRST_BACKUP - 2),
        "no token of type L in the system (the limit is 5): job 17 goes to backup server 3",
    ),
    "match": (
        happened(FLAG_ARRIVED | FLAG_MATCHED, job=17, type=1, pool=0, server=8, token=211, token_age=1.25, tokens=3),
        "job 17 takes token 212, at random among 3 of type H, and joins server 9: it was asked for 1.25 ago",
    ),
    "match of the only one": (
        happened(FLAG_ARRIVED | FLAG_MATCHED, job=17, type=1, pool=0, server=8, token=1211, token_age=0.5, tokens=1),
        "job 17 takes token 1\u202f212, the only one of type H, and joins server 9: it was asked for 0.5 ago",
    ),
    "a request at the end of a pause": (
        happened(
            FLAG_ARRIVED | FLAG_MATCHED | FLAG_REQUESTED,
            job=1,
            type=0,
            server=0,
            token=2,
            token_age=1,
            tokens=1,
            made=1,
            first_token=8,
        ),
        "job 1 takes token 3, the only one of type L, and joins server 1: it was asked for 1 ago; "
        "a server asks for 1 job: token 9",
    ),
    "placed": (
        happened(FLAG_ARRIVED | FLAG_PLACED, job=3, type=0, server=1, fitting=2),
        "job 3 of type L goes to server 2: 2 of those looked at have room",
    ),
    "placed where nobody was": (
        happened(FLAG_ARRIVED | FLAG_PLACED, job=3, type=0, server=1, fitting=0),
        "job 3 of type L goes to server 2: no server that was looked at has room",
    ),
    "arrived": (happened(FLAG_ARRIVED, job=3, type=0), "job 3 of type L arrives"),
    "moved": (happened(FLAG_MOVED, job=3, type=0, phase=1, server=1), "job 3 on server 2 goes from L to H"),
    "moved into an overrun, and a request": (
        happened(FLAG_MOVED | FLAG_REQUESTED | FLAG_OVERRUN, job=3, type=0, phase=1, server=1, made=2, first_token=4),
        "job 3 on server 2 goes from L to H; server 2 asks for 2 jobs: tokens 5 and 6; server 2 needs more than it has",
    ),
    "a virtual job departs": (
        happened(FLAG_DEPARTED | FLAG_OF_VIRTUAL, job=3, type=1, phase=2, server=1),
        "virtual job v4 departs from server 2 in phase H",
    ),
    "the last one departs": (
        happened(FLAG_DEPARTED | FLAG_IDLE | FLAG_MISSED, job=3, type=1, server=1),
        "job 3 departs from server 2 in phase H; server 2 would ask for jobs, but it holds a "
        "token: the request is lost; server 2 has no real job any more",
    ),
    "a tick and virtual jobs": (
        happened(
            FLAG_TICKED | FLAG_REQUESTED | FLAG_VIRTUAL, server=0, made=3, first_token=0, virtual=2, first_virtual=6
        ),
        "the timer of server 1 rings; it asks for 3 jobs: tokens 1 to 3; above the limit of "
        "tokens: virtual jobs v7 and v8",
    ),
    "many virtual jobs": (
        happened(FLAG_TICKED | FLAG_VIRTUAL, server=0, virtual=3, first_virtual=0),
        "the timer of server 1 rings; above the limit of tokens: virtual jobs v1 to v3",
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_rows(name: str) -> None:
    values, sentence = ROWS[name]
    assert narrator().row(row(**values)) == sentence


def test_rows_of_several_pools_say_which() -> None:
    values, _ = ROWS["overflow"]
    assert narrator(pools=2).row(row(**values | {"pool": 1})) == (
        "no token of type L in pool 2 (the limit is 5): job 17 goes to backup server 3 of pool 2"
    )


def test_one_limit_for_all_types_is_called_so() -> None:
    values, _ = ROWS["overflow"]
    assert "(the limit is 5 for all types)" in narrator(limit="all").row(row(**values))


# Events.

EVENTS: dict[str, tuple[Event, str]] = {
    "arrival": (Event(ARRIVAL, 1.0, 0, 17), "job 17 of type L arrives"),
    "move": (Event(MOVE, 1.0, 1, 3, 4), "a job on server 5 goes into phase H"),
    "departure": (Event(DEPARTURE, 1.0, 2, 3, 4), "a job departs from server 5"),
    "from a backup server": (Event(DEPARTURE, 1.0, 2, 3, FIRST_BACKUP), "a job departs from backup server 1"),
    "tick": (Event(TICK, 1.0, server=4), "the timer of server 5 rings"),
}


@pytest.mark.parametrize("name", EVENTS)
def test_what_comes_next(name: str) -> None:
    event, words = EVENTS[name]
    assert narrator().event(event) == words


# Sub-steps.

MOVED = {"job": 3, "virtual": False, "server": 1, "pool": 0, "from": 0}
LIMIT = {"pool": 0, "type": 0, "count": 6, "limit": 5}

STEPS: dict[str, tuple[Record, str]] = {
    "arrival": (Record("arrival", None, {"job": 17, "type": 0}), "job 17 of type L arrives"),
    "tokens": (
        Record("tokens_of_type", None, {"pool": 0, "type": 0, "count": 1, "limit": 5}),
        "1 token of type L, the limit is 5",
    ),
    "no tokens": (
        Record("tokens_of_type", None, {"pool": 0, "type": 1, "count": 0, "limit": 5}),
        "no token of type H, the limit is 5",
    ),
    "match": (
        Match(job=17, position=1, values={"server": 8, "count": 3, "type": 0, "token": 211}),
        "job 17 takes token 212, at random among 3 of type L, and joins server 9, which asked for it",
    ),
    "overflow": (
        Overflow(job=17, values={"type": 0, "limit": 5, "backup": 2}),
        "no token of type L in the system (the limit is 5): job 17 goes to backup server 3",
    ),
    "move": (Record("move", None, MOVED | {"to": 1}), "job 3 on server 2 goes from L to H"),
    "move of a virtual job": (
        Record("move", None, MOVED | {"to": 1, "virtual": True}),
        "virtual job v4 on server 2 goes from L to H",
    ),
    "departure": (Record("departure", None, MOVED), "job 3 departs from server 2 in phase L"),
    "departure from a backup server": (
        Record("departure", None, MOVED | {"server": FIRST_BACKUP - 1}),
        "job 3 departs from backup server 2 in phase L",
    ),
    "tick": (
        Record("tick", None, {"server": 3, "type": 1, "observed": (1, 1)}),
        "the timer of server 4 at (1, 1) rings: case 1, it asks for one H",
    ),
    "patch": (
        Record("recovery_tick", None, {"server": 3, "jobs": (2, 1), "observed": (0, 0)}),
        "the timer of server 4 at (0, 0) rings: it asks for 2 L and 1 H, what lets an empty server "
        "go on (Appendix B.3)",
    ),
    "recovery": (
        Record("recovery_tick", None, {"server": 3, "jobs": (0, 1), "observed": (2, 0)}),
        "the timer of server 4 at (2, 0) rings: it asks for 1 H, the fewest jobs that lead back into its class",
    ),
    "reactive": (
        Record("reactive", None, {"server": 3, "type": 1, "configuration": (1, 0)}),
        "(1, 0) is case 2: server 4 asks at once for one H",
    ),
    "request": (
        Request(server=3, jobs=(1, 2)),
        "server 4 asks for 1 L and 2 H: 3 tokens, and it is paused until they are gone",
    ),
    "limit": (Record("limit", None, LIMIT), "6 tokens of type L, the limit is 5"),
    "virtual arrival": (
        VirtualArrival(type=0, position=0, values=LIMIT | {"server": 8, "number": 2, "token": 211}),
        "6 tokens of type L, the limit is 5: virtual job v3 takes token 212 of type L on server 9",
    ),
    "timer": (
        SetTimer(server=3, rate=2.5, values={"observed": (1, 1)}),
        "server 4 holds no token at (1, 1): timers of rate 2.5 in all begin",
    ),
    "no timer": (SetTimer(server=3, rate=0.0), "the timers of server 4 are cancelled"),
    "end of a pause": (
        Record("resumed", None, {"server": 3, "observed": (1, 1)}),
        "server 4 has no token left: its pause ends at (1, 1)",
    ),
    "end of a pause in case 2": (
        Record("resumed", None, {"server": 3, "observed": (1, 0)}),
        "server 4 has no token left: its pause ends at (1, 0), where only a move would make it ask for one H",
    ),
    "missed request": (
        Record("missed_request", None, {"server": 3, "observed": (1, 0), "tokens": 2}),
        "server 4 asks for nothing: it holds 2 tokens; at (1, 0) it would have asked for one H",
    ),
    "missed request by chance": (
        Record("missed_request", None, {"server": 3, "observed": (0, 1), "tokens": 1}),
        "server 4 asks for nothing: it holds 1 token; at (0, 1) it would have asked for one L or H",
    ),
    "paused": (
        Record("paused", None, {"server": 3, "observed": (1, 1), "tokens": 2}),
        "server 4 asks for nothing: it holds 2 tokens; at (1, 1) it would not have asked either",
    ),
    "fitting": (Record("fitting", None, {"type": 1, "servers": 1}), "a job of type H: 1 busy server has room for it"),
    "draw": (
        Record("draw", None, {"type": 1, "servers": 3, "idle": 2, "jobs": 150}),
        "the draw: 3 busy servers with room for type H and 2 idle, ⌈aZ⌉ with Z = 150 jobs",
    ),
    "drawn": (Record("drawn", None, {"type": 1, "servers": (2, 8)}), "drawn at random: servers 3, 9"),
    "none drawn": (Record("drawn", None, {"type": 1, "servers": ()}), "no server is busy, so none is drawn"),
    "first fit": (
        Place(job=3, server=1, values={"fitting": 4, "reason": "first"}),
        "job 3 goes to server 2: the first of 4 busy with room for it",
    ),
    "best fit": (
        Place(job=3, server=1, values={"fitting": 4, "reason": "tightest"}),
        "job 3 goes to server 2: the tightest of 4 busy with room for it",
    ),
    "of a draw": (
        Place(job=3, server=1, values={"fitting": 4, "reason": "tightest drawn"}),
        "job 3 goes to server 2: the tightest of 4 drawn with room for it",
    ),
    "nowhere else": (
        Place(job=3, server=1, values={"fitting": 0, "reason": "none fits"}),
        "job 3 goes to server 2: it is idle, and no busy server has room",
    ),
    "no other drawn": (
        Place(job=3, server=1, values={"fitting": 0, "reason": "none drawn fits"}),
        "job 3 goes to server 2: it is idle, and no server drawn has room",
    ),
    "at random": (
        Place(job=3, server=1, values={"fitting": 3, "reason": "drawn busy"}),
        "job 3 goes to server 2: drawn at random",
    ),
    "at random among the idle": (
        Place(job=3, server=1, values={"fitting": 3, "reason": "drawn idle"}),
        "job 3 goes to server 2: drawn at random among the idle",
    ),
    "placed without a reason": (
        Place(job=3, server=1, values={"fitting": 1}),
        "job 3 goes to server 2: 1 busy server has room for it",
    ),
    "a kind of one's own": (Record("too_full", None, {"free": 3}), "too full: free = 3"),
    "a known kind without its values": (Record("tick", None, {"server": 3}), "tick: server = 3"),
}


@pytest.mark.parametrize("name", STEPS)
def test_sub_steps(name: str) -> None:
    record, sentence = STEPS[name]
    assert narrator().record(record) == sentence


def test_a_limit_that_must_not_be_reached() -> None:
    record = Record("limit", None, LIMIT | {"count": 5})
    assert narrator(at_limit="reached").record(record) == "5 tokens of type L, there must be fewer than 5"


def test_a_limit_for_all_types_of_a_pool() -> None:
    assert (
        narrator(pools=2, limit="all").record(Record("limit", None, LIMIT | {"pool": 1}))
        == "6 tokens of all types in pool 2, the limit is 5"
    )


@given(phase_scenarios())
def test_every_sub_step_of_every_policy_has_words_of_its_own(scenario: Any) -> None:
    bench = assemble(scenario)
    words, state = bench.kind.narrator(bench.system), started(bench.system)
    for _ in range(30):
        coming = bench.system.next_event(state)
        if coming is None:
            return
        assert words.event(coming)
        run = EventRun(bench.system, state)
        run.finish()
        state = run.state
        for record in run.records:
            sentence = words.record(record)
            assert " = " not in sentence or record.kind == "draw", sentence
        assert words.row(run.row[0])
