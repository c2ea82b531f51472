"""Scenarios with a queue: what is refused and in which words, and what comes back equal."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from hypothesis import given, settings
from hypothesis import strategies as st

from slotscope.model.errors import UserError
from slotscope.model.kinds.queue.arrivals import workload_of
from slotscope.model.kinds.queue.numbers import numbers_of
from slotscope.model.kinds.queue.scenario.schema import QueueScenario
from slotscope.model.scenario.files import scenario_files
from slotscope.model.scenario.load import load_scenario, parse_scenario, scenario_text
from slotscope.model.scenario.validation import ValidationFaultError
from tests.breaking import Place, changed, is_one_line
from tests.kinds.queue.scenarios import CLASSES, GOOD, SCRIPT, TRACE, TWO, UNIFORM, opened
from tests.scenario_text import read_back

NAN, INF = float("nan"), float("inf")


def size(law: Any) -> tuple[Place, Any]:
    return ("jobs", "size"), law


def service(law: dict[str, Any]) -> tuple[Place, Any]:
    return ("jobs", "service"), law


def workload(kind: str, **fields: Any) -> tuple[Place, Any]:
    return ("workload",), {"kind": kind, **fields}


# ((place, value), what the line must say: the path of the field first)
BROKEN: dict[str, tuple[tuple[Place, Any], tuple[str, ...]]] = {
    "a size of 0": ((("jobs", "size", "values", 0), 0), ("jobs.size.values[0]:", "found 0")),
    "a negative size": ((("jobs", "size", "values", 1), -0.5), ("jobs.size.values[1]:", "found -0.5", "above 0")),
    "a size that is no number": ((("jobs", "size", "values", 0), NAN), ("jobs.size.values[0]:", "found nan", "finite")),
    "an infinite size": ((("jobs", "size", "values", 0), INF), ("jobs.size.values[0]:", "found inf")),
    "a size in words": ((("jobs", "size", "values", 0), "large"), ("jobs.size.values[0]:", "found 'large'")),
    "a size that is true": ((("jobs", "size", "values", 0), True), ("jobs.size.values[0]:",)),
    "a size above the capacity": (
        (("jobs", "size", "values", 1), "11/10"),
        ("jobs.size.values[1]:", "found 1.1", "at most 1", "largest server"),
    ),
    "an interval above the capacity": (size(UNIFORM | {"high": 1.5}), ("jobs.size.high:", "found 1.5", "at most 1")),
    "two numbers for one resource": (
        (("jobs", "size", "values", 0), [0.1, 0.2]),
        ("jobs.size.values[0]:", "found 2 numbers", "allowed: 1", "size"),
    ),
    "no number for a resource": ((("jobs", "size", "values", 0), []), ("jobs.size.values[0]:", "found []")),
    "no sizes": ((("jobs", "size", "values"), []), ("jobs.size.values:", "found []")),
    "no values": ((("jobs", "size", "values"), None), ("jobs.size.values:", "required")),
    "an unknown law": ((("jobs", "size", "distribution"), "normal"), ("jobs.size:", "'truncated-normal'")),
    "no law": ((("jobs", "size", "distribution"), None), ("jobs.size:", "'distribution'")),
    "a number for a law": (size(5), ("jobs.size:", "found 5", "a table")),
    "an unknown key in a law": ((("jobs", "size", "value"), 1), ("jobs.size.value:", "did you mean 'values'")),
    "probabilities below 1": (
        (("jobs", "size", "probabilities"), [0.3333, 0.6666]),
        ("jobs.size:", "sum to 1", "0.9999", "'1/3'"),
    ),
    "a negative probability": (
        (("jobs", "size", "probabilities"), [-1, 2]),
        ("jobs.size.probabilities[0]:", "found -1", "at least 0"),
    ),
    "too few probabilities": (
        (("jobs", "size", "probabilities"), [1]),
        ("jobs.size:", "as many as values, 2", "found 1"),
    ),
    "counts of 0": (
        size({"distribution": "empirical", "values": [0.1], "counts": [0]}),
        ("jobs.size.counts[0]:", "found 0", "at least 1"),
    ),
    "too many counts": (
        size({"distribution": "empirical", "values": [0.1], "counts": [1, 2]}),
        ("jobs.size:", "counts must be as many as values, 1, found 2"),
    ),
    "low above high": (size(UNIFORM | {"low": 0.95}), ("jobs.size:", "high must be above low = 0.95", "0.9")),
    "low and high the same": (size(UNIFORM | {"low": 0.9}), ("jobs.size:", "above low = 0.9")),
    "a negative low": (size(UNIFORM | {"low": -0.1}), ("jobs.size.low:", "found -0.1", "at least 0")),
    "a beta law without a shape": (
        size({"distribution": "beta", "a": 0, "b": 1, "high": 1}),
        ("jobs.size.a:", "found 0"),
    ),
    "a beta law too steep": (
        size({"distribution": "beta", "a": "1e9", "b": 1, "high": 1}),
        ("jobs.size:", "a must be from 0.001 to 1000000", "found 1000000000"),
    ),
    "a deviation of 0": (
        size({"distribution": "truncated-normal", "mean": 0.5, "deviation": 0, "high": 1}),
        ("jobs.size.deviation:", "found 0", "above 0"),
    ),
    "a truncation that leaves nothing": (
        size({"distribution": "truncated-normal", "mean": 30, "deviation": 1, "high": 1}),
        ("jobs.size:", "low and high must leave at least 1e-09"),
    ),
    "a lognormal truncation that leaves nothing": (
        size({"distribution": "truncated-lognormal", "mean": "1e-9", "low": 0.5, "high": 1}),
        ("jobs.size:", "low and high must leave at least 1e-09"),
    ),
    "no parts": (size({"distribution": "mixture", "parts": []}), ("jobs.size.parts:",)),
    "a fault in a part": (
        size({"distribution": "mixture", "parts": [{"share": 1, "size": UNIFORM | {"low": 2}}]}),
        ("jobs.size.parts[0].size:", "above low = 2"),
    ),
    "parts of more than all": (
        size({"distribution": "mixture", "parts": [{"share": 1, "size": UNIFORM}] * 2}),
        ("jobs.size:", "shares of the parts must sum to 1", "the sum 2"),
    ),
    "a part above the capacity": (
        size({"distribution": "mixture", "parts": [{"share": 1, "size": UNIFORM | {"high": 7}}]}),
        ("jobs.size.parts[0].size.high:", "found 7"),
    ),
    "laws of other resources": (
        size({"distribution": "independent", "resources": {"CPU": UNIFORM}}),
        ("jobs.size.resources:", "found CPU", "allowed", "size"),
    ),
    "a list in a law of one resource": (
        size(
            {"distribution": "independent", "resources": {"size": {"distribution": "discrete", "values": [[0.1, 0.2]]}}}
        ),
        ("jobs.size.resources.size.values[0]:", "found 2 numbers", "allowed: one"),
    ),
    "no jobs": ((("jobs",), None), ("jobs:", "found none")),
    "an empty list of jobs": ((("jobs",), []), ("jobs:", "found none")),
    "shares of less than all": (
        (("jobs",), [GOOD["jobs"] | {"share": 0.5}] * 1),
        ("jobs:", "the shares must sum to 1"),
    ),
    "a fault in the second class": ((("jobs",), [GOOD["jobs"], {"share": 1}]), ("jobs[1].size:", "required")),
    "sizes too fine": (
        (("jobs", "size", "values", 0), "1/1000000000000000003"),
        ("jobs.size:", "common measure", "fewer digits"),
    ),
    "a mean service below a slot": (
        (("jobs", "service", "mean"), 0.5),
        ("jobs.service:", "mean must be from 1", "found 0.5"),
    ),
    "a service of ages": (
        service({"distribution": "lognormal", "mean": 10**13}),
        ("jobs:", "service.mean must be at most 1000000000000", "found 10000000000000"),
    ),
    "half a slot of service": (service({"distribution": "fixed", "slots": 2.5}), ("jobs.service.slots:", "found 2.5")),
    "no slot of service": (service({"distribution": "fixed", "slots": 0}), ("jobs.service.slots:", "at least 1")),
    "slots in the wrong order": (
        service({"distribution": "uniform", "low": 5, "high": 4}),
        ("jobs.service:", "at least low = 5", "found 4"),
    ),
    "services of less than all": (
        service({"distribution": "discrete", "values": [1, 2], "probabilities": [0.5, 0.4]}),
        ("jobs.service:", "sum to 1", "0.9"),
    ),
    "no services": (service({"distribution": "discrete", "values": []}), ("jobs.service.values:", "found []")),
    "an unknown service": (service({"distribution": "normal"}), ("jobs.service:", "'geometric'", "'erlang'")),
    "a fault in a service of the other systems": (
        service({"distribution": "pareto", "shape": 1}),
        ("jobs.service:", "shape", "found 1"),
    ),
    "a rate of 0": ((("workload", "arrival_rate"), 0), ("workload.arrival_rate:", "found 0", "above 0")),
    "a negative rate": ((("workload", "arrival_rate"), -1), ("workload.arrival_rate:", "found -1", "above 0")),
    "a rate that is no number": ((("workload", "arrival_rate"), NAN), ("workload.arrival_rate:", "found nan")),
    "no rate": ((("workload", "arrival_rate"), None), ("workload:", "found none", "intensity")),
    "two rates": (
        (("workload", "intensity"), 0.5),
        ("workload:", "found arrival_rate and intensity", "allowed: one of them"),
    ),
    "too many arrivals": ((("workload", "arrival_rate"), 10**7), ("workload:", "1e+07 jobs per slot", "1000000")),
    "hardly any arrivals": ((("workload", "arrival_rate"), "1e-12"), ("workload:", "1e-12 jobs per slot", "1e-09")),
    "no workload": ((("workload",), None), ("workload:", "required")),
    "an unknown workload": (workload("poison"), ("workload:", "poison", "'batch'")),
    "batches of less than a job": (
        workload("batch", intensity=1, mean_batch=0.5),
        ("workload:", "mean_batch", "found 0.5"),
    ),
    "fixed batches of half jobs": (
        workload("batch", intensity=1, mean_batch=2.5, batch="fixed"),
        ("workload:", "a whole number from 1", "found 2.5"),
    ),
    "counts without a chance of an arrival": (
        workload("iid", probabilities=[1, 0]),
        ("workload:", "chance of an arrival"),
    ),
    "counts of less than all": (workload("iid", probabilities=[0.5]), ("workload:", "the sum 0.5")),
    "an unknown format": (workload("trace", format="swf"), ("workload.format:", "found 'swf'", "'alibaba-pods'")),
    "slots of no length": (workload("trace", slot=0), ("workload.slot:", "found 0", "above 0")),
    "a capacity of 0": ((("servers", "capacity"), 0), ("servers.capacity:", "found 0", "above 0")),
    "a negative capacity": ((("servers", "capacity"), -1), ("servers.capacity:", "found -1")),
    "no resource": ((("servers", "capacity"), {}), ("servers.capacity:", "found {}")),
    "a capacity in words": ((("servers", "capacity"), "all"), ("servers.capacity:", "'all'")),
    "a pool of other resources": (
        (("servers", "pools", 0, "capacity"), {"CPU": 1}),
        ("servers:", "pools[0].capacity", "found CPU", "size"),
    ),
    "a pool without capacity": ((("servers", "pools", 0, "capacity"), 0), ("servers.pools[0].capacity:", "found 0")),
    "two pools of one name": ((("servers", "pools"), GOOD["servers"]["pools"] * 2), ("servers:", "'half' 2 times")),
    "no server": ((("servers", "count"), 0), ("servers.count:", "found 0", "at least 1")),
    "half a slot of a run": ((("run", "until"), 199.5), ("run:", "whole number", "199.5")),
    "a warm-up as long as the run": ((("run", "warmup"), 1000), ("run:", "warmup")),
    "an unknown key": ((("sede",), 1), ("sede:", "did you mean 'seed'")),
}

BROKEN_SCRIPTS: dict[str, tuple[Place, Any, tuple[str, ...]]] = {
    "a slot between slots": (("workload", "arrivals", 0, "slot"), 0.5, ("workload.arrivals[0].slot:", "found 0.5")),
    "a slot before the first": (("workload", "arrivals", 0, "slot"), -1, ("workload.arrivals[0].slot:", "at least 0")),
    "slots out of order": (
        ("workload", "arrivals", 0, "slot"),
        2,
        ("workload:", "arrivals[1].slot = 0 after 2", "order of time"),
    ),
    "half a slot of service": (("workload", "arrivals", 0, "service"), 1.5, ("workload.arrivals[0].service:", "1.5")),
    "no slot of service": (("workload", "arrivals", 0, "service"), 0, ("workload.arrivals[0].service:", "at least 1")),
    "a size of 0": (("workload", "arrivals", 1, "size"), 0, ("workload.arrivals[1].size:", "found 0")),
    "a size above the capacity": (
        ("workload", "arrivals", 2, "size"),
        11,
        ("workload.arrivals[2].size:", "found 11", "at most 10"),
    ),
    "no size": (("workload", "arrivals", 0, "size"), None, ("workload.arrivals[0].size:",)),
    "no arrivals": (("workload", "arrivals"), [], ("workload.arrivals:", "at least one entry")),
    "two jobs of one name": (("workload", "arrivals", 1, "job"), "a", ("workload.arrivals[1].job:", "'a' again")),
    "sizes too fine": (("workload", "arrivals", 0, "size"), "1e-25", ("workload.arrivals:", "fewer digits")),
    "laws beside a script": (("jobs",), GOOD["jobs"], ("jobs:", "script alone")),
}


def check_line(data: dict[str, Any], words: tuple[str, ...]) -> None:
    with pytest.raises(UserError) as raised:
        opened(data)
    line = raised.value.line
    assert is_one_line(line)
    assert len(line) < 500
    for word in words:
        assert word in line, line
    assert line.startswith(words[0]), line


@pytest.mark.parametrize("name", BROKEN)
def test_broken(name: str) -> None:
    (place, value), words = BROKEN[name]
    check_line(changed(place, value, GOOD), words)


@pytest.mark.parametrize("name", BROKEN_SCRIPTS)
def test_broken_script(name: str) -> None:
    place, value, words = BROKEN_SCRIPTS[name]
    check_line(changed(place, value, SCRIPT), words)


BROKEN_TWO: dict[str, tuple[Place, Any, tuple[str, ...]]] = {
    "one number for two resources": (
        ("jobs", 0, "size", "values", 0),
        1,
        ("jobs[0].size.values[0]:", "found one number", "2, one for each resource, CPU, memory"),
    ),
    "nothing of any resource": (
        ("jobs", 0, "size", "values", 0),
        [0, 0],
        ("jobs[0].size.values[0]:", "one of them above"),
    ),
    "a law of one resource": (("jobs", 0, "size"), UNIFORM, ("jobs[0].size.high:", "found one number")),
    "too much of the second": (
        ("jobs", 0, "size", "values", 0),
        [1, 33],
        ("jobs[0].size.values[0]:", "found 1 and 33", "at most 8 and 32"),
    ),
    "a resource too few": (
        ("jobs", 1, "size", "resources", "CPU"),
        None,
        ("jobs[1].size.resources:", "found memory", "CPU, memory"),
    ),
    "a corner above the capacity": (
        ("jobs", 1, "size", "resources", "memory", "high"),
        40,
        ("jobs[1].size:", "2 and 40"),
    ),
    "an unknown unit": (("servers", "capacity", "memory"), "32 cores", ("servers.capacity.memory:", "GiB")),
    "no amount": (("servers", "capacity", "CPU"), 0, ("servers.capacity.CPU:", "found 0")),
}


@pytest.mark.parametrize("name", BROKEN_TWO)
def test_broken_with_two_resources(name: str) -> None:
    place, value, words = BROKEN_TWO[name]
    check_line(changed(place, value, TWO), words)


def test_a_trace_must_be_read() -> None:
    check_line(changed(("jobs",), None, TRACE), ("workload.paths:", "not been read"))
    check_line(TRACE, ("workload.paths:", "--trace PATH"))


def test_every_fault_is_told() -> None:
    data = changed(("servers", "count"), 0, changed(("jobs", "size", "values", 0), -1, GOOD))
    with pytest.raises(ValidationFaultError) as raised:
        parse_scenario(data)
    places = {problem.where for problem in raised.value.problems}
    assert places == {"servers.count", "jobs.size.values[0]"}


@pytest.mark.parametrize("data", [GOOD, CLASSES, SCRIPT, TWO, TRACE])
def test_text_and_back(data: dict[str, Any]) -> None:
    read_back(parse_scenario(data))


@pytest.mark.parametrize("data", [GOOD, CLASSES, SCRIPT, TWO])
def test_what_comes_back_has_the_same_jobs(data: dict[str, Any]) -> None:
    scenario = parse_scenario(data)
    again = read_back(scenario)
    assert isinstance(scenario, QueueScenario)
    assert isinstance(again, QueueScenario)
    first, second = (workload_of(one, numbers_of(one)).block_at(0) for one in (scenario, again))
    assert first is not None
    assert second is not None
    for mine, theirs in zip(first, second, strict=True):
        assert (mine == theirs).all()


@pytest.mark.parametrize("law", ["exponential", "deterministic", "erlang", "hyper-exponential", "pareto", "lognormal"])
def test_service_laws_of_the_other_systems_come_back(law: str) -> None:
    fields = {"phases": 3} if law == "erlang" else {}
    data = changed(*service({"distribution": law, "mean": 5, **fields}), GOOD)
    scenario = parse_scenario(data)
    assert parse_scenario(tomllib.loads(scenario_text(scenario))) == scenario
    opened(data)


@given(st.lists(st.fractions(Fraction(1, 1000), 1, max_denominator=1000), min_size=1, max_size=5))
@settings(max_examples=40)
def test_sizes_are_kept_exactly(sizes: list[Fraction]) -> None:
    data = changed(("jobs", "size"), {"distribution": "discrete", "values": [str(size) for size in sizes]}, GOOD)
    try:
        numbers = opened(data)
    except UserError as error:  # five such denominators together can be too fine
        assert "fewer digits" in error.line
        return
    found = {numbers.amount(value[0]) for value in numbers.values}
    assert found == set(sizes)
    assert sum(numbers.probabilities) == 1


def test_one_table_is_a_list_of_one_class() -> None:
    assert parse_scenario(GOOD) == parse_scenario(changed(("jobs",), [GOOD["jobs"]], GOOD))


def test_a_bare_capacity_is_written_bare() -> None:
    data = tomllib.loads(scenario_text(parse_scenario(GOOD)))
    assert data["servers"]["capacity"] == 1
    assert data["servers"]["pools"][0]["capacity"] == 0.5
    assert data["run"]["time_unit"] == "slot"


def test_a_fault_in_a_file_begins_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "broken.toml"
    path.write_text(tomli_w.dumps(changed(("jobs", "size", "values", 0), 0, GOOD)))
    with pytest.raises(UserError) as raised:
        load_scenario(path)
    assert raised.value.line.startswith(f"{path}: jobs.size.values[0]: found 0")


def test_more_work_than_servers_is_a_warning() -> None:
    assert opened(GOOD).warnings() == ()
    (warning,) = opened(changed(("workload", "arrival_rate"), 1, GOOD)).warnings()
    assert "intensity of 2.13" in warning
    assert is_one_line(warning)


@pytest.mark.parametrize("name", [name for name in scenario_files() if name[:6] == "queues"])
def test_built_in_scenarios_say_where_they_come_from(name: str) -> None:
    scenario = load_scenario(name)
    assert scenario.title
    assert scenario.description
    assert scenario.paper.startswith("Psychas & Ghaderi (2019), Section ")
    if scenario.workload.kind != "trace":
        assert opened(tomllib.loads(scenario_text(scenario))).warnings() == ()
