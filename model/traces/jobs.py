"""Recorded jobs in a form independent of the trace, from which each kind of system makes its own jobs."""

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

#: Times are integers in microseconds, demands integers in units of 10^-9 of their unit: both are exact.
TIME_PLACES, DEMAND_PLACES = 6, 9
SECOND: int = 10**TIME_PLACES
ONE: int = 10**DEMAND_PLACES

#: The largest time (seconds) and demand for which a decimal with so many places is exact in floating point.
LATEST, MOST_DEMAND = 2**32 - 1, 10**6

#: The demand of jobs that have a single number as their size.
SIZE = "size"

#: The unit of demands that are fractions of the capacity of the largest server.
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
    """The jobs' demand for a resource: int64 [n] in 10^-9 of the unit (empty: the scenario's unit)."""

    name: str
    unit: str
    amount: Integers


#: Other names of the units CPU and mCPU (a thousandth of a CPU).
_CORES = {"core": "CPU", "cores": "CPU", "CPUs": "CPU", "millicore": "mCPU", "millicores": "mCPU"}


class Needed(NamedTuple):
    """A resource of a scenario: its name, its unit, and the largest server's capacity for it."""

    name: str
    unit: str
    largest: Fraction


@dataclass(frozen=True, eq=False)
class RecordedJobs:
    """Jobs in the order of their arrival; n jobs."""

    #: arrival, duration: int64 [n] microseconds; durations are above 0
    arrival: Integers
    duration: Integers
    demands: tuple[Demand, ...]  #: their demands; empty if the trace has none
    width: Integers  #: int64 [n] the number of servers that each job ran on, at least 1
    priority: Integers  #: int64 [n], 0 if the trace has none
    #: type, names: int64 [n] an index into *names*; no names if the trace has no types
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
        """The jobs with a positive duration, sorted by arrival; jobs with equal arrivals keep their order.

        Raises TraceError if none is left.
        """
        lasting = self.keep(self.duration > 0, NO_TIME)
        if not len(lasting):
            told = "".join(f"; {item.counted}: {item.reason}" for item in lasting.report.left_out)
            raise TraceError(f"found no job that can be used{told}", where=", ".join(self.report.files[:3]))
        return lasting._at(np.argsort(lasting.arrival, kind="stable"))

    def busiest(self) -> int:
        """The most servers that all jobs together would use at one time if none had to wait."""
        times = np.concatenate((self.arrival, self.arrival + self.duration))
        steps = np.concatenate((self.width, -self.width))
        order = np.lexsort((steps, times))  # at equal times departures come first
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
    """The reason for leaving out the jobs after the first *limit*."""
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
    """The jobs in order of arrival; ``report`` counts all as kept. Raises TraceError if none has a duration."""
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
    """(jobs, int64 [n, D] their demands, factors from one unit of these to the scenario's units) of D resources.

    A resource is matched by name with a demand (``cpu``, ``vCPU`` and ``cores`` are one name, as are ``memory``
    and ``RAM``).  A single resource without such a demand is matched with :data:`SIZE` or, if all demands are
    fractions of a server, with the largest of them.  Jobs without any demand are left out.
    Raises ScenarioError if a resource has no demand, or one in an incompatible unit; TraceError if no job has a
    demand.
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
    """A note for each demand with a unit whose resource has no unit in the scenario."""
    return [
        f"'{demand.name}' is told in {demand.unit}, and the scenario declares no unit for {needed.name}: "
        "numbers are taken as they stand"
        for demand, needed in pairs
        if demand.unit not in ("", PART) and not needed.unit
    ]


def same_resource(name: str) -> str:
    """The common name of resource names with the same meaning."""
    small = name.lower()
    return _SAME.get(small, small)


def _allowed(resources: Sequence[Needed]) -> str:
    names = [f"'{one.name}'" for one in resources]
    if len(names) > 1:
        return f"{' and '.join(names)}, the resources of the servers"
    return " or ".join(dict.fromkeys([*names, f"'{SIZE}'"]))


def _one(demand: Demand, needed: Needed, file: str) -> Fraction:
    """One of a demand's unit, in the unit of the scenario's resource."""
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
