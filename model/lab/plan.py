"""What an experiment is: its parts, and a result made from the outcomes at hand.

``result`` also works while parts are missing, so that a picture can fill while they are
carried out; nothing in it may depend on the order in which they were finished.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Callable, Hashable, Mapping, Protocol, Sequence, TypeVar

from slotscope.model.lab.parts import Outcome, Part
from slotscope.model.lab.results import Result
from slotscope.model.policies.choice import names_beside
from slotscope.model.traces.excerpts import FOR_EXPERIMENTS

#: Outcomes of the parts that are finished.
Outcomes = Mapping[Part, Outcome]

Cell = TypeVar("Cell", bound=Hashable)
Found = TypeVar("Found")


@dataclass(frozen=True)
class Options:
    """What an experiment may need to be told.

    ``trace`` are the files of a recorded workload, or folders of them; ``policies`` run beside those that an
    experiment compares, as a command line names them.
    """

    trace: tuple[str, ...] = ()
    policies: tuple[str, ...] = ()

    def beside(self, own: Mapping[str, Any]) -> dict[str, Any]:
        """An experiment's *own* policies by what pictures call them, and those beside them."""
        return {**own, **{name: text for text, name in names_beside(self.policies).items()}}


#: Nothing that an experiment need be told.
NO_OPTIONS = Options()


class Plan(Protocol):
    """An experiment: a module or an object with these two functions."""

    def parts(self, scale: str, options: Options, /) -> list[Part]:
        """All parts, in an order that is always the same."""

    def result(self, scale: str, options: Options, outcomes: Outcomes, /) -> Result:
        """The result, or as much of it as the outcomes at hand allow."""


def result_of(plan: Plan, scale: str, options: Options, outcomes: Outcomes) -> Result:
    """What *plan* makes of the outcomes at hand; its notes tell of a trace that is but an excerpt."""
    made = plan.result(scale, options, outcomes)
    if options.trace != (str(FOR_EXPERIMENTS.path),):
        return made
    note = f"The trace is an excerpt, {FOR_EXPERIMENTS.about}; 'slotscope traces' lists whole ones."
    return replace(made, notes=(*made.notes, note))


def finished(parts: Sequence[Part], outcomes: Outcomes) -> list[Outcome]:
    """The outcomes of those *parts* that are finished, in their order."""
    return [outcomes[part] for part in parts if part in outcomes]


def parts_of(cells: Mapping[Any, Sequence[Part]]) -> list[Part]:
    """The parts of all cells (points of curves, rows of tables), cell by cell."""
    return [part for several in cells.values() for part in several]


def found_in(
    cells: Mapping[Cell, Sequence[Part]], outcomes: Outcomes, make: Callable[[list[Outcome]], Found]
) -> dict[Cell, Found]:
    """What *make* makes of the outcomes of each cell that has any yet."""
    return {cell: make(done) for cell, several in cells.items() if (done := finished(several, outcomes))}
