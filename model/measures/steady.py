"""When a run has forgotten how it began: the end of its warm-up, found from the run itself.

MSER, the marginal standard error rule: of all places at which the beginning could be cut off, take
the one where the mean of the rest is known best.  While a run fills up, each later beginning is
better, and no place in its first half will do.

K. P. White, "An effective truncation heuristic for bias reduction in simulation output",
Simulation 69, 1997; the bound of one half is that of K. Hoad, S. Robinson and R. Davies,
"Automating warm-up length estimation", Journal of the Operational Research Society 61, 2010.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: Stretches that a run is best cut into.
STRETCHES = 100

#: The rule cannot judge by fewer values than these at the end.
_LAST = 5


def steady_from(means: NDArray[np.float64]) -> int | None:
    """The first of *means* [n], over equal stretches of a run, that belongs to its steady state.

    None if that is not reached: the rule would cut off more than half, there are too few stretches,
    or all are equal, as where nothing has happened yet.
    """
    count = len(means)
    if count < 4 * _LAST or np.ptp(means) == 0:
        return None
    left = np.arange(count, _LAST - 1, -1)
    # Sums over the ends of the run; centred first, or squares would lose what they differ by.
    ends = (means - means.mean())[::-1]
    sums, squares = (np.cumsum(one)[::-1][: len(left)] for one in (ends, ends**2))
    best = int(np.argmin((squares - sums**2 / left) / left**2))
    return best if best <= count / 2 else None
