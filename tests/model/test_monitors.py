"""Invariants that are declared once and monitored, and long-run claims judged by confidence intervals."""

from __future__ import annotations

from math import nan
from typing import Any, Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotscope.model.api import Session
from slotscope.model.kinds.spec import KINDS, STABLE, UNDECIDED, UNSTABLE, Judgement, kind_named
from slotscope.model.measures import monitors
from slotscope.model.measures.claims import claim_readings, judged
from slotscope.model.measures.metrics import Batches
from slotscope.model.measures.monitors import SHARE, Claim, Lookout, Monitor, broken, stop_line
from tests.contract.moments import SMALL
from tests.runs import ran


def ends_with(digit: int) -> Any:
    """A check on states, here numbers: violated by those that end with *digit*."""

    def check(_: Any, state: int) -> Iterator[str]:
        if state % 10 == digit:
            yield f"{state} ends with {digit}"

    return check


SEVENS = Monitor("sevens", "No number ends with 7", "", "", (ends_with(7),))
EIGHTS = Monitor("eights", "No number ends with 8", "", "", (ends_with(8),), stage=1)
NEVER = Monitor("never", "Asked of no system", "", "", (ends_with(0),), stage=1, applies=lambda system: False)


class TestLookout:
    def lookout(self) -> Lookout:
        return Lookout((SEVENS, EIGHTS, NEVER), None)

    def test_nothing_is_known_before_the_first_look(self):
        assert [(one.monitor.name, one.standing) for one in self.lookout().readings] == [
            ("sevens", "open"),
            ("eights", "open"),
        ]

    def test_the_first_fault_is_kept_with_where_it_was_sound_before(self):
        lookout = self.lookout()
        for event in (3, 5, 7, 9, 17, 2):
            assert lookout.due(event)
            lookout.look(event, event)
            assert not lookout.due(event)
        reading = lookout.readings[0]
        assert (reading.standing, reading.event, reading.since, reading.looked) == ("violated", 7, 5, 6)
        assert reading.sentence == "7 ends with 7"

    def test_what_is_sound_later_is_not_where_it_was_sound_before(self):
        lookout = self.lookout()
        for event in (3, 9, 7):
            lookout.look(event, event)
        assert (lookout.readings[0].event, lookout.readings[0].since) == (7, -1)

    def test_where_one_goes_back_an_earlier_fault_takes_the_place_of_the_first_that_was_found(self):
        lookout = self.lookout()
        told = [len(lookout.look(event, event)) for event in (27, 37, 15, 17, 47, 16)]
        assert told == [1, 0, 0, 1, 0, 0]
        reading = lookout.readings[0]
        assert (reading.event, reading.since, reading.sentence) == (17, 15, "17 ends with 7")

    def test_later_stages_are_not_judged_of_a_state_that_is_broken(self):
        assert broken((SEVENS, EIGHTS), None, 7) == {"sevens": ["7 ends with 7"]}
        lookout = self.lookout()
        lookout.look(7, 7)
        assert lookout.readings[1].standing == "open"
        lookout.look(8, 8)
        assert lookout.readings[1].standing == "violated"
        assert lookout.readings[1].since == -1

    def test_a_fault_is_told_where_it_is_found_and_no_more(self):
        lookout = self.lookout()
        assert lookout.look(16, 16) == ()
        (found,) = lookout.look(17, 17)
        assert stop_line(found) == "Violated after event 17: No number ends with 7 (17 ends with 7)."
        assert lookout.look(27, 27) == ()

    def test_looking_takes_its_share_of_the_time_and_no_more(self, monkeypatch):
        clock = [0.0]
        monkeypatch.setattr(monitors, "thread_time", lambda: clock[0])

        def check(_: Any, __: Any) -> Iterator[str]:
            clock[0] += 0.02  # the cost of one check
            yield from ()

        lookout = Lookout((Monitor("slow", "", "", "", (check,)),), None)
        for event in range(5000):
            clock[0] += 0.004  # a slice of the run
            lookout.follow(event, event)
        looks = lookout.readings[0].looked
        assert 0.5 * SHARE * clock[0] <= looks * 0.02 <= 1.1 * SHARE * clock[0]

    def test_a_run_that_rests_is_looked_at_wherever_it_does(self, monkeypatch):
        """A slow pace uses almost no CPU time, by which checks are budgeted, but leaves wall-clock time for them."""
        clock = [0.0]
        monkeypatch.setattr(monitors, "thread_time", lambda: 0.001 * clock[0])
        monkeypatch.setattr(monitors, "monotonic", lambda: clock[0])
        lookout = self.lookout()
        for event in range(1, 8):
            clock[0] += 0.3
            for _ in range(3):
                found = lookout.follow(event, event, rests=True)
                clock[0] += 0.01
        assert lookout.readings[0].looked == 7  # checked once per event
        assert (lookout.readings[0].event, found) == (7, ())


@pytest.mark.parametrize("system", KINDS)
class TestKinds:
    def test_all_are_named_stated_and_placed(self, system):
        kind = kind_named(system)
        declared = [*kind.monitors, *kind.claims]
        assert len({one.name for one in declared}) == len(declared)
        assert all(one.statement and one.source for one in declared)
        assert len({one.statement for one in declared}) == len(declared)
        assert [one.stage for one in kind.monitors] == sorted(one.stage for one in kind.monitors)

    def test_a_run_breaks_none_and_its_slack_is_never_below_nothing(self, system):
        session = Session.open(SMALL[system], kernel=False)
        for _ in range(20):
            session.run(events=7)
            assert session.lookout.follow(session.timeline.event, session.timeline.state) == ()
            session.lookout.look(session.timeline.event, session.timeline.state)
        assert {one.standing for one in session.lookout.readings} == {"holds"}
        slacks = [one.monitor.slack for one in session.lookout.readings if one.monitor.slack is not None]
        assert slacks
        for slack in slacks:
            values = slack(session.info.numbers, session.info.facts, session.timeline.samples.table)
            assert len(values) == len(session.timeline.samples.table)
            assert (values >= 0).all()
            assert values.max() > 0

    def test_claims_wait_for_the_end_of_the_warm_up(self, system):
        session = ran(SMALL[system], events=20)
        early = claim_readings(session.info, session.timeline.samples.table, None, 0.0)
        assert {one.standing for one in early} == {"open"}
        assert len(early) == len(kind_named(system).claims)


def test_a_mean_is_judged_once_it_was_measured_as_long_as_the_warm_up():
    session = Session.open("dra-classroom", kernel=False)
    *_, bounds = session.bench.kind.all_bounds(session.bench.scenario)
    readings = {}
    for until in (64.5, 119.9, 300.0):  # the warm-up ends at 60
        session.run(until=until)
        readings[until] = claim_readings(session.info, session.timeline.samples.table, bounds, until)
    for early in (64.5, 119.9):
        assert {one.standing for one in readings[early]} == {"open"}
        assert any("as long as the warm-up" in one.sentence for one in readings[early])
        assert all(one.slack is not None for one in readings[early])
    assert "holds" in {one.standing for one in readings[300.0]}


@pytest.mark.parametrize(
    ("scenario", "own", "peer", "said"),
    [
        ("dra-classroom", "dra", "first-fit", {"half", "monotone"}),
        ("moldable-classroom", "greedy-p", "greedy", {"squared-distance", "near-optimum"}),
        ("jrs-classroom", "jrs", "best-fit", {"budget"}),
        ("queues-classroom", "vqs", "bf-js", set()),
    ],
)
def test_a_claim_says_that_it_is_proved_of_another_policy(scenario, own, peer, said):
    for policy, wanted in ((own, set()), (peer, said)):
        info = Session.open(scenario, policy, kernel=False).info
        readings = claim_readings(info, np.zeros((0, 0)), None, 0.0)
        told = f"; proved of {policy_of(scenario, own)}, this run is under {info.policy_title}"
        assert {one.claim.name for one in readings if one.sentence.endswith(told)} == wanted
        assert len([one for one in readings if "proved of" in one.sentence]) == len(wanted)


def policy_of(scenario, name):
    return Session.open(scenario, name, kernel=False).info.policy_title


@pytest.mark.parametrize(
    ("scenario", "recorded"),
    [("dra-google", True), ("queues-google", True), ("moldable-swf", True), ("jrs-alibaba", False)],
)
def test_nothing_is_claimed_of_recorded_jobs(scenario, recorded):
    """They are one run, to which no theorem on random arrivals applies; to rates taken from a trace, theorems do."""
    session = Session.open(scenario)
    *_, bounds = session.bench.kind.all_bounds(session.bench.scenario)
    session.run(until=3 * float(session.bench.scenario.run.warmup))
    readings = claim_readings(session.info, session.timeline.samples.table, bounds, session.timeline.time)
    said = any("the jobs are recorded, and are one run only" in one.sentence for one in readings)
    assert ({one.standing for one in readings} == {"open"}, said) == (recorded, recorded)


def test_slack_is_what_the_state_says():
    session = ran(SMALL["moldable"], events=50)
    (capacity,) = [one.monitor for one in session.lookout.readings if one.monitor.name == "capacity"]
    assert capacity.slack is not None
    values = capacity.slack(session.info.numbers, session.info.facts, session.timeline.samples.table)
    for event, value in zip(session.timeline.samples.table[:, 0], values, strict=True):
        session.seek(int(event))
        idle = int((session.timeline.state.server_job < 0).sum())
        assert idle == value


class TestJudging:
    AT_LEAST = Claim("a", "", "", "", "x", "at least", lambda numbers, bounds: bounds)
    AT_MOST = AT_LEAST._replace(side="at most")

    @given(st.lists(st.floats(-5, 5), min_size=3, max_size=20), st.floats(-5, 5))
    def test_only_an_interval_on_one_side_decides(self, values, bound):
        batches = {"x": Batches(np.array(values))}
        mean = batches["x"].estimate()
        low, high = mean.mean - mean.half_width, mean.mean + mean.half_width
        found = judged(self.AT_LEAST, None, bound, batches, None)
        mirrored = judged(self.AT_MOST, None, bound, batches, None)
        expected = "holds" if low > bound else "violated" if high < bound else "open"
        assert found.standing == expected
        assert mirrored.standing == {"holds": "violated", "violated": "holds", "open": "open"}[expected]

    @pytest.mark.parametrize(
        ("batches", "bound", "words"),
        [
            ({}, 1.0, "warm-up"),
            ({"x": Batches(np.array([nan, nan]))}, 1.0, "mean is not known"),
            ({"x": Batches(np.array([1.0, 2.0]))}, None, "bound is not known"),
            (
                {"x": Batches(np.array([9.0]))},
                1.0,
                "mean 9, at least 1 is claimed: without an interval nothing is judged",
            ),
        ],
    )
    def test_what_is_missing_is_told(self, batches, bound, words):
        found = judged(self.AT_LEAST, None, bound, batches, None)
        assert found.standing == "open"
        assert words in found.sentence

    @pytest.mark.parametrize(
        ("verdict", "standing"),
        [(STABLE, "holds"), (UNSTABLE, "violated"), (UNDECIDED, "open"), ("no verdict", "open")],
    )
    def test_a_verdict_decides_what_has_no_measure(self, verdict, standing):
        claim = Claim("b", "", "", "")
        found = judged(claim, None, None, {"x": Batches(np.ones(3))}, Judgement(verdict, "because", {}))
        assert (found.standing, found.sentence) == (standing, "because")


@pytest.mark.slow
@pytest.mark.parametrize(("policy", "standing"), [("vqs", "violated"), ("bf-js", "holds")])
def test_a_queue_that_grows_violates_the_claim_and_one_that_does_not_holds_it(policy, standing):
    """Section VII.A.1 of the paper: at this load VQS is unstable, BF-J/S is not."""
    session = Session.open("queues-vqs-unstable", policy)
    session.run(until=float(session.bench.scenario.run.until))
    (reading,) = claim_readings(session.info, session.timeline.samples.table, None, session.timeline.time)
    assert reading.standing == standing, reading
