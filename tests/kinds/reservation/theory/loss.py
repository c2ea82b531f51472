"""Known results of the theory of loss systems, and the comparison of a run with them."""

from __future__ import annotations

from slotscope.model.measures.metrics import Estimate


def erlang_b(servers: int, load: float) -> float:
    """The Erlang B formula, by its recursion."""
    blocking = 1.0
    for busy in range(1, servers + 1):
        blocking = load * blocking / (busy + load * blocking)
    return blocking


def near(found: Estimate, exact: float, most: float) -> None:
    """Check that the mean is within twice the half-width (seeds are fixed), and the half-width at most *most*."""
    assert found.half_width <= most
    assert abs(found.mean - exact) <= 2 * found.half_width
