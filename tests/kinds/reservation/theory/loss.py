"""What theory knows of loss systems, and how near a run comes to it."""

from __future__ import annotations

from slotscope.model.measures.metrics import Estimate


def erlang_b(servers: int, load: float) -> float:
    """Erlang's B formula, by its recursion."""
    blocking = 1.0
    for busy in range(1, servers + 1):
        blocking = load * blocking / (busy + load * blocking)
    return blocking


def near(found: Estimate, exact: float, most: float) -> None:
    """Within twice the half-width (the seeds are fixed), and that is at most *most*."""
    assert found.half_width <= most
    assert abs(found.mean - exact) <= 2 * found.half_width
