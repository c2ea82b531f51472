"""Questions made from the candidates of a decision: which of them is taken, and why not another.

Each kind of system declares a function for each question that it supports, and names of variables in words.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Callable, Iterator, Mapping, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.exercises.posed import NONE, Posed, one_of
from slotscope.model.kinds.rooms import ROOMS
from slotscope.model.phrase import Phrase
from slotscope.model.reporting.explain import plural
from slotscope.model.reporting.records import Record
from slotscope.model.whys.asking import Retaking, replayed, setting_of
from slotscope.model.whys.decision import Happened, Subject
from slotscope.model.whys.tables import Candidates

#: The most answers that are offered for choice: side by side, and in a list.
FEW, LISTED = 8, 40


class At(NamedTuple):
    """The next event of a run, the place of a question.

    ``taken`` sub-steps of the event have been taken; ``before`` is the state before it, which must not be changed;
    ``tabled`` caches the candidates of decisions, which several questions use.
    """

    kind: Any
    system: Any
    before: Any
    happened: Happened
    retaking: Retaking
    taken: int
    tabled: dict[Subject, tuple[Candidates, ...]]

    @classmethod
    def of(cls, kind: Any, system: Any, before: Any, taken: int) -> At:
        """The next event of a state."""
        return cls(kind, system, before, replayed(system, before), Retaking(system, before), taken, {})

    @property
    def event(self) -> int:
        """The number of events so far."""
        return int(self.before.number[0])

    def subject(self, job: int = -1) -> Subject | None:
        """The decision of a job (-1: of any), if it is still to come."""
        found: Subject | None = self.kind.whys.subject(self.system, self.happened, job)
        return found if found is not None and found.place >= self.taken else None

    def before_counted(self, subject: Subject, counts: frozenset[str]) -> int:
        """The place of the sub-steps directly before a decision that count its candidates, or else of the decision."""
        place = subject.place
        while place > self.taken and self.happened.records[place - 1].kind in counts:
            place -= 1
        return place

    def tables(self, subject: Subject) -> tuple[Candidates, ...]:
        """The candidates of a decision, in the state in which it is taken."""
        found = self.tabled.get(subject)
        if found is None:
            setting = setting_of(self.retaking.to(subject.place), self.system, self.happened, subject)
            found = self.tabled[subject] = self.kind.whys.candidates(setting)
        return found

    def coming(self, *kinds: type[Record]) -> Iterator[tuple[int, Any]]:
        """The sub-steps of given classes that are still to come, with their places."""
        ahead = enumerate(self.happened.records[self.taken :], self.taken)
        return ((place, one) for place, one in ahead if isinstance(one, kinds))

    def narrated(self, record: Record) -> str:
        """A record as a sentence."""
        return str(self.kind.narrator(self.system).record(record))


#: Makes a question at a moment; None if the next event decides nothing of this kind.
Pose = Callable[[At], Posed | None]


def from_candidates(
    at: At,
    ask: str,
    table: Candidates,
    subject: Subject,
    words: Phrase,
    names: Callable[[int], str],
    picks: str = "",
    none: Phrase | None = None,
    place: int | None = None,
) -> Posed | None:
    """The question which candidate is taken; *names* are the answers, *none* is the meaning of the answer "none".

    None if the table does not determine the policy's decision, so that it cannot be asked about.
    """
    legal = table.chosen if at.system.policy.may_fail else table.legal
    if not {*table.chosen.tolist()} <= {*legal.tolist()} or (len(legal) > 0) != (len(table.chosen) > 0):
        return None
    if len(table.chosen) > 1 or not (none is not None or len(table.chosen)):
        return None
    every = [names(one) for one in range(table.count)]
    answers = [*every, *([NONE] if none is not None else [])]
    allowed = _allowed(every, table.what, none)
    taken = every[int(table.chosen[0])] if len(table.chosen) else NONE
    return Posed(
        ask=ask,
        place=subject.place if place is None else place,
        decided=subject.place + 1 if subject.place < len(at.happened.records) else 0,
        words=words,
        allowed=allowed,
        read=one_of(answers, allowed, title=table.what),
        fault=lambda answer: _fault(table, legal, subject, -1 if answer == NONE else every.index(answer)),
        taken=taken,
        reason=_reason(table, subject),
        alike=max(0, len(legal) - 1),
        effort=effort_of(table, legal),
        picks=picks,
        options=tuple(answers) if len(answers) <= LISTED else ((NONE,) if none is not None else ()),
        pointed=lambda number: every[found] if (found := table.place_of(number)) >= 0 else "",
    )


def _allowed(names: list[str], what: str, none: Phrase | None) -> Phrase:
    """The allowed answers as a clause: one of *names*, or "none", meaning *none*."""
    nobody = Phrase("none: {meaning}", meaning=none or "")
    if not names:
        return nobody
    thing = Phrase(f"{'a ' if what[0] not in 'aeiou' else 'an '}{what}")
    few = ", ".join(names) if len(names) <= FEW else Phrase("{first} to {last}", first=names[0], last=names[-1])
    number = Phrase("the number of {thing} ({numbers})", thing=thing, numbers=few)
    return number if none is None else Phrase("{number}, or {nobody}", number=number, nobody=nobody)


def effort_of(table: Candidates, legal: NDArray[np.int64]) -> int:
    """The number of conditions checked, each candidate's up to the first that fails, and of candidates then compared.

    0 if nothing distinguishes the candidates: each can be taken as well as any other.
    """
    asked = int(np.minimum(table.failed + 1, len(table.conditions)).sum())
    compared = len(table.open) if len(legal) < len(table.open) else 0
    return asked + compared if compared or len(table.open) < table.count else 0


def _reason(table: Candidates, subject: Subject) -> str:
    outcome = subject.outcome
    if len(table.chosen):
        chosen = int(table.chosen[0])
        preference = table.preference
        return f"{outcome}: {preference.words} ({preference.told(chosen)}; {preference.place})."
    return f"{outcome}. {table.summary()}"


def _fault(table: Candidates, legal: NDArray[np.int64], subject: Subject, candidate: int) -> str:
    """Why a candidate, or -1 for none, is wrong; empty if it is right."""
    if candidate < 0:
        return "" if not len(legal) else _not_nobody(table, int(legal[0]))
    if candidate in legal:
        return ""
    name = table.names(candidate)
    place = int(table.failed[candidate])
    if place < len(table.conditions):
        broken = table.conditions[place]
        return f"{name} {broken.fails}: {broken.told(candidate)} ({broken.place})."
    if not len(table.chosen):
        return f"{name} is not taken: {subject.outcome}."
    other, preference = int(table.chosen[0]), table.preference
    return (
        f"{name} could be taken ({preference.told(candidate)}), but {table.taken_for(other)} "
        f"({preference.told(other)}; {preference.place})."
    )


def _not_nobody(table: Candidates, one: int) -> str:
    name = table.names(one)
    asked = "; it ".join(each.words for each in table.conditions) or "is asked nothing"
    count = len(table.open)
    more = f"; {count} {plural(count, table.what)} could be taken" if count > 1 else ""
    place = table.conditions[-1].place if table.conditions else table.preference.place
    return f"{name} {asked}{more} ({place})."


class RoomAsks(NamedTuple):
    """The questions that a kind of system supports about its decisions."""

    #: the function that makes a question, by what is asked (:data:`model.exercises.question.ASKS`)
    poses: Mapping[str, Pose]
    #: the variables that can be asked for, by their names in records, each in words, which may contain ``{i}`` for
    #: the record's value ``i``
    values: Mapping[str, str]


def asks_of(system: str) -> RoomAsks:
    """The questions that a kind of system supports."""
    found: RoomAsks = import_module(ROOMS[system].asks).ASKS
    return found
