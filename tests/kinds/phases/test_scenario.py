"""Scenarios of jobs with phases: which are refused with which message, and which come back equal."""

from __future__ import annotations

from typing import Any

import pytest

from slotscope.model.scenario.load import parse_scenario
from tests.breaking import Fault, changed, check_fault, refused, says
from tests.kinds.phases.scenarios import GOOD, SCRIPT, SEVERAL, TRACE, opened

NAN, INF = float("nan"), float("inf")


def table(*rates: dict[str, Any]) -> dict[str, Any]:
    return {"law": "table", "budget": 1, "rates": list(rates)}


BROKEN: dict[str, Fault] = {
    "no limit": ("servers.most_jobs", None, "required"),
    "a limit of 0": ("servers.most_jobs", 0, "found 0 ... at least 1"),
    "half a job": ("servers.most_jobs", 2.5, "a whole number"),
    "a limit in words": ("servers.most_jobs", "many", "found 'many'"),
    "a limit above all": ("servers.most_jobs", 1001, "found 1001 ... at most 1000"),
    "no capacity": ("servers.capacity", None, "required"),
    "no resource": ("servers.capacity", {}, "found {}"),
    "a capacity of 0": ("servers.capacity.cpu", 0, "found 0 ... above 0"),
    "a negative capacity": ("servers.capacity.cpu", -1, "found -1"),
    "a capacity that is no number": ("servers.capacity.cpu", NAN, "found nan"),
    "a unit that is not declared": ("servers.capacity.cpu", "10 GB", "'GB' ... no unit"),
    "an unknown contention": ("servers.contention", "some", "'costs' ... 'never'"),
    "a count of servers": ("servers.count", 5, "unknown key"),
    "no cost": ("cost", None, "cost.budget: found nothing ... above 0 ... 'never'"),
    "no budget": ("cost.budget", None, "found nothing ... above 0"),
    "a budget of 0": ("cost.budget", 0, "found 0 ... a number above 0 ... the analysis"),
    "a negative budget": ("cost.budget", -0.1, "found -0.1 ... above 0"),
    "a budget that is no number": ("cost.budget", NAN, "found nan"),
    "an endless budget": ("cost.budget", INF, "found inf ... finite"),
    "an unknown law of cost": ("cost.law", "cubic", "found 'cubic' ... 'quadratic'"),
    "a table that is not used": (
        "cost",
        {"law": "overrun", "budget": 1, "rates": [{"jobs": {"L": 1}, "rate": 1}]},
        "rates ... law = 'table'",
    ),
    "a table without rates": ("cost", {"law": "table", "budget": 1}, "rates: found none"),
    "a cost without jobs": ("cost", table({"jobs": {"L": 0}, "rate": 1}), "cost.rates[0].rate: found 1 ... allowed: 0"),
    "a negative cost": ("cost", table({"jobs": {"L": 1}, "rate": -1}), "cost.rates[0].rate: found -1 ... at least 0"),
    "a cost of more jobs than a server takes": (
        "cost",
        table({"jobs": {"L": 5, "H": 4}, "rate": 1}),
        "cost.rates[0].jobs: found 9 jobs ... most_jobs = 8",
    ),
    "a cost of an unknown phase": (
        "cost",
        table({"jobs": {"X": 1}, "rate": 1}),
        "cost.rates[0].jobs: found 'X' ... L, H",
    ),
    "a cost of half a job": (
        "cost",
        table({"jobs": {"L": 0.5}, "rate": 1}),
        "cost.rates[0].jobs.L: ... a whole number",
    ),
    "two costs of one configuration": (
        "cost",
        table({"jobs": {"L": 1}, "rate": 1}, {"jobs": {"L": 1, "H": 0}, "rate": 2}),
        "cost.rates[1].jobs: ... second time ... allowed: once",
    ),
    "no phases": ("phases", [], "found none"),
    "phases left out": ("phases", None, "found none"),
    "a phase without a name": ("phases[0].name", None, "required"),
    "two phases of one name": ("phases[1].name", "L", "phases: ... 'L' 2 times"),
    "a phase without a demand": ("phases[0].demand", None, "required"),
    "a negative demand": ("phases[1].demand.cpu", -3, "found -3"),
    "a demand of another resource": ("phases[1].demand", {"gpu": 1}, "phases[1].demand.gpu: found 'gpu' ... cpu"),
    "a demand with a unit": ("phases[1].demand.cpu", "3 GB", "'GB'"),
    "a negative arrival rate": ("phases[0].arrival_rate", -1, "found -1 ... at least 0"),
    "an endless arrival rate": ("phases[0].arrival_rate", INF, "found inf"),
    "a rate too small to matter": ("phases[0].departure_rate", "1e-12", "1e-9 to 1e9"),
    "a rate too large to run": ("phases[0].to.H", 10**10, "1e-9 to 1e9"),
    "no arrivals": ("phases[0].arrival_rate", 0, "phases: ... no arrival_rate above 0 ... at least one"),
    "a negative rate between phases": ("phases[0].to.H", -1, "found -1"),
    "a way to an unknown phase": ("phases[0].to", {"X": 1}, "found 'X' ... allowed: H"),
    "a way to itself": ("phases[0].to", {"L": 1}, "found 'L' ... another phase"),
    "a phase that cannot end": (
        "phases",
        [GOOD["phases"][0], {"name": "H", "demand": 3}],
        "phases[1].departure_rate: found 0 ... no way from phase 'H' to the end",
    ),
    "a scale of 0": ("workload.scale", 0, "found 0 ... above 0"),
    "a negative scale": ("workload.scale", -1, "found -1"),
    "a scale that is no number": ("workload.scale", NAN, "found nan"),
    "more jobs than memory": ("workload.scale", 10**9, "found 1000000000 ... jobs in the system ... at most 1,000,000"),
    "no workload": ("workload", None, "required"),
    "an unknown workload": ("workload", {"kind": "batch"}, "batch ... 'scripted'"),
    "a key like its own table": ("workload.load", 1, "unknown key, allowed: kind, scale"),
    "an unknown key in a workload": ("workload.scales", 3, "did you mean 'scale'"),
    "an unknown format": (
        "workload",
        {"kind": "trace", "format": "swf"},
        "workload.format: found 'swf' ... 'alibaba-pods'",
    ),
    "no seconds in a unit": ("workload", {"kind": "trace", "seconds": 0}, "workload.seconds: found 0"),
    "no types": ("workload", {"kind": "trace", "most_types": 0}, "workload.most_types: found 0"),
    "amounts too fine": (
        "servers.capacity.cpu",
        "100000000000001/10000000000000",
        "servers.capacity: ... common measure ... fewer digits",
    ),
    "costs too fine": (
        "cost",
        table(
            {"jobs": {"L": 1}, "rate": "9/1000003"},
            {"jobs": {"L": 2}, "rate": "9/1000033"},
            {"jobs": {"L": 3}, "rate": "9/1000037"},
        ),
        "common measure ... fewer digits",
    ),
    "a warm-up as long as the run": ("run.warmup", 1000, "run: warmup"),
    "an unknown key": ("budget", 1, "unknown key"),
}

BROKEN_SEVERAL: dict[str, Fault] = {
    "a cost that cannot arise": ("cost", {"budget": 1}, "found a table ... 'never'"),
    "a job larger than a server": ("phases[0].demand.CPU", 9, "found 9 ... at most 8 ... 'never'"),
    "a job larger than a server in another unit": ("phases[0].demand.memory", "33 GB", "found 33"),
    "a requirement that varies": ("phases[0].to", {"large": 1}, "found large ... 'never'"),
    "one number for two resources": ("phases[0].demand", 1, "found one number ... CPU, memory"),
    "an unknown unit": ("phases[0].demand.memory", "3 cores", "GiB"),
    "two resources of one name": ("resources[1].name", "CPU", "resources: ... 'CPU' 2 times"),
}

BROKEN_SCRIPTS: dict[str, Fault] = {
    "an event of an unknown kind": ("workload.events[1].kind", "jump", "workload.events[1]: ... jump ... 'tick'"),
    "an event without a kind": ("workload.events[1].kind", None, "workload.events[1]: ... 'kind'"),
    "an event without a time": ("workload.events[1].t", None, "required"),
    "a time before the start": ("workload.events[0].t", -1, "found -1 ... at least 0"),
    "a time before the last": ("workload.events[3].t", 0, "workload: ... events[3].t = 0 after 1/3"),
    "an arrival of an unknown type": ("workload.events[1].type", "X", "found 'X' ... L, H"),
    "an arrival of the patch": ("workload.events[1].type", "patch", "'patch'"),
    "a tick of an unknown type": ("workload.events[4].type", "X", "found 'X'"),
    "a move to an unknown phase": ("workload.events[2].to", "X", "found 'X'"),
    "a move without a job": ("workload.events[2].job", None, "required"),
    "a departure with a type": ("workload.events[3].type", "L", "of another kind"),
    "a tick of no server": ("workload.events[0].server", 0, "at least 1"),
    "a place below 0": ("workload.events[1].token_index", -1, "found -1"),
    "choices that are no places": (
        "workload.events[0].virtual_choices",
        ["a"],
        "workload.events[0].virtual_choices[0]: found 'a'",
    ),
    "a pool before the first": ("workload.events[1].pool", 0, "at least 1"),
    "an arrival of a job that is there": ("workload.events[1].job", "a", "workload: ... 2 jobs with the name 'a'"),
    "a job in an unknown phase": ("workload.initial[0][0].real.a", "X", "found 'X'"),
    "a token of an unknown type": ("workload.initial_tokens[0]", {"X": [1]}, "found 'X'"),
    "a token of no server": (
        "workload.initial_tokens[0]",
        {"L": [0]},
        "workload.initial_tokens[0].L[0]: ... at least 1",
    ),
    "a phase called patch": ("phases[0].name", "patch", "phases: found the name 'patch'"),
}


FAULTS = [
    pytest.param(good, fault, id=f"{kind}-{name}")
    for kind, good, faults in (
        ("poisson", GOOD, BROKEN),
        ("fixed sizes", SEVERAL, BROKEN_SEVERAL),
        ("script", SCRIPT, BROKEN_SCRIPTS),
    )
    for name, fault in faults.items()
]


@pytest.mark.parametrize(("good", "fault"), FAULTS)
def test_broken(good: dict[str, Any], fault: Fault) -> None:
    check_fault(opened, good, fault)


def test_a_trace_must_be_read() -> None:
    says(refused(opened, TRACE), "workload.paths: ... not been read ... --trace PATH")


def test_one_table_is_a_list_of_one_phase() -> None:
    one = {"name": "only", "demand": 2, "arrival_rate": 1, "departure_rate": 1}
    assert parse_scenario(changed("phases", one, GOOD)) == parse_scenario(changed("phases", [one], GOOD))
