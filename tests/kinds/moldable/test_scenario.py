"""Scenarios of moldable jobs: which are refused with which message, and which come back equal."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from slotscope.model.kinds.moldable.scenario.workload import power
from slotscope.model.scenario.files import scenario_files
from slotscope.model.scenario.load import load_scenario, parse_scenario, scenario_text
from tests.breaking import Fault, changed, check_fault
from tests.kinds.moldable.scenarios import GOOD, RATES, REGIME, SCRIPT, SEVERAL, TRACE, law, opened, size

NAN, INF = float("nan"), float("inf")
BROKEN: dict[str, Fault] = {
    "no servers": ("servers", None, "servers.count: found nothing ... only a trace"),
    "0 servers": ("servers.count", 0, "found 0 ... at least 1"),
    "half a server": ("servers.count", 2.5, "a whole number"),
    "too many servers": ("servers.count", 10**7, "at most 1000000"),
    "no classes": ("classes", [], "found none ... at least one"),
    "classes left out": ("classes", None, "required"),
    "21 classes": ("classes", [GOOD["classes"][0]] * 21, "at most 20"),
    "two classes of one name": ("classes", [GOOD["classes"][0]] * 2, "'jobs' 2 times ... once"),
    "no speed-up": ("classes[0].speedup", None, "required"),
    "an empty speed-up": ("classes[0].speedup", [], "found [] ... at least s_1"),
    "a speed-up that is a number": ("classes[0].speedup", 5, "found 5 ... a list"),
    "s_1 = 2": ("classes[0].speedup", [2, 3], "s_1 = 1 ... s_1 is 2 ... one server"),
    "a convex speed-up": (
        "classes[0].speedup",
        [1, 1.2, 1.8, 2.6],
        "concave ... s_3 - s_2 = 0.6 is above s_2 - s_1 = 0.2",
    ),
    "more than linear": ("classes[0].speedup", [1, "5/2"], "s_2 - s_1 = 1.5 is above s_1 = 1"),
    "a decreasing speed-up": (
        "classes[0].speedup",
        [1, 1.8, 2.5, 2.4, 9],
        "increasing ... s_4 = 2.4 is not above s_3 = 2.5",
    ),
    "a flat speed-up": ("classes[0].speedup", [1, 1], "s_2 = 1 is not above s_1 = 1"),
    "a negative s_2": ("classes[0].speedup", [1, -1], "classes[0].speedup[1]: found -1"),
    "an s_2 that is no number": ("classes[0].speedup", [1, NAN], "classes[0].speedup[1]: found nan"),
    "an endless s_2": ("classes[0].speedup", [1, INF], "classes[0].speedup[1]: found inf ... finite"),
    "1001 servers": ("classes[0].speedup", list(range(1, 1002)), "at most 1000 ... found 1001"),
    "a degree above n": ("servers.count", 4, "classes[0].speedup: ... a degree of 5 ... at most servers.count = 4"),
    "no law": ("classes[0].speedup", {"degree": 5}, "without a law ... 'amdahl'"),
    "an unknown law": ("classes[0].speedup", law("log"), "'log' ... 'linear'"),
    "a law that is a list": ("classes[0].speedup", {"law": ["linear"]}, "the law"),
    "no degree": ("classes[0].speedup", {"law": "linear"}, "classes[0].speedup.degree: ... required"),
    "a degree of 0": (
        "classes[0].speedup",
        law("linear", degree=0),
        "classes[0].speedup.degree: found 0 ... at least 1",
    ),
    "a degree of 1001": (
        "classes[0].speedup",
        law("linear", degree=1001),
        "classes[0].speedup.degree: ... at most 1000",
    ),
    "an unknown key of a law": (
        "classes[0].speedup",
        law("linear", parallell=1),
        "classes[0].speedup.parallell: ... 'parallel'",
    ),
    "no parallel part": ("classes[0].speedup", law("amdahl"), "classes[0].speedup.parallel: ... required"),
    "a parallel part of 0": ("classes[0].speedup", law("amdahl", parallel=0), "classes[0].speedup.parallel: found 0"),
    "more than all in parallel": ("classes[0].speedup", law("amdahl", parallel=1.5), "at most 1 ... found 1.5"),
    "no exponent": ("classes[0].speedup", law("power"), "classes[0].speedup.exponent: ... required"),
    "an exponent of 2": ("classes[0].speedup", law("power", exponent=2), "exponent ... found 2"),
    "an exponent next to 1": ("classes[0].speedup", law("power", exponent=0.9999999), "exponent must be 1"),
    "an exponent next to 0": ("classes[0].speedup", law("power", exponent=1e-9), "found 1e-09"),
    "a size without a mean": ("classes[0].size", size("pareto", shape=1), "shape must be above 1 ... no mean"),
    "a size of mean 0": ("classes[0].size", size("exponential", mean=0), "classes[0].size.mean: ... above 0"),
    "a size of an unknown law": ("classes[0].size", size("gauss"), "'empirical'"),
    "a size that is a number": ("classes[0].size", 3, "found 3 ... a table"),
    "no values": ("classes[0].size", size("empirical", values=[]), "classes[0].size.values: ... at least one"),
    "values left out": ("classes[0].size", size("empirical"), "classes[0].size.values: ... required"),
    "a value of 0": (
        "classes[0].size",
        size("empirical", values=[1, 0]),
        "classes[0].size.values: ... above 0 ... values[1] is 0",
    ),
    "a negative value": ("classes[0].size", size("empirical", values=[1, -2]), "classes[0].size.values[1]: found -2"),
    "a value that is no number": (
        "classes[0].size",
        size("empirical", values=[NAN]),
        "classes[0].size.values[0]: found nan",
    ),
    "probabilities of 0.9": (
        "classes[0].size",
        size("mixed-erlang", probabilities=[0.4, 0.5]),
        "sum to 1 ... the sum 0.9",
    ),
    "a negative probability": (
        "classes[0].size",
        size("mixed-erlang", probabilities=[1.5, -0.5]),
        "classes[0].size.probabilities[1]: found -0.5",
    ),
    "a share of 0": ("classes[0].share", 0, "found 0 ... above 0"),
    "a share and a rate": (
        "classes",
        [{"speedup": [1], "share": 1, "arrival_rate": 1}],
        "classes[0]: ... share and arrival_rate ... one of them",
    ),
    "a rate of 0": ("classes[0].arrival_rate", 0, "found 0 ... above 0"),
    "a rate beside a load": ("classes[0].arrival_rate", 1, "workload.load: found 0.8 ... classes[0].arrival_rate"),
    "no load": ("workload.load", None, "found nothing ... alpha and beta"),
    "a load of 0": ("workload.load", 0, "found 0 ... above 0"),
    "a negative load": ("workload.load", -0.5, "found -0.5"),
    "a load that is no number": ("workload.load", NAN, "found nan"),
    "an endless load": ("workload.load", INF, "found inf ... finite"),
    "a load of 2000": ("workload.load", 2000, "1e-9 to 1000"),
    "a load and alpha": ("workload.alpha", 1, "workload: ... load and alpha ... load, or alpha and beta"),
    "a load, alpha and beta": (
        "workload",
        {"kind": "poisson", "load": 1, "alpha": 1, "beta": 1},
        "load and alpha and beta",
    ),
    "no workload": ("workload", None, "required"),
    "an unknown workload": ("workload", {"kind": "batch"}, "'scripted'"),
    "an unknown key": ("alpha", 1, "unknown key"),
}

BROKEN_REGIMES: dict[str, Fault] = {
    "beta alone": ("workload.alpha", None, "workload: ... beta alone ... n^-alpha"),
    "alpha alone": ("workload.beta", None, "workload: ... alpha alone"),
    "a negative alpha": ("workload.alpha", -1, "found -1"),
    "an alpha of 11": ("workload.alpha", 11, "workload: ... alpha = 11 ... at most 10"),
    "a beta of 0": ("workload.beta", 0, "found 0 ... above 0"),
    "a beta of n^alpha": ("workload.beta", 10, "found 10 ... below n^alpha = 10"),
    "alpha = 0 and beta = 1": (
        "workload",
        {"kind": "poisson", "alpha": 0, "beta": 1},
        "beta = 1 with alpha = 0 ... below 1",
    ),
}

BROKEN_RATES: dict[str, Fault] = {
    "rates of some classes": ("classes[1].arrival_rate", None, "found nothing ... because classes[0] has one"),
    "rates of other classes": ("classes[0].arrival_rate", None, "found nothing ... because classes[1] has one"),
    "rates and alpha": (
        "workload",
        {"kind": "poisson", "alpha": 0, "beta": 0.2},
        "workload.alpha: found 0 ... beside classes[0].arrival_rate",
    ),
}

BROKEN_SCRIPTS: dict[str, Fault] = {
    "a time before the last": (
        "workload.arrivals[1].time",
        1,
        "workload: ... order of time ... arrivals[2].time = 1/3 after 1",
    ),
    "a negative time": ("workload.arrivals[0].time", -1, "found -1"),
    "no time": ("workload.arrivals[1].time", None, "required"),
    "no size": ("workload.arrivals[1].size", None, "required"),
    "a size of 0": ("workload.arrivals[1].size", 0, "above 0"),
    "no class": ("workload.arrivals[1].class", None, "found nothing ... a, b"),
    "an unknown class": ("workload.arrivals[1].class", "c", "'c' ... a, b"),
    "a request of 0": ("workload.arrivals[1].requested", 0, "at least 1"),
    "a request above d": ("workload.arrivals[1].requested", 3, "found 3 ... at most 2"),
    "two jobs of one name": ("workload.arrivals[1].job", "first", "workload: ... 2 jobs ... 'first'"),
    "a name of a field": ("workload.arrivals[1].class_name", "a", "unknown key"),
}

BROKEN_TRACES: dict[str, Fault] = {
    "two classes": ("classes", SCRIPT["classes"], "found 2 ... allowed with a trace: one"),
    "an unknown format": ("workload.format", "csv", "'swf'"),
    "unknown arrivals": ("workload.arrivals", "all", "'resampled'"),
    "unknown sizes": ("workload.sizes", "all", "'recorded'"),
    "unknown work": ("workload.work", "cpu", "'run time'"),
    "a limit of 0": ("workload.limit", 0, "at least 1"),
    "a load of 0": ("workload.load", 0, "found 0"),
}

FAULTS = [
    pytest.param(good, fault, id=f"{kind}-{name}")
    for kind, good, faults in (
        ("poisson", GOOD, BROKEN),
        ("regime", REGIME, BROKEN_REGIMES),
        ("rates", RATES, BROKEN_RATES),
        ("script", SCRIPT, BROKEN_SCRIPTS),
        ("trace", TRACE, BROKEN_TRACES),
    )
    for name, fault in faults.items()
]


@pytest.mark.parametrize(("good", "fault"), FAULTS)
def test_broken(good: dict[str, Any], fault: Fault) -> None:
    check_fault(opened, good, fault)


def test_what_is_not_said() -> None:
    scenario = opened(changed("policy", None, GOOD))
    (only,) = scenario.classes
    assert (only.name, only.size.distribution) == ("jobs", "exponential")
    assert scenario.mean_of(0) == 1
    assert scenario.policy.name == "greedy-p"
    one = opened(changed("classes", {"speedup": [1, 2]}, GOOD))
    assert one == opened(changed("classes", [{"speedup": [1, 2]}], GOOD))


@pytest.mark.parametrize("name", [name for name in scenario_files() if name[:8] == "moldable"])
def test_built_in_scenarios(name: str) -> None:
    scenario = load_scenario(name)
    assert scenario.title
    assert scenario.paper
    assert len(scenario.description) > 100
    assert parse_scenario(tomllib.loads(scenario_text(scenario))) == scenario


# The load.


def test_a_load_is_divided_by_shares_and_means() -> None:
    scenario = opened(SEVERAL)
    shares = (Fraction(4, 7), Fraction(2, 7), Fraction(1, 7))
    assert scenario.shares == shares
    rates = scenario.arrival_rates
    assert scenario.load == sum(scenario.loads) == Fraction(3, 4)
    assert tuple(rate / sum(rates) for rate in rates) == shares
    assert [scenario.mean_of(j) for j in range(3)] == [2, 1, Fraction(23, 18)]


def test_rates_of_classes_make_the_load() -> None:
    scenario = opened(RATES)
    assert scenario.arrival_rates == (Fraction(3, 10), Fraction(1, 5))
    assert scenario.loads == (Fraction(3, 10), Fraction(2, 5))
    assert scenario.shares == (Fraction(3, 5), Fraction(2, 5))


@pytest.mark.parametrize(
    ("alpha", "count", "load"),
    [
        (0, 4000, Fraction(9, 10)),
        ("1/2", 100, Fraction(99, 100)),
        ("2/3", 1000, Fraction(999, 1000)),
        ("1/2", 10_000, Fraction(999, 1000)),
        (2, 7, 1 - Fraction(1, 490)),
        (1, 1, Fraction(9, 10)),
        ("1/3", 1, Fraction(9, 10)),
    ],
)
def test_a_regime_is_exact_where_its_power_is(alpha: Any, count: int, load: Fraction) -> None:
    data = GOOD | {
        "servers": {"count": count},
        "classes": [{"speedup": [1]}],
        "workload": {"kind": "poisson", "alpha": alpha, "beta": 0.1},
    }
    assert opened(data).load == load


@given(st.integers(1, 10**6), st.fractions(0, 10))
def test_powers_are_exact_or_the_float_next_to_them(count: int, alpha: Fraction) -> None:
    found = power(count, alpha)
    assert float(found) == pytest.approx(float(count) ** float(alpha), rel=1e-12)
    if float(found) != count ** float(alpha):
        assert found**alpha.denominator == Fraction(count) ** alpha.numerator


@given(st.integers(1, 10**6), st.integers(0, 10**6))
def test_roots_are_found(root: int, alpha: int) -> None:
    degree = 1 + alpha % 20
    count = (root % 50 + 1) ** degree
    assume(count <= 10**6)
    assert power(count, Fraction(3, degree)) == Fraction(root % 50 + 1) ** 3


def test_a_script_and_an_unread_trace_may_tell_no_load() -> None:
    scenario = opened(changed("workload.load", None, SCRIPT))
    assert list(scenario.loads) == [0, 0]
    assert scenario.load == 0
    assert opened(SCRIPT).load == Fraction(1, 2)
    trace = opened(TRACE)
    assert trace.needs_trace
    assert trace.load == 0
    assert not opened(GOOD).needs_trace
