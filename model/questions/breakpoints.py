"""Breakpoints: stop a run just before given events, just before events at which a question holds, or where a monitor
is found violated.

A run with questions is searched a few milliseconds ahead, so that it never passes an event that it has to stop before;
that costs as much as running those events once more.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from dataclasses import dataclass, field
from math import inf
from types import MappingProxyType
from typing import Callable, Iterable, Iterator, Mapping, NamedTuple, Sequence

import numpy as np

from slotscope.model.errors import UserError
from slotscope.model.measures.monitors import Reading, stop_line
from slotscope.model.phrase import Phrase
from slotscope.model.questions.asking import FEW, Answers, answers
from slotscope.model.questions.meaning import Question
from slotscope.model.questions.syntax import QuestionError
from slotscope.model.questions.understanding import understood
from slotscope.model.questions.words import Words, nearest
from slotscope.model.reporting.explain import grouped
from slotscope.model.running.assembly import Bench
from slotscope.model.running.timeline import NO_END, Timeline
from slotscope.model.running.waiting import GivenUpError

#: Most events searched ahead at once, where no states have to be read.
MANY = 16_384

#: Prefix of the text of a breakpoint that stops where a monitor is violated.
MONITOR = "monitor "

#: Largest *times* of a breakpoint.
MOST_TIMES = 10**9


class Breakpoint(NamedTuple):
    """Where a run is to stop.

    Attributes
    ----------
    what:
        The number of an event; a question; or ``monitor`` and the name of one.
    times:
        Of a question: the run stops at every *times*-th hit.
    since:
        Hits are counted after this event.
    on:
        Whether it is enabled.
    """

    what: int | str
    times: int = 1
    since: int = 0
    on: bool = True

    @property
    def question(self) -> str:
        """The user's question; empty for events and monitors."""
        return self.what if isinstance(self.what, str) and not self.what.startswith(MONITOR) else ""

    @property
    def asked(self) -> str:
        """A question that holds at the breakpoint; empty for monitors."""
        return f"event = {self.what}" if isinstance(self.what, int) else self.question


@dataclass(frozen=True)
class WatchedLane:
    """One of the policies that are run, with the readings of its monitors; *label* names it if there are several."""

    timeline: Timeline
    readings: Callable[[], Iterable[Reading]]
    label: str = ""
    _times: dict[int, float] = field(default_factory=dict)

    def ahead(self, on: Callable[[str], bool]) -> Iterator[Reading]:
        """Violations at which the run has to stop, after the lane's present event."""
        return (one for one in self.violated(on) if one.event > self.timeline.event)

    def violated(self, on: Callable[[str], bool]) -> Iterator[Reading]:
        """Readings of violated monitors that have a breakpoint which is enabled."""
        return (one for one in self.readings() if one.standing == "violated" and on(MONITOR + one.monitor.name))

    def time_of(self, event: int) -> float:
        """The time of an event in the lane's history."""
        if event not in self._times:
            self._times[event] = float(self.timeline.rows(event, event)["time"][0])
        return self._times[event]


class BreakpointList(NamedTuple):
    """All breakpoints; *asleep* are those that name what the present run does not have."""

    entries: tuple[Breakpoint, ...]
    asleep: frozenset[int | str]
    fault: str = ""  #: the error in the one that was typed last
    notes: Mapping[int | str, tuple[Phrase, ...]] = MappingProxyType(
        {}
    )  #: for a question that holds nowhere, or everywhere, why

    @property
    def events(self) -> tuple[int, ...]:
        """The events that have a breakpoint."""
        return tuple(one.what for one in self.entries if isinstance(one.what, int))

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions that are breakpoints."""
        return tuple(one.question for one in self.entries if one.question)


class Breakpoints:
    """The breakpoints; they outlive the run that they are checked in."""

    def __init__(self) -> None:
        self._entries: dict[int | str, Breakpoint] = {}
        self._asked: dict[str, Question] = {}  # questions that the present run has the names for
        self._counts: dict[str, _HitCount] = {}
        self._bench: Bench | None = None
        self._words: Words | None = None
        self._timeline: Timeline | None = None
        self._lanes: tuple[WatchedLane, ...] = ()  # questions are asked of the first; monitors of all stop the run
        self._left: tuple[int, ...] = ()  # the event of each lane when the run went on
        self._passed = 0  # the run no longer stops before this event, or an earlier one
        self._known = 0  # the last event that was searched ahead
        self._hit: tuple[int, str] | None = None
        self._careful = False  # something failed ahead: search one event at a time

    # The list.

    def listed(self, fault: str = "") -> BreakpointList:
        """All breakpoints: those at events first, in order."""
        events = sorted(one for one in self._entries.values() if isinstance(one.what, int))
        others = [one for one in self._entries.values() if isinstance(one.what, str)]
        asleep = frozenset(one.what for one in others if not self._has(str(one.what)))
        noted = {one.what: self._asked[one.question].notes for one in others if one.question in self._asked}
        return BreakpointList(
            (*events, *others), asleep, fault, {what: notes for what, notes in noted.items() if notes}
        )

    @property
    def active(self) -> frozenset[int | str]:
        """What the enabled breakpoints stop at, for frames."""
        return frozenset(one.what for one in self._entries.values() if one.on)

    @property
    def marked(self) -> tuple[Breakpoint, ...]:
        """The enabled breakpoints, without monitors."""
        return tuple(one for one in self.listed().entries if one.on and one.asked)

    def add(self, text: str, times: int = 1) -> None:
        """Add a breakpoint: an event's number; a monitor, as in ``monitor capacity``; or a question, at whose every
        *times*-th hit the run stops.

        Raises
        ------
        QuestionError
            If the question cannot be interpreted, or there is no such monitor.
        """
        words = text.strip()
        number = words.replace(",", "")
        if number.isascii() and number.isdigit():
            self._set(Breakpoint(int(number)))
        elif self._words is not None:
            if not words.startswith(MONITOR):
                understood(words, self._words)
            elif not self._has(words):
                name = words.removeprefix(MONITOR)
                raise QuestionError(
                    f"found the monitor '{name}', {nearest(name, self._monitors())}", where="breakpoint"
                )
            self._set(Breakpoint(words, 1 if words.startswith(MONITOR) else times, self._here))

    def toggle(self, what: int | str) -> None:
        """Enable the breakpoint, adding it if needed; remove it if it is enabled."""
        known = self._entries.get(what)
        if known is not None and known.on:
            self.remove(what)
        else:
            self._set(Breakpoint(what, since=self._here) if known is None else known._replace(on=True))

    def switch(self, what: int | str, on: bool) -> None:
        """Enable or disable a breakpoint."""
        if what in self._entries:
            self._set(self._entries[what]._replace(on=on))

    def remove(self, what: int | str) -> None:
        """Remove a breakpoint."""
        self._entries.pop(what, None)
        self._renew()

    def clear(self) -> None:
        """Remove all breakpoints."""
        self._entries.clear()
        self._renew()

    def restore(self, saved: Iterable[Breakpoint]) -> None:
        """Add the breakpoints of a saved run to the present ones."""
        for one in saved:
            self._set(one)

    def _set(self, one: Breakpoint) -> None:
        self._entries[one.what] = one
        self._renew()

    def _renew(self) -> None:
        """Interpret the questions of the changed list, and forget what was found ahead."""
        questions = [one for one in self._entries.values() if one.question]
        known = {} if self._words is None else {one.question: _in(self._words, one.question) for one in questions}
        self._asked = {text: question for text, question in known.items() if question is not None}
        self._counts = {one.question: _HitCount(one.since) for one in questions if one.times > 1}
        self._hit, self._known = None, max(self._here, self._passed)

    def _monitors(self) -> list[str]:
        return [] if self._bench is None else [one.name for one in self._bench.kind.monitors]

    def _has(self, text: str) -> bool:
        """Whether the present run has what the breakpoint names."""
        return text in self._asked or text.removeprefix(MONITOR) in self._monitors()

    # The run.

    def watch(self, bench: Bench, timeline: Timeline, lanes: Sequence[WatchedLane] = ()) -> None:
        """Switch to another run: its questions are interpreted anew, as far as it has what they name.

        Hits are counted anew, too, unless the scenario is the same: a fork continues the count, and so does the run
        after returning from one.  A violation known in one of the *lanes* stops the run when it passes there again.
        """
        self._lanes, self._left = tuple(lanes), tuple(lane.timeline.event for lane in lanes)
        known = self._bench is not None and bench.root.scenario == self._bench.root.scenario
        self._bench, self._timeline, self._words = bench, timeline, Words(bench.kind.vocabulary, bench.system)
        for what, one in self._entries.items():
            if not (known and one.since <= timeline.live_end):
                self._entries[what] = one._replace(since=timeline.first_event)
        self._renew()
        self.begin()

    def begin(self) -> None:
        """The run goes on from where it stands: a breakpoint before the next event is passed over."""
        self._passed = self._here + 1
        self._left = tuple(lane.timeline.event for lane in self._lanes)
        self._hit, self._known = None, self._passed
        self._careful = False

    def room(self) -> int | None:
        """How many events may pass before the run has to stop, or to ask again; None: any number."""
        here, least = self._here, max(self._here, self._passed)
        ends = [
            event - 1 - here for event in self._entries if isinstance(event, int) and event > least and self._on(event)
        ]
        ends += [one.event - here for lane in self._lanes[:1] for one in lane.ahead(self._on)]
        if any(map(self._on, self._asked)):
            if self._known <= here or (self._hit is not None and self._hit[0] <= here):
                self._look_ahead()
            ends.append((self._known if self._hit is None else self._hit[0] - 1) - here)
        return max(0, min(ends)) if ends else None

    def until(self) -> float:
        """The time of the next known violation in a lane beside the first, at which the run has to stop; or inf."""
        beside = self._lanes[1:]
        return min((lane.time_of(one.event) for lane in beside for one in lane.ahead(self._on)), default=inf)

    def asked(self) -> str:
        """As :meth:`told`, for a run that has not called :meth:`room`."""
        self.room()
        return self.told()

    def told(self) -> str:
        """The line that says why the run stops at its present event; empty if it does not."""
        return self._told_before() or self.violated()

    def _told_before(self) -> str:
        following = self._here + 1
        if following <= self._passed:
            return ""
        if self._hit is not None and self._hit[0] == following:
            times = self._entries[self._hit[1]].times
            counted = f", hit {grouped(self._count(self._hit[1], self._here) + 1)}" if times > 1 else ""
            return f"Breakpoint before event {grouped(following)}: {self._hit[1]}{counted}"
        if self._on(following):
            return f"Breakpoint before event {following}."
        return ""

    def violated(self) -> str:
        """The line about a violated monitor that the run has just come to; empty if there is none."""
        for lane, left in zip(self._lanes, self._left, strict=True):
            for one in lane.violated(self._on):
                if left < one.event <= lane.timeline.event and lane.timeline.time == lane.time_of(one.event):
                    return stop_line(one, lane.label)
        return ""

    def _on(self, what: int | str) -> bool:
        return what in self._entries and self._entries[what].on

    @property
    def _here(self) -> int:
        return 0 if self._timeline is None else self._timeline.event

    def _look_ahead(self) -> None:
        """Search the next events for hits of the enabled questions."""
        asked = [text for text in self._asked if self._on(text)]
        here = self._here
        few = any(self._asked[text].looks for text in asked)
        most = 1 if self._careful else FEW if few else MANY
        self._hit = None
        try:
            part = next(self._answers(asked, here, here + most), None)
            self._known = NO_END if part is None else int(part.rows["event"][-1])
            hits = [] if part is None else _hits(part)
            stops = [self._stop_in(text, events, here) for text, events in zip(asked, hits, strict=part is not None)]
        except GivenUpError:
            raise
        except UserError:  # the policy fails ahead: the run will get there itself, and report it
            self._known = here + 1 if self._careful else here
            if not self._careful:
                self._careful = True
                self._look_ahead()
            return
        self._hit = min((stop for stop in stops if stop is not None), default=None)

    def _answers(self, asked: list[str], after: int, last: int) -> Iterator[Answers]:
        assert self._bench is not None and self._timeline is not None
        return answers(self._bench.system, self._timeline, [self._asked[text] for text in asked], after, last)

    def _stop_in(self, text: str, hits: np.ndarray, here: int) -> tuple[int, str] | None:
        """The first of a question's hits after *here* before which the run has to stop, with the question; or None."""
        if text in self._counts:
            hits = hits[hits > self._entries[text].since]
            count = self._count(text, here) + np.arange(1, len(hits) + 1)
            self._counts[text].learn(self._known, int(count[-1]) if len(hits) else self._count(text, here))
            hits = hits[(count % self._entries[text].times == 0)]
        hits = hits[hits > self._passed]
        return (int(hits[0]), text) if len(hits) else None

    def _count(self, text: str, event: int) -> int:
        """The number of a question's hits up to an event."""
        return self._counts[text].at(event, lambda after, last: self._answers([text], after, last))


class _HitCount:
    """The number of a question's hits from an event on up to any later one; unknown ranges are searched on demand."""

    def __init__(self, since: int) -> None:
        self._known = [(since, 0)]

    def at(self, event: int, ask: Callable[[int, int], Iterator[Answers]]) -> int:
        """The number of hits up to *event*; *ask* searches the events after one up to another."""
        if event <= self._known[0][0]:
            return 0
        before, count = self._known[bisect_right(self._known, (event, NO_END)) - 1]
        if before < event:
            count += sum(len(hits) for part in ask(before, event) for hits in _hits(part))
            self.learn(event, count)
        return count

    def learn(self, event: int, count: int) -> None:
        """Remember the number of hits up to an event."""
        if event > self._known[0][0]:
            insort(self._known, (event, count))


def _hits(part: Answers) -> list[np.ndarray]:
    """The events at which each question holds."""
    return [part.hits(place)["event"] for place in range(len(part.values))]


def _in(words: Words, text: str) -> Question | None:
    try:
        return understood(text, words)
    except QuestionError:
        return None
