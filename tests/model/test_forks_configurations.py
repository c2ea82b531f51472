"""Forks that give an empty server another configuration: slots in loss systems, active configurations in queues."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from slotscope.model.api import Session
from slotscope.model.comparison.companion import forked
from slotscope.model.errors import PolicyError
from slotscope.model.forks.changes import MOST_OFFERED, Choice, Deviation, offered
from slotscope.model.kinds.reservation.view import ReservationView
from slotscope.model.kinds.reservation.whatif import _configurations
from slotscope.model.reporting.records import Reassign, Renew
from slotscope.model.running.engine import EventRun
from slotscope.model.systems.state import copied, digest
from tests.forking import at
from tests.runs import ran

#: Scenarios and policies that give empty servers configurations.
RUNS = [
    ("dra-classroom", "dra"),
    ("dra-pools", "dra"),
    ("dra-classroom", "dra-periodic"),
    ("dra-classroom", "static-reservation"),
    ("queues-classroom", "vqs"),
    ("queues-classroom", "vqs-bf:renew_mode=sequential"),
    ("queues-classroom", "max-weight"),
    ("queues-classroom", "max-weight:preemptive=true"),
    ("queues-pools", "vqs-bf"),
]

EITHER = pytest.mark.parametrize(("scenario", "policy"), RUNS)


def configurations(session: Session) -> list[Choice]:
    """The choices of configurations at the next event."""
    line = session.timeline
    choices = session.bench.at(line.event).system.choices(line.state)
    return [choice for choice in choices if choice.text.startswith("configuration=")]


def given_to(state: Any, system: Any, server: int) -> str:
    """The configuration of a server as a choice's title writes it, without k[i]."""
    if hasattr(state, "active"):
        return str(system.policy.configuration_names[state.active[server]])
    return f"({', '.join(map(str, state.configuration[server].tolist()))})"


def becomes(session: Session) -> Any:
    """The state after the next event."""
    run = EventRun(session.bench.runs, copied(session.timeline.state))
    run.finish()
    return run.state


@EITHER
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(data=st.data())
def test_an_empty_server_gets_the_one_that_is_chosen(scenario: str, policy: str, data: st.DataObject) -> None:
    session = ran(scenario, policy, events=data.draw(st.integers(0, 80), "events"))
    for _ in range(60):
        if found := configurations(session):
            break
        session.run(events=1)
    else:
        return  # no server was empty in all these events
    choice, event = data.draw(st.sampled_from(found), "choice"), session.timeline.event
    server = data.draw(st.sampled_from(choice.servers), "server")
    try:
        fork = forked(session, at(event, choice.decision(server + 1)), kernel=False)
    except PolicyError as error:  # a job arrives at, or migrates to, the empty server
        assert "which is not empty" in error.message
        assert becomes(session).placement[server].any()
        return
    fork.run(events=1)
    assert f" {given_to(fork.timeline.state, session.bench.system, server)} to server" in choice.title
    assert fork.agreement is None or fork.agreement.agrees
    twin = forked(session, at(event, choice.decision(server + 1)), kernel=True)
    fork.run(events=40)
    twin.run(events=41)
    assert digest(twin.timeline.state) == digest(fork.timeline.state)


@EITHER
def test_the_one_that_the_policy_takes_changes_nothing(scenario: str, policy: str) -> None:
    session, tried = ran(scenario, policy, events=0), 0
    for _ in range(300):
        if tried >= 10:
            break
        own, event = becomes(session), session.timeline.event
        run = EventRun(session.bench.runs, copied(session.timeline.state))
        run.finish()
        for record in run.records:
            if not isinstance(record, (Renew, Reassign)):
                continue
            taken = f" {given_to(own, session.bench.system, record.server)} to server"
            same = [one for one in configurations(session) if record.server in one.servers and taken in one.title]
            for choice in same[:1]:
                fork = forked(session, at(event, choice.decision(record.server + 1)), kernel=False)
                fork.run(events=1)
                assert digest(fork.timeline.state) == digest(own)
                said = fork.info.narrator.row(fork.timeline.rows(event + 1, event + 1)[0])
                assert "the fork decides" in said
                tried += 1
        session.run(events=1)
    assert tried or policy == "static-reservation"  # it gives no configurations after the start


@EITHER
@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_one_with_jobs_keeps_its_own(scenario: str, policy: str, data: st.DataObject) -> None:
    session = ran(scenario, policy, events=data.draw(st.integers(20, 80), "events"))
    if policy.endswith("preemptive=true"):  # it also gives configurations to servers with jobs
        return
    state = session.timeline.state
    after = becomes(session)
    on = [one.jobs_on if hasattr(one, "jobs_on") else one.placement.sum(axis=1) for one in (state, after)]
    busy = [server for server in range(len(on[0])) if on[0][server] > 1 and on[1][server]]
    if not busy:
        return
    server = data.draw(st.sampled_from(busy), "server")
    with pytest.raises(PolicyError, match=r"gets no configuration|not empty|not feasible|allowed: 1 to"):
        forked(session, at(session.timeline.event, f"configuration=1,server={server + 1}"), kernel=False)
    about = [text for _, text in offered(configurations(session), server)]
    assert not about


def test_without_a_cra_they_are_those_that_servers_have_the_largest_first() -> None:
    session = ran("dra-classroom", "static-reservation", events=40)
    state, system = copied(session.timeline.state), session.bench.system
    state.configuration[:] = np.random.default_rng(3).integers(0, 3, state.configuration.shape)
    rows = np.unique(state.configuration, axis=0)[::-1]
    assert len(rows) > 3
    assert _configurations(system.policy, ReservationView(system.numbers, state)) == [
        tuple(row) for row in rows.tolist() if any(row)
    ]


def test_a_menu_offers_them_of_an_empty_server_alone() -> None:
    session = ran("queues-classroom", "vqs-bf", events=15)
    choices = session.bench.system.choices(session.timeline.state)
    assert [words for words, _ in offered(choices, server=1)][:2] == [
        "give the configuration e₀ to server 2",
        "give the configuration 2e₂ to server 2",
    ]
    assert offered(choices, server=0) == []  # it has jobs


def test_servers_of_each_pool_are_offered_theirs() -> None:
    session = ran("queues-pools", "vqs-bf", events=4)
    found, pools = configurations(session), session.bench.system.numbers.pool_of
    empty = [server for server, jobs in enumerate(session.timeline.state.jobs_on) if not jobs]
    assert {int(pools[server]) for server in empty} == {0, 1, 2}
    for server in empty:
        names = {words.removesuffix(f" to server {server + 1}") for words, _ in offered(found, server)}
        first, end = session.bench.system.policy.pool_configurations[pools[server]]
        own = session.bench.system.policy.configuration_names[first:end]
        assert names == {f"give the configuration {name}" for name in own[:MOST_OFFERED]}


@pytest.mark.parametrize(
    ("scenario", "policy", "decision", "said"),
    [
        ("queues-classroom", "bf-js", "configuration=1,server=1", "whose servers have configurations"),
        ("queues-classroom", "vqs-bf", "configuration=9,server=1", "allowed: 1 to 8"),
        ("queues-classroom", "vqs-bf", "configuration=1,server=4", "there is no server 4"),
        ("dra-classroom", "first-fit", "configuration=1,server=7", "reserves no slots"),
        ("dra-classroom", "dra", "configuration=4,server=7", "allowed: 1 to 3"),
        ("dra-classroom", "dra", "configuration=1,server=8", "server 8"),
    ],
)
def test_an_impossible_one_is_told(scenario: str, policy: str, decision: str, said: str) -> None:
    session = ran(scenario, policy, events=3)
    with pytest.raises(PolicyError, match=said):
        forked(session, Deviation(session.timeline.event, "", decision), kernel=False)


def test_a_policy_of_ones_own_that_renews_is_overruled(tmp_path: Path) -> None:
    from slotscope.model.kinds.queue.policies import vqs_bf

    path = tmp_path / "mine.py"
    path.write_text(Path(vqs_bf.__file__).read_text())
    session = ran("queues-classroom", str(path), events=15)
    choice = configurations(session)[1]
    fork = forked(session, at(15, choice.decision(choice.servers[0] + 1)), kernel=False)
    fork.run(events=1)
    assert given_to(fork.timeline.state, session.bench.system, choice.servers[0]) == "2e₂"
