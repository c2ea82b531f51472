"""The parts of a question that is understood, and what each of them is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

import numpy as np

from slotscope.model.questions.operations import Run
from slotscope.model.questions.tables import Column, EventTable

#: What a part may read: each of some things as it is, or as it was before the event; numbers of the event.
THING, THEN, EVENT = frozenset({"thing"}), frozenset({"then"}), frozenset({"event"})


@dataclass(frozen=True)
class Meaning:
    """A part of a question that is understood.

    Attributes
    ----------
    run:
        [length] its value at each event of a table.
    truth:
        Whether that is true or false; else a number, nan where there is none.
    choices:
        The dimension whose members its values are.
    needs:
        What of the question's looks at states it needs, by their places.
    bound:
        Where it may be true (given True) or must be (given False) before states are looked at.
    turning:
        Whether it is true only of things that the event changed.
    reads:
        What it reads itself.
    sign, parts:
        What it does to its parts, if that has a sign; and what these are.
    """

    run: Run
    truth: bool
    choices: str = ""
    needs: frozenset[int] = frozenset()
    bound: Callable[[EventTable, bool], Column] | None = None
    turning: bool = False
    reads: frozenset[str] = frozenset()
    sign: str = ""
    parts: tuple[Meaning, ...] = ()

    @property
    def read(self) -> frozenset[str]:
        """What it and its parts read."""
        return self.reads.union(*(part.read for part in self.parts))

    def where(self, table: EventTable, upper: bool) -> Column:
        """Where it may, or must, be true as far as is known without looking at states."""
        if self.needs <= table.known:
            return self.run(table)
        return self.bound(table, upper) if self.bound else np.full(table.length, upper)
