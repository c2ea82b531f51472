"""Policies added beside a run with a history: its earlier decisions are collected only when they are needed."""

from __future__ import annotations

import numpy as np
import pytest

from slotscope.model.api import Session
from slotscope.model.comparison.comparison import Comparison
from slotscope.model.comparison.differences import DecisionRecord
from slotscope.model.comparison.lane import Lane
from slotscope.model.comparison.runs import leave_past, open_run
from slotscope.model.kinds.reservation.rows import EVENT_ROW, FLAG_ADMITTED
from slotscope.model.kinds.spec import kind_named
from slotscope.model.reporting.records import ARRIVAL
from slotscope.model.running.waiting import GivenUpError, waiting
from tests.runs import ran


def test_a_history_made_before_recording_is_filled_in_by_replay() -> None:
    session = ran("dra-vms", "dra", kernel=True, events=30_000)
    comparison = Comparison.beside(session, ["first-fit"])
    assert comparison.timeline.event == 30_000
    whole = open_run("dra-vms", ("dra", "first-fit"))
    whole.run(events=30_000)
    assert comparison._moved.events == whole._moved.events
    assert comparison.first_difference() == whole.first_difference()
    assert comparison.decided() == whole.decided()


def decided(rows):
    """The decisions of a run of a loss system without initial jobs."""
    return kind_named("reservation").decisions(rows, 0)


def test_a_history_whose_filling_in_is_given_up_is_filled_in_later() -> None:
    session = ran("dra-classroom", events=2000)
    lane = Lane(session)
    with waiting(lambda _: None, lambda: True), pytest.raises(GivenUpError):
        lane.decided()
    lane.left = True
    session.run(events=100)
    assert not lane.whole and lane.decided() == lane.record.end < 100
    lane.left = False
    kinds = session.timeline.rows(1, session.timeline.live_end)["kind"]
    assert lane.decided() == np.count_nonzero(kinds == ARRIVAL) == lane.record.end


def test_what_was_left_of_the_past_is_read_where_a_difference_is_gone_to() -> None:
    session = ran("dra-classroom", "dra", events=800)
    run = Comparison.beside(session, ["first-fit"], kernel=False)
    leave_past(run)
    standing = run.frame().comparison
    assert standing is not None and not standing.whole and standing.decided == 0
    run.go_to_first_difference()
    standing = run.frame().comparison
    assert standing is not None and standing.whole and standing.decided > 300


def test_a_hasty_frame_reads_nothing_of_the_past_and_keeps_who_wants_to_know_it() -> None:
    session = ran("dra-classroom", "dra", events=800)
    run = Comparison.beside(session, ["first-fit"], kernel=False)
    hasty, whole, later = (run.frame(hasty=hasty) for hasty in (True, False, True))
    assert hasty.comparison is not None and not hasty.comparison.whole and hasty.comparison.first is None
    assert whole.comparison is not None and whole.comparison.whole and whole.comparison.decided > 300
    assert later.comparison == whole.comparison


def test_decisions_beyond_the_bound_are_made_again_by_replay() -> None:
    session = Session.open("dra-vms", "dra")
    lane, whole = Lane(session, most=500), DecisionRecord(0, decided)
    keep = session.timeline.observe
    session.timeline.observe = lambda rows: (keep(rows), whole.append(rows))
    session.run(events=20_000)
    assert lane.record.full and lane.record.end == 500
    assert lane.decided() == whole.seen
    expected = whole.between(300, 9000)
    assert lane.answers(300, 9000).tolist() == expected.tolist()
    assert session.timeline.event == 20_000


def test_a_record_takes_no_rows_after_a_gap() -> None:
    rows = np.zeros(3, EVENT_ROW)
    rows["kind"], rows["flags"] = ARRIVAL, FLAG_ADMITTED
    rows["job"], rows["server"] = [0, 1, 2], [5, 6, 7]
    record = DecisionRecord(0, decided)
    record.append(rows[:1])
    record.append(rows[2:])
    assert (record.end, record.seen) == (1, 3)
    record = DecisionRecord(0, decided)
    record.append(rows[:2])
    record.append(rows)
    assert record.between(0, 3).tolist() == [5, 6, 7]
    assert record.between(0, 4) is None
