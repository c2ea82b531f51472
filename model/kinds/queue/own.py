"""User-written policies for servers with a queue: what the guard of such policies must know of this kind."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.queue.kernels.own import OwnQueueKernel
from slotscope.model.kinds.queue.layout import Containers, OneForEachSize, OneQueue
from slotscope.model.kinds.queue.numbers import QueueNumbers
from slotscope.model.kinds.queue.policies.base import OwnPolicy, QueuePolicy
from slotscope.model.kinds.queue.policies.virtual_queues import PartitionLayout
from slotscope.model.kinds.queue.state import ALWAYS
from slotscope.model.policies.own.kind import KernelKind, Occasion, OwnKind
from slotscope.model.policies.own.sound import (
    MOST_JOBS,
    NotADecisionError,
    fields,
    found,
    number,
    of_class,
    remembered,
    sequence,
    server,
    truth,
    whole,
)
from slotscope.model.reporting.records import Evict, Place, Remember, Renew, Stall

#: The allowed values of a policy's ``exhausts``.
_EXHAUSTS = ("", "queue", "head of line")


def _about(occasion: str, *_: Any) -> str:
    return occasion


def _pairs(value: Any, what: str, _: QueueNumbers) -> tuple[tuple[int, int], ...]:
    """Pairs of whole numbers, the second at least as large."""
    rows = [sequence(row, f"a member of {what}", 2) for row in sequence(value, what)]
    pairs = tuple((whole(low, what), whole(high, what)) for low, high in rows)
    if any(low > high for low, high in pairs):
        raise NotADecisionError(f"{what} has a pair whose second number is the smaller one, allowed: (low, high)")
    return pairs


def _configurations(value: Any, what: str, _: QueueNumbers) -> NDArray[np.int32]:
    """[C, V] a private copy of the configurations, which the policy's file cannot change."""
    table = value if type(value) is np.ndarray and value.dtype.kind == "i" and value.ndim == 2 else None
    if table is None or (len(table) and not 0 <= table.min() <= table.max() <= MOST_JOBS):
        raise NotADecisionError(f"{what} is {found(value)}, allowed: an array [C, V] of numbers of jobs")
    return np.array(table, np.int32)


def _names(value: Any, what: str, _: QueueNumbers) -> tuple[str, ...]:
    names = tuple(sequence(value, what))
    if not all(type(name) is str for name in names):
        raise NotADecisionError(f"{what} is {found(value)}, allowed: a tuple of texts")
    return names


def _exhausts(value: Any, what: str, _: QueueNumbers) -> str:
    if type(value) is not str or value not in _EXHAUSTS:
        allowed = ", ".join(f"'{word}'" for word in _EXHAUSTS)
        raise NotADecisionError(f"{what} is {found(value)}, allowed: {allowed}")
    return value


def _share(value: Any, what: str, _: QueueNumbers) -> Fraction:
    if type(value) not in (int, Fraction) or not 0 <= value <= 1:
        raise NotADecisionError(f"{what} is {found(value)}, allowed: a fraction from 0 to 1")
    return Fraction(value)


def _together(policy: QueuePolicy, numbers: QueueNumbers) -> None:
    """Check the policy's attributes together: virtual queues for all sizes, configurations over these queues, and
    configurations for each pool.

    Raises NotADecisionError if one of these is missing.
    """
    queues, count = policy.layout.queues, len(policy.configurations)
    shape, pools = policy.configurations.shape, policy.pool_configurations
    if count and shape[1] != queues:
        raise NotADecisionError(f"configurations are for {shape[1]} virtual queues, allowed: {queues}, as layout has")
    if count and (len(pools) != len(numbers.pools) or not all(start < stop <= count for start, stop in pools)):
        raise NotADecisionError(
            f"pool_configurations names {len(pools)} ranges, allowed: for each of the {len(numbers.pools)} pools of "
            f"servers one of (start, stop) within the {count} configurations"
        )
    if len(policy.configuration_names) != count:
        raise NotADecisionError(f"configuration_names has {len(policy.configuration_names)} names, allowed: {count}")
    if len(policy.intervals) not in (0, queues):
        raise NotADecisionError(f"intervals has {len(policy.intervals)} members, allowed: none, or {queues}")
    if isinstance(policy.layout, OneForEachSize):
        try:
            policy.layout.queue_of(np.array(numbers.values, np.int64).reshape(-1, numbers.resources))
        except ValueError as error:
            raise NotADecisionError(f"layout has {error}") from None


OWN = OwnKind(
    base=QueuePolicy,
    own=OwnPolicy,
    occasions=(
        Occasion("slot"),
        Occasion("departure", ("view", "server")),
        Occasion("emptied", ("view", "server")),
        Occasion("arrival", ("view", "job")),
    ),
    enough=("slot", "departure", "emptied", "arrival"),
    hint="yields Place(job=..., server=...) for jobs that wait",
    records={
        Place: fields(job=number(), server=server),
        Renew: fields(server=server, configuration=number()),
        Stall: fields(server=server, stalled=truth),
        Evict: fields(job=number(), server=server),
        Remember: remembered,
    },
    about=_about,
    attributes={
        "looks_again": number(0, ALWAYS),
        "layout": of_class(OneQueue, Containers, OneForEachSize, PartitionLayout),
        "intervals": _pairs,
        "configurations": _configurations,
        "configuration_names": _names,
        "pool_configurations": _pairs,
        "reserves": truth,
        "preemptive": truth,
        "max_weight": truth,
        "before": truth,
        "sequential": truth,
        "exhausts": _exhausts,
        "gamma": _share,
    },
    reserved=frozenset({"arrival", "departure", "place", "renew", "stall", "evict", "remember"}),
    names={"server": server, "job": number()},
    together=_together,
    kernels=KernelKind(("state", "free", "data"), OwnQueueKernel),
)
