"""The timers of the normal servers; a tournament tree finds the one that rings next.

``tree`` [2 W]: the leaves are the servers, and each inner node holds the server below it whose
timer rings first (of equal times, the lower number); ``tree[1]`` is the winner.  Hong, Xie &
Wang (2023), Section 4.1: proactive requests.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from slotscope.model.jit import jitable, unsigned
from slotscope.model.kinds.phases.numbers import TIMER_KEY
from slotscope.model.kinds.phases.state import NEXT_TIMER, NOW
from slotscope.model.systems.random_words import exponential, random_word

Array = Any
State = Any


@jitable
def set_timer(due: Array, tree: Array, server: int, time: float) -> None:
    """Let the timer of *server* ring at *time* (inf: cancel it), and update the tree."""
    due[unsigned(server)] = time
    node = (len(tree) // 2 + server) // 2
    while node >= 1:
        left = tree[unsigned(2 * node)]
        right = tree[unsigned(2 * node + 1)]
        if right >= 0 and due[unsigned(right)] < due[unsigned(left)]:
            left = right
        if tree[unsigned(node)] == left and left != server:
            return
        tree[unsigned(node)] = left
        node = node // 2


@jitable
def next_timer(due: Array, tree: Array) -> float:
    """When the next timer rings; inf if none runs."""
    return float(due[unsigned(tree[1])]) if len(tree) else float("inf")


@jitable
def start_timer(state: State, tables: Any, server: int, rate: float) -> None:
    """Start a timer of the server at *rate*, exponential from now on; at rate 0 none runs."""
    if rate <= 0.0:
        stop_timer(state, server)
        return
    number = number_timer(state, server)
    time = exponential(random_word(tables.key[TIMER_KEY], number, 0)) / rate
    set_timer(state.timer_due, state.timer_tree, server, state.clock[NOW] + time)


@jitable
def number_timer(state: State, server: int) -> int:
    """Number a new timer of the server; return the number."""
    number = state.number[NEXT_TIMER]
    state.number[NEXT_TIMER] = number + 1
    state.timer_number[unsigned(server)] = number
    return int(number)


@jitable
def stop_timer(state: State, server: int) -> None:
    """Cancel the timer of the server, if one runs."""
    if state.timer_number[unsigned(server)] >= 0:
        state.timer_number[unsigned(server)] = -1
        set_timer(state.timer_due, state.timer_tree, server, np.inf)
