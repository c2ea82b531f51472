"""The candidates of a decision, and the policy's conditions on them, in order, each evaluated for all at once.

Each candidate is counted under the first condition that it fails, or under "could have been taken": the table of
HTCondor's ``condor_q -analyze``, with numbers and the paper's line.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Callable, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.reporting.explain import grouped, plural

#: The words for candidates that fail no condition.
OPEN = "could have been taken"

#: ``Candidates.it`` for candidates whose name is a plural: "2 servers".
THAT = "That"

_OF_SEVERAL = {"has": "have", "is": "are", "was": "were", "does": "do"}


class Condition(NamedTuple):
    """A condition of a policy on each of n candidates."""

    words: str  #: a clause about a candidate that fulfils it: "has an empty slot"
    fails: str  #: a clause about one that does not: "has no empty slot"
    symbols: str  #: the condition in the paper's symbols
    place: str  #: its source in the paper, or the policy
    holds: NDArray[np.bool_]  #: [n] whether each candidate fulfils it
    numbers: str  #: what was compared, over all candidates
    told: Callable[[int], str]  #: what was compared, for one candidate
    brief: tuple[str, ...] = ()  #: ``fails`` in ever shorter versions, to fit into a picture of the candidate


class Preference(NamedTuple):
    """How a policy chooses among the candidates that meet all conditions."""

    words: str  #: "the one that ..."
    place: str  #: its source in the paper, or the policy
    told: Callable[[int], str]  #: the numbers of one candidate
    rank: NDArray[np.int64] | None = None  #: [n] the least is taken; None: drawn, or several are taken
    compared: bool = False  #: whether ``told`` shows why a candidate that was not taken is worse
    compares: NDArray[np.generic] | None = None  #: [n] what the paper compares, the least wins; None: any may be taken
    declined: str = ""  #: the reason if none is taken


class WhyLine(NamedTuple):
    """A line of the table: how many candidates a condition removed, and how many were left after it."""

    condition: str
    symbols: str
    removed: int
    left: int
    numbers: str
    place: str


@dataclass(frozen=True, eq=False)
class Candidates:
    """The n candidates of a decision, with the conditions on them."""

    what: str  #: what they are: "server", "waiting job", "number of servers"
    names: Callable[[int], str]  #: the name of a candidate in a sentence
    number_of: NDArray[np.int64]  #: [n] the number of each in the state: a server's, a job's
    conditions: tuple[Condition, ...]
    preference: Preference
    chosen: NDArray[np.int64]  #: those that were taken; empty if the job was turned away or waits
    it: str = "It"  #: the pronoun for a candidate in the next sentence

    @property
    def count(self) -> int:
        """n."""
        return len(self.number_of)

    @cached_property
    def failed(self) -> NDArray[np.int64]:
        """[n] the index of the first condition that each fails; the number of conditions if it fails none."""
        found = np.full(self.count, len(self.conditions), np.int64)
        for place in range(len(self.conditions) - 1, -1, -1):
            found[~self.conditions[place].holds] = place
        return found

    @cached_property
    def open(self) -> NDArray[np.int64]:
        """The candidates that could have been taken: they fail no condition."""
        return np.flatnonzero(self.failed == len(self.conditions))

    @cached_property
    def legal(self) -> NDArray[np.int64]:
        """The candidates that the paper allows to take: more than one if it leaves a choice."""
        found, compares = self.open, self.preference.compares
        return found if compares is None or not len(found) else found[compares[found] == compares[found].min()]

    def lines(self) -> tuple[WhyLine, ...]:
        """A line for each condition, and one for the candidates left."""
        removed = np.bincount(self.failed, minlength=len(self.conditions) + 1)
        left = self.count - np.cumsum(removed)
        told = [
            WhyLine(each.words, each.symbols, int(out), int(rest), each.numbers, each.place)
            for each, out, rest in zip(self.conditions, removed, left, strict=False)
        ]
        return (*told, WhyLine(OPEN, "", 0, int(removed[-1]), self._taken(), self.preference.place))

    def _taken(self) -> str:
        if not len(self.chosen):
            return f"none was taken{self._declined()}"
        first = int(self.chosen[0])
        if len(self.chosen) > 1:
            return f"{len(self.chosen)} of them were taken: {self.preference.words}"
        return f"{self.names(first)} taken: {self.preference.words} ({self.preference.told(first)})"

    def place_of(self, number: int) -> int:
        """The index of the candidate with a number in the state; -1 if there is none."""
        found = np.flatnonzero(self.number_of == number)
        return int(found[0]) if len(found) else -1

    def of(self, candidate: int) -> str:
        """One sentence about one candidate: why it, or why not."""
        name = self.names(candidate)
        if candidate in self.chosen:
            best = f"it is {self.preference.words} ({self._compared(candidate)})"
            return f"Why {name}? {self.it} {self._satisfied()}; {best}."
        place = int(self.failed[candidate])
        if place < len(self.conditions):
            first = self.conditions[place]
            return f"Why not {name}? {self.it} {first.fails}: {first.told(candidate)} ({first.place})."
        if not len(self.chosen):
            return f"Why not {name}? {self.it} {self._satisfied()}, but the policy took none{self._declined()}."
        other = int(self.chosen[0])
        mine, its = self._compared(candidate), self._compared(other)
        told = f" ({mine})" if mine != its else ""  # what a user's policy says is the same for all
        return f"Why not {name}? {self.it} {OPEN}{told}, but {self.taken_for(other)} ({its})."

    def taken_for(self, candidate: int) -> str:
        """A clause that describes the candidate taken; a plural name comes after the verb."""
        name, words = self.names(candidate), self.preference.words
        return f"{words} is {name}" if self.it == THAT else f"{name} is {words}"

    def _declined(self) -> str:
        """Why none of the candidates was taken that could have been, if the policy says so."""
        return f": {self.preference.declined}" if self.preference.declined and len(self.open) else ""

    def _compared(self, candidate: int) -> str:
        return self.preference.told(candidate)

    def _satisfied(self) -> str:
        words = [each.words for each in self.conditions]
        return (
            " and ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else "".join(words) or "is asked nothing"
        )

    def summary(self) -> str:
        """How many were left, and how many each condition removed: one sentence."""
        if not self.count:
            return f"There is no {self.what}."
        lines = self.lines()
        out = ", ".join(
            f"{grouped(line.removed)} {each.fails if line.removed == 1 else of_several(each.fails)}"
            for line, each in zip(lines, self.conditions, strict=False)
            if line.removed
        )
        left = grouped(lines[-1].left) if lines[-1].left else "none"
        among = f"Of {grouped(self.count)} {plural(self.count, self.what)} {left} {OPEN}"
        return f"{among}{': ' if not lines[-1].left else '; '}{out}." if out else f"{among}."


def of_several(clause: str) -> str:
    """The plural of a clause about one candidate, such as "has no token out: it asks for no job"."""
    said = []
    for part in clause.split(": it "):
        verb, space, rest = part.partition(" ")
        said.append(_OF_SEVERAL.get(verb, verb.removesuffix("s")) + space + rest)
    return ": they ".join(said)


def nothing_told(_: int) -> str:
    """The numbers of a condition whose words already say all."""
    return "it is so for all of them"
