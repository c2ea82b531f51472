"""The series behind the curves of queues, and which queues get a curve."""

from __future__ import annotations

from typing import Any, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.gui.plotting.sampled import Columns, Read
from slotscope.model.kinds.queue import sampling
from slotscope.model.reporting.frame import Frame

#: Virtual queues that have a curve beside the total.
MOST_CURVES = 6
#: A queue gets the curve of another once it is longer on average by this factor.
_LONGER = 1.25

_COUNTED = {
    "waiting": sampling.WAITING_COLUMN,
    "in_service": sampling.IN_SERVICE_COLUMN,
    "arrived": sampling.ARRIVED_COLUMN,
    "placed": sampling.PLACED_COLUMN,
    "departed": sampling.DEPARTED_COLUMN,
    "stalled_servers": sampling.STALLED_COLUMN,
    "renewed": sampling.RENEWED_COLUMN,
}


def read_total(_numbers: Any, samples: NDArray[np.float64]) -> Columns:
    """Q at each sample, and its exact sum over the slots before."""
    columns = [sampling.WAITING_COLUMN], [sampling.WAITING_AREA_COLUMN]
    return Columns(samples[:, columns[0]], samples[:, columns[1]])


def reader(queue: int) -> Read:
    """What reads Q_j of one virtual queue; between samples it is taken to stay."""

    def read(_numbers: Any, samples: NDArray[np.float64]) -> Columns:
        return Columns(samples[:, [sampling.SCALARS + queue]])

    return read


def longest(means: Sequence[float], shown: tuple[int, ...], most: int) -> tuple[int, ...]:
    """The queues that are longest on average; those *shown* stay unless others are much longer."""
    kept = [queue for queue in shown if queue < len(means)]
    others = [queue for queue in np.argsort(means)[::-1].tolist() if queue not in kept]
    for queue in others:
        if len(kept) < most:
            if means[queue] > 0:
                kept.append(queue)
            continue
        least = min(kept, key=lambda one: means[one])
        if means[queue] > _LONGER * means[least]:
            kept[kept.index(least)] = queue
    return tuple(sorted(kept))


def mean_lengths(samples: NDArray[np.float64]) -> list[float]:
    """The mean length of each virtual queue over the slots of *samples*; within one, as it is."""
    slots = np.diff(samples[:, sampling.TIME_COLUMN])
    if not slots.any():
        return [float(length) for length in samples[-1, sampling.SCALARS :]]
    means: list[float] = (slots @ samples[:-1, sampling.SCALARS :] / slots.sum()).tolist()
    return means


def until_now(frame: Frame) -> NDArray[np.float64]:
    """[n, width] the samples up to the moment shown."""
    times = frame.samples[:, sampling.TIME_COLUMN]
    return frame.samples[: int(np.searchsorted(times, frame.time, side="right"))]


def table(frame: Frame) -> tuple[list[str], Iterable[Iterable[object]]]:
    """Every sample for a file: event, slot, the share of all capacity in use, and counts."""
    samples, layout = frame.samples, frame.info.facts.layout
    names = ["event", "slot", "used_share", *_COUNTED]
    names += [f"waiting {name}" for name in layout.names if layout.queues > 1]
    counted = samples[:, list(_COUNTED.values())]
    if layout.queues > 1:
        counted = np.hstack([counted, samples[:, sampling.SCALARS :]])
    counts = counted.astype(np.int64).tolist()
    scalars = samples[:, [sampling.EVENT_COLUMN, sampling.TIME_COLUMN]].astype(np.int64).tolist()
    used = samples[:, sampling.USED_COLUMN].tolist()
    rows = zip(scalars, used, counts, strict=True)
    return names, ([*place, share, *row] for place, share, row in rows)
