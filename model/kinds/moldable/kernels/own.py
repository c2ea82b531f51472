"""The kernel for moldable jobs in which a function of the user's says how many servers a job gets."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.moldable import physics
from slotscope.model.kinds.moldable.kernels import loop
from slotscope.model.kinds.moldable.kernels.driver import MoldableKernel
from slotscope.model.kinds.moldable.state import MoldableState
from slotscope.model.policies.own.kernel import ImpossibleDecisionError
from slotscope.model.state import viewed


class OwnTables(NamedTuple):
    """:class:`model.kinds.moldable.tables.MoldableTables`, and what the user's function is given."""

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
    shown: MoldableState  #: the state, of which only ``memory`` can be written
    data: Any  #: what the policy's ``kernel_data`` is
    told: NDArray[np.int64]  #: [1] the last decision


class OwnMoldableKernel(MoldableKernel):
    """The compiled twin of a policy whose file has a ``kernel``."""

    def __init__(self, system: Any) -> None:
        self.told = np.zeros(1, np.int64)
        self._most = np.array(system.numbers.degrees, np.int64)
        self._shown_of: MoldableState | None = None
        super().__init__(system)

    def twin(self) -> Callable[..., int]:
        """The loop in which the function stands where requests are made."""
        found: Callable[..., int] = self.policy.brought.inside(loop.advance, physics.request, asking)
        return found

    def build(self, state: MoldableState) -> tuple[Any, ...]:
        """As for other policies, with what the function is given."""
        tables, *others = super().build(state)
        self._shown_of = state  # kept, so that no other state is taken for the one whose arrays are shown
        shown = viewed(state)._replace(memory=state.memory)
        self.policy.brought.check(shown, 0, 0, 0, self.policy.kernel_data)
        given = {"most": self._most, "shown": shown, "data": self.policy.kernel_data, "told": self.told}
        return OwnTables(**tables._asdict(), **given), *others


def asking(decide: Any) -> Any:
    """What stands in the place of :func:`..physics.request`."""

    def request(tables: Any, _: Any, job_class: int, number: int, free: int) -> int:
        kind = np.int64(job_class)
        servers = decide(tables.shown, number, kind, free, tables.data)
        tables.told[0] = servers
        if servers < 0 or servers > min(free, tables.most[kind]):
            raise ImpossibleDecisionError("not so many servers")
        return servers if servers > 0 else -1  # a rejected job has asked for none

    return request


def decided(row: Any) -> str:
    """What an arriving job got, for a line that tells how two engines differ."""
    width = int(row["width"])
    return f"{width} server{'s' if width > 1 else ''}" if width > 0 else "the job is rejected"


def refused(servers: int, system: Any, before: MoldableState) -> str:
    """Why the function's last decision is impossible."""
    event = system.next_event(before)
    most = min(physics.free_for(before, system.rules, event.type), system.numbers.degrees[event.type])
    return f"the kernel gives it {servers} servers, allowed: 0 (it is rejected) to {most}"
