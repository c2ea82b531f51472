"""Job types of fixed size, with arrival rates and lifetimes estimated from a trace.

Recorded jobs of any format are of the same type if they have the same demands.

Hong, Xie & Wang (2023), Section 4.3: "the model parameters can be estimated from workload traces".
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Mapping, NamedTuple

import numpy as np

from slotscope.model.errors import TraceError
from slotscope.model.kinds.phases.scenario.schema import PhasesScenario
from slotscope.model.scenario.fields import plain
from slotscope.model.traces.job_table import TYPE, AskedJobs
from slotscope.model.traces.jobs import SECOND, Needed, RecordedJobs, demanded
from slotscope.model.traces.report import ImportReport

#: Significant digits of an amount in a name, if they suffice.
DIGITS = 4


class TypeScale(NamedTuple):
    """Which demand of a type belongs to a resource, and the size of its unit in that resource's unit."""

    column: int
    amount: Fraction

    def of(self, item: FixedType) -> Fraction:
        """The demand of a type for the resource, in the scenario's unit."""
        return item.demand[self.column] * self.amount


def taken(scenario: PhasesScenario, limit: int) -> AskedJobs:
    """What is read of recorded jobs: the demands and the type of the first *limit*."""
    return AskedJobs(scenario.resource_names, (TYPE,), limit)


def own_scales(scenario: PhasesScenario) -> Mapping[str, TypeScale]:
    """The scales of types whose demands are in the order and units of the scenario's resources already."""
    return {name: TypeScale(column, Fraction(1)) for column, name in enumerate(scenario.resource_names)}


def recorded_types(scenario: PhasesScenario, jobs: RecordedJobs) -> FixedTypes:
    """The types of recorded jobs: equal demands and, if the trace has it, equal type.

    All jobs are taken to have ended, after their duration.
    Raises UserError if the trace lacks a resource of the scenario, or all jobs arrived at the same time.
    """
    needed = [Needed(name, scenario.unit_of(name), most) for name, most in zip(*_capacity(scenario), strict=True)]
    jobs, size, factors = demanded(jobs, needed)
    span = int(jobs.arrival[-1] - jobs.arrival[0])
    if not span:
        raise TraceError(
            f"found {len(jobs):,} jobs that all came at one time; allowed are jobs of several times, from which a "
            "rate can be told",
            where=jobs.report.files[0],
        )
    keys, type_of = np.unique(np.column_stack((jobs.type, size)), axis=0, return_inverse=True)
    arrivals = np.bincount(type_of.ravel(), minlength=len(keys)).tolist()
    time = np.zeros(len(keys), np.int64)
    np.add.at(time, type_of.ravel(), jobs.duration)
    demands = [
        tuple(amount * factor for amount, factor in zip(amounts, factors, strict=True)) for _, *amounts in keys.tolist()
    ]
    titles = [jobs.names[label] if jobs.names else "" for label in keys[:, 0].tolist()]
    names = _names(titles, demands, [one.unit or one.name for one in needed])
    facts = zip(names, demands, arrivals, time.tolist(), strict=True)
    types = [FixedType(name, demand, come, come, Fraction(ran, SECOND)) for name, demand, come, ran in facts]
    return FixedTypes(tuple(types), Fraction(span, SECOND), jobs.report)


def _names(titles: list[str], demands: list[tuple[Fraction, ...]], units: list[str]) -> list[str]:
    """[types] names made of title and demands, with enough digits that no two are equal."""
    for write in (lambda amount: f"{float(amount):.{DIGITS}g}", plain):
        names = [
            " ".join([title, *(f"{write(amount)} {unit}" for amount, unit in zip(demand, units, strict=True))]).strip()
            for title, demand in zip(titles, demands, strict=True)
        ]
        if len({*names}) == len(names):
            break
    return names


def _capacity(scenario: PhasesScenario) -> tuple[tuple[str, ...], tuple[Fraction, ...]]:
    return scenario.resource_names, scenario.capacity


class FixedType(NamedTuple):
    """Jobs of one size: their demands, and what was observed of them."""

    name: str
    demand: tuple[Fraction, ...]  #: [D] CPUs and GiB; or the scenario's resources, in its units
    arrivals: int
    ends: int  #: how many of them ended within the trace
    time: Fraction  #: total observed running time of all of them, in seconds

    @property
    def departure_rate(self) -> Fraction:
        """Ends per second of running: the maximum likelihood estimate of the rate of an exponential distribution.

        It is that also for censored lifetimes, if the censoring, such as the end of the trace, is independent of the
        lifetimes.
        Raises ZeroDivisionError if the jobs ran for no time.
        """
        return self.ends / self.time


@dataclass(frozen=True)
class FixedTypes:
    """All types of a trace."""

    types: tuple[FixedType, ...]  #: in the order of the trace's own list of types, or of their sizes
    span: Fraction  #: the time in seconds over which the jobs arrived
    report: ImportReport  #: what was read, kept and left out; ``kept`` is in jobs
