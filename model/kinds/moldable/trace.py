"""The fate of each arriving job in the exchange format of ``slotscope trace``.

One line for each arrival: ``job``, ``arrival``, ``requested``, ``size`` (inherent),
``free_before``, ``allocated`` (0 if blocked), ``blocked``, ``departure`` (null if blocked) and
``X_after``, the jobs on 1, ..., d servers.  With a script times and sizes are exact rationals, as
strings; otherwise they are numbers.  With several classes a line also has ``class``, and ``X_after`` is
that of the class.
"""

from __future__ import annotations

from typing import Any, Iterator

import numpy as np

from slotscope.model.kinds.moldable.state import MoldableState
from slotscope.model.kinds.moldable.system import MoldableSystem
from slotscope.model.reporting.records import ARRIVAL, Event


def lines(system: MoldableSystem, most: float) -> Iterator[dict[str, Any]]:
    """Run the reference engine: yield a line for each of at most *most* arrivals."""
    state = system.raw_state()
    row = np.zeros(1, system.row_dtype)
    told = 0
    while told < most and (event := system.next_event(state)) is not None:
        for _ in system.run(state, event, row):
            pass
        if event.kind == ARRIVAL:
            told += 1
            yield _line(system, event, state, row[0])


def _line(system: MoldableSystem, event: Event, state: MoldableState, row: np.void) -> dict[str, Any]:
    width, degree = int(row["width"]), system.numbers.degrees[event.type]
    line = {
        "job": _name(system, event.job),
        **_times(system, event),
        "requested": int(row["request"]),
        "free_before": int(row["free"]),
        "allocated": width,
        "blocked": not width,
        "departure": _departure(system, event, state, row) if width else None,
        "X_after": state.jobs[event.type, 1 : degree + 1].tolist(),
    }
    if system.numbers.classes > 1:
        line["class"] = system.numbers.class_names[event.type]
    return line


def _name(system: MoldableSystem, number: int) -> int | str:
    """A job's name; a name that is a number becomes an integer."""
    name = system.job_name(number)
    return int(name) if name.isdecimal() and str(int(name)) == name else name


def _times(system: MoldableSystem, event: Event) -> dict[str, Any]:
    job = system.script.jobs.get(event.job)
    if job is None:
        return {"arrival": event.time, "size": event.service}
    return {"arrival": str(job.time), "size": str(job.size)}


def _departure(system: MoldableSystem, event: Event, state: MoldableState, row: np.void) -> float | str:
    """The departure time of a job that got servers."""
    job = system.script.jobs.get(event.job)
    if job is None:
        return float(state.job_departure[row["server"]])
    return str(job.time + job.size / system.numbers.speedups[event.type][int(row["width"]) - 1])
