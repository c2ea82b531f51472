"""What the status bar says of the next event where jobs with phases run side by side."""

from __future__ import annotations

import re

from slotscope.model.comparison.comparison import Comparison
from slotscope.model.comparison.runs import open_run
from slotscope.model.reporting.records import DEPARTURE, MOVE

DEADLOCK = "jrs-deadlock"


def coming(policy: str, events: int) -> list[tuple[int, str]]:
    """The kinds of the events that come next in a walk, with what is said of jobs that move."""
    comparison = open_run(DEADLOCK, ("jrs", policy))
    assert isinstance(comparison, Comparison)
    found = []
    for _ in range(events):
        frame = comparison.frame()
        event = frame.next_event
        if event is not None and event.kind in {DEPARTURE, MOVE}:
            found.append((event.kind, frame.info.narrator.event_anywhere(event)))
        comparison.step()
    return found


def test_a_job_that_moves_is_told_without_its_server():
    said = coming("jrs:patch=true", 60)
    assert {kind for kind, _ in said} == {DEPARTURE, MOVE}
    for kind, words in said:
        pattern = "a job departs" if kind == DEPARTURE else "a job goes into phase [LH]"
        assert re.fullmatch(pattern, words)
