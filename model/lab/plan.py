"""The interface of an experiment: its parts, and a result made from the outcomes available so far.

``result`` also works while parts are missing, so that a figure can fill up during the work; it must
not depend on the order in which parts finish.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Callable, Hashable, Mapping, Protocol, Sequence, TypeVar

from slotscope.model.lab.parts import Outcome, Part
from slotscope.model.lab.results import Result
from slotscope.model.policies.choice import names_beside
from slotscope.model.traces.excerpts import FOR_EXPERIMENTS

#: The outcomes of the finished parts.
Outcomes = Mapping[Part, Outcome]

Cell = TypeVar("Cell", bound=Hashable)
Found = TypeVar("Found")


@dataclass(frozen=True)
class Options:
    """The user's options of an experiment.

    ``trace`` are files of a recorded workload, or folders of them; ``policies`` run beside those that the
    experiment compares, given as on a command line.
    """

    trace: tuple[str, ...] = ()
    policies: tuple[str, ...] = ()

    def beside(self, own: Mapping[str, Any]) -> dict[str, Any]:
        """An experiment's *own* policies by their label in figures, followed by the user's."""
        return {**own, **{name: text for text, name in names_beside(self.policies).items()}}


#: No options.
NO_OPTIONS = Options()


class Plan(Protocol):
    """An experiment: a module or an object with these two functions."""

    def parts(self, scale: str, options: Options, /) -> list[Part]:
        """All parts, always in the same order."""

    def result(self, scale: str, options: Options, outcomes: Outcomes, /) -> Result:
        """The result, as far as the available outcomes allow."""


def result_of(plan: Plan, scale: str, options: Options, outcomes: Outcomes) -> Result:
    """The result of *plan* from the available outcomes; if the trace is only an excerpt, a note says so."""
    made = plan.result(scale, options, outcomes)
    if options.trace != (str(FOR_EXPERIMENTS.path),):
        return made
    note = f"The trace is an excerpt, {FOR_EXPERIMENTS.about}; 'slotscope traces' lists whole ones."
    return replace(made, notes=(*made.notes, note))


def finished(parts: Sequence[Part], outcomes: Outcomes) -> list[Outcome]:
    """The outcomes of the finished ones among *parts*, in their order."""
    return [outcomes[part] for part in parts if part in outcomes]


def parts_of(cells: Mapping[Any, Sequence[Part]]) -> list[Part]:
    """The parts of all cells (points of curves, rows of tables), cell by cell."""
    return [part for several in cells.values() for part in several]


def found_in(
    cells: Mapping[Cell, Sequence[Part]], outcomes: Outcomes, make: Callable[[list[Outcome]], Found]
) -> dict[Cell, Found]:
    """The result of *make* for the outcomes of each cell, without cells that have none yet."""
    return {cell: make(done) for cell, several in cells.items() if (done := finished(several, outcomes))}
