"""U^(g)[alpha rho] and U*[alpha rho] for all alpha >= 0 at once, exactly.

Psychas & Ghaderi (2022), Section 7.1 and Figure 2.  Both functions are continuous, piecewise
linear, concave and constant from some alpha on, so that their breakpoints determine them:

* Scaling rho scales every z^(i) of Proposition 1 and changes neither the permutation nor
  the configurations.  Along a ray, the breakpoints of U^(g) are therefore the alpha at which
  the servers run out in the next configuration, 1 / (z^(1) + ... + z^(i)); U^(g) is continuous
  along a ray, even if it jumps or falls when a single rho_j grows.
* U* is the value of a linear program as a function of its right-hand side.  Two of its
  supporting lines meet either on the curve, at a breakpoint, or above it; then a third
  supporting line is computed there.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Iterator, Sequence

from slotscope.model.kinds.reservation.programs.greedy import GreedyAssignment, check_numbers, global_greedy
from slotscope.model.kinds.reservation.programs.optimum import exact_optimum
from slotscope.model.programs.configurations import Configuration, ConfigurationSpace

#: (alpha, value), linear between neighbours and constant after the last.
Points = tuple[tuple[Fraction, Fraction], ...]
#: (intercept, slope) of a line that is nowhere below U*.
Line = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class AlphaCurve:
    """The two curves of Figure 2, exact."""

    #: greedy, optimum: breakpoints (alpha, value) from (0, 0) on; constant after the last one
    greedy: Points
    optimum: Points
    #: up to this alpha the global greedy assignment serves the whole workload that fits, so that both rewards are
    #: equal; 0 if there is no such alpha
    critical_low: Fraction
    #: from this alpha on both have reached the highest reward of any configuration of types with workload
    critical_high: Fraction
    #: worst_ratio, worst_alpha: the smallest U^(g) / U* over alpha > 0, and the smallest alpha at which it occurs; 1
    #: and 0 if the two rewards are equal everywhere
    worst_ratio: Fraction
    worst_alpha: Fraction

    def value_at(self, alpha: Fraction) -> tuple[Fraction, Fraction]:
        """U^(g)[alpha rho] and U*[alpha rho] for any alpha >= 0. Raises ValueError if *alpha* is negative."""
        if alpha < 0:
            raise ValueError(f"found alpha = {alpha}; at least 0 is allowed")
        return interpolate(self.greedy, alpha), interpolate(self.optimum, alpha)


def alpha_curve(space: ConfigurationSpace, rewards: Sequence[Fraction], workload: Sequence[Fraction]) -> AlphaCurve:
    """Both curves of Figure 2 for one workload rho.

    - *space*: K, over J types.
    - *rewards*, *workload*: [J] u_j and rho_j, both >= 0.  Both curves are 0 if no workload fits.

    Raises ValueError if a length is wrong, a number negative, or a search too long.
    """
    check_numbers(space, rewards, workload)
    assignment = global_greedy(space, rewards, workload)
    greedy = _greedy_points(assignment, rewards)
    optimum = _optimum_points(space, rewards, workload, assignment)
    worst_ratio, worst_alpha = _worst(greedy, optimum)
    return AlphaCurve(
        greedy=greedy,
        optimum=optimum,
        critical_low=1 / sum(assignment.z, Fraction(0)) if any(assignment.z) else Fraction(0),
        critical_high=greedy[-1][0],
        worst_ratio=worst_ratio,
        worst_alpha=worst_alpha,
    )


def interpolate(points: Points, alpha: Fraction) -> Fraction:
    """The value at *alpha* >= 0 of a curve given by breakpoints."""
    after = bisect_right(points, alpha, key=lambda point: point[0])
    if after == len(points):
        return points[-1][1]
    (left, low), (right, high) = points[after - 1], points[after]
    return low + (high - low) * (alpha - left) / (right - left)


def _greedy_points(assignment: GreedyAssignment, rewards: Sequence[Fraction]) -> Points:
    """The breakpoints of U^(g)[alpha rho]: at each, one more configuration is crowded out."""
    used, reward = Fraction(0), Fraction(0)
    points = []
    for configuration, share in zip(assignment.configurations, assignment.z, strict=False):
        if share:
            used += share
            reward += share * _dot(rewards, configuration)
            points.append((1 / used, reward / used))
    return _bends([(Fraction(0), Fraction(0)), *reversed(points)])


def _bends(points: Sequence[tuple[Fraction, Fraction]]) -> Points:
    """*points* without those at which the slope does not change; after the last point it is 0.

    Consecutive configurations of equal reward, which Definition 2 distinguishes, give the same slope.
    """
    slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(points)] + [Fraction(0)]
    changed = (point for point, (before, after) in zip(points[1:], pairwise(slopes), strict=True) if before != after)
    return (points[0], *changed)


def _optimum_points(
    space: ConfigurationSpace, rewards: Sequence[Fraction], workload: Sequence[Fraction], assignment: GreedyAssignment
) -> Points:
    """The breakpoints of U*[alpha rho]."""
    origin = (Fraction(0), Fraction(0))
    used = [k for k, share in zip(assignment.configurations, assignment.z, strict=False) if share]
    if not used:
        return (origin,)
    served = [amount if fits else Fraction(0) for amount, fits in zip(workload, space.fits, strict=True)]
    # For small alpha everything is served; for large alpha all servers have the highest reward of
    # types with workload, which is that of the first greedy configuration in use.
    first = (Fraction(0), _dot(rewards, served))
    last = (_dot(rewards, used[0]), Fraction(0))
    search = _Breakpoints(space, rewards, workload, used)
    # A line that touches the curve only at a breakpoint yields this point twice.
    return (origin, *dict.fromkeys(search.between(first, last)))


class _Breakpoints:
    """Finds the breakpoints of U*[alpha rho] between two supporting lines."""

    def __init__(
        self,
        space: ConfigurationSpace,
        rewards: Sequence[Fraction],
        workload: Sequence[Fraction],
        known: Sequence[Configuration],
    ) -> None:
        self.space, self.rewards, self.workload = space, rewards, workload
        self.known = dict.fromkeys(known)

    def between(self, left: Line, right: Line) -> Iterator[tuple[Fraction, Fraction]]:
        """The breakpoints, in order, from where the curve leaves the line *left* to where it joins the line *right*."""
        if left[1] == right[1]:
            return
        alpha = (right[0] - left[0]) / (left[1] - right[1])
        value, line = self._support(alpha)
        if value == left[0] + left[1] * alpha:
            yield alpha, value
            return
        yield from self.between(left, line)
        yield from self.between(line, right)

    def _support(self, alpha: Fraction) -> tuple[Fraction, Line]:
        """U*[alpha rho], and the line that supports the curve there, from the dual solution."""
        scaled = [alpha * amount for amount in self.workload]
        optimum = exact_optimum(self.space, self.rewards, scaled, known=self.known)
        self.known.update(dict.fromkeys(optimum.generated))
        slope = _dot(optimum.workload_prices, self.workload)
        return optimum.value, (optimum.server_price, slope)


def _worst(greedy: Points, optimum: Points) -> tuple[Fraction, Fraction]:
    """The smallest ratio and its alpha; it is at a breakpoint, as a ratio of two lines is monotone in between."""
    worst, where = Fraction(1), Fraction(0)
    for alpha in sorted({alpha for alpha, _ in greedy + optimum}):
        best = interpolate(optimum, alpha)
        if best and interpolate(greedy, alpha) / best < worst:
            worst, where = interpolate(greedy, alpha) / best, alpha
    return worst, where


def _dot(left: Sequence[Fraction], right: Sequence[int | Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(left, right, strict=True)), Fraction(0))
