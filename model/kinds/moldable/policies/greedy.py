"""greedy: every job runs on as many servers as are free, up to d.

Reference
    Ghanbarian et al. (2025), Section 4.
Implements
    Lines as in ``pseudocode``.
Symbols
    d  ``numbers.degrees``  the most servers that a job can run on
    j  ``view.free(type)``  free servers
Deviations
    With several classes, d is the one of the job's class.
"""

from __future__ import annotations

from typing import Any

from slotscope.model.kinds.moldable.numbers import MoldableNumbers
from slotscope.model.kinds.moldable.policies.base import MoldablePolicy, certain, listing


class Reference(MoldablePolicy):
    """greedy."""

    pseudocode = listing("""
        #1 greedy
        <b>when</b> a job arrives and j servers are free <b>do</b>
          it asks for i = d servers
          it gets min(i, j); <b>if</b> j = 0 it is blocked
    """)

    def __init__(self, numbers: MoldableNumbers, parameters: Any) -> None:
        self.rules = certain(numbers, numbers.degrees)
