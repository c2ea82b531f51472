"""Servers that a decision passes over, and the reasons shown in them."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import Mock

import pytest

from slotscope.model.api import Session
from slotscope.model.errors import PolicyError
from slotscope.model.kinds.reservation.rows import FLAG_REJECTED
from slotscope.model.scenario.load import parse_scenario_text
from slotscope.model.systems.state import copied
from slotscope.model.whys import asking
from slotscope.model.whys.asking import why
from tests.own_policies import FIRST_FIT, opened, source, write
from tests.runs import ran

EXAMPLES = Path(__file__).resolve().parents[2] / "resources/policies"

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
    """A run just after an event at which servers are passed over."""
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


@pytest.mark.parametrize(
    ("policy", "told", "reason"),
    [
        ("vqs", "1 server has k₀ = 1 and takes no more now", "its share is taken"),
        ("max-weight", "the places for size 0.8 on 1 server are taken", "has its jobs of VQ₀"),
        ("vqs-bf", "on the best server", "too little room"),
    ],
)
def test_servers_of_which_the_sentence_of_a_slot_speaks_are_outlined(policy: str, told: str, reason: str) -> None:
    session = ran("queues-classroom", policy=policy, events=20)
    while told not in session.info.narrator.row(session.frame().rows[-1]):
        session.step()
    assert reason in [one.reasons[0] for one in session.passed_over()]


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


NARROW = """\
from slotscope.model.kinds.moldable.policies.base import Allocate, OwnPolicy, Reject, say


class Policy(OwnPolicy):
    def arrival(self, view, job):
        yield say("counted", free=view.free(job.type))
        if view.free(job.type) > 10:
            yield Allocate(servers=1)
        else:
            yield Reject()
"""


@pytest.mark.parametrize(
    ("scenario", "policy", "reason"),
    [
        ("dra-classroom", "keep_room.py", "has room, not taken: room for the best: servers = 2, kept = 2"),
        ("queues-classroom", "queue_template.py:most=1", "has room, not taken: servers compared: with room = 3"),
        ("jrs-classroom", "asking_servers.py", "asks for no L"),
        ("moldable-classroom", "", "has room, not taken: counted: free = 10"),
    ],
)
def test_under_a_policy_of_ones_own_servers_say_what_is_known(
    tmp_path: Path, scenario: str, policy: str, reason: str
) -> None:
    session = until_passed(scenario, str(EXAMPLES / policy) if policy else write(tmp_path, NARROW), True, 150)
    while not any(one.reasons[0].startswith(reason) for one in session.passed_over()):
        session.step()
    row = session.frame().rows[-1]
    assert all(one.refused for one in session.passed_over())
    if "servers_with_room" in row.dtype.names:
        assert len(session.passed_over()) == row["servers_with_room"]


def test_where_a_run_stops_at_a_policys_fault_nothing_is_told_of_an_earlier_event(tmp_path: Path) -> None:
    fault = 'assert view.event != 40, "no"\n'
    session = opened(tmp_path, source(fault + FIRST_FIT))
    while not session.last_records or session.last_records[0].kind != "arrival":
        session.step()
    with pytest.raises(PolicyError):
        session.run(events=100)
    assert session.timeline.event > 30
    assert not session.last_records
    assert not session.frame().passed_over


def test_where_the_event_cannot_be_run_again_the_frame_is_made_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    session = until_passed("dra-classroom", "dra", refused=True)

    def fails(*_: object) -> None:
        raise PolicyError("no")

    monkeypatch.setattr("slotscope.model.running.walk.passed_over", fails)
    session.seek(session.timeline.event - 1)
    assert not session.frame().passed_over
    session.step()
    assert not session.frame().passed_over


def test_the_event_is_taken_again_on_one_copy_of_the_state(monkeypatch: pytest.MonkeyPatch) -> None:
    """Copying the state of many servers takes longer than the event."""
    session = until_passed("dra-classroom", "dra", True)
    known, copies = session.passed_over(), Mock(side_effect=copied)
    monkeypatch.setattr(asking, "copied", copies)
    assert session._passes_over() == known
    assert copies.call_count == 1
