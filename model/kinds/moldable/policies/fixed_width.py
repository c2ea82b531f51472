"""Fixed width: every job requests the same number of servers i.

Reference
    The benchmark that Ghanbarian et al. (2025), Section 4, generalize: greedy(p) with p_i = 1.
Implements
    Lines as in ``pseudocode``.
Symbols
    i  ``parameters.servers``
    j  ``view.free(type)``  free servers
Deviations
    With several classes i may be given for each class; it is at most the d of the class.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from slotscope.model.kinds.moldable.numbers import MoldableNumbers
from slotscope.model.kinds.moldable.policies.base import MoldablePolicy, certain, listing
from slotscope.model.scenario.fields import Name, Section, Whole, one_or_table

Width = Annotated[Whole, Field(ge=1)]
Widths = dict[Name, Width]


class Parameters(Section):
    """``servers``: how many servers each job requests: one number, or a table of class name to number."""

    servers: Annotated[Width | Widths, one_or_table(Width, Widths)] = 1


class Reference(MoldablePolicy):
    """Fixed width."""

    schema = Parameters
    pseudocode = listing("""
        #1 fixed width
        <b>when</b> a job arrives and j servers are free <b>do</b>
          it asks for i servers, always the same number
          it gets min(i, j); <b>if</b> j = 0 it is blocked
    """)

    def __init__(self, numbers: MoldableNumbers, parameters: Parameters) -> None:
        self.rules = certain(numbers, _widths(numbers, parameters.servers))


def _widths(numbers: MoldableNumbers, given: int | dict[str, int]) -> list[int]:
    """[l] the number of servers that jobs of each class request.

    Raises ValueError if a class is unknown or missing, or its number is above the class's d.
    """
    names = numbers.class_names
    by_name = given if isinstance(given, dict) else dict.fromkeys(names, given)
    for name in by_name:
        if name not in names:
            raise ValueError(f"servers: found class '{name}', allowed: {', '.join(names)}")
    for name, degree in zip(names, numbers.degrees, strict=True):
        if name not in by_name:
            raise ValueError(f"servers: found nothing for class '{name}', allowed: 1 to {degree}")
        if by_name[name] > degree:
            raise ValueError(
                f"servers: found {by_name[name]} for class '{name}', allowed: 1 to {degree}, on which its jobs can run"
            )
    return [by_name[name] for name in names]
