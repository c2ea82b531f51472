"""The common part of JRS's peers: which servers an arriving job fits, by present or by peak demand.

These policies use neither tokens nor backup servers: servers are unlimited, and an idle server accepts
any job.
"""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from itertools import compress
from math import floor
from typing import Literal, Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from slotscope.model.kinds.phases.numbers import PhaseNumbers
from slotscope.model.kinds.phases.policies.base import PhasePolicy
from slotscope.model.kinds.phases.view import PhaseView, Places
from slotscope.model.scenario.fields import Positive, Section


class FitParameters(Section):
    """When a job fits a server: if the present (or peak) demands of its jobs stay within *factor* times
    the capacity."""

    fits: Literal["current", "peak"] = "current"
    factor: Positive = Field(default=Fraction(1), le=1000)


class FittingPolicy(PhasePolicy):
    """A policy that places each job on a busy server that it fits, or on an idle one."""

    schema: type[Section] = FitParameters

    def __init__(self, numbers: PhaseNumbers, parameters: FitParameters) -> None:
        super().__init__(numbers, parameters)
        self.by_peak = parameters.fits == "peak"
        #: [D] units that the jobs of one server may take together.
        self.limit = np.array([floor(int(units) * parameters.factor) for units in numbers.capacity], np.int64)
        if numbers.model.hard:
            self.limit = np.minimum(self.limit, numbers.capacity)
        #: [I, D] the most units in use on a server that still has room for one more job of a type.
        self.fullest = self.limit - (numbers.peak if self.by_peak else numbers.demand)

    def need(self, job_type: int) -> NDArray[np.int64]:
        """[D] units that an arriving job of a type takes, by present or by peak demand."""
        table = self.numbers.peak if self.by_peak else self.numbers.demand
        need: NDArray[np.int64] = table[job_type]
        return need

    def left(self, view: PhaseView, servers: Places) -> NDArray[np.int64]:
        """[s, D] units left on each of the s *servers*; below 0 after an overrun."""
        return self.limit - self.taken(view, servers)

    def taken(self, view: PhaseView, servers: Places) -> NDArray[np.int64]:
        """[s, D] units that the jobs of each of the s *servers* take, by present or by peak demand."""
        return view.peak_use(servers) if self.by_peak else view.use(servers)

    def fitting(self, view: PhaseView, job_type: int, servers: Sequence[int]) -> list[int]:
        """Those of the busy *servers* that have room for a job of the type."""
        places = np.array(servers, np.intp)
        enough = self.taken(view, places) <= self.fullest[job_type]
        few = view.jobs_on_each(places) < self.numbers.model.most_jobs
        room = reduce(np.logical_and, enough.T, few)  # much faster than along short rows
        return list(compress(servers, room.tolist()))
