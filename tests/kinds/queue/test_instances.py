"""Instance files of the queueing system: the scenarios that they give, and one line for each error."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from slotscope.model.errors import UserError
from slotscope.model.running.assembly import assemble
from slotscope.model.scenario.load import load_scenarios
from tests.breaking import Fault, changed, check_file

JOB = {"id": 0, "slot": 0, "size": "3/5", "service": 1}
GOOD: dict[str, Any] = {
    "name": "one",
    "L": 2,
    "capacity": "1",
    "J": 3,
    "slots": 4,
    "arrivals": [JOB, {"id": 1, "slot": 2, "size": 0.25}],
    "runs": [
        {"algo": "VQS", "options": {"vqs_skip": True, "stall": True, "gamma": "1/3"}},
        {"algo": "FIFO-FF"},
        {"algo": "BF-J/S", "options": {"gamma": "1/2"}},
        {"algo": "MW", "options": {"renew": "before", "preemptive": True}},
    ],
}


def opened(folder: Path, data: Any) -> list[Any]:
    path = folder / "instance.json"
    path.write_text(json.dumps(data))
    return load_scenarios(path)


def test_each_run_is_a_scenario(tmp_path: Path) -> None:
    found = opened(tmp_path, GOOD)
    assert [scenario.policy.name for scenario in found] == ["vqs", "fifo-ff", "bf-js", "max-weight"]
    assert [scenario.policy.parameters for scenario in found] == [
        {"skip": True, "stall": True, "gamma": "1/3", "j": 3},
        {},
        {},
        {"renew": "before", "preemptive": True},
    ]
    assert found[0].title == "one VQS, vqs_skip, stall, gamma = 1/3"
    first = found[0]
    assert (first.servers.count, first.run.until) == (2, 4)
    assert [job.size for job in first.workload.arrivals] == [(Fraction(3, 5),), (Fraction(1, 4),)]
    assert [job.service for job in first.workload.arrivals] == [1, None]


def test_arrivals_are_put_in_order_of_slots(tmp_path: Path) -> None:
    jobs = [JOB | {"id": "b", "slot": 3}, JOB | {"id": "c", "slot": 1}, JOB | {"id": "a"}, JOB | {"id": "d", "slot": 1}]
    (found, *_) = opened(tmp_path, GOOD | {"arrivals": jobs})
    assert [job.job for job in found.workload.arrivals] == ["a", "c", "d", "b"]


def test_several_resources(tmp_path: Path) -> None:
    data = GOOD | {
        "capacity": ["1", "2"],
        "arrivals": [JOB | {"size": ["1/3", "1/2"]}],
        "J": None,
        "runs": [{"algo": "BF-J/S"}],
    }
    (found,) = opened(tmp_path, data)
    bench = assemble(found)
    lines = list(bench.kind.trace_lines(bench.system, 1))
    assert lines[0]["used"] == [["1/3", "1/2"], ["0", "0"]]


def test_a_list_of_one_resource_is_one(tmp_path: Path) -> None:
    data = GOOD | {"capacity": ["1"], "arrivals": [JOB | {"size": ["3/5"]}]}
    bench = assemble(opened(tmp_path, data)[0])
    assert next(bench.kind.trace_lines(bench.system, 1))["used"] == ["3/5", "0"]


def run(**given: Any) -> dict[str, Any]:
    return GOOD | {"runs": [given]}


FAULTS: dict[str, Fault] = {
    "no slots": ("slots", None, "found no key 'slots'"),
    "no servers": ("L", None, "found no key 'L'"),
    "no arrivals": ("arrivals", [], "workload.arrivals: found"),
    "arrivals are no list": ("arrivals", 3, "found 3, allowed: a list"),
    "an arrival is no object": ("arrivals", [3], "arrivals[0]: found 3"),
    "an arrival has no size": ("arrivals", [{"id": 0, "slot": 0}], "arrivals[0].size: found nothing"),
    "a size of 0": ("arrivals", [JOB | {"size": 0}], "arrivals[0].size: found 0, allowed: a number"),
    "a negative size": ("arrivals", [JOB, JOB | {"id": 1, "size": "-1/2"}], "arrivals[1].size: found"),
    "a size that is no number": ("arrivals", [JOB | {"size": "NaN"}], "arrivals[0].size: found 'NaN'"),
    "a size that is a list of nothing": ("arrivals", [JOB | {"size": []}], "arrivals[0].size: found []"),
    "a size above the capacity": ("arrivals", [JOB | {"size": "5/4"}], "workload.arrivals[0].size: found 1.25"),
    "more sizes than resources": (
        "arrivals",
        [JOB | {"size": ["1/2", "1/2"]}],
        "workload.arrivals[0].size: found 2 numbers",
    ),
    "a slot before 0": ("arrivals", [JOB | {"slot": -1}], "arrivals[0].slot: found -1"),
    "a slot that is no number": ("arrivals", [JOB | {"slot": "x"}], "arrivals[0].slot: found 'x'"),
    "a service of 0": ("arrivals", [JOB | {"service": 0}], "workload.arrivals[0].service: found 0"),
    "a name twice": ("arrivals", [JOB, JOB], "workload.arrivals[1].job: found the name '0' again"),
    "no server": ("L", 0, "servers.count: found 0"),
    "a capacity of nothing": ("capacity", [], "servers.capacity"),
    "no slot": ("slots", 0, "run.until: found 0"),
    "no run": ("runs", [], "found no run"),
    "runs are no list": ("runs", 4, "found 4, allowed: a list"),
    "no algorithm": ("runs", [{}], "runs[0].algo: found 'nothing', allowed: FIFO-FF, BF-J"),
    "an unknown algorithm": ("runs", [{"algo": "XY"}], "runs[0].algo: found 'XY', allowed: FIFO-FF"),
    "options are no object": ("runs", [{"algo": "VQS", "options": [1]}], "runs[0].options: found [1]"),
    "an unknown option": (
        "runs",
        [{"algo": "VQS", "options": {"skip": True}}],
        "runs[0].options.skip: found true, allowed for",
    ),
    "an option of another algorithm": (
        "runs",
        [{"algo": "BF-J", "options": {"vqs_skip": True}}],
        "runs[0].options.vqs_skip: found true, allowed for BF-J: the options stall",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_told_in_one_line(name: str, tmp_path: Path) -> None:
    place, value, words = FAULTS[name]
    check_file(load_scenarios, tmp_path / "instance.json", json.dumps(changed(place, value, GOOD)), words, place)


@pytest.mark.parametrize(
    ("depth", "sentence"),
    [
        (1, "policy.parameters.j: found 1"),
        (21, "policy.parameters.j: found 21"),
        ("x", "policy.parameters.j: found 'x'"),
    ],
)
def test_a_depth_that_cannot_be_is_refused(depth: Any, sentence: str, tmp_path: Path) -> None:
    (first, *_) = opened(tmp_path, GOOD | {"J": depth})
    with pytest.raises(UserError) as raised:
        assemble(first)
    assert sentence in raised.value.line


def test_an_option_at_its_default_may_stand_anywhere(tmp_path: Path) -> None:
    data = run(algo="BF-J", options={"fifo_skip": False, "renew": "after", "gamma": "1/2"})
    (found,) = opened(tmp_path, data)
    assert found.policy.parameters == {}


@pytest.mark.parametrize(("most", "lines"), [(0, 0), (3, 3), (99, 4)])
def test_a_trace_has_as_many_lines_as_slots(most: int, lines: int, tmp_path: Path) -> None:
    bench = assemble(opened(tmp_path, GOOD)[1])
    assert len(list(bench.kind.trace_lines(bench.system, most))) == lines
