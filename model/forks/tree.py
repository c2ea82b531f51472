"""The tree of all forks of a run, by their texts: the parent of each is its longest prefix among them."""

from __future__ import annotations

from typing import Iterator, Mapping, NamedTuple

from slotscope.model.forks.changes import Course, Deviation
from slotscope.model.policies.choice import without_folder


class Fork(NamedTuple):
    """A node of the tree of forks."""

    text: str  #: the course, as on a command line
    name: str  #: the name that it was given, else its last change
    depth: int  #: the number of its ancestors
    change: Deviation | None  #: its last change; None: it is the run that the others fork from


class ForkTree:
    """The forks of one run and their names; all lanes of the run share the tree."""

    def __init__(self, names: Mapping[str, str] | None = None) -> None:
        self.names: dict[str, str] = dict(names or {})  #: the name of each fork, by text; empty: none was given

    def add(self, text: str) -> None:
        """Add a fork with its ancestors; a text without changes is no fork and is ignored."""
        course = Course.read(text)
        for one in reversed((course, *_above(course))) if course.changes else ():
            self.names.setdefault(str(one), "")

    def rename(self, text: str, name: str) -> None:
        """Name a fork; with an empty name, it is shown by its last change."""
        if text in self.names:
            self.names[text] = " ".join(name.split())[:80]

    def remove(self, text: str) -> None:
        """Remove a fork and its descendants."""
        self.names = {
            known: name
            for known, name in self.names.items()
            if known != text and text not in map(str, _above(Course.read(known)))
        }

    def name_of(self, text: str) -> str:
        """The name that a fork was given; empty if it was given none."""
        return self.names.get(text, "")

    def entries(self) -> tuple[Fork, ...]:
        """All forks in preorder, siblings in the order in which they were made."""
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
    """The ancestors of a course, the nearest first."""
    for count in reversed(range(len(course.changes))):
        yield Course(course.policy, course.changes[:count])
