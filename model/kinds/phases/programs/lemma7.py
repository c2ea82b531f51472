"""Lemma 7 as a check: the policy's own chain has the pi and u that the policy was made from.

Hong, Xie & Wang (2023), Appendix C.2, Lemma 7.  u is counted in the policy's own order of
requests; in the fixed order of Definition 1 the lemma does not hold for requests of several types.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import linalg

from slotscope.model.kinds.phases.programs.chains import Chain, closed_classes
from slotscope.model.kinds.phases.programs.policy import AT_ONCE, TIMERS, PolicyPart, PolicyTable

#: Differences up to this count as none.
LEMMA_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Lemma7:
    """The largest absolute differences between the chain and the solution."""

    stationary: float  #: of pi(k)
    requests: float  #: of u_i(k)

    @property
    def holds(self) -> bool:
        """Whether both are nothing but rounding."""
        return max(self.stationary, self.requests) <= LEMMA_TOLERANCE


def lemma7(table: PolicyTable, chain: Chain, part: PolicyPart) -> Lemma7:
    """Compare pi and u of a part with what its policy does, class by class."""
    pi, u = np.zeros_like(part.stationary), np.zeros_like(part.requests)
    for members in closed_classes(chain):
        share = float(part.stationary[members].sum())
        if share > 0:
            here = class_distribution(chain, members)
            pi += share * here
            u += share * class_requests(table, chain, here)
    return Lemma7(float(np.abs(pi - part.stationary).max()), float(np.abs(u - part.requests).max()))


def class_distribution(chain: Chain, members: NDArray[np.int64]) -> NDArray[np.float64]:
    """[C] the stationary distribution of the chain on a recurrent class."""
    found = np.zeros(chain.events.shape[0])
    if len(members) == 1:
        found[members] = 1.0
        return found
    rates = (chain.events[members] @ chain.settled)[:, members]
    out = np.asarray(rates.sum(axis=1)).ravel()
    balance = (rates - sparse.diags(out)).T.tocsc()
    # The last equation follows from the others; the last probability is set to 1 instead.
    rest = linalg.splu(sparse.csc_matrix(balance[:-1, :-1])).solve(-balance[:-1, -1].toarray().ravel())
    shares = np.append(rest, 1.0)
    found[members] = shares / shares.sum()
    return found


def class_requests(table: PolicyTable, chain: Chain, stationary: NDArray[np.float64]) -> NDArray[np.float64]:
    """[C, I] the transition frequencies of Definition 2 in the policy's own order."""
    entering = chain.events.T @ stationary
    passing = np.zeros_like(entering)
    while entering.any():
        entering = np.where(table.case == AT_ONCE, entering, 0.0)
        passing += entering
        entering = chain.requests_at_once.T @ entering
    timers = np.where(table.case == TIMERS, stationary, 0.0)
    return np.asarray(timers[:, None] * table.rate + passing[:, None] * table.choice)
