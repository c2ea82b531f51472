"""Checks of a kind's invariants on states, events one by one, and saved runs."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Any, Callable, Iterator

from slotscope.model.api import Session
from slotscope.model.kinds.spec import kind_named
from slotscope.model.running.engine import EventRun, started
from slotscope.model.systems.state import copied, digest
from tests.runs import ran

#: A function that plants a fault in a state of a system.
Plant = Callable[[Any, Any], None]


def violations(system: Any, state: Any) -> list[str]:
    """A sentence for each violated invariant; none for a valid state."""
    return kind_named(system.name).violations(system, state)


def reference_events(system: Any, state: Any = None, most: int | None = None) -> Iterator[EventRun]:
    """Run the events of a system by its reference from *state*, by default the start, and yield each one after it."""
    state = started(system) if state is None else state
    for _ in count() if most is None else range(most):
        if system.next_event(state) is None:
            return
        run = EventRun(system, state)
        run.finish()
        yield run
        state = run.state


def reached(system: Any, enough: Callable[[Any], bool]) -> tuple[Any, Any]:
    """The first state that satisfies *enough*, checked: all states before it are valid."""
    state = started(system)
    for _ in range(20_000):
        assert violations(system, state) == []
        if enough(state):
            return system, state
        run = EventRun(system, state)
        run.finish()
        state = run.state
    raise AssertionError("no such state")


def put(field: str, place: Any, value: Any) -> Plant:
    """The fault of a wrong value in an array of the state; *place* and *value* may be functions of the state."""

    def plant(_: Any, state: Any) -> None:
        at, what = (given(state) if callable(given) else given for given in (place, value))
        getattr(state, field)[at] = what

    return plant


def add(field: str, place: Any, amount: Any) -> Plant:
    """The fault that a number of the state is off by *amount*."""

    def plant(system: Any, state: Any) -> None:
        at = place(state) if callable(place) else place
        put(field, at, getattr(state, field)[at] + amount)(system, state)

    return plant


def is_told(sentence: str, plant: Plant, system: Any, state: Any) -> None:
    """Check that a fault planted in a copy of a valid state is reported with *sentence*, in one line."""
    broken = copied(state)
    plant(system, broken)
    found = violations(system, broken)
    assert any(sentence in line for line in found), found
    assert all("\n" not in line for line in found)


def check_saved(scenario: Any, folder: Path) -> None:
    """Check that a saved and reopened run continues as the original does."""
    session = ran(scenario, events=77)
    session.save(folder / "run.slotscope")
    again = Session.load(folder / "run.slotscope", kernel=False)
    assert digest(again.timeline.state) == digest(session.timeline.state)
    for one in (session, again):
        one.run(events=50)
    assert digest(again.timeline.state) == digest(session.timeline.state)
