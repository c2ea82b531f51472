"""Instances of jobs with phases for the second program: from scenarios, and from random scripts."""

from __future__ import annotations

from itertools import product
from typing import Any, Iterator

from hypothesis import strategies as st

from tests.kinds.phases.oracle import Event, Instance, Oracle
from tests.kinds.phases.strategies import READINGS

NAMES = ("low", "high", "idle")


def instance_of(scenario: Any) -> tuple[Instance, dict[str, Any]]:
    """A scenario under JRS with given pools as an instance without events, and its readings of the
    policy.
    """
    parameters = dict(scenario.policy.parameters)
    names = list(scenario.phase_names)
    data: Instance = {
        "K_max": scenario.servers.most_jobs,
        "phases": names,
        "resources": [
            {
                "name": name,
                "cap": scenario.capacity[d],
                "req": [scenario.demand_of(phase)[d] for phase in scenario.phases],
            }
            for d, name in enumerate(scenario.resource_names)
        ],
        "pools": [],
        "events": [],
    }
    if scenario.cost is not None:
        data["cost"] = {
            "law": scenario.cost.law,
            "rates": [{"jobs": item.jobs, "rate": item.rate} for item in scenario.cost.rates],
        }
    for pool in parameters.pop("pools"):
        given = {"L": pool["servers"], "eta_max": pool["token_limit"], "policy": pool["policy"]}
        if patch := pool.get("patch"):
            jobs = dict(zip(names, patch["k0"], strict=True))
            asked = {name: many for name, many in jobs.items() if many}
            given["patch_at_0"] = {"rate": patch["rate"], "k0": asked}
        data["pools"].append(given)
    return data, parameters


class _Deciding(Oracle):
    """Draws the choices of virtual arrivals when they occur, and writes them into the event."""

    def __init__(self, draw: st.DrawFn, data: Instance, options: dict[str, Any]) -> None:
        super().__init__(data, options)
        self._draw = draw
        self._made: list[int] = []

    def chosen(self, count: int) -> int:
        """See :class:`Oracle`."""
        self._made.append(self._draw(st.integers(0, count - 1)))
        return self._made[-1]

    def happens(self, event: Event) -> None:
        """Run an event and append it to the instance."""
        self._made = []
        self.run(event)
        if self._made:
            event["virtual_choices"] = self._made
        self.data["events"].append(event)


@st.composite
def scripts(draw: st.DrawFn) -> tuple[Instance, dict[str, Any]]:
    """A random script with all fields that instance files have, and readings of the policy."""
    names = list(NAMES[: draw(st.integers(1, 3))])
    most = draw(st.integers(1, 4))
    options = {name: draw(st.sampled_from(values)) for name, values in READINGS.items()}
    jobs = iter(f"job {number}" for number in range(1000))
    data: Instance = {
        "name": "a script",
        "K_max": most,
        "phases": names,
        "resources": [
            {"name": one, "cap": draw(st.integers(2, 6)), "req": [draw(st.integers(0, 3)) for _ in names]}
            for one in ["cpu", "memory"][: draw(st.integers(1, 2))]
        ],
        "pools": [_pool(draw, names, most, jobs) for _ in range(draw(st.integers(1, 2)))],
        "events": [],
    }
    running = _Deciding(draw, data, options)
    for number in range(draw(st.integers(1, 25))):
        running.happens({"t": number / 2} | _event(draw, running, jobs))
    return data, options


def _pool(draw: st.DrawFn, names: list[str], most: int, jobs: Iterator[str]) -> dict[str, Any]:
    configurations = [k for k in product(range(most + 1), repeat=len(names)) if sum(k) <= most]
    pool: dict[str, Any] = {
        "L": draw(st.integers(1, 3)),
        "eta_max": draw(st.integers(0, 3)),
        "policy": [_entry(draw, names, k, most) for k in configurations if draw(st.booleans())],
    }
    if draw(st.booleans()):
        k = draw(st.sampled_from(configurations[1:]))
        asked = {name: many for name, many in zip(names, k, strict=True) if many}
        pool["patch_at_0"] = {"rate": 1.0, "k0": asked}
    room = [most] * pool["L"]
    pool["initial"] = [_server(draw, names, room, place, jobs) for place in range(pool["L"])]
    pool["initial_tokens"] = {name: [] for name in names}
    for _ in range(max(pool["eta_max"] - 1, 0)):
        owner = draw(st.integers(1, pool["L"]))
        if room[owner - 1]:
            room[owner - 1] -= 1
            pool["initial_tokens"][draw(st.sampled_from(names))].append(owner)
    return pool


def _entry(draw: st.DrawFn, names: list[str], k: tuple[int, ...], most: int) -> dict[str, Any]:
    case = draw(st.sampled_from([1, 2, 3])) if sum(k) < most else draw(st.sampled_from([1, 3]))
    entry: dict[str, Any] = {"k": list(k), "case": case}
    if case == 1:
        rates = {name: draw(st.sampled_from([0.5, 2.0])) for name in names if draw(st.booleans())}
        entry["rates"] = rates if sum(k) < most else {}
    if case == 2:
        entry["prob"] = {draw(st.sampled_from(names)): 1}
    return entry


def _server(
    draw: st.DrawFn, names: list[str], room: list[int], place: int, jobs: Iterator[str]
) -> dict[str, dict[str, str]]:
    there: dict[str, dict[str, str]] = {"real": {}, "virtual": {}}
    for _ in range(draw(st.integers(0, room[place]))):
        kind = draw(st.sampled_from(["real", "virtual"]))
        there[kind][next(jobs)] = draw(st.sampled_from(names))
        room[place] -= 1
    return there


def _event(draw: st.DrawFn, running: Oracle, jobs: Iterator[str]) -> Event:
    """A random event that is possible now."""
    ticks = [
        (pool, place, kind)
        for pool, there in enumerate(running.pools)
        for place, server in enumerate(there.servers)
        for kind in running.timers(there, server)
    ]
    present = list(running.phase)
    kinds = ["arrival", *(["tick"] * 2 if ticks else []), *(["departure"] if present else [])]
    if present and len(running.names) > 1:
        kinds += ["phase"]
    kind = draw(st.sampled_from(kinds))
    if kind == "tick":
        pool, place, type_ = draw(st.sampled_from(ticks))
        return {"kind": kind, "server": place + 1, "type": type_} | _in_pool(running, pool)
    if kind == "arrival":
        return _arrival(draw, running, next(jobs))
    job = draw(st.sampled_from(present))
    event: Event = {"kind": kind, "job": job} | _in_pool(running, running.where[job][0])
    if kind == "phase":
        event["to"] = draw(st.sampled_from([n for n in running.names if n != running.phase[job]]))
    return event


def _arrival(draw: st.DrawFn, running: Oracle, job: str) -> Event:
    pool = draw(st.integers(0, len(running.pools) - 1))
    type_ = draw(st.sampled_from(running.names))
    event: Event = {"kind": "arrival", "type": type_, "job": job} | _in_pool(running, pool)
    if count := len(running.pools[pool].of(type_)):
        event["token_index"] = draw(st.integers(0, count - 1))
    return event


def _in_pool(running: Oracle, pool: int) -> Event:
    return {"pool": pool + 1} if len(running.pools) > 1 else {}
