"""The operations of questions on columns: each reads a column from a table of events, or combines others."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from slotscope.model.questions.fields import RowColumn, SampleColumns, StateValue
from slotscope.model.questions.remainders import remainders
from slotscope.model.questions.tables import Column, EventTable, shifted
from slotscope.model.systems.watching import Derived, StateRows

Run = Callable[[EventTable], Column]


def unequal(left: Column, right: Column) -> Column:
    """Whether two numbers differ; false where one of them is missing."""
    return np.asarray((left < right) | (left > right))


def quotient(left: Column, right: Column) -> Column:
    """A quotient; nan where the divisor is 0."""
    return np.divide(left, np.where(right == 0, np.nan, right))


def one_of(value: Column, *items: Column) -> Column:
    """Whether a number equals one of the items."""
    return np.asarray(np.logical_or.reduce(np.broadcast_arrays(*(value == item for item in items))))


def turns(now: Column, before: Column, there: Column) -> Column:
    """Whether a number of a thing that was *there* before differs now, or exactly one of the two is missing."""
    return np.asarray(unequal(now, before) | (there & (np.isnan(now) != np.isnan(before))))


def turns_there(now: Column, before: Column) -> Column:
    """As :func:`turns`, if each thing was there before."""
    return turns(now, before, np.asarray(True))


#: Comparisons, arithmetic operators, and functions.
COMPARED: dict[str, Callable[..., Column]] = {
    "=": np.equal,
    "!=": unequal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
COUNTED: dict[str, Callable[..., Column]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": quotient,
    "%": remainders,
}
CALLED: dict[str, Callable[..., Column]] = {
    "abs": np.abs,
    "min": np.minimum,
    "max": np.maximum,
    "known": lambda value: ~np.isnan(value),
}

#: Other operators whose result is a boolean.
TRUE_OF: dict[str, Callable[..., Column]] = {
    "and": np.logical_and,
    "or": np.logical_or,
    "not": np.logical_not,
    "but not": lambda one, other: one & ~other,
    "in": one_of,
    "changes": turns,
    "turns": turns_there,
}

#: The implementation of each operator or function; and those whose result is a boolean.
OPERATIONS: dict[str, Callable[..., Column]] = {**COMPARED, **COUNTED, **CALLED, **TRUE_OF, "negative": np.negative}
TRUTHS = frozenset({*COMPARED, *TRUE_OF, "known"})


def constant(value: Any, _: EventTable) -> Column:
    """The same value at each event."""
    return np.asarray(value)


def of_row(source: RowColumn, table: EventTable) -> Column:
    """[length] a column of the rows, nan where the value is below the column's least."""
    values, known = source.read(table.row(source.name))
    values = np.where(known, values, np.nan)
    if source.scale is not None:
        return values * source.scale(table.numbers)
    return values + 1 if source.numbered else values


def of_sample(source: SampleColumns, place: int | None, table: EventTable) -> Column:
    """[length] a column of the samples."""
    parts = source.parts(table.numbers, table.samples.shape[1])
    return np.asarray(np.add.reduce([factor * table.sample(int(at[place or 0])) for at, factor in parts]))


def of_state(source: StateValue, place: int | None, table: EventTable) -> Column:
    """A value of the state: a number, or [m] one for each thing; nan where a fork's policy has less memory."""
    value = np.asarray(source.read(_with(source.derived, table.state)))
    if source.scale is not None:
        scale = np.asarray(source.scale(table.numbers))
        value = value * (scale[table.places] if scale.ndim and table.places is not None else scale)
    if place is not None:
        value = value[..., place] if place < value.shape[-1] else np.full(value.shape[:-1], np.nan)
    return value.astype(float, copy=False)


def _with(derived: Derived | None, state: Any) -> Any:
    """A state together with what is derived from it."""
    return state if derived is None or isinstance(state, StateRows) else derived.seen(state)


def of_said(name: str, table: EventTable) -> Column:
    """In a table of one event: the number that the policy said last under a name; nan if none."""
    return np.asarray(table.said().get(name, np.nan))


def of_one(numbers: Callable[[Any], Any], number: float, read: Run, table: EventTable) -> Column:
    """The value of the thing with that number; nan if there is none."""
    found = np.flatnonzero(numbers(table.state) == number)
    return read(table)[found[0]] if len(found) else np.asarray(np.nan)


def of_same(numbers: Callable[[Any], Any], read: Run, truth: bool, table: EventTable) -> Column:
    """[m] a part's value for each thing one event before; nan, or false, for a thing that was not there."""
    nothing = False if truth else np.nan
    if table.before is not None and table.lasting is not None:
        return np.where(table.lasting, read(table.before), nothing)
    if table.before is None:
        return np.full(len(numbers(table.state)), nothing)
    if numbers not in table.met:
        table.met[numbers] = _met(numbers(table.state), numbers(table.before.state))
    there, then = table.met[numbers]
    was = read(table.before)
    found = np.full(len(there), nothing)
    found[there] = was if was.size == 1 else was[then]
    return found


def _met(now: Column, then: Column) -> tuple[Column, Column]:
    """[m] whether each thing that is there *now* was there *then*; and for those that were, their indices then.

    Both are the things' numbers.
    """
    order = np.argsort(then)
    place = np.searchsorted(then, now, sorter=order)
    there = place < len(then)
    there[there] = then[order[place[there]]] == now[there]
    return there, order[place[there]]


def of_many(numbers: Callable[[Any], Any], condition: Run, table: EventTable) -> Column:
    """The number of things for which the condition holds."""
    found = condition(table)
    return np.asarray(found.item() * len(numbers(table.state)) if found.size == 1 else found.sum())


def changes(run: Run, table: EventTable) -> Column:
    """[length] whether a value differs from that one event before."""
    now = run(table)
    before = shifted(now)
    return np.asarray(now != before) if now.dtype.kind == "b" else unequal(now, before)


def turns_of_one(run: Run, table: EventTable) -> Column:
    """[length] the same for a field of one thing, where a value that becomes known or missing has changed, too."""
    now = run(table)
    return turns_there(now, shifted(now))
