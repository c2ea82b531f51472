"""Keyframes within the user's bounds: in memory, then on disk, and thinned beyond both."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

from slotscope.model.api import Session
from slotscope.model.kinds.reservation.state import ReservationState
from slotscope.model.running import keyframes
from slotscope.model.running.assembly import assemble
from slotscope.model.running.engine import started
from slotscope.model.running.keyframes import LEAST_KEYFRAMES, HistoryRoom, Keyframes, StateFile, StoredState
from slotscope.model.scenario.load import load_scenario
from slotscope.model.systems.state import copied, digest, size_in_bytes

APART = 10


@pytest.fixture(scope="module")
def state() -> ReservationState:
    """The state of a small run."""
    found: ReservationState = started(assemble(load_scenario("dra-classroom")).system)
    return found


def kept(room: HistoryRoom, state: Any, count: int) -> Keyframes:
    """Keyframes of a number of events, one state each."""
    frames = Keyframes(room)
    for number in range(count):
        event = copied(state)
        event.number[0] = number * APART
        if number % frames.thinned == 0:
            frames.add(event)
            frames.fit(APART)
    return frames


def test_a_stored_state_is_read_as_it_was_and_leaves_its_place_to_the_next(state: ReservationState) -> None:
    file = StateFile()
    stored, beside = StoredState(state, file), StoredState(state, file)
    again = stored.read()
    assert digest(again) == digest(state)
    assert all(array.flags.aligned and array.flags.writeable for array in again)
    del stored
    gc.collect()
    size = file.size
    other = copied(state)
    other.number[0] = 7
    assert int(StoredState(other, file).read().number[0]) == 7
    assert file.size == size and digest(beside.read()) == digest(state)


def test_what_does_not_fit_in_memory_goes_to_disk_and_none_is_dropped(state: ReservationState) -> None:
    each = size_in_bytes(state)
    frames = kept(HistoryRoom(5 * each, disk=100 * each), state, 40)
    assert frames.events == tuple(range(0, 40 * APART, APART)) and frames.thinned == 1
    assert frames.bytes == 5 * each and frames.disk_bytes == 35 * each
    for event in frames.events:
        assert int(frames.state(event).number[0]) == event
    assert digest(frames.state(0)) == digest(state)
    shared = Keyframes(HistoryRoom(5 * each))
    shared.share(frames, 10 * APART)
    assert shared.disk_bytes == 10 * each  # all but the first
    del frames
    gc.collect()
    assert int(shared.state(APART).number[0]) == APART  # shared frames survive their first owner


@pytest.mark.parametrize("disk", [0, 10])
def test_beyond_both_every_second_one_is_dropped(state: ReservationState, disk: int) -> None:
    each = size_in_bytes(state)
    frames = kept(HistoryRoom(5 * each, disk=disk * each), state, 200)
    assert frames.thinned > 1 and frames.events[0] == 0
    assert frames.bytes <= 5 * each and frames.disk_bytes <= disk * each
    assert len(set(np.diff(frames.events))) == 1


def test_without_room_few_are_kept(state: ReservationState) -> None:
    assert len(kept(HistoryRoom(0), state, 500).events) <= LEAST_KEYFRAMES


def test_a_disk_that_refuses_has_no_room(state: ReservationState, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(StoredState):
        def __init__(self, *_: Any) -> None:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(keyframes, "StoredState", Full)
    each = size_in_bytes(state)
    frames = kept(HistoryRoom(5 * each, disk=100 * each), state, 40)
    assert frames.thinned > 1 and frames.bytes <= 5 * each
    assert frames.refused == "No space left on device"
    monkeypatch.undo()  # there is room again
    for frame in range(1000, 1010):
        later = copied(state)
        later.number[0] = frame * APART
        frames.add(later)
    frames.fit(APART)
    assert not frames.refused


@pytest.mark.slow
@pytest.mark.parametrize("name", ["dra-classroom", "queues-classroom", "jrs-classroom", "moldable-classroom"])
def test_where_keyframes_are_far_apart_one_steps_back_without_the_whole_way_again(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    straight, ran = Session.open(name, kernel=False), [0]
    session = Session.open(name, kernel=False)
    line = session.timeline
    line._keyframes.room = HistoryRoom(6 * size_in_bytes(line.state))
    monkeypatch.setattr(line.engine, "keyframe_every", 20, raising=False)
    session.run(events=900)
    end, slices = line.event, line.advance_a_slice

    def counted(events: int, *given: Any) -> Any:
        before = line.event
        reason = slices(events, *given)
        ran[0] += line.event - before
        return reason

    monkeypatch.setattr(line, "advance_a_slice", counted)
    far = line._every
    assert far >= 80, "they were thinned out"
    place = end - end % far - 1  # the farthest from the keyframe before it
    for way, most in ((place, far), (place - 1, 20), (place - 2, 20), (place + 3, 25), (end, 0), (place - 5, 25)):
        ran[0] = 0
        session.seek(way)
        assert ran[0] <= most, way
        straight.seek(way) if way < straight.timeline.event else straight.run(events=way - straight.timeline.event)
        assert line.event == way and digest(line.state) == digest(straight.timeline.state)


def test_places_passed_by_take_no_more_than_keyframes_may(state: ReservationState) -> None:
    each = size_in_bytes(state)
    for memory, most in ((0, 0), (each, 1), (2 * each, 2), (9 * each, 2)):
        frames = Keyframes(HistoryRoom(memory))
        frames.add(state)
        for number in (30, 10, 20):
            passed = copied(state)
            passed.number[0] = number
            frames.pass_by(passed)
        kept_beside = [event for event in (30, 10, 20) if frames.near(event) == event]
        assert kept_beside == [30, 10, 20][3 - most :]
