"""What a state breaks of its kind's invariants."""

from __future__ import annotations

from typing import Any, Callable

from slotscope.model.kinds.spec import kind_named
from slotscope.model.running.engine import EventRun, started


def violations(system: Any, state: Any) -> list[str]:
    """Every sentence; none of a sound state."""
    return kind_named(system.name).violations(system, state)


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
