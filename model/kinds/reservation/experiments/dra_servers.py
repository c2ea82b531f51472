"""Figure 3 of Psychas & Ghaderi (2022): the reward of DRA over the number of servers."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Mapping, Sequence

from slotscope.model.kinds.reservation.experiments.rewards import rewards, rewards_in_the_limit
from slotscope.model.lab.parts import Outcome, Part
from slotscope.model.lab.plan import Options, Outcomes, found_in, parts_of
from slotscope.model.lab.results import At, Curve, Figure, Result, Row
from slotscope.model.lab.simulation import simulations, with_servers
from slotscope.model.measures.metrics import Estimate, estimate
from slotscope.model.scenario.load import load_scenario
from slotscope.model.session.bench import open_bench

NAME = "dra-fig3"
SCENARIO = "dra-vms"

#: g(L) of the three curves.
FACTORS = ("1", "log^1.1", "log^2")

#: Section 7.1: with many servers "86% of the optimal reward", the ratio at alpha = 1.
PAPER_LIMIT = 0.862

#: The part of a run that is left out as warm-up.
WARMUP_SHARE = 0.1

NOTES = (
    'The paper: "as the number of servers L becomes large, DRA approaches the global greedy '
    'reward and 86% of the optimal reward". It gives no numbers for single L, nor g(L).',
    "Every g(L) and every L meets the same seeds. Where the paper leaves a choice (which server "
    "takes a job), the reward at L = 60 moves by up to 0.01.",
)


@dataclass(frozen=True)
class ServersScale:
    """The numbers of servers L, the replications, and L times the length of a replication."""

    servers: tuple[int, ...]
    replications: int
    server_time: float


SCALES: Mapping[str, ServersScale] = {
    "quick": ServersScale((20, 60, 180), 4, 250_000),
    "paper": ServersScale((20, 60, 180, 400, 1000), 8, 2_000_000),
}

#: A point: the name of its curve, and L.
Cell = tuple[str, int]

#: g(L) of DRA's curves, by their names.
CURVES: Mapping[str, str] = {f"DRA, g(L) = {g}": g for g in FACTORS}


def parts(scale: str, options: Options) -> list[Part]:
    """One part for each replication of each point."""
    return parts_of(_cells(SCALES[scale], options))


def result(scale: str, options: Options, outcomes: Outcomes) -> Result:
    """The curves, with intervals over the replications."""
    numbers = open_bench(load_scenario(SCENARIO)).numbers
    greedy, optimum = rewards_in_the_limit(numbers)

    def ratio(done: Sequence[Outcome]) -> Estimate:
        return estimate([reward / float(optimum) for reward in rewards(done)])

    ratios = found_in(_cells(SCALES[scale], options), outcomes, ratio)
    limit = greedy / optimum
    rows = [Row.of("reward_over_optimum", found, _at(name, servers)) for (name, servers), found in ratios.items()]
    rows.append(Row("greedy_over_optimum", float(limit), paper=PAPER_LIMIT, exact=str(limit)))
    return Result(NAME, scale, tuple(rows), (_figure(tuple(_policies(options)), ratios, float(limit)),), NOTES)


def _policies(options: Options) -> dict[str, str]:
    return options.beside({name: f"dra:reservation_factor={g}" for name, g in CURVES.items()})


def _at(name: str, servers: int) -> At:
    return {"g": CURVES[name], "L": servers} if name in CURVES else {"policy": name, "L": servers}


def _cells(scale: ServersScale, options: Options) -> dict[Cell, list[Part]]:
    return {
        (name, servers): _parts(name, policy, servers, scale)
        for (name, policy), servers in product(_policies(options).items(), scale.servers)
    }


def _parts(name: str, policy: str, servers: int, scale: ServersScale) -> list[Part]:
    until = scale.server_time / servers
    return simulations(
        with_servers(SCENARIO, servers),
        range(1, scale.replications + 1),
        WARMUP_SHARE * until,
        until,
        f"{name}, L = {servers}",
        policy,
    )


def _figure(names: tuple[str, ...], ratios: Mapping[Cell, Estimate], limit: float) -> Figure:
    points = {(name, float(servers)): ratio for (name, servers), ratio in ratios.items()}
    return Figure(
        name=NAME,
        title="Reward of DRA as a fraction of the optimum",
        x_label="servers L",
        y_label="reward / U*",
        curves=Curve.family(names, points),
        levels=(("U^(g) / U*", limit),),
        logarithmic_x=True,
        planned=names,
    )
