"""Ways of doing the same work as contestants, for any kind of system."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Sequence

import numpy as np

from slotscope.model.running.assembly import Bench
from slotscope.model.running.engine import Engine, Task, started
from slotscope.model.systems.state import copied
from tests.bench.timing import Contestant, Work, spread, table

#: Rows of the tape, which is overwritten repeatedly as in a run.
TAPE = 10_000


def events_of(state: Any) -> int:
    """Number of events so far."""
    return int(state.number[0])


def settled(bench: Bench, events: int) -> Any:
    """The state after a number of events."""
    kernel, tape = bench.kernel(), np.zeros(min(events, TAPE), bench.system.row_dtype)
    state = started(bench.system)
    while events_of(state) < events:
        state = kernel.advance(state, tape, Task()).state
    return state


def of_engine(
    engine: Engine, row: np.dtype[Any], state: Any, events: int, unit: Callable[[Any], int] = events_of
) -> Contestant:
    """An engine with this type of rows that continues from a state; *unit* counts the work done so far."""
    tape = np.zeros(min(events, TAPE), row)

    def contestant() -> Work:
        current = copied(state)
        engine.advance(current, tape[:0], Task())  # builds the index that is kept beside the state

        def work() -> float:
            now: Any = current
            for _ in range(events // len(tape)):
                now = engine.advance(now, tape, Task()).state
            return float(unit(now) - unit(state))

        return work

    return contestant


def counted(way: Callable[[], Callable[[], Any]], unit: str = "events") -> Contestant:
    """A way as a contestant: *unit* of its outcome is the amount of work done."""

    def contestant() -> Work:
        run = way()
        return lambda: float(getattr(run(), unit))

    return contestant


def per_second(times: Mapping[str, Sequence[float]]) -> str:
    """Events per CPU second of each way."""
    rows = [(name, f"{spread(1 / second for second in mine).median:,.0f}") for name, mine in times.items()]
    return table(("way", "events per CPU second"), rows)
