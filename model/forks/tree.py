"""All forks of a run, by their texts: each stands below the longest that it goes on from."""

from __future__ import annotations

from typing import Iterator, Mapping, NamedTuple

from slotscope.model.forks.changes import Course, Deviation
from slotscope.model.policies.choice import without_folder


class Fork(NamedTuple):
    """A place in the tree of forks."""

    text: str  #: the course, as on a command line
    name: str  #: what it was called, or what it does otherwise
    depth: int  #: how many forks it goes on from
    change: Deviation | None  #: what it does otherwise; None: it is the run that others leave


class ForkTree:
    """The forks of one run and their names; all its lanes have the same one."""

    def __init__(self, names: Mapping[str, str] | None = None) -> None:
        self.names: dict[str, str] = dict(names or {})  #: by text; empty: none was given

    def add(self, text: str) -> None:
        """Keep a fork, and all that it goes on from; what is no fork leaves the tree as it is."""
        course = Course.read(text)
        for one in reversed((course, *_above(course))) if course.changes else ():
            self.names.setdefault(str(one), "")

    def rename(self, text: str, name: str) -> None:
        """Call a fork by a name; an empty one is what it does."""
        if text in self.names:
            self.names[text] = " ".join(name.split())[:80]

    def remove(self, text: str) -> None:
        """Forget a fork and those that go on from it."""
        self.names = {
            known: name
            for known, name in self.names.items()
            if known != text and text not in map(str, _above(Course.read(known)))
        }

    def name_of(self, text: str) -> str:
        """The name that a fork was given; empty if it was given none."""
        return self.names.get(text, "")

    def entries(self) -> tuple[Fork, ...]:
        """All forks, each below the one that it leaves, in the order in which they were made."""
        return tuple(self._below(None, 0))

    def _below(self, parent: str | None, depth: int) -> Iterator[Fork]:
        for text, name in self.names.items():
            course = Course.read(text)
            above = next((str(one) for one in _above(course) if str(one) in self.names), None)
            if above == parent:
                change = course.changes[-1] if course.changes else None
                yield Fork(text, name or (change.words if change else without_folder(course.policy)), depth, change)
                yield from self._below(text, depth + 1)


def _above(course: Course) -> Iterator[Course]:
    """What a course goes on from, the nearest first."""
    for count in reversed(range(len(course.changes))):
        yield Course(course.policy, course.changes[:count])
