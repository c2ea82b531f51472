"""State as data: copied, frozen, compared, hashed and saved."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotscope.model.kinds.phases.state import PhaseState
from slotscope.model.kinds.reservation.state import FREE, ReservationState, empty_state, with_room
from slotscope.model.kinds.spec import KINDS, kind_named
from slotscope.model.running.assembly import assemble
from slotscope.model.running.engine import EventRun, started
from slotscope.model.scenario.load import load_scenario
from slotscope.model.systems.state import (
    SHORT,
    apart,
    arrays_of,
    copied,
    differences,
    digest,
    from_arrays,
    frozen,
    size_in_bytes,
    to_arrays,
    viewed,
)


def some_state() -> ReservationState:
    """The example of Section 7.1 after a few events, under a policy that remembers."""
    system = assemble(load_scenario("dra-vms"), "dra:workload=window").system
    state = started(system)
    for _ in range(20):
        run = EventRun(system, state)
        run.finish()
        state = run.state
    return state


STATE = some_state()
NAMES = ReservationState._fields


def changed(name: str, place: int) -> ReservationState:
    """A copy in which one entry of one array is changed."""
    result = copied(STATE)
    array = getattr(result, name)
    flat = array.reshape(-1)
    flat[place % len(flat)] = 7 if flat[place % len(flat)] != 7 else 8
    return result


@given(st.sampled_from(NAMES), st.integers(0, 10**6))
def test_a_digest_notices_every_entry(name: str, place: int) -> None:
    other = changed(name, place)
    assert digest(other) != digest(STATE)
    assert differences(other, STATE) == [name]


def test_a_digest_notices_names_types_and_shapes() -> None:
    class Other(NamedTuple):
        values: Any

    class Renamed(NamedTuple):
        numbers: Any

    numbers = np.arange(6)
    digests = {
        digest(Other(numbers)),
        digest(Renamed(numbers)),
        digest(Other(numbers.astype(np.uint64))),
        digest(Other(numbers.reshape(2, 3))),
        digest(Other(numbers.reshape(3, 2))),
    }
    assert len(digests) == 5
    assert all(len(each) == 32 for each in digests)
    spread = np.zeros((6, 2), numbers.dtype)
    spread[:, 0] = numbers
    assert digest(Other(spread[:, 0])) == digest(Other(numbers))


def test_equal_states_have_equal_digests() -> None:
    assert digest(copied(STATE)) == digest(STATE)
    assert digest(some_state()) == digest(STATE)
    assert differences(copied(STATE), STATE) == []


@pytest.mark.parametrize("times", [1, 10_000])
def test_states_differ_where_their_digests_do(times: int) -> None:
    """Zeros of different sign differ, NaN equals itself, and numbers of different types differ."""

    class Numbers(NamedTuple):
        values: Any

    texts = ([0.0, 1.0], [-0.0, 1.0], [np.nan, 1.0], [1.0, np.nan])
    arrays = [*map(np.array, texts), np.array([0, 1]), np.array([0.0]), np.array([[0.0, 1.0]])]
    states = [Numbers(np.repeat(each, times, axis=-1)) for each in arrays]
    for one in states:
        for other in map(copied, states):
            assert (differences(one, other) == []) == (digest(one) == digest(other)), (one, other)


@given(st.sampled_from(NAMES), st.integers(0, 10**6))
def test_a_copy_is_independent(name: str, place: int) -> None:
    before = digest(STATE)
    changed(name, place)
    assert digest(STATE) == before


def test_a_frozen_copy_refuses_to_be_written() -> None:
    state = copied(STATE)
    still = frozen(state)
    assert digest(still) == digest(state)
    for array in still:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    state.placement[0, 0] += 1
    assert digest(still) == digest(STATE)


def test_a_view_follows_but_cannot_write() -> None:
    state = copied(STATE)
    view = viewed(state)
    state.placement[0, 0] += 1
    assert view.placement[0, 0] == state.placement[0, 0]
    for array in view:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    state.placement[0, 0] += 1  # the state itself stays writable


def test_saved_and_read_again(tmp_path: Path) -> None:
    np.savez(tmp_path / "state.npz", **to_arrays(STATE))
    with np.load(tmp_path / "state.npz", allow_pickle=False) as arrays:
        again = from_arrays(ReservationState, arrays)
        with pytest.raises(KeyError):
            from_arrays(PhaseState, arrays)
    assert digest(again) == digest(STATE)


def test_the_size_is_that_of_all_arrays() -> None:
    assert size_in_bytes(STATE) == sum(array.itemsize * array.size for array in STATE)


@pytest.mark.parametrize("records", [1, 64])
def test_room_is_made_only_when_it_is_needed(records: int) -> None:
    state = empty_state(2, 1, records)
    assert with_room(state) is state
    for number in range(records):
        free = int(state.number[FREE]) - 1
        record = state.free_record[free]
        state.number[FREE] = free
        state.free_record[free] = -1
        state.job_number[record] = number
    larger = with_room(state)
    assert larger is not state
    assert len(larger.job_number) == 2 * records
    assert larger.number[FREE] == records
    assert sorted(larger.free_record[:records]) == list(range(records, 2 * records))
    assert (larger.free_record[records:] == -1).all()
    assert larger.job_number[:records].tolist() == state.job_number.tolist()
    assert (larger.job_number[records:] == -1).all()
    assert np.isinf(larger.heap_time[records:]).all()


@pytest.mark.parametrize("system", KINDS)
def test_a_longer_axis_keeps_what_is_there_and_begins_blank(system: str) -> None:
    """Free places keep no data of former users: a new place equals a place that was never used."""
    kind = kind_named(system)
    state = assemble(load_scenario(kind.example)).system.raw_state()
    assert not [*kind.spec.faults(state, state)]
    for axis in kind.spec.growing(state).split():
        larger = kind.spec.longer(state, axis)
        for name, field in kind.spec.fields.items():
            before, after, axes = getattr(state, name), getattr(larger, name), field.axes.split()
            if axis not in axes:
                assert after is before
                continue
            kept, added = np.split(after, 2, axis=axes.index(axis))
            assert np.array_equal(kept, before) and kept.dtype == before.dtype
            assert (added == field.blank).all(), name


@pytest.mark.parametrize("name", list(KINDS))
def test_what_is_put_apart_is_the_same_elsewhere(name: str) -> None:
    bench = assemble(load_scenario(kind_named(name).example))
    kernel: Any = bench.kernel()
    data = started(bench.system), kernel.build(started(bench.system)), (np.zeros(0), np.arange(6).reshape(2, 3))
    moved = apart(data)
    assert type(moved[0]) is type(data[0])
    assert digest(moved[0]) == digest(data[0])
    for old, new in zip(arrays_of(data), arrays_of(moved), strict=True):
        assert (new.dtype, new.shape, new.flags.c_contiguous) == (old.dtype, old.shape, old.flags.c_contiguous)
        assert np.array_equal(new.view(f"V{new.itemsize}"), old.view(f"V{old.itemsize}"))
        assert not np.shares_memory(new, old)


def test_arrays_that_are_long_cannot_be_written_or_stand_twice_are_no_others_when_put_apart() -> None:
    long, sealed, twice = np.zeros(SHORT + 1, np.uint8), np.zeros(3), np.zeros(3)
    sealed.flags.writeable = False
    moved = apart((long, (sealed, twice), twice))
    assert moved[0] is long
    assert moved[1][0] is sealed
    assert moved[1][1] is moved[2]
    assert moved[2] is not twice
