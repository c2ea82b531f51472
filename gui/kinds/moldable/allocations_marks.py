"""The last event's effect on the widths: blocked, partial, admitted, departed; and flashes of blocked arrivals."""

from __future__ import annotations

import time
from typing import Mapping, NamedTuple

import numpy as np

from slotscope.model.kinds.moldable.rows import FLAG_BLOCKED, FLAG_DEPARTED
from slotscope.model.reporting.frame import Frame, RunInfo
from slotscope.model.reporting.records import ARRIVAL, Allocate, Record, Reject

#: Seconds for which a blocked arrival stays visible during a run.
FLASH = 0.45


class EventMark(NamedTuple):
    """A job that requests, receives or returns servers.

    ``width`` is the number that it received or had: 0 if blocked, -1 if not decided yet. ``request`` is -1 for a
    departure, and if a user's policy blocks a job before it requests anything.
    """

    job_class: int
    request: int
    width: int

    @property
    def blocked(self) -> bool:
        """Whether the job was blocked."""
        return self.width == 0

    @property
    def partial(self) -> bool:
        """Whether the job got fewer servers than it requested."""
        return 0 < self.width < self.request

    @property
    def words(self) -> str:
        """The event in a few words."""
        if self.blocked:
            return f"asked {self.request}: blocked" if self.request > 0 else "blocked"
        if self.request < 0:
            return "departs"
        if self.width < 0:
            return f"asks for {self.request}"
        if self.partial:
            return f"asked {self.request}, got {self.width}"
        return "starts"


def event_mark(frame: Frame) -> EventMark | None:
    """The mark of the current event while stepping; None during a run, or before its first event."""
    if frame.running:
        return None
    if frame.event_in_the_making is not None:
        return _in_the_making(frame)
    if not len(frame.rows) or frame.rows["event"][-1] != frame.event:
        return None
    row = frame.rows[-1]
    if row["flags"] & FLAG_DEPARTED:
        return EventMark(int(row["type"]), -1, int(row["width"]))
    return EventMark(int(row["type"]), int(row["request"]), int(row["width"]))


def _in_the_making(frame: Frame) -> EventMark | None:
    """The mark of an arrival that is being decided, as far as it is decided."""
    event = frame.event_in_the_making
    if event is None or event.kind != ARRIVAL:
        return None
    mark = None
    for record in frame.records:
        if "request" in record.values:
            mark = EventMark(event.type, int(record.values["request"]), _decided(record))
    return mark


def _decided(record: Record) -> int:
    if isinstance(record, Allocate):
        return record.servers
    return 0 if isinstance(record, Reject) else -1


class Flashes:
    """Blocked arrivals of the last moments, by class and request, during a run."""

    def __init__(self) -> None:
        self._until: dict[tuple[int, int], float] = {}
        self._info: RunInfo | None = None
        self._event = 0

    def take(self, frame: Frame) -> None:
        """Take the events since the last frame; a jump back clears all flashes."""
        onward = frame.info is self._info and frame.event >= self._event
        if not (onward and frame.running):
            self._until = {}
        elif len(frame.rows):
            fresh = frame.rows[np.searchsorted(frame.rows["event"], self._event, side="right") :]
            blocked = fresh[(fresh["flags"] & FLAG_BLOCKED) != 0]
            end = time.monotonic() + FLASH
            for job_class, request in zip(*(blocked[name].tolist() for name in ("type", "request")), strict=True):
                self._until[job_class, request] = end
        self._info, self._event = frame.info, frame.event

    def left(self) -> Mapping[tuple[int, int], float]:
        """The remaining share of each flash's time, by class and request."""
        now = time.monotonic()
        self._until = {key: end for key, end in self._until.items() if end > now}
        return {key: (end - now) / FLASH for key, end in self._until.items()}
