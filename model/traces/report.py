"""What an importer kept of a trace, what it left out, and why."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Iterable


def _counted(count: int, what: str) -> str:
    """A count with *what*, a plural noun, in the right number."""
    return f"{count:,} {what if count != 1 else what.removesuffix('s')}"


@dataclass(frozen=True)
class LeftOut:
    """A number of rows or tasks that were left out for one reason."""

    reason: str  #: why, as a clause that can follow "left out: "
    count: int  #: how many, at least 1 in a report
    what: str  #: what was counted, in the plural: ``"rows"``, ``"runs"``, ``"jobs"``

    @property
    def counted(self) -> str:
        """How many of what: ``"2 rows"``, ``"1 row"``."""
        return _counted(self.count, self.what)


@dataclass(frozen=True)
class ImportReport:
    """The report of one import.  All importers return one."""

    source: str  #: the format that was read, in words
    files: tuple[str, ...]  #: the files' names, in the order in which they were read
    rows: int  #: rows read, all files together
    #: kept, kept_as: the number of things kept, and their name, in the plural
    kept: int
    kept_as: str
    left_out: tuple[LeftOut, ...] = ()  #: every reason with its count, in the order of the importer's steps
    notes: tuple[str, ...] = ()  #: sentences about the files as a whole

    def then(self, kept: int, kept_as: str, left_out: Iterable[LeftOut], notes: Iterable[str] = ()) -> ImportReport:
        """The report after a further step; reasons with a count of 0 are not listed."""
        return replace(
            self,
            kept=kept,
            kept_as=kept_as,
            left_out=self.left_out + tuple(item for item in left_out if item.count),
            notes=self.notes + tuple(notes),
        )

    def total(self, what: str) -> int:
        """The number of *what* (``"rows"``, ``"runs"``, ...) that were left out, for all reasons together."""
        return sum(item.count for item in self.left_out if item.what == what)

    def lines(self) -> list[str]:
        """The report as lines of text for display."""
        names = ", ".join(self.files[:3]) + (", ..." if len(self.files) > 3 else "")
        return [
            f"{self.source}: {_counted(self.rows, 'rows')} of {_counted(len(self.files), 'files')} ({names})",
            f"kept: {_counted(self.kept, self.kept_as)}",
            *(f"left out: {item.counted}: {item.reason}" for item in self.left_out),
            *(f"note: {note}" for note in self.notes),
        ]

    def as_dict(self) -> dict[str, object]:
        """The report as plain lists, strings and integers, ready for JSON."""
        return {
            "source": self.source,
            "files": list(self.files),
            "rows": self.rows,
            "kept": self.kept,
            "kept_as": self.kept_as,
            "left_out": [{"what": item.what, "reason": item.reason, "count": item.count} for item in self.left_out],
            "notes": list(self.notes),
        }
