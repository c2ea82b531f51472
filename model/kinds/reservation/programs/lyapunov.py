"""The Lyapunov function V(z) of DRA's fluid limits.

Psychas & Ghaderi (2022), Section 6, (6.3) and (6.4):

    V(z) = sum_i Z_i (x^(g)_i - x^(e)_i) + Z sum_j (y_j - rho_j)^+,
    Z > 4 Z_1,   Z_i > xi Z_{i+1},   xi > 2K + 1,

over the greedy configurations (Definition 6) from the first one to C_rho^(g), the last one
that the global greedy assignment uses.

**Constants.**  The paper leaves them open.  Here xi = 2K + 2, Z_i = xi Z_{i+1} and
Z = 4 Z_1 + 1 with Z = 1 for the last configuration: the smallest integers, which keeps the
parts as far apart as the proof needs and no further.  (The proof that V falls may need a
larger xi; it gives no number.)  Then everything is divided by the value of the system without
servers and jobs, so that V is 1 there and 0 at the target.

**The empty configuration.**  Where the servers can hold the whole workload the last greedy
configuration is the empty one.  GPA says no number of servers for it, so (5.1) does not
either, and its term is left out; V is still positive everywhere but at the target.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import exp, floor, lgamma, log
from typing import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.reservation.programs.greedy import GreedyAssignment, global_greedy, greedy_configurations
from slotscope.model.programs.configurations import Configuration, ConfigurationSpace

Shares = NDArray[np.float64]


@dataclass(frozen=True)
class LyapunovValue:
    """V at one point, term by term."""

    #: [C_rho] Z_i (x^(g)_i - x^(e)_i); negative where there are more effective servers than the target has
    configurations: tuple[Fraction, ...]
    jobs: tuple[Fraction, ...]  #: [J] Z (y_j - rho_j)^+

    @property
    def value(self) -> Fraction:
        """V(z)."""
        return sum(self.configurations, Fraction(0)) + sum(self.jobs, Fraction(0))


@dataclass(frozen=True)
class Lyapunov:
    """V for one workload rho: its target and its constants, all exact."""

    #: [C_rho] the greedy configurations up to the last one of the target, in descending order, without the empty one
    configurations: tuple[Configuration, ...]
    target: tuple[Fraction, ...]  #: [C_rho] x^(g), shares of the servers
    #: weights, jobs_weight: [C_rho] Z_i, and Z
    weights: tuple[Fraction, ...]
    jobs_weight: Fraction
    ratio: int  #: xi
    workload: tuple[Fraction, ...]  #: [J] rho_j per server

    def at(self, effective: Mapping[Configuration, Fraction], jobs: Sequence[Fraction]) -> LyapunovValue:
        """V(z), exactly.

        - *effective*: x^(e): shares of the servers by configuration; 0 where one is missing.
        - *jobs*: [J] y_j, jobs per server.
        """
        nothing = Fraction(0)
        shares = [effective.get(configuration, nothing) for configuration in self.configurations]
        return LyapunovValue(
            tuple(
                weight * (wanted - share)
                for weight, wanted, share in zip(self.weights, self.target, shares, strict=True)
            ),
            tuple(
                self.jobs_weight * max(nothing, present - expected)
                for present, expected in zip(jobs, self.workload, strict=True)
            ),
        )

    def series(self, configurations: Sequence[Configuration], effective: Shares, jobs: Shares) -> tuple[Shares, Shares]:
        """Both parts of V at many moments, in floating point.

        - *configurations*: [C] of which x^(e) is known.  V has terms of others too; the target has no servers there, so
          leaving them out can only raise V.
        - *effective*, *jobs*: [n, C] x^(e) and [n, J] y, both per server.

        Returns [n] sum_i Z_i (x^(g)_i - x^(e)_i), and [n] Z sum_j (y_j - rho_j)^+.
        """
        weight = dict(zip(self.configurations, map(float, self.weights), strict=True))
        factors = np.array([weight.get(configuration, 0.0) for configuration in configurations])
        whole = float(sum(z * x for z, x in zip(self.weights, self.target, strict=True)))
        expected = np.array([float(load) for load in self.workload])
        excess = np.maximum(0.0, jobs - expected).sum(axis=1)
        return whole - effective @ factors, float(self.jobs_weight) * excess

    def chance(self, servers: int) -> float:
        """What Z sum_j (y_j - rho_j)^+ averages at most, with Poisson arrivals.

        A system of L servers never comes to rest.  Its Y_j is at most a Poisson number N of
        mean m = L rho_j (Section 2.5), and E (N - m)^+ = e^-m m^(floor(m) + 1) / floor(m)!.
        """
        return float(self.jobs_weight) / servers * sum(_mean_excess(float(load * servers)) for load in self.workload)


def lyapunov(space: ConfigurationSpace, rewards: Sequence[Fraction], workload: Sequence[Fraction]) -> Lyapunov:
    """V for a workload rho, scaled to 1 in the system without servers and jobs.

    - *space*: K, over J types.
    - *rewards*, *workload*: [J] u_j and rho_j, both >= 0.

    Raises ValueError if a length is wrong, a number negative, a search too long, or no job of any type with
    workload fits in a server.
    """
    greedy = global_greedy(space, rewards, workload)
    shares = greedy.fractions()
    if not any(any(configuration) for configuration in shares):
        raise ValueError("no job of any type with workload fits in a server")
    configurations = _up_to_last(greedy, greedy_configurations(space, rewards))
    target = tuple(shares.get(configuration, Fraction(0)) for configuration in configurations)
    ratio = 2 * space.max_slots + 2
    plain = [ratio**power for power in reversed(range(len(configurations)))]
    whole = sum(weight * share for weight, share in zip(plain, target, strict=True))
    return Lyapunov(
        configurations=configurations,
        target=target,
        weights=tuple(weight / whole for weight in plain),
        jobs_weight=(4 * plain[0] + 1) / whole,
        ratio=ratio,
        workload=tuple(workload),
    )


def _up_to_last(greedy: GreedyAssignment, ordered: Sequence[Configuration]) -> tuple[Configuration, ...]:
    """The greedy configurations up to k^(I_rho), the empty one left out."""
    last = greedy.configurations[greedy.last - 1]
    before = ordered[: ordered.index(last)]
    return (*before, last) if any(last) else tuple(before)


def _mean_excess(mean: float) -> float:
    """E (N - m)^+ of a Poisson number N of mean m."""
    if mean <= 0:
        return 0.0
    whole = floor(mean)
    return exp((whole + 1) * log(mean) - mean - lgamma(whole + 1))
