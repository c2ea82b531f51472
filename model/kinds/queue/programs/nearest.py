"""The point of a polytope that is nearest to the origin, exactly (Wolfe 1976).

P. Wolfe, "Finding the nearest point in a polytope", Mathematical Programming 11, 1976.  The
polytope is the convex hull of finitely many rational points; the answer is rational.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Sequence

Point = tuple[Fraction, ...]


def nearest_point(points: Sequence[Point], scale: Sequence[Fraction]) -> Point:
    """The x in the convex hull of *points* with the least sum_j scale_j x_j^2.

    Parameters
    ----------
    points:
        [m][d], m at least 1.
    scale:
        [d] > 0.
    """

    def inner(left: Point, right: Point) -> Fraction:
        return sum((s * a * b for s, a, b in zip(scale, left, right, strict=True)), Fraction(0))

    corral = [min(points, key=lambda point: inner(point, point))]
    weights = [Fraction(1)]
    while True:
        nearest = _combined(corral, weights)
        lowest = min(points, key=lambda point: inner(nearest, point))
        if inner(nearest, lowest) >= inner(nearest, nearest):
            return nearest
        corral.append(lowest)
        weights.append(Fraction(0))
        while True:
            gram = [[inner(p, q) for q in corral] for p in corral]
            target = _affine_nearest(gram)
            if min(target) >= 0:
                weights = target
                break
            weights = _as_far_as_possible(weights, target)
            corral = [p for p, w in zip(corral, weights, strict=True) if w]
            weights = [w for w in weights if w]


def _combined(points: Sequence[Point], weights: Sequence[Fraction]) -> Point:
    columns = zip(*points, strict=True)
    return tuple(sum((w * x for w, x in zip(weights, column, strict=True)), Fraction(0)) for column in columns)


def _as_far_as_possible(weights: Sequence[Fraction], target: Sequence[Fraction]) -> list[Fraction]:
    """From *weights* towards *target* until the first weight is 0."""
    step = min(w / (w - t) for w, t in zip(weights, target, strict=True) if t < 0)
    return [w + step * (t - w) for w, t in zip(weights, target, strict=True)]


def _affine_nearest(gram: Sequence[Sequence[Fraction]]) -> list[Fraction]:
    """Weights that sum to 1 of the point nearest to 0 on the affine hull; *gram* its products.

    With a multiplier m: gram w = m 1 and <1, w> = 1.  The points are affinely independent, so
    that the system has one solution.
    """
    size = len(gram)
    one, zero = Fraction(1), Fraction(0)
    rows = [[*row, -one, zero] for row in gram] + [[*([one] * size), zero, one]]
    for column in range(size + 1):
        pivot = next(r for r in range(column, size + 1) if rows[r][column])
        rows[column], rows[pivot] = rows[pivot], rows[column]
        head = rows[column][column]
        rows[column] = [value / head for value in rows[column]]
        for r, row in enumerate(rows):
            if r != column and row[column]:
                factor = row[column]
                rows[r] = [a - factor * b for a, b in zip(row, rows[column], strict=True)]
    return [row[-1] for row in rows[:size]]
