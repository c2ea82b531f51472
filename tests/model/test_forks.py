"""Forks: the same past, the same jobs, and one deviation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slotscope.model.api import Session
from slotscope.model.comparison.companion import companion, forked
from slotscope.model.comparison.comparison import Comparison
from slotscope.model.comparison.file import load_run, save_run
from slotscope.model.errors import PolicyError, ScenarioError, UserError
from slotscope.model.forks.changes import Course, Deviation, edited_by, edits_between
from slotscope.model.forks.tree import ForkTree
from slotscope.model.scenario.load import as_data
from slotscope.model.systems.state import digest
from tests.forking import RUNS, SCENARIOS, at, decisions, own_decision, straight
from tests.model.test_moments import opened, place
from tests.runs import ran

KINDS = pytest.mark.parametrize("kind", RUNS)


def run_of(kind: str, events: int = 0, kernel: bool = False, policy: str = "") -> Session:
    scenario, own, _ = RUNS[kind]
    session = Session.open(scenario, policy or own, kernel=kernel)
    if events:
        session.run(events=events)
    return session


def to_a_decision(session: Session) -> str:
    """Run up to an event at which the policy makes a single decision; return the decision."""
    while not (own := own_decision(session)):
        session.run(events=1)
    return own


# Courses as text.

events = st.integers(0, 10**6)
changes = st.builds(
    Deviation, events, st.sampled_from(["best-fit", "dra:reservation_factor=2", "a/b.py:x=1"]), st.just("")
)
changes |= st.builds(Deviation, events, st.just(""), st.sampled_from(["reject", "server=3", "job=1,server=2"]))


@given(st.sampled_from(["", "dra", "dra:x=[1,2]", "/tmp/a@b.py"]), st.lists(changes, max_size=4))
def test_a_course_is_read_as_it_is_written(policy: str, made: list[Deviation]) -> None:
    course = Course(policy, tuple(sorted(made, key=lambda change: change.event)))
    assert Course.read(str(course)) == course


@pytest.mark.parametrize(
    ("text", "said"),
    [("dra@40:", "nothing after it"), ("dra@40=best-fit@30:reject", "in order of their events"), ("dra@4=", "nothing")],
)
def test_a_course_that_cannot_be_read_is_told(text: str, said: str) -> None:
    with pytest.raises(PolicyError, match=said):
        Course.read(text)


@pytest.mark.parametrize(
    ("one", "other", "event"),
    [
        ("dra", "dra", None),
        ("dra", "first-fit", 0),
        ("dra", "dra@40:reject", 40),
        ("dra@40:reject", "dra@40:server=2", 40),
        ("dra@40:reject@60:reject", "dra@40:reject@50=best-fit", 50),
    ],
)
def test_where_courses_part(one: str, other: str, event: int | None) -> None:
    assert Course.read(one).parting(Course.read(other)) == event
    assert Course.read(other).parting(Course.read(one)) == event


# An unchanged fork is the same run.


@pytest.mark.parametrize("scenario", SCENARIOS)
@settings(max_examples=3, deadline=None)
@given(data=st.data())
@pytest.mark.slow
def test_an_unchanged_fork_is_digest_by_digest_the_same_run(scenario: str, data: st.DataObject) -> None:
    session = Session.open(scenario, kernel=False)
    policy = session.origin.policy
    session.run(events=data.draw(st.integers(0, 60), "events"))
    event = session.timeline.event
    further = data.draw(st.integers(0, 20), "further")
    session.run(events=further)
    session.seek(event)
    twin = companion(session, policy, kernel=False)
    named = forked(session, at(event, policy=policy), kernel=False)
    for _ in range(15):
        for one in (session, twin, named):
            assert digest(one.timeline.state) == straight(scenario, policy).at(one.timeline.event)
            one.step()
    back = data.draw(st.integers(0, event), "back")
    for one in (session, twin, named):
        one.seek(back)
        assert digest(one.timeline.state) == straight(scenario, policy).at(back)


@KINDS
def test_forcing_what_the_policy_decides_changes_nothing(kind: str) -> None:
    session, tried = run_of(kind), 0
    while tried < 12:
        own = to_a_decision(session)
        fork = forked(session, at(session.timeline.event, own), kernel=False)
        session.run(events=1)
        fork.run(events=1)
        assert digest(fork.timeline.state) == digest(session.timeline.state), own
        tried += 1


# Decisions that are forced.


def wrong(session: Session) -> str:
    """A decision allowed at the next event that leads to another state; empty if there is none."""
    before = session.timeline.event
    for decision in decisions(session):
        try:
            fork = forked(session, at(before, decision), kernel=False)
        except PolicyError:
            continue
        fork.run(events=1)
        session.run(events=1)
        other = digest(fork.timeline.state) != digest(session.timeline.state)
        session.seek(before)
        if other:
            return decision
    return ""


def to_a_fork(kind: str, kernel: bool = False, after: int = 15) -> tuple[Session, Deviation]:
    """A run before an event that can be decided otherwise, and that other decision."""
    session = run_of(kind, after, kernel)
    while not (decision := wrong(session)):
        session.run(events=1)
    return session, at(session.timeline.event, decision)


@KINDS
def test_the_past_stays_and_the_future_is_another(kind: str) -> None:
    session, change = to_a_fork(kind)
    fork = forked(session, change, kernel=False)
    assert fork.timeline.event == change.event
    assert digest(fork.timeline.state) == digest(session.timeline.state)
    for event in (0, change.event // 2, change.event):
        fork.seek(event)
        session.seek(event)
        assert digest(fork.timeline.state) == digest(session.timeline.state)
    fork.step()
    session.step()
    assert digest(fork.timeline.state) != digest(session.timeline.state)
    assert any(record.kind == "decided_otherwise" for record in fork.last_records)
    said = fork.info.narrator.row(fork.timeline.rows(change.event + 1, change.event + 1)[0])
    assert "the fork decides" in said
    assert not fork.bench.kind.violations(fork.bench.system, fork.timeline.state)


@KINDS
def test_the_jobs_stay_the_same(kind: str) -> None:
    session, change = to_a_fork(kind)
    fork = forked(session, change, kernel=False)
    assert fork.bench.system.workload is session.bench.system.workload
    for one in (fork, session):
        one.run(events=200)
    seen = [{int(row["job"]): float(row["time"]) for row in arrivals(one)} for one in (fork, session)]
    common = set(seen[0]) & set(seen[1])
    assert len(common) > 10
    assert all(seen[0][job] == seen[1][job] for job in common)


def arrivals(session: Session) -> list[object]:
    rows = session.timeline.rows(1, session.timeline.event)
    known = session.bench.kind.vocabulary.event_kinds
    flag = known.get("arrival") or known.get("admission", 0) | known.get("rejection", 0)
    return [row for row in rows if row["flags"] & flag and row["job"] >= 0]


@pytest.mark.slow
@KINDS
def test_the_kernel_honours_what_is_forced_and_whoever_goes_on(kind: str) -> None:
    scenario, own, other = RUNS[kind]
    _, change = to_a_fork(kind)
    later = change.event + 40
    course = str(Course(own, (change, at(later, policy=other))))
    fast = Session.open(scenario, course, kernel=True)
    slow = Session.open(scenario, course, kernel=False)
    assert fast.timeline.engine.name == "kernel"
    for event in (change.event, change.event + 1, change.event + 30, later, later + 1, later + 50):
        fast.run(events=event - fast.timeline.event)
        slow.run(events=event - slow.timeline.event)
        assert digest(fast.timeline.state) == digest(slow.timeline.state) == straight(scenario, course).at(event)
    fast.seek(change.event)
    fast.step()
    assert fast.agreement
    fast.seek(later + 20)
    assert digest(fast.timeline.state) == straight(scenario, course).at(later + 20)


@KINDS
def test_what_is_impossible_is_told_and_changes_nothing(kind: str) -> None:
    session, change = to_a_fork(kind)
    number = 10**6
    decision = {
        "reservation": f"server={number}",
        "queue": f"job={number},wait",
        "phases": f"token={number}",
        "moldable": f"servers={number}",
    }[kind]
    before, forks = digest(session.timeline.state), dict(session.forks.names)
    with pytest.raises(PolicyError) as raised:
        forked(session, at(change.event, decision), kernel=False)
    assert "\n" not in raised.value.line and f"event {change.event + 1}" in raised.value.line
    with pytest.raises(PolicyError, match="allowed: '"):
        forked(session, at(change.event, "jump"), kernel=False)
    assert (digest(session.timeline.state), session.forks.names) == (before, forks)


@KINDS
def test_an_impossible_decision_of_a_command_stops_just_before_it(kind: str) -> None:
    scenario, own, _ = RUNS[kind]
    session = Session.open(scenario, f"{own}@10:jump", kernel=False)
    with pytest.raises(PolicyError, match="event 11 cannot be decided so"):
        session.run(events=20)
    assert session.timeline.event == 10
    assert digest(session.timeline.state) == straight(scenario, own).at(10)


def test_a_rejection_and_an_admission_are_what_they_say() -> None:
    session = run_of("reservation", 12)
    to_a_decision(session)
    event = session.timeline.event
    reject = forked(session, at(event, "reject"), kernel=False)
    reject.step()
    assert reject.timeline.state.tally[:, 1].sum() >= 0
    row = reject.timeline.rows(event + 1, event + 1)[0]
    assert reject.info.narrator.row(row).endswith("rejected: the fork decides so")
    assert row["server"] == -1


def test_a_job_goes_to_the_server_that_is_named() -> None:
    session = run_of("reservation", policy="first-fit")
    session.run(events=3)
    to_a_decision(session)
    event = session.timeline.event
    fork = forked(session, at(event, "server=7"), kernel=False)
    fork.step()
    assert fork.timeline.rows(event + 1, event + 1)[0]["server"] == 6


# Another policy.


@KINDS
def test_another_policy_goes_on_and_its_past_is_described_as_it_was(kind: str) -> None:
    _, own, other = RUNS[kind]
    session = run_of(kind, 40)
    fork = forked(session, at(40, policy=other), kernel=False)
    assert fork.info.policy_name == other
    assert fork.frame().info.policy_name == other
    fork.run(events=30)
    fork.seek(20)
    session.seek(20)
    frame = fork.frame()
    assert frame.info.policy_name == own
    assert digest(fork.timeline.state) == digest(session.timeline.state)
    assert frame.info.origin is fork.origin
    assert [frame.info.narrator.row(row) for row in frame.rows] == [
        session.info.narrator.row(row) for row in session.frame().rows
    ]
    assert frame.samples.shape[1] >= session.frame().samples.shape[1]


@KINDS
def test_each_event_is_worded_as_the_policy_has_it_that_decided_there(kind: str) -> None:
    scenario, _, other = RUNS[kind]
    session = run_of(kind, 300)
    fork = forked(session, at(300, policy=other), kernel=False)
    fork.run(events=60)
    other_alone = Session.open(scenario, other, kernel=False).info.narrator
    past = [session.info.narrator.row(row) for row in session.timeline.rows(1, 300)]
    for event in (200, 360):
        fork.seek(event)
        rows = fork.timeline.rows(1, 360)
        told = [fork.info.narrator.row(row) for row in rows]
        assert told[:300] == past
        assert told[300:] == [other_alone.row(row) for row in rows[300:]]


def edited(session: Session, *path: Any, value: Any) -> Deviation:
    """A change of one value of the scenario at the run's present event."""
    before = as_data(session.bench.scenario)
    after = json.loads(json.dumps(before))
    holder = after
    for part in path[:-1]:
        holder = holder[part]
    holder[path[-1]] = value
    return Deviation(session.timeline.event, edits=edits_between(before, after))


def test_an_edited_scenario_goes_on_with_the_same_jobs() -> None:
    session = run_of("reservation", 30)
    change = edited(session, "job_types", 0, "reward", value=9)
    fork = forked(session, change, kernel=False)
    assert (fork.info.scenario.job_types[0].reward, session.info.scenario.job_types[0].reward) == (9, 2)
    for _ in range(2):
        fork.run(events=40)
        session.run(events=40)
        assert fork.bench.system.arrivals(fork.timeline.state) > 10
    fork.seek(20)
    assert fork.info.scenario.job_types[0].reward == 2
    session.seek(20)
    assert digest(fork.timeline.state) == digest(session.timeline.state)
    again = opened(fork.frame().opening_line)
    assert place(again) == place(fork)


@pytest.mark.parametrize(
    ("kind", "path", "value", "said"),
    [
        ("reservation", ("job_types", 0, "workload"), 4, "other arrivals, sizes or service"),
        ("reservation", ("seed",), 99, "other arrivals, sizes or service"),
        ("reservation", ("job_types", 1, "name"), "other", "found other servers or job types"),
        ("queue", ("seed",), 99, "other arrivals, sizes or service"),
        ("phases", ("seed",), 99, "other arrivals, sizes or service"),
        ("moldable", ("servers", "count"), 9, "found other servers"),
    ],
)
def test_edits_under_which_the_jobs_are_others_are_refused(kind: str, path: Any, value: Any, said: str) -> None:
    session = run_of(kind, 20)
    with pytest.raises(ScenarioError, match=said):
        forked(session, edited(session, *path, value=value), kernel=False)


def test_edits_for_which_servers_are_too_full_name_one_as_people_do() -> None:
    session = run_of("reservation", 20)
    change = edited(session, "job_types", 0, "demand", "CPU", value=8)
    with pytest.raises(PolicyError, match=r"^server 1: found the configuration \[8, 0, 0\], allowed: what"):
        forked(session, change, kernel=False)


values = st.recursive(
    st.integers(0, 9) | st.sampled_from(["a", "b.c", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "c.d", "0"]), inner),
)


@given(*[st.dictionaries(st.sampled_from(["x", "y"]), values)] * 2)
def test_edits_lead_from_one_scenario_to_the_other(before: Any, after: Any) -> None:
    text = edits_between(before, after)
    assert (edited_by(before, text) if text else before) == after


def test_a_policy_that_cannot_go_on_is_refused() -> None:
    session = run_of("reservation", 10)
    with pytest.raises(UserError, match="no policy is called 'dro'"):
        forked(session, at(10, policy="dro"), kernel=False)


# Beside the original run, on the command line, in files.


@KINDS
def test_a_fork_stands_beside_its_run_and_differs_there_first(kind: str) -> None:
    session, change = to_a_fork(kind)
    fork = forked(session, change, kernel=False)
    beside = Comparison.of([companion(session, session.origin.policy, kernel=False), fork])
    assert beside.timeline.time == session.timeline.time
    assert beside.labels[0] != beside.labels[1]
    beside.run(events=60)
    found = beside.first_difference(where=True)
    if session.bench.kind.compares_decisions:
        assert found is not None
        assert beside.go_to_first_difference(where=True)
        assert beside.timeline.event == change.event
    assert session.timeline.event == change.event  # the original did not move


@KINDS
@pytest.mark.parametrize("further", [0, 1, 9])
def test_the_line_opens_the_very_moment_of_a_fork(kind: str, further: int) -> None:
    session, change = to_a_fork(kind)
    session.run(events=further)
    session.seek(change.event)
    fork = forked(session, change, kernel=False)
    run = Comparison.of([companion(session, session.origin.policy, kernel=False), fork])
    for _ in range(further):
        run.step()
    again = opened(run.frame().opening_line)
    assert place(again) == place(run)


@KINDS
def test_a_file_keeps_forks_and_their_names(kind: str, tmp_path: Path) -> None:
    session, change = to_a_fork(kind)
    fork = forked(session, change, kernel=False)
    fork.run(events=20)
    other = forked(fork, at(fork.timeline.event, policy=RUNS[kind][2]), kernel=False)
    session.forks.rename(fork.origin.policy, "  what   if ")
    run = Comparison.of([companion(session, session.origin.policy, kernel=False), fork, other])
    run.run(events=60)
    run.step_back()
    save_run(run, tmp_path / "a.slotscope")
    again = load_run(tmp_path / "a.slotscope", kernel=False)
    assert isinstance(again, Comparison)
    assert place(again) == place(run)
    assert again.first_session.forks.entries() == session.forks.entries()
    assert all(lane.forks is again.first_session.forks for lane in again.sessions)
    assert again.labels == run.labels and again.labels[1] == "what if"
    again.to_start()
    assert digest(again.sessions[2].timeline.state) == straight(RUNS[kind][0], RUNS[kind][1]).at(0)


def test_a_tree_has_each_fork_below_the_one_it_leaves() -> None:
    tree = ForkTree()
    for text in ("dra@40:reject", "dra@9=best-fit", "dra@40:reject@60:reject", "dra@40:reject@50:server=1"):
        tree.add(text)
    assert [(fork.depth, fork.name) for fork in tree.entries()] == [
        (0, "dra"),
        (1, "reject"),
        (2, "reject"),
        (2, "server=1"),
        (1, "best-fit"),
    ]
    tree.remove("dra@40:reject")
    assert [fork.text for fork in tree.entries()] == ["dra", "dra@9=best-fit"]


@pytest.mark.parametrize(
    ("policy", "label"),
    [
        ("vqs-bf@3=vqs-bf:j=3,stall=true", "VQS-BF, stall=true @3"),
        ("vqs-bf@3=vqs-bf:j=3,stall=true@5=vqs-bf:j=3,stall=false", "VQS-BF, stall=true @3, stall=false @5"),
        ("vqs-bf@3=vqs-bf:stall=true", "VQS-BF, stall=true @3"),  # j stays that of the scenario
        ("vqs-bf@3=vqs-bf:stall=true@5=vqs-bf:j=3", "VQS-BF, stall=true @3, vqs-bf:j=3 @5"),  # none given differs
        ("vqs-bf@3=bf-js:stall=true", "VQS-BF, bf-js:stall=true @3"),
    ],
)
def test_a_fork_with_other_parameters_is_called_by_these_alone(policy: str, label: str) -> None:
    session = ran("queues-classroom", policy, events=6)
    assert session.label == label


def test_what_was_opened_as_a_fork_or_put_beside_a_run_stands_in_the_tree() -> None:
    alone = Session.open("dra-classroom", "dra@12:reject", 1, kernel=False)
    assert [fork.text for fork in alone.forks.entries()] == ["dra", "dra@12:reject"]
    run = Comparison.open("dra-classroom", ["dra", "first-fit", "dra@12:reject"], 1, kernel=False)
    assert [fork.text for fork in run.first_session.forks.entries()] == ["dra", "dra@12:reject"]
    assert not Session.open("dra-classroom", "dra", 1, kernel=False).forks.entries()


def test_a_policy_in_a_file_is_called_without_its_folder() -> None:
    tree = ForkTree()
    tree.add("mine/few.py@40=mine/few.py:most=1@60=more.py")
    assert [fork.name for fork in tree.entries()] == ["few.py", "few.py:most=1", "more.py"]


def test_commands_take_forks_or_say_that_they_do_not(slotscope) -> None:
    found = slotscope("verify dra-classroom --policy dra@20:reject@30=best-fit --events 60 --json")
    assert found.code == 1 or json.loads(found.out)["agree"], found.err
    assert json.loads(found.out)["violations"] == []
    refused = slotscope("trace dra-classroom --policy dra@20:reject")
    assert refused.code == 2
    assert "found the fork" in refused.err and len(refused.err.splitlines()) == 1
