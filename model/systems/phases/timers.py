"""The timers of the normal servers: which rings next, by a tournament.

``tree`` [2 W]: the leaves are the servers, and each inner node holds the server below it whose
timer is due first (of equal times, the lower number).  ``tree[1]`` is the winner.  Hong, Xie &
Wang (2023), Section 4.1: proactive requests.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from model.jit import jitable

Array = Any


@jitable
def set_timer(due: Array, tree: Array, server: int, time: float) -> None:
    """The timer of *server* rings at *time* (inf: it is cancelled)."""
    due[np.uintp(server)] = time
    node = (len(tree) // 2 + server) // 2
    while node >= 1:
        left = tree[np.uintp(2 * node)]
        right = tree[np.uintp(2 * node + 1)]
        if right >= 0 and due[np.uintp(right)] < due[np.uintp(left)]:
            left = right
        if tree[np.uintp(node)] == left and left != server:
            return
        tree[np.uintp(node)] = left
        node = node // 2


@jitable
def next_timer(due: Array, tree: Array) -> float:
    """When the next timer rings; inf if none runs."""
    return float(due[np.uintp(tree[1])]) if len(tree) else float("inf")
