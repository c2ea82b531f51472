"""Figure 4 of Psychas & Ghaderi (2022): the reward of DRA over time, from an empty start."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Mapping

import numpy as np

from model.api import open_bench
from model.lab.executor import Progress, run_all
from model.lab.results import Curve, Figure, Result, Row
from model.lab.simulation import Outcome, Run, mean_path, rewards_in_the_limit, simulate
from model.metrics import Estimate, estimate
from model.scenario.load import load_scenario

NAME = "dra-fig4"
SCENARIO = "dra-vms"
SERVERS = 180

#: g(L) of the curves.
FACTORS = ("1", "log^1.1", "log^2")

#: The picture shows this stretch of time; the plateau is the mean from its end on.
SHOWN_TIME, STEP = 10.0, 0.125

#: How close to the plateau the reward counts as converged.
CLOSE = 0.01


@dataclass(frozen=True)
class Scale:
    """How much is simulated: replications, and how long each lasts."""

    replications: int
    until: float


SCALES: Mapping[str, Scale] = MappingProxyType(
    {
        "quick": Scale(100, 40.0),
        "paper": Scale(400, 100.0),
    }
)


def reproduce(scale: str, workers: int, progress: Progress) -> Result:
    """The curves of three reservation factors; *scale* names one of SCALES."""
    return measured(scale, SCALES[scale], workers, progress)


def measured(name: str, scale: Scale, workers: int, progress: Progress) -> Result:
    """The experiment at a *scale* of any size; *name* is only written down."""
    numbers = open_bench(load_scenario(SCENARIO)).numbers
    greedy, optimum = (float(value) for value in rewards_in_the_limit(numbers))
    grid = tuple(float(time) for time in np.arange(STEP, SHOWN_TIME + STEP / 2, STEP))
    runs = [
        Run(SCENARIO, SERVERS, g, seed, SHOWN_TIME, (*grid, scale.until))
        for g in FACTORS
        for seed in range(1, scale.replications + 1)
    ]
    outcomes = run_all(simulate, runs, workers, progress)
    rows: list[Row] = []
    curves: list[Curve] = []
    for place, g in enumerate(FACTORS):
        mine = outcomes[place * scale.replications : (place + 1) * scale.replications]
        plateau = estimate([outcome.mean for outcome in mine])
        path = mean_path(mine)[:-1]
        rows += _rows(g, plateau, path, grid, greedy)
        curves += _curves(g, path, mine, grid)
    figure = Figure(
        name=NAME,
        title=f"Reward of DRA over time on {SERVERS} servers",
        x_label="time",
        y_label="reward per server",
        curves=tuple(curves),
        levels=(("U^(g)", greedy), ("U*", optimum)),
    )
    return Result(NAME, name, tuple(rows), (figure,))


def _rows(
    g: str, plateau: Estimate, path: tuple[Estimate, ...], grid: tuple[float, ...], greedy: float
) -> list[Row]:
    at: dict[str, str | int | float] = {"g": g, "L": SERVERS}
    return [
        Row("plateau_over_greedy", plateau.mean / greedy, plateau.half_width / greedy, at=at),
        Row("time_to_plateau", _settled(plateau.mean, path, grid), STEP, at=at),
    ]


def _settled(plateau: float, path: tuple[Estimate, ...], grid: tuple[float, ...]) -> float:
    """The first time from which on the mean reward stays within CLOSE of the plateau.

    nan if it is not there by the end of the grid.
    """
    away = [abs(item.mean - plateau) > CLOSE * plateau for item in path]
    if not any(away):
        return grid[0]
    last = len(away) - 1 - away[::-1].index(True)
    return grid[last + 1] if last + 1 < len(grid) else float("nan")


def _curves(
    g: str, path: tuple[Estimate, ...], outcomes: list[Outcome], grid: tuple[float, ...]
) -> list[Curve]:
    """The mean over replications, and one replication as it went."""
    times = (0.0, *grid)
    return [
        Curve(f"g(L) = {g}, mean", times, (0.0, *(item.mean for item in path)),
              (0.0, *(item.half_width for item in path))),
        Curve(f"g(L) = {g}, one run", times, (0.0, *outcomes[0].path[:-1])),
    ]  # fmt: skip
