"""Continuing with another policy for moldable jobs: running jobs stay, and only what must change does."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

from slotscope.model.api import Session
from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.moldable.state import BELOW, DISTANCE, NOW
from slotscope.model.scenario.load import parse_scenario
from slotscope.model.systems.state import copied, differences, digest
from tests.runs import ran
from tests.sound import check_saved

FOLDER = Path(__file__).parents[2] / "golden" / "moldable"

TABLE = ["1", "9/5", "5/2", "3", "17/5"]
TWO: list[dict[str, Any]] = [{"name": "a", "speedup": TABLE}, {"name": "b", "speedup": TABLE[:2]}]
SHARES = {"a": "1/2", "b": "1/4"}


def scenario(
    policy: str = "greedy-p", /, *, rho: str = "4/5", servers: int = 30, classes: Any = None, **parameters: Any
) -> Any:
    return parse_scenario(
        {
            "system": "moldable",
            "seed": 5,
            "servers": {"count": servers},
            "classes": classes or [{"speedup": TABLE}],
            "workload": {"kind": "poisson", "load": rho},
            "policy": {"name": policy, "parameters": parameters},
        }
    )


def forked(before: Any, after: Any, when: Callable[[Any], Any] = lambda state: True) -> tuple[Any, Session]:
    """The state in which *when* holds for the first time after 60 events, and the fork."""
    session = ran(before, events=60)
    for _ in range(2000):
        if when(session.timeline.state):
            break
        session.run(events=1)
    assert when(session.timeline.state)
    state: Any = copied(session.timeline.state)
    fork = session.continued(after)
    assert digest(session.timeline.state) == digest(state)  # the original run is unchanged
    return state, fork


def check(session: Session, events: int = 80) -> Any:
    system = session.bench.system
    for _ in range(events):
        assert session.bench.kind.violations(system, session.timeline.state) == []
        session.run(events=1)
    return session.timeline.state


@pytest.mark.parametrize(
    "after",
    [scenario(), scenario("greedy"), scenario("fixed-width"), scenario("threshold", steps=[{"free": 9, "servers": 3}])],
)
def test_nothing_changes_but_the_requests(after: Any) -> None:
    """As long as pools and optimum stay the same."""
    state, fork = forked(scenario(), after)
    assert digest(fork.timeline.state) == digest(state)
    check(fork)


def test_a_policy_that_asks_otherwise_does_so_at_once() -> None:
    _, fork = forked(scenario(), scenario("greedy"))
    first = fork.timeline.event
    fork.run(events=50)
    rows = fork.timeline.rows(first + 1, fork.timeline.event)
    arrivals = rows[(rows["flags"] & 1) != 0]
    assert len(arrivals) > 5
    assert set(arrivals["request"].tolist()) == {5}


def test_with_another_load_distances_are_from_another_optimum() -> None:
    state, fork = forked(scenario(), scenario(rho="1/2"), lambda state: state.below[0, 0] > 0)
    there: Any = fork.timeline.state
    numbers: Any = fork.bench.numbers
    assert numbers.support == ((5,),)
    away = np.abs(there.jobs[0] - numbers.target[0]).sum()
    assert there.level[0, DISTANCE] == pytest.approx(away, abs=1e-4)
    assert there.below.tolist() == 2 * [[int(there.jobs[0, :5].sum())]]
    assert not there.occupancy.any()
    assert set(differences(there, state)) <= {
        "area",
        "since",
        "below",
        "distance",
        "level",
        "level_area",
        "occupancy",
        "class_since",
    }
    check(fork)


def test_what_was_measured_before_stays_measured() -> None:
    """The integrals are completed up to the fork, with the levels that held until then."""
    state, fork = forked(scenario(), scenario(rho="1/2"))
    there: Any = fork.timeline.state
    now = state.clock[NOW]
    assert there.area == pytest.approx(state.area + state.jobs * (now - state.since))
    settled = state.level_area + state.level * (now - state.class_since)[:, None]
    assert there.level_area == pytest.approx(settled)
    assert (there.since == now).all()
    assert (there.class_since == now).all()
    assert there.level_area[0, BELOW] <= now


@pytest.mark.parametrize("rest", ["idle", "common"])
def test_reserved_servers_are_everybodys_under_a_policy_without_shares(rest: str) -> None:
    before = scenario(classes=TWO, shares=SHARES, rest=rest)
    state, fork = forked(before, scenario("greedy", classes=TWO), lambda state: (state.jobs.sum(axis=1) > 1).all())
    there: Any = fork.timeline.state
    assert there.free.tolist() == [int((state.server_job < 0).sum())]
    assert there.gap_head.shape[0] == 1
    assert there.server_job.tolist() == state.server_job.tolist()
    last = check(fork)
    assert (last.job_number >= state.job_number.max()).any()


def test_gaps_are_taken_from_the_first_server_on_after_a_change_of_pools() -> None:
    before = scenario(classes=TWO, shares=SHARES, rest="common")
    _, fork = forked(before, scenario("greedy", classes=TWO), lambda state: (state.server_job < 0).sum() > 8)
    there: Any = fork.timeline.state
    for head in there.gap_head[0].tolist():
        order = [head]
        while order[-1] >= 0:
            order.append(int(there.gap_next[order[-1]]))
        assert order[:-1] == sorted(order[:-1])


def test_the_same_shares_are_the_same_pools() -> None:
    before = scenario(classes=TWO, shares=SHARES, rest="common")
    state, fork = forked(before, scenario(classes=TWO, shares=SHARES, rest="common", p={"a": [0, 1], "b": [1]}))
    assert digest(fork.timeline.state) == digest(state)
    check(fork)


def test_a_fork_of_a_fork() -> None:
    _, fork = forked(scenario(), scenario("greedy"))
    fork.run(events=30)
    second = fork.continued(scenario(rho="3/5"))
    check(second)
    second.to_start()
    assert second.timeline.first_event == 90


def test_the_kernel_goes_on_where_the_reference_stood() -> None:
    _, fork = forked(scenario(), scenario("greedy", rho="3/5"))
    fork.run(events=70)
    there = digest(fork.timeline.state)
    fork.to_start()
    fork.use_kernel()
    fork.run(events=70)
    assert digest(fork.timeline.state) == there


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        (scenario(), scenario(servers=29), "found other servers, allowed when continuing: the same"),
        (scenario(), scenario(classes=[{"speedup": TABLE[:3]}]), "found other speed-ups"),
        (
            scenario(classes=TWO, shares="none"),
            scenario(classes=[TWO[0], TWO[1] | {"name": "c"}], shares="none"),
            "found other classes",
        ),
        (scenario(), scenario(classes=TWO), "found other classes and speed-ups"),
        (
            scenario(classes=TWO, shares="none"),
            scenario(classes=TWO, shares=SHARES),
            "found other pools of servers, allowed when continuing: the same, or one pool",
        ),
        (
            scenario(classes=TWO, shares=SHARES),
            scenario(classes=TWO, shares=SHARES, rest="common"),
            "found other pools of servers",
        ),
    ],
)
def test_what_has_no_place_is_refused(before: Any, after: Any, sentence: str) -> None:
    with pytest.raises(ScenarioError, match=sentence) as raised:
        forked(before, after)
    assert "run it from the start instead" in raised.value.line
    assert len(raised.value.line.splitlines()) == 1


def test_a_script_has_no_other_end() -> None:
    session = ran(FOLDER / "B01_greedy_linear_partial.json", events=2)
    with pytest.raises(ScenarioError, match="found a recorded workload, allowed when continuing with new arrivals"):
        session.continued(session.info.scenario)


class TestSavedRuns:
    @pytest.mark.parametrize("policy", ["greedy-p", "greedy"])
    def test_go_on_where_they_stood(self, policy: str, tmp_path: Path) -> None:
        check_saved(scenario(policy), tmp_path)

    def test_keep_the_names_of_a_script(self, tmp_path: Path) -> None:
        script = {
            "kind": "scripted",
            "arrivals": [
                {"time": 0, "size": 2, "requested": 2, "job": "first"},
                {"time": 1, "size": 2, "requested": 1},
            ],
        }
        value = parse_scenario(
            {
                "system": "moldable",
                "servers": {"count": 4},
                "classes": [{"speedup": TABLE[:2]}],
                "workload": script,
                "policy": {"name": "greedy-p"},
            }
        )
        session = ran(value, events=1)
        session.save(tmp_path / "script.slotscope")
        again = Session.load(tmp_path / "script.slotscope", kernel=False)
        assert [again.bench.system.job_name(number) for number in (0, 1)] == ["first", "1"]


def test_into_an_event_and_back() -> None:
    session = ran(scenario(), events=30)
    session.run(stop=("arrival",))
    session.step_back()  # just before the arrival, which has three sub-steps
    event = session.timeline.event
    session.step_into()
    session.step_into()
    middle = digest(session.timeline.shown_state)
    assert session.timeline.substep == 2
    session.step_out()
    session.run(events=20)
    session.seek(event, 2)
    assert digest(session.timeline.shown_state) == middle
    session.step_back()
    assert (session.timeline.event, session.timeline.substep) == (event, 0)
