"""What the physics of moldable jobs needs to know besides a state, as arrays."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.moldable.numbers import MoldableNumbers
from slotscope.model.kinds.moldable.state import BINS
from slotscope.model.scenario.streams import stream_key

#: Distances are counted in whole units, so that adding and taking away leaves nothing behind.
DISTANCE_UNIT = 2**20

#: Standard deviations of a Poisson number on both sides of the target that the bins cover.
COVERED = 6.0


class MoldableTables(NamedTuple):
    """l classes, d the largest degree.  Where y* is not known targets are 0 and weights 0."""

    speedup: NDArray[np.float64]  #: [l, d + 1] s_i
    target: NDArray[np.int64]  #: [l, d + 1] n y*_i in units of 1 / DISTANCE_UNIT
    pair: NDArray[np.int32]  #: [l, 2] the widths i, i + 1 that hold I*; 0: no such width
    pair_target: NDArray[np.float64]  #: [l, 2] n y* of the two
    pair_weight: NDArray[np.float64]  #: [l, 2] s_i where i is in I*, else 0
    least: NDArray[np.int32]  #: [l] i1; 0 where it is not known
    bin_low: NDArray[np.int64]  #: [l, 2] the number of jobs at which the first bin begins
    bin_shift: NDArray[np.int64]  #: [l] a bin is 2^shift jobs wide
    key: NDArray[np.uint64]  #: [1] of the words that requests are drawn by


@lru_cache(maxsize=8)  # each batch of a run asks for them
def tables_of(numbers: MoldableNumbers) -> MoldableTables:
    """The tables of a system."""
    known = np.nan_to_num(numbers.target)
    pairs = np.array(numbers.pairs, np.int32)
    both = zip(numbers.pairs, numbers.support, strict=True)
    chosen = np.array([[i in support for i in pair] for pair, support in both])
    factors = np.take_along_axis(numbers.speedup_table, pairs, axis=1)
    low, shift = _bins(numbers)
    return MoldableTables(
        speedup=numbers.speedup_table,
        target=np.rint(known * DISTANCE_UNIT).astype(np.int64),
        pair=pairs,
        pair_target=np.take_along_axis(known, pairs, axis=1),
        pair_weight=np.where(chosen, factors, 0.0),
        least=np.array([min(support, default=0) for support in numbers.support], np.int32),
        bin_low=low,
        bin_shift=shift,
        key=np.array([stream_key(numbers.seed, "requests")], np.uint64),
    )


def _bins(numbers: MoldableNumbers) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """``bin_low`` and ``bin_shift``: bins around the target, or over all that is possible."""
    low = np.zeros((numbers.classes, 2), np.int64)
    shift = np.zeros(numbers.classes, np.int64)
    for j, pair in enumerate(numbers.pairs):
        most = [numbers.servers // i if i else 0 for i in pair]
        targets = [numbers.target[j, i] for i in pair]
        span = float(max(most) + 1)
        if not np.isnan(targets[0]):
            span = min(span, 2 * COVERED * np.sqrt(max(targets) + 1.0))
        while BINS << int(shift[j]) < span:
            shift[j] += 1
        width = BINS << int(shift[j])
        for place in range(2):
            if not np.isnan(targets[place]):
                low[j, place] = round(targets[place]) - width // 2
            low[j, place] = max(0, min(low[j, place], most[place] + 1 - width))
    return low, shift
