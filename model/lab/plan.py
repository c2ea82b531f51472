"""What an experiment is: its parts, and a result made from the outcomes at hand.

``result`` also works while parts are missing, so that a picture can fill while they are
carried out; nothing in it may depend on the order in which they were finished.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping, Protocol, Sequence

from slotscope.model.lab.parts import Outcome, Part
from slotscope.model.lab.results import Result

#: Outcomes of the parts that are finished.
Outcomes = Mapping[Part, Outcome]


@dataclass(frozen=True)
class Options:
    """What an experiment may need to be told.

    ``trace`` are the files of a recorded workload, or folders of them.
    """

    trace: tuple[str, ...] = ()


#: Nothing that an experiment need be told.
NO_OPTIONS = Options()


class Plan(Protocol):
    """An experiment: a module or an object with these two functions."""

    def parts(self, scale: str, options: Options, /) -> list[Part]:
        """All parts, in an order that is always the same."""
        ...

    def result(self, scale: str, options: Options, outcomes: Outcomes, /) -> Result:
        """The result, or as much of it as the outcomes at hand allow."""
        ...


def finished(parts: Sequence[Part], outcomes: Outcomes) -> list[Outcome]:
    """The outcomes of those *parts* that are finished, in their order."""
    return [outcomes[part] for part in parts if part in outcomes]
