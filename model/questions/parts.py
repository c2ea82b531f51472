"""The parts of a question that is understood, and what each of them is made of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Callable, Iterator

import numpy as np

from slotscope.model.questions.operations import OPERATIONS, TRUTHS, Run, constant, turns_there
from slotscope.model.questions.tables import Column, EventTable, shifted

#: What a part may read: each of some things as it is, or as it was before the event; numbers of the event.
THING, THEN, EVENT = frozenset({"thing"}), frozenset({"then"}), frozenset({"event"})

#: The sign of what a part was of each thing one event before.
WAS = "was"


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
    reads:
        What it reads itself.
    sign, parts:
        What it does to its parts, if that has a sign; and what these are.
    ends:
        Between which numbers, inclusive, its values lie in any state, if that is known.
    """

    run: Run
    truth: bool
    choices: str = ""
    needs: frozenset[int] = frozenset()
    bound: Callable[[EventTable, bool], Column] | None = None
    reads: frozenset[str] = frozenset()
    sign: str = ""
    parts: tuple[Meaning, ...] = ()
    ends: tuple[float, float] | None = None

    @cached_property
    def read(self) -> frozenset[str]:
        """What it and its parts read."""
        return self.reads.union(*(part.read for part in self.parts))

    def value(self, table: EventTable) -> Column:
        """Its value, which the table may know already of each thing."""
        known = table.of_things(self.run)
        return self.run(table) if known is None else known

    def quietly(self, table: EventTable) -> Column:
        """Its value, without a warning of what is divided by 0 or missing."""
        with np.errstate(all="ignore"):
            return self.value(table)

    def of_things(self) -> Iterator[Meaning]:
        """The largest parts of it that read a thing as it is, and nothing else; of what it was, too."""
        if self.read == THING:
            yield self
        else:
            for part in self.parts:
                yield from part.of_things()

    def of_things_before(self) -> Iterator[Meaning]:
        """What parts that ask of a thing only what it was say of it as it is; and what else is asked of it so."""
        if self._only_before:
            yield still(self)
        else:
            for part in self.parts:
                yield from part.of_things() if self.sign == WAS else part.of_things_before()

    @property
    def _only_before(self) -> bool:
        """Whether it asks what a thing was one event before, and nothing else."""
        if self.sign == WAS:
            return self.parts[0].read == THING
        return self.read >= THEN and all(not part.read or part._only_before for part in self.parts)

    def fields(self) -> Iterator[Run]:
        """What it and its parts read of each thing."""
        if self.reads == THING:
            yield self.run
        for part in self.parts:
            yield from part.fields()

    def where(self, table: EventTable, upper: bool) -> Column:
        """Where it may, or must, be true as far as is known without looking at states."""
        if self.needs <= table.known and self.read <= EVENT:
            return self.run(table)
        return self.bound(table, upper) if self.bound else np.full(table.length, upper)


TRUE, FALSE = (Meaning(partial(constant, np.bool_(truth)), truth=True) for truth in (True, False))

#: True once there is a state.
BEGUN = Meaning(lambda table: table.begun, truth=True, reads=EVENT)


def joined(sign: str, *parts: Meaning) -> Meaning:
    """What a sign makes of parts."""
    operation = OPERATIONS[sign]
    return Meaning(
        lambda table: operation(*(part.value(table) for part in parts)),
        truth=sign in TRUTHS,
        needs=frozenset().union(*(part.needs for part in parts)),
        bound=partial(_bound, sign, parts) if sign in _BOUND else None,
        sign=sign,
        parts=parts,
    )


def compared(sign: str, left: Meaning, right: Meaning) -> Meaning:
    """A comparison; less than that where it is the same in any state, as of a number of things that is at least 0."""
    if left.ends is None or right.ends is None or not left.needs | right.needs:
        return joined(sign, left, right)
    apart = left.ends[1] < right.ends[0] or left.ends[0] > right.ends[1]
    if sign in ("=", "!="):
        return (FALSE if sign == "=" else BEGUN) if apart else joined(sign, left, right)
    found = {bool(OPERATIONS[sign](one, other)) for one in left.ends for other in right.ends}
    return joined(sign, left, right) if len(found) > 1 else BEGUN if True in found else FALSE


#: Signs whose parts tell where they may and must be true, and whether each part has to be true or false for that.
_BOUND = {"and": (True, True), "or": (True, True), "not": (False,), "but not": (True, False)}


def _bound(sign: str, parts: tuple[Meaning, ...], table: EventTable, upper: bool) -> Column:
    ways = zip(parts, _BOUND[sign], strict=True)
    return OPERATIONS[sign](*(part.where(table, upper == true) for part, true in ways))


def still(part: Meaning, before: bool = False) -> Meaning:
    """What a part is of each thing that the event leaves as it was; *before*: what it was of that one event ago.

    What is read of such a thing has not changed, so it is only numbers of the event that may have been others.
    """
    if part.read == THING or not (before or part.read & THEN):
        return part
    if part.sign == WAS:
        return still(part.parts[0], before=True)
    if not part.read & THING and before:
        return Meaning(partial(_before, part), part.truth, needs=part.needs, reads=EVENT)
    parts = tuple(still(each, before) for each in part.parts)
    found = _settled(part.sign, parts) or joined(part.sign, *parts)
    turned = _turned(part)
    return found if turned is None else joined("and", _moved(turned), found) if turned.read & EVENT else FALSE


def _turned(part: Meaning) -> Meaning | None:
    """That of which a part says that it is other than it was one event before."""
    if part.sign in ("changes", "but not", "!="):
        for one, other in (part.parts[:2], part.parts[1::-1]):
            if other.sign == WAS and other.parts[0] is one:
                return one
    return None


def _moved(part: Meaning) -> Meaning:
    """Whether any number of the event that a part reads is another one than before."""
    mine = [*_leaves(part)]

    def run(table: EventTable) -> Column:
        pairs = [(each.run(table), _before(each, table)) for each in mine]
        return np.asarray(np.logical_or.reduce([turns_there(now, was) for now, was in pairs]))

    return Meaning(run, truth=True, needs=part.needs, reads=EVENT)


def _leaves(part: Meaning) -> Iterator[Meaning]:
    """The numbers and truths of the event in a part."""
    if part.read == EVENT:
        yield part
    else:
        for each in part.parts:
            yield from _leaves(each)


def _before(part: Meaning, table: EventTable) -> Column:
    """[length] what a part that reads no thing was one event before; missing, or false, before the first event."""
    if table.at is not None:
        return part.run(table.but(at=table.at - 1))
    was = shifted(np.broadcast_to(part.run(table), (table.length,)))
    was[np.isnan(table.row("event"))] = False if part.truth else np.nan
    return was


def _settled(sign: str, parts: tuple[Meaning, ...]) -> Meaning | None:
    """What parts make together, where that is less than all of them."""
    first, last = parts[0], parts[-1]
    if sign == "and":
        return FALSE if FALSE in parts else first if last is TRUE else last if first is TRUE else None
    if sign == "or":
        return TRUE if TRUE in parts else first if last is FALSE else last if first is FALSE else None
    if sign == "not":
        return FALSE if first is TRUE else TRUE if first is FALSE else None
    if sign == "but not":
        return FALSE if first is FALSE or last is TRUE else first if last is FALSE else None
    return None
