"""Jobs of a trace in slotted time, for all trace formats."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from slotscope.model.errors import TraceError
from slotscope.model.traces.report import ImportReport, LeftOut

#: Microseconds per second; importers give times in microseconds.
MICROSECONDS = 10**6

#: Slot numbers and services stay below this, so that they are exact in floating point.
MOST_SLOTS = 10**12


@dataclass(frozen=True, eq=False)
class SlottedJobs:
    """Jobs in the order of their arrival; n jobs, D resources."""

    slot: npt.NDArray[np.int64]  #: int64 [n] the slot in which each arrives, from 0, not decreasing
    service: npt.NDArray[np.int64]  #: int64 [n] slots of service, at least 1
    size: npt.NDArray[np.int64]  #: int64 [n, D] in the importer's unit of each resource, at least 0 and not all 0
    report: ImportReport  #: what was read, kept and left out

    def __len__(self) -> int:
        return len(self.slot)

    @property
    def slots(self) -> int:
        """The number of slots from the first arrival to the last, both included."""
        return int(self.slot[-1]) + 1

    def keep(self, kept: npt.NDArray[np.bool_], reason: str) -> SlottedJobs:
        """The jobs where *kept* (bool [n]) is true; the report counts the others as *reason*."""
        arrays = {field.name: getattr(self, field.name)[kept] for field in fields(self) if field.name != "report"}
        out = LeftOut(reason, int(len(kept) - np.count_nonzero(kept)), "jobs")
        report = self.report.then(self.report.kept - out.count, "jobs", (out,))
        return replace(self, **arrays, report=report)


def slotted(
    arrival: npt.NDArray[np.int64],
    service: npt.NDArray[np.int64],
    size: npt.NDArray[np.int64],
    report: ImportReport,
    slot: Fraction,
    time_scale: Fraction,
) -> SlottedJobs:
    """Jobs in slots of *slot* seconds; the first slot begins at the first arrival.

    A job belongs to the slot in which it arrives; its service is rounded up to whole slots.

    - *arrival*, *service*: int64 [n] microseconds; arrivals do not decrease, services are above 0.
    - *time_scale*: beta of Psychas & Ghaderi (2019), Section VII.B: arrival times, but not services, are multiplied
      by it, so that a value below 1 makes the traffic denser.

    Raises TraceError if there is no job, or slots are so short that their numbers are not exact.
    """
    if not len(arrival):
        raise TraceError(
            f"none of {report.rows} rows leads to a job; read more of the trace", where=", ".join(report.files[:3])
        )
    length = slot * MICROSECONDS
    last = (int(arrival[-1]) - int(arrival[0])) * time_scale / length
    longest = int(service.max()) / length
    if max(last, longest) >= MOST_SLOTS:
        raise TraceError(
            f"found slots of {float(slot):g} s, of which the trace has more than {MOST_SLOTS:,}; "
            "allowed are longer ones",
            where="workload.slot",
        )
    return SlottedJobs(
        slot=_floors(arrival - arrival[0], time_scale / length),
        service=-_floors(-service, 1 / length),
        size=size,
        report=report,
    )


def _floors(values: npt.NDArray[np.int64], factor: Fraction) -> npt.NDArray[np.int64]:
    """[n] the floors of values times *factor*, exactly."""
    above, below = factor.numerator, factor.denominator
    return np.array([value * above // below for value in values.tolist()], np.int64)
