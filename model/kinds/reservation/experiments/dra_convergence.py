"""Figure 4 of Psychas & Ghaderi (2022): the reward of DRA over time, from an empty start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping, Sequence

import numpy as np

from slotscope.model.kinds.reservation.experiments.rewards import rewards, rewards_in_the_limit
from slotscope.model.lab.parts import Outcome, Part
from slotscope.model.lab.plan import Options, Outcomes, finished, parts_of
from slotscope.model.lab.results import At, Curve, Figure, Result, Row
from slotscope.model.lab.simulation import mean_path, simulations, with_servers
from slotscope.model.measures.metrics import Estimate, estimate
from slotscope.model.scenario.load import load_scenario
from slotscope.model.session.bench import open_bench

NAME = "dra-fig4"
SCENARIO = "dra-vms"
SERVERS = 180

#: g(L) of the curves.
FACTORS = ("1", "log^1.1", "log^2")

#: The figure shows times up to this one; the plateau is the mean after it.
SHOWN_TIME, STEP = 10.0, 0.125
TIMES = tuple(float(time) for time in np.arange(STEP, SHOWN_TIME + STEP / 2, STEP))

#: The reward has converged if it is within this share of the plateau.
CLOSE = 0.01

NOTES = (
    'The paper: the reward "evolves over time and converges to the global greedy reward when '
    'L = 180". It gives no number.',
    "time_to_plateau is when the mean over replications comes within 1 % of the mean after "
    f"t = {SHOWN_TIME:g} and stays there; the picture also shows one replication as it went.",
)


@dataclass(frozen=True)
class ConvergenceScale:
    """The number of replications, and the length of each."""

    replications: int
    until: float


SCALES: Mapping[str, ConvergenceScale] = {"quick": ConvergenceScale(100, 40.0), "paper": ConvergenceScale(400, 100.0)}


#: The reservation factors g(L) by the names of DRA's curves in figures.
NAMES: Mapping[str, str] = {f"g(L) = {g}": g for g in FACTORS}


def parts(scale: str, options: Options) -> list[Part]:
    """One part for each replication of each reservation factor, and of each further policy."""
    return parts_of({name: _parts(name, policy, SCALES[scale]) for name, policy in _policies(options).items()})


def _policies(options: Options) -> dict[str, str]:
    return options.beside({name: f"dra:reservation_factor={g}" for name, g in NAMES.items()})


def _parts(name: str, policy: str, scale: ConvergenceScale) -> list[Part]:
    return simulations(
        with_servers(SCENARIO, SERVERS), range(1, scale.replications + 1), SHOWN_TIME, scale.until, name, policy, TIMES
    )


def result(scale: str, options: Options, outcomes: Outcomes) -> Result:
    """The curves of three reservation factors, and the times at which they have converged."""
    policies = _policies(options)
    numbers = open_bench(load_scenario(SCENARIO)).numbers
    greedy, optimum = (float(value) for value in rewards_in_the_limit(numbers))
    rows: list[Row] = []
    curves: list[Curve] = []
    for name, policy in policies.items():
        if mine := finished(_parts(name, policy, SCALES[scale]), outcomes):
            path = mean_path(mine)
            rows += _rows(name, estimate(rewards(mine)), path, greedy)
            curves += _curves(name, path, mine)
    figure = Figure(
        name=NAME,
        title=f"Reward of DRA over time on {SERVERS} servers",
        x_label="time",
        y_label="reward per server",
        curves=tuple(curves),
        levels=(("U^(g)", greedy), ("U*", optimum)),
        planned=tuple(f"{name}, {what}" for name in policies for what in ("mean", "one run")),
    )
    return Result(NAME, scale, tuple(rows), (figure,), NOTES)


def _rows(name: str, plateau: Estimate, path: Sequence[Estimate], greedy: float) -> list[Row]:
    at: At = {"g": NAMES[name], "L": SERVERS} if name in NAMES else {"policy": name, "L": SERVERS}
    return [
        Row("plateau_over_greedy", plateau.mean / greedy, plateau.half_width / greedy, at=at),
        Row("time_to_plateau", _settled(plateau.mean, path), STEP, at=at),
    ]


def _settled(plateau: float, path: Sequence[Estimate]) -> float:
    """The first time from which on the mean reward stays within CLOSE of the plateau.

    nan if that is not before the end of the figure.
    """
    away = [abs(item.mean - plateau) > CLOSE * plateau for item in path]
    if not any(away):
        return TIMES[0]
    last = len(away) - 1 - away[::-1].index(True)
    return TIMES[last + 1] if last + 1 < len(TIMES) else float("nan")


def _curves(name: str, path: Sequence[Estimate], outcomes: Sequence[Outcome]) -> list[Curve]:
    """The mean over replications, and a single replication."""
    times = (0.0, *TIMES)
    return [
        Curve.through(f"{name}, mean", dict(zip(times, (Estimate(0.0, 0.0), *path), strict=True))),
        Curve(f"{name}, one run", times, (0.0, *outcomes[0]["path"])),
    ]
