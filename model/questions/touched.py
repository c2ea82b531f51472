"""Of which things that events touched a condition is true, where these are many.

Code made for the condition goes through them once, and takes what it reads from where that stands, where NumPy would
bring together all that is read of all of them, and go through that at each step.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Callable, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import called_at
from slotscope.model.questions.block_code import LANES, BlockText
from slotscope.model.questions.operations import constant
from slotscope.model.questions.pairing import ADD, AND, DIVIDE, NOT, OTHER, OWN, STEPS, in_steps
from slotscope.model.questions.parts import EVENT, THING, WAS, Meaning
from slotscope.model.questions.tables import Column, EventTable
from slotscope.model.questions.vector_text import MachineCode, MadeVector, bits_of, machine_code, table_of

#: Of fewer things NumPy says sooner what is true than code is made.
MANY_TOUCHED = 2**14

#: More things than are ever touched.
_ALL = 2**62

#: Arrays that code for blocks reads; and what stands for a leaf where it is asked whether a thing was there before.
_BLOCK_ARRAYS, _LASTING = 5, -1

#: Of which event, or version of a thing, a leaf is: as the lists of :class:`TouchedThings`, or the event before.
_AT, _NOW, _WAS, _BEFORE = range(4)


class Leaf(NamedTuple):
    """A part that is read from a column, and of what."""

    part: Meaning
    of: int


class TouchedSteps(NamedTuple):
    """A condition as steps of :mod:`slotscope.model.questions.pairing`; its leaves, and those that are constants."""

    steps: tuple[tuple[int, int], ...]
    leaves: tuple[Leaf, ...]
    constants: tuple[Meaning, ...]


class TouchedThings(NamedTuple):
    """Versions of things that events touched."""

    event: NDArray[np.int64]  #: [m]
    now: NDArray[np.int64]  #: [m] the version that the thing is since then
    was: NDArray[np.int64]  #: [m] that which was there before; -1: none
    lasting: NDArray[np.bool_]  #: [m] whether that was of the same thing

    def part(self, mine: slice) -> TouchedThings:
        """Some of them."""
        return TouchedThings(self.event[mine], self.now[mine], self.was[mine], self.lasting[mine])


@lru_cache(maxsize=64)
def touched_steps(condition: Meaning) -> TouchedSteps:
    """A condition on things that were touched, as steps."""
    steps: list[tuple[int, int]] = []
    leaves: dict[Leaf, int] = {}
    constants: dict[Meaning, int] = {}
    nought = Meaning(partial(constant, 0.0), truth=False)

    def take(part: Meaning, then: bool) -> None:
        if part.sign == WAS:
            take(part.parts[0], True)
            if part.truth:
                steps.extend([(OWN, _LASTING), (AND, 0)])
            else:  # nought over that is missing where it is false
                take(nought, then)
                steps.extend([(OWN, _LASTING), (DIVIDE, 0), (ADD, 0)])
        elif part.read == THING:
            read(part, _WAS if then else _NOW)
        elif part.read == EVENT:
            read(part, _BEFORE if then else _AT)
        elif not part.read:
            steps.append((OTHER, constants.setdefault(part, len(constants))))
        elif part.sign == "but not":
            for each in part.parts:  # "not" of the second one would be another part, of which no column is known
                take(each, then)
            steps.extend([(NOT, 0), (AND, 0)])
        else:
            whole = in_steps(part)
            for each in whole.parts:
                take(each, then)
            steps.append((STEPS[whole.sign], 0))

    def read(part: Meaning, by: int) -> None:
        steps.append((OWN, leaves.setdefault(Leaf(part, by), len(leaves))))

    take(condition, False)
    return TouchedSteps(tuple(steps), tuple(leaves), tuple(constants))


def true_of_touched(
    condition: Meaning, touched: TouchedThings, table: EventTable, start: int, column: Callable[[Meaning], Column]
) -> NDArray[np.bool_]:
    """[m] whether a condition is true of whole blocks of things that were touched.

    The first event stands at *start* in the *table*, and *column* is what a part reads of each version.
    """
    steps, leaves, constants = touched_steps(condition)
    code, things = _touched_code(steps, tuple((leaf.of, leaf.part.truth) for leaf in leaves)), len(touched.event)
    columns = [
        column(part) if of in (_NOW, _WAS) else _of_events(part, table, start - (of == _BEFORE)) for part, of in leaves
    ]
    others = np.array([float(one.quietly(table)) for one in constants]).reshape(-1, 1)
    true, latest = np.empty(things // 8, np.uint8), np.zeros(1, np.int64)
    read = np.zeros((0, 1)), others, np.zeros(things), true, latest, *touched, *columns
    found = table_of(*read)
    called_at(code.address, found.ctypes.data, 0, things, 0, _ALL)
    return np.unpackbits(true, bitorder="little").view(np.bool_)


def _of_events(part: Meaning, table: EventTable, start: int) -> Column:
    """What a part says of the events from *start* on."""
    return np.ascontiguousarray(np.broadcast_to(part.quietly(table), table.length)[start:])


@lru_cache(maxsize=64)
def _touched_code(steps: tuple[tuple[int, int], ...], leaves: tuple[tuple[int, bool], ...]) -> MachineCode:
    return machine_code(_TouchedText(LANES, steps=steps, leaves=leaves).whole_function() + _GATHERED)


@dataclass(slots=True)
class _TouchedText(BlockText):
    """The code for blocks, but that what it reads of things is taken from wherever that stands."""

    leaves: tuple[tuple[int, bool], ...] = ()  #: by which list of places, and whether it is a truth

    def own(self, which: int) -> MadeVector:
        """What a leaf is of each thing of a vector; missing, or false, of what was no such thing."""
        lasting = self._true(self._listed("i8", TouchedThings._fields.index("lasting")))
        if which == _LASTING:
            return lasting
        of, is_truth = self.leaves[which]
        kind, name = ("i8", "i8") if is_truth else ("double", "f64")
        vector, start = f"<{self.lanes} x {kind}>", self._address(len(TouchedThings._fields) + which)
        places = self.put(f"getelementptr {kind}, ptr {start}, {self.wholes} {self._listed('i64', of % _BEFORE)}")
        there = lasting.name if of == _WAS else self.same("i1", "true")
        given = f"<{self.lanes} x ptr> {places}, i32 1, {self.truths} {there}"
        nothing = self.same(kind, "0" if is_truth else bits_of(np.nan))
        found = self.put(
            f"call {vector} @llvm.masked.gather.v{self.lanes}{name}.v{self.lanes}p0({given}, {vector} {nothing})"
        )
        return self._true(found) if is_truth else MadeVector(found)

    def _listed(self, kind: str, which: int) -> str:
        """Of a list, what stands there for each thing of a vector."""
        place = self.put(f"getelementptr {kind}, ptr {self._address(which)}, i64 %at")
        return self.put(f"load <{self.lanes} x {kind}>, ptr {place}, align 1")

    def _address(self, which: int) -> str:
        return self.address(_BLOCK_ARRAYS + which)[0]

    def _true(self, given: str) -> MadeVector:
        return MadeVector(self.put(f"icmp ne <{self.lanes} x i8> {given}, zeroinitializer"), is_truth=True)


_GATHERED = "".join(
    f"declare <{LANES} x {kind}> @llvm.masked.gather.v{LANES}{name}.v{LANES}p0"
    f"(<{LANES} x ptr>, i32, <{LANES} x i1>, <{LANES} x {kind}>)\n"
    for kind, name in (("i8", "i8"), ("double", "f64"))
)
