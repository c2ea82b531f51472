"""The interface of reference policies for moldable jobs, and the types of their arguments.

A user-written policy derives from :class:`OwnPolicy` and needs to import nothing but this module.
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
    """Base class of policies for moldable jobs, with the defaults of all attributes and methods.

    ``arrival`` is called for each arriving job and yields exactly one Allocate or Reject;
    ``departure`` is called after a job has left its servers.  The built-in policies differ only in
    ``rules``: how many servers a job requests, and from which pools.
    """

    system = "moldable"
    #: Whether the request is drawn at random; otherwise it is fixed, or read from a table.
    draws: bool = False
    #: Whether the policy tells the number of servers requested, as ``request`` in the values of each decision.
    asks: bool = True
    #: The pseudocode lines at which a job requests servers, and at which it is allocated them.
    ask_line: Line = Line(1, 2)
    give_line: Line = Line(1, 3)

    rules: AllocationRules
    #: How many numbers the policy remembers from one event to the next.
    memory: int = 0

    def arrival(self, view: MoldableView, job: MoldableJob) -> Decisions:
        """Allocate min(i, j) servers to the arriving job, or block it if j = 0 (Section 4)."""
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
        """The values of the record that explains a request: where the number *asked* came from."""
        values: dict[str, object] = {"job": job.number, "type": job.type, "request": asked}
        if view.is_scripted(job.number):
            return values | {"reason": "scripted"}
        if self.draws:
            widths, shares = zip(*self.distribution(job.type), strict=True)
            return values | {"reason": "drawn", "uniform": view.uniform(job.number), "widths": widths, "shares": shares}
        return values | {"reason": "certain"}

    def distribution(self, job_class: int) -> list[tuple[int, float]]:
        """The distribution that the requests of a class are drawn from: pairs (i, p_i) with p_i > 0."""
        raise TypeError(f"{self.name} draws no request")


class OwnPolicy(MoldablePolicy):
    """Base class of user-written policies: defaults for everything that they may leave out.

    A policy file defines ``class Policy(OwnPolicy)`` with at least the generator ``arrival``.  By default
    all servers are one pool, and ``view.request`` requests all free servers, up to d.  A policy that tells
    how many servers a job requests sets ``asks = True``.
    """

    asks = False

    def __init__(self, numbers: MoldableNumbers, parameters: Any) -> None:
        self.numbers = numbers
        self.parameters = parameters
        widths = np.maximum(np.arange(numbers.servers + 1, dtype=np.int32), 1)
        table = np.minimum(widths, np.array(numbers.degrees, np.int32)[:, None])
        self.rules = certain(numbers, numbers.degrees)._replace(by_free=table)


def certain(numbers: MoldableNumbers, widths: Sequence[int]) -> AllocationRules:
    """The rules of a policy under which all jobs of a class request the same number of servers.

    *widths* [l] are these numbers, one for each class.  All servers are one pool.
    """
    distributions = [[Fraction(i == width) for i in range(1, width + 1)] for width in widths]
    width, last = drawn(distributions)
    return AllocationRules(width, last, NO_TABLE, **pooled([numbers.servers], [0] * numbers.classes))
