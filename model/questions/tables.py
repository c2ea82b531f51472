"""The columns that a question is evaluated on: rows, samples and states of some events."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Mapping

import numpy as np
from numpy.typing import NDArray

#: A column: numbers, nan where missing, or booleans.  A constant is an array without dimensions.
Column = NDArray[Any]

#: The event number of rows that fill up a lead before there is any state.
NO_EVENT = -1


def _unknown(_: Any) -> None:
    """The value that a table without things has for a part of a question: none."""


@dataclass
class Lead:
    """Rows and samples of the last events before a table, which ``was`` reads; all missing at first."""

    rows: np.ndarray
    samples: NDArray[np.float64]

    @property
    def length(self) -> int:
        """Events before the table."""
        return len(self.samples)


@dataclass
class EventTable:
    """Consecutive events, preceded by those of *lead*.

    Attributes
    ----------
    rows, samples:
        [n] rows of the events; [n, width] samples, or [0, 0] if no question reads samples.
    lead:
        The events before.
    numbers:
        The scenario's numbers.
    looks:
        [lead + n] each column that was read from states, by its index in the question.
    known:
        The indices of looks that are filled in for all events.
    state, before:
        In a table of one event: the state after it, and the table of the event before, if a question reads that.
    places:
        The places of the things of *state*, unless these are those of all places in order.
    of_things:
        Cache: [m] the value of a part of a question for each thing, by the part's ``run``; None: not in it.
    lasting:
        If *before* has such a cache, too: [m] whether its value belongs to the same thing.
    met:
        By the function that numbers things: which things of *state* existed *before*, and where they stood.
    said:
        In a table of one event: the numbers, by name, that the policy said during the event.
    at:
        The index, counted with the lead, of the event that belongs to each value of *state*; broadcasts with these.
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
        """The number of events, including the lead."""
        return self.lead.length + len(self.rows)

    @property
    def begun(self) -> NDArray[np.bool_]:
        """[length] whether there is a state."""
        return np.concatenate([self.lead.rows["event"], self.rows["event"]]) > NO_EVENT

    def row(self, name: str) -> Column:
        """[length] a column of the rows as floats."""
        if name not in self._columns:
            mine = self.rows[name].astype(np.float64)
            if self.lead.length:
                before = self.lead.rows[name].astype(np.float64)
                before[self.lead.rows["event"] <= 0] = np.nan
                mine = np.concatenate([before, mine])
            self._columns[name] = mine
        return self._picked(self._columns[name])

    def happened(self, flag: int) -> Column:
        """[length] whether the flag is set at each event."""
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
        """[length] the column that was read from states, by its index in the question."""
        return self._picked(self.looks[place])

    def _picked(self, column: Column) -> Column:
        return column if self.at is None else column[self.at]

    def but(self, **changed: Any) -> EventTable:
        """A copy with some attributes *changed*; :func:`dataclasses.replace` takes ten times as long."""
        twin = object.__new__(EventTable)
        twin.__dict__.update(self.__dict__, **changed)
        return twin

    def one(self, place: int, state: Any) -> EventTable:
        """A table of one event, by its index counted with the lead, with the state after it."""
        none = Lead(self.lead.rows[:0], self.lead.samples[:0])
        looks = {number: look[place : place + 1] for number, look in self.looks.items()}
        if place < self.lead.length:
            known = Lead(self.lead.rows[place : place + 1], self.lead.samples[place : place + 1])
            return EventTable(self.rows[:0], self.samples[:0], known, self.numbers, looks, state=state)
        own = slice(place - self.lead.length, place - self.lead.length + 1)
        return EventTable(self.rows[own], self.samples[own], none, self.numbers, looks, state=state)


def shifted(column: Column) -> Column:
    """A column shifted by one event; nan, or false, at the first."""
    if not column.ndim:
        return column
    before = np.empty_like(column)
    before[1:] = column[:-1]
    before[0] = np.nan if column.dtype.kind == "f" else False
    return before
