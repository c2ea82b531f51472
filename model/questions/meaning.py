"""What a question means in a run: what it reads, and its value at each event."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from slotscope.model.phrase import Phrase
from slotscope.model.questions.changes import StateLook
from slotscope.model.questions.parts import Meaning
from slotscope.model.questions.tables import Column, EventTable


@dataclass
class Question:
    """A question that is understood, and what answering it needs.

    Attributes
    ----------
    text:
        As it was asked.
    part:
        What it means.
    depth:
        How many events back it asks.
    samples, costly:
        Whether it needs a sample after each event; what kernels count only where asked for.
    recalls:
        Whether one of these asks for what is read from states.
    pairs:
        Whether what it reads from states also needs the state before the event.
    looks:
        What it reads from states.
    notes:
        A sentence for each comparison with a number that the value never has, or that is beyond all of them.
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
        """[length] its value at each event of a table whose states were looked at."""
        with np.errstate(all="ignore"):
            return np.broadcast_to(self.part.run(table), (table.length,))

    def candidates(self, table: EventTable) -> Column:
        """[length] where states have to be looked at to know: it may be true, and need not be.

        Elsewhere it is what it is whatever is read from states, so also where that is missing.
        """
        with np.errstate(all="ignore"):
            return np.broadcast_to(self.part.where(table, True) & ~self.part.where(table, False), (table.length,))

    @property
    def cost(self) -> str:
        """What an event costs, in words."""
        if self.looks:
            return "the state is looked at after each event that the rest of the question leaves open"
        read = "samples after each event" if self.samples else "rows"
        return f"read from {read}{' with all their counts' if self.costly else ''}"
