"""Several runs on the same jobs, moved so that their clocks agree.

The lanes always stand at one place in a common order of all their events: by time; at equal times
departures, then updates, then arrivals, and then by job number.  In one step, all lanes whose next event
has the earliest place move together; an arrival or a time slot has the same place in every lane.
"""

from __future__ import annotations

from functools import wraps
from math import inf, nextafter
from time import monotonic
from typing import Callable, Concatenate, ParamSpec, Sequence, TypeVar

from slotscope.model.api import Session
from slotscope.model.comparison.lane import Lane
from slotscope.model.errors import PolicyError, UserError
from slotscope.model.phrase import Phrase
from slotscope.model.reporting.records import ARRIVAL, DEPARTURE, MOVE, SLOT, TICK, UPDATE, Event
from slotscope.model.running.engine import Advance, Reason
from slotscope.model.running.slices import MOST_OF_A_RUN, Slices
from slotscope.model.running.timeline import NO_END
from slotscope.model.running.waiting import GivenUpError, waiting_on

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")

_RANK = {DEPARTURE: 0, MOVE: 0, UPDATE: 1, TICK: 1, ARRIVAL: 2, SLOT: 3}


def _together(
    move: Callable[Concatenate[Lockstep, _Arguments], _Result],
) -> Callable[Concatenate[Lockstep, _Arguments], _Result]:
    """Wraps a method that moves all lanes: if the user stops it midway, all lanes go to where the last one stands.

    If the user stops that, too, they go to the start, the one place that all can reach at once.
    """

    @wraps(move)
    def moved(self: Lockstep, /, *args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
        try:
            return move(self, *args, **kwargs)
        except GivenUpError:
            self.meet(min(lane.line.time for lane in self.lanes))
            raise

    return moved


class Lockstep:
    """Lanes on the same jobs, and the ways in which they move together."""

    def __init__(self, lanes: Sequence[Lane]) -> None:
        self.lanes = tuple(lanes)
        self._slices = Slices(most=MOST_OF_A_RUN)
        self._advancing = 0  # the lane that is running, so that a fault is its policy's

    @property
    def sessions(self) -> tuple[Session, ...]:
        """The session of each lane."""
        return tuple(lane.session for lane in self.lanes)

    @property
    def clock(self) -> float:
        """The common clock: the time of the last event of any lane."""
        return max(lane.line.time for lane in self.lanes)

    @property
    def events(self) -> tuple[int, ...]:
        """How many events each lane has had."""
        return tuple(lane.line.event for lane in self.lanes)

    @property
    def inside(self) -> int | None:
        """The lane that stands within an event, whose decision is being stepped through, or None."""
        steps = [place for place, lane in enumerate(self.lanes) if lane.line.substep]
        return steps[0] if steps else None

    def next_event(self) -> Event | None:
        """The next event of any lane; an unfinished event counts as the next one."""
        following = self.next_lanes()
        return self.lanes[following[0]].line.next_event if following else None

    def next_lanes(self) -> tuple[int, ...]:
        """The lanes in which the next event happens; empty if there is none."""
        events = [lane.line.next_event for lane in self.lanes]
        places = [place_of(event) for event in events if event is not None]
        if not places:
            return ()
        earliest = min(places)
        return tuple(n for n, event in enumerate(events) if event is not None and place_of(event) == earliest)

    # Event by event.

    def step(self) -> None:
        """Run the next event, in every lane that has it.

        Raises UserError if a policy's decision is impossible; then no lane has moved.
        """
        self._step_lanes(self.next_lanes(), [])

    def step_into(self, lane: int) -> None:
        """Run one sub-step of a lane that has the next event; when its event ends, the other lanes run it, too.

        Raises UserError if a policy's decision is impossible; then the last step is undone in all lanes.
        """
        following = self.next_lanes()
        session = self.lanes[lane].session
        session.step_into()
        if not session.timeline.substep:
            self._step_lanes([other for other in following if other != lane], [session])

    def _step_lanes(self, lanes: Sequence[int], moved: list[Session]) -> None:
        """Run one event in each of *lanes*; if one fails, these and the *moved* sessions go back."""
        try:
            for place in lanes:
                self.lanes[place].session.step()
                moved.append(self.lanes[place].session)
        except UserError:
            for session in moved:
                session.seek(session.timeline.event - 1)
            raise

    def _step_quickly(self) -> bool:
        """As :meth:`step`, by each lane's engine; False if there is no next event."""
        following = self.next_lanes()
        for place in following:
            self._advance(place, 1, inf, 0)
        return bool(following)

    @_together
    def step_back(self) -> tuple[int, ...]:
        """Undo the last step; returns the lanes that moved."""
        here = self.events
        self._just_before(self.clock)
        before = self.events
        while self.events != here and self._step_would_lead_to(here):
            before = self.events
            self._step_quickly()
        for session, event in zip(self.sessions, before, strict=True):
            session.seek(event)
        return tuple(n for n, (old, new) in enumerate(zip(here, before, strict=True)) if old > new)

    def _step_would_lead_to(self, events: tuple[int, ...]) -> bool:
        return bool(self.next_lanes()) and any(has < wanted for has, wanted in zip(self.events, events, strict=True))

    # Places.

    def to_start(self) -> None:
        """Move every lane to the start of its history."""
        for session in self.sessions:
            session.to_start()

    def meet(self, time: float) -> None:
        """After the user has stopped a move, go to *time* in every lane; if this is stopped as well, to the start.

        Raises GivenUpError if the user stops it as well.
        """
        try:
            with waiting_on():
                self._to_time(time)
        except GivenUpError:
            self.to_start()
            raise GivenUpError(
                Phrase("stopped before the policies met again: all stand at the start, and their history is kept")
            ) from None

    @_together
    def to_time(self, time: float) -> None:
        """Move every lane to just after all its events up to *time*."""
        self._to_time(time)

    def _to_time(self, time: float) -> None:
        for lane in self.lanes:
            lane.line.seek_time(time)
        self.settle()

    @_together
    def after(self, lane: int, event: int) -> None:
        """Move to just after an event of a lane; to the end if it has fewer events."""
        line = self.lanes[lane].line
        line.seek(event)
        wanted = line.event
        if wanted <= line.first_event:
            self.to_start()
            return
        self._just_before(line.time)
        while line.event < wanted and self._step_quickly():
            pass
        self.settle()

    @_together
    def to_events(self, events: tuple[int, ...]) -> bool:
        """Move to where each lane has had so many events; False if they never stand there together."""
        for lane, event in zip(self.lanes, events, strict=True):
            lane.line.seek(event)
        lines = [lane.line for lane in self.lanes]
        begun = {n: line.time for n, line in enumerate(lines) if line.event > line.first_event}
        last = max(begun.values(), default=0.0)
        for place, time in begun.items():  # the last event of one of these lanes was the last of all
            if time == last:
                self.after(place, events[place])
                if self.events == events:
                    return True
        if not begun:
            self.to_start()
        return self.events == events and not begun

    @_together
    def before(self, lane: int, event: int) -> None:
        """Move to just before an event of a lane, so that the next step runs it."""
        line = self.lanes[lane].line
        line.seek(event)
        if line.event < event:  # there is no such event
            self.after(lane, event)
            return
        self._just_before(line.time)
        while line.event < event - 1 or lane not in self.next_lanes():
            self._step_quickly()
        self.settle()

    @_together
    def before_arrival(self, arrival: int, time: float) -> None:
        """Move to just before an arrival at *time*."""
        self._just_before(time)
        while not self._arrives_next(arrival) and self._step_quickly():
            pass
        self.settle()

    def _arrives_next(self, arrival: int) -> bool:
        event = self.next_event()
        wanted = arrival + self.lanes[0].initial_jobs
        return event is not None and event.kind == ARRIVAL and event.job == wanted

    def _just_before(self, time: float) -> None:
        for lane in self.lanes:
            lane.line.seek_time(nextafter(time, -inf))

    def settle(self) -> None:
        """Seek each lane to where it stands, which verifies its state and restores the event that led there."""
        for session in self.sessions:
            session.seek(session.timeline.event)

    # Running.

    @_together
    def run(self, last: int | None, until: float, flags: int, deadline: float) -> Reason:
        """Run on to event *last* of the first lane, to a time, or to an event with one of *flags*.

        The lanes run one after the other in short slices, each to a common time.
        """
        reason = Reason.LIMIT
        if self.inside is not None:
            self.step()
        while reason is Reason.LIMIT and (last is None or self.events[0] < last):
            reason = self._slice(last, until, flags, deadline - monotonic())
            if monotonic() >= deadline:
                break
        for session in self.sessions:
            session.run(events=0)  # forgets the sub-steps of the event that was stepped through last
        return reason

    def _slice(self, last: int | None, until: float, flags: int, budget: float) -> Reason:
        """Run all lanes for a few milliseconds; the first lane that has events left leads."""
        leader = next((n for n, lane in enumerate(self.lanes) if lane.line.next_event), None)
        if leader is None:
            return Reason.END
        line, reason = self.lanes[leader].line, Reason.LIMIT

        def run(room: int) -> int:
            nonlocal reason
            before = line.event
            reason = self._follow(leader, room, last, until, flags)
            return line.event - before

        try:
            self._slices.take(run, budget)
        except PolicyError:
            self._before_fault()
            raise
        return reason

    def _follow(self, leader: int, room: int, last: int | None, until: float, flags: int) -> Reason:
        """Run the leader for *room* events, and the others up to its time."""
        line = self.lanes[leader].line
        most = NO_END if last is None or leader else last
        led = self._advance(leader, min(room, most - line.event), until, flags)
        following = line.next_event if led.reason is Reason.LIMIT and line.event < most else None
        if following is not None and following.time <= line.time:  # finish all events at this time
            led = self._advance(leader, most - line.event, line.time, flags)
            led = led._replace(reason=Reason.LIMIT) if led.reason is not Reason.FLAG else led
        if led.reason is Reason.LIMIT and line.event == most:
            self.after(0, most)
            return Reason.LIMIT
        bound = until if led.reason is Reason.TIME else line.time
        done: dict[int, Advance] = {leader: led}
        for place in range(len(self.lanes)):
            if place != leader:
                done[place] = self._advance(place, NO_END, bound, flags)
        return self._closed(done, led.reason)

    def _closed(self, done: dict[int, Advance], reason: Reason) -> Reason:
        """The reason of a slice; if lanes have met a flag, all go to just after the first such event."""
        met = {n: self.lanes[n].line.event for n, one in done.items() if one.reason is Reason.FLAG}
        if not met:
            if reason is Reason.END:  # of the leader; other lanes may have events left
                return Reason.LIMIT if self.next_lanes() else Reason.END
            return reason
        self._just_before(min(self.lanes[n].line.time for n in met))
        while not any(self.lanes[n].line.event >= event for n, event in met.items()):
            self._step_quickly()
        self.settle()
        return Reason.FLAG

    def _advance(self, place: int, events: int, until: float, flags: int) -> Advance:
        self._advancing = place
        return self.lanes[place].line.advance(events, until, flags)

    def _before_fault(self) -> None:
        """After a fault of a policy, move all lanes to just before the event at which it failed.

        If another policy fails on the way, at an earlier event, that event is used instead.
        """
        for _ in self.lanes:
            failed = self._advancing
            line = self.lanes[failed].line
            event, following = line.event, line.next_event
            if following is None:
                return
            try:
                for place in range(len(self.lanes)):
                    self._advancing = place
                    self.lanes[place].line.seek_time(nextafter(following.time, -inf))
                while line.event < event or failed not in self.next_lanes():
                    self._step_quickly()
            except PolicyError:
                continue
            self.settle()
            return


def place_of(event: Event) -> tuple[float, int, int]:
    """The place of an event in the common order of all lanes' events."""
    return event.time, _RANK[event.kind], event.job
