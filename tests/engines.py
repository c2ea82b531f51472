"""Checks that compiled twins do as their references do, in any kind of system."""

from __future__ import annotations

from typing import Any, Callable, Sequence
from unittest.mock import patch

import numpy as np
from hypothesis import assume

from slotscope.model.errors import ScenarioError
from slotscope.model.running.assembly import Bench, assemble
from slotscope.model.running.engine import Engine, Reason, Task, started
from slotscope.model.systems import watching
from slotscope.model.systems.state import copied, differences, digest
from slotscope.model.systems.watching import Derived, StateRows


def bench_of(scenario: Any, recorded: Any = None) -> Bench:
    """The scenario's bench; scenarios that the policy refuses are left to other tests."""
    try:
        return assemble(scenario, recorded=recorded)
    except ScenarioError:
        assume(False)
        raise


def tape_of(bench: Bench, rows: int) -> np.ndarray:
    """An empty tape for *rows* events."""
    return np.zeros(rows, bench.system.row_dtype)


#: A task that takes a sample after each event.
SAMPLED = Task(stride=1)


class Twins:
    """Reference and kernel on copies of one state, compared in all their results, event by event."""

    def __init__(
        self, bench: Bench, state: Any = None, kernel: Engine | None = None, costly: Sequence[str] = ()
    ) -> None:
        self.bench = bench
        self.engines = bench.reference, kernel or bench.kernel()
        self.costly = list(costly)  #: fields that only the reference counts unless asked to explain
        first = started(bench.system) if state is None else state
        self.states = [first, copied(first)]
        self.rows: list[np.ndarray] = []  #: [2] both engines' rows of each event
        self.met = 0  #: all flags that occurred in the rows

    def advance(self, task: Task, events: int = 1) -> Reason:
        """Run both engines by a number of events; return why they stopped."""
        rows = np.zeros((2, events), self.bench.system.row_dtype)
        done = [
            engine.advance(state, tape, task)
            for engine, state, tape in zip(self.engines, self.states, rows, strict=True)
        ]
        self.states = [each.state for each in done]
        assert not any(each.fault for each in done), done
        assert done[0].reason is done[1].reason
        assert done[0].rows == done[1].rows
        assert type(self.states[0]) is type(self.states[1]) and not differences(*self.states), differences(*self.states)
        assert np.array_equal(done[0].samples, done[1].samples)
        self.rows.extend(rows[:, : done[0].rows].T.copy())
        if not task.explain:
            rows[self.costly] = 0
        assert rows[0].tobytes() == rows[1].tobytes(), rows.tolist()
        self.met |= int(np.bitwise_or.reduce(rows[0]["flags"]))
        return done[0].reason

    def agree(self, events: int, task: Task = SAMPLED, sound: bool = False) -> int:
        """Run *events* events or to the end; return how many there were.  *sound*: check each state's invariants."""
        for event in range(events):
            if self.advance(task) is Reason.END:
                return event
            assert not sound or not self.bench.kind.violations(self.bench.system, self.states[0])
        return events


def check_pieces(bench: Bench, piece: int, events: int = 120) -> None:
    """Check that running in pieces, from copies and from earlier states, gives the same state."""
    kernel, state = bench.kernel(), started(bench.system)
    whole = kernel.advance(copied(state), tape_of(bench, events), Task())
    endless = whole.reason is Reason.LIMIT
    while (left := whole.rows - int(state.number[0])) > 0:
        size = min(piece, left)
        before = copied(state)
        ahead = kernel.advance(copied(state), tape_of(bench, size + 5), Task())
        state = kernel.advance(before, tape_of(bench, size), Task()).state
        assert ahead.rows == size + 5 or not endless
    assert digest(state) == digest(whole.state)


def check_derived(bench: Bench, derived: Derived, every: int, events: int = 60) -> None:
    """Check the kernel's derived values after each *every*-th event against those from the reference's state."""
    start = started(bench.system)
    task = Task(watch=derived.names, derived=derived, moments=np.arange(every, events + 1, every))
    told = bench.kernel().advance(copied(start), tape_of(bench, events), task)
    assert told.changes is not None
    state, seen = start, derived.start(start)[0].copy()
    for event in range(told.rows):
        state = bench.reference.advance(state, tape_of(bench, 1), Task()).state
        mine = told.changes.event == event
        seen[:, told.changes.place[mine]] = [told.changes.rows[name][mine] for name in derived.names]
        if (event + 1) % every == 0:
            assert (seen == derived.start(state)[0]).all(), event + 1


def check_told(
    bench: Bench,
    derived: Derived,
    names: Sequence[str],
    events: int = 60,
    there: Callable[[Any], Any] = lambda state: np.ones(len(state.job_number), np.bool_),
) -> None:
    """Check that the changes recorded by the kernel, for the arrays *names*, reproduce the reference's states.

    Only places that are *there* are compared; they must be the same ones by the recorded changes.
    """
    state, tape = started(bench.system), tape_of(bench, events)
    with patch.object(watching, "BYTES_FOR_AN_EVENT", -1):
        told = bench.kernel().advance(copied(state), tape, Task(watch=tuple(names), derived=derived))
    assert told.changes is not None
    seen = {name: getattr(state, name).copy() for name in names}
    for event in range(told.rows):
        state = bench.reference.advance(state, tape_of(bench, 1), Task()).state
        mine = told.changes.event == event
        for name in names:
            array = getattr(state, name)
            seen[name] = np.concatenate([seen[name], array[len(seen[name]) :]])  # the state may have grown
            seen[name][told.changes.place[mine]] = told.changes.rows[name][mine]
        here = there(state)
        assert np.array_equal(there(StateRows(state, seen)), here), event
        for name in names:
            assert np.array_equal(seen[name][here], getattr(state, name)[here]), (name, event)


def check_samples(bench: Bench, stride: int, events: int = 50) -> None:
    """Check that both engines take the same samples, one every *stride* events."""
    first = started(bench.system)
    taken = [
        engine.advance(copied(first), tape_of(bench, events), Task(stride=stride)).samples
        for engine in (bench.reference, bench.kernel())
    ]
    assert len(taken[0]) == events // stride
    assert np.array_equal(*taken)


def check_stops(bench: Bench, kind: str, until: float, events: int = 100) -> None:
    """Check that both engines stop at the same event of a kind, and before the same time."""
    wanted = bench.kind.vocabulary.event_kinds[kind]
    results = []
    for engine in (bench.reference, bench.kernel()):
        tape = tape_of(bench, events)
        task = Task(until=until, stop_flags=wanted)
        result = engine.advance(started(bench.system), tape, task)
        flags = tape["flags"][: result.rows] & wanted
        assert not flags[:-1].any()
        assert bool(flags[-1:].any()) == (result.reason is Reason.FLAG)
        assert (tape["time"][: result.rows] <= until).all()
        results.append((result.reason, result.rows, digest(result.state)))
    assert results[0] == results[1]
