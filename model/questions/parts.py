"""The expression tree of an interpreted question: what each part reads, evaluates to, and is made of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Callable, Iterator

import numpy as np

from slotscope.model.questions.operations import OPERATIONS, TRUTHS, Run, constant, turns_there
from slotscope.model.questions.tables import Column, EventTable, shifted

#: What a part may read: things as they are after the event, things as they were before it, values of the event.
THING, THEN, EVENT = frozenset({"thing"}), frozenset({"then"}), frozenset({"event"})

#: The operator that gives a part's value for each thing one event before.
WAS = "was"


@dataclass(frozen=True)
class Meaning:
    """A node of a question's expression tree.

    Attributes
    ----------
    run:
        Evaluates it: [length] its value at each event of a table.
    truth:
        Whether it is a boolean; else a number, nan where missing.
    choices:
        The dimension whose members its values are.
    needs:
        The indices of the question's state reads that it depends on.
    bound:
        Before states are read: the events at which it may be true (given True), or must be (given False).
    reads:
        What it reads itself, without its parts.
    sign, parts:
        Its operator, if it has one, and the operands.
    ends:
        The inclusive bounds of its values in any state, if known.
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
        """What it and all its parts read."""
        return self.reads.union(*(part.read for part in self.parts))

    def value(self, table: EventTable) -> Column:
        """Its value, taken from the table if that has it already for each thing."""
        known = table.of_things(self.run)
        return self.run(table) if known is None else known

    def quietly(self, table: EventTable) -> Column:
        """Its value, without NumPy's warnings about divisions by 0 and missing numbers."""
        with np.errstate(all="ignore"):
            return self.value(table)

    def of_things(self) -> Iterator[Meaning]:
        """The largest subtrees that read only things as they are, including those below ``was``."""
        if self.read == THING:
            yield self
        else:
            for part in self.parts:
                yield from part.of_things()

    def of_things_before(self) -> Iterator[Meaning]:
        """The subtrees whose values before the event are needed, each as an expression of the thing as it is.

        Those are the operands of ``was``; a subtree that reads nothing but things before the event counts as one.
        """
        if self._only_before:
            yield still(self)
        else:
            for part in self.parts:
                yield from part.of_things() if self.sign == WAS else part.of_things_before()

    @property
    def _only_before(self) -> bool:
        """Whether it reads things as they were one event before, and nothing else."""
        if self.sign == WAS:
            return self.parts[0].read == THING
        return self.read >= THEN and all(not part.read or part._only_before for part in self.parts)

    def fields(self) -> Iterator[Run]:
        """The reads of a thing's fields in it and its parts."""
        if self.reads == THING:
            yield self.run
        for part in self.parts:
            yield from part.fields()

    def where(self, table: EventTable, upper: bool) -> Column:
        """[length] where it may be true (*upper*), or must be, as far as is known without reading states."""
        if self.needs <= table.known and self.read <= EVENT:
            return self.run(table)
        return self.bound(table, upper) if self.bound else np.full(table.length, upper)


TRUE, FALSE = (Meaning(partial(constant, np.bool_(truth)), truth=True) for truth in (True, False))

#: True where there is a state: before the first event and after each; false in rows that only fill up a table's lead.
BEGUN = Meaning(lambda table: table.begun, truth=True, reads=EVENT)


def joined(sign: str, *parts: Meaning) -> Meaning:
    """An operator applied to parts."""
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
    """A comparison, folded to a constant where the operands' bounds decide it, as for a count that is at least 0."""
    if left.ends is None or right.ends is None or not left.needs | right.needs:
        return joined(sign, left, right)
    apart = left.ends[1] < right.ends[0] or left.ends[0] > right.ends[1]
    if sign in ("=", "!="):
        return (FALSE if sign == "=" else BEGUN) if apart else joined(sign, left, right)
    found = {bool(OPERATIONS[sign](one, other)) for one in left.ends for other in right.ends}
    return joined(sign, left, right) if len(found) > 1 else BEGUN if True in found else FALSE


#: Operators whose bounds follow from those of their operands: for each operand whether it enters as it is or negated.
_BOUND = {"and": (True, True), "or": (True, True), "not": (False,), "but not": (True, False)}


def _bound(sign: str, parts: tuple[Meaning, ...], table: EventTable, upper: bool) -> Column:
    ways = zip(parts, _BOUND[sign], strict=True)
    return OPERATIONS[sign](*(part.where(table, upper == true) for part, true in ways))


def still(part: Meaning, before: bool = False) -> Meaning:
    """A part specialized for things that the event leaves unchanged; *before*: its value one event before.

    Such a thing's fields are the same before and after the event, so only values of the event may differ.
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
    """The operand X if a part states that X differs from ``was X``; else None."""
    if part.sign in ("changes", "but not", "!="):
        for one, other in (part.parts[:2], part.parts[1::-1]):
            if other.sign == WAS and other.parts[0] is one:
                return one
    return None


def _moved(part: Meaning) -> Meaning:
    """Whether any value of the event that a part reads differs from that one event before."""
    mine = [*_leaves(part)]

    def run(table: EventTable) -> Column:
        pairs = [(each.run(table), _before(each, table)) for each in mine]
        return np.asarray(np.logical_or.reduce([turns_there(now, was) for now, was in pairs]))

    return Meaning(run, truth=True, needs=part.needs, reads=EVENT)


def _leaves(part: Meaning) -> Iterator[Meaning]:
    """The largest subtrees of a part that read only values of the event."""
    if part.read == EVENT:
        yield part
    else:
        for each in part.parts:
            yield from _leaves(each)


def _before(part: Meaning, table: EventTable) -> Column:
    """[length] the value, one event before, of a part that reads no thing; nan or false before the first event."""
    if table.at is not None:
        return part.run(table.but(at=table.at - 1))
    was = shifted(np.broadcast_to(part.run(table), (table.length,)))
    was[np.isnan(table.row("event"))] = False if part.truth else np.nan
    return was


def _settled(sign: str, parts: tuple[Meaning, ...]) -> Meaning | None:
    """An operator with constant operands folded away; None if nothing can be folded."""
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
