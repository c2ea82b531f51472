"""Scenarios with a queue: which are refused with which message, and which come back equal."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slotscope.model.errors import UserError
from slotscope.model.kinds.queue.arrivals import workload_of
from slotscope.model.kinds.queue.numbers import numbers_of
from slotscope.model.kinds.queue.scenario.schema import QueueScenario
from slotscope.model.scenario.files import scenario_files
from slotscope.model.scenario.load import load_scenario, parse_scenario, scenario_text
from tests.breaking import Fault, changed, check_fault, is_one_line, refused, says
from tests.kinds.queue.scenarios import CLASSES, GOOD, SCRIPT, TRACE, TWO, UNIFORM, opened
from tests.scenario_text import read_back

NAN, INF = float("nan"), float("inf")


def law(name: str, **fields: Any) -> dict[str, Any]:
    return {"distribution": name} | fields


def workload(kind: str, **fields: Any) -> dict[str, Any]:
    return {"kind": kind} | fields


BROKEN: dict[str, Fault] = {
    "a size of 0": ("jobs.size.values[0]", 0, "found 0"),
    "a negative size": ("jobs.size.values[1]", -0.5, "found -0.5 ... above 0"),
    "a size that is no number": ("jobs.size.values[0]", NAN, "found nan ... finite"),
    "an infinite size": ("jobs.size.values[0]", INF, "found inf"),
    "a size in words": ("jobs.size.values[0]", "large", "found 'large'"),
    "a size that is true": ("jobs.size.values[0]", True, "found true"),
    "a size above the capacity": ("jobs.size.values[1]", "11/10", "found 1.1 ... at most 1 ... largest server"),
    "an interval above the capacity": ("jobs.size", UNIFORM | {"high": 1.5}, "jobs.size.high: found 1.5 ... at most 1"),
    "two numbers for one resource": ("jobs.size.values[0]", [0.1, 0.2], "found 2 numbers ... allowed: 1 ... size"),
    "no number for a resource": ("jobs.size.values[0]", [], "found []"),
    "no sizes": ("jobs.size.values", [], "found []"),
    "no values": ("jobs.size.values", None, "required"),
    "an unknown law": ("jobs.size.distribution", "normal", "jobs.size: ... 'truncated-normal'"),
    "no law": ("jobs.size.distribution", None, "jobs.size: ... 'distribution'"),
    "a number for a law": ("jobs.size", 5, "found 5 ... a table"),
    "an unknown key in a law": ("jobs.size.value", 1, "did you mean 'values'"),
    "probabilities below 1": (
        "jobs.size.probabilities",
        [0.3333, 0.6666],
        "jobs.size: ... sum to 1 ... 0.9999 ... '1/3'",
    ),
    "a negative probability": (
        "jobs.size.probabilities",
        [-1, 2],
        "jobs.size.probabilities[0]: found -1 ... at least 0",
    ),
    "too few probabilities": ("jobs.size.probabilities", [1], "jobs.size: ... as many as values, 2 ... found 1"),
    "counts of 0": (
        "jobs.size",
        law("empirical", values=[0.1], counts=[0]),
        "jobs.size.counts[0]: found 0 ... at least 1",
    ),
    "too many counts": (
        "jobs.size",
        law("empirical", values=[0.1], counts=[1, 2]),
        "counts must be as many as values, 1, found 2",
    ),
    "low above high": ("jobs.size", UNIFORM | {"low": 0.95}, "high must be above low = 0.95"),
    "low and high the same": ("jobs.size", UNIFORM | {"low": 0.9}, "above low = 0.9"),
    "a negative low": ("jobs.size", UNIFORM | {"low": -0.1}, "jobs.size.low: found -0.1 ... at least 0"),
    "a beta law without a shape": ("jobs.size", law("beta", a=0, b=1, high=1), "jobs.size.a: found 0"),
    "a beta law too steep": (
        "jobs.size",
        law("beta", a="1e9", b=1, high=1),
        "a must be from 0.001 to 1000000 ... found 1000000000",
    ),
    "a deviation of 0": (
        "jobs.size",
        law("truncated-normal", mean=0.5, deviation=0, high=1),
        "jobs.size.deviation: found 0 ... above 0",
    ),
    "a truncation that leaves nothing": (
        "jobs.size",
        law("truncated-normal", mean=30, deviation=1, high=1),
        "low and high must leave at least 1e-09",
    ),
    "a lognormal truncation that leaves nothing": (
        "jobs.size",
        law("truncated-lognormal", mean="1e-9", low=0.5, high=1),
        "low and high must leave at least 1e-09",
    ),
    "no parts": ("jobs.size", law("mixture", parts=[]), "jobs.size.parts: found []"),
    "a fault in a part": (
        "jobs.size",
        {"distribution": "mixture", "parts": [{"share": 1, "size": UNIFORM | {"low": 2}}]},
        "jobs.size.parts[0].size: ... above low = 2",
    ),
    "parts of more than all": (
        "jobs.size",
        {"distribution": "mixture", "parts": [{"share": 1, "size": UNIFORM}] * 2},
        "shares of the parts must sum to 1 ... the sum 2",
    ),
    "a part above the capacity": (
        "jobs.size",
        {"distribution": "mixture", "parts": [{"share": 1, "size": UNIFORM | {"high": 7}}]},
        "jobs.size.parts[0].size.high: found 7",
    ),
    "laws of other resources": (
        "jobs.size",
        {"distribution": "independent", "resources": {"CPU": UNIFORM}},
        "jobs.size.resources: found CPU ... allowed ... size",
    ),
    "a list in a law of one resource": (
        "jobs.size",
        {"distribution": "independent", "resources": {"size": law("discrete", values=[[0.1, 0.2]])}},
        "jobs.size.resources.size.values[0]: found 2 numbers ... allowed: one",
    ),
    "no jobs": ("jobs", None, "found none"),
    "an empty list of jobs": ("jobs", [], "found none"),
    "shares of less than all": ("jobs", [GOOD["jobs"] | {"share": 0.5}] * 1, "the shares must sum to 1"),
    "a fault in the second class": ("jobs", [GOOD["jobs"], {"share": 1}], "jobs[1].size: ... required"),
    "sizes too fine": (
        "jobs.size.values[0]",
        "1/1000000000000000003",
        "jobs.size: ... common measure ... fewer digits",
    ),
    "a mean service below a slot": ("jobs.service.mean", 0.5, "jobs.service: mean must be from 1 ... found 0.5"),
    "a service of ages": (
        "jobs.service",
        law("lognormal", mean=10**13),
        "jobs: service.mean must be at most 1000000000000 ... found 10000000000000",
    ),
    "half a slot of service": ("jobs.service", law("fixed", slots=2.5), "jobs.service.slots: found 2.5"),
    "no slot of service": ("jobs.service", law("fixed", slots=0), "jobs.service.slots: ... at least 1"),
    "slots in the wrong order": ("jobs.service", law("uniform", low=5, high=4), "at least low = 5 ... found 4"),
    "services of less than all": (
        "jobs.service",
        law("discrete", values=[1, 2], probabilities=[0.5, 0.4]),
        "sum to 1 ... 0.9",
    ),
    "no services": ("jobs.service", law("discrete", values=[]), "jobs.service.values: found []"),
    "an unknown service": ("jobs.service", law("normal"), "'geometric' ... 'erlang'"),
    "a fault in a service of the other systems": ("jobs.service", law("pareto", shape=1), "shape ... found 1"),
    "a rate of 0": ("workload.arrival_rate", 0, "found 0 ... above 0"),
    "a negative rate": ("workload.arrival_rate", -1, "found -1 ... above 0"),
    "a rate that is no number": ("workload.arrival_rate", NAN, "found nan"),
    "no rate": ("workload.arrival_rate", None, "workload: found none ... intensity"),
    "two rates": ("workload.intensity", 0.5, "workload: found arrival_rate and intensity ... allowed: one of them"),
    "too many arrivals": ("workload.arrival_rate", 10**7, "workload: ... 1e+07 jobs per slot ... 1000000"),
    "hardly any arrivals": ("workload.arrival_rate", "1e-12", "workload: ... 1e-12 jobs per slot ... 1e-09"),
    "no workload": ("workload", None, "required"),
    "an unknown workload": ("workload", workload("poison"), "poison ... 'batch'"),
    "batches of less than a job": (
        "workload",
        workload("batch", intensity=1, mean_batch=0.5),
        "mean_batch ... found 0.5",
    ),
    "fixed batches of half jobs": (
        "workload",
        workload("batch", intensity=1, mean_batch=2.5, batch="fixed"),
        "a whole number from 1 ... found 2.5",
    ),
    "counts without a chance of an arrival": (
        "workload",
        workload("iid", probabilities=[1, 0]),
        "chance of an arrival",
    ),
    "counts of less than all": ("workload", workload("iid", probabilities=[0.5]), "the sum 0.5"),
    "an unknown format": (
        "workload",
        workload("trace", format="swf"),
        "workload.format: found 'swf' ... 'alibaba-pods'",
    ),
    "slots of no length": ("workload", workload("trace", slot=0), "workload.slot: found 0 ... above 0"),
    "a capacity of 0": ("servers.capacity", 0, "found 0 ... above 0"),
    "a negative capacity": ("servers.capacity", -1, "found -1"),
    "no resource": ("servers.capacity", {}, "found {}"),
    "a capacity in words": ("servers.capacity", "all", "'all'"),
    "a pool of other resources": (
        "servers.pools[0].capacity",
        {"CPU": 1},
        "servers: pools[0].capacity ... found CPU ... size",
    ),
    "a pool without capacity": ("servers.pools[0].capacity", 0, "found 0"),
    "two pools of one name": ("servers.pools", GOOD["servers"]["pools"] * 2, "servers: ... 'half' 2 times"),
    "no server": ("servers.count", 0, "found 0 ... at least 1"),
    "half a slot of a run": ("run.until", 199.5, "run: ... whole number ... 199.5"),
    "a warm-up as long as the run": ("run.warmup", 1000, "run: warmup"),
    "an unknown key": ("sede", 1, "did you mean 'seed'"),
}

BROKEN_SCRIPTS: dict[str, Fault] = {
    "a slot between slots": ("workload.arrivals[0].slot", 0.5, "found 0.5"),
    "a slot before the first": ("workload.arrivals[0].slot", -1, "at least 0"),
    "slots out of order": (
        "workload.arrivals[0].slot",
        2,
        "workload: ... order of time ... arrivals[1].slot = 0 after 2",
    ),
    "half a slot of service": ("workload.arrivals[0].service", 1.5, "1.5"),
    "no slot of service": ("workload.arrivals[0].service", 0, "at least 1"),
    "a size of 0": ("workload.arrivals[1].size", 0, "found 0"),
    "a size above the capacity": ("workload.arrivals[2].size", 11, "found 11 ... at most 10"),
    "no size": ("workload.arrivals[0].size", None, "found nothing"),
    "no arrivals": ("workload.arrivals", [], "at least one entry"),
    "two jobs of one name": ("workload.arrivals[1].job", "a", "'a' again"),
    "sizes too fine": ("workload.arrivals[0].size", "1e-25", "workload.arrivals: ... fewer digits"),
    "laws beside a script": ("jobs", GOOD["jobs"], "script alone"),
}


BROKEN_TWO: dict[str, Fault] = {
    "one number for two resources": (
        "jobs[0].size.values[0]",
        1,
        "found one number ... 2, one for each resource, CPU, memory",
    ),
    "nothing of any resource": ("jobs[0].size.values[0]", [0, 0], "one of them above"),
    "a law of one resource": ("jobs[0].size", UNIFORM, "jobs[0].size.high: found one number"),
    "too much of the second": ("jobs[0].size.values[0]", [1, 33], "found 1 and 33 ... at most 8 and 32"),
    "a resource too few": ("jobs[1].size.resources.CPU", None, "jobs[1].size.resources: found memory ... CPU, memory"),
    "a corner above the capacity": ("jobs[1].size.resources.memory.high", 40, "jobs[1].size: ... 2 and 40"),
    "an unknown unit": ("servers.capacity.memory", "32 cores", "GiB"),
    "no amount": ("servers.capacity.CPU", 0, "found 0"),
}


FAULTS = [
    pytest.param(good, fault, id=f"{kind}-{name}")
    for kind, good, faults in (
        ("random", GOOD, BROKEN),
        ("script", SCRIPT, BROKEN_SCRIPTS),
        ("two resources", TWO, BROKEN_TWO),
    )
    for name, fault in faults.items()
]


@pytest.mark.parametrize(("good", "fault"), FAULTS)
def test_broken(good: dict[str, Any], fault: Fault) -> None:
    check_fault(opened, good, fault)


def test_a_trace_must_be_read() -> None:
    says(refused(opened, changed("jobs", None, TRACE)), "workload.paths: ... not been read")
    says(refused(opened, TRACE), "workload.paths: ... --trace PATH")


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


@pytest.mark.parametrize("name", ["exponential", "deterministic", "erlang", "hyper-exponential", "pareto", "lognormal"])
def test_service_laws_of_the_other_systems_come_back(name: str) -> None:
    fields = {"phases": 3} if name == "erlang" else {}
    data = changed("jobs.service", law(name, mean=5, **fields), GOOD)
    scenario = parse_scenario(data)
    assert parse_scenario(tomllib.loads(scenario_text(scenario))) == scenario
    opened(data)


@given(st.lists(st.fractions(Fraction(1, 1000), 1, max_denominator=1000), min_size=1, max_size=5))
@settings(max_examples=40)
def test_sizes_are_kept_exactly(sizes: list[Fraction]) -> None:
    data = changed("jobs.size", law("discrete", values=[str(size) for size in sizes]), GOOD)
    try:
        numbers = opened(data)
    except UserError as error:  # five such denominators together may need too fine a unit
        assert "fewer digits" in error.line
        return
    found = {numbers.amount(value[0]) for value in numbers.values}
    assert found == set(sizes)
    assert sum(numbers.probabilities) == 1


def test_one_table_is_a_list_of_one_class() -> None:
    assert parse_scenario(GOOD) == parse_scenario(changed("jobs", [GOOD["jobs"]], GOOD))


def test_a_bare_capacity_is_written_bare() -> None:
    data = tomllib.loads(scenario_text(parse_scenario(GOOD)))
    assert data["servers"]["capacity"] == 1
    assert data["servers"]["pools"][0]["capacity"] == 0.5
    assert data["run"]["time_unit"] == "slot"


def test_more_work_than_servers_is_a_warning() -> None:
    assert opened(GOOD).warnings() == ()
    (warning,) = opened(changed("workload.arrival_rate", 1, GOOD)).warnings()
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
