"""The specification of a state's arrays, declared once for each field: type, shape, range, and initial value.

A kind of system declares it in the annotations of its state (``model/kinds/<kind>/state.py``).  A state from a file is
validated against it before anything else reads it, because compiled code does not check the bounds of indices.

Most states have arrays with a place for each job in the system, its record (axis M), and in ``free_record`` a
stack of the records that are free.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Callable, Iterator, Mapping, NamedTuple, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

#: Upper bound of the numbers of events, jobs, and whatever else is counted.
MOST = 2**62

#: A bound of a field's values: a number, or the name of an axis whose length it is.
Bound = float | str


class Field(NamedTuple):
    """The shape and the range of an array, and its initial value."""

    axes: str  #: its axes by name, or by length, as in ``"L J"`` or ``"9"``
    #: low, high: bounds of its values, both allowed; no value may be NaN where there is one
    low: Bound | None = None
    high: Bound | None = None
    below: bool = False  #: whether values stay below *high*
    blank: float = 0  #: the initial value


def index(axes: str, of: str, blank: int = -1) -> Field:
    """Indices on the axis *of*; -1 stands for none."""
    return Field(axes, -1, of, below=True, blank=blank)


def count(axes: str, most: Bound = MOST) -> Field:
    """Whole numbers from 0 to *most*."""
    return Field(axes, 0, most)


def identity(axes: str, most: Bound = MOST) -> Field:
    """Numbers from 0 to *most* that identify jobs, tokens, ...; -1 stands for none."""
    return Field(axes, -1, most, blank=-1)


def span(axes: str) -> Field:
    """Times that have passed, and integrals over time: finite, and none below 0."""
    return Field(axes, 0, float(np.finfo(np.float64).max))


def due(axes: str, blank: float = np.inf) -> Field:
    """Future times, infinite for what never happens."""
    return Field(axes, 0, np.inf, blank=blank)


def anything(axes: str) -> Field:
    """No bound."""
    return Field(axes)


@dataclass(frozen=True)
class StateSpec:
    """The specification of a kind's states."""

    state: type[Any]  #: the NamedTuple; each of its arrays is annotated with its type and a :class:`Field`
    number: tuple[Bound, ...]  #: the upper bound of each entry of ``number``; the lower bound is 0
    #: the names of the axes that grow while a system runs, given its first state; all others keep their length
    growing: Callable[[Any], str]

    @cached_property
    def fields(self) -> dict[str, Field]:
        """The shape and the range of each array."""
        hints = get_type_hints(self.state, include_extras=True)
        return {name: hints[name].__metadata__[0] for name in self.state._fields}

    @cached_property
    def dtypes(self) -> dict[str, np.dtype[Any]]:
        """The type of each array."""
        hints = get_type_hints(self.state)
        return {name: np.dtype(get_args(get_args(hints[name])[1])[0]) for name in self.state._fields}

    def blank(self, lengths: Mapping[str, int], **given: NDArray[Any]) -> Any:
        """A state of initial values, with axes of these *lengths*; arrays that start otherwise are *given*."""
        made = {
            name: np.full([_length(axis, lengths) for axis in field.axes.split()], field.blank, self.dtypes[name])
            for name, field in self.fields.items()
            if name not in given
        }
        return self.state(**made, **given)

    def longer(self, state: Any, axis: str) -> Any:
        """*state* with an *axis* twice as long; the new half has initial values."""
        grown = {}
        for name, field in self.fields.items():
            axes, array = field.axes.split(), getattr(state, name)
            if axis in axes:
                more = np.full_like(array, field.blank)
                grown[name] = np.concatenate([array, more], axis=axes.index(axis))
        return state._replace(**grown)

    def dimensions(self, name: str) -> int:
        """How many axes an array has."""
        return len(self.fields[name].axes.split())

    def faults(self, state: Any, like: Any) -> Iterator[str]:
        """What is wrong with the arrays of *state*, one sentence each.

        *like* is a valid state of the same system.  Types and numbers of axes have been checked before.
        """
        lengths, growing = self._lengths(like), self.growing(like).split()
        for axis in growing:
            lengths.pop(axis, None)
        for name, field in self.fields.items():
            shape = getattr(state, name).shape
            for axis, length in zip(field.axes.split(), shape, strict=True):
                right = int(axis) if axis.isdigit() else lengths.setdefault(axis, length)
                if length != right or (axis in growing and not length):
                    yield f"{name} has the shape {list(shape)}, allowed for {axis}: {right or 1}"
                    return
        for name, field in self.fields.items():
            yield from _out_of_range(name, getattr(state, name), field, lengths)
        for place, most in enumerate(self.number):
            if not 0 <= state.number[place] <= _bound(most, lengths):
                yield (f"number[{place}] is {state.number[place]}, allowed: 0 to {_bound(most, lengths)}")

    def left_behind(self, state: Any) -> Iterator[str]:
        """Values left in free job records, one sentence for each field: the next job would inherit them."""
        free = state.job_number < 0
        for name, field in self.fields.items():
            if not name.startswith("job_"):
                continue
            values, nothing = getattr(state, name)[free], 0 if field.low == 0 else -1
            left = values[(values != nothing) & ~np.isinf(values)]
            if left.size:
                yield f"{name} of a job record that nobody has is {left[0]}, allowed: {nothing}"

    def _lengths(self, state: Any) -> dict[str, int]:
        return {
            axis: length
            for name, field in self.fields.items()
            for axis, length in zip(field.axes.split(), getattr(state, name).shape, strict=True)
        }


def _length(axis: str, lengths: Mapping[str, int]) -> int:
    return int(axis) if axis.isdigit() else lengths[axis]


def _bound(bound: Bound, lengths: Mapping[str, int]) -> float:
    return lengths[bound] if isinstance(bound, str) else bound


def _out_of_range(name: str, array: NDArray[Any], field: Field, lengths: Mapping[str, int]) -> Iterator[str]:
    if field.low is None or field.high is None or not array.size:
        return
    low, high = _bound(field.low, lengths), _bound(field.high, lengths)
    least, most = array.min(), array.max()  # NaN, if there is one
    if not (least >= low and (most < high if field.below else most <= high)):
        yield (f"{name} has values from {least} to {most}, allowed: {low} to {'below ' if field.below else ''}{high}")


def free_records(count: int) -> NDArray[np.int32]:
    """[count] the initial stack of free records: all records, the lowest on top."""
    return np.arange(count, dtype=np.int32)[::-1].copy()


def with_more_records(spec: StateSpec, state: Any, free: int) -> Any:
    """*state* with twice the records; the new ones are pushed below the free ones that there were.

    *free* is the index in ``state.number`` of the number of free records.
    """
    records, left = len(state.free_record), int(state.number[free])
    larger = spec.longer(state, "M")
    larger.free_record[:records] = np.arange(2 * records - 1, records - 1, -1)
    larger.free_record[records : records + left] = state.free_record[:left]
    larger.number[free] = records + left
    return larger
