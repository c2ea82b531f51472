"""Runs without history, the work of most experiments, and their replications."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, Iterable, Mapping

import numpy as np

from slotscope.model.kinds.spec import kind_named
from slotscope.model.lab.inputs import check_inputs, under
from slotscope.model.lab.parts import Part, canonical
from slotscope.model.running.assembly import Bench, assemble
from slotscope.model.running.engine import Reason, Task, started
from slotscope.model.scenario.load import Scenario, as_data, parse_scenario
from slotscope.model.session.bench import open_bench
from slotscope.model.systems.base import NEXT_ARRIVAL

#: Events per call of the engine: beside other threads, each call costs all of them a wait for Python's global lock.
_SLICE = 65_536


class StraightRun:
    """A run from its start without history, by the policy's compiled twin if it has one."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench  #: the scenario with its policy
        self.state: Any = started(bench.runs)  #: the present state
        self._engine = bench.kernel() if bench.has_kernel else bench.reference
        self._tape = np.empty(_SLICE, bench.system.row_dtype)  # pages are allocated only when they are written

    def to(self, time: float) -> Any:
        """Run all events up to *time*; returns the state then."""
        reason = Reason.LIMIT
        while reason is Reason.LIMIT:
            reason = self._advance(self._tape, Task(until=time))
        return self.state

    def to_arrival(self, number: int) -> Any:
        """Run until just after arrival *number*; returns the state then.

        This is used only for systems in which an event contains at most one arrival, so that as many
        events as there are arrivals to come never go too far.
        """
        while (left := number - int(self.state.number[NEXT_ARRIVAL])) > 0:
            self._advance(self._tape[:left], Task())
        return self.state

    def _advance(self, tape: np.ndarray, task: Task) -> Reason:
        result = self._engine.advance(self.state, tape, task)
        self.state = result.state
        if result.fault is not None:
            raise result.fault
        return result.reason


def replications(
    work: str,
    scenario: Scenario,
    policy: str | None,
    settings: Mapping[str, Any],
    seeds: Iterable[int],
    label: str,
    length: float,
) -> list[Part]:
    """Parts that run *scenario* under *policy* (None: its own), once with each of *seeds*.

    - *work*: The module that runs them, with :func:`bench_of`.
    - *settings*: Whatever else their outcomes depend on, as plain data; this includes ``trace``, the files of a
      recorded workload, and their ``content`` hash, if there are any.
    - *label*: The parts' label, without seed.
    - *length*: The approximate running time of each.
    """
    text = canonical({"scenario": as_data(scenario), **under(policy, scenario.policy.name), **settings})
    start = f"{label}, " if label else ""
    return [Part(work, seed, text, f"{start}seed {seed}", length) for seed in seeds]


def bench_of(part: Part) -> Bench:
    """The bench of a part made by :func:`replications`; its trace is read only once. Raises as :func:`check_inputs`."""
    settings = part.settings
    text = canonical(settings["scenario"])
    if settings.get("trace"):
        scenario, recorded, _ = _traced(text, tuple(settings["trace"]), settings["content"])
        bench = assemble(scenario, settings["policy"], part.seed, recorded)
    else:
        bench = open_bench(_scenario(text), settings["policy"], part.seed)
    check_inputs(part)
    return bench


@lru_cache(maxsize=4)
def _scenario(text: str) -> Scenario:
    return parse_scenario(json.loads(text))


@lru_cache(maxsize=2)
def _traced(text: str, trace: tuple[str, ...], _content: str) -> Any:
    """A scenario with its trace, cached: to read the trace takes longer than many a run."""
    scenario = _scenario(text)
    return kind_named(scenario.system).with_trace(scenario, trace)
