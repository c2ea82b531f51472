"""Servers with an active configuration: when it is renewed, and when a server is stalled.

Reference
    Psychas & Ghaderi (2019), Section V.B, step 1, (8) and (9); stalling: Section VIII.
Implements
    What VQS, VQS-BF and MaxWeight share.
Symbols
    k^l(t)  ``view.active(server)``  number of the server's active configuration
    Q(t)    ``lengths``              jobs that wait in each virtual queue
Deviations
    Every empty server renews in every slot.  The queue that (8) weighs has the slot's arrivals in
    it; with ``renew = "before"`` it has not.  All empty servers see the same queue; with
    ``renew_mode = "sequential"`` each sees what those before it have left.  Of equal weights the
    first configuration wins.  With ``stall`` a server in use whose configuration weighs less
    than ``gamma`` times the largest weight takes no job until it is empty.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from slotscope.model.kinds.queue.numbers import QueueNumbers
from slotscope.model.kinds.queue.policies.base import Decisions, QueuePolicy
from slotscope.model.kinds.queue.state import ALWAYS, WHILE_IDLE
from slotscope.model.kinds.queue.view import QueueView
from slotscope.model.reporting.records import Line, Renew, Stall
from slotscope.model.scenario.fields import Exact, Section

RENEWAL, STALLING = Line(1, 1), Line(3, 1)


class RenewalParameters(Section):
    """How active configurations are renewed."""

    renew: Literal["after", "before"] = "after"
    renew_mode: Literal["together", "sequential"] = "together"


class StallingParameters(RenewalParameters):
    """Whether servers whose configuration weighs too little are stalled (Section VIII)."""

    stall: bool = False
    gamma: Exact = Field(default=Fraction(1, 2), ge=0, le=1)


class ActiveConfigurations(QueuePolicy):
    """A policy whose servers have an active configuration; a subclass says how they serve it."""

    max_weight = True
    #: How a server takes jobs: those at the head of a "line", by "best fit", or "exactly" as many
    #: as its configuration has.
    serves_by: str = "line"
    #: Whether a job that fits goes before those in front of it that do not.
    skips: bool = False

    def __init__(self, numbers: QueueNumbers, parameters: Any) -> None:
        super().__init__(numbers, parameters)
        self.before = parameters.renew == "before"
        self.sequential = parameters.renew_mode == "sequential"
        self.gamma = parameters.gamma if getattr(parameters, "stall", False) else Fraction(0)
        self.looks_again = ALWAYS if self.gamma else WHILE_IDLE

    def slot(self, view: QueueView) -> Decisions:
        """Renew empty servers, stall, and let each server take jobs, in order of their number."""
        servers = range(self.numbers.servers)
        if not self.sequential:
            lengths = view.lengths(before=self.before)
            for server in servers:
                yield from self._prepare(view, server, lengths)
        for server in servers:
            if self.sequential:
                yield from self._prepare(view, server, view.lengths(before=self.before))
            if not view.is_stalled(server):
                yield from self.serve(view, server)

    def serve(self, view: QueueView, server: int) -> Decisions:
        """Let a server take jobs by its active configuration."""
        yield from ()

    def heaviest(self, server: int, lengths: NDArray[np.int64]) -> tuple[int, int]:
        """The first configuration of largest weight for a server, (8), and that weight."""
        start, stop = self.pool_configurations[self.numbers.pool_of[server]]
        weights = self.configurations[start:stop].astype(np.int64) @ lengths
        return start + int(np.argmax(weights)), int(weights.max())

    def _prepare(self, view: QueueView, server: int, lengths: NDArray[np.int64]) -> Decisions:
        best, largest = self.heaviest(server, lengths)
        if view.is_empty(server):
            yield Renew(
                line=RENEWAL,
                server=server,
                configuration=best,
                values={"weight": largest, "lengths": tuple(lengths.tolist()), "name": self.configuration_names[best]},
            )
        elif self.gamma and not view.is_stalled(server):
            weight = int(self.configurations[view.active(server)].astype(np.int64) @ lengths)
            if weight * self.gamma.denominator < self.gamma.numerator * largest:
                yield Stall(
                    line=STALLING,
                    server=server,
                    values={"weight": weight, "largest": largest, "gamma": self.gamma, "reason": "light"},
                )
