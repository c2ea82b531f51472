"""Several classes of jobs: (Q), its reserved shares (Q1), and the program of one class (Q2).

Ghanbarian et al. (2025), Section 6.  mu_j is a rate here, so that rho_j = lambda_j / mu_j; the
paper also calls it a mean.  f_j(b) = (rho_j / lambda) D*(rho_j / b) is convex and linear between
b = rho_j i / s_{i,j}; so the sum is minimal if each server goes to the class with the largest
marginal gain, until there are none left.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Iterator, NamedTuple, Sequence

from slotscope.model.kinds.moldable.programs.theorem1 import Optimum, optimum


@dataclass(frozen=True)
class ClassOptimum:
    """One class in an optimal solution of (Q)."""

    #: arrival_rate, service_rate: lambda_j per server of the system, and mu_j
    arrival_rate: Fraction
    service_rate: Fraction
    share: Fraction  #: b_j: the share of servers that its jobs use.  A single class is given all servers by the policy.
    within: Optimum  #: (P) for the load rho_j / b_j of its own servers: widths, p*, case
    #: [d_j] y*_{1,j}..y*_{d_j,j}, the jobs on each number of servers, divided by n: b_j times those of ``within``
    y: tuple[Fraction, ...]

    @property
    def load(self) -> Fraction:
        """rho_j, the load."""
        return self.arrival_rate / self.service_rate

    @property
    def p(self) -> tuple[Fraction, ...]:
        """[d_j] p*_{i,j} = s_{i,j} y*_{i,j} / rho_j."""
        return self.within.p

    @property
    def support(self) -> tuple[int, ...]:
        """The widths i with y*_{i,j} > 0, ascending."""
        return self.within.support

    @property
    def mean_time(self) -> Fraction:
        """The mean execution time of the class's jobs, in units of time."""
        return self.within.mean_time / self.service_rate


@dataclass(frozen=True)
class ClassesOptimum:
    """An optimal solution of (Q)."""

    classes: tuple[ClassOptimum, ...]  #: [l] the classes' parts of the solution
    objective: Fraction  #: (1 / lambda) sum of y*_{i,j}: the mean execution time of all jobs, in units of time
    slack: Fraction  #: 1 - sum of b_j, the servers that no class needs, divided by n
    #: the rate at which the objective falls as the bound 1 on the sum of b_j rises: its decrease by n more servers, if
    #: it were linear.  At a breakpoint the rate beyond it counts.
    price: Fraction
    unique: bool  #: whether y is the only optimal solution

    @property
    def shares(self) -> tuple[Fraction, ...]:
        """[l] b*_j."""
        return tuple(one.share for one in self.classes)


class WideningStep(NamedTuple):
    """Additional servers that turn jobs of one width into jobs of the next larger one."""

    gain: Fraction  #: the decrease of the number of jobs per additional server
    job_class: int  #: from 0
    servers: Fraction  #: the number of servers, divided by n


def class_optimum(
    arrival_rates: Sequence[Fraction], service_rates: Sequence[Fraction], speedups: Sequence[Sequence[Fraction]]
) -> ClassesOptimum | None:
    """An optimal solution of (Q), or None if the total load is above 1.

    Of equal gains the class that comes first is served first.

    - *arrival_rates*, *service_rates*: [l] lambda_j per server, and mu_j, all above 0.
    - *speedups*: [l][d_j] s_{1,j}..s_{d_j,j}, concave and strictly increasing, with s_{1,j} = 1.

    Raises ValueError if a rate is not above 0.
    """
    if min(*arrival_rates, *service_rates) <= 0:
        raise ValueError("found a rate of 0 or less, allowed: rates above 0")
    loads = [a / s for a, s in zip(arrival_rates, service_rates, strict=True)]
    spare = 1 - sum(loads, Fraction(0))
    if spare < 0:
        return None
    shares, left = list(loads), spare
    ordered = sorted(
        (step for j, speedup in enumerate(speedups) for step in _steps(j, loads[j], speedup)),
        key=lambda step: (-step.gain, step.job_class),
    )
    for step in ordered:
        taken = min(step.servers, left)
        shares[step.job_class] += taken
        left -= taken
    classes = tuple(map(_class_optimum, arrival_rates, service_rates, shares, speedups))
    total = sum(arrival_rates, Fraction(0))
    jobs = sum((sum(one.y, Fraction(0)) for one in classes), Fraction(0))
    gain, unique = _margin(ordered, spare)
    return ClassesOptimum(classes, jobs / total, left, gain / total, unique)


def _class_optimum(
    arrival_rate: Fraction, service_rate: Fraction, share: Fraction, speedup: Sequence[Fraction]
) -> ClassOptimum:
    within = optimum(speedup, arrival_rate / service_rate / share)
    assert within is not None  # each class's share is at least its load
    y = tuple(share * jobs for jobs in within.y)
    return ClassOptimum(arrival_rate, service_rate, share, within, y)


def _steps(job_class: int, load: Fraction, speedup: Sequence[Fraction]) -> Iterator[WideningStep]:
    """The steps from all jobs on i servers to all jobs on i + 1, except those that need no servers.

    The gain does not depend on the load, and decreases in i because f_j is convex.
    """
    for i in range(1, len(speedup)):
        here, after = speedup[i - 1], speedup[i]
        servers = load * ((i + 1) / after - i / here)
        if servers:
            gain = load * (1 / here - 1 / after) / servers
            yield WideningStep(gain, job_class, servers)


def _margin(ordered: Sequence[WideningStep], servers: Fraction) -> tuple[Fraction, bool]:
    """The gain of the next server, and whether the servers given so far are the only best choice.

    Another choice exists only if two steps have the same gain, and some but not all of their servers are given.
    """
    for gain, steps in groupby(ordered, key=lambda step: step.gain):
        equal = [step.servers for step in steps]
        total = sum(equal, Fraction(0))
        if servers < total:
            return gain, len(equal) == 1 or not servers
        servers -= total
    return Fraction(0), True


def value_curve(
    load: Fraction, arrival_rate: Fraction, speedup: Sequence[Fraction]
) -> tuple[tuple[Fraction, Fraction], ...]:
    """The breakpoints (b, f_j(b)) of f_j, from b = rho_j on; after the last one f_j is constant.

    Ghanbarian et al. (2025), (Q2).

    - *load*: rho_j.
    - *arrival_rate*: lambda, of all classes together.
    - *speedup*: [d_j] s_{1,j}..s_{d_j,j}.
    """
    least: dict[Fraction, Fraction] = {}
    for i, s in enumerate(speedup, 1):
        least[load * i / s] = load / (arrival_rate * s)  # for equal b the largest i gives the least value
    return tuple(sorted(least.items()))
