"""The kernel for moldable jobs in which a user-written function decides how many servers a job gets."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.moldable import physics
from slotscope.model.kinds.moldable.kernels import loop
from slotscope.model.kinds.moldable.kernels.driver import MoldableKernel
from slotscope.model.kinds.moldable.state import MoldableState
from slotscope.model.policies.own.driver import Hooks, KernelInput, OwnKernel
from slotscope.model.policies.own.sound import ImpossibleDecisionError


class OwnTables(NamedTuple):
    """:class:`model.kinds.moldable.numbers.MoldableTables`, and the inputs of the user's function."""

    speedup: NDArray[np.float64]
    target: NDArray[np.int64]
    pair: NDArray[np.int32]
    pair_target: NDArray[np.float64]
    pair_weight: NDArray[np.float64]
    least: NDArray[np.int32]
    bin_low: NDArray[np.int64]
    bin_shift: NDArray[np.int64]
    key: NDArray[np.uint64]
    most: NDArray[np.int64]  #: [l] servers that a job of each class may get
    own: KernelInput


class OwnMoldableKernel(OwnKernel, MoldableKernel):
    """The compiled twin of a policy whose file has a ``kernel``."""

    loop = staticmethod(loop.advance)

    def build(self, state: MoldableState) -> tuple[Any, ...]:
        """As for other policies, plus the inputs of the user's function."""
        tables, *others = super().build(state)
        most = np.array(self.system.numbers.degrees, np.int64)
        return OwnTables(**tables._asdict(), most=most, own=self.asked(state, 0, 0, 0)), *others

    @staticmethod
    def hooks(decide: Any) -> Hooks:
        """Replace the request of a job by the user's function."""

        def request(tables: Any, _: Any, job_class: int, number: int, free: int) -> int:
            kind = np.int64(job_class)
            own = tables.own
            servers = decide(own.state, number, kind, free, own.data)
            own.told[0] = servers
            if servers < 0 or servers > min(free, tables.most[kind]):
                raise ImpossibleDecisionError("not so many servers")
            return servers if servers > 0 else -1  # a rejected job has no request

        return {physics.request: request}

    def decided(self, _: Any, mine: tuple[Any, Any], __: Any) -> str:
        """The decision on the arriving job, as text."""
        width = int(mine[0]["width"])
        return f"{width} server{'s' if width > 1 else ''}" if width > 0 else "the job is rejected"

    def refused(self, before: MoldableState) -> str:
        """Why the decision was refused, as text: the number of servers given, and the numbers allowed."""
        event = self.system.next_event(before)
        most = min(physics.free_for(before, self.system.rules, event.type), self.system.numbers.degrees[event.type])
        return f"the kernel gives it {self.told[0]} servers, allowed: 0 (it is rejected) to {most}"
