"""Random scenarios of moldable jobs, small enough to be run by the reference."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from slotscope.model.scenario.load import parse_scenario

Data = dict[str, Any]

#: Every policy.
POLICIES = ("greedy-p", "greedy", "fixed-width", "threshold")

NAMES = ("a", "b", "c")

#: What one more server can add to a speed-up.
STEPS = (Fraction(1), Fraction(4, 5), Fraction(1, 2), Fraction(1, 3), Fraction(1, 10))

#: Times are multiples of this, so that many are equal.
GRID = Fraction(1, 2)

LAWS = (
    {"distribution": "exponential"},
    {"distribution": "deterministic", "mean": "3/2"},
    {"distribution": "erlang", "phases": 2, "mean": "1/2"},
)


@st.composite
def speedups(draw: st.DrawFn, most_degree: int = 5) -> list[str]:
    """A concave speed-up as a list."""
    steps = draw(st.lists(st.sampled_from(STEPS), max_size=most_degree - 1))
    factors = [Fraction(1)]
    for step in sorted(steps, reverse=True):
        factors.append(factors[-1] + step)
    return [str(factor) for factor in factors]


@st.composite
def several_classes(draw: st.DrawFn, most_degree: int, most_classes: int = 3) -> list[Data]:
    """Classes with their speed-ups."""
    names = NAMES[: draw(st.integers(1, most_classes))]
    return [{"name": name, "speedup": draw(speedups(most_degree))} for name in names]


def _shares(draw: st.DrawFn, classes: list[Data], servers: int) -> dict[str, str]:
    """Shares of the servers with a sum of at most 1, each of at least one server; none if there are too few
    servers.
    """
    left, shares = servers, {}
    for place, item in enumerate(classes):
        rest = len(classes) - place - 1
        count = draw(st.integers(1, max(1, left - rest)))
        shares[item["name"]] = str(Fraction(count, servers))
        left -= count
    return shares if left >= 0 else {}


@st.composite
def certain_policies(draw: st.DrawFn, classes: list[Data], servers: int) -> Data:
    """A policy whose requests are not random."""
    name = draw(st.sampled_from(POLICIES[1:]))
    degrees = {item["name"]: len(item["speedup"]) for item in classes}
    if name == "fixed-width":
        each = {key: draw(st.integers(1, degree)) for key, degree in degrees.items()}
        servers_asked = draw(st.sampled_from([each, min(each.values())]))
        return {"name": name, "parameters": {"servers": servers_asked}}
    if name == "threshold":
        wide = st.integers(1, max(degrees.values()))
        steps = draw(st.dictionaries(st.integers(0, servers), wide, min_size=1, max_size=4))
        listed = [{"free": free, "servers": width} for free, width in steps.items()]
        return {"name": name, "parameters": {"steps": listed}}
    return {"name": name}


@st.composite
def scripted_data(draw: st.DrawFn, most_servers: int = 11, most_jobs: int = 25) -> Data:
    """A script with many equal times, with requests of its own or under a policy whose requests are not random."""
    servers = draw(st.integers(1, most_servers))
    classes = draw(several_classes(min(5, servers)))
    asked = draw(st.booleans())
    policy: Data = {"name": "greedy-p", "parameters": {"shares": "none"}}
    if not asked:
        policy = draw(certain_policies(classes, servers))
    elif len(classes) > 1 and draw(st.booleans()):
        shares = _shares(draw, classes, servers)
        rest = draw(st.sampled_from(["idle", "common"]))
        policy["parameters"] = {"shares": shares, "rest": rest} if shares else {"shares": "none"}
    arrivals, time = [], Fraction(0)
    for number in range(draw(st.integers(1, most_jobs))):
        time += GRID * draw(st.sampled_from([0, 0, 0, 1, 1, 2, 5]))
        item = draw(st.sampled_from(classes))
        factor = Fraction(draw(st.sampled_from(item["speedup"])))
        job: Data = {
            "time": str(time),
            "class": item["name"],
            "job": f"j{number}",
            "size": str(factor * GRID * draw(st.integers(1, 5))),
        }
        if asked:
            job["requested"] = draw(st.integers(1, len(item["speedup"])))
        arrivals.append(job)
    load = draw(st.sampled_from(["3/5", "9/10", "19/20", None]))
    workload: Data = {"kind": "scripted", "arrivals": arrivals}
    return {
        "system": "moldable",
        "run": {"until": 100},
        "servers": {"count": servers},
        "classes": classes,
        "workload": workload | ({"load": load} if load else {}),
        "policy": policy,
    }


@st.composite
def moldable_data(draw: st.DrawFn, most_servers: int = 12) -> Data:
    """Poisson arrivals of up to three classes, without a policy."""
    servers = draw(st.integers(5, most_servers))
    classes = [
        item | {"share": draw(st.sampled_from([1, 2])), "size": draw(st.sampled_from(LAWS))}
        for item in draw(several_classes(5))
    ]
    return {
        "system": "moldable",
        "seed": draw(st.integers(0, 50)),
        "servers": {"count": servers},
        "classes": classes,
        "workload": {"kind": "poisson", "load": draw(st.sampled_from(["1/2", "4/5", "19/20"]))},
    }


@st.composite
def any_policies(draw: st.DrawFn, data: Data) -> Data:
    """Any policy for the classes and servers of *data*."""
    classes, servers = data["classes"], data["servers"]["count"]
    if draw(st.booleans()):
        return draw(certain_policies(classes, servers))
    if len(classes) == 1:
        return {"name": "greedy-p"}
    given = draw(st.sampled_from(["none", "given", "common"]))
    if given == "none":
        return {"name": "greedy-p", "parameters": {"shares": "none"}}
    shares = _shares(draw, classes, servers)
    return {"name": "greedy-p", "parameters": {"shares": shares, "rest": "common" if given == "common" else "idle"}}


@st.composite
def moldable_scenarios(draw: st.DrawFn) -> Any:
    """A scenario under any policy."""
    data = draw(moldable_data())
    return parse_scenario({**data, "policy": draw(any_policies(data))})
