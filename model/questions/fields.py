"""What a kind of system declares that can be asked of its runs: the words of questions.

Menus, the marks of logs and questions are all made from these declarations, so that a thing that
can happen has one flag, one word, one mark and one sentence.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Callable, Iterable, Mapping, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.systems.watching import Derived, Touched


class EventKind(NamedTuple):
    """A kind of thing that happens in an event."""

    word: str  #: in questions, such as "rejected"
    flag: int  #: of the row
    tip: str  #: a sentence
    stop: str = ""  #: what a run can be asked to stop at, such as "rejection"; nothing: at this never
    label: str = ""  #: what a log calls and marks it, in the plural; nothing: it has no mark
    place: int = 0  #: of its mark, so that marks of one kind stand below each other
    meaning: str = "normal"  #: the theme's colour, by its field: "muted", "normal", "rejection", "migration"
    shape: str = "plus"  #: "plus", "minus", "cross", "arrow", "box", "star", "ring", "bars" or "turn"

    def marked(self, label: str, place: int, meaning: str, shape: str) -> EventKind:
        """The kind with a mark in the log."""
        return self._replace(label=label, place=place, meaning=meaning, shape=shape)


class RowColumn(NamedTuple):
    """A column of the row of an event; it is known where it is not below *least*."""

    name: str
    least: float = 0
    down_from: int | None = None  #: what the column has for 0, where it has one less for each 1 more
    numbered: bool = False  #: from 0 in rows, from 1 in windows and questions
    costly: bool = False  #: kernels fill it in only where that is asked for
    scale: Callable[[Any], float] | None = None  #: what one unit is, from the numbers of a scenario

    def read(self, column: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """[n] the values in *column*, as rows have them, and [n] where they are known."""
        values = column if self.down_from is None else column.dtype.type(self.down_from) - column
        return values, np.asarray(values >= self.least)


class SampleColumns(NamedTuple):
    """A column of the sample after an event, or several; or a function that gives them from a scenario's numbers.

    Those that are *less* are taken off.
    """

    places: Any
    less: Any = None

    def parts(self, numbers: Any, width: int) -> tuple[tuple[NDArray[np.int64], float], ...]:
        """[m] the columns of samples of a *width*, and the factor of each that is added up."""
        several = ((self.places, 1.0), (self.less, -1.0))
        return tuple(
            (np.ravel(np.arange(width)[places(numbers) if callable(places) else places]), factor)
            for places, factor in several
            if places is not None
        )


class StateValue(NamedTuple):
    """What is read from a state itself, which costs a stop at each event that is looked at.

    *read* takes the state, or one whose arrays are [k, ...] of k states, and gives a number; [n] where the field
    has an index, each [k, ...] of k states; or it takes a state alone and gives [m] or [m, n], where it is a field of m
    things, from their own rows, among which those *derived* from the state are.  *scale* is what one unit is, from a
    scenario's numbers.
    """

    read: Callable[[Any], Any]
    scale: Callable[[Any], Any] | None = None
    derived: Derived | None = None


class SaidValues(NamedTuple):
    """What a policy says while it decides: the event is made again from the state before, sub-step by sub-step.

    *names* takes the policy, and gives the names of the numbers that it may say.
    """

    names: Callable[[Any], tuple[str, ...]]


Source = RowColumn | SampleColumns | StateValue | SaidValues


@dataclass(frozen=True)
class AskedField:
    """Something that has a value at each event.

    Attributes
    ----------
    name:
        In questions.
    about:
        What it is, as a clause.
    source:
        Where its values are.
    unit:
        Of its values; empty for numbers of things.
    index:
        The dimension that it has a value for each member of, such as "type"; then it is written
        ``name[member]``.
    choices:
        The dimension whose members its values are, numbered from 1.
    symbol:
        How the paper writes it, which questions may do as well.
    needs:
        An attribute of policies that have it; empty: all do.
    beyond:
        How many values above the members of *choices* mean something else.
    """

    name: str
    about: str
    source: Source
    unit: str = ""
    index: str = ""
    choices: str = ""
    symbol: str = ""
    needs: str = ""
    beyond: int = 0


@dataclass(frozen=True)
class ThingFields:
    """What can be asked of each of several things, such as servers.

    *numbers* takes the state, and gives [m] what the things are called; *fields* are of as many.  *there* takes
    the state, and gives [places] in which of its rows there is a thing; without it in each.  The arrays of
    the state that are *settled* do not change at a place before another thing comes to it; at which places an event
    may change those that things read of themselves is *touched*, where its row tells; some rows are *derived* from the
    state.  Of a *fixed* number of things the scenario's numbers tell it.  Those that *arrive* are numbered in that
    order, and one that has left does not come back.
    """

    numbers: Callable[[Any], Any]
    fields: tuple[AskedField, ...]
    there: Callable[[Any], Any] | None = None
    settled: frozenset[str] = frozenset()
    touched: Touched | None = None
    derived: Derived | None = None
    fixed: Callable[[Any], int] | None = None
    arrive: bool = False


def in_system(state: Any) -> Any:
    """[places] which records of jobs stand for one in the system."""
    return state.job_number >= 0


def of_jobs(
    column: str, plus: int = 0, scale: Callable[[Any], Any] | None = None, there: Callable[[Any], Any] = in_system
) -> StateValue:
    """A column of the state that has a number for each job, of those that are there; so much is added."""
    return StateValue(lambda state: getattr(state, column)[there(state)] + plus, scale)


def jobs_with(
    fields: tuple[AskedField, ...],
    settled: Iterable[str],
    there: Callable[[Any], Any] = in_system,
    touched: Touched | None = None,
    derived: Derived | None = None,
) -> ThingFields:
    """What can be asked of each job that is there; the columns *settled* change with its number alone."""
    return ThingFields(
        lambda state: state.job_number[there(state)], fields, there, frozenset(settled), touched, derived, arrive=True
    )


def _no_dimensions(_: Any) -> Mapping[str, tuple[str, ...]]:
    return {}


class Vocabulary(NamedTuple):
    """All that can be asked of a kind of system.

    Attributes
    ----------
    happenings:
        In the order of menus.
    fields:
        Of each event, and of the state after it.
    things:
        Things of the state, by what one is called.
    dimensions:
        The members of each dimension by their names, for a system under a policy.
    """

    happenings: tuple[EventKind, ...]
    fields: tuple[AskedField, ...]
    things: Mapping[str, ThingFields] = MappingProxyType({})
    dimensions: Callable[[Any], Mapping[str, tuple[str, ...]]] = _no_dimensions

    @property
    def event_kinds(self) -> Mapping[str, int]:
        """The flag of each kind of event that a run can be asked to stop at, by its name."""
        return {each.stop: each.flag for each in self.happenings if each.stop}

    @property
    def marks(self) -> tuple[EventKind, ...]:
        """What a log marks and filters by, in the order of the marks."""
        marked = (each for each in self.happenings if each.label)
        return tuple(sorted(marked, key=lambda each: (each.place, each.flag)))
