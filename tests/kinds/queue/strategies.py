"""Random scenarios of queueing systems, small enough to be run by the reference."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from slotscope.model.scenario.load import parse_scenario

#: Each policy with the options that change its decisions; empty: the defaults.
OPTIONS: dict[str, tuple[dict[str, Any], ...]] = {
    "bf-js": ({}, {"stall": True}),
    "bf-j": ({}, {"stall": True}),
    "bf-s": ({}, {"stall": True}),
    "fifo-ff": ({}, {"skip": True}),
    "fifo-slots": ({}, {"containers": 3}, {"skip": True, "containers": 7}),
    "vqs": (
        {},
        {"skip": True},
        {"j": 2},
        {"j": 2, "round_small": False},
        {"j": 5, "renew": "before"},
        {"renew_mode": "sequential"},
        {"stall": True},
        {"renew": "before", "renew_mode": "sequential", "stall": True, "gamma": "9/10", "skip": True},
    ),
    "vqs-bf": (
        {},
        {"j": 3},
        {"j": 2, "round_small": False},
        {"renew": "before"},
        {"renew_mode": "sequential", "stall": True},
        {"stall": True, "gamma": 1},
    ),
    "max-weight": (
        {},
        {"renew": "before"},
        {"renew_mode": "sequential"},
        {"preemptive": True},
        {"preemptive": True, "renew": "before"},
    ),
}

#: Policies that support several resources.
OF_SEVERAL = ("bf-js", "bf-j", "bf-s", "fifo-ff", "fifo-slots")

CHOICES = [(name, options) for name, all_of in OPTIONS.items() for options in all_of]

#: Laws of sizes for a capacity of 12.  Some values are ends of the partition's intervals.
FINITE: tuple[dict[str, Any], ...] = (
    {"distribution": "discrete", "values": [12, 8, 6, 4, 3, 2]},
    {"distribution": "discrete", "values": ["24/5", "36/5"]},
    {"distribution": "discrete", "values": [9, 7, 5, "12/7", 1, "1/100"]},
    {"distribution": "discrete", "values": [2, 5], "probabilities": ["2/3", "1/3"]},
)
CONTINUOUS: tuple[dict[str, Any], ...] = (
    {"distribution": "uniform", "low": "1/10", "high": 12},
    {"distribution": "uniform", "low": 1, "high": 4},
    {"distribution": "beta", "a": 2, "b": 5, "low": 0, "high": 12},
    {
        "distribution": "mixture",
        "parts": [
            {"share": "1/2", "size": {"distribution": "discrete", "values": [6]}},
            {"share": "1/2", "size": {"distribution": "uniform", "low": 1, "high": 12}},
        ],
    },
)

SERVICES: tuple[dict[str, Any], ...] = (
    {"distribution": "geometric", "mean": 6},
    {"distribution": "fixed", "slots": 5},
    {"distribution": "geometric", "mean": 1},
)


@st.composite
def _random_jobs(draw: st.DrawFn, laws: tuple[dict[str, Any], ...], resources: int) -> Any:
    size = draw(st.sampled_from(laws))
    if resources == 2:
        size = {"distribution": "independent", "resources": {"CPU": size, "memory": draw(st.sampled_from(laws))}}
    return {"size": size, "service": draw(st.sampled_from(SERVICES))}


@st.composite
def _workload(draw: st.DrawFn) -> dict[str, Any]:
    intensity = draw(st.sampled_from([0.3, 0.8, 1.5]))
    kind = draw(st.sampled_from(["poisson", "poisson", "batch"]))
    if kind == "batch":
        return {"kind": "batch", "batch": "geometric", "mean_batch": 3, "intensity": intensity}
    return {"kind": "poisson", "intensity": intensity}


@st.composite
def _script(draw: st.DrawFn, resources: int) -> dict[str, Any]:
    count = draw(st.integers(1, 25))
    slots = sorted(draw(st.lists(st.integers(0, 12), min_size=count, max_size=count)))
    sizes = st.sampled_from([12, 8, 6, 4, 3, 2, "3/2", 7, 5, 1, "1/3"])
    arrivals = []
    for slot in slots:
        size = draw(sizes) if resources == 1 else [draw(sizes), draw(sizes)]
        arrival: dict[str, Any] = {"slot": slot, "size": size}
        if draw(st.integers(0, 11)):
            arrival["service"] = draw(st.integers(1, 6))
        arrivals.append(arrival)
    return {"kind": "scripted", "arrivals": arrivals}


@st.composite
def _servers(draw: st.DrawFn, resources: int) -> dict[str, Any]:
    def of(amount: int) -> Any:
        return amount if resources == 1 else {"CPU": amount, "memory": amount}

    servers: dict[str, Any] = {"count": draw(st.integers(1, 4)), "capacity": of(12)}
    if draw(st.integers(0, 3)) == 0:
        servers["pools"] = [{"name": "half", "count": draw(st.integers(1, 3)), "capacity": of(6)}]
    return servers


@st.composite
def queue_scenarios(draw: st.DrawFn, policy: str | None = None, options: dict[str, Any] | None = None) -> Any:
    """A scenario under a policy with some of its options."""
    if policy is None:
        policy, options = draw(st.sampled_from(CHOICES))
    elif options is None:
        options = draw(st.sampled_from(OPTIONS[policy]))
    resources = draw(st.sampled_from([1, 1, 2])) if policy in OF_SEVERAL else 1
    data: dict[str, Any] = {
        "system": "queue",
        "seed": draw(st.integers(0, 50)),
        "servers": draw(_servers(resources)),
        "policy": {"name": policy, "parameters": options},
    }
    if resources == 2:
        data["resources"] = [{"name": "CPU"}, {"name": "memory"}]
    if draw(st.booleans()):
        data["workload"] = draw(_script(resources))
    else:
        laws = FINITE if policy == "max-weight" else FINITE + CONTINUOUS
        data["jobs"] = draw(_random_jobs(laws, resources))
        data["workload"] = draw(_workload())
    return parse_scenario(data)
