"""Carrying out what a policy decides, one record at a time, for all kinds of system."""

from __future__ import annotations

from typing import Callable, Generator, Iterable, Iterator

from slotscope.model.errors import PolicyError
from slotscope.model.records import Record


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
