"""Random scenarios of the loss system with slots, small enough to be run by the reference."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from slotscope.model.kinds.reservation.numbers import numbers_of
from slotscope.model.kinds.reservation.scenario.schema import ReservationScenario
from slotscope.model.programs.configurations import ConfigurationSpace
from slotscope.model.scenario.load import parse_scenario

#: Reservation factors: small, large, fractional, and as a power of the logarithm.
FACTORS = (1, 2, 3, 7, 50, "3/2", 0.1, "log", "log^1.1", "log^2")

#: The variants of DRA.
VARIANTS = ("dra-periodic", "dra-no-migration", "dra-preemption")

#: Service distributions other than the exponential, as tables of a scenario.
SERVICES: tuple[dict[str, Any], ...] = (
    {"distribution": "exponential", "mean": 1},
    {"distribution": "exponential", "mean": "1/2"},
    {"distribution": "deterministic", "mean": 1},
    {"distribution": "deterministic", "mean": "1/4"},
    {"distribution": "erlang", "phases": 3},
    {"distribution": "hyper-exponential", "squared_variation": 5},
    {"distribution": "pareto", "shape": 2.5, "mean": 2},
    {"distribution": "lognormal", "squared_variation": 2},
    {"distribution": "mixed-erlang", "probabilities": [0.4, 0.6]},
    {"distribution": "empirical", "values": [0.5, 1, 1, 3]},
)


@st.composite
def _additive(draw: st.DrawFn, types: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Servers with resources; a demand can exceed the capacity (the type fits no server)."""
    resources = [f"r{d + 1}" for d in range(draw(st.integers(1, 3)))]
    unit = Fraction(draw(st.sampled_from(["1", "1/10", "5/3"])))
    capacity = {name: str(draw(st.integers(1, 8)) * unit) for name in resources}
    demands = []
    for _ in range(types):
        amounts = draw(st.lists(st.integers(0, 5), min_size=len(resources), max_size=len(resources)).filter(any))
        if draw(st.integers(0, 9)) == 0:
            amounts[0] = 9
        demands.append({name: str(amount * unit) for name, amount in zip(resources, amounts, strict=True)})
    return {"capacity": capacity}, [{"demand": demand} for demand in demands]


@st.composite
def _monotone(draw: st.DrawFn, types: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Servers with given maximal configurations; a type may have no slot in any of them."""
    member = st.lists(st.integers(0, 3), min_size=types, max_size=types)
    members = draw(st.lists(member, min_size=1, max_size=4))
    return {"configurations": members}, [{} for _ in range(types)]


@st.composite
def _arrivals(draw: st.DrawFn, names: list[str]) -> list[dict[str, Any]]:
    """Scripted arrivals on a coarse time grid, so that some coincide with one another and with departures."""
    times = sorted(draw(st.lists(st.integers(0, 24), max_size=50)))
    arrivals = []
    for time in times:
        arrival: dict[str, Any] = {"time": f"{time}/4", "type": draw(st.sampled_from(names))}
        service = draw(st.sampled_from([0, 0.25, 0.5, 1, 2, 3, None]))
        if service is not None:
            arrival["service"] = service
        arrivals.append(arrival)
    return arrivals


@st.composite
def _configuration(draw: st.DrawFn, space: ConfigurationSpace) -> list[int]:
    """A random feasible configuration."""
    slots = [0] * space.types
    for job_type in draw(st.lists(st.integers(0, space.types - 1), max_size=8)):
        slots[job_type] += 1
        if not space.contains(slots):
            slots[job_type] -= 1
    return slots


@st.composite
def _server(draw: st.DrawFn, space: ConfigurationSpace, names: list[str]) -> dict[str, Any]:
    """A server at time 0: nothing, jobs alone, or a configuration with some jobs in it."""
    slots = draw(_configuration(space))
    kind = draw(st.sampled_from(["nothing", "jobs", "configuration", "both"]))
    jobs = []
    for name, most in zip(names, slots, strict=True):
        count = draw(st.integers(0, most)) if kind == "both" else most * (kind == "jobs")
        for _ in range(count):
            job: dict[str, Any] = {"type": name}
            service = draw(st.sampled_from([None, 0.5, 1, 2.25]))
            if service is not None:
                job["service"] = service
            jobs.append(job)
    content: dict[str, Any] = {"jobs": jobs}
    if kind in {"configuration", "both"}:
        content["configuration"] = slots
    return content


@st.composite
def _given(draw: st.DrawFn, space: ConfigurationSpace, names: list[str], servers: int) -> dict[str, Any]:
    """Configurations, jobs and, for some configurations, an order of recency."""
    contents = draw(st.lists(_server(space, names), max_size=servers))
    holders: dict[tuple[int, ...], list[int]] = {}
    for number in range(servers):
        content = contents[number] if number < len(contents) else {"jobs": []}
        jobs = [job["type"] for job in content["jobs"]]
        slots = content.get("configuration", [jobs.count(name) for name in names])
        holders.setdefault(tuple(slots), []).append(number)
    order = [
        {"configuration": list(slots), "servers": draw(st.permutations(numbers))}
        for slots, numbers in holders.items()
        if len(numbers) > 1 and draw(st.booleans())
    ]
    return {"start": "given", "servers": contents, "order": order}


@st.composite
def _variant(draw: st.DrawFn, policy: str, types: int) -> dict[str, Any]:
    """Parameters of a variant of DRA, with or without an estimate of the workload."""
    parameters: dict[str, Any] = {}
    if policy == "dra-periodic":
        parameters["period"] = draw(st.sampled_from(["1/4", 1, "7/3"]))
        parameters["times"] = draw(st.lists(st.sampled_from([0, "1/4", 1, "5/2", 3]), max_size=3, unique=True))
    if policy == "dra-no-migration":
        parameters["extended"] = draw(st.booleans())
    if policy == "dra-preemption":
        parameters["retry"] = draw(st.booleans())
    if draw(st.integers(0, 3)) == 0:
        loads = st.lists(st.sampled_from([0, "1/2", 1, 3]), min_size=types, max_size=types)
        parameters |= {"workload": "given", "estimate": draw(loads.filter(any))}
    return parameters


@st.composite
def scenarios(
    draw: st.DrawFn,
    most_types: int = 5,
    most_servers: int = 12,
    policy: str = "dra",
    workloads: tuple[str, ...] = ("poisson", "scripted"),
    starts: tuple[str, ...] = ("empty", "full", "given"),
) -> ReservationScenario:
    """A scenario of up to five types, three resources (or a monotone set) and twelve servers."""
    types = draw(st.integers(1, most_types))
    names = [f"t{j + 1}" for j in range(types)]
    servers, parts = draw(st.one_of(_additive(types), _monotone(types)))
    count = draw(st.integers(1, most_servers))
    factors = FACTORS if count > 1 else FACTORS[:7]
    data: dict[str, Any] = {
        "seed": draw(st.integers(0, 1000)),
        "servers": {"count": count} | servers,
        "job_types": [
            part
            | {
                "name": name,
                "reward": draw(st.sampled_from([0, 1, 1, 2, 3, "7/2", 0.3])),
                "workload": draw(st.sampled_from([0, "1/3", 1, 1, 2, 4])),
                "service": draw(st.sampled_from(SERVICES)),
            }
            for name, part in zip(names, parts, strict=True)
        ],
        "policy": {"name": policy},
    }
    if policy.startswith("dra"):
        parameters = draw(_variant(policy, types)) if policy in VARIANTS else {}
        parameters["reservation_factor"] = draw(st.sampled_from(factors))
        data["policy"]["parameters"] = parameters
    if policy == "dra-preemption":
        for item in data["job_types"]:
            item["priority"] = draw(st.sampled_from([0, 0, 1, 2]))
    if policy == "power-of-d":
        data["policy"]["parameters"] = {"choices": draw(st.integers(1, count))}
    if policy == "static-reservation" and not any(part["workload"] for part in data["job_types"]):
        data["job_types"][0]["workload"] = 1
    if draw(st.sampled_from(workloads)) == "scripted":
        data["workload"] = {"kind": "scripted", "arrivals": draw(_arrivals(names))}
    data["initial"] = draw(_initial(data, names, starts))
    return parse_scenario(data)


@st.composite
def _initial(draw: st.DrawFn, data: dict[str, Any], names: list[str], starts: tuple[str, ...]) -> dict[str, Any]:
    start = draw(st.sampled_from(starts))
    if start == "full":
        return {"start": "full", "type": draw(st.sampled_from(names))}
    if start == "given":
        space = numbers_of(parse_scenario(data)).space
        return draw(_given(space, names, data["servers"]["count"]))
    return {"start": "empty"}
