"""The infinite system's upper bound over time, from a scenario alone: for curves beside a run."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from model.assembly import assemble
from model.errors import ScenarioError
from model.programs.infinite import infinite_bound
from model.scenario.common import TraceWorkload
from model.scenario.load import Scenario
from model.workload import RecordedWorkload

#: Points of a curve, unless the caller says so.
POINTS = 2_000


class BoundSeries(NamedTuple):
    """The bound at equally spaced times."""

    time: NDArray[np.float64]  #: [n]
    reward: NDArray[np.float64]  #: [n] per server and time unit


def upper_bound_series(
    scenario: Scenario,
    seed: int | None = None,
    until: float | None = None,
    points: int = POINTS,
    recorded: RecordedWorkload | None = None,
) -> BoundSeries:
    """The bound from time 0 to *until* (by default the scenario's), whatever the policy.

    Parameters
    ----------
    scenario, seed:
        What runs; the stream of jobs depends on nothing else.
    until, points:
        The last time, and how many times are looked at.
    recorded:
        The jobs of a trace that was read before.

    Raises
    ------
    UserError
        If the scenario cannot run, or its trace has not been read.
    ValueError
        If a search is too long.
    """
    if isinstance(scenario.workload, TraceWorkload) and recorded is None:
        raise ScenarioError("found a trace that has not been read; give its files with --trace "
                            "PATH", where="workload.paths")  # fmt: skip
    bench = assemble(scenario, seed=seed, recorded=recorded)
    end = float(scenario.run.until) if until is None else until
    times = np.linspace(0.0, end, points)
    system = bench.system
    reward = infinite_bound(bench.numbers, system.workload, times, system.starting)
    return BoundSeries(times, reward)
