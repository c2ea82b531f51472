"""What bounds the reward of a loss system with slots, as plain data for the command line."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Iterable, Sequence

from slotscope.model.kinds.reservation.programs.greedy import GreedyAssignment, global_greedy
from slotscope.model.kinds.reservation.programs.reward_lp import RewardProgram, solve_optimum
from slotscope.model.programs.configurations import Configuration, ConfigurationSpace


@dataclass(frozen=True)
class Guarantee:
    """A lower bound of U^(g)[rho] / U*[rho] that the paper proves."""

    ratio: float
    condition: str
    source: str


#: U^(g) >= U*/2 whatever the types, rewards and workload.
ALWAYS = Guarantee(0.5, "always", "Psychas & Ghaderi (2022), Theorem 1")
#: U^(g) >= (1 - 1/e) U* where more workload never lowers U^(g).
MONOTONE = Guarantee(
    1 - 1 / math.e,
    "if a larger workload never has a smaller greedy reward (Definition 8)",
    "Psychas & Ghaderi (2022), Theorem 2",
)
GUARANTEES = (ALWAYS, MONOTONE)


def bounds(space: ConfigurationSpace, rewards: Sequence[Fraction], workload: Sequence[Fraction]) -> dict[str, Any]:
    """The optimum and the global greedy assignment of a workload, ready for JSON.

    Parameters
    ----------
    space:
        K, over J types.
    rewards, workload:
        [J] u_j and rho_j, both >= 0.

    Returns
    -------
    ``programs`` (name -> ``objective``, ``exact``, ``status``, ``solution``, and what else
    belongs to it), ``optimal``, ``greedy``, ``ratio`` (None where the optimum is 0) and
    ``guarantees``.  Exact numbers are strings such as ``"799/927"``.

    Raises
    ------
    ValueError
        If a length is wrong, a number negative, or a search too long.
    """
    optimum = solve_optimum(space, rewards, workload)
    greedy = global_greedy(space, rewards, workload)
    ratio = None
    if optimum.exact:
        ratio = float(greedy.objective / optimum.exact)
    return {
        "programs": {"optimum": _optimum_data(optimum), "greedy": _greedy_data(greedy)},
        "optimal": optimum.objective,
        "greedy": float(greedy.objective),
        "ratio": ratio,
        "guarantees": [
            {"ratio": item.ratio, "condition": item.condition, "source": item.source} for item in GUARANTEES
        ],
    }


def _optimum_data(program: RewardProgram) -> dict[str, Any]:
    return {
        "objective": program.objective,
        "exact": str(program.exact),
        "status": program.status,
        "solver": program.solver,
        "solution": _solution(zip(program.configurations, program.servers, strict=True)),
        "jobs": list(program.jobs),
        "workload_prices": list(program.workload_duals),
        "server_price": program.server_dual,
        "binding": list(program.binding),
    }


def _greedy_data(greedy: GreedyAssignment) -> dict[str, Any]:
    return {
        "objective": float(greedy.objective),
        "exact": str(greedy.objective),
        "status": "exact",
        "solution": _solution((configuration, float(share)) for configuration, share in greedy.fractions().items()),
        "permutation": [j + 1 for j in greedy.permutation],
        "z": [str(share) for share in greedy.z],
        "last": greedy.last,
    }


def _solution(shares: Iterable[tuple[Configuration, float]]) -> list[dict[str, Any]]:
    return [{"configuration": list(configuration), "servers": share} for configuration, share in shares]
