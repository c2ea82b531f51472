"""Servers that a decision passes over, and the reasons that stand in them."""

from __future__ import annotations

import pytest

from slotscope.model.api import Session
from slotscope.model.kinds.reservation.rows import FLAG_REJECTED
from slotscope.model.scenario.load import parse_scenario_text
from slotscope.model.whys.asking import why

CLASSES = """
title = "Two classes on few servers"
system = "moldable"

[policy]
name = "greedy-p"

[servers]
count = 20

[[classes]]
name = "many"
share = 2
speedup = { law = "linear", degree = 4 }

[[classes]]
name = "few"
share = 1
speedup = { law = "linear", degree = 2 }

[workload]
kind = "poisson"
load = 0.8
"""


def until_passed(scenario: str, policy: str, refused: bool, events: int = 60) -> Session:
    """A run just after an event that passes servers over."""
    source = parse_scenario_text(CLASSES, "classes") if scenario == "classes" else scenario
    session = Session.open(source, policy=policy, kernel=False)
    for _ in range(events):
        session.step()
        if any(one.refused == refused for one in session.passed_over()):
            return session
    raise AssertionError("none was passed over")


@pytest.mark.parametrize(
    ("scenario", "policy", "refused"),
    [
        ("dra-classroom", "dra", True),
        ("dra-classroom", "best-fit", False),
        ("queues-classroom", "vqs", True),
        ("jrs-classroom", "jrs", True),
        ("jrs-classroom", "best-fit", False),
        ("classes", "greedy-p", True),
    ],
)
def test_servers_with_room_are_told_as_why_tells_of_them(scenario: str, policy: str, refused: bool) -> None:
    session = until_passed(scenario, policy, refused)
    frame = session.frame()
    row = frame.rows[-1]
    job = int(row["kept"] if "kept" in row.dtype.names else row["job"])
    for one in frame.passed_over:
        assert one.refused == refused
        answer = why(session.bench, session.timeline, frame.event, job, one.server)
        table = answer.tables[0]
        assert one.server not in table.chosen
        place = int(table.failed[one.server])
        if refused:
            assert one.reasons == (table.conditions[place].brief or (table.conditions[place].fails, ""))
        else:
            assert place == len(table.conditions)
            assert one.reasons[0] in answer.sentence
    if "servers_with_room" in row.dtype.names and int(row["flags"]) & FLAG_REJECTED:
        assert len(frame.passed_over) == row["servers_with_room"]


def test_they_are_there_at_the_sub_step_that_decides_and_at_no_other() -> None:
    session = until_passed("dra-classroom", "dra", refused=True)
    passed = session.passed_over()
    session.step_back()
    session.step_into()
    seen = []
    while session.timeline.substep:
        seen.append(session.passed_over())
        session.step_into()
    assert seen[-1] == passed
    assert not any(seen[:-1])
    session.run(events=1)
    assert not session.passed_over()
