"""Typed, named columns with units, of which tables consist."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class DeclaredColumn(NamedTuple):
    """The declaration of a table's column; without *type*, the type is that of the values found.

    *about* and *unit* are as in :class:`DataColumn`.
    """

    name: str
    type: type[str] | type[int] | type[float] | None = None
    about: str = ""
    unit: str = ""


@dataclass(frozen=True)
class DataColumn:
    """A column of a table."""

    name: str  #: the name in questions, if questions can use the column
    values: NDArray[Any]  #: [n] numbers, bools or texts; with *labels*, indices of labels
    #: about, unit: the meaning, as a clause, and the unit; empty if there is nothing to say
    about: str = ""
    unit: str = ""
    known: NDArray[np.bool_] | None = None  #: [n] whether there is a value; None: everywhere
    labels: tuple[str, ...] = ()  #: the texts that the values index

    def cells(self) -> list[Any]:
        """[n] the values as plain Python values; None where there is no value."""
        found: list[Any] = self.values.tolist()
        if self.labels:
            known = self.known if self.known is not None else np.ones(len(found), np.bool_)
            return [self.labels[place] if is_known else None for place, is_known in zip(found, known, strict=True)]
        if self.known is not None:
            for place in np.flatnonzero(~self.known).tolist():
                found[place] = None
        return found

    def part(self, rows: slice) -> DataColumn:
        """The column restricted to some rows."""
        known = None if self.known is None else self.known[rows]
        return DataColumn(self.name, self.values[rows], self.about, self.unit, known, self.labels)
