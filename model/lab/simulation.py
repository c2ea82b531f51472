"""One run of a built-in scenario with some of its numbers changed: the unit of experiments."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from model.api import Session
from model.metrics import Estimate, estimate
from model.programs.greedy import global_greedy
from model.programs.optimum import exact_optimum
from model.scenario.load import as_data, edited, load_scenario
from model.systems.reservation.measures import reward_rate
from model.systems.reservation.numbers import ReservationNumbers
from model.systems.reservation.sampling import area_until_now


class Run(NamedTuple):
    """A task for the executor.

    ``times``, in increasing order, are when the reward rate is looked at; the mean is taken
    from ``warmup`` to the last of them.
    """

    scenario: str
    servers: int
    reservation_factor: str
    seed: int
    warmup: float
    times: tuple[float, ...]


class Outcome(NamedTuple):
    """What a run gives: the mean reward rate, and the reward rate at the times asked for."""

    mean: float
    path: tuple[float, ...]


def simulate(run: Run) -> Outcome:
    """Carry out a run of DRA."""
    session = Session.open(_changed(run), policy="dra", seed=run.seed)
    before = 0.0
    path = []
    for time in sorted({run.warmup, *run.times}):
        session.run(until=time)
        if time == run.warmup:
            before = _area(session, time)
        if time in run.times:
            jobs = session.timeline.state.jobs_in_system
            path.append(float(reward_rate(session.bench.numbers, jobs)))
    end = run.times[-1]
    return Outcome((_area(session, end) - before) / (end - run.warmup), tuple(path))


def _changed(run: Run) -> Any:
    scenario = load_scenario(run.scenario)
    servers = as_data(scenario)["servers"] | {"count": run.servers}
    policy = {"name": "dra", "parameters": {"reservation_factor": run.reservation_factor}}
    return edited(scenario, {"servers": servers, "policy": policy})


def _area(session: Session, now: float) -> float:
    area = area_until_now(session.timeline.state, now)
    return float(reward_rate(session.bench.numbers, area))


def rewards_in_the_limit(numbers: ReservationNumbers) -> tuple[Fraction, Fraction]:
    """U^(g)[rho] and U*[rho], exactly."""
    greedy = global_greedy(numbers.space, numbers.rewards, numbers.workload).objective
    return greedy, exact_optimum(numbers.space, numbers.rewards, numbers.workload).value


def mean_path(outcomes: list[Outcome]) -> tuple[Estimate, ...]:
    """At each time, the estimate over replications."""
    return tuple(estimate(column) for column in np.array([item.path for item in outcomes]).T)
