"""Random scenarios of jobs with phases, small enough to be run by the reference."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from slotscope.model.kinds.phases.lattice import Lattice, lattice_of
from slotscope.model.kinds.phases.numbers import job_model
from slotscope.model.kinds.phases.scenario.schema import PhasesScenario
from slotscope.model.scenario.load import parse_scenario

#: The policies without tokens, each with the parameters that change its decisions.
FITTING: dict[str, tuple[dict[str, Any], ...]] = {
    "first-fit": ({}, {"fits": "peak"}, {"factor": "3/2"}),
    "best-fit": ({}, {"fits": "peak"}, {"factor": "1/2"}),
    "grand": ({}, {"a": 0}, {"a": "1/3", "fits": "peak"}, {"a": 2, "factor": "2/3"}),
    "power-of-d": ({}, {"choices": 1}, {"choices": 5, "fits": "peak", "factor": 2}),
}

#: The readings of JRS: each option with its values.
READINGS: dict[str, tuple[Any, ...]] = {
    "limit": ("type", "type", "all", "requested"),
    "at_limit": ("above", "above", "reached"),
    "request_after_pause": (False, False, True),
    "recovery_rate": (0, 0, 2),
    "patch": (True, True, True, False),
}

#: Every policy.
POLICIES = ("jrs", *FITTING)

NAMES = ("boot", "steady", "peak", "end")
RATES = ("1/2", 1, 2, "7/3")
SOME_RATES = (0, *RATES)


def _phases(draw: st.DrawFn, names: tuple[str, ...], resources: list[str], hard: bool) -> Any:
    """Phases from each of which a job can depart: the last one departs, the others move on."""
    phases = []
    for place, name in enumerate(names):
        last = place == len(names) - 1
        phase: dict[str, Any] = {
            "name": name,
            "demand": {one: draw(st.sampled_from([0, 1, 2, "5/2", 3])) for one in resources},
            "arrival_rate": draw(st.sampled_from(SOME_RATES)),
            "departure_rate": draw(st.sampled_from(RATES if last or hard else SOME_RATES)),
        }
        if not hard:
            to = {other: draw(st.sampled_from(SOME_RATES)) for other in names if other != name}
            if not last and not phase["departure_rate"]:
                to[names[place + 1]] = draw(st.sampled_from(RATES))
            phase["to"] = {other: rate for other, rate in to.items() if rate}
        phases.append(phase)
    if not any(phase["arrival_rate"] for phase in phases):
        phases[0]["arrival_rate"] = 1
    return phases


def _cost(draw: st.DrawFn, names: tuple[str, ...], most_jobs: int) -> dict[str, Any]:
    law = draw(st.sampled_from(["overrun", "overrun", "quadratic", "table"]))
    cost: dict[str, Any] = {"law": law, "budget": "1/20"}
    if law == "table":
        lists = st.sampled_from([0, 1, most_jobs])
        listed = {tuple(draw(lists) for _ in names) for _ in range(3)}
        kept = [jobs for jobs in sorted(listed) if 0 < sum(jobs) <= most_jobs]
        cost["rates"] = [
            {"jobs": dict(zip(names, jobs, strict=True)), "rate": "2/7"}
            for jobs in kept or [(1, *(0 for _ in names[1:]))]
        ]
    return cost


@st.composite
def job_data(draw: st.DrawFn, most_phases: int = 4, limit: int = 4) -> dict[str, Any]:
    """A scenario's data without a policy: job model, scale and seed."""
    names = NAMES[: draw(st.integers(1, most_phases))]
    resources = ["cpu", "memory"][: draw(st.sampled_from([1, 1, 2]))]
    hard = draw(st.integers(0, 3)) == 0
    most_jobs = draw(st.integers(1, limit))
    data: dict[str, Any] = {
        "system": "phases",
        "seed": draw(st.integers(0, 50)),
        "servers": {
            "most_jobs": most_jobs,
            "capacity": {one: draw(st.sampled_from([3, 4, "11/2", 8])) for one in resources},
            "contention": "never" if hard else "costs",
        },
        "phases": _phases(draw, names, resources, hard),
        "workload": {"kind": "poisson", "scale": draw(st.sampled_from(["1/2", 1, 3, 10]))},
    }
    if not hard:
        data["cost"] = _cost(draw, names, most_jobs)
    return data


def _entries(draw: st.DrawFn, lattice: Lattice, names: tuple[str, ...]) -> list[dict[str, Any]]:
    """The case of a server in each configuration: any, but case 2 only where a type can still be requested."""
    entries: list[dict[str, Any]] = []
    for jobs, above in zip(lattice.configurations.tolist(), lattice.up.tolist(), strict=True):
        allowed = [name for name, place in zip(names, above, strict=True) if place >= 0]
        case = draw(st.sampled_from([1, 1, 2, 3])) if allowed else draw(st.sampled_from([1, 3]))
        entry: dict[str, Any] = {"k": jobs, "case": case}
        if case == 1:
            entry["rates"] = {name: draw(st.sampled_from([0.0, 0.5, 3.0])) for name in allowed}
        elif case == 2:
            first = draw(st.sampled_from(allowed))
            second = draw(st.sampled_from(allowed))
            entry["prob"] = {first: 1.0} if first == second else {first: 0.25, second: 0.75}
        entries.append(entry)
    return entries


def _patch(draw: st.DrawFn, lattice: Lattice) -> dict[str, Any] | None:
    """A patch that requests some configuration other than the empty one."""
    if len(lattice) == 1 or not draw(st.integers(0, 4)):
        return None
    place = draw(st.integers(1, len(lattice) - 1))
    return {"rate": draw(st.sampled_from([1.0, 4.0])), "k0": lattice.configurations[place].tolist()}


@st.composite
def requesting_parameters(draw: st.DrawFn, data: dict[str, Any]) -> dict[str, Any]:
    """Pools with any tables, and any readings, for JRS on the jobs of *data*."""
    scenario = parse_scenario({**data, "policy": {"name": "first-fit"}})
    assert isinstance(scenario, PhasesScenario)
    model = job_model(scenario)
    lattice = lattice_of(model)
    pools = []
    for _ in range(draw(st.sampled_from([1, 1, 2]))):
        pool: dict[str, Any] = {
            "servers": draw(st.integers(1, 6)),
            "token_limit": draw(st.integers(0, 3)),
            "policy": _entries(draw, lattice, model.phases),
        }
        patch = _patch(draw, lattice)
        pools.append(pool if patch is None else {**pool, "patch": patch})
    readings = {name: draw(st.sampled_from(values)) for name, values in READINGS.items()}
    return {"pools": pools, **readings}


@st.composite
def phase_scenarios(draw: st.DrawFn, policy: str | None = None) -> Any:
    """A scenario under a policy with some of its options."""
    name = policy or draw(st.sampled_from(POLICIES))
    data = draw(job_data())
    parameters = draw(requesting_parameters(data)) if name == "jrs" else draw(st.sampled_from(FITTING[name]))
    return parse_scenario({**data, "policy": {"name": name, "parameters": parameters}})
