"""The samples of a queueing system, taken at regular numbers of busy slots, for curves and averages."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import jitable
from slotscope.model.kinds.queue.state import (
    ARRIVED,
    DEPARTED,
    EVENT,
    IN_SERVICE,
    NOW,
    PLACED,
    RENEWED,
    STALLED_SERVERS,
    WAITING,
    QueueState,
)

#: The columns before Q_0 .. Q_{V-1}.  Areas are sums over the slots before TIME; USED is the share of the
#: total capacity in use, averaged over the resources.
(
    EVENT_COLUMN,
    TIME_COLUMN,
    WAITING_COLUMN,
    WAITING_AREA_COLUMN,
    IN_SERVICE_COLUMN,
    USED_COLUMN,
    USED_AREA_COLUMN,
    ARRIVED_COLUMN,
    PLACED_COLUMN,
    DEPARTED_COLUMN,
    STALLED_COLUMN,
    RENEWED_COLUMN,
) = range(12)
SCALARS = 12


def width(queues: int) -> int:
    """The number of columns of a sample for V virtual queues."""
    return SCALARS + queues


@jitable
def sample(state: QueueState, row: NDArray[np.float64], weight: NDArray[np.float64]) -> None:
    """Fill one row [width(V)]; *weight* [D] converts units in use to a share of the total capacity."""
    row[EVENT_COLUMN] = state.number[EVENT]
    row[TIME_COLUMN] = state.clock[NOW]
    row[WAITING_COLUMN] = state.number[WAITING]
    row[WAITING_AREA_COLUMN] = state.waiting_area[0]
    row[IN_SERVICE_COLUMN] = state.number[IN_SERVICE]
    used = 0.0
    area = 0.0
    for d in range(len(weight)):
        used += state.used_total[d] * weight[d]
        area += state.used_area[d] * weight[d]
    row[USED_COLUMN] = used
    row[USED_AREA_COLUMN] = area
    row[ARRIVED_COLUMN] = state.tally[ARRIVED]
    row[PLACED_COLUMN] = state.tally[PLACED]
    row[DEPARTED_COLUMN] = state.tally[DEPARTED]
    row[STALLED_COLUMN] = state.number[STALLED_SERVERS]
    row[RENEWED_COLUMN] = state.tally[RENEWED]
    for queue in range(len(state.queue_length)):
        row[SCALARS + queue] = state.queue_length[queue]


def used_weight(capacity: NDArray[np.int64]) -> NDArray[np.float64]:
    """[D] the share of the total capacity that one unit in use is, divided by the number of resources."""
    return np.asarray(1.0 / (capacity.sum(axis=0) * capacity.shape[1]), np.float64)
