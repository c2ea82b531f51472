"""Sentences of the queueing system: what happened, which jobs wait and why, in numbers."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from slotscope.model.kinds.queue.explain import QueueNarrator, amounts
from slotscope.model.kinds.queue.rows import FLAG_EMPTY, FLAG_EVICTED, QUEUE_ROW
from slotscope.model.reporting.explain import amount, told
from slotscope.model.reporting.inspection import Thing
from slotscope.model.reporting.records import SLOT, Event, Evict, Place, Record, Remember, Renew, Stall
from tests.kinds.queue.instances import BEST_FIT, Instance, bench_of, instances
from tests.runs import ran
from tests.sound import reference_events
from tests.told import happened, row_of

FOLDER = Path(__file__).parents[2] / "golden" / "queue"
EXAMPLES = Path(__file__).parents[3] / "resources/policies"


def instance(algorithm: str, *jobs: tuple[int, Any, int], **given: Any) -> Instance:
    """Jobs are (slot, size, service)."""
    return {
        "name": "told",
        "L": 1,
        "capacity": "1",
        "J": 3,
        "slots": 20,
        "arrivals": [
            {"id": number, "slot": slot, "size": size, "service": service}
            for number, (slot, size, service) in enumerate(jobs)
        ],
        "runs": [{"algo": algorithm, "options": given.pop("options", {})}],
    } | given


def narrator(algorithm: str = "VQS", **given: Any) -> QueueNarrator:
    bench = bench_of(instance(algorithm, (0, "0.61", 1), (0, "0.38", 1), **given))
    found = bench.kind.narrator(bench.system)
    assert isinstance(found, QueueNarrator)
    return found


def told_rows(data: Instance) -> list[str]:
    bench = bench_of(data)
    words = bench.kind.narrator(bench.system)
    return [words.row(run.row[0]) for run in reference_events(bench.system, bench.system.raw_state())]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("1", "1"),
        ("10", "10"),
        ("61/100", "0.61"),
        ("1/80", "0.0125"),
        ("2/3", "2/3"),
        ("1/32", "1/32"),
        ("17/20", "0.85"),
        ("115/168", "0.6845"),
        ("1/3000", "0.0003333"),
        ("5/2", "2.5"),
        ("20/3", "20/3"),
    ],
)
def test_an_amount_is_exact_where_that_is_short(value: str, text: str) -> None:
    assert amount(Fraction(value)) == text


def test_amounts_of_several_resources_stand_in_brackets() -> None:
    assert amounts((Fraction(1, 3), Fraction(1, 2))) == "(1/3, 0.5)"


# Rows.


def row(**values: Any) -> np.void:
    return row_of(QUEUE_ROW, "job kept kept_size best_residual server serving kept_queue", **values)


ROWS = {
    "nothing": ({}, "nothing changes"),
    "nothing, some wait": ({"waiting": 2}, "nothing changes; 2 wait"),
    "one arrives and is placed": (
        {"arrived": 1, "placed": 1, "job": 7, "server": 2},
        "1 job arrived, 1 placed (job 7 on server 3)",
    ),
    "several": (
        {"departed": 2, "arrived": 3, "placed": 2, "job": 7, "server": 0, "waiting": 1},
        "2 jobs left, 3 arrived, 2 placed (first job 7 on server 1); 1 waits",
    ),
    "one leaves": ({"departed": 1, "job": 4, "server": 1, "waiting": 12}, "job 4 left server 2; 12 wait"),
    "one leaves, one comes": ({"departed": 1, "arrived": 1, "job": 4}, "1 job left, 1 arrived"),
    "only placed": (
        happened(FLAG_EMPTY, placed=1, job=4, server=1),
        "1 job placed (job 4 on server 2); the queue is empty",
    ),
    "renewed": ({"renewed": 2}, "2 servers got another configuration"),
    "stalled": ({"stalled": 1, "waiting": 1200}, "1 server stalled; 1\u202f200 wait"),
    "evicted": ({"flags": FLAG_EVICTED}, "jobs went back to the queue"),
    "kept, not told why": (
        {"arrived": 1, "kept": 9, "kept_size": 1, "waiting": 1},
        "1 job arrived; job 9 waits; 1 waits",
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_rows(name: str) -> None:
    values, sentence = ROWS[name]
    assert narrator().row(row(**values)) == sentence


class TestWhyAJobWaits:
    """The reasons, taken from real runs."""

    def test_vqs_no_configuration_serves_its_queue(self) -> None:
        rows = told_rows(instance("VQS", *[(0, "1/5", 9)] * 2, (1, "0.61", 1)))
        assert rows[1] == (
            "1 job arrived; job 2 waits: size 0.61 is in VQ₁; no server's configuration has k₁ = 1; 1 waits"
        )

    def test_vqs_its_place_is_taken(self) -> None:
        rows = told_rows(instance("VQS", (0, "0.61", 9), (1, "0.61", 1)))
        assert rows[1] == (
            "1 job arrived; job 1 waits: size 0.61 is in VQ₁; 1 server has k₁ = 1 and takes no more now; 1 waits"
        )

    def test_vqs_of_a_queue_that_may_have_several_jobs(self) -> None:
        rows = told_rows(instance("VQS", (0, "0.61", 9), (1, "1/5", 1)))
        assert "size 0.2 is in VQ₄; 1 server has k₄ > 0 and takes no more now" not in rows[1]
        rows = told_rows(instance("VQS", (0, "1", 9), (1, "1/5", 1)))
        assert "size 0.2 is in VQ₄; no server's configuration has k₄ > 0" in rows[1]

    def test_vqs_bf_fits_nowhere(self) -> None:
        rows = told_rows(instance("VQS-BF", (0, "0.31", 9), (0, "0.31", 9), (1, "0.61", 1)))
        assert rows[1] == (
            "1 job arrived; job 2 waits: size 0.61 is in VQ₁; no server's "
            "configuration has k₁ = 1; residual 0.38 < 0.61 on the best server; "
            "1 waits"
        )

    @pytest.mark.parametrize("algorithm", [*BEST_FIT, "FIFO-FF"])
    def test_best_fit_fits_nowhere(self, algorithm: str) -> None:
        rows = told_rows(instance(algorithm, (0, "0.62", 9), (1, "0.61", 1)))
        assert rows[1] == ("1 job arrived; job 1 waits: residual 0.38 < 0.61 on the best server; 1 waits")

    def test_fifo_it_is_not_its_turn(self) -> None:
        rows = told_rows(instance("FIFO-FF", (0, "0.5", 9), (0, "1", 1), (1, "0.25", 1)))
        assert rows[1] == (
            "1 job arrived; job 2 waits: residual 0.5 on the best server holds its 0.25, but it is not its turn; 2 wait"
        )

    def test_of_a_policy_of_ones_own_it_is_not_said_that_jobs_have_turns(self) -> None:
        """It leaves a job that fits waiting when each server with room has as many jobs as the policy allows."""
        session = ran("queues-classroom", str(EXAMPLES / "queue_template.py"), events=26)
        why = "residual 0.6 on the best server holds its 0.45, but the policy has not placed it"
        row = session.timeline.rows(26, 26)[0]
        assert session.info.narrator.row(row) == f"1 job arrived; job 11 waits: {why}; 1 waits"
        described = session.bench.kind.inspector.describe(session.frame(), Thing("job", 11))
        facts = [fact for part in described.sections for fact in part.facts]
        assert [fact.value for fact in facts if fact.label == "still waits"] == [why]

    def test_max_weight(self) -> None:
        rows = told_rows(instance("MW", (0, "0.6", 9), (0, "0.5", 1), (1, "0.6", 9)))
        assert ("the places for size 0.6 on 1 server are taken" in rows[1]) != (
            "no server's configuration has a place for size 0.6" in rows[1]
        )

    def test_two_resources(self) -> None:
        data = instance(
            "BF-J/S", (0, ["1/2", "1/4"], 9), (1, ["3/4", "1/4"], 9), (2, ["1/4", "3/4"], 9), capacity=["1", "1"], L=2
        )
        assert told_rows(data)[2].startswith("1 job arrived, 1 placed")
        data["L"] = 1
        rows = told_rows(data)
        assert "job 1 waits: resource 1 residual 0.5 < 0.75 on the best server" in rows[1]
        data["arrivals"][2]["size"] = ["1/4", "4/5"]
        assert "job 2 waits: no server has room in all resources" in told_rows(data)[2]


def test_an_event_is_a_slot() -> None:
    assert narrator().event(Event(SLOT, 12345.0)) == "slot 12\u202f345 begins"


# Sub-steps.

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)

STEPS: dict[str, tuple[str, Record, str]] = {
    "arrival, one queue": (
        "BF-J",
        Record("arrival", None, {"job": 3, "queue": 0, "size": HALF}),
        "job 3 arrives: size 0.5",
    ),
    "arrival, partition": (
        "VQS",
        Record("arrival", None, {"job": 3, "queue": 1, "size": Fraction(61, 100)}),
        "job 3 arrives: size 0.61 is in (1/2, 2/3], it joins VQ₁",
    ),
    "arrival, rounded up": (
        "VQS",
        Record("arrival", None, {"job": 3, "queue": 5, "size": Fraction(1, 20)}),
        "job 3 arrives: size 0.05, rounded up to 0.125, is in (0, 1/6], it joins VQ₅",
    ),
    "departure": ("VQS", Record("departure", None, {"job": 3, "server": 1}), "job 3 leaves server 2"),
    "servers that fit": (
        "BF-J",
        Record("servers_that_fit", None, {"job": 3, "size": HALF, "servers": 2, "most_free": HALF}),
        "2 servers have room for job 3 (0.5)",
    ),
    "no server that fits": (
        "BF-J",
        Record("servers_that_fit", None, {"job": 3, "size": HALF, "servers": 0, "most_free": THIRD}),
        "no server has room for job 3: residual 1/3 < 0.5 on the best server",
    ),
    "largest that fits": (
        "BF-S",
        Record("largest_that_fits", None, {"server": 0, "free": HALF, "waiting": 4, "job": 3, "size": THIRD}),
        "server 1 has 0.5 left: of 4 jobs that wait, job 3 (1/3) is the largest that fits",
    ),
    "nothing fits": (
        "BF-S",
        Record("nothing_fits", None, {"server": 0, "free": HALF, "waiting": 1}),
        "server 1 has 0.5 left: the only job that waits does not fit",
    ),
    "nothing waits": (
        "BF-S",
        Record("nothing_fits", None, {"server": 0, "free": HALF, "waiting": 0}),
        "server 1 has 0.5 left; no job waits",
    ),
    "blocked": (
        "FIFO-FF",
        Record("blocked", None, {"job": 3, "behind": 2}),
        "job 3 is the head of the line and fits nowhere; 2 jobs behind it wait too",
    ),
    "blocked alone": (
        "FIFO-FF",
        Record("blocked", None, {"job": 3, "behind": 0}),
        "job 3 is the head of the line and fits nowhere",
    ),
    "reserved and taken": (
        "VQS",
        Record("reserved_share", None, {"server": 0, "queue": 1, "present": True, "waiting": 2}),
        "server 1 keeps 2/3 for VQ₁, where a job of it is",
    ),
    "reserved and empty": (
        "VQS",
        Record("reserved_share", None, {"server": 0, "queue": 1, "present": False, "waiting": 0}),
        "server 1 keeps 2/3 for VQ₁, which is empty: it stays reserved",
    ),
    "reserved and wanted": (
        "VQS",
        Record("reserved_share", None, {"server": 0, "queue": 1, "present": False, "waiting": 1}),
        "server 1 keeps 2/3 for VQ₁, and none is there: 1 job waits",
    ),
    "head of line fits": (
        "VQS",
        Record(
            "head_of_line",
            None,
            {"server": 0, "queue": 4, "job": 3, "size": Fraction(1, 4), "free": THIRD, "fits": True},
        ),
        "job 3 of VQ₄: size 0.25 ≤ 1/3 left for it on server 1",
    ),
    "head of line does not fit": (
        "VQS",
        Record("head_of_line", None, {"server": 0, "queue": 4, "job": 3, "size": HALF, "free": THIRD, "fits": False}),
        "job 3 of VQ₄: size 0.5 > 1/3 left for it on server 1",
    ),
    "counted": (
        "VQS-BF",
        Record("counted", None, {"server": 0, "queue": 4, "present": 1, "wanted": 4}),
        "server 1 has 1 job of VQ₄, k₄ = 4",
    ),
    "counted by size": (
        "MW",
        Record("counted", None, {"server": 0, "queue": 1, "present": 0, "wanted": 2}),
        "server 1 has 0 of 2 jobs of size 0.38",
    ),
    "none fits": (
        "VQS-BF",
        Record("none_fits", None, {"server": 0, "queue": 1, "waiting": 2, "free": THIRD}),
        "none of 2 jobs in VQ₁ fits in the 1/3 left on server 1",
    ),
    "the only one does not fit": (
        "VQS-BF",
        Record("none_fits", None, {"server": 0, "queue": 1, "waiting": 1, "free": THIRD}),
        "the only job in VQ₁ does not fit in the 1/3 left on server 1",
    ),
    "none waits": (
        "VQS-BF",
        Record("none_fits", None, {"server": 0, "queue": 1, "waiting": 0, "free": THIRD}),
        "no job waits in VQ₁",
    ),
    "placed without a reason": ("VQS", Place(line=None, job=3, server=1), "job 3 goes to server 2"),
    "placed where the residual is least": (
        "BF-J",
        Place(line=None, job=3, server=1, values={"reason": "least_residual", "queue": 0, "size": THIRD, "free": HALF}),
        "job 3 (1/3) goes to server 2: its residual 0.5 is the least that holds the job",
    ),
    "placed into the share": (
        "VQS",
        Place(
            line=None,
            job=3,
            server=1,
            values={"reason": "head_of_line", "queue": 4, "size": THIRD, "free": HALF, "share": THIRD},
        ),
        "job 3 (1/3) goes to server 2: 1/3 is left for VQ₄",
    ),
    "renewed": (
        "VQS",
        Renew(line=None, server=0, configuration=1, values={"weight": 6, "lengths": (0, 0, 3, 0, 0, 0), "name": "2e₂"}),
        "server 1 is empty: 2e₂ has the largest weight, 2·3 = 6",
    ),
    "renewed, two terms": (
        "VQS",
        Renew(line=None, server=0, configuration=5, values={"weight": 5, "lengths": (0, 4, 0, 0, 1, 0)}),
        "server 1 is empty: e₁+e₄ has the largest weight, 1·4 + 1·1 = 5",
    ),
    "renewed, nothing waits": (
        "VQS",
        Renew(line=None, server=0, configuration=0, values={"weight": 0, "lengths": (0,) * 6}),
        "server 1 is empty: all weights are 0, e₀ is the first",
    ),
    "renewed in use": (
        "MW",
        Renew(line=None, server=0, configuration=0, values={"weight": 3, "lengths": (1, 2), "empty": False}),
        "server 1: (1, 1) has the largest weight, 1·1 + 1·2 = 3",
    ),
    "renewed without values": (
        "VQS",
        Renew(line=None, server=0, configuration=0),
        "server 1 is empty: its configuration is now e₀",
    ),
    "stalled, light": (
        "VQS",
        Stall(line=None, server=0, values={"reason": "light", "weight": 1, "largest": 5, "gamma": HALF}),
        "server 1 is stalled until it is empty: its configuration's weight 1 is below γ·5 = 2.5",
    ),
    "stalled, half empty": (
        "BF-J",
        Stall(line=None, server=0, values={"reason": "half_empty", "used": THIRD}),
        "server 1 is stalled until it is empty: 1/3 in use is below half of 1, and jobs wait",
    ),
    "stalled without values": ("BF-J", Stall(line=None, server=0), "server 1 is stalled until it is empty"),
    "evicted": ("MW", Evict(line=None, job=3, server=0), "job 3 goes back from server 1 to the queue"),
    "remembered": ("BF-J", Remember(line=None), "the policy notes what it has observed"),
    "a kind of one's own": ("BF-J", Record("too_full", None, {"free": 3}), "too full: free = 3"),
    "a known kind without its values": ("BF-J", Record("blocked", None, {"job": 3}), "blocked: job = 3"),
}


@pytest.mark.parametrize("name", STEPS)
def test_sub_steps(name: str) -> None:
    algorithm, record, sentence = STEPS[name]
    assert narrator(algorithm).record(record) == sentence


def test_two_resources_are_told_together() -> None:
    words = narrator(
        "BF-J/S", capacity=["1", "1"], arrivals=[{"id": 0, "slot": 0, "size": ["1/2", "1/3"], "service": 1}]
    )
    size, free = (HALF, THIRD), (Fraction(1), Fraction(1, 4))
    record = Record("servers_that_fit", None, {"job": 3, "size": size, "servers": 0, "most_free": free})
    assert words.record(record) == ("no server has room for job 3: resource 2 residual 0.25 < 1/3 on the best server")
    enough = Record("servers_that_fit", None, dict(record.values) | {"most_free": (HALF, HALF)})
    assert words.record(enough) == (
        "no server has room for job 3: none has (0.5, 1/3) of resource 1 and resource 2 left at once"
    )
    best = Record("largest_that_fits", None, {"server": 0, "free": free, "waiting": 2, "job": 3, "size": size})
    assert words.record(best) == (
        "server 1 has (1, 0.25) left: of 2 jobs that wait, job 3 (0.5, 1/3) has the best score of those that fit"
    )
    alone = Record("largest_that_fits", None, dict(best.values) | {"waiting": 1})
    assert words.record(alone) == ("server 1 has (1, 0.25) left: job 3 (0.5, 1/3), the only one that waits, fits")


def each_record_is_worded(data: Instance) -> None:
    for place in range(len(data["runs"])):
        bench = bench_of(data, place)
        words = bench.kind.narrator(bench.system)
        for run in reference_events(bench.system, bench.system.raw_state()):
            for record in run.records:
                assert words.record(record) != told(record.kind, record.values)
            assert words.row(run.row[0])


@pytest.mark.parametrize("path", sorted(FOLDER.glob("a*.json")), ids=lambda path: path.stem)
def test_no_step_of_a_golden_run_is_without_words(path: Path) -> None:
    each_record_is_worded(json.loads(path.read_text()))


@given(instances())
def test_no_step_is_without_words(data: Instance) -> None:
    each_record_is_worded(data)


@pytest.mark.slow
@given(instances(BEST_FIT, resources=2))
def test_no_step_with_two_resources_is_without_words(data: Instance) -> None:
    each_record_is_worded(data)
