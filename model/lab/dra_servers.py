"""Figure 3 of Psychas & Ghaderi (2022): the reward of DRA over the number of servers."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from types import MappingProxyType
from typing import Mapping

from model.api import open_bench
from model.lab.executor import Progress, run_all
from model.lab.results import Curve, Figure, Result, Row
from model.lab.simulation import Run, rewards_in_the_limit, simulate
from model.metrics import Estimate, estimate
from model.scenario.load import load_scenario

NAME = "dra-fig3"
SCENARIO = "dra-vms"

#: g(L) of the three curves.
FACTORS = ("1", "log^1.1", "log^2")

#: Section 7.1: with many servers "86% of the optimal reward", the ratio at alpha = 1.
PAPER_LIMIT = 0.862

#: The part of a run that is left out as warm-up.
WARMUP_SHARE = 0.1


@dataclass(frozen=True)
class Scale:
    """How much is simulated: L, replications, and servers times time of one replication."""

    servers: tuple[int, ...]
    replications: int
    server_time: float


SCALES: Mapping[str, Scale] = MappingProxyType(
    {
        "quick": Scale((20, 60, 180), 4, 250_000),
        "paper": Scale((20, 60, 180, 400, 1000), 8, 2_000_000),
    }
)

Cell = tuple[str, int]


def reproduce(scale: str, workers: int, progress: Progress) -> Result:
    """The three curves with intervals over replications; *scale* names one of SCALES."""
    return measured(scale, SCALES[scale], workers, progress)


def measured(name: str, scale: Scale, workers: int, progress: Progress) -> Result:
    """The experiment at a *scale* of any size; *name* is only written down."""
    numbers = open_bench(load_scenario(SCENARIO)).numbers
    greedy, optimum = rewards_in_the_limit(numbers)
    cells: list[Cell] = list(product(FACTORS, scale.servers))
    runs = [_run(cell, seed, scale) for cell in cells for seed in range(1, scale.replications + 1)]
    outcomes = run_all(simulate, runs, workers, progress)
    ratios: dict[Cell, Estimate] = {}
    for place, cell in enumerate(cells):
        mine = outcomes[place * scale.replications : (place + 1) * scale.replications]
        ratios[cell] = estimate([outcome.mean / float(optimum) for outcome in mine])
    limit = greedy / optimum
    rows = [
        Row("reward_over_optimum", ratio.mean, ratio.half_width, at={"g": g, "L": servers})
        for (g, servers), ratio in ratios.items()
    ]
    rows.append(Row("greedy_over_optimum", float(limit), paper=PAPER_LIMIT, exact=str(limit)))
    return Result(NAME, name, tuple(rows), (_figure(scale, ratios, float(limit)),))


def _run(cell: Cell, seed: int, scale: Scale) -> Run:
    g, servers = cell
    until = scale.server_time / servers
    return Run(SCENARIO, servers, g, seed, WARMUP_SHARE * until, (until,))


def _figure(scale: Scale, ratios: Mapping[Cell, Estimate], limit: float) -> Figure:
    curves = []
    for g in FACTORS:
        mine = [ratios[g, servers] for servers in scale.servers]
        curves.append(Curve(
            f"DRA, g(L) = {g}",
            tuple(float(servers) for servers in scale.servers),
            tuple(ratio.mean for ratio in mine),
            tuple(ratio.half_width for ratio in mine),
        ))  # fmt: skip
    return Figure(
        name=NAME,
        title="Reward of DRA as a fraction of the optimum",
        x_label="servers L",
        y_label="reward / U*",
        curves=tuple(curves),
        levels=(("U^(g) / U*", limit),),
        logarithmic_x=True,
    )
