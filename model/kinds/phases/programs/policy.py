"""The LP-based policy that follows from a solution of (61).

Hong, Xie & Wang (2023), Appendix C.2 (cases 1 to 3).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

import numpy as np
from numpy.typing import NDArray

#: The cases of a configuration (Appendix C.2).
TIMERS, AT_ONCE, NOTHING = 1, 2, 3


@dataclass(frozen=True, eq=False)
class PolicyPart:
    """A part of a solution of (61), for a share of the servers (Lemma 5)."""

    share: float  #: of all servers
    #: stationary, requests: [C] pi and [C, I] u of one of these servers
    stationary: NDArray[np.float64]
    requests: NDArray[np.float64]


def together(parts: Sequence[PolicyPart]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """[C] pi and [C, I] u over all servers, by (50) and (51)."""
    stationary = sum((part.share * part.stationary for part in parts), np.zeros_like(parts[0].stationary))
    requests = sum((part.share * part.requests for part in parts), np.zeros_like(parts[0].requests))
    return np.asarray(stationary), np.asarray(requests)


@dataclass(frozen=True, eq=False)
class PolicyTable:
    """A single-server policy."""

    case: NDArray[np.int8]  #: [C] int8: 1 (timers run), 2 (a request at once) or 3 (nothing)
    rate: NDArray[np.float64]  #: [C, I] rates of the timers in case 1, else 0
    choice: NDArray[np.float64]  #: [C, I] probabilities of the type requested in case 2, else 0

    def within(self, kept: NDArray[np.bool_]) -> PolicyTable:
        """The same policy in the [C] configurations that are *kept*; case 3 in all others."""
        column = kept[:, None]
        return PolicyTable(
            np.where(kept, self.case, NOTHING).astype(np.int8),
            np.where(column, self.rate, 0.0),
            np.where(column, self.choice, 0.0),
        )


def policy_of(stationary: NDArray[np.float64], requests: NDArray[np.float64]) -> PolicyTable:
    """The LP-based policy of a solution whose support is certain.

    - *stationary*, *requests*: [C] pi and [C, I] u; an entry is in the support unless it is exactly 0.
    """
    total = requests.sum(axis=1)
    timers, at_once = stationary > 0, (stationary <= 0) & (total > 0)
    case = np.where(timers, TIMERS, np.where(at_once, AT_ONCE, NOTHING)).astype(np.int8)
    pi = np.where(timers, stationary, 1.0)[:, None]
    sums = np.where(at_once, total, 1.0)[:, None]
    return PolicyTable(
        case, np.where(timers[:, None], requests / pi, 0.0), np.where(at_once[:, None], requests / sums, 0.0)
    )
