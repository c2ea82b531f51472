"""Recorded jobs, whatever the trace: what all kinds of system make their own jobs of."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Mapping, NamedTuple, Sequence

import numpy as np
import numpy.typing as npt

from slotscope.model.errors import ScenarioError, TraceError
from slotscope.model.scenario.fields import Quantity
from slotscope.model.traces.report import ImportReport, LeftOut

Integers = npt.NDArray[np.int64]

#: Times are whole microseconds, demands are whole parts of 10^-9 of their unit: both are exact.
TIME_PLACES, DEMAND_PLACES = 6, 9
SECOND: int = 10**TIME_PLACES
ONE: int = 10**DEMAND_PLACES

#: Bounds within which a decimal of so many places survives floating point: seconds, and demands.
LATEST, MOST_DEMAND = 2**32 - 1, 10**6

#: The demand of jobs that tell one number.
SIZE = "size"

#: The unit of demands that are parts of what the largest server has.
PART = "of a server"

NO_DURATION = "without a duration"
NO_TIME = "with a duration of 0"
NO_DEMAND = "that ask for nothing"

#: Other names of a resource.
_SAME: Mapping[str, str] = {
    **dict.fromkeys(("cpus", "vcpu", "vcpus", "core", "cores"), "cpu"),
    **dict.fromkeys(("mem", "ram"), "memory"),
    "gpus": "gpu",
}


class Demand(NamedTuple):
    """What jobs need of a resource: int64 [n] in 10^-9 of the unit (empty: that of the scenario)."""

    name: str
    unit: str
    amount: Integers


#: What else a CPU, and a thousandth of one, is called as a unit.
_CORES = {"core": "CPU", "cores": "CPU", "CPUs": "CPU", "millicore": "mCPU", "millicores": "mCPU"}


class Needed(NamedTuple):
    """A resource of a scenario: its name, its unit, and what the largest server has of it."""

    name: str
    unit: str
    largest: Fraction


@dataclass(frozen=True, eq=False)
class RecordedJobs:
    """Jobs in the order of their arrival; n jobs."""

    #: arrival, duration: int64 [n] microseconds; durations are above 0
    arrival: Integers
    duration: Integers
    demands: tuple[Demand, ...]  #: what they need; none where the trace does not say
    width: Integers  #: int64 [n] the servers that each ran on, at least 1
    priority: Integers  #: int64 [n], 0 where the trace does not say
    #: type, names: int64 [n] a place in *names*; no names where the trace does not say
    type: Integers
    names: tuple[str, ...]
    report: ImportReport  #: what was read, kept and left out

    def __len__(self) -> int:
        return len(self.arrival)

    def keep(self, kept: npt.NDArray[np.bool_], reason: str) -> RecordedJobs:
        """The jobs where *kept* (bool [n]) is true; the report counts the others as *reason*."""
        out = LeftOut(reason, int(len(kept) - np.count_nonzero(kept)), "jobs")
        if not out.count:
            return self
        report = self.report.then(self.report.kept - out.count, "jobs", (out,))
        return replace(self._at(np.flatnonzero(kept)), report=report)

    def first(self, limit: int) -> RecordedJobs:
        """The first *limit* jobs."""
        return self.keep(np.arange(len(self)) < limit, after_first(limit))

    def in_order(self) -> RecordedJobs:
        """Those that last, sorted by their arrival; those of one time as they stand.

        Raises TraceError if none is left.
        """
        lasting = self.keep(self.duration > 0, NO_TIME)
        if not len(lasting):
            told = "".join(f"; {item.counted}: {item.reason}" for item in lasting.report.left_out)
            raise TraceError(f"found no job that can be used{told}", where=", ".join(self.report.files[:3]))
        return lasting._at(np.argsort(lasting.arrival, kind="stable"))

    def busiest(self) -> int:
        """The most servers that all jobs together ran on at one time, had none waited."""
        times = np.concatenate((self.arrival, self.arrival + self.duration))
        steps = np.concatenate((self.width, -self.width))
        order = np.lexsort((steps, times))  # who leaves goes first
        return int(np.cumsum(steps[order]).max())

    def _at(self, places: Integers) -> RecordedJobs:
        arrays = {
            field.name: getattr(self, field.name)[places]
            for field in fields(self)
            if field.name not in {"demands", "names", "report"}
        }
        demands = tuple(demand._replace(amount=demand.amount[places]) for demand in self.demands)
        return replace(self, **arrays, demands=demands)


def after_first(limit: int) -> str:
    """Why jobs are left out that come after so many."""
    return f"after the first {limit:,} jobs"


def recorded(
    report: ImportReport,
    arrival: Integers,
    duration: Integers,
    demands: Sequence[Demand] = (),
    *,
    width: Integers | None = None,
    priority: Integers | None = None,
    type: Integers | None = None,
    names: Sequence[str] = (),
) -> RecordedJobs:
    """Jobs as they were read, in order; ``report`` counts them as kept. Raises TraceError if none has a duration."""
    none = np.zeros(len(arrival), np.int64)
    jobs = RecordedJobs(
        arrival,
        duration,
        tuple(demands),
        none + 1 if width is None else width,
        none if priority is None else priority,
        none if type is None else type,
        tuple(names),
        report,
    )
    return jobs.in_order()


def demanded(jobs: RecordedJobs, resources: Sequence[Needed]) -> tuple[RecordedJobs, Integers, tuple[Fraction, ...]]:
    """What jobs need of the resources of a scenario: jobs, int64 [n, D], and what 1 of that is in the scenario's units.

    A resource is told by the demand of its name (``cpu``, ``vCPU`` and ``cores`` are one name, as are
    ``memory`` and ``RAM``).  A single one that has none is told by :data:`SIZE`, or, where all demands
    are parts of a server, by the largest of them.  Jobs that need nothing are left out.
    Raises ScenarioError if a resource is not told, or in a unit that does not fit; TraceError if no job needs
    anything.
    """
    told = {same_resource(demand.name): demand for demand in jobs.demands}
    found = [told.get(same_resource(one.name)) for one in resources]
    if len(resources) == 1 and found[0] is None:
        parts = [demand for demand in jobs.demands if demand.unit == PART]
        if len(parts) == len(jobs.demands) > 0:
            found = [Demand(SIZE, PART, np.max([part.amount for part in parts], axis=0))]
        else:
            found = [told.get(SIZE)]
    known = [demand for demand in found if demand is not None]
    if len(known) < len(resources):
        names = ", ".join(demand.name for demand in jobs.demands) or "none"
        raise ScenarioError(
            f"found {names} in {jobs.report.files[0]}; allowed are demands for {_allowed(resources)}",
            where="servers.capacity",
        )
    size = np.stack([demand.amount for demand in known], axis=1)
    some: npt.NDArray[np.bool_] = size.max(axis=1) > 0
    if not some.any():
        raise TraceError("found no job that asks for anything", where=jobs.report.files[0])
    pairs = list(zip(known, resources, strict=True))
    factors = tuple(_one(demand, needed, jobs.report.files[0]) / ONE for demand, needed in pairs)
    report = replace(jobs.report, notes=(*jobs.report.notes, *_without_unit(pairs)))
    return replace(jobs, report=report).keep(some, NO_DEMAND), size[some], factors


def _without_unit(pairs: Sequence[tuple[Demand, Needed]]) -> list[str]:
    """A sentence for each demand whose unit nothing can be compared with."""
    return [
        f"'{demand.name}' is told in {demand.unit}, and the scenario declares no unit for {needed.name}: "
        "numbers are taken as they stand"
        for demand, needed in pairs
        if demand.unit not in ("", PART) and not needed.unit
    ]


def same_resource(name: str) -> str:
    """One name for those that mean one resource."""
    small = name.lower()
    return _SAME.get(small, small)


def _allowed(resources: Sequence[Needed]) -> str:
    names = [f"'{one.name}'" for one in resources]
    if len(names) > 1:
        return f"{' and '.join(names)}, the resources of the servers"
    return " or ".join(dict.fromkeys([*names, f"'{SIZE}'"]))


def _one(demand: Demand, needed: Needed, file: str) -> Fraction:
    """One of a demand's unit, in that of the scenario's resource."""
    if demand.unit == PART:
        return needed.largest
    if not demand.unit or not needed.unit:
        return Fraction(1)
    unit, asked = (_CORES.get(word, word) for word in (demand.unit, needed.unit))
    for own in (f"v{unit}", unit.removeprefix("v"), unit):  # a CPU is a vCPU
        try:
            return Quantity((Fraction(1), own)).in_unit(asked)
        except ValueError as error:
            problem = str(error)
    raise ScenarioError(f"{problem}; resources.{needed.name}.unit is '{needed.unit}'", where=f"{file}, '{demand.name}'")
