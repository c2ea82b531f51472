"""What a state breaks of its kind's invariants, events one after another, and runs that are saved."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Any, Callable, Iterator

from slotscope.model.api import Session
from slotscope.model.kinds.spec import kind_named
from slotscope.model.running.engine import EventRun, started
from slotscope.model.systems.state import copied, digest
from tests.runs import ran

#: Plants a fault in a state of a system.
Plant = Callable[[Any, Any], None]


def violations(system: Any, state: Any) -> list[str]:
    """Every sentence; none of a sound state."""
    return kind_named(system.name).violations(system, state)


def reference_events(system: Any, state: Any = None, most: int | None = None) -> Iterator[EventRun]:
    """The events of a system by its reference, each after it happened, from a *state* on, or the start."""
    state = started(system) if state is None else state
    for _ in count() if most is None else range(most):
        if system.next_event(state) is None:
            return
        run = EventRun(system, state)
        run.finish()
        yield run
        state = run.state


def reached(system: Any, enough: Callable[[Any], bool]) -> tuple[Any, Any]:
    """The first state in which there is enough of everything; all before it are sound."""
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
    """The fault that something else stands in an array of the state; *place* and *value* may be told by the state."""

    def plant(_: Any, state: Any) -> None:
        at, what = (given(state) if callable(given) else given for given in (place, value))
        getattr(state, field)[at] = what

    return plant


def add(field: str, place: Any, amount: Any) -> Plant:
    """The fault that a number of the state is more by an *amount*, or less."""

    def plant(system: Any, state: Any) -> None:
        at = place(state) if callable(place) else place
        put(field, at, getattr(state, field)[at] + amount)(system, state)

    return plant


def is_told(sentence: str, plant: Plant, system: Any, state: Any) -> None:
    """A fault that is planted in a copy of a sound state is told so, in one line."""
    broken = copied(state)
    plant(system, broken)
    found = violations(system, broken)
    assert any(sentence in line for line in found), found
    assert all("\n" not in line for line in found)


def check_saved(scenario: Any, folder: Path) -> None:
    """A run that is saved goes on where it stood."""
    session = ran(scenario, events=77)
    session.save(folder / "run.slotscope")
    again = Session.load(folder / "run.slotscope", kernel=False)
    assert digest(again.timeline.state) == digest(session.timeline.state)
    for one in (session, again):
        one.run(events=50)
    assert digest(again.timeline.state) == digest(session.timeline.state)
