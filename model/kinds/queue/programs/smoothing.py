"""Prices that change less from step to step, so that fewer columns are looked at.

The prices of a master program with few columns jump about.  Looking for configurations at a
mixture of them and of the best prices so far needs a fraction of the columns (P. Wentges,
"Weighted Dantzig-Wolfe decomposition for linear mixed-integer programming", International
Transactions in Operational Research 4, 1997).  "Best" are those with the least bound on rho*
(sum_p L_p max_k <y, k> at <P, y> = 1); the first are the sizes themselves, with Lemma 1's bound.
Whatever is found is only a proposal: the caller checks it exactly at its own prices.
"""

from __future__ import annotations

from typing import Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.queue.programs.packing import Packer
from slotscope.model.programs.configurations import Configuration

#: The share of the best prices so far in the mixture.
INERTIA = 0.8

Prices = NDArray[np.float64]


class Smoothing:
    """Proposes a configuration for each pool.

    Parameters
    ----------
    packers, counts:
        [P] the pools and L_p; all pools must have tables.
    probabilities:
        [J] P_j.
    """

    def __init__(self, packers: Sequence[Packer], counts: Sequence[int], probabilities: Sequence[float]) -> None:
        self._packers, self._counts = packers, counts
        self._shares = np.array(probabilities)
        sizes = np.array([row[0] for row in packers[0].space.demand], np.float64)
        self._best = sizes / (sizes @ self._shares)
        self._bound = np.inf

    def proposals(self, prices: Sequence[float]) -> list[Configuration]:
        """[P] configurations that are heavy at a mixture of *prices* [J] and the best so far."""
        present = np.array(prices)
        worth = float(present @ self._shares)
        if worth <= 0:
            return []
        mixed = INERTIA * self._best + (1 - INERTIA) * present / worth
        found = [packer.near(mixed) for packer in self._packers]
        bound = sum(
            count * float(np.array(configuration) @ mixed)
            for count, configuration in zip(self._counts, found, strict=True)
        )
        if bound < self._bound:
            self._bound, self._best = bound, mixed
        return found
