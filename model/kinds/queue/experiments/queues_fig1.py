"""Figure 1 of Psychas & Ghaderi (2019): the number of distinct resource requests in a Google trace."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, Sequence

import numpy as np

from slotscope.model.lab.inputs import given_content
from slotscope.model.lab.parts import Outcome, Part
from slotscope.model.lab.plan import Options, Outcomes
from slotscope.model.lab.results import Curve, Figure, Result, Row
from slotscope.model.traces.task_events import BEFORE, REQUEST_UNIT, TaskEventTable

NAME = "queues-fig1"

#: What is counted, and the numbers that the paper exceeded ("more than") in the first day.
PAPER = {"memory": 700, "cpu": 400, "pairs": 10_000}

#: Points of the curves over time.
POINTS = 200

#: The same table is read at every scale.
SCALES = ("quick", "paper")

#: The quantities that have a curve, in this order.
DRAWN = ("memory", "cpu")

#: Microseconds in an hour; and the time at which the trace begins, on its own clock.
HOUR, START = 3600 * 10**6, 600 * 10**6


def parts(_scale: str, options: Options) -> list[Part]:
    """One part: the table is read once. Raises UserError if no file is given, or one cannot be read."""
    settings = {"trace": list(options.trace), "content": given_content(options.trace)}
    return [Part.of(__name__, 0, settings, "all files")]


def carry_out(part: Part) -> Outcome:
    """For memory, CPU and pairs: when each distinct request was first seen, and how many tasks made it."""
    return _counted(tuple(part.settings["trace"]), part.settings["content"])


@lru_cache(maxsize=1)
def _counted(trace: tuple[str, ...], _content: str) -> dict[str, Any]:
    requests: dict[tuple[int, int], tuple[int, int]] = {}
    first: dict[str, dict[Any, int]] = {what: {} for what in PAPER}
    rows, last = 0, BEFORE
    for event in TaskEventTable([Path(path) for path in trace]):
        rows, last = rows + 1, event.time
        if event.cpu is None or event.memory is None:
            continue
        requests[event.job, event.task] = (event.cpu, event.memory)
        for what, value in (("cpu", event.cpu), ("memory", event.memory), ("pairs", (event.cpu, event.memory))):
            first[what].setdefault(value, event.time)
    asked = np.array(list(requests.values()) or [(0, 0)])
    return {
        "rows": rows,
        "tasks": len(requests),
        "last": last,
        "first": {what: sorted(seen.values()) for what, seen in first.items()},
        "asked": {"cpu": _shares(asked[:, 0]), "memory": _shares(asked[:, 1])},
    }


def _shares(values: np.ndarray) -> list[tuple[float, float]]:
    """Each distinct request, and the share of tasks that request at most that much."""
    distinct, counts = np.unique(values, return_counts=True)
    below = np.cumsum(counts) / len(values)
    return list(zip((distinct / REQUEST_UNIT).tolist(), below.tolist(), strict=True))


def result(scale: str, options: Options, outcomes: Outcomes) -> Result:
    """The numbers of distinct requests, their growth over time, and the distribution of the tasks' requests."""
    (part,) = parts(scale, options)
    if part not in outcomes:
        return Result(NAME, scale, (), ())
    found = outcomes[part]
    rows = [
        Row(f"distinct_{what}", len(found["first"][what]), paper=paper, at={"tasks": found["tasks"]})
        for what, paper in PAPER.items()
    ]
    return Result(NAME, scale, tuple(rows), (_over_time(found), _asked(found)), _notes(found))


def _hours(time: float) -> float:
    return max(time - START, 0) / HOUR


def _over_time(found: Outcome) -> Figure:
    times = np.linspace(START, max(found["last"], START + 1), POINTS)
    return Figure(
        name=NAME,
        title="Different requests seen since the trace began",
        x_label="hours",
        y_label="different requests",
        curves=tuple(
            Curve(what, tuple(_hours(time) for time in times), _seen(found["first"][what], times)) for what in DRAWN
        ),
        planned=DRAWN,
    )


def _seen(first: Sequence[int], times: np.ndarray) -> tuple[float, ...]:
    return tuple(np.searchsorted(first, times, side="right").astype(float).tolist())


def _asked(found: Outcome) -> Figure:
    curves = []
    for what in DRAWN:
        sizes, shares = zip(*found["asked"][what], strict=True)
        curves.append(Curve(what, sizes, shares))
    return Figure(
        name=f"{NAME}-requests",
        title="Share of tasks that ask for at most so much",
        x_label="request, as a share of the largest machine",
        y_label="share of tasks",
        curves=tuple(curves),
        planned=DRAWN,
    )


def _notes(found: Outcome) -> tuple[str, ...]:
    return (
        'The paper: "more than 700 discrete memory requirements and 400 discrete CPU requirements '
        'in the tasks submitted to a Google cluster during a day", and "more than 10,000 distinct '
        'types" jointly.',
        f"These files have {found['rows']:,} rows of {found['tasks']:,} tasks and tell of the "
        f"first {_hours(found['last']):.2g} hours, with the tasks that were there before; every "
        "request of a task counts, also one that was changed.",
    )
