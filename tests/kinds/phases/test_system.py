"""Jobs with phases under the references: a second program agrees, decisions are checked."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any, Callable, Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slotscope.model.api import Session
from slotscope.model.errors import PolicyError, ScenarioError
from slotscope.model.kinds.phases.scenario.instance import scenarios
from slotscope.model.kinds.phases.state import ACTIVE, BACKUP, EVENT, NEXT_VIRTUAL, REAL, TOKENS, VIRTUAL
from slotscope.model.reporting.records import Match, Overflow, Place, Record, Request, SetTimer, VirtualArrival
from slotscope.model.running.assembly import Bench, assemble
from slotscope.model.running.engine import EventRun, started
from slotscope.model.scenario.load import edited, load_scenario, parse_scenario
from slotscope.model.systems.state import copied, digest
from tests.kinds.phases.instances import instance_of, scripts
from tests.kinds.phases.oracle import Instance, Oracle
from tests.kinds.phases.scenarios import POOL
from tests.kinds.phases.strategies import phase_scenarios
from tests.runs import ran
from tests.sound import check_saved

EVENTS = 40

#: Two phases; a server requests an L at once whenever it has fewer than two jobs, and more by
#: timers; with these rates and numbers pauses, virtual jobs and overflows all happen.
SMALL: dict[str, Any] = {
    "system": "phases",
    "seed": 3,
    "servers": {"most_jobs": 3, "capacity": {"cpu": 4}},
    "cost": {"budget": "1/20"},
    "phases": [
        {"name": "L", "demand": {"cpu": 1}, "arrival_rate": 1, "departure_rate": 1, "to": {"H": "1/2"}},
        {"name": "H", "demand": {"cpu": 3}, "arrival_rate": "1/2", "departure_rate": 1, "to": {"L": 1}},
    ],
    "workload": {"kind": "poisson", "scale": 4},
    "policy": {"name": "jrs", "parameters": {"pools": [POOL]}},
}


def small(policy: str = "", /, **parameters: Any) -> Any:
    """SMALL under JRS with some parameters changed, or under another policy."""
    if policy:
        return parse_scenario(SMALL | {"policy": {"name": policy, "parameters": parameters}})
    given = SMALL["policy"]["parameters"] | parameters
    return parse_scenario(SMALL | {"policy": {"name": "jrs", "parameters": given}})


def runs(bench: Bench, state: Any, most: int) -> Iterator[EventRun]:
    """Events run one after another, as long as there are any."""
    for _ in range(most):
        if bench.system.next_event(state) is None:
            return
        run = EventRun(bench.system, state)
        yield run
        run.finish()
        state = run.state


def after(bench: Bench, events: int) -> Any:
    """The state after a number of events."""
    state = started(bench.system)
    for run in runs(bench, state, events):
        run.finish()
        state = run.state
    return state


class TestASecondProgram:
    @pytest.mark.slow
    @given(phase_scenarios("jrs"))
    def test_agrees_on_random_runs(self, scenario: Any) -> None:
        """Given the same events and choices, the second program reaches the same states."""
        data, options = instance_of(scenario)
        bench, other = assemble(scenario), Oracle(data, options, named_in_all=True)
        for line in bench.kind.trace_lines(bench.system, EVENTS):
            if line["after"] != "start":
                other.run(line.pop("event"))
                assert line.pop("result") == other.result
            del line["after"]
            assert line == other.state()

    @given(scripts())
    def test_agrees_on_random_scripts(self, drawn: tuple[Instance, dict[str, Any]]) -> None:
        data, options = drawn
        scenario = scenarios(json.loads(json.dumps(data)))[0]
        scenario["policy"]["parameters"] |= options
        bench = assemble(parse_scenario(scenario))
        found = list(bench.kind.trace_lines(bench.system, float("inf")))
        assert found == Oracle(data, options).states()

    @pytest.mark.parametrize("policy", ["first-fit", "grand", "best-fit", "power-of-d"])
    def test_agrees_on_jobs_without_tokens(self, policy: str) -> None:
        """Trace lines of a policy without tokens: the place of each job follows from the events alone."""
        bench, jobs = assemble(small(policy)), {}
        for line in bench.kind.trace_lines(bench.system, 200):
            happened = line.get("event", {"kind": "start"})
            if happened["kind"] == "arrival":
                jobs[happened["job"]] = [line["result"]["placed"], happened["type"]]
            elif happened["kind"] == "phase":
                jobs[happened["job"]] = [jobs[happened["job"]][0], happened["to"]]
            elif happened["kind"] == "departure":
                del jobs[happened["job"]]
            assert line["jobs"] == jobs
            servers: dict[str, list[int]] = {}
            for where, phase in jobs.values():
                servers.setdefault(where.removeprefix("server "), [0, 0])["LH".index(phase)] += 1
            assert line["servers"] == servers
            assert line["active"] == len(servers)
            overrun = sum(max(0, low + 3 * high - 4) for low, high in servers.values())
            assert line["cost_rate"] == overrun / 4

    def test_sees_all_that_can_happen(self) -> None:
        """The runs above are not trivial: every kind of record occurs in one of them."""
        bench = assemble(small())
        kinds = {record.kind for run in _all_records(bench, 400) for record in run}
        assert kinds == {
            "arrival",
            "tokens_of_type",
            "match",
            "overflow",
            "move",
            "departure",
            "tick",
            "reactive",
            "request",
            "limit",
            "virtual_arrival",
            "set_timer",
            "resumed",
            "paused",
            "missed_request",
        }


def _all_records(bench: Bench, events: int) -> Iterator[list[Record]]:
    for run in runs(bench, started(bench.system), events):
        run.finish()
        yield run.records


class TestRandomRuns:
    @pytest.mark.slow
    @given(phase_scenarios())
    def test_keep_every_invariant(self, scenario: Any) -> None:
        bench = assemble(scenario)
        state: Any = started(bench.system)
        assert bench.kind.violations(bench.system, state) == []
        for run in runs(bench, state, EVENTS):
            run.finish()
            assert bench.kind.violations(bench.system, run.state) == []

    @given(phase_scenarios("jrs"))
    def test_a_paused_server_never_asks(self, scenario: Any) -> None:
        bench = assemble(scenario)
        state: Any = started(bench.system)
        for run in runs(bench, state, EVENTS):
            before = run.state.tokens_on.copy()
            while (record := run.step()) is not None:
                if isinstance(record, Request):
                    assert before[record.server] == 0
                    assert run.state.tokens_on[record.server] == sum(record.jobs)
                before = run.state.tokens_on.copy()

    @given(phase_scenarios("jrs"))
    def test_a_job_takes_the_path_that_is_its_own(self, scenario: Any) -> None:
        """The moves of real jobs do not depend on the policy."""
        choice = scenario.policy.model_copy(update={"name": "first-fit", "parameters": {}})
        self.same_paths(scenario, scenario.model_copy(update={"policy": choice}))

    def test_jobs_of_the_example_take_their_paths(self) -> None:
        assert self.same_paths(small(), small("first-fit")) > 20

    def same_paths(self, *several: Any) -> int:
        """Check that of each job in both runs the shorter path begins the longer; returns the number of jobs."""
        one, other = (self.paths(assemble(scenario)) for scenario in several)
        shared = one.keys() & other.keys()
        for job in shared:
            shorter, longer = sorted((one[job], other[job]), key=len)
            assert longer[: len(shorter)] == shorter
        return len(shared)

    def paths(self, bench: Bench) -> dict[int, list[Any]]:
        """The moves of each real job, with their times and phases."""
        found: dict[int, list[Any]] = {}
        for run in runs(bench, started(bench.system), 3 * EVENTS):
            run.finish()
            first = run.records[0]
            if first.kind in {"move", "departure"} and not first.values["virtual"]:
                step = (run.event.time, first.values["from"], first.values.get("to"))
                found.setdefault(first.values["job"], []).append(step)
        return found


class TestSessions:
    @given(phase_scenarios(), st.lists(st.integers(0, EVENTS), min_size=1, max_size=6))
    @settings(max_examples=15)
    def test_going_back_and_forth_leads_to_the_same_states(self, scenario: Any, places: list[int]) -> None:
        session = Session.open(scenario, kernel=False)
        marks = [digest(session.timeline.state)]
        for _ in range(EVENTS):
            session.run(events=1)
            marks.append(digest(session.timeline.state))
        last = session.timeline.event
        for place in places:
            session.seek(min(place, last))
            assert digest(session.timeline.state) == marks[session.timeline.event]

    def test_into_an_event_and_back(self) -> None:
        session = ran(small(), events=30)
        session.step_into()
        session.step_into()
        middle = digest(session.timeline.shown_state)
        assert session.timeline.substep == 2
        session.step_out()
        session.run(events=20)
        session.seek(30, 2)
        assert digest(session.timeline.shown_state) == middle
        session.step_back()
        assert (session.timeline.event, session.timeline.substep) == (30, 0)

    @pytest.mark.parametrize("policy", ["", "first-fit", "grand", "best-fit", "power-of-d"])
    def test_a_saved_run_goes_on_where_it_stood(self, policy: str, tmp_path: Path) -> None:
        check_saved(small(policy), tmp_path)

    def test_a_saved_script_keeps_its_names(self, tmp_path: Path) -> None:
        path = Path(__file__).parents[2] / "golden" / "phases" / "09_two_pools.json"
        session = ran(path, events=3)
        session.save(tmp_path / "script.slotscope")
        again = Session.load(tmp_path / "script.slotscope", kernel=False)
        system = again.bench.system
        assert [system.job_name(number) for number in range(3)] == ["z", "y", "a"]
        assert system.virtual_name(0) == "p1v1"  # type: ignore[attr-defined]

    def test_other_seeds_are_other_runs(self) -> None:
        digests = {digest(after(assemble(small(), seed=seed), 50)) for seed in range(5)}
        assert len(digests) == 5


class TestGoingOn:
    """A fork: the state of one policy continued by another."""

    def forked(
        self, before: Any, scenario: Any, when: Callable[[Any], Any] = lambda state: True
    ) -> tuple[Any, Session]:
        """The state in which *when* holds for the first time after 100 events, and the fork."""
        session = ran(before, events=100)
        while not when(session.timeline.state):
            session.run(events=1)
        state: Any = copied(session.timeline.state)
        return state, session.continued(scenario)

    def check(self, session: Session) -> Any:
        system = session.bench.system
        for _ in range(40):
            assert session.bench.kind.violations(system, session.timeline.state) == []
            session.run(events=1)
        return session.timeline.state

    def test_the_same_policy_with_the_same_rules_changes_nothing(self) -> None:
        state, forked = self.forked(small(), small())
        assert digest(forked.timeline.state) == digest(state)
        self.check(forked)

    def test_under_other_readings_timers_start_anew(self) -> None:
        state, forked = self.forked(small(), small(recovery_rate=2))
        there: Any = forked.timeline.state
        running = there.timer_number >= 0
        assert (there.timer_number[running] > state.timer_number.max()).all()
        assert (there.tokens == state.tokens).all()
        self.check(forked)

    def test_a_lower_limit_holds_at_once(self) -> None:
        state, forked = self.forked(small(), small(token_limit=0), lambda state: state.number[TOKENS] > 1)
        there: Any = forked.timeline.state
        assert there.number[TOKENS] == 0
        made = there.number[NEXT_VIRTUAL] - state.number[NEXT_VIRTUAL]
        assert made == state.number[TOKENS] == there.number[VIRTUAL] - state.number[VIRTUAL]
        self.check(forked)

    @pytest.mark.parametrize("policy", ["first-fit", "grand", "best-fit", "power-of-d"])
    def test_a_policy_without_tokens_keeps_the_real_jobs(self, policy: str) -> None:
        state, forked = self.forked(
            small(), small(policy), lambda state: (state.number[[TOKENS, BACKUP, VIRTUAL]] > 0).all()
        )
        there: Any = forked.timeline.state
        for place in (REAL, ACTIVE, EVENT):
            assert there.number[place] == state.number[place]
        for place in (TOKENS, VIRTUAL, BACKUP):
            assert there.number[place] == 0
        due = np.sort(state.job_due[(state.job_number >= 0) & (state.job_virtual == 0)])
        assert (np.sort(there.job_due[there.job_number >= 0]) == due).all()
        self.check(forked)

    def test_policies_without_tokens_follow_one_another(self) -> None:
        state, forked = self.forked(small("first-fit"), small("grand"))
        assert digest(forked.timeline.state) == digest(state)
        self.check(forked)

    def test_jobs_that_can_move_no_more_stay(self) -> None:
        """After a change of rates a phase may have no departures or moves: its jobs stay for ever."""
        phases = [SMALL["phases"][0], SMALL["phases"][1] | {"departure_rate": 0, "to": {}}]
        phases[0] = phases[0] | {"to": {}}
        phases[1] = phases[1] | {"arrival_rate": 0}
        endless = parse_scenario(SMALL | {"phases": phases} | {"policy": {"name": "first-fit"}})
        _, forked = self.forked(small("first-fit"), endless, lambda state: (state.job_next == 1).any())
        forked.run(events=500)
        there: Any = forked.timeline.state
        assert (np.isinf(there.job_due) & (there.job_phase == 1)).any()
        assert forked.bench.kind.violations(forked.bench.system, there) == []

    @pytest.mark.parametrize(
        ("before", "scenario", "sentence"),
        [
            (small("first-fit"), small(), "found 4 normal servers after no in the same pools"),
            (
                small(),
                small(pools=[SMALL["policy"]["parameters"]["pools"][0] | {"servers": 5}]),
                "found 5 normal servers after 4",
            ),
            (
                small(),
                parse_scenario(SMALL | {"servers": {"most_jobs": 3, "capacity": {"cpu": 9}}}),
                "found other capacity, allowed when continuing: the same",
            ),
        ],
    )
    def test_what_has_no_place_is_refused(self, before: Any, scenario: Any, sentence: str) -> None:
        with pytest.raises(ScenarioError, match=sentence) as raised:
            self.forked(before, scenario)
        assert len(raised.value.line.splitlines()) == 1

    def test_a_script_has_no_other_end(self) -> None:
        path = Path(__file__).parents[2] / "golden" / "phases" / "03_token_limit_virtual.json"
        session = ran(path, events=2)
        with pytest.raises(ScenarioError, match="found a recorded workload"):
            session.continued(session.info.scenario)


# Decisions that are impossible.

Decide = Callable[[Any], list[Record]]

BY_JRS: dict[str, tuple[Decide, str]] = {
    "nothing": (lambda job: [], "leaves job 0 nowhere"),
    "a token that is not there": (lambda job: [Match(job=job, pool=0, position=7)], "it takes token 8 of type"),
    "a pool that is not there": (lambda job: [Match(job=job, pool=2, position=0)], "in pool 3, where there are 0"),
    "backups of no pool": (lambda job: [Overflow(job=job, pool=9)], "the backup servers of pool 10"),
    "without a token": (lambda job: [Place(job=job, server=0)], "places a job on server 1 without a token"),
    "twice": (lambda job: [Overflow(job=job), Overflow(job=job)], "it places job 0 twice"),
    "another job": (lambda job: [Overflow(job=job + 5)], "it places job 5, which does not arrive now"),
    "no such server": (lambda job: [Request(server=40, jobs=(1, 0))], "it names server 41; there are servers 1"),
    "too many": (lambda job: [Request(server=0, jobs=(3, 1))], "server 1 asks for 4 jobs, allowed: 1 to 3"),
    "none": (lambda job: [Request(server=0, jobs=(0, 0))], "server 1 asks for 0 jobs"),
    "fewer than none": (lambda job: [Request(server=0, jobs=(2, -1))], "server 1 asks for 1 jobs"),
    "while it is paused": (
        lambda job: [Request(server=0, jobs=(1, 0)), Request(server=0, jobs=(1, 0))],
        "server 1 asks for jobs while it holds 1 tokens",
    ),
    "a timer while it is paused": (
        lambda job: [Request(server=0, jobs=(1, 0)), SetTimer(server=0, rate=1.0)],
        "starts a timer of server 1, which is paused",
    ),
    "a virtual job without a token": (
        lambda job: [VirtualArrival(pool=0, type=1, position=0)],
        "it takes token 1 of type 2",
    ),
    "a virtual job of no type": (
        lambda job: [VirtualArrival(pool=0, type=5, position=0)],
        "it takes token 1 of type 6",
    ),
}


def refused(bench: Bench, decide: Decide) -> PolicyError:
    """The error that decisions about the first arrival raise."""
    policy: Any = bench.system.policy
    policy.arrival = lambda view, job: iter(decide(job.number))
    with pytest.raises(PolicyError) as raised:
        after(bench, 50)
    return raised.value


@pytest.mark.parametrize("name", BY_JRS)
def test_an_impossible_decision_is_refused_in_one_line(name: str) -> None:
    decide, sentence = BY_JRS[name]
    tables = [{"servers": 4, "token_limit": 2, "policy": []}]
    error = refused(assemble(small(pools=tables)), decide)
    assert sentence in error.line
    assert error.where.startswith("policy at time 0.")
    assert len(error.line.splitlines()) == 1


def test_a_full_server_takes_no_job() -> None:
    error = refused(assemble(small("first-fit")), lambda job: [Place(job=job, server=0)])
    assert "places a job on server 1, which has 3, the service limit" in error.line


def test_a_hard_capacity_is_kept() -> None:
    data = SMALL | {
        "policy": {"name": "first-fit"},
        "cost": None,
        "servers": SMALL["servers"] | {"contention": "never", "most_jobs": 9},
        "phases": [SMALL["phases"][0] | {"to": {}}],
    }
    del data["cost"]
    error = refused(assemble(parse_scenario(data)), lambda job: [Place(job=job, server=0)])
    assert "places a job on server 1, which has no room" in error.line


def test_unlimited_servers_have_no_backups() -> None:
    error = refused(assemble(small("first-fit")), lambda job: [Overflow(job=job)])
    assert "of a policy with normal servers" in error.line


def test_a_tick_asks_for_each_type_in_proportion() -> None:
    """The type is that of the timer that rang, and each timer has random words of its own."""
    pool = {"servers": 1, "token_limit": 0, "policy": [{"k": [0, 0], "case": 1, "rates": {"L": 3.0, "H": 1.0}}]}
    bench = assemble(small(pools=[pool]))
    counts = {0: 0, 1: 0}
    for run in _all_records(bench, 8000):
        for record in run:
            if record.kind == "tick":
                counts[record.values["type"]] += 1
    assert sum(counts.values()) > 300
    share = Fraction(counts[1], sum(counts.values()))
    assert abs(share - Fraction(1, 4)) < Fraction(8, 100)


# Parameters.


def classroom(**parameters: Any) -> Bench:
    return assemble(edited(load_scenario("jrs-classroom"), {"policy": {"name": "jrs", "parameters": parameters}}))


def test_a_token_limit_by_hand_is_that_of_every_pool() -> None:
    bench = assemble(load_scenario("jrs-classroom"))
    limited = classroom(token_limit=7)
    plans: list[Any] = [one.system.policy.plan for one in (bench, limited)]
    assert {pool.token_limit for pool in plans[1].pools} == {7}
    assert plans[0].pools[0].servers == plans[1].pools[0].servers


POOL = {"servers": 1, "token_limit": 1, "policy": [{"k": [9, 9], "case": 3}]}


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"pools": [POOL]}, "policy.parameters.pools[0]: policy[0].k: found 9, 9"),
        ({"estimate": {"arrival_rates": {"X": 1}}}, "policy.parameters.estimate.arrival_rates: found phase 'X'"),
        ({"plan": "no such file"}, "no such file: cannot be read"),
    ],
)
def test_what_cannot_be_planned_is_told_with_its_place(parameters: dict[str, Any], sentence: str) -> None:
    scenario = parse_scenario(SMALL | {"policy": {"name": "jrs", "parameters": parameters}})
    with pytest.raises(ScenarioError) as raised:
        assemble(scenario)
    assert raised.value.line.startswith(sentence)


def test_a_plan_is_made_with_estimates_and_run_with_the_true_rates() -> None:
    plain = assemble(load_scenario("jrs-classroom"))
    wrong = classroom(estimate={"factor": 2})
    nbar: list[float] = [bench.system.policy.plan.nbar for bench in (plain, wrong)]
    assert nbar[1] == pytest.approx(2 * nbar[0])
    assert wrong.numbers.arrival_rates == plain.numbers.arrival_rates
