"""The bounds of a loss system: results of linear programs and closed forms."""

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
    reward: NDArray[np.float64]  #: [n] per server and unit of time


@dataclass(frozen=True)
class Bounds:
    """Optimum and greedy assignment for the scenario's workload rho and for all alpha rho, and V.

    Each field is None until it is known; ``problem`` tells why one cannot be computed.
    """

    optimum: RewardProgram | None = None
    greedy: GreedyAssignment | None = None
    curve: AlphaCurve | None = None
    problem: str = ""
    lyapunov: Lyapunov | None = None
    infinite: BoundSeries | None = None  #: the bound over time, for the same jobs as the run
