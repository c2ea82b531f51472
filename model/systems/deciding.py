"""Carrying out what a policy decides, one record at a time, for all kinds of system."""

from __future__ import annotations

from typing import Any, Callable, Generator, Iterable, Iterator

from slotscope.model.errors import PolicyError
from slotscope.model.reporting.records import Record, Remember


def carried_out(decisions: Iterable[Record], carry_out: Callable[[Record], Record]) -> Iterator[Record]:
    """Each record after what it decides has been done, so that the policy sees the effect.

    Parameters
    ----------
    carry_out:
        Checks and does what a record decides; returns the record as it is to be told.

    Raises
    ------
    PolicyError
        If a decision is impossible; the policy's generator is told first, for it may know the
        line of its file.
    """
    for given in decisions:
        try:
            record = carry_out(given)
        except PolicyError as error:
            if isinstance(decisions, Generator):
                decisions.throw(error)
            raise
        yield record


def remember(state: Any, decision: Remember, fault: Callable[[str], PolicyError]) -> None:
    """Write what a policy remembers into its memory, which is a part of the state.

    Raises
    ------
    PolicyError
        If there is no such place, as *fault* tells it.
    """
    end = decision.start + len(decision.numbers)
    if not 0 <= decision.start <= end <= len(state.memory):
        raise fault(
            f"it remembers numbers {decision.start} to {end - 1}; its class declares memory = {len(state.memory)}"
        )
    state.memory[decision.start : end] = decision.numbers
