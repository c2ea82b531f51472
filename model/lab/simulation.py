"""One run of a scenario without history: the part that most experiments consist of."""

from __future__ import annotations

from typing import Any, Iterable, Sequence

import numpy as np

from slotscope.model.lab.inputs import content
from slotscope.model.lab.parts import Outcome, Part
from slotscope.model.lab.runs import StraightRun, bench_of, replications
from slotscope.model.measures.metrics import Estimate, estimate, estimates
from slotscope.model.running.assembly import Bench
from slotscope.model.scenario.load import Scenario, as_data, edited, load_scenario

WORK = __name__


def simulations(
    scenario: Scenario,
    seeds: Iterable[int],
    warmup: float,
    until: float,
    label: str,
    policy: str | None = None,
    times: Sequence[float] = (),
    trace: tuple[str, ...] = (),
    work: str = WORK,
) -> list[Part]:
    """Parts that run *scenario* once with each of *seeds*.

    The outcome of each has ``metrics``, the means over [warmup, until) by name, and ``path``,
    the kind's headline quantity at each of *times* (increasing, in the scenario's unit of time).

    *work* may name another module that runs parts with these settings; the other arguments are those
    of :func:`model.lab.runs.replications`.
    Raises UserError if a file of the trace cannot be read.
    """
    settings = {"warmup": warmup, "until": until, "times": list(times), "trace": list(trace), "content": content(trace)}
    return replications(work, scenario, policy, settings, seeds, label, until * _work_at_once(scenario))


def _work_at_once(scenario: Scenario) -> float:
    """The approximate work per unit of time, relative to other runs of the same sweep."""
    if (phases := getattr(scenario, "phases", None)) is not None:
        scale = float(getattr(scenario.workload, "scale", 1))
        return scale * float(sum(phase.arrival_rate for phase in phases)) or scale
    load = float(sum(item.rate for item in getattr(scenario, "job_types", ()))) or 1.0
    # An event costs more if there are few servers, which are often full, and many rejections.
    return load * (int(scenario.servers.count) + 40)


def carry_out(part: Part) -> Outcome:
    """See :func:`simulations`."""
    settings = part.settings
    run = _Watched(bench_of(part), settings["times"])
    kind, warmup, until = run.bench.kind, settings["warmup"], settings["until"]
    batches = kind.run_batches(run.bench.numbers, run.to, warmup, until)
    judgement = kind.judge(run.bench.scenario, [batches], until - warmup)
    found = estimates(batches) | dict(judgement.metrics if judgement is not None else {})
    run.look()
    return {"metrics": {name: item.mean for name, item in found.items()}, "path": run.path}


class _Watched(StraightRun):
    """A run that samples the headline quantity on its way."""

    def __init__(self, bench: Bench, times: Sequence[float]) -> None:
        super().__init__(bench)
        self.path: list[float] = []
        self._times = list(times)

    def to(self, time: float) -> Any:
        """Run all events up to *time*; returns the state then."""
        self.look(time)
        return super().to(time)

    def look(self, time: float = np.inf) -> None:
        """Sample the headline at the requested times up to *time*."""
        while len(self.path) < len(self._times) and self._times[len(self.path)] <= time:
            state = super().to(self._times[len(self.path)])
            self.path.append(self.bench.kind.headline_now(self.bench.numbers, state))


def with_servers(name: str, count: int) -> Scenario:
    """A built-in scenario with another number of servers."""
    scenario = load_scenario(name)
    return edited(scenario, {"servers": as_data(scenario)["servers"] | {"count": count}})


def mean_path(outcomes: Sequence[Outcome]) -> tuple[Estimate, ...]:
    """The estimate over replications of the headline at each time."""
    return tuple(estimate(column) for column in np.array([item["path"] for item in outcomes]).T)
