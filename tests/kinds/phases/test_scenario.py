"""Scenarios of jobs with phases: what is refused and in which words, and what comes back equal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tomli_w

from slotscope.model.errors import UserError
from slotscope.model.scenario.load import load_scenario, parse_scenario
from slotscope.model.scenario.validation import ValidationFaultError
from tests.breaking import Place, changed
from tests.kinds.phases.scenarios import GOOD, SCRIPT, SEVERAL, TABLE, TRACE, check_line
from tests.scenario_text import read_back

NAN, INF = float("nan"), float("inf")


def cost(**fields: Any) -> tuple[Place, Any]:
    return ("cost",), fields


def table(*rates: dict[str, Any]) -> tuple[Place, Any]:
    return cost(law="table", budget=1, rates=list(rates))


# ((place, value), what the line must say: the path of the field first)
BROKEN: dict[str, tuple[tuple[Place, Any], tuple[str, ...]]] = {
    "no limit": ((("servers", "most_jobs"), None), ("servers.most_jobs:", "required")),
    "a limit of 0": ((("servers", "most_jobs"), 0), ("servers.most_jobs:", "found 0", "at least 1")),
    "half a job": ((("servers", "most_jobs"), 2.5), ("servers.most_jobs:", "a whole number")),
    "a limit in words": ((("servers", "most_jobs"), "many"), ("servers.most_jobs:", "found 'many'")),
    "a limit above all": ((("servers", "most_jobs"), 1001), ("servers.most_jobs:", "found 1001", "at most 1000")),
    "no capacity": ((("servers", "capacity"), None), ("servers.capacity:", "required")),
    "no resource": ((("servers", "capacity"), {}), ("servers.capacity:", "found {}")),
    "a capacity of 0": ((("servers", "capacity", "cpu"), 0), ("servers.capacity.cpu:", "found 0", "above 0")),
    "a negative capacity": ((("servers", "capacity", "cpu"), -1), ("servers.capacity.cpu:", "found -1")),
    "a capacity that is no number": ((("servers", "capacity", "cpu"), NAN), ("servers.capacity.cpu:", "found nan")),
    "a unit that is not declared": (
        (("servers", "capacity", "cpu"), "10 GB"),
        ("servers.capacity.cpu:", "'GB'", "no unit"),
    ),
    "an unknown contention": ((("servers", "contention"), "some"), ("servers.contention:", "'costs'", "'never'")),
    "a count of servers": ((("servers", "count"), 5), ("servers.count:", "unknown key")),
    "no cost": ((("cost",), None), ("cost.budget:", "found nothing", "above 0", "'never'")),
    "no budget": ((("cost", "budget"), None), ("cost.budget:", "found nothing", "above 0")),
    "a budget of 0": ((("cost", "budget"), 0), ("cost.budget:", "found 0", "a number above 0", "the analysis")),
    "a negative budget": ((("cost", "budget"), -0.1), ("cost.budget:", "found -0.1", "above 0")),
    "a budget that is no number": ((("cost", "budget"), NAN), ("cost.budget:", "found nan")),
    "an endless budget": ((("cost", "budget"), INF), ("cost.budget:", "found inf", "finite")),
    "an unknown law of cost": ((("cost", "law"), "cubic"), ("cost.law:", "found 'cubic'", "'quadratic'")),
    "a table that is not used": (
        cost(law="overrun", budget=1, rates=[{"jobs": {"L": 1}, "rate": 1}]),
        ("cost:", "rates", "law = 'table'"),
    ),
    "a table without rates": (cost(law="table", budget=1), ("cost:", "rates: found none")),
    "a cost without jobs": (table({"jobs": {"L": 0}, "rate": 1}), ("cost.rates[0].rate:", "found 1", "allowed: 0")),
    "a negative cost": (table({"jobs": {"L": 1}, "rate": -1}), ("cost.rates[0].rate:", "found -1", "at least 0")),
    "a cost of more jobs than a server takes": (
        table({"jobs": {"L": 5, "H": 4}, "rate": 1}),
        ("cost.rates[0].jobs:", "found 9 jobs", "most_jobs = 8"),
    ),
    "a cost of an unknown phase": (table({"jobs": {"X": 1}, "rate": 1}), ("cost.rates[0].jobs:", "found 'X'", "L, H")),
    "a cost of half a job": (table({"jobs": {"L": 0.5}, "rate": 1}), ("cost.rates[0].jobs.L:", "a whole number")),
    "two costs of one configuration": (
        table({"jobs": {"L": 1}, "rate": 1}, {"jobs": {"L": 1, "H": 0}, "rate": 2}),
        ("cost.rates[1].jobs:", "second time", "allowed: once"),
    ),
    "no phases": ((("phases",), []), ("phases:", "found none")),
    "phases left out": ((("phases",), None), ("phases:", "found none")),
    "a phase without a name": ((("phases", 0, "name"), None), ("phases[0].name:", "required")),
    "two phases of one name": ((("phases", 1, "name"), "L"), ("phases:", "'L' 2 times")),
    "a phase without a demand": ((("phases", 0, "demand"), None), ("phases[0].demand:", "required")),
    "a negative demand": ((("phases", 1, "demand", "cpu"), -3), ("phases[1].demand.cpu:", "found -3")),
    "a demand of another resource": (
        (("phases", 1, "demand"), {"gpu": 1}),
        ("phases[1].demand.gpu:", "found 'gpu'", "cpu"),
    ),
    "a demand with a unit": ((("phases", 1, "demand", "cpu"), "3 GB"), ("phases[1].demand.cpu:", "'GB'")),
    "a negative arrival rate": (
        (("phases", 0, "arrival_rate"), -1),
        ("phases[0].arrival_rate:", "found -1", "at least 0"),
    ),
    "an endless arrival rate": ((("phases", 0, "arrival_rate"), INF), ("phases[0].arrival_rate:", "found inf")),
    "a rate too small to matter": (
        (("phases", 0, "departure_rate"), "1e-12"),
        ("phases[0].departure_rate:", "1e-9 to 1e9"),
    ),
    "a rate too large to run": ((("phases", 0, "to", "H"), 10**10), ("phases[0].to.H:", "1e-9 to 1e9")),
    "no arrivals": ((("phases", 0, "arrival_rate"), 0), ("phases:", "no arrival_rate above 0", "at least one")),
    "a negative rate between phases": ((("phases", 0, "to", "H"), -1), ("phases[0].to.H:", "found -1")),
    "a way to an unknown phase": ((("phases", 0, "to"), {"X": 1}), ("phases[0].to:", "found 'X'", "allowed: H")),
    "a way to itself": ((("phases", 0, "to"), {"L": 1}), ("phases[0].to:", "found 'L'", "another phase")),
    "a phase that cannot end": (
        (("phases",), [GOOD["phases"][0], {"name": "H", "demand": 3}]),
        ("phases[1].departure_rate:", "found 0", "no way from phase 'H' to the end"),
    ),
    "a scale of 0": ((("workload", "scale"), 0), ("workload.scale:", "found 0", "above 0")),
    "a negative scale": ((("workload", "scale"), -1), ("workload.scale:", "found -1")),
    "a scale that is no number": ((("workload", "scale"), NAN), ("workload.scale:", "found nan")),
    "more jobs than memory": (
        (("workload", "scale"), 10**9),
        ("workload.scale:", "found 1000000000", "jobs in the system", "at most 1,000,000"),
    ),
    "no workload": ((("workload",), None), ("workload:", "required")),
    "an unknown workload": ((("workload",), {"kind": "batch"}), ("workload:", "batch", "'scripted'")),
    "a key like its own table": ((("workload", "load"), 1), ("workload.load:", "unknown key, allowed: kind, scale")),
    "an unknown key in a workload": ((("workload", "scales"), 3), ("workload.scales:", "did you mean 'scale'")),
    "an unknown format": (
        (("workload",), {"kind": "trace", "format": "swf"}),
        ("workload.format:", "found 'swf'", "'alibaba-pods'"),
    ),
    "no seconds in a unit": ((("workload",), {"kind": "trace", "seconds": 0}), ("workload.seconds:", "found 0")),
    "no types": ((("workload",), {"kind": "trace", "most_types": 0}), ("workload.most_types:", "found 0")),
    "amounts too fine": (
        (("servers", "capacity", "cpu"), "100000000000001/10000000000000"),
        ("servers.capacity:", "common measure", "fewer digits"),
    ),
    "costs too fine": (
        table(
            {"jobs": {"L": 1}, "rate": "9/1000003"},
            {"jobs": {"L": 2}, "rate": "9/1000033"},
            {"jobs": {"L": 3}, "rate": "9/1000037"},
        ),
        ("cost:", "common measure", "fewer digits"),
    ),
    "a warm-up as long as the run": ((("run", "warmup"), 1000), ("run:", "warmup")),
    "an unknown key": ((("budget",), 1), ("budget:", "unknown key")),
}

BROKEN_SEVERAL: dict[str, tuple[Place, Any, tuple[str, ...]]] = {
    "a cost that cannot arise": (("cost",), {"budget": 1}, ("cost:", "found a table", "'never'")),
    "a job larger than a server": (
        ("phases", 0, "demand", "CPU"),
        9,
        ("phases[0].demand.CPU:", "found 9", "at most 8", "'never'"),
    ),
    "a job larger than a server in another unit": (
        ("phases", 0, "demand", "memory"),
        "33 GB",
        ("phases[0].demand.memory:", "found 33"),
    ),
    "a requirement that varies": (("phases", 0, "to"), {"large": 1}, ("phases[0].to:", "found large", "'never'")),
    "one number for two resources": (
        ("phases", 0, "demand"),
        1,
        ("phases[0].demand:", "found one number", "CPU, memory"),
    ),
    "an unknown unit": (("phases", 0, "demand", "memory"), "3 cores", ("phases[0].demand.memory:", "GiB")),
    "two resources of one name": (("resources", 1, "name"), "CPU", ("resources:", "'CPU' 2 times")),
}

BROKEN_SCRIPTS: dict[str, tuple[Place, Any, tuple[str, ...]]] = {
    "an event of an unknown kind": (
        ("workload", "events", 1, "kind"),
        "jump",
        ("workload.events[1]:", "jump", "'tick'"),
    ),
    "an event without a kind": (("workload", "events", 1, "kind"), None, ("workload.events[1]:", "'kind'")),
    "an event without a time": (("workload", "events", 1, "t"), None, ("workload.events[1].t:", "required")),
    "a time before the start": (
        ("workload", "events", 0, "t"),
        -1,
        ("workload.events[0].t:", "found -1", "at least 0"),
    ),
    "a time before the last": (("workload", "events", 3, "t"), 0, ("workload:", "events[3].t = 0 after 1/3")),
    "an arrival of an unknown type": (
        ("workload", "events", 1, "type"),
        "X",
        ("workload.events[1].type:", "found 'X'", "L, H"),
    ),
    "an arrival of the patch": (("workload", "events", 1, "type"), "patch", ("workload.events[1].type:", "'patch'")),
    "a tick of an unknown type": (("workload", "events", 4, "type"), "X", ("workload.events[4].type:", "found 'X'")),
    "a move to an unknown phase": (("workload", "events", 2, "to"), "X", ("workload.events[2].to:", "found 'X'")),
    "a move without a job": (("workload", "events", 2, "job"), None, ("workload.events[2].job:", "required")),
    "a departure with a type": (
        ("workload", "events", 3, "type"),
        "L",
        ("workload.events[3].type:", "of another kind"),
    ),
    "a tick of no server": (("workload", "events", 0, "server"), 0, ("workload.events[0].server:", "at least 1")),
    "a place below 0": (("workload", "events", 1, "token_index"), -1, ("workload.events[1].token_index:",)),
    "choices that are no places": (
        ("workload", "events", 0, "virtual_choices"),
        ["a"],
        ("workload.events[0].virtual_choices[0]:", "found 'a'"),
    ),
    "a pool before the first": (("workload", "events", 1, "pool"), 0, ("workload.events[1].pool:", "at least 1")),
    "an arrival of a job that is there": (
        ("workload", "events", 1, "job"),
        "a",
        ("workload:", "2 jobs with the name 'a'"),
    ),
    "a job in an unknown phase": (
        ("workload", "initial", 0, 0, "real", "a"),
        "X",
        ("workload.initial[0][0].real.a:", "found 'X'"),
    ),
    "a token of an unknown type": (
        ("workload", "initial_tokens", 0),
        {"X": [1]},
        ("workload.initial_tokens[0]:", "found 'X'"),
    ),
    "a token of no server": (
        ("workload", "initial_tokens", 0),
        {"L": [0]},
        ("workload.initial_tokens[0].L[0]:", "at least 1"),
    ),
    "a phase called patch": (("phases", 0, "name"), "patch", ("phases:", "found the name 'patch'")),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken(name: str) -> None:
    (place, value), words = BROKEN[name]
    check_line(changed(place, value, GOOD), words)


@pytest.mark.parametrize("name", BROKEN_SEVERAL)
def test_broken_with_fixed_sizes(name: str) -> None:
    place, value, words = BROKEN_SEVERAL[name]
    check_line(changed(place, value, SEVERAL), words)


@pytest.mark.parametrize("name", BROKEN_SCRIPTS)
def test_broken_script(name: str) -> None:
    place, value, words = BROKEN_SCRIPTS[name]
    check_line(changed(place, value, SCRIPT), words)


def test_a_trace_must_be_read() -> None:
    check_line(TRACE, ("workload.paths:", "not been read", "--trace PATH"))


def test_every_fault_is_told() -> None:
    data = changed(("cost", "budget"), 0, changed(("phases", 1, "name"), "", GOOD))
    with pytest.raises(ValidationFaultError) as raised:
        parse_scenario(data)
    places = {problem.where for problem in raised.value.problems}
    assert places == {"cost.budget", "phases[1].name"}


@pytest.mark.parametrize("data", [GOOD, TABLE, SEVERAL, SCRIPT, TRACE])
def test_text_and_back(data: dict[str, Any]) -> None:
    read_back(parse_scenario(data))


def test_one_table_is_a_list_of_one_phase() -> None:
    one = {"name": "only", "demand": 2, "arrival_rate": 1, "departure_rate": 1}
    assert parse_scenario(changed(("phases",), one, GOOD)) == parse_scenario(changed(("phases",), [one], GOOD))


def test_a_fault_in_a_file_begins_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "broken.toml"
    path.write_text(tomli_w.dumps(changed(("phases", 1), {"name": "H", "demand": 3}, GOOD)))
    with pytest.raises(UserError) as raised:
        load_scenario(path)
    assert raised.value.line.startswith(f"{path}: phases[1].departure_rate: found 0")
