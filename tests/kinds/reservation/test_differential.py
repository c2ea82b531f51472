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
from slotscope.model.running.engine import Task, started
from slotscope.model.scenario.load import as_data, load_scenario, parse_scenario
from slotscope.model.session.bench import open_bench
from slotscope.model.systems.state import copied, differences, digest
from tests.engines import Twins, check_derived, check_stops, check_told
from tests.kinds.reservation.strategies import VARIANTS, scenarios

EVENTS = 80

#: Policies beside DRA and its variants.
PEERS = ("static-reservation", "power-of-d", "best-fit", "first-fit")

ANY = st.one_of(scenarios(), *(scenarios(policy=name) for name in (*VARIANTS, *PEERS)))

#: The arrays that are read to answer questions about jobs.
OF_JOBS = ("job_number", "job_type", "job_server", "job_arrival", "job_departure")

#: Fields that the kernel computes only when asked to explain.
COSTLY = ("servers_with_room",)


def agree(scenario: ReservationScenario, events: int, task: Task) -> list[np.ndarray]:
    """Compare both engines at every event; the rows of both."""
    twins = Twins(assemble(scenario), costly=COSTLY)
    twins.agree(events, task)
    return twins.rows


@given(scenarios())
def test_every_event(scenario: ReservationScenario) -> None:
    agree(scenario, EVENTS, Task(stride=1))


@pytest.mark.slow
@pytest.mark.parametrize("policy", (*VARIANTS, *PEERS))
@given(data=st.data())
def test_every_event_of_variants_and_peers(policy: str, data: st.DataObject) -> None:
    scenario = data.draw(scenarios(policy=policy))
    agree(scenario, EVENTS, Task(stride=1, explain=True))


@pytest.mark.slow
@given(ANY)
@settings(max_examples=60)
def test_every_event_of_many_scenarios(scenario: ReservationScenario) -> None:
    agree(scenario, 3 * EVENTS, Task(stride=1))


@given(scenarios(workloads=("poisson",)))
def test_explained_rows(scenario: ReservationScenario) -> None:
    agree(scenario, EVENTS, Task(explain=True))


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
    """Without resources, whether a job would fit follows from the maximal configurations alone."""
    scenario = parse_scenario(
        {
            "servers": {"count": 3, "configurations": [[2, 1], [0, 2]]},
            "job_types": [{"name": "a", "reward": 3, "workload": 3}, {"name": "b", "reward": 1, "workload": 3}],
            "policy": {"name": "dra", "parameters": {"reservation_factor": 1}},
        }
    )
    assert 0 in {mine["servers_with_room"] for mine, _ in agree(scenario, 200, Task(explain=True))}


def test_no_type_fits() -> None:
    """GPA has no result; both engines must still reject every job and take the same samples."""
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
    """Run the kernel piece by piece; *fresh*: a copied state or a new kernel makes it rebuild its index."""
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
def test_stops(scenario: ReservationScenario, kind: str, until: float) -> None:
    check_stops(assemble(scenario), kind, until)


@pytest.mark.parametrize("factor", [1, "log^1.1", "log^2", 40, 10_000])
def test_the_example_of_section_7_1(factor: Any) -> None:
    """Both engines in pieces of 50 events: the state after each piece, and all rows."""
    data = load_scenario("dra-vms").model_dump(mode="json", exclude_none=True)
    data["policy"]["parameters"]["reservation_factor"] = factor
    data["servers"]["count"] = 30
    twins = Twins(assemble(parse_scenario(data)), costly=COSTLY)
    for _ in range(16):
        twins.advance(Task(), 50)


def test_more_reassignments_than_places_by_age() -> None:
    """The kernel renumbers servers by age whenever it has used up the places of that order."""
    data = load_scenario("dra-vms").model_dump(mode="json", exclude_none=True)
    data["servers"]["count"] = 3
    for job_type in data["job_types"]:
        job_type["workload"] = 0.4
    twins = Twins(assemble(parse_scenario(data)), costly=COSTLY)
    for _ in range(10):
        twins.advance(Task(), 250)
    places = 2 * 3 + 64
    assert twins.states[0].number[REASSIGNMENTS] > 2.5 * places


def test_more_servers_than_a_word_of_the_bit_sets() -> None:
    """4097 servers need two words of the bit sets' summary; most are empty, some jobs have high server numbers."""
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
    """The comparison itself: a state that differs by one job must be found."""
    twins = Twins(assemble(scenario), costly=COSTLY)
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
