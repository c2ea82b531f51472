"""Instance files of moldable jobs: the scenarios that they give, and one line for each error."""

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
from tests.breaking import Fault, changed, check_file
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
    assert scenario.run.until == 6  # by then even a job on one server has departed


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


FAULTS: dict[str, Fault] = {
    "no servers": ("n", None, "found nothing, allowed: this key is required"),
    "servers in words": ("n", "many", "servers.count: found 'many'"),
    "0 servers": ("n", 0, "servers.count: found 0"),
    "no events": ("events", None, "found nothing"),
    "events are no list": ("events", 3, "found 3, allowed: a list"),
    "an event is no object": ("events", [3], "events[0]: found 3, allowed: an object"),
    "no speed-up": ("speedup", None, "found no key 'instance' or 'runs' or 'pools' or 'speedup'"),
    "speed-ups of both kinds": ("speedups", [[1]], "found speedup and speedups, allowed: one of them"),
    "a convex speed-up": (
        "speedup",
        ["1", "6/5", "9/5"],
        "classes[0].speedup: found ['1', '6/5', '9/5'], allowed: a concave speed-up, but s_3 - s_2 = 0.6",
    ),
    "a speed-up in words": ("speedup", ["1", "two"], "classes[0].speedup[1]: found 'two'"),
    "no time": ("events[1].arrival", None, "found nothing"),
    "no size": ("events[1].size", None, "found nothing"),
    "no job": ("events[1].job", None, "found nothing"),
    "a time in words": ("events[1].arrival", "soon", "workload.arrivals[1].time: found 'soon'"),
    "a size of 0": ("events[1].size", "0", "workload.arrivals[1].size: found '0'"),
    "a size divided by 0": ("events[1].size", "1/0", "workload.arrivals[1].size: found '1/0'"),
    "a time before the last": ("events[1].arrival", 9, "workload: arrivals must stand in order of time"),
    "a request above d": ("events[1].requested", 4, "workload.arrivals[1].requested: found 4, allowed: at most 3"),
    "a request in words": ("events[1].requested", "all", "workload.arrivals[1].requested: found 'all'"),
    "two jobs of one name": ("events[1].job", 0, "workload: found 2 jobs with"),
    "a load of 0": ("lambda", 0, "workload.load: found 0"),
}

FAULTS_OF_CLASSES: dict[str, Fault] = {
    "speed-ups that are a number": ("speedups", 3, "found 3, allowed: a list of speed-ups"),
    "too few names": ("classes", ["wide"], "found ['wide'], allowed: 2 names"),
    "names that are no list": ("classes", "ab", "found 'ab', allowed: 2"),
    "a name that is a list": ("classes", ["wide", [1]], "classes[1].name: found [1]"),
    "an unknown class": ("events[1].class", "thin", "workload.arrivals[1].class: found 'thin', allowed: wide, narrow"),
    "no class": ("events[1].class", None, "workload.arrivals[1].class: found nothing"),
}


@pytest.mark.parametrize(
    ("good", "fault"),
    [
        pytest.param(good, fault, id=name)
        for good, faults in ((GOOD, FAULTS), (SEVERAL, FAULTS_OF_CLASSES))
        for name, fault in faults.items()
    ],
)
def test_faults(good: dict[str, Any], fault: Fault, tmp_path: Path) -> None:
    place, value, words = fault
    check_file(load_scenario, tmp_path / "instance.json", json.dumps(changed(place, value, good)), words, place)


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"speedup": [1], "n": 1'])
def test_files_that_are_no_instance(text: str, tmp_path: Path) -> None:
    check_file(load_scenario, tmp_path / "instance.json", text, "")
