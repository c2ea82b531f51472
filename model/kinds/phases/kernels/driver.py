"""The drivers of the kernels for jobs with phases: they build the kernels' arguments."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from slotscope.model.kinds.phases.kernels import fitting, loop, requesting
from slotscope.model.kinds.phases.kernels.fitting import fits_of
from slotscope.model.kinds.phases.moving import MOVING
from slotscope.model.kinds.phases.outcome import OUTCOMES
from slotscope.model.kinds.phases.state import PhaseState
from slotscope.model.systems.compiled import CompiledEngine


class PhaseKernel(CompiledEngine):
    """The compiled twin of a reference policy."""

    constants = loop.CONSTANTS
    outcomes = OUTCOMES
    follow = staticmethod(MOVING.follow)

    def options(self) -> dict[int, int]:
        """The number of tokens for which the state must have room."""
        return {loop.MOST_TOKENS: self.policy.most_tokens}


class RequestingKernel(PhaseKernel):
    """The compiled twin of JRS."""

    kernel = staticmethod(requesting.advance)

    def build(self, state: PhaseState) -> tuple[Any, ...]:
        """Tables, rules, and scratch arrays; JRS needs no index, because it reads the state only."""
        scratch = np.zeros(self.system.numbers.phases, np.int64)
        return self.system.tables, self.policy.rules, scratch, np.zeros(requesting.STEPS, np.int64)


class FittingKernel(PhaseKernel):
    """The compiled twin of the policies without tokens."""

    kernel = staticmethod(fitting.advance)

    def options(self) -> dict[int, int]:
        """The rule by which a server is chosen, and its parameters."""
        share = getattr(self.policy, "share", Fraction(0))
        return super().options() | {
            loop.RULE: fitting.RULES.index(self.policy.name),
            loop.DRAWS: getattr(self.policy, "draws", 0),
            loop.SHARE_NUMERATOR: share.numerator,
            loop.SHARE_DENOMINATOR: share.denominator,
        }

    def build(self, state: PhaseState) -> tuple[Any, ...]:
        """Tables, and the index of busy servers and of servers with room for each type."""
        return self.system.tables, fits_of(state, self.policy, self.system.numbers)
