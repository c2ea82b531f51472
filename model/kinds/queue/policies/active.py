"""Servers with an active configuration: when it is renewed, and when a server is stalled.

Reference
    Psychas & Ghaderi (2019), Section V.B, step 1, (8) and (9); stalling: Section VIII.
Implements
    What VQS, VQS-BF and MaxWeight share.
Symbols
    k^l(t)  ``view.active(server)``  number of the server's active configuration
    Q(t)    ``lengths``              jobs that wait in each virtual queue
Deviations
    Every empty server renews its configuration in every slot.  The queue lengths in (8) include the
    arrivals of the slot; with ``renew = "before"`` they do not.  All empty servers use the same queue
    lengths; with ``renew_mode = "sequential"`` each uses those left by the servers before it.  Ties go
    to the first configuration.  With ``stall``, a non-empty server whose configuration has a weight below
    ``gamma`` times the largest weight takes no job until it is empty.
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
    """Whether servers whose configuration has too small a weight are stalled (Section VIII)."""

    stall: bool = False
    gamma: Exact = Field(default=Fraction(1, 2), ge=0, le=1)


class ActiveConfigurations(QueuePolicy):
    """A policy whose servers have an active configuration; a subclass defines how a server takes jobs by it."""

    max_weight = True
    #: How a server takes jobs: from the head of each queue ("line"), by "best fit", or "exactly" k_j jobs
    #: of each type.
    serves_by: str = "line"
    #: Whether a job that fits is taken although jobs before it in its queue do not fit.
    skips: bool = False

    def __init__(self, numbers: QueueNumbers, parameters: Any) -> None:
        super().__init__(numbers, parameters)
        self.before = parameters.renew == "before"
        self.sequential = parameters.renew_mode == "sequential"
        self.gamma = parameters.gamma if getattr(parameters, "stall", False) else Fraction(0)
        self.looks_again = ALWAYS if self.gamma else WHILE_IDLE

    def slot(self, view: QueueView) -> Decisions:
        """Renew and stall servers, and let each server take jobs, in order of server number."""
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
        """The configuration of maximum weight for a server, (8), and its weight; ties go to the first one."""
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
