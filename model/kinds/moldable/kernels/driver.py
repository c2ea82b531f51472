"""The driver of the kernel for moldable jobs: it builds the kernel's arguments."""

from __future__ import annotations

from typing import Any

from slotscope.model.kinds.moldable.kernels import loop
from slotscope.model.kinds.moldable.kernels.calendar import calendar_of
from slotscope.model.kinds.moldable.running import RUNNING
from slotscope.model.kinds.moldable.state import MoldableState
from slotscope.model.systems.compiled import COMMON, CompiledEngine


class MoldableKernel(CompiledEngine):
    """The compiled twin of all policies for moldable jobs, which differ only in their rules."""

    kernel = staticmethod(loop.advance)
    follow = staticmethod(RUNNING.follow)
    constants = COMMON
    outcomes = 1

    def build(self, state: MoldableState) -> tuple[Any, ...]:
        """Tables, rules, and the calendar of departures."""
        system = self.system
        return system.tables, system.rules, calendar_of(state, system.numbers.rate or 1.0)
