"""The end of a run's warm-up, found from the run itself: from where on it is in its steady state.

MSER, the marginal standard error rule: of all places to truncate the beginning, choose the one that
minimizes the standard error of the mean of the rest.  While a run fills up, each later place is better, so
that no place in its first half is the minimum.

K. P. White, "An effective truncation heuristic for bias reduction in simulation output",
Simulation 69, 1997; the bound of one half is that of K. Hoad, S. Robinson and R. Davies,
"Automating warm-up length estimation", Journal of the Operational Research Society 61, 2010.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: The best number of stretches (intervals of equal length) of a run.
STRETCHES = 100

#: The rule needs at least so many values after the place of truncation.
_LAST = 5


def steady_from(means: NDArray[np.float64]) -> int | None:
    """The index of the first of *means* [n], over equal stretches of a run, that belongs to its steady state.

    None if the run has not reached it: the rule would truncate more than half, there are too few
    stretches, or all means are equal, as when nothing has happened yet.
    """
    count = len(means)
    if count < 4 * _LAST or np.ptp(means) == 0:
        return None
    left = np.arange(count, _LAST - 1, -1)
    # Sums over the tails of the run; centred first, since otherwise squares would lose the differences by rounding.
    ends = (means - means.mean())[::-1]
    sums, squares = (np.cumsum(one)[::-1][: len(left)] for one in (ends, ends**2))
    best = int(np.argmin((squares - sums**2 / left) / left**2))
    return best if best <= count / 2 else None
