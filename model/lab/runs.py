"""Runs without history, which most experiments are made of, and their replications."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, Mapping

import numpy as np

from slotscope.model.forks.changes import Course
from slotscope.model.lab.parts import Part
from slotscope.model.policies import is_own, source_of
from slotscope.model.policies.choice import policy_choice
from slotscope.model.running.assembly import Bench
from slotscope.model.running.engine import Reason, Task, started
from slotscope.model.scenario.load import Scenario, as_data, parse_scenario
from slotscope.model.session.bench import open_bench
from slotscope.model.systems.base import NEXT_ARRIVAL

#: Events between two calls of the engine: beside other threads each call costs all of them a while of Python's lock.
_SLICE = 65_536


class StraightRun:
    """A system on its way from its start, under its compiled twin if it has one.

    Attributes
    ----------
    bench:
        The scenario under its policy.
    state:
        Where it is.
    """

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.state: Any = started(bench.runs)
        self._engine = bench.kernel() if bench.has_kernel else bench.reference
        self._tape = np.zeros(_SLICE, bench.system.row_dtype)

    def to(self, time: float) -> Any:
        """Run all events up to *time*; the state then."""
        reason = Reason.LIMIT
        while reason is Reason.LIMIT:
            reason = self._advance(self._tape, Task(until=time))
        return self.state

    def to_arrival(self, number: int) -> Any:
        """Run until just after so many arrivals; the state then.

        An event takes in one arrival at most where this is asked for, so that as many events as
        arrivals are still to come never go too far.
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
    count: int,
    label: str,
    length: float,
) -> list[Part]:
    """Parts that run *scenario* under *policy* (None: its own), with the seeds 1, 2, ....

    Parameters
    ----------
    work:
        The module that carries them out, with :func:`bench_of`.
    settings:
        What else their outcomes depend on, as plain data.
    label:
        What the parts are called, besides their seeds.
    length:
        About how long each takes.
    """
    told = {"scenario": as_data(scenario), **under(policy), **settings}
    return [Part.of(work, seed, told, f"{label}, seed {seed}", length) for seed in range(1, count + 1)]


def under(policy: str | None) -> dict[str, str | None]:
    """What the outcome of a run under *policy* depends on: its name, and the text of a file that it stands in."""
    written = policy_file(policy)
    return {"policy": policy, **({"policy_file": written} if written else {})}


def policy_file(policy: str | None) -> str:
    """A hash of the file that a user's own policy stands in; empty for one of the program's."""
    name = policy_choice(Course.read(policy).policy).name if policy else ""
    path = Path(source_of(name)[0]) if is_own(name) else Path()
    return hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest() if path.is_file() else ""


def bench_of(part: Part) -> Bench:
    """What a part of :func:`replications` runs."""
    settings = part.settings
    return open_bench(parse_scenario(settings["scenario"]), settings["policy"], part.seed)
