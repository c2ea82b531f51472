"""The linear programs and closed forms that belong to a running loss system."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from slotscope.model.kinds.reservation.programs.alpha_curve import AlphaCurve
    from slotscope.model.kinds.reservation.programs.greedy import GreedyAssignment
    from slotscope.model.kinds.reservation.programs.lyapunov import Lyapunov
    from slotscope.model.kinds.reservation.programs.reward_lp import RewardProgram


class BoundSeries(NamedTuple):
    """The bound of the infinite system at equally spaced times."""

    time: NDArray[np.float64]  #: [n]
    reward: NDArray[np.float64]  #: [n] per server and time unit


@dataclass(frozen=True)
class Bounds:
    """Optimum and greedy assignment for the scenario's workload rho, and over alpha rho, and V.

    Each is None until it is known; ``problem`` says why it will not be.
    """

    optimum: RewardProgram | None = None
    greedy: GreedyAssignment | None = None
    curve: AlphaCurve | None = None
    problem: str = ""
    lyapunov: Lyapunov | None = None
    infinite: BoundSeries | None = None  #: over time, on the very jobs of the run
