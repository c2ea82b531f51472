"""Monitors and explanations of forks with forced decisions, and forks under user policies."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from slotscope.model.api import Session
from slotscope.model.comparison.companion import forked
from slotscope.model.errors import UserError
from slotscope.model.forks.changes import Choice, offered
from slotscope.model.systems.state import digest
from tests.contract.own_kinds import CASES, POLICIES
from tests.forking import RUNS, Straight, at, decisions, own_decision
from tests.model.test_forks import KINDS, run_of
from tests.runs import ran


def test_a_menu_offers_what_is_about_the_thing_that_is_pointed_at() -> None:
    slots = (Choice("server", "put job 7 on server {}", 9), Choice("reject", "reject job 7"))
    assert offered(slots) == [("reject job 7", "reject")]
    assert offered(slots, server=2) == [("put job 7 on server 3", "server=3"), ("reject job 7", "reject")]
    assert offered(slots, server=9) == [("reject job 7", "reject")]
    widths = (Choice("servers", "give job 7 so many servers: {}", 3),)
    assert [decision for _, decision in offered(widths)] == ["servers=1", "servers=2", "servers=3"]
    queue = [Choice(f"job={job},{what}", "", most) for job in (3, 4) for what, most in (("server", 5), ("wait", 0))]
    assert [decision for _, decision in offered(queue, job=4)] == [
        *(f"job=4,server={one}" for one in range(1, 6)),
        "job=4,wait",
    ]
    assert len(offered(queue)) == 12
    assert len(offered([*queue, *queue], server=0)) == 8
    renewal = Choice("configuration=2,server", "give the configuration 4e₄ to server {}", 5, (2, 3))
    assert offered([*queue * 9, renewal], server=2)[0][1] == "configuration=2,server=3"
    assert all(decision.startswith("job") for _, decision in offered([*queue * 9, renewal], server=1))
    assert offered([*queue * 9, renewal])[0][1] == "job=3,server=1"


def test_a_job_is_offered_no_more_servers_than_are_free() -> None:
    session, offers = run_of("moldable"), {}
    for _ in range(60):
        session.run(events=1)
        line = session.timeline
        free = int(line.state.free.sum())
        offers |= {free: [choice.most for choice in session.bench.system.choices(line.state)] or offers.get(free)}
    assert offers[0] == [0]
    assert offers[1] == [1, 0]
    assert max(offers) > 5 and offers[max(offers)] == [5, 0]


@pytest.mark.slow
@KINDS
def test_policies_of_ones_own_are_left_overruled_and_gone_on_with(kind: str, tmp_path: Path) -> None:
    scenario, own, _ = RUNS[kind]
    file = str(POLICIES / CASES[kind].example)
    session = run_of(kind, 20, policy=file)
    event, found = session.timeline.event, []
    while not found and event < 60:
        session.run(events=1)
        event = session.timeline.event
        for decision in decisions(session):
            try:
                found.append(forked(session, at(event, decision), kernel=False))
            except UserError as error:
                assert "\n" not in error.line
    assert found
    for left, policy in ((session, own), (run_of(kind, event, policy=own), file)):
        try:
            found.append(forked(left, at(event, policy=policy), kernel=False))
        except UserError as error:
            assert kind == "phases" and "normal servers" in error.line
    for other in found:
        assert other.timeline.event == event
        other.run(events=20)
        assert digest(other.timeline.state) == Straight(scenario, other.origin.policy).at(event + 20)
        assert not other.bench.violations(other.timeline.state)
        other.save(tmp_path / "a.slotscope")
        assert Session.load(tmp_path / "a.slotscope", kernel=False).origin == other.origin
        other.seek(event + 1)
        assert other.frame().rows[-1]["event"] == event + 1


# Monitors and explanations after a forced decision.


def told_to_wait() -> Session:
    """A queueing run just after an event at which a fork made a job wait although it fits."""
    session = run_of("queue", policy="bf-js")
    for event in range(1, 200):
        session.seek(event)
        if session.timeline.event < event:
            session.run(events=1)
        own = own_decision(session)
        if own:
            other = forked(session, at(event, f"{own.split(',')[0]},wait"), kernel=False)
            other.seek(event)
            other.run(events=1)
            bench = other.bench
            if bench.kind.violations(bench.system, other.timeline.state):
                return other
    raise AssertionError("no job that fits could be told to wait")


def test_what_the_policy_promises_is_not_judged_once_a_fork_has_decided(tmp_path: Path) -> None:
    session = told_to_wait()
    event = session.timeline.event
    session.lookout.look(event, session.timeline.state)
    (promise,) = [one for one in session.lookout.readings if one.monitor.name == "work-conserving"]
    assert promise.standing == "open"
    assert f"not judged from event {event} on, which the fork decides (job=" in promise.sentence
    assert {one.standing for one in session.lookout.readings if one is not promise} == {"holds"}
    session.save(tmp_path / "a.slotscope")
    assert Session.load(tmp_path / "a.slotscope", kernel=False).timeline.event == event


def test_a_job_that_a_fork_puts_where_nothing_is_kept_for_it_breaks_no_promise() -> None:
    session = ran("queues-classroom", "vqs@126:job=65,server=3", seed=1, events=130)
    session.lookout.look(130, session.timeline.state)
    readings = {one.monitor.name: one for one in session.lookout.readings}
    assert readings["reservations"].standing == "open" and "not judged" in readings["reservations"].sentence
    assert not session.bench.violations(session.timeline.state)


def test_a_decision_of_the_past_is_explained_by_the_rules_that_held_there() -> None:
    session = run_of("reservation", policy="dra@30=best-fit")
    session.run(events=60)
    for event, asked in ((20, "Algorithm 2"), (50, "line 2")):
        session.seek(event)
        session.ask_why(None)
        assert session.answer is not None and asked in session.answer.tables[0].lines()[0].place
    forced = run_of("reservation", policy="dra@12:reject")
    forced.run(events=20)
    with pytest.raises(UserError, match=r"event 13 is decided by the fork \(reject\)"):
        forced.ask_why(None, 13)


@pytest.mark.parametrize("policy", ["vqs-bf@200:job=97,wait", "bf-s@205:job=109,wait", "fifo-ff@208:job=115,wait"])
def test_a_job_of_a_queue_waits_for_one_slot_where_the_policy_would_take_it_in_the_next(policy: str) -> None:
    """Nothing arrives or leaves in the next slot, so it would be skipped; here the kernel must run it, too."""
    event, job = (int(number) for number in re.findall(r"[0-9]+", policy))
    for kernel in (False, True):
        session = Session.open("queues-classroom", policy, 1, kernel=kernel)
        session.run(events=event + 1)
        slot, waits = session.timeline.state.clock[0], session.timeline.state.job_number == job
        assert session.timeline.state.job_server[waits].tolist() == [-1]
        session.run(events=1)
        assert session.timeline.state.clock[0] == slot + 1
        assert session.timeline.state.job_server[session.timeline.state.job_number == job].tolist() != [-1]
