"""Reference and kernel: the same digest, row and sample at every event of random scenarios."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slotscope.model.kinds.reservation.moving import MOVING
from slotscope.model.kinds.reservation.questions import VOCABULARY
from slotscope.model.kinds.reservation.ranking import RANKS
from slotscope.model.kinds.reservation.rows import EVENT_ROW
from slotscope.model.kinds.reservation.scenario.schema import ReservationScenario
from slotscope.model.kinds.reservation.state import REASSIGNMENTS
from slotscope.model.running.assembly import Bench, assemble
from slotscope.model.running.engine import Engine, Reason, Task, started
from slotscope.model.scenario.load import as_data, load_scenario, parse_scenario
from slotscope.model.session.bench import open_bench
from slotscope.model.systems.state import copied, differences, digest
from tests.engines import check_derived, check_told
from tests.kinds.reservation.strategies import VARIANTS, scenarios

EVENTS = 80

#: Policies beside DRA and its variants.
PEERS = ("static-reservation", "power-of-d", "best-fit", "first-fit")

ANY = st.one_of(scenarios(), *(scenarios(policy=name) for name in (*VARIANTS, *PEERS)))

#: The arrays that questions about jobs read.
OF_JOBS = ("job_number", "job_type", "job_server", "job_arrival", "job_departure")

COSTLY = "servers_with_room"  # counted by the kernel only when asked to explain


def plain(rows: np.ndarray) -> list[dict[str, Any]]:
    """Rows without the field that only one engine always counts."""
    return [{name: row[name] for name in EVENT_ROW.names or () if name != COSTLY} for row in rows]


class Twins:
    """Both engines on copies of one state, one event at a time."""

    def __init__(self, scenario: ReservationScenario) -> None:
        self.bench = assemble(scenario)
        self.engines: tuple[Engine, Engine] = (self.bench.reference, self.bench.kernel())
        start = started(self.bench.system)
        self.states = [start, copied(start)]

    def advance(self, task: Task) -> tuple[np.ndarray, Reason]:
        rows = np.zeros((2, 1), EVENT_ROW)
        done = [
            engine.advance(state, tape, task)
            for engine, state, tape in zip(self.engines, self.states, rows, strict=True)
        ]
        self.states = [each.state for each in done]
        assert done[0].reason is done[1].reason
        assert done[0].rows == done[1].rows
        assert done[0].samples.shape == done[1].samples.shape
        assert (done[0].samples == done[1].samples).all()
        assert digest(self.states[0]) == digest(self.states[1]), differences(*self.states)
        return rows[:, : done[0].rows], done[0].reason


def agree(scenario: ReservationScenario, events: int, task: Task) -> list[np.ndarray]:
    """Both engines on copies of one state, compared at every event; the rows of both."""
    twins = Twins(scenario)
    pairs = []
    for _ in range(events):
        rows, reason = twins.advance(task)
        assert plain(rows[0]) == plain(rows[1])
        pairs.append(rows)
        if reason is Reason.END:
            break
    return pairs


@given(scenarios())
def test_every_event(scenario: ReservationScenario) -> None:
    agree(scenario, EVENTS, Task(stride=1))


@pytest.mark.slow
@pytest.mark.parametrize("policy", (*VARIANTS, *PEERS))
@given(data=st.data())
def test_every_event_of_variants_and_peers(policy: str, data: st.DataObject) -> None:
    scenario = data.draw(scenarios(policy=policy))
    for rows in agree(scenario, EVENTS, Task(stride=1, explain=True)):
        assert rows[0][COSTLY].tolist() == rows[1][COSTLY].tolist()


@pytest.mark.slow
@given(ANY)
@settings(max_examples=60)
def test_every_event_of_many_scenarios(scenario: ReservationScenario) -> None:
    agree(scenario, 3 * EVENTS, Task(stride=1))


@given(scenarios(workloads=("poisson",)))
def test_explained_rows(scenario: ReservationScenario) -> None:
    for rows in agree(scenario, EVENTS, Task(explain=True)):
        assert rows[0][COSTLY].tolist() == rows[1][COSTLY].tolist()


@given(ANY, st.sampled_from((1, 1, 2, 7)))
def test_ranks_that_are_told_are_those_of_each_state(scenario: ReservationScenario, every: int) -> None:
    check_derived(assemble(scenario), RANKS, every)


@given(ANY)
def test_no_job_that_an_event_changed_is_left_out(scenario: ReservationScenario) -> None:
    check_told(assemble(scenario), MOVING, OF_JOBS)


@pytest.mark.parametrize("policy", ("dra", *VARIANTS, *PEERS))
def test_no_job_of_a_large_system_is_left_out(policy: str) -> None:
    check_told(open_bench(load_scenario("dra-vms"), policy), MOVING, OF_JOBS, events=3000)


def test_servers_with_room_under_given_configurations() -> None:
    """Without resources, only the maximal configurations say whether a job would fit."""
    scenario = parse_scenario(
        {
            "servers": {"count": 3, "configurations": [[2, 1], [0, 2]]},
            "job_types": [{"name": "a", "reward": 3, "workload": 3}, {"name": "b", "reward": 1, "workload": 3}],
            "policy": {"name": "dra", "parameters": {"reservation_factor": 1}},
        }
    )
    pairs = agree(scenario, 200, Task(explain=True))
    counts = [(int(a[COSTLY]), int(b[COSTLY])) for rows in pairs for a, b in rows.T]
    assert all(mine == theirs for mine, theirs in counts), counts
    assert 0 in {mine for mine, _ in counts}


def test_no_type_fits() -> None:
    """GPA has no result; both engines still reject everything and sample the same."""
    pairs = agree(
        parse_scenario(
            {
                "servers": {"count": 2, "capacity": {"r": 1}},
                "job_types": [{"name": "a", "demand": {"r": 2}, "reward": 1, "workload": 1}],
            }
        ),
        20,
        Task(stride=1),
    )
    assert len(pairs) == 20


def rows_in_pieces(bench: Bench, pieces: list[int], fresh: str, task: Task) -> tuple[Any, np.ndarray, np.ndarray]:
    """Run the kernel piece by piece; *fresh* says what makes it build its index anew."""
    kernel = bench.kernel()
    state = started(bench.system)
    rows, samples = [], []
    for piece in pieces:
        if fresh == "state":
            state = copied(state)
        elif fresh == "kernel":
            kernel = bench.kernel()
        tape = np.zeros(piece, EVENT_ROW)
        result = kernel.advance(state, tape, task)
        state = result.state
        rows.append(tape[: result.rows])
        samples.append(result.samples)
    return state, np.concatenate(rows), np.concatenate(samples)


@given(
    ANY,
    st.lists(st.integers(1, 60), min_size=1, max_size=12),
    st.sampled_from(["nothing", "state", "kernel"]),
    st.integers(1, 5),
)
def test_pieces_make_no_difference(scenario: ReservationScenario, pieces: list[int], fresh: str, stride: int) -> None:
    bench = assemble(scenario)
    task = Task(stride=stride)
    whole = rows_in_pieces(bench, [sum(pieces)], "nothing", task)
    parts = rows_in_pieces(bench, pieces, fresh, task)
    assert digest(whole[0]) == digest(parts[0]), differences(whole[0], parts[0])
    assert whole[1].tolist() == parts[1].tolist()
    assert whole[2].tolist() == parts[2].tolist()


@given(ANY, st.sampled_from(sorted(VOCABULARY.event_kinds)), st.floats(0, 5))
def test_both_stop_at_the_same_event(scenario: ReservationScenario, kind: str, until: float) -> None:
    bench = assemble(scenario)
    task = Task(until=until, stop_flags=VOCABULARY.event_kinds[kind])
    start = started(bench.system)
    ends = []
    for engine in (bench.reference, bench.kernel()):
        tape = np.zeros(100, EVENT_ROW)
        result = engine.advance(copied(start), tape, task)
        ends.append((result.reason, result.rows, digest(result.state)))
        flags = tape["flags"][: result.rows] & VOCABULARY.event_kinds[kind]
        assert not flags[:-1].any()
        assert (tape["time"][: result.rows] <= until).all()
        if result.rows:
            assert bool(flags[-1]) == (result.reason is Reason.FLAG)
    assert ends[0] == ends[1]


@pytest.mark.parametrize("factor", [1, "log^1.1", "log^2", 40, 10_000])
def test_the_example_of_section_7_1(factor: Any) -> None:
    """Both engines in pieces of 50 events: the state at the end of each, and all rows."""
    data = load_scenario("dra-vms").model_dump(mode="json", exclude_none=True)
    data["policy"]["parameters"]["reservation_factor"] = factor
    data["servers"]["count"] = 30
    bench = assemble(parse_scenario(data))
    kernel = bench.kernel()
    mine = started(bench.system)
    theirs = copied(mine)
    for _ in range(16):
        rows = np.zeros((2, 50), EVENT_ROW)
        mine = bench.reference.advance(mine, rows[0], Task()).state
        theirs = kernel.advance(theirs, rows[1], Task()).state
        assert plain(rows[0]) == plain(rows[1])
        assert digest(mine) == digest(theirs), differences(mine, theirs)


def test_more_reassignments_than_places_by_age() -> None:
    """The kernel numbers servers by age anew each time that its places are used up."""
    data = load_scenario("dra-vms").model_dump(mode="json", exclude_none=True)
    data["servers"]["count"] = 3
    for job_type in data["job_types"]:
        job_type["workload"] = 0.4
    bench = assemble(parse_scenario(data))
    kernel = bench.kernel()
    mine = started(bench.system)
    theirs = copied(mine)
    for _ in range(10):
        rows = np.zeros((2, 250), EVENT_ROW)
        mine = bench.reference.advance(mine, rows[0], Task()).state
        theirs = kernel.advance(theirs, rows[1], Task()).state
        assert plain(rows[0]) == plain(rows[1])
        assert digest(mine) == digest(theirs), differences(mine, theirs)
    places = 2 * 3 + 64
    assert mine.number[REASSIGNMENTS] > 2.5 * places


def test_more_servers_than_a_word_of_the_bit_sets() -> None:
    """4097 servers need two words of summary; most are empty, some jobs are far up."""
    servers = 64 * 64 + 1
    scenario = parse_scenario(
        {
            "servers": {"count": servers, "capacity": {"r": 2}},
            "job_types": [
                {"name": "a", "demand": {"r": 1}, "reward": 1, "workload": 1},
                {"name": "b", "demand": {"r": 2}, "reward": 3, "workload": "1/2"},
            ],
            "initial": {"start": "full", "type": "a"},
            "policy": {"name": "dra", "parameters": {"reservation_factor": 5}},
        }
    )
    agree(scenario, 60, Task(stride=7))


@given(scenarios())
def test_a_difference_would_be_seen(scenario: ReservationScenario) -> None:
    """The comparison itself: a state that is off by one job must not pass."""
    twins = Twins(scenario)
    twins.states[1].jobs_in_system[0] += 1
    assert differences(*twins.states) == ["jobs_in_system"]
    with pytest.raises(AssertionError):
        twins.advance(Task(stride=1))


@pytest.mark.parametrize("name", ["dra-vms", "dra-example-1"])
def test_a_scale_of_the_load_is_so_much_of_every_type(name: str) -> None:
    data = as_data(load_scenario(name))
    half_more = [
        item | {key: str(Fraction(str(item[key])) * 3 / 2) for key in ("workload", "arrival_rate") if item.get(key)}
        for item in data["job_types"]
    ]
    scaled, written = (
        assemble(parse_scenario(data | changes))
        for changes in ({"workload": {"kind": "poisson", "scale": "3/2"}}, {"job_types": half_more})
    )
    assert scaled.numbers.workload == written.numbers.workload != assemble(load_scenario(name)).numbers.workload
    reached = [
        bench.kernel().advance(started(bench.system), np.zeros(500, EVENT_ROW), Task()) for bench in (scaled, written)
    ]
    assert digest(reached[0].state) == digest(reached[1].state)
