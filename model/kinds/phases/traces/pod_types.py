"""Alibaba's pods as job types of fixed size: those of one request are of one type."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from slotscope.model.errors import TraceError
from slotscope.model.kinds.phases.traces.fixed_types import FixedType, FixedTypes
from slotscope.model.scenario.fields import plain
from slotscope.model.traces.alibaba_pods import Integers, Pods
from slotscope.model.traces.report import LeftOut

#: Microseconds in a second, thousandths of a core in a core, MiB in GiB.
MICROSECONDS, THOUSANDTHS, MEBI = 10**6, 1000, 1024


def pod_types(pods: Pods, *, limit: int | None = None) -> FixedTypes:
    """The pods' types, by their request for CPU and memory.

    A pod runs from when it was scheduled to when it was deleted, so all were seen to end.

    Parameters
    ----------
    limit:
        Use the first *limit* pods by their creation; None uses all.

    Raises
    ------
    TraceError
        If no pod remains, or all were created at one time.
    """
    count = len(pods.created) if limit is None else min(limit, len(pods.created))
    created, runtime = pods.created[:count], pods.runtime[:count]
    span = int(created[-1] - created[0]) if count else 0
    if not span:
        raise TraceError(
            f"found {count:,} pods that ran, all created at one time; allowed are "
            "pods of several times, from which a rate can be told"
        )
    requests, type_of = np.unique(np.stack((pods.cpu, pods.memory), axis=1)[:count], axis=0, return_inverse=True)
    arrivals = np.bincount(type_of.ravel(), minlength=len(requests)).tolist()
    time = np.zeros(len(requests), np.int64)
    np.add.at(time, type_of.ravel(), runtime)
    types = tuple(
        FixedType(
            _name(cpu, memory),
            (Fraction(cpu, THOUSANDTHS), Fraction(memory, MEBI)),
            come,
            come,
            Fraction(ran, MICROSECONDS),
        )
        for (cpu, memory), come, ran in zip(requests.tolist(), arrivals, time.tolist(), strict=True)
    )
    out = LeftOut(f"after the first {count:,} pods", len(pods.created) - count, "pods")
    report = pods.report.then(count, "pods", (out,), (_unevenness(created, span),))
    return FixedTypes(types, Fraction(span, MICROSECONDS), report)


def _name(cpu: int, memory: int) -> str:
    return f"{plain(Fraction(cpu, THOUSANDTHS))} CPU {memory} MiB"


def _unevenness(created: Integers, span: int) -> str:
    """How far from evenly the pods came: the rates are averages."""
    half = len(created) // 2
    shortest = int((created[half:] - created[: len(created) - half]).min())
    return f"rates are averages over all of the time; half of the pods came within {shortest / span:.1%} of it"
