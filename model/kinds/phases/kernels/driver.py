"""The compiled kernels for phases, and what they are given."""

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
    """A compiled twin of a reference."""

    constants = loop.CONSTANTS
    outcomes = OUTCOMES
    follow = staticmethod(MOVING.follow)

    def options(self) -> dict[int, int]:
        """How many tokens there must be room for."""
        return {loop.MOST_TOKENS: self.policy.most_tokens}


class RequestingKernel(PhaseKernel):
    """The compiled twin of JRS."""

    kernel = staticmethod(requesting.advance)

    def build(self, state: PhaseState) -> tuple[Any, ...]:
        """Tables, rules, and scratch: all that JRS looks at stands in the state."""
        scratch = np.zeros(self.system.numbers.phases, np.int64)
        return self.system.tables, self.policy.rules, scratch, np.zeros(requesting.STEPS, np.int64)


class FittingKernel(PhaseKernel):
    """The compiled twin of the policies without tokens."""

    kernel = staticmethod(fitting.advance)

    def options(self) -> dict[int, int]:
        """How a server is chosen."""
        share = getattr(self.policy, "share", Fraction(0))
        return super().options() | {
            loop.RULE: fitting.RULES.index(self.policy.name),
            loop.DRAWS: getattr(self.policy, "draws", 0),
            loop.SHARE_NUMERATOR: share.numerator,
            loop.SHARE_DENOMINATOR: share.denominator,
        }

    def build(self, state: PhaseState) -> tuple[Any, ...]:
        """Tables; which servers are busy, and which have room for which type."""
        return self.system.tables, fits_of(state, self.policy, self.system.numbers)
