"""The columns that a question is answered from: rows, samples and states of some events."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Mapping

import numpy as np
from numpy.typing import NDArray

#: A column: numbers, nan where there is none, or truths.  A constant is a column of no dimension.
Column = NDArray[Any]

#: The number of what would be an event before there is any state.
NO_EVENT = -1


def _unknown(_: Any) -> None:
    """What is known of the parts of a question in a table of no things."""


@dataclass
class Lead:
    """What is known of the last events before a table, for what ``was``: none of it at first."""

    rows: np.ndarray
    samples: NDArray[np.float64]

    @property
    def length(self) -> int:
        """Events before the table."""
        return len(self.samples)


@dataclass
class EventTable:
    """Some events in order, and before them those of *lead*.

    Attributes
    ----------
    rows, samples:
        [n] of the events; [n, width], or [0, 0] where nothing is asked of samples.
    lead:
        Of the events before.
    numbers:
        The scenario's.
    looks:
        [lead + n] of what was looked up in states, by its place in the question.
    known:
        Those of all events, found from what the events changed.
    state, before:
        That after the event of a table of one; the event before it, where a question asks for that.
    places:
        Whose the things of *state* are, where they are not those of all places in order.
    of_things:
        [m] what a part of a question is for each of some things, asked for by what would read it; None: not known.
    lasting:
        Where that is known of them *before*, too: [m] where it was the same thing.
    met:
        By what numbers them: which things of *state* there were *before*, and where.
    said:
        What the policy said while the event of a table of one was made: numbers by name.
    at:
        The event, counted with those before, that goes with each value of *state*, in a shape that goes with theirs.
    """

    rows: np.ndarray
    samples: NDArray[np.float64]
    lead: Lead
    numbers: Any
    looks: dict[int, NDArray[np.float64]] = field(default_factory=dict)
    known: set[int] = field(default_factory=set)
    state: Any = None
    before: EventTable | None = None
    places: NDArray[np.int64] | None = None
    of_things: Callable[[Any], Column | None] = _unknown
    lasting: NDArray[np.bool_] | None = None
    met: dict[Any, tuple[Column, Column]] = field(default_factory=dict)
    said: Callable[[], Mapping[str, float]] = dict
    at: NDArray[np.int64] | None = None
    _columns: dict[Any, Column] = field(default_factory=dict)

    @property
    def length(self) -> int:
        """Events, with those before."""
        return self.lead.length + len(self.rows)

    @property
    def begun(self) -> NDArray[np.bool_]:
        """[length] whether there is a state."""
        return np.concatenate([self.lead.rows["event"], self.rows["event"]]) > NO_EVENT

    def row(self, name: str) -> Column:
        """[length] a column of the rows as numbers."""
        if name not in self._columns:
            mine = self.rows[name].astype(np.float64)
            if self.lead.length:
                before = self.lead.rows[name].astype(np.float64)
                before[self.lead.rows["event"] <= 0] = np.nan
                mine = np.concatenate([before, mine])
            self._columns[name] = mine
        return self._picked(self._columns[name])

    def happened(self, flag: int) -> Column:
        """[length] where the flag is set."""
        flags = self.rows["flags"]
        if self.lead.length:
            flags = np.concatenate([self.lead.rows["flags"], flags])
        return self._picked((flags & flags.dtype.type(flag)) != 0)

    def sample(self, place: int) -> Column:
        """[length] a column of the samples."""
        if place not in self._columns:
            mine = self.samples[:, place]
            self._columns[place] = np.concatenate([self.lead.samples[:, place], mine]) if self.lead.length else mine
        return self._picked(self._columns[place])

    def look(self, place: int) -> Column:
        """[length] what was looked up in states, of a place in the question."""
        return self._picked(self.looks[place])

    def _picked(self, column: Column) -> Column:
        return column if self.at is None else column[self.at]

    def but(self, **changed: Any) -> EventTable:
        """The same, save for what is *changed*; :func:`dataclasses.replace` takes ten times as long."""
        twin = object.__new__(EventTable)
        twin.__dict__.update(self.__dict__, **changed)
        return twin

    def one(self, place: int, state: Any) -> EventTable:
        """The event at a place, counted with those before, with the state after it."""
        none = Lead(self.lead.rows[:0], self.lead.samples[:0])
        looks = {number: look[place : place + 1] for number, look in self.looks.items()}
        if place < self.lead.length:
            known = Lead(self.lead.rows[place : place + 1], self.lead.samples[place : place + 1])
            return EventTable(self.rows[:0], self.samples[:0], known, self.numbers, looks, state=state)
        own = slice(place - self.lead.length, place - self.lead.length + 1)
        return EventTable(self.rows[own], self.samples[own], none, self.numbers, looks, state=state)


def shifted(column: Column) -> Column:
    """What a column was one event before."""
    if not column.ndim:
        return column
    before = np.empty_like(column)
    before[1:] = column[:-1]
    before[0] = np.nan if column.dtype.kind == "f" else False
    return before
