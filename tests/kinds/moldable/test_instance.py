"""Instance files of moldable jobs: what they become, and one line for each fault."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from slotscope.model.errors import UserError
from slotscope.model.kinds.moldable.scenario.schema import MoldableScenario
from slotscope.model.kinds.moldable.scenario.workload import ScriptedMoldable
from slotscope.model.scenario.load import load_scenario, parse_scenario_text, scenario_text
from tests.breaking import Place, changed, is_one_line
from tests.conftest import GOLDEN

GOOD: dict[str, Any] = {
    "name": "one",
    "description": "to be broken",
    "n": 8,
    "speedup": ["1", "9/5", 2.5],
    "lambda": "4/5",
    "events": [
        {"job": 0, "arrival": "0", "requested": 3, "size": "6", "free_before": 8, "X_after": [1]},
        {"job": "b", "arrival": 0.1, "size": "25/7", "blocked": False},
        {"job": 2, "arrival": "1/3", "requested": None, "size": 1, "allocated": 1},
    ],
    "stats": {"N": 3},
}

SEVERAL: dict[str, Any] = {
    "n": 4,
    "speedups": [[1, 2], [1]],
    "classes": ["wide", "narrow"],
    "events": [
        {"job": 0, "arrival": 0, "size": 1, "class": "narrow", "requested": 1},
        {"job": 1, "arrival": 1, "size": 1, "class": "wide", "requested": 2},
    ],
}


def opened(folder: Path, data: Any) -> MoldableScenario:
    path = folder / "instance.json"
    path.write_text(json.dumps(data))
    scenario = load_scenario(path)
    assert isinstance(scenario, MoldableScenario)
    return scenario


def script(scenario: MoldableScenario) -> ScriptedMoldable:
    assert isinstance(scenario.workload, ScriptedMoldable)
    return scenario.workload


def test_a_script_under_greedy_p(tmp_path: Path) -> None:
    scenario = opened(tmp_path, GOOD)
    assert (scenario.title, scenario.description) == ("one", "to be broken")
    assert (scenario.servers.count, scenario.policy.name) == (8, "greedy-p")
    assert list(scenario.speedup_of(0)) == [1, Fraction(9, 5), Fraction(5, 2)]
    assert scenario.load == Fraction(4, 5)
    jobs = script(scenario).arrivals
    assert [job.job for job in jobs] == ["0", "b", "2"]
    assert [job.time for job in jobs] == [0, Fraction(1, 10), Fraction(1, 3)]
    assert [job.size for job in jobs] == [6, Fraction(25, 7), 1]
    assert [job.requested for job in jobs] == [3, None, None]
    assert scenario.run.until == 6  # by then even a job on one server has left


@pytest.mark.parametrize(
    ("speedups", "names"),
    [({"speedups": {"wide": [1, 2], "narrow": [1]}, "classes": None}, ("wide", "narrow")), ({}, ("wide", "narrow"))],
)
def test_classes_by_name(speedups: dict[str, Any], names: tuple[str, ...], tmp_path: Path) -> None:
    scenario = opened(tmp_path, SEVERAL | speedups)
    assert scenario.class_names == names
    assert [scenario.classes[j].degree for j in range(2)] == [2, 1]
    assert [job.class_name for job in script(scenario).arrivals] == ["narrow", "wide"]


def test_classes_by_number(tmp_path: Path) -> None:
    data = {key: value for key, value in SEVERAL.items() if key != "classes"}
    data["events"] = [{"job": 0, "arrival": 0, "size": 1, "class": 2}]
    (job,) = script(opened(tmp_path, data)).arrivals
    assert job.class_name == "2"


def test_no_events(tmp_path: Path) -> None:
    scenario = opened(tmp_path, GOOD | {"events": []})
    assert script(scenario).arrivals == ()
    assert scenario.run.until == 1


@pytest.mark.parametrize("path", sorted((GOLDEN / "moldable").glob("B0[1-4]*.json")), ids=lambda path: path.stem)
def test_golden_files_are_scripts_with_all_their_arrivals(path: Path) -> None:
    data = json.loads(path.read_text())
    scenario = load_scenario(path)
    assert isinstance(scenario, MoldableScenario)
    assert scenario.servers.count == data["n"]
    assert scenario.speedup_of(0) == tuple(Fraction(factor) for factor in data["speedup"])
    jobs = script(scenario).arrivals
    assert [job.time for job in jobs] == [Fraction(event["arrival"]) for event in data["events"]]
    assert [job.size for job in jobs] == [Fraction(event["size"]) for event in data["events"]]
    assert [job.requested for job in jobs] == [event["requested"] for event in data["events"]]
    assert parse_scenario_text(scenario_text(scenario), "here") == scenario


def test_solutions_of_programs_are_no_instance(tmp_path: Path) -> None:
    with pytest.raises(UserError) as raised:
        opened(tmp_path, {"P": [{"lam": "1/10"}], "Q": []})
    assert "found solutions of the programs (P) and (Q)" in raised.value.line
    assert "'slotscope bounds'" in raised.value.line


def without(*keys: str) -> dict[str, Any]:
    return {key: value for key, value in GOOD.items() if key not in keys}


EVENT: Place = ("events", 1)

# name: the file, what the line must say after the file's name
FAULTS: dict[str, tuple[Any, str]] = {
    "no servers": (without("n"), "n: found nothing, allowed: this key is required"),
    "servers in words": (GOOD | {"n": "many"}, "servers.count: found 'many'"),
    "0 servers": (GOOD | {"n": 0}, "servers.count: found 0"),
    "no events": (without("events"), "events: found nothing"),
    "events are no list": (GOOD | {"events": 3}, "events: found 3, allowed: a list"),
    "an event is no object": (GOOD | {"events": [3]}, "events[0]: found 3, allowed: an object"),
    "no speed-up": (without("speedup"), "found no key 'instance' or 'runs' or 'pools' or 'speedup'"),
    "speed-ups of both kinds": (GOOD | {"speedups": [[1]]}, "found speedup and speedups, allowed: one of them"),
    "a convex speed-up": (
        GOOD | {"speedup": ["1", "6/5", "9/5"]},
        "classes[0].speedup: found ['1', '6/5', '9/5'], allowed: a concave speed-up, but s_3 - s_2 = 0.6",
    ),
    "a speed-up in words": (GOOD | {"speedup": ["1", "two"]}, "classes[0].speedup[1]: found 'two'"),
    "speed-ups that are a number": (SEVERAL | {"speedups": 3}, "speedups: found 3, allowed: a list of speed-ups"),
    "too few names": (SEVERAL | {"classes": ["wide"]}, "classes: found ['wide'], allowed: 2 names"),
    "names that are no list": (SEVERAL | {"classes": "ab"}, "classes: found 'ab', allowed: 2"),
    "a name that is a list": (SEVERAL | {"classes": ["wide", [1]]}, "classes[1].name: found [1]"),
    "an unknown class": (
        changed((*EVENT, "class"), "thin", SEVERAL),
        "workload.arrivals[1].class: found 'thin', allowed: wide, narrow",
    ),
    "no class": (changed((*EVENT, "class"), None, SEVERAL), "workload.arrivals[1].class: found nothing"),
    "no time": (changed((*EVENT, "arrival"), None, GOOD), "events[1].arrival: found nothing"),
    "no size": (changed((*EVENT, "size"), None, GOOD), "events[1].size: found nothing"),
    "no job": (changed((*EVENT, "job"), None, GOOD), "events[1].job: found nothing"),
    "a time in words": (changed((*EVENT, "arrival"), "soon", GOOD), "workload.arrivals[1].time: found 'soon'"),
    "a size of 0": (changed((*EVENT, "size"), "0", GOOD), "workload.arrivals[1].size: found '0'"),
    "a size divided by 0": (changed((*EVENT, "size"), "1/0", GOOD), "workload.arrivals[1].size: found '1/0'"),
    "a time before the last": (changed((*EVENT, "arrival"), 9, GOOD), "workload: arrivals must stand in order of time"),
    "a request above d": (
        changed((*EVENT, "requested"), 4, GOOD),
        "workload.arrivals[1].requested: found 4, allowed: at most 3",
    ),
    "a request in words": (changed((*EVENT, "requested"), "all", GOOD), "workload.arrivals[1].requested: found 'all'"),
    "two jobs of one name": (changed((*EVENT, "job"), 0, GOOD), "workload: found 2 jobs with"),
    "a load of 0": (GOOD | {"lambda": 0}, "workload.load: found 0"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults(name: str, tmp_path: Path) -> None:
    data, words = FAULTS[name]
    with pytest.raises(UserError) as raised:
        opened(tmp_path, data)
    assert is_one_line(raised.value.line)
    assert f"instance.json: {words}" in raised.value.line


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"speedup": [1], "n": 1'])
def test_files_that_are_no_instance(text: str, tmp_path: Path) -> None:
    path = tmp_path / "instance.json"
    path.write_text(text)
    with pytest.raises(UserError) as raised:
        load_scenario(path)
    assert is_one_line(raised.value.line)
    assert raised.value.line.startswith(str(path))
