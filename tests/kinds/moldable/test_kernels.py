"""Moldable jobs: the same digest, row and sample of reference and kernel at every event."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slotscope.model.kinds.moldable.questions import VOCABULARY
from slotscope.model.kinds.moldable.rows import (
    FLAG_BELOW,
    FLAG_BLOCKED,
    FLAG_FREED,
    FLAG_PARTIAL,
    FLAG_SPLIT,
    MOLDABLE_ROW,
)
from slotscope.model.kinds.moldable.running import RUNNING
from slotscope.model.kinds.moldable.state import EVENT, NOW
from slotscope.model.running.assembly import assemble
from slotscope.model.running.engine import Task, started
from slotscope.model.running.timeline import Timeline
from slotscope.model.scenario.files import scenario_files
from slotscope.model.scenario.load import as_data, edited, load_scenario, parse_scenario
from slotscope.model.scenario.workload import RecordedWorkload
from slotscope.model.systems.state import copied, digest
from tests.engines import Twins, bench_of, check_derived, check_pieces, check_samples, check_stops
from tests.kinds.moldable.strategies import any_policies, certain_policies, several_classes

EVENTS = 60

#: Every law of sizes; under the last ones some sizes are far above all others.
LAWS = (
    {"distribution": "exponential"},
    {"distribution": "deterministic", "mean": "3/2"},
    {"distribution": "deterministic", "mean": 2},
    {"distribution": "erlang", "phases": 3},
    {"distribution": "hyper-exponential", "squared_variation": 9},
    {"distribution": "mixed-erlang", "probabilities": ["2/5", "3/5"]},
    {"distribution": "empirical", "values": [1, 2, 5]},
    {"distribution": "lognormal", "squared_variation": 50},
    {"distribution": "pareto", "shape": "11/10", "mean": 3},
)

LOADS = ("1/10", "1/2", "4/5", "1", "3/2")


@st.composite
def scenarios(draw: st.DrawFn, certain: bool = False) -> Any:
    """Poisson arrivals of up to three classes at up to 40 servers; *certain*: requests are not
    random.
    """
    servers = draw(st.integers(1, 40))
    shares, laws = st.sampled_from([1, 2, 7]), st.sampled_from(LAWS)
    classes = [
        item | {"share": draw(shares), "size": draw(laws)}
        for item in draw(several_classes(min(8, servers), min(3, servers)))
    ]
    data: dict[str, Any] = {
        "system": "moldable",
        "seed": draw(st.integers(0, 1000)),
        "servers": {"count": servers},
        "classes": classes,
        "workload": {"kind": "poisson", "load": draw(st.sampled_from(LOADS))},
    }
    chosen = draw(certain_policies(classes, servers) if certain else any_policies(data))
    return parse_scenario({**data, "policy": chosen})


@st.composite
def recorded(draw: st.DrawFn, classes: int) -> RecordedWorkload:
    """Jobs whose times and sizes are integers, many of them equal."""
    count = draw(st.integers(0, 60))

    def column(values: Any) -> Any:
        return draw(st.lists(st.sampled_from(values), min_size=count, max_size=count))

    gaps = np.array(column([0, 0, 0, 1, 1, 2, 3, 1000]), float)
    return RecordedWorkload(
        np.cumsum(gaps),
        np.array(column(range(classes)), np.int32),
        np.array(column([0.0, 1.0, 1.0, 2.0, 2.0, 3.0, 6.0, 1e9])),
    )


@pytest.mark.slow
@pytest.mark.parametrize("certain", [False, True])
@given(data=st.data())
@settings(max_examples=20)
def test_every_event(certain: bool, data: st.DataObject) -> None:
    Twins(bench_of(data.draw(scenarios(certain)))).agree(EVENTS, sound=True)


@pytest.mark.slow
@pytest.mark.parametrize("certain", [False, True])
@given(data=st.data())
@settings(max_examples=10)
def test_every_event_of_many_scenarios(certain: bool, data: st.DataObject) -> None:
    Twins(bench_of(data.draw(scenarios(certain)))).agree(5 * EVENTS, sound=True)


@given(data=st.data())
@settings(max_examples=20)
def test_recorded_jobs_with_equal_times(data: st.DataObject) -> None:
    """Departures tie with arrivals and with each other; the last events are compared too."""
    scenario = data.draw(scenarios())
    jobs = data.draw(recorded(len(scenario.classes)))
    Twins(bench_of(scenario, jobs)).agree(10_000, sound=True)


BUILT_IN = [
    name for name in scenario_files() if name.startswith("moldable-") and load_scenario(name).workload.kind == "poisson"
]


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_scenarios(name: str) -> None:
    """From the start, and from a state that the kernel has reached alone."""
    bench = assemble(load_scenario(name))
    Twins(bench).agree(60, sound=True)
    tape = np.zeros(20_000, MOLDABLE_ROW)
    state = bench.kernel().advance(started(bench.system), tape, Task()).state
    Twins(bench, state).agree(60, sound=True)


def test_what_seldom_happens_is_met() -> None:
    """Small pools under a high load: blocked, partial and split jobs, and common servers."""
    data = as_data(load_scenario("moldable-classes"))
    changes = {
        "servers": {"count": 40},
        "workload": {"kind": "poisson", "load": 1},
        "policy": {"name": "greedy-p", "parameters": {"rest": "common"}},
    }
    rare = FLAG_BLOCKED | FLAG_PARTIAL | FLAG_SPLIT | FLAG_FREED
    twins = Twins(assemble(parse_scenario({**data, **changes})))
    twins.agree(300, sound=True)
    assert twins.met & rare == rare


def test_jobs_below_the_least_width() -> None:
    """p* requests all servers but jobs get one, so that many run below the least width."""
    changes = {
        "servers": {"count": 40},
        "workload": {"kind": "poisson", "load": "1/10"},
        "policy": {"name": "fixed-width", "parameters": {"servers": 1}},
    }
    twins = Twins(assemble(edited(load_scenario("moldable-sublinear"), changes)))
    twins.agree(60, sound=True)
    assert twins.met & FLAG_BELOW


def test_blocks_of_jobs_end() -> None:
    """The kernel runs past the end of a block of the workload, in one call and in several."""
    bench = assemble(load_scenario("moldable-classroom"))
    tape = np.zeros(80_000, MOLDABLE_ROW)
    whole = bench.kernel().advance(started(bench.system), tape, Task()).state
    kernel, state = bench.kernel(), started(bench.system)
    for first in range(0, len(tape), 1999):
        state = kernel.advance(state, tape[first : first + 1999], Task()).state
    assert digest(state) == digest(whole)


@given(scenarios(), st.integers(1, 40))
@settings(max_examples=15)
def test_the_kernel_in_pieces(scenario: Any, piece: int) -> None:
    check_pieces(bench_of(scenario), piece)


@given(scenarios(), st.integers(0, 80), st.integers(1, 60))
@settings(max_examples=15)
def test_engines_take_turns(scenario: Any, before: int, between: int) -> None:
    """The kernel continues where the reference stopped, also in its own state tuple."""
    bench = bench_of(scenario)
    kernel, state = bench.kernel(), started(bench.system)
    for engine, events in ((kernel, before), (bench.reference, between)):
        state = engine.advance(state, np.zeros(events, MOLDABLE_ROW), Task()).state
    Twins(bench, copied(state)).agree(20, sound=True)
    after = kernel.advance(state, np.zeros(30, MOLDABLE_ROW), Task()).state
    events = int(after.number[EVENT])
    first, tape = started(bench.system), np.zeros(events, MOLDABLE_ROW)
    straight = bench.kernel().advance(first, tape, Task()).state
    assert digest(after) == digest(straight)


@given(scenarios(), st.lists(st.integers(0, 300), min_size=1, max_size=6))
@settings(max_examples=15)
def test_seeking(scenario: Any, places: list[int]) -> None:
    """After seeking back or forward the state equals that of the reference at that event."""
    bench = bench_of(scenario)
    kernel = bench.kernel()
    kernel.keyframe_every = 32
    timeline = Timeline(bench.system, kernel)
    for place in places:
        timeline.seek(place)
        tape = np.zeros(place, MOLDABLE_ROW)
        state = bench.reference.advance(started(bench.system), tape, Task()).state
        assert digest(timeline.state) == digest(state)


@given(scenarios(), st.integers(1, 9))
@settings(max_examples=10)
def test_samples(scenario: Any, stride: int) -> None:
    check_samples(bench_of(scenario), stride)


@given(scenarios(), st.sampled_from(sorted(VOCABULARY.event_kinds)), st.sampled_from([0.5, 4.0, 1e9]))
@settings(max_examples=25)
def test_stops(scenario: Any, kind: str, until: float) -> None:
    check_stops(bench_of(scenario), kind, float(until))


@pytest.mark.slow
@given(scenarios(), st.sampled_from(["greedy", "fixed-width"]), st.integers(1, 80))
@settings(max_examples=15)
def test_after_a_change_of_policy(scenario: Any, name: str, before: int) -> None:
    """Another policy continues with the jobs that the first has placed."""
    bench = bench_of(scenario)
    parameters = {"servers": 1} if name == "fixed-width" else {}
    other = bench_of(edited(scenario, {"policy": {"name": name, "parameters": parameters}}))
    tape = np.zeros(before, MOLDABLE_ROW)
    state = bench.kernel().advance(started(bench.system), tape, Task()).state
    now = float(state.clock[NOW])
    Twins(other, other.system.take_over(bench.system, copied(state))).agree(EVENTS, sound=True)
    assert float(state.clock[NOW]) == now


@given(scenarios(), st.sampled_from((1, 1, 2, 7)))
def test_the_jobs_of_servers_that_are_told_are_those_of_each_state(scenario: Any, every: int) -> None:
    check_derived(bench_of(scenario), RUNNING, every)


@pytest.mark.parametrize("every", [1, 5])
def test_the_jobs_of_many_servers_are_told(every: int) -> None:
    check_derived(assemble(load_scenario("moldable-sublinear")), RUNNING, every, events=2000)
