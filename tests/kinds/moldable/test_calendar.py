"""The calendar of departures against a sorted list."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotscope.model.kinds.moldable.kernels import calendar as departures
from slotscope.model.kinds.moldable.state import JOBS, NOW, MoldableState, blank_state

#: Days per unit of time: from one day that holds all departures to days that are almost all empty.
RATES = (1e-9, 1 / 7, 1.0, 3.0, 1e3, 1e12)

#: Execution times: many equal ones, several in one day, and some that leave years empty.
LASTING = (0.0, 0.25, 1 / 3, 1.0, 1.0, 2.0, 63.0, 64.0, 65.0, 1e4, 1e9, 1e290)


class Both:
    """A calendar and a sorted list of (departure, number, record), kept in step."""

    def __init__(self, servers: int, rate: float) -> None:
        self.state: MoldableState = blank_state(servers, 1, 1, 1)
        self.calendar = departures.calendar_of(self.state, rate)
        self.rate = rate
        self.listed: list[tuple[float, int, int]] = []
        self.free = list(range(servers))
        self.number = 0

    def add(self, lasts: float, place: int) -> None:
        """Add a job in one of the free records."""
        if not self.free:
            return
        record = self.free.pop(place % len(self.free))
        departure = float(self.state.clock[NOW]) + lasts
        self.state.job_departure[record] = departure
        self.state.job_number[record] = self.number
        self.state.number[JOBS] += 1
        departures.insert(self.state, self.calendar, record)
        self.listed = sorted([*self.listed, (departure, self.number, record)])
        self.number += 1

    def check(self) -> None:
        """Check that both have the same next departure."""
        expected = self.listed[0][2] if self.listed else -1
        assert departures.soonest(self.state, self.calendar) == expected

    def leave(self) -> None:
        """Let the next job depart."""
        self.check()
        if not self.listed:
            return
        departure, _, record = self.listed.pop(0)
        self.state.clock[NOW] = departure
        departures.remove_next(self.calendar)
        self.state.job_departure[record] = np.inf
        self.state.job_number[record] = -1
        self.state.number[JOBS] -= 1
        self.free.append(record)

    def wait(self, time: float) -> None:
        """Let time pass, up to the next departure at most."""
        until = min([float(self.state.clock[NOW]) + time, *(job[0] for job in self.listed[:1])])
        self.state.clock[NOW] = until

    def rebuild(self) -> None:
        """Rebuild the calendar from the state."""
        self.calendar = departures.calendar_of(self.state, self.rate)


DOINGS = st.one_of(
    st.tuples(st.just("add"), st.sampled_from(LASTING), st.integers(0, 99)),
    st.tuples(st.just("add"), st.floats(0, 200), st.integers(0, 99)),
    st.tuples(st.just("leave")),
    st.tuples(st.just("leave")),
    st.tuples(st.just("check")),
    st.tuples(st.just("wait"), st.sampled_from([0.1, 1.0, 100.0, 1e6])),
    st.tuples(st.just("rebuild")),
)


@given(st.integers(1, 80), st.sampled_from(RATES), st.lists(DOINGS, max_size=120))
def test_against_a_sorted_list(servers: int, rate: float, doings: list[tuple[Any, ...]]) -> None:
    both = Both(servers, rate)
    for name, *given_ in doings:
        getattr(both, name)(*given_)
    while both.listed:
        both.leave()
    both.check()


@given(st.sampled_from(RATES), st.lists(st.floats(0, 1e9), max_size=60))
def test_all_at_once(rate: float, lasting: list[float]) -> None:
    """Jobs that all arrive at time 0 depart in order, however long the days are."""
    both = Both(60, rate)
    for place, lasts in enumerate(lasting):
        both.add(lasts, place)
    for _ in lasting:
        both.leave()
    assert not both.listed


def test_years_without_departures() -> None:
    """The next departure is many years away; after it has been found, a nearer one is added."""
    both = Both(8, 1.0)
    years = float(len(both.calendar.first))
    both.add(50 * years + 3, 0)
    both.check()
    both.add(7 * years + 3, 0)  # the same slot in another year
    both.check()
    both.add(7 * years + 3, 0)
    both.add(3.0, 0)
    for _ in range(4):
        both.leave()
    both.check()


def test_equal_times_leave_in_the_order_of_their_numbers() -> None:
    both = Both(9, 2.0)
    for place in (8, 3, 5, 0, 2):
        both.add(1.5, place)
    numbers = []
    while both.listed:
        both.check()
        numbers.append(both.listed[0][1])
        both.leave()
    assert numbers == [0, 1, 2, 3, 4]


def test_jobs_that_never_depart() -> None:
    """They come after all others; one of them is next only if there is no other job."""
    both = Both(4, 1.0)
    both.add(np.inf, 1)
    both.add(5.0, 0)
    both.add(np.inf, 0)
    both.leave()
    both.check()
    assert both.state.job_departure[both.listed[0][2]] == np.inf


@pytest.mark.parametrize("servers", [1, 31, 32, 33, 5000])
def test_slots_are_a_power_of_two_and_enough(servers: int) -> None:
    slots = len(departures.calendar_of(blank_state(servers, 1, 1, 1), 1.0).first)
    assert slots & (slots - 1) == 0
    assert slots >= max(2 * servers, departures.FEWEST_SLOTS)
