"""Each kind's monitors detect a user policy whose decisions are allowed but violate the monitored invariant."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from slotscope.model.api import Session
from slotscope.model.comparison.runs import lanes_watched
from slotscope.model.measures.monitors import Reading
from slotscope.model.questions.breakpoints import Breakpoints
from slotscope.model.systems.state import digest
from tests.own_policies import write


class Broken(NamedTuple):
    """A policy, its scenario, the monitor that it violates, and the monitor's sentence."""

    scenario: str
    monitor: str
    says: str
    text: str


WRONG_RANK = """
from dataclasses import replace
from slotscope.model.kinds.reservation.policies import dra
from slotscope.model.kinds.reservation.policies.base import Classify

class Policy(dra.Reference):
    title = "DRA that always takes I* for J"

    def cra(self, view):
        for record in super().cra(view):
            yield replace(record, i_star=view.ranks) if isinstance(record, Classify) else record
"""

OFF_THE_ACCEPT_GROUP = """
from slotscope.model.kinds.reservation.policies import dra

class Policy(dra.Reference):
    title = "DRA that fills the Reject Group first"

    @staticmethod
    def accepting_server(view, job_type):
        others = (view.empty_slots(job_type) * view.classification().reject_group).nonzero()[0]
        return (int(others[0]), 1) if len(others) else dra.Reference.accepting_server(view, job_type)
"""

LEAVES_A_THIRD = """
from slotscope.model.kinds.queue.policies.base import OwnPolicy, Place

class Policy(OwnPolicy):
    title = "Promises to leave no job that fits, and leaves every third"
    exhausts = "queue"

    def slot(self, view):
        for job in view.waiting():
            room = view.with_room(job)
            if len(room) and job.number % 3:
                yield Place(job=job.number, server=room[0])
"""

LIGHTEST = """
import numpy as np
from slotscope.model.kinds.queue.policies import {module}

class Policy({module}.Reference):
    title = "The configuration of least weight"

    def heaviest(self, server, lengths):
        start, stop = self.pool_configurations[self.numbers.pool_of[server]]
        weights = self.configurations[start:stop].astype(np.int64) @ lengths
        return start + int(np.argmin(weights)), int(weights.min())
"""

BEYOND_ITS_SHARE = """
from slotscope.model.kinds.queue.policies import vqs
from slotscope.model.kinds.queue.policies.base import Place

class Policy(vqs.Reference):
    title = "VQS that fills what it keeps for VQ_1"

    def serve(self, view, server):
        for queue in self.configurations[view.active(server)].nonzero()[0].tolist():
            for job in view.in_line(queue):
                if not view.fits(job, server):
                    break
                yield Place(job=job.number, server=server)
"""

WITHOUT_A_LIMIT = """
from slotscope.model.kinds.phases.policies import jrs

class Policy(jrs.Reference):
    title = "JRS that makes no virtual job"

    def _keep_limit(self, view, pool, asked=0):
        yield from ()
"""

WITHOUT_TIMERS = """
from slotscope.model.kinds.phases.policies import jrs

class Policy(jrs.Reference):
    title = "JRS that starts no timer again"

    def move(self, view, job):
        yield from ()
"""

MORE_THAN_ASKED = """
from slotscope.model.kinds.moldable.policies.base import Allocate, OwnPolicy, Reject

class Policy(OwnPolicy):
    title = "Two servers for a job that asks for one"
    asks = True

    def arrival(self, view, job):
        free = view.free(job.type)
        yield Allocate(servers=min(2, free), values={"request": 1}) if free else Reject()
"""

BROKEN = {
    "groups": Broken("dra-classroom", "groups", "but I* is", WRONG_RANK),
    "admission": Broken("dra-classroom", "admission", "in the Reject Group", OFF_THE_ACCEPT_GROUP),
    "work-conserving": Broken("queues-classroom", "work-conserving", "fits server", LEAVES_A_THIRD),
    "max-weight of VQS": Broken("queues-classroom", "max-weight", "weighs", LIGHTEST.format(module="vqs")),
    "max-weight of VQS-BF": Broken("queues-classroom", "max-weight", "weighs", LIGHTEST.format(module="vqs_bf")),
    "reservations": Broken("queues-classroom", "reservations", "server", BEYOND_ITS_SHARE),
    "token-limit": Broken("jrs-classroom", "token-limit", "tokens of type", WITHOUT_A_LIMIT),
    "pauses": Broken("jrs-classroom", "pauses", "a timer of server", WITHOUT_TIMERS),
    "records": Broken("moldable-classroom", "records", "asked for 1", MORE_THAN_ASKED),
}

EVENTS = 300


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("broken")


def opened(folder: Path, broken: Broken) -> Session:
    return Session.open(broken.scenario, write(folder, broken.text), kernel=False)


def reading(session: Session, broken: Broken) -> Reading:
    (found,) = [one for one in session.lookout.readings if one.monitor.name == broken.monitor]
    return found


@cache
def first_violated(folder: Path, broken: Broken) -> Reading:
    """The monitor's reading at the first violation, if every state is checked."""
    session = opened(folder, broken)
    for _ in range(EVENTS):
        session.lookout.look(session.timeline.event, session.timeline.state)
        if (found := reading(session, broken)).standing == "violated":
            return found
        session.run(events=1)
    raise AssertionError(f"{broken.monitor} holds for {EVENTS} events")


@pytest.mark.slow
@pytest.mark.parametrize("name", BROKEN)
def test_a_decision_that_is_legal_violates_a_monitor(name: str, folder: Path) -> None:
    found = first_violated(folder, BROKEN[name])
    assert BROKEN[name].says in found.sentence
    assert found.since in (found.event - 1, -1)


@pytest.mark.slow
@pytest.mark.parametrize("name", BROKEN)
def test_a_run_that_breaks_it_is_saved_and_opened_again(name: str, folder: Path, tmp_path: Path) -> None:
    session = opened(folder, BROKEN[name])
    session.run(events=first_violated(folder, BROKEN[name]).event)
    session.save(tmp_path / "run.slotscope")
    again = Session.load(tmp_path / "run.slotscope", kernel=False)
    for one in (session, again):
        one.run(events=20)
    assert digest(again.timeline.state) == digest(session.timeline.state)


def test_the_slack_of_the_token_limit_is_below_nothing_where_a_type_has_too_many(folder: Path) -> None:
    broken = BROKEN["token-limit"]
    first = first_violated(folder, broken)
    session = opened(folder, broken)
    session.run(events=first.event)
    slack = reading(session, broken).monitor.slack
    assert slack is not None
    values = slack(session.info.numbers, session.info.facts, session.timeline.samples.table)
    assert (values[:-1] >= 0).all()
    assert values[-1] == -1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["groups", "max-weight of VQS", "token-limit", "records"])
def test_verify_says_at_which_event(name: str, folder: Path, slotscope) -> None:
    broken = BROKEN[name]
    path = write(folder, broken.text)
    said = slotscope(f"verify {broken.scenario} --events {EVENTS} --policy", path)
    assert said.code == 1
    found = first_violated(folder, broken)
    assert f"event {found.event}: {found.sentence}" in said.out


@pytest.mark.slow
@pytest.mark.parametrize(
    "policy",
    [
        "vqs",
        "vqs:renew=before",
        "vqs:renew_mode=sequential",
        "vqs-bf:stall=true",
        "vqs-bf:renew=before,renew_mode=sequential",
        "max-weight",
        "max-weight:preemptive=true",
        "max-weight:preemptive=true,renew=before",
    ],
)
@pytest.mark.parametrize("scenario", ["queues-vqs-unstable", "queues-bf-unstable"])
def test_every_reading_of_the_paper_is_truly_max_weight(scenario: str, policy: str) -> None:
    session = Session.open(scenario, policy, kernel=False)
    for _ in range(400):
        session.run(events=1)
        session.lookout.look(session.timeline.event, session.timeline.state)
    (found,) = [one for one in session.lookout.readings if one.monitor.name == "max-weight"]
    assert (found.standing, found.looked) == ("holds", 400), found.sentence


def test_a_policy_that_chooses_otherwise_does_not_promise_it(folder: Path) -> None:
    """A user policy has this monitor only if it declares it; without configurations there is nothing to choose."""
    plain = Broken("queues-classroom", "max-weight", "", LEAVES_A_THIRD)
    names = [one.monitor.name for one in opened(folder, plain).lookout.readings]
    assert "work-conserving" in names
    assert "max-weight" not in names


def test_a_run_stops_again_where_a_fork_s_later_policy_was_found_to_break_it(folder: Path) -> None:
    session = Session.open("dra-classroom", f"dra@30={write(folder, WRONG_RANK)}", kernel=False)
    breakpoints = Breakpoints()
    breakpoints.watch(session.bench, session.timeline, lanes_watched(session))
    breakpoints.add("monitor groups")
    while not breakpoints.violated():
        session.step()
        session.lookout.look(session.timeline.event, session.timeline.state)
    broke = session.timeline.event
    assert broke > 30
    session.seek(20)  # under the policy before the fork
    breakpoints.begin()
    assert breakpoints.room() == broke - 20
    session.run(events=broke - 20)
    assert f"Violated after event {broke}" in breakpoints.told()
