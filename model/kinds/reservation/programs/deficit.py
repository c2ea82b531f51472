"""Effective servers and the effective slot deficit q.

Psychas & Ghaderi (2022), Sections 5.1 and 5.2.  Everything here is a function of whole
numbers: the servers that have a configuration, those that GPA wants in it, the jobs present,
and the reservation factor, which counts as ceil(g(L)) as in GPA itself.

GPA returns at most J configurations, and no other has effective servers.  So q changes from
one greedy configuration to the next only at those, and it is enough to look at them: the
rule (5.3) answers the same for the whole greedy configuration set.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from slotscope.model.programs.configurations import Configuration, definition_order

Counts = NDArray[np.int64]


def effective_counts(
    configurations: Iterable[Configuration], found: Sequence[Sequence[int]], held: Sequence[int], wanted: Sequence[int]
) -> Counts:
    """X^(e) of Definition 9, (5.1): min(X_k, X-hat_k), and 0 where GPA does not want k.

    - *configurations*: [C] k, in any order.
    - *found*: [I][J] k[i], what GPA returned; no configuration twice.
    - *held*, *wanted*: [I] X_{k[i]}, servers assigned to it, and X-hat_{k[i]}, servers that GPA wants.

    Returns [C] servers.
    """
    known = {
        tuple(int(count) for count in configuration): min(int(have), int(want))
        for configuration, have, want in zip(found, held, wanted, strict=True)
    }
    return np.array([known.get(configuration, 0) for configuration in configurations], np.int64)


def slot_deficit(
    configurations: Sequence[Configuration], effective: ArrayLike, jobs: ArrayLike, reserved: int
) -> Counts:
    """q of Definition 11, (5.2), for every configuration and job type.

    - *configurations*: [C] in descending order (Definition 2).
    - *effective*: [C] X^(e), servers.
    - *jobs*: [J] Y_j, jobs in the system.
    - *reserved*: ceil(g(L)), slots of each type.

    Returns [C, J] slots.  Row i is for the first i + 1 configurations together; it is below K right after GPA has
    seen these jobs, and negative where slots are missing.
    """
    present = np.asarray(jobs, np.int64)
    slots = np.asarray(configurations, np.int64).reshape(-1, len(present))
    slots = slots * np.asarray(effective, np.int64)[:, None]
    return np.asarray(slots.cumsum(axis=0) - present - reserved)


def next_configuration(configurations: Sequence[Configuration], deficit: NDArray[np.int64]) -> int | None:
    """Which configuration CRA would give to an empty server: (5.3a) and (5.3b).

    The first one in which every type of slot is short.  Where all servers are effective
    already, none is left that could be reassigned.

    - *configurations*: [C] in descending order.
    - *deficit*: [C, J] q.

    Returns its place, from 0, or None if each has a type with slots enough.
    """
    for place, (configuration, row) in enumerate(zip(configurations, deficit, strict=True)):
        used = np.flatnonzero(configuration)
        if len(used) and row[used].max() < 0:
            return place
    return None


def configurations_in_play(
    found: Iterable[Sequence[int]], target: Iterable[Configuration], rewards: Sequence[Fraction]
) -> tuple[Configuration, ...]:
    """Those that GPA returned and those of the target, in descending order, without the empty one.

    - *found*, *target*: Configurations [J].
    - *rewards*: [J] u_j, for the order of Definition 2.
    """
    union = {tuple(int(count) for count in configuration) for configuration in found}
    union |= set(target)
    return tuple(definition_order((one for one in union if any(one)), rewards))
