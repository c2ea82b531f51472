"""A policy that is overruled in one event: what a forced decision stands behind."""

from __future__ import annotations

from copy import copy
from typing import Any, Callable, Generator, Iterator, TypeVar

from slotscope.model.reporting.records import Record
from slotscope.model.systems.outcome import FLAG_FORCED

#: The kind of the sub-step that says that a decision is forced.
DECIDED = "decided_otherwise"

_System = TypeVar("_System")


class Overruled:
    """All that a policy is, but for what a subclass decides in its place."""

    flag = FLAG_FORCED  #: of the event's row

    def __init__(self, policy: Any, decision: str) -> None:
        self.policy = policy  #: the one that is overruled
        self.decision = decision  #: what is decided, as text

    def __getattr__(self, name: str) -> Any:
        return getattr(self.policy, name)

    def told(self) -> Record:
        """The sub-step that says so."""
        return Record(DECIDED, None, {"decision": self.decision})

    def substituted(
        self,
        decisions: Iterator[Record],
        kinds: tuple[type[Record], ...],
        instead: Callable[[Any], Record],
        after: Iterator[Record] | None = None,
    ) -> Iterator[Record]:
        """*decisions*, but *instead* of the first of *kinds*, each of which could stand for any other.

        What the policy does next follows one of the same kind; else *after* does, if it is given.
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
        """*decisions*, but *instead* of those of a kind about a server; whether there was one."""
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
