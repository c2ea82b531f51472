"""Sentences of the explanation: each states what happened, in numbers, with servers and types from 1."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotscope.model.kinds.reservation.explain import ReservationNarrator
from slotscope.model.kinds.reservation.rows import (
    EVENT_ROW,
    FLAG_ADMITTED,
    FLAG_DEPARTED,
    FLAG_I_STAR,
    FLAG_MIGRATED,
    FLAG_REASSIGNED,
    FLAG_REJECTED,
)
from slotscope.model.kinds.reservation.scenario.schema import ReservationScenario
from slotscope.model.reporting.explain import grouped, shown
from slotscope.model.reporting.records import (
    ARRIVAL,
    DEPARTURE,
    UPDATE,
    Admit,
    Classify,
    Event,
    Migrate,
    Preempt,
    Reassign,
    Record,
    Reject,
)
from slotscope.model.running.assembly import assemble
from slotscope.model.running.engine import EventRun, Task, started
from tests.kinds.reservation.strategies import scenarios
from tests.told import happened, row_of

NARRATOR = ReservationNarrator(["small", "large"], lambda number: f"#{number}", reserves_slots=True)
PLAIN = ReservationNarrator(["small", "large"], lambda number: f"#{number}", reserves_slots=False)


def row(**values: Any) -> np.void:
    return row_of(EVENT_ROW, "job moved server source first_reassigned empty_slots servers_with_room type", **values)


REJECTED = happened(FLAG_REJECTED, kind=ARRIVAL, type=1, job=9)

ROWS = {
    "rejected without a slot or room": (
        REJECTED | {"empty_slots": 0, "servers_with_room": 0},
        "large rejected: no empty slot; no server has room",
    ),
    "rejected with room": (REJECTED | {"empty_slots": 0, "servers_with_room": 2}, "2 servers have room"),
    "rejected with room on one server": (REJECTED | {"empty_slots": 0, "servers_with_room": 1}, "1 server has room"),
    "rejected with closed slots": (
        REJECTED | {"empty_slots": 4, "servers_with_room": 2},
        "4 empty slots, all on Reject Group servers",
    ),
    "rejected with one closed slot": (
        REJECTED | {"empty_slots": 1, "servers_with_room": 0},
        "1 empty slot, all on Reject Group servers",
    ),
    "rejected, room not counted": (
        REJECTED | {"empty_slots": 0, "servers_with_room": -1},
        "large rejected: no empty slot",
    ),
    "admitted": (happened(FLAG_ADMITTED, kind=ARRIVAL, type=0, job=9, server=0), "small job #9 admitted to server 1"),
    "left": (happened(FLAG_DEPARTED, kind=DEPARTURE, type=0, job=9, server=4), "small job #9 left server 5"),
    "migrated": (
        happened(FLAG_DEPARTED | FLAG_MIGRATED, kind=DEPARTURE, type=0, job=9, server=4, moved=7, source=1),
        "job #7 migrated into its slot from Reject Group server 2",
    ),
    "one reassigned": (
        happened(FLAG_ADMITTED | FLAG_REASSIGNED, kind=ARRIVAL, type=0, server=4, reassigned=1, first_reassigned=5),
        "server 6 reassigned",
    ),
    "several reassigned": (
        happened(FLAG_ADMITTED | FLAG_REASSIGNED, kind=ARRIVAL, type=0, server=4, reassigned=3, first_reassigned=5),
        "3 servers reassigned, first server 6",
    ),
    "another I*": (happened(FLAG_ADMITTED | FLAG_I_STAR, kind=ARRIVAL, type=0, server=4, i_star=2), "I* is now 2"),
    "update": ({"kind": UPDATE}, "updates its configurations"),
}


@pytest.mark.parametrize("name", ROWS)
def test_rows(name: str) -> None:
    values, expected = ROWS[name]
    assert expected in NARRATOR.row(row(**values))


def test_a_rejection_without_reservation_names_no_slots() -> None:
    sentence = PLAIN.row(row(**REJECTED, empty_slots=0, servers_with_room=0))
    assert sentence == "large rejected: no server has room"


def test_a_rejection_after_a_look_at_few_servers_claims_no_more_than_that() -> None:
    sentence = PLAIN.row(row(**REJECTED, empty_slots=0, servers_with_room=-1))
    assert sentence == "large rejected: no server that was looked at has room"


RECORDS = {
    "admit": (Admit(server=2), "server 3"),
    "admit by load": (
        Admit(server=2, values={"reason": "least_loaded", "load": 0.25}),
        "server 3 is the least loaded of these (25 %)",
    ),
    "admit by room left": (
        Admit(server=0, values={"reason": "least_room", "load": 0.9375}),
        "server 1 has the least room left with the job (load 93.75 %)",
    ),
    "admit into a slot": (
        Admit(server=0, values={"reason": "empty_slot", "empty_slots": 3}),
        "server 1 has an empty slot of the type",
    ),
    "sampled": (Record("servers_sampled", None, {"sampled": (4, 0, 2)}), "servers 5, 1, 3 sampled"),
    "sampled with room": (Record("sampled_with_room", None, {"fitting": (2,)}), "of these, server 3 has room"),
    "sampled without room": (
        Record("sampled_with_room", None, {"fitting": ()}),
        "none of the sampled servers has room",
    ),
    "planned": (Record("planned", None, {"counts": (((2, 1), 3), ((0, 4), 9))}), "3 with (2, 1), 9 with (0, 4)"),
    "reject": (Reject(values={"empty_slots": 3, "servers_with_room": 0}), "3 empty slots"),
    "migrate": (
        Migrate(job=4, source=0, target=6),
        "job #4 migrates from Reject Group server 1 to the slot that emptied on server 7",
    ),
    "preempt": (Preempt(job=4, server=0), "job #4 on server 1"),
    "reassign": (
        Reassign(server=0, configuration=(2, 1), values={"i": 1, "missing": 1}),
        "empty server 1 is reassigned to k[1] = (2, 1)",
    ),
    "classify": (Classify(i_star=2), "I* = 2"),
    "greedy_start": (Record("greedy_start", None, {"jobs_left": (5, 7), "servers": 9}), "(5, 7)"),
    "configuration_found": (
        Record("configuration_found", None, {"i": 2, "configuration": (0, 4)}),
        "k[2] = (0, 4) has the largest reward among types not yet exhausted",
    ),
    "configuration_found first": (
        Record("configuration_found", None, {"i": 1, "configuration": (0, 4)}),
        "largest reward",
    ),
    "count_found": (
        Record(
            "count_found",
            None,
            {"i": 1, "configuration": (2, 1), "count": 1, "exhausted": 1, "jobs_left": (0, 0), "servers_left": 4},
        ),
        "k[1] is wanted on 1 server; large is used up first, 4 servers left",
    ),
    "count_found without servers": (
        Record(
            "count_found",
            None,
            {"i": 2, "configuration": (0, 4), "count": 0, "exhausted": 1, "jobs_left": (-7, 1), "servers_left": 0},
        ),
        "k[2] is wanted on 0 servers; large would be used up first, but the servers run out: 1 slot is missing",
    ),
    "preempt of a share": (
        Preempt(job=4, server=0, values={"freed": 1, "owed": Fraction(3, 2)}),
        "job #4 on server 1 is preempted: 67% of g(L) s_j is free",
    ),
    "classify extended": (Classify(i_star=2, extended=True), "all servers of rank J + 1 form the Reject Group"),
    "surplus": (
        Record("ranked", None, {"i": 1, "held": 5, "count": 3, "surplus": 2}),
        "5 servers held, 3 wanted; the 2 most recent are surplus",
    ),
    "missing": (
        Record("ranked", None, {"i": 1, "held": 1, "count": 3, "surplus": -2}),
        "1 server held, 3 wanted; 2 missing",
    ),
    "matched": (Record("ranked", None, {"i": 1, "held": 3, "count": 3, "surplus": 0}), "matched"),
    "unmatched": (Record("unmatched", None, {"i": 3, "missing": 2}), "k[3]: 2 stay missing"),
    "scanned": (Record("servers_scanned", None, {"servers_with_room": 1}), "1 server has room"),
    "arrival": (Record("arrival", None, {"type": 0, "job": 3}), "small job #3 arrives"),
    "departure": (Record("departure", None, {"type": 1, "job": 3, "server": 0}), "large job #3 leaves server 1"),
    "of a user's own policy": (Record("queue_looked_at", None, {}), "queue looked at"),
}


@pytest.mark.parametrize("name", RECORDS)
def test_records(name: str) -> None:
    record, expected = RECORDS[name]
    assert expected in NARRATOR.record(record)


def test_events_to_come() -> None:
    assert NARRATOR.event(Event(ARRIVAL, 1.0, type=0, job=2)) == "small job #2 arrives"
    leaving = Event(DEPARTURE, 1.0, type=1, job=2, server=0)
    assert NARRATOR.event(leaving) == "large job #2 leaves server 1"
    assert "updates" in NARRATOR.event(Event(UPDATE, 1.0))


def one_sentence(text: str) -> bool:
    return text.isprintable() and 0 < len(text) < 400 and "_" not in text and "-1" not in text


@given(st.one_of(scenarios(), scenarios(policy="first-fit")))
def test_everything_that_happens_can_be_told(scenario: ReservationScenario) -> None:
    bench = assemble(scenario)
    system = bench.system
    narrator = ReservationNarrator(bench.numbers.type_names, system.job_name, system.policy.reserves_slots)
    state = started(system)
    for _ in range(30):
        event = system.next_event(state)
        if event is None:
            break
        assert one_sentence(narrator.event(event))
        run = EventRun(system, state)
        run.finish()
        state = run.state
        assert one_sentence(narrator.row(run.row[0]))
        for record in run.records:
            assert one_sentence(narrator.record(record)), record
            assert narrator.record(record) != record.kind.replace("_", " ") or record.line is None


@given(scenarios(workloads=("poisson",)))
def test_the_kernel_s_rows_tell_the_same(scenario: ReservationScenario) -> None:
    bench = assemble(scenario)
    narrator = ReservationNarrator(bench.numbers.type_names, bench.system.job_name, reserves_slots=True)
    rows = np.zeros((2, 60), EVENT_ROW)
    for engine, tape in zip((bench.reference, bench.kernel()), rows, strict=True):
        engine.advance(started(bench.system), tape, Task(explain=True))
    told = [[narrator.row(each) for each in tape if each["event"]] for tape in rows]
    assert told[0] == told[1]


def test_numbers_as_they_stand_in_the_paper() -> None:
    assert shown((12, 3, 8, 0)) == "(12, 3, 8, 0)"
    assert shown(()) == "()"
    assert grouped(1234567) == "1\u202f234\u202f567"
