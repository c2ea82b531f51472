"""Instance files of the system with phases: the scenarios that they give, and one line for each error."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from slotscope.model.kinds.phases.numbers import numbers_of
from slotscope.model.kinds.phases.scenario.schema import PhasesScenario
from slotscope.model.kinds.phases.scenario.workload import ScriptedPhaseArrival, ScriptedPhases, ScriptedTick
from slotscope.model.scenario.load import load_scenario, parse_scenario_text, scenario_text
from tests.breaking import Fault, changed, check_file
from tests.conftest import GOLDEN

ARRIVAL = {"t": 1.5, "kind": "arrival", "type": "H", "job": "b", "token_index": 0, "pool": 2}
POOL: dict[str, Any] = {
    "L": 2,
    "eta_max": 1,
    "policy": [
        {"k": [0, 0], "case": 1, "rates": {"L": 0.5}},
        {"k": [0, 1], "case": 2, "prob": {"L": 1}},
        {"k": [1, 1], "case": 3},
    ],
    "patch_at_0": {"rate": 1.0, "k0": {"L": 2}},
    "initial": [{"real": {"a": "L"}}, {"virtual": {"v1": "H"}}],
    "initial_tokens": {"L": [2, 1]},
}
GOOD: dict[str, Any] = {
    "name": "one",
    "purpose": "to be broken",
    "K_max": 3,
    "phases": ["L", "H"],
    "resources": [{"name": "cpu", "cap": 4, "req": [1, "5/2"]}, {"name": "ram", "cap": 8, "req": [2, 0]}],
    "pools": [POOL, {"L": 1, "eta_max": 2, "policy": []}],
    "events": [
        {"t": 1, "kind": "tick", "server": 1, "type": "patch", "virtual_choices": [1]},
        ARRIVAL,
        {"t": 2, "kind": "phase", "job": "a", "to": "H"},
        {"t": 2.5, "kind": "departure", "job": "a", "pool": 1},
    ],
}


def opened(folder: Path, data: Any) -> PhasesScenario:
    path = folder / "instance.json"
    path.write_text(json.dumps(data))
    scenario = load_scenario(path)
    assert isinstance(scenario, PhasesScenario)
    return scenario


def script(scenario: PhasesScenario) -> ScriptedPhases:
    assert isinstance(scenario.workload, ScriptedPhases)
    return scenario.workload


def test_phases_resources_and_limit(tmp_path: Path) -> None:
    scenario = opened(tmp_path, GOOD)
    assert (scenario.title, scenario.description) == ("one", "to be broken")
    model = numbers_of(scenario).model
    assert (model.phases, model.resources) == (("L", "H"), ("cpu", "ram"))
    assert model.demand == ((1, 2), (Fraction(5, 2), 0))
    assert (model.capacity, model.most_jobs, model.hard) == ((4, 8), 3, False)
    assert model.cost.law == "overrun"
    assert scenario.run.until == Fraction(7, 2)


def test_pools_become_parameters(tmp_path: Path) -> None:
    scenario = opened(tmp_path, GOOD)
    assert scenario.policy.name == "jrs"
    assert scenario.policy.parameters == {
        "pools": [
            {
                "servers": 2,
                "token_limit": 1,
                "patch": {"rate": 1.0, "k0": {"L": 2}},
                "policy": [{"k": [0, 0], "case": 1, "rates": {"L": 0.5}}, {"k": [0, 1], "case": 2, "prob": {"L": 1}}],
            },
            {"servers": 1, "token_limit": 2, "policy": []},
        ]
    }


def test_start_and_events(tmp_path: Path) -> None:
    found = script(opened(tmp_path, GOOD))
    assert [[(server.real, server.virtual) for server in pool] for pool in found.initial] == [
        [({"a": "L"}, {}), ({}, {"v1": "H"})],
        [],
    ]
    assert found.initial_tokens == ({"L": (2, 1)}, {})
    tick, arrival, move, leave = found.events
    assert isinstance(tick, ScriptedTick)
    assert (tick.t, tick.server, tick.type, tick.pool) == (1, 1, "patch", 1)
    assert tick.virtual_choices == (1,)
    assert isinstance(arrival, ScriptedPhaseArrival)
    assert (arrival.t, arrival.type, arrival.job) == (Fraction(3, 2), "H", "b")
    assert (arrival.token_index, arrival.pool) == (0, 2)
    assert (move.kind, leave.kind) == ("phase", "departure")


@pytest.mark.parametrize(
    "event",
    [
        {"t": 1, "kind": "arrival", "type": "L", "job": "b"},
        {"t": 1, "kind": "arrival", "type": "L", "job": "b", "token_index": None},
    ],
)
def test_an_arrival_without_a_place_overflows(event: dict[str, Any], tmp_path: Path) -> None:
    (found,) = script(opened(tmp_path, GOOD | {"events": [event]})).events
    assert isinstance(found, ScriptedPhaseArrival)
    assert found.token_index is None


@pytest.mark.parametrize("path", sorted((GOLDEN / "phases").glob("[0-9]*.json")), ids=lambda path: path.stem)
def test_golden_files_are_scripts_with_all_their_events(path: Path) -> None:
    data = json.loads(path.read_text())
    scenario = load_scenario(path)
    assert isinstance(scenario, PhasesScenario)
    found = script(scenario)
    assert [event.kind for event in found.events] == [event["kind"] for event in data["events"]]
    assert [float(event.t) for event in found.events] == [event["t"] for event in data["events"]]
    pools = scenario.policy.parameters["pools"]
    assert [pool["servers"] for pool in pools] == [pool["L"] for pool in data["pools"]]
    assert parse_scenario_text(scenario_text(scenario), "here") == scenario
    jobs = {name: phase for pool in found.initial for server in pool for name, phase in server.real.items()}
    assert jobs == {name: phase for name, (_, phase) in data["states"][0]["jobs"].items()}


FAULTS: dict[str, Fault] = {
    "no limit": ("K_max", None, "found no key 'K_max'"),
    "a limit of 0": ("K_max", 0, "servers.most_jobs: found 0"),
    "no phases": ("phases", None, "found no key 'phases'"),
    "phases are no list": ("phases", "LH", "found 'LH', allowed: a list of names"),
    "a phase is no name": ("phases", ["L", 2], "found"),
    "no resources": ("resources", [], "servers.capacity: found {}"),
    "a resource is no object": ("resources", [3], "resources[0]: found 3"),
    "a resource without a capacity": ("resources[0].cap", None, "found no key 'cap'"),
    "a demand for each phase but one": ("resources[0].req", [1], "found [1], allowed: 2 numbers, one for each phase"),
    "no pools and no other key": ("pools", None, "found no key 'instance' or 'runs' or 'pools'"),
    "pools are no list": ("pools", 2, "found 2, allowed: a list"),
    "a pool is no object": ("pools", [2], "pools[0]: found 2, allowed: an object"),
    "no servers": ("pools[0].L", None, "found no key 'L'"),
    "no policy": ("pools[0].policy", None, "found no key 'policy'"),
    "a configuration of one phase": (
        "pools[0].policy[0].k",
        [0],
        "found [0], allowed: 2 whole numbers, one for each phase",
    ),
    "an unknown case": ("pools[0].policy[0].case", 4, "found 4, allowed: 1, 2 or 3"),
    "timers are no object": ("pools[0].policy[0].rates", [1], "found [1]"),
    "no timers": ("pools[0].policy[0].rates", None, "found no key 'rates'"),
    "a request is no object": ("pools[0].policy[1].prob", 1, "found 1"),
    "a patch is no object": ("pools[0].patch_at_0", 3, "found 3"),
    "a start is no list": ("pools[0].initial", {"a": 1}, "found"),
    "a server is no object": ("pools[0].initial", ["a"], "pools[0].initial[0]: found 'a'"),
    "jobs are no object": ("pools[0].initial", [{"real": "a"}], "pools[0].initial[0].real: found 'a'"),
    "tokens are no object": ("pools[0].initial_tokens", [1], "found [1]"),
    "a job in an unknown phase": (
        "pools[0].initial",
        [{"real": {"a": "X"}}],
        "workload.initial[0][0].real.a: found 'X', allowed: L, H",
    ),
    "no events": ("events", None, "found no key 'events'"),
    "an event is no object": ("events", [3], "events[0]: found 3"),
    "an event without a kind": ("events[1].kind", None, "found 'nothing', allowed: arrival, phase, departure, tick"),
    "an unknown kind": ("events[1].kind", "jump", "found 'jump'"),
    "a kind that is a list": ("events[1].kind", [1], "found [1]"),
    "an event without a time": ("events[1].t", None, "found nothing, allowed: this key"),
    "a time in words": ("events[1].t", "soon", "workload.events[1].t: found 'soon'"),
    "a last time in words": ("events[3].t", "soon", "workload.events[3].t: found 'soon'"),
    "a time before the last": ("events[1].t", 0.5, "workload: events must stand in order of time"),
    "an arrival without a job": ("events[1].job", None, "found nothing"),
    "an arrival of an unknown type": ("events[1].type", "X", "workload.events[1].type: found 'X', allowed: L, H"),
    "an unknown key": ("events[1].token", 1, "found an unknown key, allowed: t, kind, type, job, token_index, pool"),
    "a place that is no number": ("events[1].token_index", "x", "workload.events[1].token_index: found 'x'"),
    "a pool too many": (
        "events[1].pool",
        3,
        "workload.events[1].pool: found pool 3, allowed: at most 2, as many as policy.parameters",
    ),
    "a tick of a server too many": (
        "events[0].server",
        3,
        "workload.events[0].server: found server 3, allowed: at most 2, the normal servers of",
    ),
    "a start with a server too many": (
        "pools[0].initial",
        [{}, {}, {}],
        "workload.initial[0]: found server 3, allowed: at most 2",
    ),
    "a token of a server too many": (
        "pools[0].initial_tokens",
        {"L": [1, 3]},
        "workload.initial_tokens[0].L: found server 3",
    ),
    "a name twice": ("events[1].job", "a", "workload: found 2 jobs with the name 'a'"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_told_in_one_line(name: str, tmp_path: Path) -> None:
    place, value, words = FAULTS[name]
    check_file(load_scenario, tmp_path / "instance.json", json.dumps(changed(place, value, GOOD)), words, place)
