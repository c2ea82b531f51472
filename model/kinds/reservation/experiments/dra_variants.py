"""DRA, its variants and its peers in the example of Psychas & Ghaderi (2022), Section 7.1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping, Sequence

import numpy as np

from slotscope.model.kinds.reservation.experiments import infinite_system
from slotscope.model.kinds.reservation.experiments.rewards import rewards, rewards_in_the_limit
from slotscope.model.lab import simulation
from slotscope.model.lab.parts import Part
from slotscope.model.lab.plan import Options, Outcomes, finished, parts_of
from slotscope.model.lab.results import At, Curve, Figure, Result, Row
from slotscope.model.lab.simulation import mean_path, with_servers
from slotscope.model.measures.metrics import Estimate, estimate
from slotscope.model.scenario.load import as_data, edited, load_scenario
from slotscope.model.session.bench import open_bench

NAME = "dra-variants"
SCENARIO = "dra-vms"

#: L, and g(L) = log^1.1(180), rounded up.
SERVERS, RESERVED = 180, 7

#: The policies compared from an empty start, by name (None: the bound of the infinite system).
PEERS: Mapping[str, str | None] = {
    "DRA": f"dra:reservation_factor={RESERVED}",
    "no migration": f"dra-no-migration:reservation_factor={RESERVED}",
    "no migration, extended": f"dra-no-migration:reservation_factor={RESERVED},extended=true",
    "periodic CRA, period 1": f"dra-periodic:reservation_factor={RESERVED},period=1",
    "power of 5 choices": "power-of-d:choices=5",
    "bound of the infinite system": None,
}

#: The policies compared from servers full of jobs of the first type.
FROM_FULL = ("DRA", "no migration", "no migration, extended")

#: The times in the figure for the full start.
TIMES = tuple(float(time) for time in np.arange(0.125, 20.0 + 0.0625, 0.125))

NOTES = (
    'The paper (Section 8) says of doing without migrations that "the rate at which Reject Group '
    'servers empty at the fluid limit will be zero, unless we extend the Reject Group", and that '
    'this makes "the convergence oscillatory and slow, if not impossible"; Section 9 that CRA '
    '"can make such updates periodically". It gives no numbers.',
    f"L = {SERVERS}, g(L) = {RESERVED}; every policy meets the same jobs. From servers full of the "
    "first type a policy without migration loses most of its reward before it recovers: DRA's "
    "migrations empty the servers that have to change, one after the other.",
)


@dataclass(frozen=True)
class VariantsScale:
    """The replications, and the length and the warm-up of runs from an empty start."""

    replications: int
    until: float
    warmup: float


SCALES: Mapping[str, VariantsScale] = {
    "quick": VariantsScale(8, 300.0, 30.0),
    "paper": VariantsScale(32, 2000.0, 200.0),
}


def parts(scale: str, options: Options) -> list[Part]:
    """One part for each replication of each policy from each start."""
    size = SCALES[scale]
    empty = parts_of({name: _from_empty(name, policy, size) for name, policy in options.beside(PEERS).items()})
    return empty + parts_of({name: _from_full(name, policy, size) for name, policy in _from_full_of(options).items()})


def _from_full_of(options: Options) -> dict[str, str | None]:
    """The policies compared from a full start, including those added by the user."""
    every = options.beside(PEERS)
    return {name: policy for name, policy in every.items() if name in FROM_FULL or name not in PEERS}


def _from_empty(name: str, policy: str | None, scale: VariantsScale) -> list[Part]:
    return simulation.simulations(
        with_servers(SCENARIO, SERVERS),
        range(1, scale.replications + 1),
        scale.warmup,
        scale.until,
        f"{name}, empty start",
        policy,
        work=infinite_system.WORK if policy is None else simulation.WORK,
    )


def _from_full(name: str, policy: str | None, scale: VariantsScale) -> list[Part]:
    empty = with_servers(SCENARIO, SERVERS)
    start = {"start": "full", "type": as_data(empty)["job_types"][0]["name"]}
    return simulation.simulations(
        edited(empty, {"initial": start}),
        range(1, scale.replications + 1),
        0.0,
        TIMES[-1],
        f"{name}, full start",
        policy,
        TIMES,
    )


def result(scale: str, options: Options, outcomes: Outcomes) -> Result:
    """Long-run rewards from an empty start, and the reward over time from a full one."""
    size = SCALES[scale]
    numbers = open_bench(load_scenario(SCENARIO)).numbers
    greedy, optimum = (float(value) for value in rewards_in_the_limit(numbers))
    rows: list[Row] = []
    curves: list[Curve] = []
    for name, policy in options.beside(PEERS).items():
        if done := finished(_from_empty(name, policy, size), outcomes):
            ratio = estimate([reward / optimum for reward in rewards(done)])
            at: At = {"policy": name, "L": SERVERS}
            rows.append(Row.of("reward_over_optimum", ratio, at))
            rows += _above_dra(name, policy, size, outcomes, optimum)
    from_full = _from_full_of(options)
    for name, policy in from_full.items():
        if done := finished(_from_full(name, policy, size), outcomes):
            path = mean_path(done)
            rows += _lowest(name, path, greedy)
            curves.append(Curve.through(name, dict(zip(TIMES, path, strict=True))))
    figure = Figure(
        name=NAME,
        title="Reward over time from servers full of the first type",
        x_label="time",
        y_label="reward per server",
        curves=tuple(curves),
        levels=(("U^(g)", greedy), ("U*", optimum)),
        planned=tuple(from_full),
    )
    return Result(NAME, scale, tuple(rows), (figure,), NOTES)


def _above_dra(name: str, policy: str | None, scale: VariantsScale, outcomes: Outcomes, optimum: float) -> list[Row]:
    """The reward of a policy above DRA's, from pairs of runs on the same jobs."""
    pairs = [
        rewards([outcomes[mine], outcomes[dra]])
        for mine, dra in zip(_from_empty(name, policy, scale), _from_empty("DRA", PEERS["DRA"], scale), strict=True)
        if mine in outcomes and dra in outcomes
    ]
    if name == "DRA" or not pairs:
        return []
    gain = estimate([(mine - dra) / optimum for mine, dra in pairs])
    return [Row.of("above_dra_over_optimum", gain, {"policy": name, "L": SERVERS})]


def _lowest(name: str, path: Sequence[Estimate], greedy: float) -> list[Row]:
    """The mean reward at the start, and its minimum over time."""
    lowest = min(path, key=lambda item: item.mean)
    at: At = {"policy": name, "start": "full of the first type"}
    return [
        Row("first_over_greedy", path[0].mean / greedy, path[0].half_width / greedy, at=at),
        Row("lowest_over_greedy", lowest.mean / greedy, lowest.half_width / greedy, at=at),
        Row("time_of_lowest", TIMES[path.index(lowest)], TIMES[0], at=at),
    ]
