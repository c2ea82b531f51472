"""What Hong, Xie & Wang (2023) claim of servers and costs in the long run."""

from __future__ import annotations

from typing import Any

from slotscope.model.kinds.phases.numbers import PhaseNumbers
from slotscope.model.measures.monitors import Claim


def _budget(numbers: PhaseNumbers, _: Any) -> float | None:
    return None if numbers.model.hard else float(numbers.model.budget)


def _least_servers(_: Any, bounds: Any) -> float | None:
    """Nbar*: also what JRS promises to come near."""
    nbar: float | None = bounds.nbar
    return nbar if bounds.solved else None


CLAIMS = (
    Claim(
        "budget",
        "The cost rate of contention, per active server, stays within its budget",
        "C(σ) ≤ ε",
        "(2), Section 2",
        "cost_rate",
        "at most",
        _budget,
    ),
    Claim(
        "lower-bound",
        "No policy within the budget does with fewer servers than the single-server problem says",
        "N* ≥ N̄*",
        "Theorem 2",
        "active_servers",
        "at least",
        _least_servers,
    ),
)
