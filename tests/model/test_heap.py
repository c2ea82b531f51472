"""The heap of departures against a sorted list."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from slotscope.model.jit import compiled
from slotscope.model.systems import heap

MOST = 60


class HeapMachine(RuleBasedStateMachine):
    """Random pushes, pops and removals; times tie often."""

    @initialize(numbers=st.permutations(range(MOST)))
    def open(self, numbers: list[int]) -> None:
        self.times = np.full(MOST, np.inf)
        self.records = np.full(MOST, -1, np.int32)
        self.numbers = np.array(numbers, np.int64)  #: job number of each record
        self.free = list(range(MOST))
        self.content: list[tuple[float, int, int]] = []  #: (time, number, record)

    @rule(time=st.integers(0, 6), place=st.integers(0, MOST))
    @precondition(lambda self: self.free)
    def push(self, time: int, place: int) -> None:
        record = self.free.pop(place % len(self.free))
        heap.push(self.times, self.records, len(self.content), float(time), record, self.numbers)
        self.content.append((float(time), int(self.numbers[record]), record))

    @rule()
    @precondition(lambda self: self.content)
    def pop(self) -> None:
        record = heap.pop(self.times, self.records, len(self.content), self.numbers)
        first = min(self.content)
        assert record == first[2]
        self.content.remove(first)
        self.free.append(record)

    @rule(place=st.integers(0, MOST))
    @precondition(lambda self: self.content)
    def remove(self, place: int) -> None:
        gone = self.content.pop(place % len(self.content))
        size = len(self.content) + 1
        position = heap.find(self.records, size, gone[2])
        assert self.records[position] == gone[2]
        heap.remove(self.times, self.records, size, position, self.numbers)
        self.free.append(gone[2])

    @invariant()
    def holds_the_content_in_order(self) -> None:
        size = len(self.content)
        held = [(self.times[n], self.numbers[self.records[n]], self.records[n]) for n in range(size)]
        assert sorted(held) == sorted(self.content)
        assert all(held[n] >= held[(n - 1) // 4] for n in range(1, size))
        assert np.isinf(self.times[size:]).all()
        assert (self.records[size:] == -1).all()
        for record in self.free[:3]:
            assert heap.find(self.records, size, record) == -1


TestHeap = HeapMachine.TestCase
TestHeap.settings = settings(max_examples=40, stateful_step_count=60)


def drained(times: Any, records: Any, numbers: Any, given: Any, out: Any) -> int:
    """Push all of *given*, remove every fifth, pop the rest into *out*; return how many were popped."""
    size = 0
    for record in range(len(given)):
        heap.push(times, records, size, given[record], record, numbers)
        size += 1
    for record in range(0, len(given), 5):
        heap.remove(times, records, size, heap.find(records, size, record), numbers)
        size -= 1
    count = 0
    while size > 0:
        out[count] = heap.pop(times, records, size, numbers)
        size -= 1
        count += 1
    return count


@given(st.lists(st.integers(0, 9), min_size=1, max_size=200))
def test_compiled_and_plain_give_the_same_order(times: list[int]) -> None:
    count = len(times)
    orders = []
    for function in (drained, compiled(drained)):
        out = np.full(count, -1, np.int64)
        left = function(
            np.full(count, np.inf), np.full(count, -1, np.int32), np.arange(count), np.array(times, float), out
        )
        orders.append(out[:left].tolist())
    expected = sorted((time, n) for n, time in enumerate(times) if n % 5)
    assert orders[0] == [n for _, n in expected]
    assert orders[1] == orders[0]
