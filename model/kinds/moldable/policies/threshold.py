"""Threshold rule: the number of servers that a job requests depends on how many are free.

Reference
    A rule set by the user, for comparison with greedy(p*) of Ghanbarian et al. (2025), Section 4,
    where the request i does not depend on the state.
Implements
    Lines as in ``pseudocode``.
Symbols
    j    ``view.free(type)``  free servers
    f_k  ``free`` of a step, i_k its ``servers``
Deviations
    None.  Jobs of a class with d below i_k request d servers.
"""

from __future__ import annotations

from typing import Annotated, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from slotscope.model.kinds.moldable.numbers import MoldableNumbers
from slotscope.model.kinds.moldable.policies.base import MoldableJob, MoldablePolicy, certain, listing
from slotscope.model.kinds.moldable.view import MoldableView
from slotscope.model.scenario.fields import Section, Whole, one_or_list


class ThresholdStep(Section):
    """While at least ``free`` servers are free, a job requests ``servers``."""

    free: Annotated[Whole, Field(ge=0)]
    servers: Annotated[Whole, Field(ge=1)]


class Parameters(Section):
    """``steps``: the steps of the rule; below the first step a job requests one server.

    If no steps are given, a job requests d servers while at least a tenth of all servers is free.
    """

    steps: Annotated[tuple[ThresholdStep, ...], one_or_list(ThresholdStep)] = ()

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        seen: set[int] = set()
        for position, step in enumerate(self.steps):
            if step.free in seen:
                raise ValueError(f"steps[{position}].free: found {step.free} for the second time, allowed: once")
            seen.add(step.free)
        return self


class Reference(MoldablePolicy):
    """A threshold rule."""

    schema = Parameters
    pseudocode = listing("""
        #1 threshold rule
        <b>when</b> a job arrives and j servers are free <b>do</b>
          it asks for i<sub>k</sub> servers, k the last step with f<sub>k</sub> ≤ j
          it gets min(i<sub>k</sub>, j); <b>if</b> j = 0 it is blocked
    """)

    def __init__(self, numbers: MoldableNumbers, parameters: Parameters) -> None:
        tenth = ThresholdStep(free=-(-numbers.servers // 10), servers=numbers.degree)
        self._steps = sorted(parameters.steps or (tenth,), key=lambda step: step.free)
        for step in self._steps:
            if step.free > numbers.servers:
                raise ValueError(f"steps: found free = {step.free}, allowed: at most {numbers.servers}, all servers")
            if step.servers > numbers.degree:
                raise ValueError(
                    f"steps: found servers = {step.servers}, allowed: 1 to {numbers.degree}, on which jobs can run"
                )
        self.rules = certain(numbers, [1] * numbers.classes)._replace(by_free=self._table(numbers))

    def _table(self, numbers: MoldableNumbers) -> NDArray[np.int32]:
        """[l, n + 1] the number of servers requested, by class and number of free servers."""
        asked = np.ones(numbers.servers + 1, np.int32)
        for step in self._steps:
            asked[step.free :] = step.servers
        return np.minimum(asked, np.array(numbers.degrees, np.int32)[:, None])

    def asked(self, view: MoldableView, job: MoldableJob, asked: int) -> dict[str, object]:
        """See :class:`MoldablePolicy`: also the step that the request comes from."""
        values = super().asked(view, job, asked)
        if values["reason"] == "scripted":
            return values
        free = view.free(job.type)
        reached = [step.free for step in self._steps if step.free <= free]
        return values | {"reason": "step", "free": free, "from": reached[-1] if reached else 0}
