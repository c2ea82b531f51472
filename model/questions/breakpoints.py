"""Where a run is to stop: just before some events, just before events at which a question holds, and where a
monitor is found violated.

A run with questions looks a few milliseconds ahead, so that it never passes the event that it is to
stop before; looking ahead costs what running those events once more does.
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

#: Events looked ahead at most, where no states have to be looked at.
MANY = 16_384

#: What the text of a breakpoint begins with that stops where a monitor is violated.
MONITOR = "monitor "

#: How often a question may have to hold before a run stops.
MOST_TIMES = 10**9


class Breakpoint(NamedTuple):
    """Where a run is to stop.

    Attributes
    ----------
    what:
        The number of an event; a question; or ``monitor`` and the name of one.
    times:
        Of a question: the run stops each time that it has held so often.
    since:
        These are counted after this event.
    on:
        Whether the run stops there now.
    """

    what: int | str
    times: int = 1
    since: int = 0
    on: bool = True

    @property
    def question(self) -> str:
        """The question; empty for events and monitors."""
        return self.what if isinstance(self.what, str) and not self.what.startswith(MONITOR) else ""

    @property
    def asked(self) -> str:
        """The question of where it is; empty for monitors."""
        return f"event = {self.what}" if isinstance(self.what, int) else self.question


@dataclass(frozen=True)
class WatchedLane:
    """One of the policies that run, with what is known of its monitors by then; its *label* where there are several."""

    timeline: Timeline
    readings: Callable[[], Iterable[Reading]]
    label: str = ""
    _times: dict[int, float] = field(default_factory=dict)

    def ahead(self, on: Callable[[str], bool]) -> Iterator[Reading]:
        """What stops the run where it was found violated, after where the lane stands."""
        return (one for one in self.violated(on) if one.event > self.timeline.event)

    def violated(self, on: Callable[[str], bool]) -> Iterator[Reading]:
        """Where monitors at which the run is to stop were found violated."""
        return (one for one in self.readings() if one.standing == "violated" and on(MONITOR + one.monitor.name))

    def time_of(self, event: int) -> float:
        """When an event of its history happened."""
        if event not in self._times:
            self._times[event] = float(self.timeline.rows(event, event)["time"][0])
        return self._times[event]


class BreakpointList(NamedTuple):
    """All breakpoints; *asleep* are those that name what the present run has not."""

    entries: tuple[Breakpoint, ...]
    asleep: frozenset[int | str]
    fault: str = ""  #: what is wrong with the one that was typed last
    notes: Mapping[int | str, tuple[Phrase, ...]] = MappingProxyType(
        {}
    )  #: why one can hold nowhere, or does everywhere

    @property
    def events(self) -> tuple[int, ...]:
        """The events that have one."""
        return tuple(one.what for one in self.entries if isinstance(one.what, int))

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions that are ones."""
        return tuple(one.question for one in self.entries if one.question)


class Breakpoints:
    """Breakpoints of one run after another."""

    def __init__(self) -> None:
        self._entries: dict[int | str, Breakpoint] = {}
        self._asked: dict[str, Question] = {}  # those that the present run understands
        self._counts: dict[str, _HitCount] = {}
        self._bench: Bench | None = None
        self._words: Words | None = None
        self._timeline: Timeline | None = None
        self._lanes: tuple[WatchedLane, ...] = ()  # of these the first is what is asked; monitors of all stop the run
        self._left: tuple[int, ...] = ()  # the last event of each of these when the run went on
        self._passed = 0  # the last event before which there is no stop any more
        self._known = 0  # up to it is known where questions hold
        self._hit: tuple[int, str] | None = None
        self._careful = False  # something failed ahead: one event at a time

    # The list.

    def listed(self, fault: str = "") -> BreakpointList:
        """All of them, those before events first, in order."""
        events = sorted(one for one in self._entries.values() if isinstance(one.what, int))
        others = [one for one in self._entries.values() if isinstance(one.what, str)]
        asleep = frozenset(one.what for one in others if not self._has(str(one.what)))
        noted = {one.what: self._asked[one.question].notes for one in others if one.question in self._asked}
        return BreakpointList(
            (*events, *others), asleep, fault, {what: notes for what, notes in noted.items() if notes}
        )

    @property
    def active(self) -> frozenset[int | str]:
        """What a run stops at now, for frames."""
        return frozenset(one.what for one in self._entries.values() if one.on)

    @property
    def marked(self) -> tuple[Breakpoint, ...]:
        """Those that are on, but monitors."""
        return tuple(one for one in self.listed().entries if one.on and one.asked)

    def add(self, text: str, times: int = 1) -> None:
        """Stop just before events at which a question holds, each so-manieth time; before the event of that
        number; or where a monitor, as in ``monitor capacity``, is violated.

        Raises
        ------
        QuestionError
            If it cannot be understood.
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
        """Stop there, or no more."""
        known = self._entries.get(what)
        if known is not None and known.on:
            self.remove(what)
        else:
            self._set(Breakpoint(what, since=self._here) if known is None else known._replace(on=True))

    def switch(self, what: int | str, on: bool) -> None:
        """Stop there for now, or keep it for later."""
        if what in self._entries:
            self._set(self._entries[what]._replace(on=on))

    def remove(self, what: int | str) -> None:
        """Stop there no more."""
        self._entries.pop(what, None)
        self._renew()

    def clear(self) -> None:
        """Stop nowhere."""
        self._entries.clear()
        self._renew()

    def restore(self, saved: Iterable[Breakpoint]) -> None:
        """Those of a saved run, besides the ones that there are."""
        for one in saved:
            self._set(one)

    def _set(self, one: Breakpoint) -> None:
        self._entries[one.what] = one
        self._renew()

    def _renew(self) -> None:
        """The list is another: ask what there is to ask, and forget what was known of the events ahead."""
        questions = [one for one in self._entries.values() if one.question]
        known = {} if self._words is None else {one.question: _in(self._words, one.question) for one in questions}
        self._asked = {text: question for text, question in known.items() if question is not None}
        self._counts = {one.question: _HitCount(one.since) for one in questions if one.times > 1}
        self._hit, self._known = None, max(self._here, self._passed)

    def _monitors(self) -> list[str]:
        return [] if self._bench is None else [one.name for one in self._bench.kind.monitors]

    def _has(self, text: str) -> bool:
        """Whether the present run has what is named."""
        return text in self._asked or text.removeprefix(MONITOR) in self._monitors()

    # The run.

    def watch(self, bench: Bench, timeline: Timeline, lanes: Sequence[WatchedLane] = ()) -> None:
        """Another run: questions are asked of it, as far as it has what they name, and counted anew.

        A run that a fork or a way back leaves as it was goes on being counted, and so does a fork of it.  A monitor of
        one of the *lanes* that was found violated stops the run that passes there again.
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
        """The run goes on from where it stands: the next event is passed over."""
        self._passed = self._here + 1
        self._left = tuple(lane.timeline.event for lane in self._lanes)
        self._hit, self._known = None, self._passed
        self._careful = False

    def room(self) -> int | None:
        """So many events may pass before the run has to stop, or to be asked again; None: any number."""
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
        """The time by which the run has to stop, as a monitor of a lane beside the first was found violated then."""
        beside = self._lanes[1:]
        return min((lane.time_of(one.event) for lane in beside for one in lane.ahead(self._on)), default=inf)

    def asked(self) -> str:
        """As :meth:`told`, of a run that did not ask for the room that it has."""
        self.room()
        return self.told()

    def told(self) -> str:
        """Why the run stops where it stands; nothing if it does not."""
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
        """Why the run stops, as it has come to where a monitor was found violated; nothing if it has not."""
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
        """See where the questions hold in the next events."""
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
        except UserError:  # the policy fails ahead: the run comes to it by itself, and says so
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
        """The first of the hits between *here* and what is known before which the run is to stop."""
        if text in self._counts:
            hits = hits[hits > self._entries[text].since]
            count = self._count(text, here) + np.arange(1, len(hits) + 1)
            self._counts[text].learn(self._known, int(count[-1]) if len(hits) else self._count(text, here))
            hits = hits[(count % self._entries[text].times == 0)]
        hits = hits[hits > self._passed]
        return (int(hits[0]), text) if len(hits) else None

    def _count(self, text: str, event: int) -> int:
        """How often a question has held up to an event."""
        return self._counts[text].at(event, lambda after, last: self._answers([text], after, last))


class _HitCount:
    """How often a question has held since an event, at any later one; what is not known is asked."""

    def __init__(self, since: int) -> None:
        self._known = [(since, 0)]

    def at(self, event: int, ask: Callable[[int, int], Iterator[Answers]]) -> int:
        """How often up to *event*; *ask* answers it of the events after one up to another."""
        if event <= self._known[0][0]:
            return 0
        before, count = self._known[bisect_right(self._known, (event, NO_END)) - 1]
        if before < event:
            count += sum(len(hits) for part in ask(before, event) for hits in _hits(part))
            self.learn(event, count)
        return count

    def learn(self, event: int, count: int) -> None:
        """It has held so often up to an event."""
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
