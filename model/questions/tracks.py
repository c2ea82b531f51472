"""Expressions over all history as curves: their values on a grid of events, in bounded memory.

The grid is that of a run's samples, and becomes coarser as they do.  With each value it keeps a number's integral over
time, or how often a condition has held so far; so averages and counts stay exact.
"""

from __future__ import annotations

from time import monotonic
from typing import Literal, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.errors import UserError
from slotscope.model.measures.monitors import Monitor, Reading
from slotscope.model.questions.asking import Answers
from slotscope.model.questions.breakpoints import Breakpoint
from slotscope.model.questions.meaning import Question
from slotscope.model.questions.search import HistorySearch
from slotscope.model.questions.syntax import QuestionError, unless
from slotscope.model.questions.tables import Column
from slotscope.model.questions.understanding import slack_of, understood
from slotscope.model.questions.words import Words
from slotscope.model.reporting.explain import grouped, plural
from slotscope.model.running.recorder import Samples
from slotscope.model.running.timeline import Timeline
from slotscope.model.systems.base import PolicySystem

#: Most expressions that are followed, or watched, at once.
MOST_TRACKS = 8

#: The share of its thread's time that following a run may take: with reading states less than a tenth.
SHARE = 0.06

#: The source shown for a monitor that is in no paper.
OWN = "of your own"

#: ``follow``: its curve is wanted; ``watch``: a condition that ought to hold always; ``slack``: how far a watched
#: comparison is from failing; ``stop``: the question of a breakpoint.
Role = Literal["follow", "watch", "slack", "stop"]


class Followed(NamedTuple):
    """The user's own expressions, including those that name what the present run does not have.

    Attributes
    ----------
    follow:
        Expressions that are plotted over time.
    watch:
        Conditions that ought to hold always.
    """

    follow: tuple[str, ...] = ()
    watch: tuple[str, ...] = ()

    def changed(self, role: Role, text: str, over: bool) -> Followed:
        """With *text* added to a role, or removed if *over*.

        Raises
        ------
        UserError
            If the role already has :data:`MOST_TRACKS`.
        """
        known: tuple[str, ...] = getattr(self, role)
        left = tuple(one for one in known if one != text)
        if not over and len(left) >= MOST_TRACKS:
            raise UserError(
                f"found {len(left)} expressions already, allowed: {MOST_TRACKS}; take one away before '{text}'"
            )
        return self._replace(**{role: left if over else tuple(dict.fromkeys((*known, text)))})

    def joined(self, other: Followed) -> Followed:
        """The expressions of both, up to :data:`MOST_TRACKS` of each role."""
        return Followed(
            *(tuple(dict.fromkeys((*one, *two)))[:MOST_TRACKS] for one, two in zip(self, other, strict=True))
        )


class Track(NamedTuple):
    """One expression, and what is known of it so far.

    Attributes
    ----------
    text, truth:
        As the user wrote it; whether it is a condition, else a number.
    role:
        What it is followed for.
    hits, first, first_false:
        Of a condition: the number of events at which it held, the first of them, and the first event at which it did
        not hold; -1 if there is none.  Of a watched condition all three refer to its negation.
    """

    text: str
    truth: bool
    role: Role = "follow"
    hits: int = 0
    first: int = -1
    first_false: int = -1


class Tracked(NamedTuple):
    """All expressions that are followed.

    Attributes
    ----------
    tracks:
        In the order of their roles: followed, watched, slacks, breakpoints.
    table:
        [n, 2 + 2 * tracks] event and time; then for each track its value at the event (the last known one, nan
        before) and, for a number, its integral over time, for a condition the number of events at which it held so far.
    first, last:
        The tracks cover the events after *first* up to *last*.
    """

    tracks: tuple[Track, ...]
    table: NDArray[np.float64]
    first: int
    last: int
    searching: bool
    fault: str = ""  #: why they cannot be followed further

    def readings(self) -> dict[str, Reading]:
        """The readings of the watched conditions, by their text."""
        return {one.text: _reading(one, self.first, self.last) for one in self.tracks if one.role == "watch"}

    def slack(self, text: str) -> NDArray[np.float64]:
        """[n] how far a watched comparison was from failing, below 0 where it failed; empty for other conditions."""
        place = next((n for n, one in enumerate(self.tracks) if (one.text, one.role) == (text, "slack")), None)
        values = np.zeros(0) if place is None else self.table[:, 2 + 2 * place]
        return values[~np.isnan(values)]


def own_monitor(text: str) -> Monitor:
    """A condition of the user's as a monitor."""
    return Monitor(text, text, "", OWN, ())


def _reading(track: Track, first: int, last: int) -> Reading:
    looked, failed = last - first, track.first
    monitor = own_monitor(track.text)
    if failed < 0:
        return Reading(monitor, "holds" if looked else "open", looked)
    told = f"it does not hold, at {grouped(track.hits)} {plural(track.hits, 'event')} of {grouped(looked)}"
    return Reading(monitor, "violated", looked, failed, told, failed - 1)


class Tracks(HistorySearch):
    """Evaluates the expressions that are followed over a run's history."""

    def __init__(self, system: PolicySystem, timeline: Timeline, words: Words) -> None:
        self._tracks: list[Track] = []
        self.followed = Followed()
        self._stops: tuple[Breakpoint, ...] = ()
        self._followed, self._owed = monotonic(), 0.0
        super().__init__(system, timeline, words)

    def want(self, followed: Followed) -> None:
        """Follow these from the first event on, as far as the run has what they name."""
        if followed != self.followed:
            self.followed = followed
            self._renew()

    def mark(self, stops: Sequence[Breakpoint]) -> None:
        """Follow also where the run stops at these breakpoints, while any expression is followed."""
        if tuple(stops) != self._stops:
            self._stops = tuple(stops)
            self._renew()

    def _renew(self) -> None:
        texts: dict[Role, Sequence[str]] = {
            "follow": self.followed.follow,
            "watch": self.followed.watch,
            "slack": self.followed.watch,
            "stop": [one.asked for one in self._stops] if self.followed.follow else (),
        }
        wanted = [(text, self._understood(text, role), role) for role in texts for text in texts[role]]
        self.begin([question for _, question, _ in wanted if question is not None])
        self._tracks = [Track(text, one.part.truth, role) for text, one, role in wanted if one is not None]

    def begin(self, questions: Sequence[Question]) -> None:
        """Restart with these questions from the first event on."""
        super().begin(questions)
        self._samples = Samples(2 + 2 * len(questions))
        self._tracks = []
        self._values = np.full(len(questions), np.nan)  # the last known value of each
        self._finite = self._values.copy()
        self._totals = np.zeros(len(questions))
        self._counts = dict[str, int]()  # how often each breakpoint's question has held, if it stops at every n-th hit
        self._time = float(self._timeline.time)

    def _understood(self, text: str, role: Role) -> Question | None:
        try:
            known = understood(text, self._words, role != "follow")
            if role == "slack":
                return slack_of(text, self._words)
            return understood(unless(text), self._words) if role == "watch" else known
        except QuestionError:
            return None

    def follow(self) -> None:
        """Catch up with the run while it goes on, within :data:`SHARE` of the time."""
        now = monotonic()
        self._owed = min(self._owed + SHARE * (now - self._followed), SHARE)
        self._followed = now
        if self._owed > 0 and self.due:
            self.search(0.0)
            self._step()
            self._owed -= monotonic() - now

    def take(self, part: Answers) -> None:
        """Append the values at the next events."""
        events, times = part.rows["event"], part.rows["time"]
        table = np.empty((len(events), 2 + 2 * len(self._tracks)))
        table[:, 0], table[:, 1] = events, times
        steps = np.diff(times, prepend=self._time)
        self._time = float(times[-1])
        columns = map(self._stopping, self._tracks, part.values, [events] * len(self._tracks))
        for place, (track, column) in enumerate(zip(self._tracks, columns, strict=True)):
            values = _held(column.astype(np.float64), self._values[place])
            if track.truth:
                totals = np.cumsum(values) + self._totals[place]
                self._tracks[place] = _counted(track, events, column)
            else:
                # The integral leaves out infinite values: in their place it takes the last finite one.
                finite = _held(np.where(np.isinf(values), np.nan, values), self._finite[place])
                before = np.r_[self._finite[place], finite[:-1]]
                totals = np.cumsum(np.nan_to_num(before) * steps) + self._totals[place]
                self._finite[place] = finite[-1]
            self._values[place], self._totals[place] = values[-1], totals[-1]
            table[:, 2 + 2 * place], table[:, 3 + 2 * place] = values, totals
        self._samples.append(table)

    def _stopping(self, track: Track, column: Column, events: NDArray[np.int64]) -> Column:
        """[n] a track's values; of a breakpoint that stops at every n-th hit, only the hits at which it stops."""
        one = next((each for each in self._stops if track.role == "stop" and each.asked == track.text), None)
        if one is None or one.times == 1:
            return column
        column = column & (events > one.since)
        count = self._counts.get(track.text, 0) + np.cumsum(column)
        self._counts[track.text] = int(count[-1])
        return np.asarray(column & (count % one.times == 0))

    def found(self) -> Tracked | None:
        """What is known so far; None if nothing is followed."""
        if not self._tracks:
            return None
        return Tracked(
            tuple(self._tracks), self._samples.table, self._timeline.first_event, self._last, self.due, self._fault
        )


def _held(values: NDArray[np.float64], before: float) -> NDArray[np.float64]:
    """[n] values with each nan replaced by the last known value; *before* is the one that precedes them."""
    known = ~np.isnan(values)
    if known.all():
        return values
    place = np.maximum.accumulate(np.where(known, np.arange(1, len(values) + 1), 0))
    return np.concatenate([[before], values])[place]


def _counted(track: Track, events: NDArray[np.int64], column: NDArray[np.bool_]) -> Track:
    """A condition's track, with its counts updated by some more events."""
    hits = int(np.count_nonzero(column))
    first = track.first if track.first >= 0 or not hits else int(events[np.argmax(column)])
    unlike = track.first_false if track.first_false >= 0 or hits == len(column) else int(events[np.argmin(column)])
    return track._replace(hits=track.hits + hits, first=first, first_false=unlike)
