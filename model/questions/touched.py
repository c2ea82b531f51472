"""Evaluates a condition on many things that events touched, in one pass of machine code.

NumPy would gather each column that the condition reads, and then allocate an array for each operation.  The code
generated here gathers the values of 32 things at a time, and keeps intermediate results in registers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Callable, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import called_at
from slotscope.model.questions.block_code import LANES, BlockText
from slotscope.model.questions.counting import MANY
from slotscope.model.questions.operations import constant
from slotscope.model.questions.pairing import ADD, AND, DIVIDE, NOT, OTHER, OWN, STEPS, in_steps
from slotscope.model.questions.parts import EVENT, THING, WAS, Meaning
from slotscope.model.questions.tables import Column, EventTable
from slotscope.model.questions.vector_text import MachineCode, MadeVector, bits_of, machine_code, table_of

#: With fewer things NumPy is faster than compiling the code, which takes 20 ms.
MANY_TOUCHED = 2**14

#: How many arrays the code for blocks reads; those of :class:`TouchedThings` follow, then the columns of the leaves.
_BLOCK_ARRAYS = 5

#: In place of a leaf's number: whether the thing existed before the event.
_LASTING = -1

#: Which element of its column a leaf reads for a thing: that of the event, of the version after it, of the version
#: before it (numbered as the fields of :class:`TouchedThings`), or of the event before.
_AT, _NOW, _WAS, _BEFORE = range(4)


class Leaf(NamedTuple):
    """A part of a condition that is read from a column."""

    part: Meaning
    of: int  #: which element: _AT, _NOW, _WAS or _BEFORE


class TouchedSteps(NamedTuple):
    """A condition as steps of :mod:`slotscope.model.questions.pairing`: OWN steps read leaves, OTHER ones constants."""

    steps: tuple[tuple[int, int], ...]
    leaves: tuple[Leaf, ...]
    constants: tuple[Meaning, ...]


class TouchedThings(NamedTuple):
    """Things that events touched, each with its versions before and after the event."""

    event: NDArray[np.int64]  #: [m] counted from the first event
    now: NDArray[np.int64]  #: [m] the version after the event
    was: NDArray[np.int64]  #: [m] the version before it; -1: none
    lasting: NDArray[np.bool_]  #: [m] whether both are versions of the same thing

    def part(self, mine: slice) -> TouchedThings:
        """A slice of them."""
        return TouchedThings(self.event[mine], self.now[mine], self.was[mine], self.lasting[mine])


@lru_cache(maxsize=64)
def touched_steps(condition: Meaning) -> TouchedSteps:
    """The steps and leaves of a condition; ``was X`` is false, or missing, for a thing that did not exist before."""
    steps: list[tuple[int, int]] = []
    leaves: dict[Leaf, int] = {}
    constants: dict[Meaning, int] = {}
    nought = Meaning(partial(constant, 0.0), truth=False)

    def take(part: Meaning, then: bool) -> None:
        if part.sign == WAS:
            take(part.parts[0], True)
            if part.truth:
                steps.extend([(OWN, _LASTING), (AND, 0)])
            else:  # 0 / 1 = 0 leaves the number as it is, 0 / 0 makes it missing
                take(nought, then)
                steps.extend([(OWN, _LASTING), (DIVIDE, 0), (ADD, 0)])
        elif part.read == THING:
            read(part, _WAS if then else _NOW)
        elif part.read == EVENT:
            read(part, _BEFORE if then else _AT)
        elif not part.read:
            steps.append((OTHER, constants.setdefault(part, len(constants))))
        elif part.sign == "but not":
            for each in part.parts:  # no column is known for in_steps' "not" of the second one
                take(each, then)
            steps.extend([(NOT, 0), (AND, 0)])
        else:
            whole = in_steps(part)
            for each in whole.parts:
                take(each, then)
            steps.append((STEPS[whole.sign], 0))

    def read(part: Meaning, of: int) -> None:
        steps.append((OWN, leaves.setdefault(Leaf(part, of), len(leaves))))

    take(condition, False)
    return TouchedSteps(tuple(steps), tuple(leaves), tuple(constants))


def true_of_touched(
    condition: Meaning, touched: TouchedThings, table: EventTable, start: int, column: Callable[[Meaning], Column]
) -> NDArray[np.bool_]:
    """[m] whether a condition is true of each thing; m is a multiple of the block size.

    The row of the first event in *table* is *start*; *column* gives the values [versions] of a part.
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
    called_at(code.address, found.ctypes.data, 0, things, 0, MANY)
    return np.unpackbits(true, bitorder="little").view(np.bool_)


def _of_events(part: Meaning, table: EventTable, start: int) -> Column:
    """[events] the values of a part in the rows of a table from *start* on."""
    assert start >= 0  # the code reads without checks of bounds
    return np.ascontiguousarray(np.broadcast_to(part.quietly(table), table.length)[start:])


@lru_cache(maxsize=64)
def _touched_code(steps: tuple[tuple[int, int], ...], leaves: tuple[tuple[int, bool], ...]) -> MachineCode:
    return machine_code(_TouchedText(LANES, steps=steps, leaves=leaves).whole_function() + _GATHERED)


@dataclass(slots=True)
class _TouchedText(BlockText):
    """The code for blocks, with gathers in place of loads."""

    leaves: tuple[tuple[int, bool], ...] = ()  #: for each, which element it reads, and whether that is a boolean

    def own(self, which: int) -> MadeVector:
        """The values of a leaf for a vector of things; missing, or false, for one that did not exist before."""
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
        """The elements of an array of :class:`TouchedThings` for a vector of things."""
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
