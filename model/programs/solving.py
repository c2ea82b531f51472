"""All programs of a loss system at once, for the window: optimum, greedy, both curves, and V."""

from __future__ import annotations

import pickle
import sys
from fractions import Fraction
from typing import Sequence

from model.bounds import Bounds
from model.programs.alpha_curve import alpha_curve
from model.programs.configurations import ConfigurationSpace
from model.programs.greedy import global_greedy
from model.programs.lyapunov import Lyapunov, lyapunov
from model.programs.reward_lp import solve_optimum


def solve_bounds(
    space: ConfigurationSpace, rewards: Sequence[Fraction], workload: Sequence[Fraction]
) -> Bounds:
    """Optimum, greedy assignment, the curves over alpha, and the function V of a workload rho.

    What cannot be solved is None, and ``problem`` says why; nothing is raised for numbers
    that are merely too large.
    """
    if not any(workload):
        return Bounds(problem="The workload is 0 or unknown, so there is nothing to bound.")
    try:
        optimum = solve_optimum(space, rewards, workload)
        greedy = global_greedy(space, rewards, workload)
    except ValueError as error:
        return Bounds(problem=f"The programs are too large: {error}")
    function = _lyapunov(space, rewards, workload)
    try:
        curve = alpha_curve(space, rewards, workload)
    except ValueError as error:
        problem = f"The curve over alpha is too large: {error}"
        return Bounds(optimum, greedy, None, problem, function)
    return Bounds(optimum, greedy, curve, lyapunov=function)


def _lyapunov(
    space: ConfigurationSpace, rewards: Sequence[Fraction], workload: Sequence[Fraction]
) -> Lyapunov | None:
    """V, or None where there are too many greedy configurations, or nothing fits."""
    try:
        return lyapunov(space, rewards, workload)
    except ValueError:
        return None


def main() -> None:
    """Solve what stands pickled on standard input; write the pickled bounds to standard output.

    The window runs this module as a process of its own, because solving holds Python's lock.
    """
    space, rewards, workload = pickle.load(sys.stdin.buffer)
    bounds = solve_bounds(space, rewards, workload)
    sys.stdout.buffer.write(pickle.dumps(bounds))


if __name__ == "__main__":
    main()
