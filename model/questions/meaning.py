"""An interpreted question: what it reads, and its value at each event."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from slotscope.model.phrase import Phrase
from slotscope.model.questions.changes import StateLook
from slotscope.model.questions.parts import Meaning
from slotscope.model.questions.tables import Column, EventTable


@dataclass
class Question:
    """An interpreted question, and what evaluating it needs.

    Attributes
    ----------
    text:
        As the user wrote it.
    part:
        The root of its expression tree.
    depth:
        How many events back it reads.
    samples, costly:
        Whether it needs a sample after each event; whether it needs counts that kernels keep only on request.
    recalls:
        Whether it reads, for an earlier event, values that come from states.
    pairs:
        Whether its reads from states also need the state before the event.
    looks:
        Its reads from states.
    notes:
        A sentence for each comparison that has the same result for all values, as the number is out of their range.
    """

    text: str
    part: Meaning = field(init=False)
    depth: int = 0
    samples: bool = False
    costly: bool = False
    recalls: bool = False
    pairs: bool = False
    looks: list[StateLook] = field(default_factory=list)
    notes: tuple[Phrase, ...] = ()

    def at(self, table: EventTable) -> Column:
        """[length] its value at each event of a table whose looks are filled in."""
        with np.errstate(all="ignore"):
            return np.broadcast_to(self.part.run(table), (table.length,))

    def candidates(self, table: EventTable) -> Column:
        """[length] the events at which it depends on states: it may be true there, and need not be.

        Elsewhere its value is the same whatever is read from states, even if that is left missing.
        """
        with np.errstate(all="ignore"):
            return np.broadcast_to(self.part.where(table, True) & ~self.part.where(table, False), (table.length,))

    @property
    def cost(self) -> str:
        """What evaluating it at an event costs, in words."""
        if self.looks:
            return "the state is looked at after each event that the rest of the question leaves open"
        read = "samples after each event" if self.samples else "rows"
        return f"read from {read}{' with all their counts' if self.costly else ''}"
