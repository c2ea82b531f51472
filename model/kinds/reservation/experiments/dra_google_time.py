"""Figure 6 of Psychas & Ghaderi (2022): rewards on the Google trace over time."""

from __future__ import annotations

from typing import Mapping

import numpy as np

from slotscope.model.kinds.reservation.experiments.google_trace import (
    POLICIES,
    LossTraceFacts,
    facts,
    limits,
    runs,
    servers_for,
)
from slotscope.model.lab.parts import Outcome, Part
from slotscope.model.lab.plan import Options, Outcomes
from slotscope.model.lab.results import Curve, Figure, Result, Row

NAME = "dra-fig6"

#: The number of servers as a share of the trace's mean load.
SHARE = 0.75

#: The part of the trace that is shown.
SHOWN = (0.2, 0.8)

#: The numbers of times in the figure of rewards, at each scale; the number of intervals in that of arrivals.
SCALES: Mapping[str, int] = {"quick": 300, "paper": 1500}
STRETCHES = 100

PAPER = (
    'The paper: power of d choices "can be better than DRA in parts of trace in which a spike in '
    'demand of priority 0 jobs is followed by a spike in demand of priority 1 jobs", and '
    'DRA+Preemption "is strictly better than both of the other algorithms in almost all parts of '
    'the trace". It shows 1,000 servers and gives no numbers.'
)


def parts(scale: str, options: Options) -> list[Part]:
    """One part for each curve."""
    return list(_runs(scale, options).values())


def _runs(scale: str, options: Options) -> dict[str, Part]:
    known = facts(options.trace)
    servers, times = servers_for(known, SHARE), _times(scale, known)
    return {
        name: runs(name, policy, servers, options.trace, 1, times)[0]
        for name, policy in options.beside(POLICIES).items()
    }


def _times(scale: str, trace: LossTraceFacts) -> tuple[float, ...]:
    first, last = (share * trace.last for share in SHOWN)
    return tuple(float(time) for time in np.linspace(first, last, SCALES[scale]))


def result(scale: str, options: Options, outcomes: Outcomes) -> Result:
    """Rewards over time, the arrivals, and how often one policy is ahead of another."""
    trace = facts(options.trace)
    servers, times = servers_for(trace, SHARE), _times(scale, trace)
    runs = _runs(scale, options)
    paths = {name: _total(outcomes[part], servers) for name, part in runs.items() if part in outcomes}
    rows = [
        Row("mean_reward", float(path.mean()), float("nan"), at={"policy": name, "L": servers})
        for name, path in paths.items()
    ]
    notes = (
        PAPER,
        f"Shown are {servers} servers, {SHARE:g} times what the jobs would fill on average ({trace.load:.0f}), from "
        f"{times[0]:,.0f} to {times[-1]:,.0f} s; mean_reward is over these {len(times)} moments.",
        *limits(trace),
    )
    figures = (_rewards(tuple(runs), paths, times), _arrivals(trace, times))
    return Result(NAME, scale, (*rows, *_ahead(paths)), figures, notes)


def _total(outcome: Outcome, servers: int) -> np.ndarray:
    return np.array(outcome["path"]) * servers


def _ahead(paths: Mapping[str, np.ndarray]) -> list[Row]:
    """The share of times at which one policy has a higher reward than another."""
    pairs = (("power of 5 choices", "DRA"), ("DRA+Preemption", "DRA"), ("DRA+Preemption", "power of 5 choices"))
    return [
        Row(
            "share_of_time_ahead",
            float((paths[one] > paths[other]).mean()),
            float("nan"),
            at={"policy": one, "than": other},
        )
        for one, other in pairs
        if one in paths and other in paths
    ]


def _rewards(names: tuple[str, ...], paths: Mapping[str, np.ndarray], times: tuple[float, ...]) -> Figure:
    return Figure(
        name=NAME,
        title="Reward over time on the Google trace",
        x_label="time, s",
        y_label="reward",
        curves=tuple(Curve(name, times, tuple(map(float, path))) for name, path in paths.items()),
        planned=names,
    )


def _arrivals(trace: LossTraceFacts, times: tuple[float, ...]) -> Figure:
    """The total size of the arrivals in equal intervals of the time shown, by priority."""
    edges = np.linspace(times[0], times[-1], STRETCHES + 1)
    middle = tuple(float(time) for time in (edges[:-1] + edges[1:]) / 2)
    curves = []
    for priority in (0, 1, 2):
        mine = trace.priority == priority
        sizes, _ = np.histogram(trace.time[mine], edges, weights=trace.size[mine])
        curves.append(Curve(f"priority {priority}", middle, tuple(map(float, sizes))))
    return Figure(
        name=f"{NAME}-arrivals",
        title=f"Total size of arrivals in each {edges[1] - edges[0]:.0f} s",
        x_label="time, s",
        y_label="servers' worth",
        curves=tuple(curves),
        planned=tuple(curve.name for curve in curves),
    )
