"""Typed, named columns with units: what tables are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class DeclaredColumn(NamedTuple):
    """What a column of a table is, whatever its rows hold; without *type*, what its values are.

    *about* and *unit* are those of :class:`DataColumn`.
    """

    name: str
    type: type[str] | type[int] | type[float] | None = None
    about: str = ""
    unit: str = ""


@dataclass(frozen=True)
class DataColumn:
    """A column."""

    name: str  #: as questions write it, where it can be asked for
    values: NDArray[Any]  #: [n] numbers, truths or text; with *labels* the places of labels, from 0
    #: about, unit: what it is, as a clause, and of what; empty where there is nothing to say
    about: str = ""
    unit: str = ""
    known: NDArray[np.bool_] | None = None  #: [n] where there is a value; None: everywhere
    labels: tuple[str, ...] = ()  #: the texts that the values stand for

    def cells(self) -> list[Any]:
        """[n] plain values; None where there is none."""
        found: list[Any] = self.values.tolist()
        if self.labels:
            known = self.known if self.known is not None else np.ones(len(found), np.bool_)
            return [self.labels[place] if is_known else None for place, is_known in zip(found, known, strict=True)]
        if self.known is not None:
            for place in np.flatnonzero(~self.known).tolist():
                found[place] = None
        return found

    def part(self, rows: slice) -> DataColumn:
        """The same column of some rows."""
        known = None if self.known is None else self.known[rows]
        return DataColumn(self.name, self.values[rows], self.about, self.unit, known, self.labels)
