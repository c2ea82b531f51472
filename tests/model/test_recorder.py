"""Samples and rows of a run: bounded, in order, without gaps or duplicates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotscope.model.api import Session
from slotscope.model.kinds.reservation.rows import EVENT_ROW
from slotscope.model.kinds.spec import KINDS, kind_named
from slotscope.model.running.recorder import RecentRows, Samples


def samples_of(events: np.ndarray) -> np.ndarray:
    """Samples that also contain 10 times their event, so that a mix-up shows."""
    return np.column_stack([events, 10.0 * events]).astype(float)


def rows_of(first: int, last: int) -> np.ndarray:
    rows = np.zeros(max(0, last - first + 1), EVENT_ROW)
    rows["event"] = np.arange(first, last + 1)
    rows["time"] = rows["event"] / 4
    return rows


def feed(samples: Samples, first: int, last: int) -> None:
    """Append the samples that an engine delivers for the events *first* to *last*: those on the grid."""
    events = np.arange(first, last + 1)
    samples.append(samples_of(events[events % samples.stride == 0]))


@given(st.lists(st.integers(1, 3000), min_size=1, max_size=12), st.sampled_from([1024, 2048]))
def test_samples_stay_on_their_grid(pieces: list[int], most: int) -> None:
    samples = Samples(2, most)
    samples.append(samples_of(np.arange(1)))
    event = 0
    for piece in pieces:
        feed(samples, event + 1, event + piece)
        event += piece
        stride = samples.stride
        assert stride & (stride - 1) == 0
        assert samples.table[:, 0].tolist() == list(range(0, event + 1, stride))
        assert (samples.table[:, 1] == 10 * samples.table[:, 0]).all()
        assert len(samples.table) <= most
        assert samples.last_event == event // stride * stride


@given(st.integers(1, 5000), st.sampled_from([1, 4]))
def test_samples_of_an_older_file_are_thinned_to_the_same_grid(count: int, stride: int) -> None:
    samples = Samples(2, 1024)
    samples.restore(samples_of(stride * np.arange(count)), stride)
    assert len(samples.table) <= 1024
    assert samples.table[:, 0].tolist() == list(range(0, stride * (count - 1) + 1, samples.stride))
    feed(samples, samples.last_event + 1, samples.last_event + 3000)
    assert (np.diff(samples.table[:, 0]) == samples.stride).all()


@given(st.sets(st.integers(0, 300), min_size=1), st.booleans())
def test_samples_that_nobody_has_looked_at_are_thinned_where_they_are(events: set[int], shown: bool) -> None:
    samples = Samples(2, 16)
    for event in sorted(events):  # with gaps, unlike any engine's
        samples.append(samples_of(np.array([event])))
        assert not shown or len(samples.table) <= 16
    assert samples.table[:, 0].tolist() == [event for event in sorted(events) if event % samples.stride == 0]
    assert (samples.table[:, 1] == 10 * samples.table[:, 0]).all()


def test_no_more_samples_are_dropped_than_must_be() -> None:
    samples = Samples(2, 1024)
    feed(samples, 0, 1023)
    assert samples.stride == 1
    feed(samples, 1024, 1024)
    assert samples.stride == 2
    assert len(samples.table) == 513


@given(st.lists(st.tuples(st.integers(0, 400), st.integers(1, 300)), max_size=15))
def test_samples_of_a_replay_are_passed_over(walks: list[tuple[int, int]]) -> None:
    samples = Samples(2)
    feed(samples, 0, 200)
    end = 200
    for wish, length in walks:
        start = min(wish, end)
        feed(samples, start, start + length)
        end = max(end, start + length)
        assert samples.table[:, 0].tolist() == list(range(end + 1))


@given(st.integers(0, 3000), st.integers(0, 500), st.sampled_from([1, 2, 4, 8]))
def test_of_samples_on_another_grid_those_on_this_one_are_added(start: int, length: int, apart: int) -> None:
    samples = Samples(2, 1024)
    feed(samples, 0, 2500)
    before, stride = samples.table[:, 0].tolist(), samples.stride
    events = np.arange(start, start + length)
    samples.append(samples_of(events[events % apart == 0]))
    fresh = [event for event in range(max(2501, start), start + length) if event % max(apart, stride) == 0]
    assert samples.table[:, 0].tolist() == before + fresh


def test_tables_given_out_do_not_change() -> None:
    samples = Samples(2, 1024)
    feed(samples, 0, 700)
    table = samples.table
    before = table.copy()
    with pytest.raises(ValueError, match="read-only"):
        table[0, 0] = 5
    for first in range(701, 9000, 100):
        feed(samples, first, first + 99)
    assert (table == before).all()


def test_no_samples_yet() -> None:
    samples = Samples(3)
    assert samples.table.shape == (0, 3)
    assert samples.last_event == -1


@given(st.lists(st.tuples(st.integers(0, 80), st.integers(0, 30)), max_size=20), st.integers(1, 40))
def test_rows_are_the_last_ones(walks: list[tuple[int, int]], most: int) -> None:
    """Appended rows start at any event reached before, as in replays."""
    recent = RecentRows(EVENT_ROW, most)
    end = 0
    for wish, length in walks:
        start = min(wish, end)
        recent.append(rows_of(start + 1, start + length))
        end = max(end, start + length)
        assert recent.last_event == end
        assert recent.rows["event"].tolist() == list(range(max(0, end - most) + 1, end + 1))
        assert (recent.rows["time"] == recent.rows["event"] / 4).all()


@given(st.lists(st.tuples(st.integers(0, 80), st.integers(0, 90), st.booleans()), max_size=20), st.integers(1, 40))
def test_rows_that_are_kept_on_a_tape_are_not_written_over(walks: list[tuple[int, int, bool]], most: int) -> None:
    recent = RecentRows(EVENT_ROW, most)
    end = 0
    for wish, length, on_tape in walks:
        start = min(wish, end)
        rows = rows_of(start + 1, start + length)
        if on_tape:
            recent.tape[:length] = rows
            rows = recent.tape[:length]
        recent.append(rows)
        end = max(end, start + length)
        recent.tape[:100] = rows_of(1, 1)
        assert recent.last_event == end
        assert recent.rows["event"].tolist() == list(range(max(0, end - most) + 1, end + 1))
        assert (recent.rows["time"] == recent.rows["event"] / 4).all()


@given(st.integers(1, 60), st.integers(1, 60), st.integers(0, 60))
def test_rows_between_two_events(most: int, end: int, length: int) -> None:
    recent = RecentRows(EVENT_ROW, most)
    for event in range(1, end + 1):
        recent.append(rows_of(event, event))
    for first in range(1, end + 2):
        last = first + length - 1
        found = recent.between(first, last)
        if first < max(1, end - most + 1) or last > end:
            assert found is None
        else:
            assert found is not None
            assert found["event"].tolist() == list(range(first, last + 1))


def test_rows_of_a_run_that_starts_late() -> None:
    """A fork's first event is not 1."""
    recent = RecentRows(EVENT_ROW, 10)
    assert recent.last_event == 0
    assert recent.between(1, 1) is None
    recent.append(rows_of(500, 504))
    assert recent.rows["event"].tolist() == [500, 501, 502, 503, 504]
    assert recent.between(499, 501) is None
    found = recent.between(501, 502)
    assert found is not None
    assert found["event"].tolist() == [501, 502]


def test_rows_never_hide_a_gap() -> None:
    """After a jump (a reopened run) rows are those of the requested events, or none are given."""
    recent = RecentRows(EVENT_ROW, 20)
    recent.append(rows_of(1, 3))
    recent.append(rows_of(51, 55))
    assert np.diff(recent.rows["event"]).tolist() in ([1] * (len(recent.rows) - 1), [])
    for first, last in ((1, 3), (1, 55), (2, 5), (51, 55), (52, 53)):
        found = recent.between(first, last)
        assert found is None or found["event"].tolist() == list(range(first, last + 1))
    found = recent.between(51, 55)
    assert found is not None


@pytest.mark.parametrize("kernel", [False, True])
@pytest.mark.parametrize("system", KINDS)
def test_what_a_tape_held_before_does_not_show(system: str, kernel: bool) -> None:
    """Tapes are allocated uninitialized, so every field of each row must be written."""
    rows = []
    for held in (0, 0xA7):
        session = Session.open(kind_named(system).example, kernel=kernel)
        session.timeline.recent._tapes.view(np.uint8)[:] = held
        session.run(events=400)
        rows.append(session.timeline.recent.rows.tobytes())
    assert rows[0] == rows[1]
