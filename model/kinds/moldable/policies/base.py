"""What a reference policy of a system of moldable jobs provides, and what it is told."""

from __future__ import annotations

from fractions import Fraction
from typing import Iterator, Sequence

import numpy as np

from slotscope.model.kinds.moldable.numbers import MoldableNumbers
from slotscope.model.kinds.moldable.rules import AllocationRules, drawn, pooled
from slotscope.model.kinds.moldable.view import MoldableJob, MoldableView
from slotscope.model.policies.common import Policy, PseudocodeLine
from slotscope.model.records import Allocate, Line, Record, Reject

Decisions = Iterator[Record]

__all__ = ["Decisions", "Line", "MoldableJob", "MoldablePolicy", "PseudocodeLine", "certain"]

NO_TABLE = np.zeros((0, 0), np.int32)


class MoldablePolicy(Policy):
    """A policy for moldable jobs: what it is unless it says otherwise.

    ``arrival`` is called for each job that arrives and yields exactly one Allocate or Reject.  What
    distinguishes the policies is ``rules``: how many servers a job asks for, and in which pools.
    """

    system = "moldable"
    #: Whether the request is drawn at random; else it is certain, or read from a table.
    draws: bool = False
    #: The lines at which the request is made, and servers are given.
    ask_line: Line = Line(1, 2)
    give_line: Line = Line(1, 3)

    rules: AllocationRules

    def arrival(self, view: MoldableView, job: MoldableJob) -> Decisions:
        """min(i, j) servers for the arriving job; none: it is blocked (Section 4)."""
        free, asked = view.free(job.type), view.request(job)
        yield Record("request", self.ask_line, self.asked(view, job, asked))
        values = {"request": asked, "free": free, "type": job.type}
        if not free:
            yield Reject(line=self.give_line, values=values)
        else:
            yield Allocate(line=self.give_line, servers=min(asked, free), values=values)

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


def certain(numbers: MoldableNumbers, widths: Sequence[int]) -> AllocationRules:
    """The rules of a policy that asks for the same number of servers for all jobs of a class.

    *widths* [l].  All servers are one pool.
    """
    distributions = [[Fraction(i == width) for i in range(1, width + 1)] for width in widths]
    width, last = drawn(distributions)
    return AllocationRules(width, last, NO_TABLE, **pooled([numbers.servers], [0] * numbers.classes))
