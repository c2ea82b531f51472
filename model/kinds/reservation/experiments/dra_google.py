"""Figure 5 of Psychas & Ghaderi (2022): rewards on the Google trace over the number of servers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping

from slotscope.model.kinds.reservation.experiments.google_trace import (
    POLICIES,
    LossTraceFacts,
    facts,
    limits,
    runs,
    servers_for,
)
from slotscope.model.kinds.reservation.experiments.rewards import rewards
from slotscope.model.lab.parts import Part
from slotscope.model.lab.plan import Options, Outcomes, found_in, parts_of
from slotscope.model.lab.results import Curve, Figure, Result, Row
from slotscope.model.measures.metrics import Estimate, estimate

NAME = "dra-fig5"

PAPER = (
    'The paper: "preemptions in DRA make a great difference. The upper bound may be impossible '
    "to achieve by any algorithm.\" It gives no numbers, and the figure's numbers of servers "
    "belong to a load that is not told."
)


@dataclass(frozen=True)
class GoogleScale:
    """Numbers of servers as multiples of the trace's mean load, and replications of random policies."""

    shares: tuple[float, ...]
    replications: int


SCALES: Mapping[str, GoogleScale] = {
    "quick": GoogleScale((0.25, 0.5, 1.0, 1.5), 3),
    "paper": GoogleScale((0.125, 0.25, 0.375, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0), 8),
}


def parts(scale: str, options: Options) -> list[Part]:
    """One part for each curve and number of servers; several for random policies."""
    return parts_of(_cells(SCALES[scale], options))


def _cells(scale: GoogleScale, options: Options) -> dict[tuple[str, int], list[Part]]:
    trace, policies = options.trace, options.beside(POLICIES)
    counts = dict.fromkeys(servers_for(facts(trace), share) for share in scale.shares)
    return {
        (name, servers): runs(name, policy, servers, trace, scale.replications)
        for servers in counts
        for name, policy in policies.items()
    }


def result(scale: str, options: Options, outcomes: Outcomes) -> Result:
    """Total reward over the number of servers, and as a fraction of the upper bound."""
    cells = found_in(_cells(SCALES[scale], options), outcomes, rewards)
    found = {
        (name, servers): estimate([reward * servers for reward in each]) for (name, servers), each in cells.items()
    }
    rows = [Row.of("mean_reward", item, {"policy": name, "L": servers}) for (name, servers), item in found.items()]
    for (name, servers), item in found.items():
        bound = found.get(("upper bound", servers))
        if bound is not None and name != "upper bound":
            rows.append(
                Row(
                    "reward_over_bound",
                    item.mean / bound.mean,
                    item.half_width / bound.mean,
                    at={"policy": name, "L": servers},
                )
            )
    trace = facts(options.trace)
    notes = (PAPER, _chosen(SCALES[scale], trace), *limits(trace))
    return Result(NAME, scale, tuple(rows), (_figure(tuple(options.beside(POLICIES)), found),), notes)


def _chosen(scale: GoogleScale, trace: LossTraceFacts) -> str:
    shares = ", ".join(f"{share:g}" for share in scale.shares)
    return (
        f"The jobs of this trace would fill {trace.load:.0f} servers on average if none were rejected; the numbers of "
        f"servers are {shares} times that, from where most must be rejected to where most fit."
    )


def _figure(names: tuple[str, ...], found: Mapping[tuple[str, int], Estimate]) -> Figure:
    curves = []
    for name in names:
        mine = {servers: item for (curve, servers), item in found.items() if curve == name}
        if mine:
            curves.append(Curve(name, tuple(map(float, mine)), tuple(item.mean for item in mine.values())))
    return Figure(
        name=NAME,
        title="Mean reward on the Google trace",
        x_label="servers L",
        y_label="reward",
        curves=tuple(curves),
        planned=names,
    )
