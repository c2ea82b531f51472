"""A stretch of a run, from one moment to another, and the moments in it that are shown."""

from __future__ import annotations

from typing import Iterator, Literal, NamedTuple

from slotscope.model.comparison.comparison import Comparison
from slotscope.model.comparison.runs import Run, lanes_of, stand_at
from slotscope.model.errors import UserError
from slotscope.model.phrase import Phrase
from slotscope.model.running.origin import Moment
from slotscope.model.running.timeline import place_of
from slotscope.model.running.waiting import share_of

#: A moment of a run, or a time.
Place = Moment | float

By = Literal["substep", "event", "time"]

#: The most events of a stretch that is shown sub-step by sub-step by default.
FEW_EVENTS = 10


class Footage(NamedTuple):
    """A stretch of a run."""

    #: start, end: the first and the last moment; a time means the moment after all events up to it
    start: Place
    end: Place
    by: By  #: the step from one shown moment to the next: a sub-step, an event, or *every* units of time
    every: float = 1.0  #: units of time, for steps of time


def usual_by(start: Place, end: Place) -> By:
    """The default steps of a stretch: time between two times, sub-steps for a few events, events for many."""
    if isinstance(start, float) and isinstance(end, float):
        return "time"
    few = isinstance(start, Moment) and isinstance(end, Moment) and end.events[0] - start.events[0] <= FEW_EVENTS
    return "substep" if few else "event"


def stand(run: Run, place: Place) -> str | None:
    """Go to a moment or a time; returns a message if the run ends before it.

    Raises UserError if the policies never stand at the moment together, or there are fewer of them.
    """
    if isinstance(place, Moment):
        return stand_at(run, place)
    (run if isinstance(run, Comparison) else run.timeline).seek_time(place)
    return None


def walk(run: Run, footage: Footage) -> Iterator[float]:
    """Go to each moment of a stretch, one after the other; yields the fraction of the stretch that is done.

    If the run ends earlier, the stretch ends there.
    Raises UserError if the end comes before the start, or the policies do not stand at a moment together.
    """
    if (said := stand(run, footage.start)) is not None:
        raise UserError(said, where="--from")
    if _is_past(run, footage.end):
        start, end = place_words(footage.start), place_words(footage.end)
        raise UserError(Phrase("found {end}, allowed: after {start}", end=end, start=start), where="--to")
    begun = _here(run, footage.end)
    yield 0.0
    moves = _times(run, footage) if footage.by == "time" else _moves(run, footage)
    for _ in moves:
        yield share_of(_here(run, footage.end), begun, _goal(footage.end))


def _times(run: Run, footage: Footage) -> Iterator[None]:
    """Go to one time after the other."""
    begun = run.timeline.time if isinstance(footage.start, Moment) else footage.start
    end = footage.end if isinstance(footage.end, float) else _time_of(run, footage.end)
    number = 0
    while begun + number * footage.every < end and not _is_over(run):
        number += 1
        run.run(until=min(end, begun + number * footage.every))
        yield


def _time_of(run: Run, end: Moment) -> float:
    """The time of the last moment, found without moving the run, since whoever shows the run would show the move."""
    times = []
    for place, (lane, event) in enumerate(zip(lanes_of(run), end.events, strict=False)):
        state = lane.timeline.fork_at(lane.timeline.event)
        for stretch in lane.timeline.onwards(state, event + (end.substep > 0 and place == end.lane)):
            state = stretch.state
        times.append(place_of(state)[1])
    return max(times)


def _is_over(run: Run) -> bool:
    return run.timeline.next_event is None


def _moves(run: Run, footage: Footage) -> Iterator[None]:
    while not _is_there(run, footage.end) and _move(run, footage):
        yield


def _move(run: Run, footage: Footage) -> bool:
    """Go to the next moment to show; False if no event is left."""
    end, before = footage.end, _position(run)
    if footage.by == "substep":
        run.step_into()
    elif isinstance(end, Moment) and run.timeline.event >= end.events[0]:
        stand_at(run, end)
    else:
        run.step()
    return _position(run) != before


def _position(run: Run) -> list[tuple[int, int]]:
    return [(lane.timeline.event, lane.timeline.substep) for lane in lanes_of(run)]


def _wanted(end: Moment) -> list[tuple[int, int]]:
    """(event, sub-step) of each lane at a moment."""
    return [(events, end.substep if lane == end.lane else 0) for lane, events in enumerate(end.events)]


def _is_there(run: Run, end: Place) -> bool:
    if isinstance(end, float):
        coming = run.timeline.next_event
        return run.timeline.substep == 0 and (coming is None or coming.time > end)
    return all(have >= want for have, want in zip(_position(run), _wanted(end), strict=False))


def _is_past(run: Run, end: Place) -> bool:
    if isinstance(end, float):
        return run.timeline.time > end
    return any(have > want for have, want in zip(_position(run), _wanted(end), strict=False))


def _here(run: Run, end: Place) -> float:
    """The position of the run on its way, in time or in events, as the end is given."""
    return run.timeline.time if isinstance(end, float) else run.timeline.event


def _goal(end: Place) -> float:
    return end if isinstance(end, float) else end.events[0] + (end.substep > 0)


def place_words(place: Place) -> str:
    """A moment or a time in the form of the command line."""
    return str(place) if isinstance(place, Moment) else f"t={place:g}"
