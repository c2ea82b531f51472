"""What accumulates during one event of a reference, and the row that is filled from it."""

from __future__ import annotations

from functools import cache
from operator import itemgetter
from typing import Any, Callable

import numpy as np

from slotscope.model.errors import IMPOSSIBLE, PolicyError
from slotscope.model.reporting.records import Event

#: In the flags of a row of any kind: a fork has overruled the policy.
FLAG_FORCED = 1 << 15

#: The flag of an event in which a fork decided a server's configuration.
FLAG_CONFIGURED = 1 << 14


class Outcome:
    """Accumulates the effects of one event; each kind has a subclass, which also closes it."""

    def __init__(self, event: Event) -> None:
        self.event = event  #: the event itself
        self.flags = 0  #: the bits of its row

    def where(self) -> str:
        """The time of the event, in words for an error."""
        return f"at time {self.event.time:g}"

    def fault(self, what: str) -> PolicyError:
        """The error that a decision is impossible."""
        return PolicyError(IMPOSSIBLE + what, where=f"policy {self.where()}")

    def check_server(self, number: int, servers: int) -> int:
        """The *number* of a server that a decision names, from 0.

        Raises PolicyError if there are not so many *servers*.
        """
        if not 0 <= number < servers:
            raise self.fault(f"it names server {number + 1}; there are servers 1 to {servers}")
        return number


def fill_row(row: np.ndarray, close: Callable[..., Any], *given: Any, **told: Any) -> None:
    """Fill *row* [1] with the fields that a kind's *close* puts into a dict, overridden by those *told*.

    They are assigned as one tuple, which is much faster than one by one.
    """
    fields: dict[str, Any] = {}
    close(*given, fields)
    fields.update(told)
    row[0] = _in_order(row.dtype)(fields)


@cache
def _in_order(kind: np.dtype[Any]) -> itemgetter[Any]:
    """A getter of a row's fields, in their order, from a dict."""
    assert kind.names is not None
    return itemgetter(*kind.names)
