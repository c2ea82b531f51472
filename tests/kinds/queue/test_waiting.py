"""The index of waiting jobs: its results, and that a long queue takes no more steps than a short one."""

from __future__ import annotations

from typing import Any, Iterator

import numpy as np
import pytest

from slotscope.model.kinds.queue.kernels import waiting as index_of
from slotscope.model.kinds.queue.kernels.waiting import Buckets, WaitingJobs, buckets_for, buckets_of, waiting_of
from slotscope.model.kinds.queue.layout import OneQueue
from slotscope.model.kinds.queue.numbers import QueueNumbers
from slotscope.model.kinds.queue.state import WAITING, QueueState, empty_state

LOW, HIGH = 3 * 2**17, 3 * 2**20 - 12_345
#: Interval ends that are divisible by powers of two, as those of partition I, and others.
EVEN, ODD = (2**21, 3 * 2**19, 2**20), (2**21 + 1, 1_234_567)
FEW, MANY = 50, 500_000


@pytest.fixture(autouse=True)
def wrapping() -> Iterator[None]:
    """Bit sets multiply modulo 2^64, which compiled code does without a warning."""
    with np.errstate(over="ignore"):
        yield


class Law:
    """A continuous law of sizes, with the fields that buckets use."""

    atoms = ()
    smallest, largest = (LOW,), (HIGH,)


class Numbers:
    """The numbers of a system, with the fields that buckets use."""

    resources, largest, sizes = 1, np.array([3 * 2**20]), Law()

    def __init__(self, *values: int) -> None:
        self.values = tuple((value,) for value in values)


class Counted(np.ndarray):
    """An array that counts how often one of its entries is read or written."""

    touched = 0

    def __getitem__(self, place: Any) -> Any:
        Counted.touched += 1
        return np.asarray(self)[place]

    def __setitem__(self, place: Any, value: Any) -> None:
        Counted.touched += 1
        np.asarray(self)[place] = value


def counting(arrays: Any) -> Any:
    """The same named tuple over the same memory, with arrays that count accesses."""
    return type(arrays)(*(one.view(Counted) if isinstance(one, np.ndarray) else one for one in arrays))


def buckets(boundaries: tuple[int, ...], count: int, *values: int) -> Buckets:
    numbers: QueueNumbers = Numbers(*values)  # type: ignore[assignment]
    return buckets_of(numbers, OneQueue(), boundaries, count)


def queue_of(sizes: np.ndarray, free: int) -> QueueState:
    """A state in which jobs of the given sizes wait, with a number of free records after them."""
    state = empty_state(1, 1, 1, len(sizes) + free)
    state.job_number[: len(sizes)] = np.arange(len(sizes))
    state.number[WAITING] = len(sizes)
    state.job_size[: len(sizes), 0] = state.job_room[: len(sizes), 0] = sizes
    return state


def add(waiting: WaitingJobs, state: QueueState, record: int, size: int, by_size: bool) -> None:
    """A job joins as the last one."""
    state.job_number[record] = record
    state.job_room[record, 0] = size
    put = index_of.add_by_size if by_size else index_of.add_by_arrival
    put(waiting, state, record, index_of.bucket_of(waiting, size))


def expected(jobs: list[tuple[int, int]], limit: int, above: int, by_size: bool) -> int:
    """The expected result among pairs (size, number), by looking at all of them."""
    fitting = [(size, number) for size, number in jobs if above < size <= limit]
    if not fitting:
        return -1
    if not by_size:
        return min(number for _, number in fitting)
    return max(fitting, key=lambda job: (job[0], -job[1]))[1]


@pytest.mark.parametrize("by_size", [True, False])
@pytest.mark.parametrize(("ends", "values"), [(EVEN, ()), (ODD, ()), (EVEN, (3 * 2**19, 2**20, 2**20 + 1, 2**19))])
def test_it_finds_what_a_look_at_all_jobs_finds(ends: tuple[int, ...], values: tuple[int, ...], by_size: bool) -> None:
    random = np.random.default_rng(5)
    some = np.array(values) if values else random.integers(LOW, HIGH + 1, 40)
    sizes = random.choice(some, 400) if values else random.choice(np.r_[some, random.integers(LOW, HIGH + 1, 200)], 400)
    state = queue_of(sizes[:100], 300)
    waiting = waiting_of(state, buckets(ends, 128, *values), by_size)
    jobs = [(int(size), number) for number, size in enumerate(sizes[:100])]
    found = 0
    for record in range(100, 400):
        add(waiting, state, record, int(sizes[record]), by_size)
        jobs.append((int(sizes[record]), record))
        for above in (0, min(ends), max(ends)):
            limit = int(random.choice(np.r_[some, some - 1, random.integers(1, 3 * 2**20, 40)]))
            find = index_of.largest_up_to if by_size else index_of.earliest_up_to
            one = find(waiting, state, limit, above)
            assert one == expected(jobs, limit, above, by_size)
            if one >= 0:
                remove = index_of.remove_by_size if by_size else index_of.remove_by_arrival
                remove(waiting, state, one)
                jobs.remove((int(state.job_room[one, 0]), one))
                found += 1
    assert found > 200


def test_buckets_are_found_by_arithmetic_where_powers_of_two_divide_the_ends() -> None:
    assert buckets(EVEN, 1024).top >= 0
    assert buckets(ODD, 1024).top < 0
    for ends in (EVEN, ODD):
        made = buckets(ends, 1024)
        assert set(ends) < set(made.upper.tolist())
        assert made.upper[-1] == 0 and (np.diff(made.upper) < 0).all()
        waiting = index_of.empty_waiting(made, 1, with_tree=False)
        for size in range(LOW, HIGH, 997):
            bucket = index_of.bucket_of(waiting, size)
            assert made.upper[bucket + 1] < size <= made.upper[bucket]


def steps(jobs: int, by_size: bool, seed: int) -> float:
    """Entries touched per arriving job and placed job, while this many jobs wait."""
    random = np.random.default_rng(seed)
    state = queue_of(random.integers(LOW, HIGH + 1, jobs), 500)
    records = len(state.job_number)
    made = waiting_of(state, buckets(EVEN, buckets_for(records, by_size)), by_size)
    waiting, seen = counting(made), counting(state)
    before = Counted.touched
    for record in range(jobs, records):
        add(waiting, seen, record, int(random.integers(LOW, HIGH + 1)), by_size)
        limit = int(random.integers((LOW + HIGH) // 2, HIGH + 1))
        if by_size:
            one = index_of.largest_up_to(waiting, seen, limit, 0)
            index_of.remove_by_size(waiting, seen, one)
        else:
            one = index_of.earliest_up_to(waiting, seen, limit, 0)
            index_of.remove_by_arrival(waiting, seen, one)
        assert one >= 0
    return (Counted.touched - before) / (records - jobs)


@pytest.mark.parametrize(("by_size", "more"), [(True, 1.1), (False, 1.6)])
def test_a_long_queue_takes_as_many_steps_as_a_short_one(by_size: bool, more: float) -> None:
    few, many = steps(FEW, by_size, 1), steps(MANY, by_size, 1)
    assert 10 < few < 150
    assert many < more * few


def test_steps_are_counted() -> None:
    """With all jobs in one bucket a search is a scan, and the count must show that."""
    state = queue_of(np.arange(LOW, LOW + 1000), 1)
    waiting, seen = counting(waiting_of(state, buckets((), 1), True)), counting(state)
    before = Counted.touched
    add(waiting, seen, 1000, HIGH, True)
    assert Counted.touched - before > 2000
