"""What every kind of system must provide: the program tells kinds apart by this interface alone."""

from __future__ import annotations

from dataclasses import replace
from math import floor, inf, isnan

import numpy as np
import pytest

from slotscope.model.api import Session
from slotscope.model.comparison.comparison import Comparison
from slotscope.model.comparison.file import load_run, save_run
from slotscope.model.errors import PolicyError, ScenarioError
from slotscope.model.kinds.spec import KINDS, UNDECIDED, kind_named
from slotscope.model.measures.metrics import estimates
from slotscope.model.policies import POLICIES, POLICIES_OF, reference_for
from slotscope.model.running.recorder import EVENT_COLUMN
from slotscope.model.scenario.load import SYSTEMS, as_data, edited, load_scenario, parse_scenario
from slotscope.model.systems.state import digest
from tests.runs import ran

KIND = pytest.mark.parametrize("name", list(KINDS))


@KIND
def test_a_kind_has_a_schema_policies_and_rows(name):
    kind = kind_named(name)
    assert kind.name == name
    assert name in SYSTEMS
    assert {"event", "time", "job", "server", "flags", "kind"} <= set(kind.row.names)
    assert {mark.flag for mark in kind.vocabulary.marks} <= set(kind.vocabulary.event_kinds.values())
    assert set(kind.kernels) <= set(POLICIES_OF[name])
    assert load_scenario(kind.example).system == name


def test_every_policy_is_listed_under_its_own_kind_of_system():
    for system, policies in POLICIES_OF.items():
        assert {reference_for(policy, system).system for policy in policies} == {system}
    assert {name for policies in POLICIES_OF.values() for name in policies} == set(POLICIES)


@KIND
def test_the_second_column_of_samples_is_the_time(name):
    session = ran(kind_named(name).example, events=50)
    table = session.timeline.samples.table
    assert table[-1, :2].tolist() == [50, session.timeline.time]


@KIND
def test_the_headline_s_integral_grows_by_its_value(name):
    session = ran(kind_named(name).example, events=300)
    table = session.timeline.samples.table
    kind, numbers = session.bench.kind, session.bench.numbers
    values, totals = kind.headline_series(numbers, table)
    assert kind.headline_now(numbers, session.timeline.state) == pytest.approx(values[-1])
    if totals is None:  # the value lasts until the next sample
        return
    assert totals[0] == 0
    assert np.diff(totals) == pytest.approx(values[:-1] * np.diff(table[:, 1]), abs=1e-6)


@pytest.mark.slow
@KIND
def test_measures_so_far_are_those_of_the_whole_run(name):
    """Measures from batches and from samples agree, up to what happens between two samples."""
    session = Session.open(kind_named(name).example)
    kind, bench = session.bench.kind, session.bench
    until = {"reservation": 20.0, "moldable": 200.0}.get(name, 20_000.0)

    def advance(time):
        session.run(until=time)
        return session.timeline.state

    whole = estimates(kind.run_batches(bench.numbers, advance, 0.0, until))
    [so_far] = kind.batches_so_far(bench.numbers, [session.timeline.samples.table], 0.0, until)
    assert {measure.name for measure in kind.measures} <= set(so_far)
    first = kind.measures[0].name
    assert so_far[first].estimate().mean == pytest.approx(whole[first].mean, rel=0.05)


@KIND
def test_samples_that_are_far_apart_tell_a_mean_and_no_interval(name):
    """A long run keeps few samples of its start: interpolated values would vary too little between stretches."""
    session = Session.open(kind_named(name).example, kernel=False)
    session.run(events=3000)
    frame, kind, numbers = session.frame(), session.bench.kind, session.bench.numbers
    first = kind.measures[0].name

    def measured(stride):
        kept = replace(frame, samples=frame.samples[frame.samples[:, EVENT_COLUMN] % stride == 0])
        [batches] = kind.batches_so_far(numbers, [kept.until_now], 0.0, frame.time)
        judgement = kind.judge(session.bench.scenario, [batches], frame.time)
        return batches[first], UNDECIDED if judgement is None else judgement.verdict

    (every, _), (some, _), (few, verdict) = map(measured, (1, 60, 1024))
    assert [len(one.values) for one in (every, some, few)] == [kind.stretches, 12, 1]
    assert few.estimate().mean == pytest.approx(every.estimate().mean, rel=1e-9)
    assert isnan(few.estimate().half_width)
    assert verdict == UNDECIDED


@KIND
def test_of_a_long_run_means_are_those_of_the_time(name):
    """After going back to an early moment, means still start exactly at the end of the warm-up, between two events."""
    scenario = load_scenario(kind_named(name).example)
    early = ran(scenario, events=1001).timeline
    middle = (early.time + early.next_event.time) / 2
    warmup = floor(middle) if name == "queue" else middle  # slots are whole
    session = ran(edited(scenario, {"run": {"warmup": warmup}}), events=1500, kernel=True)

    def means():
        frame, kind = session.frame(), session.bench.kind
        [batches] = kind.batches_so_far(session.bench.numbers, (frame.until_now,), warmup, frame.time)
        growing = "queue_growth"  # estimated from stretches, not from both ends
        return {measure: one.estimate().mean for measure, one in batches.items() if measure != growing}

    at_the_time = means()
    session.run(events=20_000)
    session.seek(1500)
    assert session.timeline.samples.stride > 1
    assert means() == pytest.approx(at_the_time, rel=1e-9, nan_ok=True)


@KIND
def test_a_saved_session_of_any_kind_is_reopened(name, tmp_path):
    session = ran(kind_named(name).example, events=120)
    session.save(tmp_path / "a.slotscope")
    again = Session.load(tmp_path / "a.slotscope", kernel=False)
    assert type(again.timeline.state) is kind_named(name).spec.state
    assert digest(again.timeline.state) == digest(session.timeline.state)
    again.run(events=40)
    session.run(events=40)
    assert digest(again.timeline.state) == digest(session.timeline.state)


@KIND
def test_a_fork_keeps_the_jobs_and_meets_others(name):
    kind = kind_named(name)
    session = ran(kind.example, events=200)
    fork = session.continued(edited(session.bench.scenario, {"seed": 99}))
    assert fork.timeline.event == 200
    assert not kind.violations(fork.bench.system, fork.timeline.state)
    fork.run(events=200)
    session.run(events=200)
    assert digest(fork.timeline.state) != digest(session.timeline.state)
    assert not kind.violations(fork.bench.system, fork.timeline.state)
    fork.seek(200)
    fork.seek(400)  # the replay is compared


def test_a_run_is_not_continued_as_another_kind_of_system():
    session = Session.open("queues-classroom", kernel=False)
    with pytest.raises(ScenarioError, match="found a reservation system, allowed when continuing"):
        session.continued(load_scenario("dra-classroom"))


@pytest.mark.parametrize(("scenario", "policy"), [("dra-vms", "vqs"), ("queues-classroom", "dra")])
def test_a_policy_of_another_kind_of_system_is_refused_with_those_allowed(scenario, policy):
    allowed = POLICIES_OF[load_scenario(scenario).system]
    with pytest.raises(PolicyError, match=f"found '{policy}', a policy of") as raised:
        Session.open(scenario, policy)
    assert raised.value.line.endswith(f"allowed for this scenario: {', '.join(allowed)}")
    data = as_data(load_scenario(scenario)) | {"policy": {"name": policy}}
    with pytest.raises(PolicyError, match="allowed for this scenario"):
        Session.open(parse_scenario(data))


# Runs of a queueing system side by side.


@pytest.fixture
def compared():
    return Comparison.open("queues-classroom", ("bf-js", "vqs-bf"), kernel=False)


def test_lanes_with_slots_keep_one_clock(compared):
    for _ in range(60):
        compared.step()
        clock = compared.timeline.time
        for lane in compared.lanes:
            following = lane.line.next_event
            assert lane.line.time <= clock
            assert following is None or following.time > clock
    time = compared.timeline.time
    digests = [digest(session.timeline.state) for session in compared.sessions]
    compared.step_back()
    assert compared.timeline.time < time
    compared.step()
    assert [digest(session.timeline.state) for session in compared.sessions] == digests


def test_a_comparison_without_common_decisions_offers_no_differences(compared):
    compared.run(until=400.0)
    standing = compared.standing()
    assert (standing.first, standing.found, standing.decided) == (None, None, 0)
    assert not compared.differences
    assert not compared.go_to_first_difference()
    frame = compared.frame()
    assert len(frame.companions) == 1
    assert frame.companions[0].info.event_kinds == kind_named("queue").vocabulary.event_kinds


def test_stopping_at_a_kind_counts_in_every_lane(compared):
    reason = compared.run(stop=("job that waits",), until=inf)
    flag = kind_named("queue").vocabulary.event_kinds["job that waits"]
    last = [session.timeline.rows(session.timeline.event, session.timeline.event)[-1] for session in compared.sessions]
    assert reason.name == "FLAG"
    assert any(row["flags"] & flag and row["time"] == compared.timeline.time for row in last)


def test_a_comparison_of_queues_is_saved_and_reopened(compared, tmp_path):
    compared.run(until=300.0)
    save_run(compared, tmp_path / "two.slotscope")
    again = load_run(tmp_path / "two.slotscope", kernel=False)
    assert [digest(one.timeline.state) for one in again.sessions] == [
        digest(one.timeline.state) for one in compared.sessions
    ]
