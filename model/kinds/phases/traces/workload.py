"""Turns a trace into the phases of a scenario: types of fixed size, with rates estimated from the trace."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any, Iterable, Mapping, Sequence

import numpy as np

from slotscope.model.errors import ScenarioError, TraceError
from slotscope.model.kinds.phases.lattice import MOST_CONFIGURATIONS, lattice_of
from slotscope.model.kinds.phases.numbers import job_model
from slotscope.model.kinds.phases.scenario.schema import PhasesScenario
from slotscope.model.kinds.phases.scenario.workload import TracePhases
from slotscope.model.kinds.phases.traces.azure_flavours import read_flavours
from slotscope.model.kinds.phases.traces.fixed_types import (
    FixedType,
    FixedTypes,
    TypeScale,
    own_scales,
    recorded_types,
    taken,
)
from slotscope.model.scenario.fields import Quantity, plain
from slotscope.model.scenario.load import as_data
from slotscope.model.scenario.validation import validated
from slotscope.model.traces.alibaba_pods import Integers, Pods, read_pods
from slotscope.model.traces.formats import JOBS, playing, read_jobs
from slotscope.model.traces.report import ImportReport, LeftOut

#: Significant digits of estimated rates: more would only slow exact arithmetic.
DIGITS = 6

#: Units in which the resources for a trace's CPUs and memory may be declared.
_UNITS = {"cpu": ("CPU", "vCPU"), "memory": ("GiB",)}
#: Microseconds in a second, thousandths of a core in a core, MiB in GiB.
MICROSECONDS, THOUSANDTHS, MEBI = 10**6, 1000, 1024


def pod_types(pods: Pods, *, limit: int | None = None) -> FixedTypes:
    """The types of the pods, by their requests for CPU and memory.

    A pod runs from when it was scheduled to when it was deleted, so all lifetimes are complete.

    - *limit*: Use the first *limit* pods by time of creation; None uses all.

    Raises TraceError if no pod remains, or all were created at the same time.
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
    """How unevenly the pods arrived: the shortest share of the time that has half of them."""
    half = len(created) // 2
    shortest = int((created[half:] - created[: len(created) - half]).min())
    return f"rates are averages over all of the time; half of the pods came within {shortest / span:.1%} of it"


def with_trace(scenario: PhasesScenario, paths: tuple[str, ...] = ()) -> tuple[PhasesScenario, None, ImportReport]:
    """Read a scenario's trace: the scenario with the trace's types as phases, and a report.

    There are no recorded jobs (None): jobs arrive at random at the rates of the trace times
    the scenario's scale.  ``paths`` replace those of the scenario.
    Raises UserError if the scenario takes no trace, a file cannot be read, or none of its types can be used.
    """
    scenario, trace, files = playing(scenario, TracePhases, paths, "jrs-azure")
    if trace.format == JOBS:
        jobs = read_jobs(files, taken(scenario, trace.limit))
        found, scales = recorded_types(scenario, jobs), own_scales(scenario)
    else:
        scales = _scales(scenario)  # before seconds of reading
        found = _read(trace, files)
    most = trace.most_types
    while True:
        chosen, report = _chosen(scenario, found, scales, most)
        changes: dict[str, Any] = {
            "phases": [_phase(scales, item, found.span, trace.seconds) for item in chosen],
            "workload": trace.model_dump(mode="json"),
        }
        made = validated(PhasesScenario, as_data(scenario) | changes)
        most = len(chosen) - 1
        if not most or _has_a_lattice(made):
            return made, None, report


def _has_a_lattice(scenario: PhasesScenario) -> bool:
    """Whether a server has few enough configurations for a lattice."""
    try:
        lattice_of(job_model(scenario))
    except ScenarioError:
        return False
    return True


def _read(trace: TracePhases, files: Sequence[Path]) -> FixedTypes:
    if trace.format == "alibaba-pods":
        return pod_types(read_pods(files), limit=trace.limit)
    return read_flavours(files, limit=trace.limit)


def _scales(scenario: PhasesScenario) -> Mapping[str, TypeScale]:
    """The scale of each resource of the scenario: which demand of a trace's types it is, and in which unit.

    Raises ScenarioError if the servers have other resources, or units that do not fit.
    """
    fields = {name: _field(name) for name in scenario.resource_names}
    if "" in fields.values() or len(set(fields.values())) != len(fields):
        raise ScenarioError(
            f"found the resources {', '.join(fields)}, allowed: one whose name "
            "begins with 'cpu' or 'vcpu', one with 'mem', or both",
            where="servers.capacity",
        )
    return {
        name: TypeScale(list(_UNITS).index(field), _one(scenario.unit_of(name), name, field))
        for name, field in fields.items()
    }


def _field(name: str) -> str:
    """The demand of a type that a resource of this name stands for; empty if none."""
    small = name.lower()
    return "cpu" if small.startswith(("cpu", "vcpu")) else "memory" if small.startswith("mem") else ""


def _one(unit: str, name: str, field: str) -> Fraction:
    """A CPU, or a GiB, in a declared unit; 1 if none is declared."""
    for own in _UNITS[field] if unit else ("",):
        try:
            return Quantity((Fraction(1), own)).in_unit(unit)
        except ValueError:
            continue
    raise ScenarioError(
        f"found '{unit}', allowed: a unit that {' or '.join(_UNITS[field])} can be written in, or none",
        where=f"resources.{name}.unit",
    )


def _chosen(
    scenario: PhasesScenario, found: FixedTypes, scales: Mapping[str, TypeScale], most: int
) -> tuple[list[FixedType], ImportReport]:
    """The types that become phases, at most *most*, the most frequent first, and the report.

    Raises TraceError if there are none.
    """
    trace = scenario.workload
    assert isinstance(trace, TracePhases)
    what = found.report.kept_as
    large = [item for item in found.types if scenario.hard and not _fits(scenario, scales, item)]
    rest = [item for item in found.types if item not in large]
    endless = [item for item in rest if not item.ends or not item.time]
    rest = sorted((item for item in rest if item not in endless), key=lambda item: -item.arrivals)
    kept, rare = rest[:most], rest[most:]
    out = (
        LeftOut(f"of {_types(large)} larger than a server", _jobs(large), what),
        LeftOut(f"of {_types(endless)} of which no mean lifetime can be told", _jobs(endless), what),
        LeftOut(f"of {_types(rare)} beyond the {most} most frequent", _jobs(rare), what),
    )
    if not kept:
        reasons = "; ".join(f"{item.counted} {item.reason}" for item in out if item.count)
        raise TraceError(f"no type of the trace can be used: {reasons}", where="servers.capacity")
    notes = [_told(kept, found.span, trace.scale)]
    if most < trace.most_types:
        notes.append(f"with more types a server would have more than {MOST_CONFIGURATIONS:,} configurations")
    return kept, found.report.then(_jobs(kept), what, out, notes)


def _jobs(types: Iterable[FixedType]) -> int:
    return sum(item.arrivals for item in types)


def _types(types: list[FixedType]) -> str:
    return "one type" if len(types) == 1 else f"{len(types)} types"


def _fits(scenario: PhasesScenario, scales: Mapping[str, TypeScale], item: FixedType) -> bool:
    pairs = zip(scales.values(), scenario.capacity, strict=True)
    return all(scale.of(item) <= has for scale, has in pairs)


def _phase(scales: Mapping[str, TypeScale], item: FixedType, span: Fraction, seconds: Fraction) -> dict[str, Any]:
    """A type as a phase in which jobs both arrive and depart, with its rates per unit of time."""
    return {
        "name": item.name,
        "demand": {name: str(scale.of(item)) for name, scale in scales.items()},
        "arrival_rate": str(rounded(item.arrivals / span * seconds)),
        "departure_rate": str(rounded(item.departure_rate * seconds)),
    }


def rounded(rate: Fraction) -> Fraction:
    """A rate rounded to :data:`DIGITS` significant digits."""
    return Fraction(f"{float(rate):.{DIGITS - 1}e}")


def _told(types: list[FixedType], span: Fraction, scale: Fraction) -> str:
    jobs = scale * sum((item.arrivals / span / item.departure_rate for item in types), Fraction(0))
    names = ", ".join(f"{item.name} ({item.arrivals:,})" for item in types[:3])
    more = ", ..." if len(types) > 3 else ""
    return (
        f"{_types(types)}: {names}{more}; with their rates times {plain(scale)} there are "
        f"{float(jobs):,.1f} jobs in the system on average"
    )
