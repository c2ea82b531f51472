"""Versions of things, their rows before some events and after each change; and for how many a condition is true.

Most changes do not matter to a condition.  When a server leaves its stack, all behind it get another index, but for few
of them ``slots[1] >= index`` changes.  So the parts of a condition that read the thing alone are evaluated once for
each version, and only versions in which one of these differs from the version before are counted, or compared with
values of events.  If what the condition reads of one event before is the same, the thing counts as unchanged by the
event (``still``).
"""

from __future__ import annotations

from functools import cache, cached_property, partial
from typing import Any, Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.questions.changes import OfThings
from slotscope.model.questions.counting import MANY, ThingValues, counted_by_event, counted_truths
from slotscope.model.questions.operations import Run
from slotscope.model.questions.pairing import Pairing
from slotscope.model.questions.parts import FALSE, Meaning
from slotscope.model.questions.remainders import BLOCK
from slotscope.model.questions.sifting import PartColumns, Sifted, sifted
from slotscope.model.questions.tables import Column, EventTable
from slotscope.model.questions.touched import MANY_TOUCHED, TouchedThings, true_of_touched
from slotscope.model.systems.watching import RowChanges, StateRows


def column_of(look: OfThings, changes: RowChanges, before: Any, table: EventTable, start: int, events: int) -> Column:
    """[events] the value of a look after each event, from the state *before* the first one and the recorded changes.

    *start* is the index of the first event in *table*, counted with the lead.
    """
    versions = _Versions(look, changes, before, table)
    if look.number is not None:
        return versions.value(events)
    things = _Things(versions, table, start, events)
    touched: Any = 0
    if look.pairing is not None:
        touched = things.touched
        found = things.counted_in_pairs(look.pairing, 1 + touched if look.any else MANY)
    else:
        touched, found = (touched, np.zeros(events, np.int64)) if look.still is FALSE else things.counted()
    if not look.paired:
        return found
    known = look.any & (found > touched)  # true of at least one thing that the event left unchanged
    asked = things.maybe() & ~known
    if look.pairing is None:
        return np.asarray(found - touched + things.turned(asked, look.condition)[0])
    still, turned = things.turned(asked, look.still, look.condition)
    return np.asarray(found - still + turned)


class _Versions:
    """The rows of things before the first of some events, by place, followed by those after each change."""

    def __init__(self, look: OfThings, changes: RowChanges, before: Any, table: EventTable) -> None:
        assert look.things is not None
        self.look, self.changes = look, changes
        self._things, self._table = look.things, table
        self._before = StateRows(before, changes.derived) if changes.derived else before
        self._told = StateRows(self._before, changes.rows)
        self.places = len(getattr(self._before, next(iter(changes.rows))))
        self._known: dict[Run, NDArray[Any]] = {}

    def __len__(self) -> int:
        return self.places + len(self.changes.event)

    def sifted(self) -> Sifted:
        """The changes that matter to the condition, see :func:`sifted`."""
        numbers = () if self.number is None else (self.number,)
        then, now = self._columns(self.look.then, *numbers), self._columns(self.look.now)
        return sifted(then, now, self.changes, self.places)

    def _columns(self, parts: Sequence[Meaning], *numbers: NDArray[np.int64]) -> PartColumns:
        """The columns of some parts, and further columns of *numbers*."""
        truths = sum(part.truth for part in parts)
        columns = PartColumns.empty(len(parts) - truths + len(numbers), truths, len(self))
        rows = {False: iter(columns.numbers), True: iter(columns.truths)}
        for part in parts:
            self._known[part.run] = self._read(part.run, next(rows[part.truth]))
        for one in numbers:
            next(rows[False])[:] = one
        return columns

    def column(self, part: Meaning) -> NDArray[Any]:
        """[versions] a part's value for each; nan, or false, where there is no thing."""
        if part.run not in self._known:
            self._known[part.run] = self._read(part.run, np.empty(len(self), np.bool_ if part.truth else float))
        return self._known[part.run]

    def of(self, versions: NDArray[np.int64] | None) -> Callable[[Run], Column | None]:
        """A function that gives the values of a part for some versions, or all (None), evaluated on first use."""

        @cache
        def read(run: Run) -> Column | None:
            part = self.look.parts.get(run)
            if part is None or versions is None:
                return None if part is None else self.column(part)
            return self.column(part).take(versions, mode="wrap")

        return read

    def value(self, events: int) -> Column:
        """[events] the value of the thing with the number asked for; nan where there is none."""
        numbers, number, (event, place, previous) = self.number, self.look.number, self.changes[:3]
        if numbers is None:
            numbers = np.concatenate([np.arange(self.places), place]) + 1
        was = np.where(previous >= 0, previous + self.places, np.where(place < self.places, place, -1))
        first, here = numbers[: self.places] == number, numbers[self.places :] == number
        were = (numbers.take(was, mode="wrap") == number) & (was >= 0)
        values = self._read(self.look.read, np.empty(len(self)))
        order = np.lexsort((here, event))  # if it moves within an event, its new place comes last
        mine = order[(here | were)[order]]
        changed = np.where(here, values[self.places :], np.nan)[mine]
        told = np.r_[values[: self.places][first][0] if first.any() else np.nan, changed]
        column: Column = told[np.searchsorted(event[mine], np.arange(events), "right")]
        return column

    def _read(self, run: Run, column: NDArray[Any]) -> NDArray[Any]:
        """[versions] evaluate *run* for each into *column*; nan, or false, where there is no thing."""
        nothing = np.nan if column.dtype.kind == "f" else False
        halves = slice(0, self.places), slice(self.places, None)
        given = zip(halves, (self._before, self._told), (np.arange(self.places), self.changes.place), strict=True)
        for mine, state, places in given:
            here = self._there[mine] if self._there is not None else slice(None)
            table = self._table.but(state=state, places=places[here], of_things=partial(self._part_of, mine, here))
            with np.errstate(all="ignore"):
                found = run(table)
            if self._there is not None:
                column[mine] = nothing
            column[mine][here] = found
        return column

    def _part_of(self, mine: slice, here: Any, run: Run) -> Column | None:
        """A part's value, if it is one that the condition reads by itself, too, and is cached; else None."""
        part = self.look.parts.get(run)
        return None if part is None else self.column(part)[mine][here]

    @cached_property
    def _there(self) -> NDArray[np.bool_] | None:
        """[versions] whether there is a thing; None: everywhere."""
        there = self._things.there
        return None if there is None else np.concatenate([there(self._before), there(self._told)])

    @cached_property
    def number(self) -> NDArray[np.int64] | None:
        """[versions] the number of each thing, -1 where there is none; None: things are numbered by place."""
        if self._there is None:
            return None
        numbers = np.full(len(self._there), -1)
        numbers[self._there] = np.concatenate([self._things.numbers(state) for state in (self._before, self._told)])
        return numbers


class _Things:
    """Evaluates a condition on the versions that matter, at each event."""

    def __init__(self, versions: _Versions, table: EventTable, start: int, events: int) -> None:
        self._versions, self._table, self._start, self._events = versions, table, start, events
        self._look, self._mine = versions.look, versions.sifted()
        change, (self._event, self._place) = self._mine.change, versions.changes[:2]
        self._standing: NDArray[np.int64] | None = None  # all versions
        if change is not None:
            self._event, self._place = self._event[change], self._place[change]
            self._standing = np.concatenate([np.arange(versions.places), change + versions.places])

    @cached_property
    def touched(self) -> NDArray[np.int64]:
        """[events] how many things each event changed in what the condition reads of one event before."""
        return np.bincount(self._event[self._mine.touched], minlength=self._events)

    def counted(self) -> tuple[Column, Column]:
        """[events] for how many touched things a condition that reads no event is true, and for how many in all."""
        said = self._said(self._look.still, of_things=self._versions.of(self._standing))
        true, places = self._there & said, self._versions.places
        now = self._event[self._mine.touched & true[places:]]
        return np.bincount(now, minlength=self._events), counted_truths(
            true, places, self._event, self._place, self._events
        )

    def counted_in_pairs(self, pairing: Pairing, enough: Any) -> Column:
        """[events] for how many things the condition, which reads the event, is true; counting may stop at *enough*."""
        there, events, of_things = self._there, self._events, self._versions.of(self._standing)
        own = np.empty((len(pairing.own), len(there)))
        for part in pairing.only:
            there &= self._said(part, of_things=of_things)
        for values, part in zip(own, pairing.own, strict=True):
            values[:] = self._said(part, of_things=of_things)
        at = self._start + np.arange(events)
        enough = np.broadcast_to(enough, events)
        for part in pairing.when:
            enough = np.where(self._said(part, at=at), enough, 0)
        others = [np.broadcast_to(self._said(part, at=at), events) for part in pairing.others]
        things = ThingValues(own, there, self._versions.places, self._event, self._place)
        return counted_by_event(pairing, things, np.array(others, float).reshape(-1, events), enough)

    def maybe(self) -> NDArray[np.bool_]:
        """[events] whether the condition may be true of any thing, judged by the event alone."""
        with np.errstate(all="ignore"):
            known = self._look.maybe(self._table, True)
        found = np.broadcast_to(known, (self._table.length,))
        return found[self._start : self._start + self._events]

    def turned(self, asked: NDArray[np.bool_], *parts: Meaning) -> list[Column]:
        """[events] for how many touched things each part is true, at the events that are *asked*; else 0."""
        number, places, touched = self._versions.number, self._versions.places, self._mine.touched
        chosen = touched.copy() if asked.all() else touched & asked[self._event]
        now = np.arange(places, len(self._versions)) if self._standing is None else self._standing[places:]
        if number is not None:
            chosen &= number[now] >= 0
        mine: Any = slice(None) if chosen.all() else chosen
        event, now, was = self._event[mine], now[mine], self._mine.was[mine]
        same = was >= 0 if number is None else (was >= 0) & (number.take(was, mode="wrap") == number[now])
        things = TouchedThings(event, now, was, same)
        return [np.bincount(event[self._true(part, things)], minlength=len(asked)) for part in parts]

    def _true(self, part: Meaning, touched: TouchedThings) -> NDArray[np.bool_]:
        """[m] whether a part is true of each touched thing."""
        count = len(touched.event)
        if count >= MANY_TOUCHED:
            whole = count // BLOCK * BLOCK
            rest = self._true(part, touched.part(slice(whole, None)))
            many = touched.part(slice(whole))
            return np.concatenate([true_of_touched(part, many, self._table, self._start, self._versions.column), rest])
        at = self._start + touched.event
        before = self._table.but(of_things=self._versions.of(touched.was), at=at - 1)
        of_things = self._versions.of(touched.now)
        true = self._said(part, of_things=of_things, at=at, before=before, lasting=touched.lasting)
        return np.broadcast_to(true, at.shape)

    @property
    def _there(self) -> NDArray[np.bool_]:
        """[places + changes that matter] whether there is a thing."""
        number = self._versions.number
        if number is None:
            return np.ones(self._versions.places + len(self._event), np.bool_)
        return (number if self._standing is None else number[self._standing]) >= 0

    def _said(self, part: Meaning, **beside: Any) -> Column:
        return part.quietly(self._table.but(**beside))
