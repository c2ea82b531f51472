"""A policy that is overruled in one event by a forced decision."""

from __future__ import annotations

from copy import copy
from typing import Any, Callable, Generator, Iterator, TypeVar

from slotscope.model.reporting.records import Record
from slotscope.model.systems.outcome import FLAG_FORCED

#: The kind of the sub-step that says that a decision is forced.
DECIDED = "decided_otherwise"

_System = TypeVar("_System")


class Overruled:
    """A proxy of a policy; subclasses replace some of its decisions."""

    flag = FLAG_FORCED  #: the flag that is set in the event's row

    def __init__(self, policy: Any, decision: str) -> None:
        self.policy = policy  #: the one that is overruled
        self.decision = decision  #: what is decided, as text

    def __getattr__(self, name: str) -> Any:
        return getattr(self.policy, name)

    def told(self) -> Record:
        """The sub-step that reports the forced decision."""
        return Record(DECIDED, None, {"decision": self.decision})

    def substituted(
        self,
        decisions: Iterator[Record],
        kinds: tuple[type[Record], ...],
        instead: Callable[[Any], Record],
        after: Iterator[Record] | None = None,
    ) -> Iterator[Record]:
        """The *decisions*, with the first that is one of *kinds*, which are interchangeable, replaced by *instead*.

        If the replacement is of the same kind, the policy's further decisions follow; else those of *after*, if given.
        """
        for record in decisions:
            if not isinstance(record, kinds):
                yield record
                continue
            wanted = instead(record)
            yield self.told()
            yield wanted
            if type(record) is type(wanted):
                yield from decisions
            elif after is not None:
                yield from after
            return

    def altered(
        self, decisions: Iterator[Record], kind: type[Record], server: int, instead: Callable[[Any], Record]
    ) -> Generator[Record, None, bool]:
        """The *decisions*, with those of a kind about a server replaced by *instead*; returns whether there was one."""
        found = False
        yield self.told()
        for record in decisions:
            mine = isinstance(record, kind) and getattr(record, "server", None) == server
            yield instead(record) if mine else record
            found = found or mine
        return found


def under(system: _System, policy: Any) -> _System:
    """*system* with another policy in its place, for one event."""
    other: Any = copy(system)
    other.policy = policy
    found: _System = other
    return found
