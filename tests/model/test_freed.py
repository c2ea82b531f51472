"""Memory that each slice frees and allocates again is reused, not fetched from the system each time."""

from __future__ import annotations

import sys

import pytest

from slotscope.model.api import Session
from slotscope.model.questions import asking
from slotscope.model.questions.asking import answers
from slotscope.model.running.freed import keep_freed
from tests.model.test_question_changes import ready

#: An event of dra-vms changes the index of 14 servers.
TEXT = "(count server where index changes and slots[1] <= empty) >= 0"
EVENTS = 20_000


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only there the system tells of pages")
def test_pages_are_not_fetched_again_for_each_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    import resource

    if not keep_freed():
        pytest.skip("the C library has no way to say so")
    session = Session.open("dra-vms")
    system, line = session.bench.system, session.timeline
    question = ready(session, TEXT)
    fetched = []
    monkeypatch.setattr(asking, "SECONDS", 10.0)  # long slices, even on a busy machine
    for _ in range(2):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        assert all(part.values[0].all() for part in answers(system, line, [question], 0, EVENTS))
        fetched.append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
    assert fetched[1] < 0.1 * EVENTS, fetched  # 0.3 per event if freed memory goes back to the system
