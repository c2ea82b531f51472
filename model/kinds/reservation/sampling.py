"""Samples of a loss system, taken every so many events, for curves and averages."""

from __future__ import annotations

from typing import Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.reservation.classification import Classification, classify
from slotscope.model.kinds.reservation.state import (
    ADMITTED,
    ARRIVED,
    EVENT,
    GREEDY_LENGTH,
    I_STAR,
    MIGRATED,
    NOW,
    REASSIGNMENTS,
    REJECTED,
    ReservationState,
)
from slotscope.model.reporting.records import Configuration

#: The columns before those per type.
EVENT_COLUMN, TIME_COLUMN, I_STAR_COLUMN, REASSIGNED_COLUMN, REJECT_GROUP_COLUMN = range(5)
SCALARS = 5

#: The blocks of J columns after them, in order.  Column i of "effective" has X^(e) of the i-th configuration
#: of the greedy configuration set (Psychas & Ghaderi 2022, (5.1)).
PER_TYPE = ("jobs", "area", "arrived", "admitted", "rejected", "migrated", "slots", "reject_group_empty", "effective")


def width(types: int) -> int:
    """The number of columns of a sample for J types."""
    return SCALARS + len(PER_TYPE) * types


def columns(name: str, types: int) -> slice:
    """The columns of a block [J] in a sample."""
    start = SCALARS + PER_TYPE.index(name) * types
    return slice(start, start + types)


def area_until_now(state: ReservationState, now: float) -> NDArray[np.float64]:
    """[J] the integral of Y_j from time 0 to *now*."""
    return np.asarray(state.area + state.jobs_in_system * (now - state.since))


def sample(state: ReservationState, row: NDArray[np.float64], greedy_set: Sequence[Configuration] = ()) -> None:
    """Fill one sample *row* [width(J)]; *greedy_set* has at most J configurations."""
    types = len(state.jobs_in_system)
    now = float(state.clock[NOW])
    classes = classify(state)
    reject_group = classes.reject_group
    empty = state.configuration[reject_group] - state.placement[reject_group]
    row[EVENT_COLUMN] = state.number[EVENT]
    row[TIME_COLUMN] = now
    row[I_STAR_COLUMN] = state.number[I_STAR]
    row[REASSIGNED_COLUMN] = state.number[REASSIGNMENTS]
    row[REJECT_GROUP_COLUMN] = reject_group.sum()
    row[SCALARS:] = np.concatenate(
        [
            state.jobs_in_system,
            area_until_now(state, now),
            state.tally[:, ARRIVED],
            state.tally[:, ADMITTED],
            state.tally[:, REJECTED],
            state.tally[:, MIGRATED],
            state.slots_in_system,
            empty.sum(axis=0),
            effective_servers(state, classes, greedy_set),
        ]
    )
    assert len(row) == width(types)


def effective_servers(
    state: ReservationState, classes: Classification, greedy_set: Sequence[Configuration]
) -> NDArray[np.int64]:
    """[J] X^(e)_k = min(X_k, X-hat_k) of each configuration of *greedy_set*, padded with zeros (5.1)."""
    result = np.zeros(len(state.jobs_in_system), np.int64)
    found = int(state.number[GREEDY_LENGTH])
    rows = [tuple(row) for row in state.greedy_configuration[:found].tolist()]
    for place, configuration in enumerate(greedy_set):
        if configuration in rows:
            position = rows.index(configuration)
            result[place] = min(classes.held[position], state.greedy_count[position])
    return result
