"""Instance files of other programs: names, departures and degrees in other forms than ours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from slotscope.model.kinds.spec import kind_named
from slotscope.model.running.assembly import assemble
from slotscope.model.scenario.load import load_scenario, load_scenarios

LOSS: dict[str, Any] = {
    "instance": {"sizes": [["1/2"]], "capacity": [1], "rewards": [1]},
    "L": 1,
    "g": "1",
    "initial": {"servers": [{"jobs": [["s", 1], ["q", 1]]}]},
    "events": [
        {"t": 1, "ev": "arrival", "type": 1, "job": "a"},
        {"t": 2, "ev": "departure", "job": "a"},
        {"t": 3, "ev": "departure", "job": "s"},
        {"t": 3, "ev": "arrival", "type": 1, "job": "b"},
        {"t": 4, "ev": "arrival", "type": 1, "job": "c"},
        {"t": 5, "ev": "departure", "job": "c"},
    ],
}

QUEUE: dict[str, Any] = {
    "name": "stalled",
    "L": 2,
    "capacity": "1",
    "J": 3,
    "slots": 4,
    "arrivals": [{"id": 0, "slot": 0, "size": "3/5", "service": 1}],
}

PHASES: dict[str, Any] = {
    "K_max": 2,
    "phases": ["L"],
    "resources": [{"name": "cpu", "cap": 4, "req": [1]}],
    "pools": [
        {
            "L": 2,
            "eta_max": 0,
            "policy": [{"k": [1], "case": 1, "rates": {"L": 1}}],
            "patch_at_0": None,
            "initial": [{"real": {"v2": "L"}, "virtual": {}}, {"real": {}, "virtual": {"v1": "L"}}],
        }
    ],
    "events": [
        {"t": 1, "kind": "tick", "server": 1, "type": "L", "virtual_choices": [0]},
        {"t": 2, "kind": "departure", "job": "v3"},
        {"t": 3, "kind": "departure", "job": "v1"},
    ],
}


def traced(folder: Path, data: Any, most: float = 100) -> list[dict[str, Any]]:
    """The trace of an instance file."""
    path = folder / "instance.json"
    path.write_text(json.dumps(data))
    bench = assemble(load_scenario(path))
    return list(kind_named(bench.scenario.system).trace_lines(bench.system, most))


def test_a_job_that_is_not_there_leaves_with_a_line_of_its_own(tmp_path: Path) -> None:
    _, _, *steps = traced(tmp_path, LOSS)
    assert [step["event"] for step in steps] == LOSS["events"]
    assert [[action["op"] for action in step["actions"]] for step in steps] == [
        ["reject"],
        [],
        ["depart"],
        ["admit"],
        ["reject"],
        [],
    ]
    assert steps[1] | {"event": 0, "actions": 0} == steps[0] | {"event": 0, "actions": 0}
    assert len(traced(tmp_path, LOSS, 5)) == 7


@pytest.mark.parametrize("score", ["inner-product", "inner product", "inner"])
def test_readings_that_are_ours_may_be_named(score: str, tmp_path: Path) -> None:
    runs = [
        {"algo": "VQS", "options": {"renew_mode": "snapshot", "score": score}},
        {"algo": "BF-J/S", "options": {"renew_mode": "snapshot", "score": score}},
    ]
    (tmp_path / "instance.json").write_text(json.dumps(QUEUE | {"runs": runs}))
    first, second = load_scenarios(tmp_path / "instance.json")
    assert first.policy.parameters == {"renew_mode": "together", "j": 3}
    assert second.policy.parameters == {}


def test_stalled_is_told_of_each_server(tmp_path: Path) -> None:
    options = {"stall": True, "gamma": "1/2"}
    data = QUEUE | {"runs": [{"algo": "VQS", "options": options}]}
    assert traced(tmp_path, data)[0]["stalled"] == [False, False]


def test_names_of_virtual_jobs_are_not_given_twice(tmp_path: Path) -> None:
    steps = traced(tmp_path, PHASES)
    assert [job["job"] for job in steps[1]["result"]["virtual_arrivals"]] == ["v3"]
    assert set(steps[0]["jobs"]) == {"v1", "v2"}
    assert set(steps[-1]["jobs"]) == {"v2"}


def test_a_job_may_ask_for_more_servers_than_there_are(tmp_path: Path) -> None:
    data = {
        "n": 3,
        "speedup": ["1", "3/2", "2", "5/2"],
        "lambda": "4/5",
        "events": [
            {"job": "a", "arrival": "0", "requested": 4, "size": "3"},
            {"job": "b", "arrival": "1", "requested": 2, "size": "1"},
        ],
    }
    first, second = traced(tmp_path, data)
    assert (first["allocated"], first["departure"], first["X_after"]) == (3, "3/2", [0, 0, 1, 0])
    assert second["blocked"]
