"""Effective servers, the effective slot deficit q, and the Lyapunov function V(z) of DRA's fluid limits.

Psychas & Ghaderi (2022), Section 6, (6.3) and (6.4):

    V(z) = sum_i Z_i (x^(g)_i - x^(e)_i) + Z sum_j (y_j - rho_j)^+,
    Z > 4 Z_1,   Z_i > xi Z_{i+1},   xi > 2K + 1,

over the greedy configurations (Definition 6) from the first one to C_rho^(g), the last one
that the global greedy assignment uses.

**Constants.**  The paper leaves them open.  Here xi = 2K + 2, Z_i = xi Z_{i+1} and
Z = 4 Z_1 + 1 with Z = 1 for the last configuration: the smallest integers, which separate the terms
as far as the proof needs and no further.  (The proof that V decreases may need a
larger xi; it gives no number.)  Then everything is divided by the value of the system without
servers and jobs, so that V is 1 there and 0 at the target.

**The empty configuration.**  If the servers can hold the whole workload, the last greedy
configuration is the empty one.  GPA, and therefore (5.1), gives no number of servers for it,
so its term is left out; V is still positive everywhere except at the target.

**Servers and deficit** (Sections 5.1 and 5.2) are functions of integers: the servers that have a
configuration, those that GPA wants in it, the jobs present, and the reservation factor, which counts as
ceil(g(L)) as in GPA itself.  GPA returns at most J configurations, and no other has effective servers.  So q
changes only at those in the sequence of greedy configurations, and it suffices to consider them: rule
(5.3) has the same result as for the whole greedy configuration set.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import exp, floor, lgamma, log
from typing import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from slotscope.model.kinds.reservation.programs.greedy import GreedyAssignment, global_greedy, greedy_configurations
from slotscope.model.programs.configurations import Configuration, ConfigurationSpace, definition_order

Counts = NDArray[np.int64]


def effective_counts(
    configurations: Iterable[Configuration], found: Sequence[Sequence[int]], held: Sequence[int], wanted: Sequence[int]
) -> Counts:
    """X^(e) of Definition 9, (5.1): min(X_k, X-hat_k), and 0 if GPA does not want k.

    - *configurations*: [C] k, in any order.
    - *found*: [I][J] k[i], the distinct configurations that GPA returned.
    - *held*, *wanted*: [I] X_{k[i]}, the servers assigned to each, and X-hat_{k[i]}, the servers that GPA wants.

    Returns [C] servers.
    """
    known = {
        tuple(int(count) for count in configuration): min(int(have), int(want))
        for configuration, have, want in zip(found, held, wanted, strict=True)
    }
    return np.array([known.get(configuration, 0) for configuration in configurations], np.int64)


def slot_deficit(
    configurations: Sequence[Configuration], effective: ArrayLike, jobs: ArrayLike, reserved: int
) -> Counts:
    """q of Definition 11, (5.2), for every configuration and job type.

    - *configurations*: [C] in descending order (Definition 2).
    - *effective*: [C] X^(e), servers.
    - *jobs*: [J] Y_j, jobs in the system.
    - *reserved*: ceil(g(L)), slots of each type.

    Returns [C, J] slots.  Row i is for the first i + 1 configurations together; its entries are below K right after
    GPA has run with these jobs, and negative if slots are missing.
    """
    present = np.asarray(jobs, np.int64)
    slots = np.asarray(configurations, np.int64).reshape(-1, len(present))
    slots = slots * np.asarray(effective, np.int64)[:, None]
    return np.asarray(slots.cumsum(axis=0) - present - reserved)


def next_configuration(configurations: Sequence[Configuration], deficit: NDArray[np.int64]) -> int | None:
    """The configuration that CRA would give to an empty server: (5.3a) and (5.3b).

    It is the first one for which slots of every type are missing.  If all servers are effective
    already, there is no server to reassign.

    - *configurations*: [C] in descending order.
    - *deficit*: [C, J] q.

    Returns its index, or None if each configuration has a type with enough slots.
    """
    for place, (configuration, row) in enumerate(zip(configurations, deficit, strict=True)):
        used = np.flatnonzero(configuration)
        if len(used) and row[used].max() < 0:
            return place
    return None


def configurations_in_play(
    found: Iterable[Sequence[int]], target: Iterable[Configuration], rewards: Sequence[Fraction]
) -> tuple[Configuration, ...]:
    """The configurations returned by GPA and those of the target, in descending order, without the empty one.

    - *found*, *target*: Configurations [J].
    - *rewards*: [J] u_j, for the order of Definition 2.
    """
    union = {tuple(int(count) for count in configuration) for configuration in found}
    union |= set(target)
    return tuple(definition_order((one for one in union if any(one)), rewards))


Shares = NDArray[np.float64]


@dataclass(frozen=True)
class LyapunovValue:
    """V at one point, term by term."""

    #: [C_rho] Z_i (x^(g)_i - x^(e)_i); negative if there are more effective servers than in the target
    configurations: tuple[Fraction, ...]
    jobs: tuple[Fraction, ...]  #: [J] Z (y_j - rho_j)^+

    @property
    def value(self) -> Fraction:
        """V(z)."""
        return sum(self.configurations, Fraction(0)) + sum(self.jobs, Fraction(0))


@dataclass(frozen=True)
class Lyapunov:
    """V for one workload rho: its target and its constants, exact."""

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

        - *effective*: x^(e): shares of the servers by configuration; 0 for missing ones.
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
        """Both parts of V at many times, in floating point.

        - *configurations*: [C] those with known x^(e).  V has terms of further configurations; as the target has no
          servers there, omitting them can only increase V.
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
        """An upper bound on the mean of Z sum_j (y_j - rho_j)^+, with Poisson arrivals.

        A system of L servers never comes to rest.  Its Y_j is at most a Poisson variable N with
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
    """The greedy configurations up to k^(I_rho), without the empty one."""
    last = greedy.configurations[greedy.last - 1]
    before = ordered[: ordered.index(last)]
    return (*before, last) if any(last) else tuple(before)


def _mean_excess(mean: float) -> float:
    """E (N - m)^+ of a Poisson variable N with mean m."""
    if mean <= 0:
        return 0.0
    whole = floor(mean)
    return exp((whole + 1) * log(mean) - mean - lgamma(whole + 1))
