"""What a reference policy of a system of moldable jobs provides, and what it is told.

A policy of one's own starts from :class:`OwnPolicy` and needs no other module than this one.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Iterator, Sequence

import numpy as np

from slotscope.model.kinds.moldable.numbers import MoldableNumbers
from slotscope.model.kinds.moldable.rules import AllocationRules, drawn, pooled
from slotscope.model.kinds.moldable.view import MoldableJob, MoldableView
from slotscope.model.policies.common import NoParameters, Policy, PseudocodeLine, listing, say
from slotscope.model.reporting.records import Allocate, Line, Record, Reject, Remember
from slotscope.model.scenario.fields import Section

Decisions = Iterator[Record]

__all__ = [
    "Allocate",
    "Decisions",
    "Line",
    "MoldableJob",
    "MoldablePolicy",
    "NoParameters",
    "OwnPolicy",
    "PseudocodeLine",
    "Record",
    "Reject",
    "Remember",
    "Section",
    "certain",
    "listing",
    "say",
]

NO_TABLE = np.zeros((0, 0), np.int32)


class MoldablePolicy(Policy):
    """A policy for moldable jobs: what it is unless it says otherwise.

    ``arrival`` is called for each job that arrives and yields exactly one Allocate or Reject;
    ``departure`` after a job has left its servers.  What distinguishes the program's own policies is
    ``rules``: how many servers a job asks for, and in which pools.
    """

    system = "moldable"
    #: Whether the request is drawn at random; else it is certain, or read from a table.
    draws: bool = False
    #: Whether it says for how many servers a job asks: as ``request`` among the values of each decision.
    asks: bool = True
    #: The lines at which the request is made, and servers are given.
    ask_line: Line = Line(1, 2)
    give_line: Line = Line(1, 3)

    rules: AllocationRules
    #: How many numbers are remembered from event to event.
    memory: int = 0

    def arrival(self, view: MoldableView, job: MoldableJob) -> Decisions:
        """min(i, j) servers for the arriving job; none: it is blocked (Section 4)."""
        free, asked = view.free(job.type), view.request(job)
        yield Record("request", self.ask_line, self.asked(view, job, asked))
        values = {"request": asked, "free": free, "type": job.type}
        if not free:
            yield Reject(line=self.give_line, values=values)
        else:
            yield Allocate(line=self.give_line, servers=min(asked, free), values=values)

    def departure(self, view: MoldableView, job: MoldableJob) -> Decisions:
        """Called after a job has left; there is nothing to decide."""
        yield from ()

    def asked(self, view: MoldableView, job: MoldableJob, asked: int) -> dict[str, object]:
        """The numbers that a request came from."""
        values: dict[str, object] = {"job": job.number, "type": job.type, "request": asked}
        if view.is_scripted(job.number):
            return values | {"reason": "scripted"}
        if self.draws:
            widths, shares = zip(*self.distribution(job.type), strict=True)
            return values | {"reason": "drawn", "uniform": view.uniform(job.number), "widths": widths, "shares": shares}
        return values | {"reason": "certain"}

    def distribution(self, job_class: int) -> list[tuple[int, float]]:
        """(i, p_i) of a class, as they are drawn; p_i > 0."""
        raise TypeError(f"{self.name} draws no request")


class OwnPolicy(MoldablePolicy):
    """A policy of one's own: all that it may leave out.

    A file defines ``class Policy(OwnPolicy)`` with at least the generator ``arrival``.  By its rules
    all servers are one pool, and ``view.request`` asks for all that are free, up to d.  One that says
    for how many servers a job asks sets ``asks = True``.
    """

    asks = False

    def __init__(self, numbers: MoldableNumbers, parameters: Any) -> None:
        self.numbers = numbers
        self.parameters = parameters
        widths = np.maximum(np.arange(numbers.servers + 1, dtype=np.int32), 1)
        table = np.minimum(widths, np.array(numbers.degrees, np.int32)[:, None])
        self.rules = certain(numbers, numbers.degrees)._replace(by_free=table)


def certain(numbers: MoldableNumbers, widths: Sequence[int]) -> AllocationRules:
    """The rules of a policy that asks for the same number of servers for all jobs of a class.

    *widths* [l].  All servers are one pool.
    """
    distributions = [[Fraction(i == width) for i in range(1, width + 1)] for width in widths]
    width, last = drawn(distributions)
    return AllocationRules(width, last, NO_TABLE, **pooled([numbers.servers], [0] * numbers.classes))
