"""What Ghanbarian et al. (2025) prove of greedy(p*) and of the long run, for one class of jobs."""

from __future__ import annotations

from typing import Any

from slotscope.model.kinds.moldable.programs.bounds import MoldableBounds
from slotscope.model.kinds.moldable.programs.distance import DistanceBounds
from slotscope.model.measures.monitors import Claim


def _theorem2(bounds: MoldableBounds) -> DistanceBounds | None:
    return bounds.classes[0].theorem2 if len(bounds.classes) == 1 else None


def _squared(_: Any, bounds: MoldableBounds) -> float | None:
    found = _theorem2(bounds)
    return None if found is None else found.squared


def _distance(_: Any, bounds: MoldableBounds) -> float | None:
    found = _theorem2(bounds)
    return None if found is None else found.distance


CLAIMS = (
    Claim(
        "squared-distance",
        "Under greedy(p*) the jobs on each number of servers stay near the optimum, in the square",
        "E[Σ s_i (x_i − y*_i)²] ≤ (19)",
        "Proposition 2, (19)",
        "squared_distance",
        "at most",
        _squared,
    ),
    Claim(
        "near-optimum",
        "Under greedy(p*) the distance from the optimum vanishes as n grows",
        "E‖x − y*‖ = O(n^{-1/4})",
        "Theorem 2, Section 5.2",
        "distance",
        "at most",
        _distance,
    ),
)
