"""Each fault of a field gives one line: where it is, what was found, what is allowed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tomli_w

from slotscope.model.api import Session
from slotscope.model.errors import ScenarioError
from slotscope.model.running.assembly import Bench
from slotscope.model.scenario.load import parse_scenario
from slotscope.model.session.bench import open_bench
from tests.breaking import FULL, GOOD, SCRIPT, Fault, changed, check_fault, check_file, refused

#: Too long for the writer of TOML; the broken files have such a number as text.
HUGE = int("f" * 5000, 16)
NAN, INF = float("nan"), float("inf")


def open_bench_of(data: dict[str, Any]) -> Bench:
    return open_bench(parse_scenario(data))


def opened(data: dict[str, Any]) -> Session:
    return Session(open_bench_of(data))


def test_the_good_one_is_good() -> None:
    session = opened(GOOD)
    session.use_kernel()
    session.run(events=50)
    assert session.timeline.event == 50


BROKEN: dict[str, Fault] = {
    "unknown key at the top": ("sede", 1, "did you mean 'seed'"),
    "unknown key in a type": ("job_types[1].rewards", 1, "did you mean 'reward'"),
    "unknown key in a service": ("job_types[1].service.phase", 1, "'phases'"),
    "unknown key in a parameter": ("policy.parameters.reservation_facto", 1, "'reservation_factor'"),
    "a parameter of a policy without any": (
        "policy",
        {"name": "first-fit", "parameters": {"zz": 1}},
        "policy.parameters.zz: found an unknown key, allowed: none",
    ),
    "unknown key unlike any": ("zzzz", 1, "unknown key ... allowed: title, description, paper, seed"),
    "unknown key unlike any of its table": ("servers.zz", 1, "allowed: count, capacity, conf"),
    "a key of another table": ("count", 1, "did you mean 'servers.count'"),
    "a key of a table in a list": ("reward", 1, "did you mean 'job_types[].reward'"),
    "a key of two lines": ("a\nb", 1, "a b: ... unknown key"),
    "no servers": ("servers", None, "required"),
    "no reward": ("job_types[0].reward", None, "required"),
    "no job types": ("job_types", [], "found none"),
    "too many job types": ("job_types", [{"name": f"t{n}", "reward": 1} for n in range(70)], "at most 62"),
    "a list for a table": ("servers", [1], "found [1] ... a table"),
    "a number for a table": ("run", 5, "found 5 ... a table with until, warmup"),
    "a number for one of several tables": ("workload", 2, "found 2 ... a table with kind, scale, arr"),
    "no load at all": ("workload", {"kind": "poisson", "scale": 0}, "workload.scale: found 0 ... above 0"),
    "a table for a list": ("job_types", {"name": "a"}, "a list"),
    "text for a number": ("job_types[0].reward", "much", "found 'much'"),
    "a list for a number": ("run.until", [1], "found [1] ... a number"),
    "true for a number": ("run.until", True, "found true ... a number"),
    "true for a count": ("servers.count", True, "found true"),
    "text for a count": ("servers.count", "3", "found '3'"),
    "a decimal for a count": ("servers.count", 3.0, "found 3.0"),
    "true for a seed": ("seed", True, "found true"),
    "a number for a name": ("job_types[0].name", 5, "found 5"),
    "a number for a title": ("title", 5, "found 5 ... text"),
    "an empty name": ("job_types[0].name", "", "found ''"),
    "a name of two lines": ("job_types[0].name", "a\n", "found"),
    "a name too long": ("job_types[0].name", "a" * 61, "found 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
    "a negative rate": ("job_types[1].arrival_rate", -1, "found -1 ... at least 0"),
    "a negative workload": ("job_types[0].workload", -0.5, "found -0.5 ... at least 0"),
    "a negative reward": ("job_types[0].reward", "-1/3", "found '-1/3' ... at least 0"),
    "a negative demand": ("job_types[0].demand.cpu", -1, "found -1"),
    "no demand above 0": ("job_types[0].demand", {"cpu": 0}, "found no demand above 0"),
    "a capacity of 0": ("servers.capacity.cpu", 0, "found 0 ... above 0"),
    "a negative capacity": ("servers.capacity.cpu", -4, "found -4"),
    "no server at all": ("servers.count", 0, "found 0 ... at least 1"),
    "too many servers": ("servers.count", 10**7, "found 10000000 ... at most 1000000"),
    "a negative seed": ("seed", -1, "found -1 ... at least 0"),
    "g = 0": ("policy.parameters.reservation_factor", 0, "found 0 ... above 0"),
    "g < 0": ("policy.parameters.reservation_factor", -2.5, "found -2.5 ... above 0"),
    "g in words": ("policy.parameters.reservation_factor", "log2", "found 'log2' ... log^p"),
    "g = log^0": ("policy.parameters.reservation_factor", "log^0", "found 'log^0'"),
    "g true": ("policy.parameters.reservation_factor", True, "found true"),
    "g huge": ("policy.parameters.reservation_factor", 10**30, "found 1000000"),
    "g nan": ("policy.parameters.reservation_factor", NAN, "found nan"),
    "an unknown policy": ("policy.name", "drr", "'drr' ... did you mean 'dra'"),
    "an unknown system": ("system", "reservations", "found 'reservations'"),
    "a wrong unit": ("job_types[0].demand.ram", "2 Gbit/s", "Gbit/s ... allowed ... GiB"),
    "a unit where none is declared": ("servers.capacity.cpu", "4 cores", "cores ... no unit"),
    "a unit without a number": ("servers.capacity.ram", "GB", "found 'GB'"),
    "an unknown resource": ("job_types[0].demand.disk", 1, "cpu, ram"),
    "two types of one name": ("job_types[1].name", "a", "job_types: found the name 'a' 2 times ... allowed"),
    "two resources of one name": ("resources[1].name", "cpu", "resources: found the name 'cpu' 2 times"),
    "workload and rate": ("job_types[0].arrival_rate", 1, "job_types[0]: ... workload"),
    "capacity and configurations": ("servers.configurations", [[1, 1]], "servers: ... capacity ... configurations"),
    "neither capacity nor configurations": (
        "servers.capacity",
        None,
        "servers: found neither of capacity and configurations",
    ),
    "a negative configuration": (
        "servers",
        {"count": 3, "configurations": [[1, -1]]},
        "servers.configurations[0][1]: found -1",
    ),
    "an unknown distribution": ("job_types[1].service", {"distribution": "normal"}, "normal ... 'exponential'"),
    "no distribution": ("job_types[1].service", {"mean": 1}, "distribution"),
    "no phases": ("job_types[1].service.phases", 0, "found 0"),
    "a mean of 0": ("job_types[1].service.mean", 0, "found 0 ... above 0"),
    "a shape without a mean": ("job_types[1].service", {"distribution": "pareto", "shape": 1}, "shape ... found 1"),
    "too little variation": (
        "job_types[1].service",
        {"distribution": "hyper-exponential", "squared_variation": 0.5},
        "squared_variation ... found 1/2",
    ),
    "an unknown start": ("initial", {"start": "fill"}, "fill ... 'full'"),
    "full of an unknown type": ("initial", {"start": "full", "type": "c"}, "initial.type: found 'c' ... a, b"),
    "a job of an unknown type": ("initial.servers[0].jobs[0].type", "c", "found 'c' ... a, b"),
    "an initial configuration too short": ("initial.servers[0].configuration", [1], "found 1 ... allowed: 2"),
    "an initial configuration too large": (
        "initial",
        {"start": "given", "servers": [{}, {"configuration": [9, 9]}]},
        "initial.servers[1]: ... [9, 9] ... allowed",
    ),
    "more jobs than slots": ("initial.servers[1].jobs", [{"type": "a"}, {"type": "a"}], "[2, 0] ... [1, 1]"),
    "more servers than there are": ("initial.servers", [{}] * 4, "found 4 ... at most"),
    "an order of other servers": ("initial.order[0].servers", [0, 2], "initial.order[0]: ... [0, 2] ... [0, 1]"),
    "an order that names one twice": ("initial.order[0].servers", [0, 0], "initial.order[0]: ... [0, 0] ... [0, 1]"),
    "an order of no configuration": ("initial.order[0].configuration", [0], "found 1 numbers"),
    "arrivals out of order": (
        "workload",
        SCRIPT | {"arrivals": SCRIPT["arrivals"][::-1]},
        "found ... arrivals[1].time",
    ),
    "an arrival of an unknown type": (
        "workload",
        {"kind": "scripted", "arrivals": [{"time": 1, "type": "c"}]},
        "workload.arrivals[0].type: found 'c' ... a, b",
    ),
    "an arrival before time 0": (
        "workload",
        {"kind": "scripted", "arrivals": [{"time": -1, "type": "a"}]},
        "workload.arrivals[0].time: found -1 ... at least 0",
    ),
    "an arrival at no time": (
        "workload",
        {"kind": "scripted", "arrivals": [{"type": "a"}]},
        "workload.arrivals[0].time: ... required",
    ),
    "an unknown workload": ("workload", {"kind": "poison"}, "poison"),
    "two scripted jobs of one name": (
        "workload",
        {"kind": "scripted", "arrivals": [{"time": 1, "type": "a", "job": "x"}, {"time": 2, "type": "a", "job": "x"}]},
        "workload.arrivals[1].job: ... 'x'",
    ),
    "a warm-up as long as the run": ("run.warmup", 10, "run: ... until ... found 10"),
    "a run of no length": ("run.until", 0, "found 0 ... above 0"),
    "a parameter without end, in a list": (
        "policy.parameters",
        {"reservation_factor": [1.0, INF]},
        "policy.parameters.reservation_factor: ... found inf ... finite",
    ),
    "infinite": ("run.until", INF, "found inf ... finite"),
    "not a number": ("job_types[0].reward", NAN, "found nan"),
    "infinite in text": ("job_types[0].workload", "inf", "found 'inf'"),
    "a fraction of nothing": ("job_types[0].reward", "1/0", "found '1/0'"),
    "a huge count": ("servers.count", HUGE, "at most 1000000"),
    "a huge reward": ("job_types[0].reward", HUGE, "found a number of thousands of digits"),
    "a huge reward in text": ("job_types[0].reward", "1e5000", "found '1e5000'"),
    "a huge workload": ("job_types[0].workload", "1e400", "found '1e400'"),
    "a tiny mean": ("job_types[1].service.mean", "1e-400", "found '1e-400'"),
    "demands too far apart": ("job_types[0].demand.cpu", "1e-20", "servers.capacity.cpu: ... fewer digits"),
    "rewards too far apart": ("job_types[0].reward", "1e20", "job_types.reward: ... units in common"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken(name: str) -> None:
    check_fault(opened, GOOD, BROKEN[name])


@pytest.mark.parametrize("name", [name for name in BROKEN if BROKEN[name][1] is not HUGE])
def test_broken_in_a_file(name: str, tmp_path: Path) -> None:
    """Read from a file, the line starts with the file's name; writing the data as TOML changes nothing."""
    place, value, words = BROKEN[name]
    text = tomli_w.dumps(changed(place, value))
    check_file(lambda path: Session.open(str(path), kernel=False), tmp_path / "broken.toml", text, words, place)


def test_a_configuration_too_short() -> None:
    data = {
        "servers": {"count": 3, "configurations": [[1, 1], [1]]},
        "job_types": [{"name": "a", "reward": 1}, {"name": "b", "reward": 1}],
    }
    assert refused(opened, data).startswith("servers.configurations[1]: found 1 numbers, allowed: 2")


RESERVED_WORDS = ("full", "empty", "given", "poisson", "trace", "exponential", "pareto")


@pytest.mark.parametrize("name", RESERVED_WORDS)
def test_a_resource_may_be_called_anything(name: str) -> None:
    """Names of alternatives in the schema are left out of an error's path, unless they are names of fields."""
    data = changed("servers.capacity", {name: -1})
    assert refused(opened, data).startswith(f"servers.capacity.{name}: found -1")


def test_a_type_that_fits_no_server_is_a_warning() -> None:
    bench = open_bench_of(changed("job_types[0].demand", {"cpu": 5}) | {"initial": FULL})
    (warning,) = bench.numbers.warnings()
    assert warning.startswith("job_types[0] 'a':")
    session = Session(bench)
    session.run(events=200)
    assert session.timeline.state.tally[0, 0] == session.timeline.state.tally[0, 2] > 0


def test_all_faults_are_listed_for_forms() -> None:
    data = changed("seed", -1)
    data["servers"]["count"] = 0
    with pytest.raises(ScenarioError) as raised:
        parse_scenario(data)
    problems = raised.value.problems  # type: ignore[attr-defined]
    assert {problem.where for problem in problems} == {"seed", "servers.count"}
    assert "1 more" in raised.value.line


def test_too_many_starting_jobs_for_the_memory() -> None:
    data = {
        "servers": {"count": 1_000_000, "capacity": {"r": 10**9}},
        "job_types": [{"name": "a", "demand": {"r": 1}, "reward": 1, "workload": 1}],
        "initial": {"start": "full", "type": "a"},
    }
    assert refused(opened, data).startswith("initial")
