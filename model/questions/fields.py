"""The vocabulary that a kind of system declares for questions about its runs.

Menus, the marks of logs and questions are all made from these declarations, so that each kind of happening has one
flag, one word, one mark and one sentence.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Callable, Iterable, Mapping, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.systems.watching import Derived, Touched


class EventKind(NamedTuple):
    """Something that can happen in an event, such as a rejection."""

    word: str  #: its name in questions, such as "rejected"
    flag: int  #: its bit in the row's flags
    tip: str  #: a sentence
    stop: str = ""  #: its name where a run is to stop at it, such as "rejection"; empty: no run stops at it
    label: str = ""  #: its name in the log's legend, in the plural; empty: it has no mark
    place: int = 0  #: the position of its mark, so that marks of one kind stand below each other
    meaning: str = "normal"  #: the theme's colour, by its field: "muted", "normal", "rejection", "migration"
    shape: str = "plus"  #: "plus", "minus", "cross", "arrow", "box", "star", "ring", "bars" or "turn"

    def marked(self, label: str, place: int, meaning: str, shape: str) -> EventKind:
        """The kind with a mark in the log."""
        return self._replace(label=label, place=place, meaning=meaning, shape=shape)


class RowColumn(NamedTuple):
    """A column of an event's row; its value is known unless it is below *least*."""

    name: str
    least: float = 0
    down_from: int | None = None  #: if given, the value is this number minus the column
    numbered: bool = False  #: whether it counts from 0 in rows, but from 1 in windows and questions
    costly: bool = False  #: whether kernels fill it in only on request
    scale: Callable[[Any], float] | None = None  #: the factor that gives it its unit, from a scenario's numbers

    def read(self, column: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """[n] the values of a *column* of rows, and [n] whether each is known."""
        values = column if self.down_from is None else column.dtype.type(self.down_from) - column
        return values, np.asarray(values >= self.least)


class SampleColumns(NamedTuple):
    """The sum of one or several columns of the sample after an event, minus the columns *less*.

    Either is an index of columns, or a function that gives it from a scenario's numbers.
    """

    places: Any
    less: Any = None

    def parts(self, numbers: Any, width: int) -> tuple[tuple[NDArray[np.int64], float], ...]:
        """The columns [m] of samples of a *width* that are summed, each set with its factor, 1 or -1."""
        several = ((self.places, 1.0), (self.less, -1.0))
        return tuple(
            (np.ravel(np.arange(width)[places(numbers) if callable(places) else places]), factor)
            for places, factor in several
            if places is not None
        )


class StateValue(NamedTuple):
    """A value that is read from the state itself, for which the run has to stop after each event in question.

    For a field of the state *read* takes the state and gives a number, or [n] if the field has an index; given k states
    at once, as one whose arrays are [k, ...], it gives [k] or [k, n].  For a field of m things it takes one state and
    gives [m] or [m, n], from the things' own rows, including those *derived* from the state.  *scale* is the factor
    that gives the value its unit, from a scenario's numbers.
    """

    read: Callable[[Any], Any]
    scale: Callable[[Any], Any] | None = None
    derived: Derived | None = None


class SaidValues(NamedTuple):
    """A number that a policy says while it decides: the event is replayed by the reference from the state before.

    *names* takes the policy and gives the names of the numbers that it may say.
    """

    names: Callable[[Any], tuple[str, ...]]


Source = RowColumn | SampleColumns | StateValue | SaidValues


@dataclass(frozen=True)
class AskedField:
    """A field: a value at each event that questions can use by its name.

    Attributes
    ----------
    name:
        Its name in questions.
    about:
        What it is, as a clause.
    source:
        Where its values are read from.
    unit:
        The unit of its values; empty for counts.
    index:
        The dimension for each of whose members it has a value, such as "type"; then it is written ``name[member]``.
    choices:
        The dimension whose members its values are, numbered from 1.
    symbol:
        The paper's symbol, which questions may use as well.
    needs:
        The attribute of a policy that has to be true for the field to exist; empty: it always does.
    beyond:
        How many values above those of the members of *choices* have another meaning.
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
    """The fields of each of several things, such as servers.

    *numbers* takes the state and gives the number of each thing [m]; *fields* have their values in the same order.
    *there* takes the state and gives [places] whether a row holds a thing; without it, each does.  Arrays of the state
    that are *settled* change at a place only when another thing comes to it.  *touched* names the columns of an event's
    row that hold the places whose rows the event may change; *derived* are rows computed from the whole state.  *fixed*
    gives the number of things from the scenario's numbers, if that is constant.  Things that *arrive* are numbered in
    the order of arrival, and do not return after they have left.
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
    """[places] whether a record of the job table holds a job that is in the system."""
    return state.job_number >= 0


def of_jobs(
    column: str, plus: int = 0, scale: Callable[[Any], Any] | None = None, there: Callable[[Any], Any] = in_system
) -> StateValue:
    """A column of the job table, for the jobs that are there; *plus* is added."""
    return StateValue(lambda state: getattr(state, column)[there(state)] + plus, scale)


def jobs_with(
    fields: tuple[AskedField, ...],
    settled: Iterable[str],
    there: Callable[[Any], Any] = in_system,
    touched: Touched | None = None,
    derived: Derived | None = None,
) -> ThingFields:
    """The fields of each job that is there; the columns *settled* change only together with its number."""
    return ThingFields(
        lambda state: state.job_number[there(state)], fields, there, frozenset(settled), touched, derived, arrive=True
    )


def _no_dimensions(_: Any) -> Mapping[str, tuple[str, ...]]:
    return {}


class Vocabulary(NamedTuple):
    """All names that questions about a kind of system can use.

    Attributes
    ----------
    happenings:
        What can happen in an event, in the order of menus.
    fields:
        The fields of each event, and of the state after it.
    things:
        The kinds of things in the state, by the singular of their name.
    dimensions:
        Gives the names of each dimension's members, for a system under a policy.
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
        """The kinds of event that a log marks and filters by, in the order of the marks."""
        marked = (each for each in self.happenings if each.label)
        return tuple(sorted(marked, key=lambda each: (each.place, each.flag)))
