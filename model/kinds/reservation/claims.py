"""What Psychas & Ghaderi (2022) prove of DRA's reward, and of every policy's."""

from __future__ import annotations

from math import e
from typing import Any

from slotscope.model.kinds.reservation.bounds import Bounds
from slotscope.model.measures.monitors import Claim


def _optimum(_: Any, bounds: Bounds) -> float | None:
    """U*[rho], (3.2)."""
    return None if bounds.optimum is None else float(bounds.optimum.exact)


def _half(_: Any, bounds: Bounds) -> float | None:
    return None if bounds.optimum is None else float(bounds.optimum.exact) / 2


def _monotone(_: Any, bounds: Bounds) -> float | None:
    return None if bounds.optimum is None else float(bounds.optimum.exact) * (1 - 1 / e)


CLAIMS = (
    Claim(
        "optimum",
        "No policy earns more in the long run than the optimum of the static program",
        "F/L ≤ U*[ρ]",
        "(3.2), Section 3",
        "reward_rate",
        "at most",
        _optimum,
    ),
    Claim(
        "half",
        "DRA earns at least half of the optimum, as L grows",
        "lim F/F* ≥ 1/2",
        "Theorem 3",
        "reward_rate",
        "at least",
        _half,
    ),
    Claim(
        "monotone",
        "DRA earns at least 1 − 1/e of the optimum, as L grows, under the monotone greedy property",
        "lim F/F* ≥ 1 − 1/e",
        "Theorem 3, Definition 8",
        "reward_rate",
        "at least",
        _monotone,
    ),
)
