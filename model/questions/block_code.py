"""Machine code for one condition: counts the things of a block for which it is true at an event.

A generic interpreter loop over the steps would spend most of its time storing intermediate results to memory.
So LLVM compiles code for each condition, which keeps them in registers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from slotscope.model.questions.pairing import ABS, KNOWN, NEGATE, NOT, OTHER, OWN, REMAINDER
from slotscope.model.questions.remainders import BLOCK
from slotscope.model.questions.vector_text import MachineCode, MadeVector, VectorText, machine_code, table_of

#: Lanes of a vector.
LANES = 32


def block_table(
    value: NDArray[np.float64],
    others: NDArray[np.float64],
    weight: NDArray[np.float64],
    true: NDArray[np.uint8],
    latest: NDArray[np.int64],
) -> NDArray[np.int64]:
    """The addresses and row lengths of the arrays that the code reads and writes; they must outlive the table.

    It reads *value* [k, things], *others* [j, events] and *weight* [things]; the things fill whole blocks.  It writes
    the bit set *true* [things / 8] of the things for which the condition is true, and in *latest* [1] the first thing
    of the block with which the count became enough.
    """
    return table_of(value, others, weight, true, latest)


@lru_cache(maxsize=64)
def block_code(steps: tuple[tuple[int, int], ...]) -> MachineCode:
    """The code for a condition in the steps of :mod:`slotscope.model.questions.pairing`.

    It is called with a :func:`block_table`, the half-open range of things, the event, and how many are enough.  It
    returns the total weight of the things for which the condition is true, and stops once that is enough.
    """
    return machine_code(BlockText(LANES, steps=steps).whole_function())


@dataclass(slots=True)
class BlockText(VectorText):
    """Writes the code as LLVM IR."""

    steps: tuple[tuple[int, int], ...] = ()
    stack: list[MadeVector] = field(default_factory=list)
    others: dict[int, MadeVector] = field(default_factory=dict)
    value: tuple[str, str] = "", ""  #: address and row length of the things' values

    def whole_function(self) -> str:
        """The text of a function that iterates over things, vector by vector, until enough are found."""
        ends = [self.address(number) for number in range(5)]
        self.value, (other, apart), (weight, _), (true, _), (latest, _) = ends
        for which in sorted({of for step, of in self.steps if step == OTHER}):
            self.others[which] = self._other(other, apart, which)
        before, self.lines = self.lines, []
        for step, of in self.steps:
            self._take(step, of)
        so = self.truth(self.stack.pop())
        place = self.put(f"getelementptr double, ptr {weight}, i64 %at")
        bits = self.put(f"getelementptr i8, ptr {true}, i64 {self.put('lshr i64 %at, 3')}")
        text = {"before": "\n".join(before), "lines": "\n".join(self.lines), "last": self.block, "latest": latest}
        kinds = {"lanes": LANES, "block": BLOCK, "numbers": self.numbers, "truths": self.truths}
        return _FUNCTION.format(**text, **kinds, so=so, weight=place, bits=bits)

    def _other(self, start: str, apart: str, which: int) -> MadeVector:
        """Load one of the event's values, broadcast to all lanes."""
        row = self.put(f"add i64 {self.put(f'mul i64 {apart}, {which}')}, %event")
        number = self.put(f"load double, ptr {self.put(f'getelementptr double, ptr {start}, i64 {row}')}")
        name = self.spread(number)
        return MadeVector(name, divisor=self.divisor(name))

    def own(self, which: int) -> MadeVector:
        """Load one of the things' values for a vector of them."""
        value, each = self.value
        row = self.put(f"add i64 {self.put(f'mul i64 {each}, {which}')}, %at")
        place = self.put(f"getelementptr double, ptr {value}, i64 {row}")
        return MadeVector(self.put(f"load {self.numbers}, ptr {place}, align 8"))

    def _take(self, step: int, of: int) -> None:
        """One step of the stack machine: push a value, or apply an operator to the top one or two."""
        if step == OWN:
            self.stack.append(self.own(of))
        elif step == OTHER:
            self.stack.append(self.others[of])
        elif step in (NEGATE, NOT, ABS, KNOWN):
            self.stack.append(self.changed(step, self.stack.pop()))
        else:
            other, one = self.stack.pop(), self.stack.pop()
            if step == REMAINDER and of:
                other = other._replace(divisor=self.divisor(other.name, self.own(of - 1).name))
            self.stack.append(self.joined(step, one, other))


#: Iterates over blocks; weights are summed only where the condition is true of some thing.  Weights are integers, whose
#: sum does not depend on the order.
_FUNCTION = """
declare {numbers} @llvm.fma.v{lanes}f64({numbers}, {numbers}, {numbers})
declare {numbers} @llvm.fabs.v{lanes}f64({numbers})
declare {numbers} @llvm.floor.v{lanes}f64({numbers})
declare double @llvm.vector.reduce.fadd.v{lanes}f64(double, {numbers})
declare i1 @llvm.vector.reduce.or.v{lanes}i1({truths})
define double @look(ptr %table, i64 %first, i64 %last, i64 %event, i64 %wanted) {{
entry:
{before}
%needed = sitofp i64 %wanted to double
br label %block
block:
%begin = phi i64 [ %first, %entry ], [ %end, %on ]
%before = phi double [ 0.0, %entry ], [ %now, %on ]
%end = add i64 %begin, {block}
br label %loop
loop:
%at = phi i64 [ %begin, %block ], [ %next, %counted ]
%sum = phi {numbers} [ zeroinitializer, %block ], [ %more, %counted ]
%seen = phi i{lanes} [ 0, %block ], [ %seen_too, %counted ]
{lines}
%bits = bitcast {truths} {so} to i{lanes}
store i{lanes} %bits, ptr {bits}, align 1
%seen_too = or i{lanes} %seen, %bits
%none = icmp eq i{lanes} %bits, 0
br i1 %none, label %counted, label %count
count:
%weight = load {numbers}, ptr {weight}, align 8
%weighed = select {truths} {so}, {numbers} %weight, {numbers} zeroinitializer
%added = fadd {numbers} %sum, %weighed
br label %counted
counted:
%more = phi {numbers} [ %sum, %{last} ], [ %added, %count ]
%next = add i64 %at, {lanes}
%within = icmp ult i64 %next, %end
br i1 %within, label %loop, label %over
over:
%some = icmp ne i{lanes} %seen_too, 0
br i1 %some, label %add, label %on
add:
%all = call reassoc double @llvm.vector.reduce.fadd.v{lanes}f64(double 0.0, {numbers} %more)
%with = fadd double %before, %all
%is_enough = fcmp oge double %with, %needed
br i1 %is_enough, label %enough, label %on
enough:
store i64 %begin, ptr {latest}, align 8
br label %stop
on:
%now = phi double [ %before, %over ], [ %with, %add ]
%further = icmp ult i64 %end, %last
br i1 %further, label %block, label %stop
stop:
%found = phi double [ %with, %enough ], [ %now, %on ]
ret double %found
}}
"""
