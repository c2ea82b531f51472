"""Comparing only places that rows name as changed, or that questions ask about, finds the same as comparing all."""

from __future__ import annotations

import numpy as np
import pytest

from slotscope.model.api import Session
from slotscope.model.running.engine import Task
from slotscope.model.systems.state import copied
from slotscope.model.systems.watching import BYTES_FOR_A_PLACE, RowChanges

EVENTS = 3000

#: Systems large enough that only named places are compared, under policies that make every kind of change to one.
CASES = [
    *(
        ("dra-vms", policy, "server", ("placement", "configuration"))
        for policy in (
            "dra",
            "dra-no-migration",
            "dra-preemption",
            "dra-periodic",
            "first-fit",
            "best-fit",
            "power-of-d",
            "static-reservation",
        )
    ),
    ("moldable-sublinear", None, "job", ("job_number",)),
    ("moldable-classes", None, "job", ("job_number",)),
]


def told(session: Session, task: Task) -> RowChanges:
    """The changes of the first events of a run, as the engine records them."""
    line = session.timeline
    state = line.system.prepared(copied(line.fork_at(0)))
    advance = line.engine.advance(state, np.zeros(EVENTS, line.system.row_dtype), task)
    assert advance.rows == EVENTS
    return advance.changes


def as_set(changes: RowChanges) -> set[tuple[int, int, bytes]]:
    rows = zip(*changes.rows.values(), strict=True)
    places = zip(changes.event.tolist(), changes.place.tolist(), rows, strict=True)
    return {(event, place, b"".join(np.asarray(one).tobytes() for one in row)) for event, place, row in places}


@pytest.mark.slow
@pytest.mark.parametrize("every", [1, 3])
@pytest.mark.parametrize(("scenario", "policy", "thing", "names"), CASES)
def test_named_places_are_all_that_change(
    scenario: str, policy: str | None, thing: str, names: tuple[str, ...], every: int
) -> None:
    session = Session.open(scenario, policy)
    things = session.info.words.things[thing]
    assert things.touched is not None
    assert session.timeline.engine.watchable
    size = sum(getattr(session.timeline.state, name).nbytes for name in names)
    assert every * len(things.touched.columns) * BYTES_FOR_A_PLACE <= size, "the system is too small to try it"
    task = Task(watch=names, moments=np.arange(every, EVENTS + 1, every))
    all_of_them = as_set(told(session, task))
    assert len(all_of_them) > EVENTS / 10
    assert as_set(told(session, task._replace(touched=things.touched))) == all_of_them


@pytest.mark.slow
@pytest.mark.parametrize(("scenario", "policy", "thing", "names"), CASES[:1] + CASES[-1:])
def test_of_places_asked_about_alone_the_same_is_told(
    scenario: str, policy: str | None, thing: str, names: tuple[str, ...]
) -> None:
    session = Session.open(scenario, policy)
    task = Task(watch=names, moments=np.arange(1, EVENTS + 1))
    everything = told(session, task)
    only = tuple(np.unique(everything.place)[[0, 3, -1]].tolist())
    mine = {each for each in as_set(everything) if each[1] in only}
    assert mine
    assert as_set(told(session, task._replace(only=only))) == mine


@pytest.mark.slow
@pytest.mark.parametrize(("scenario", "policy", "thing", "names"), CASES[:1] + CASES[-1:])
def test_a_change_knows_the_one_before_at_its_place(
    scenario: str, policy: str | None, thing: str, names: tuple[str, ...]
) -> None:
    changes, latest = told(Session.open(scenario, policy), Task(watch=names)), dict[int, int]()
    for number, (place, previous) in enumerate(zip(changes.place.tolist(), changes.previous.tolist(), strict=True)):
        assert previous == latest.get(place, -1)
        latest[place] = number
    assert (np.diff(changes.event) >= 0).all()
