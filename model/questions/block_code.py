"""Machine code for one condition: of how many things of a block it is true at an event.

Compiled once for all conditions, a loop over their steps spends most of its time on putting what each step makes back
into memory.  So code is made for each condition, by LLVM, which Numba brings along, from its language: in vectors of
numbers, and in 20 ms.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import load_llvm
from slotscope.model.questions.pairing import (
    ABS,
    ADD,
    AND,
    DIVIDE,
    EQUAL,
    KNOWN,
    LEAST,
    LESS,
    LESS_EQUAL,
    MORE,
    MORE_EQUAL,
    NEGATE,
    NOT,
    OR,
    OTHER,
    OWN,
    REMAINDER,
    SUBTRACT,
    TIMES,
    TURNS,
    UNEQUAL,
)
from slotscope.model.questions.remainders import BLOCK, LARGE, SMALL

#: Numbers in a vector.  LLVM takes as many registers for one as the processor needs.
LANES = 32

NUMBERS, WHOLES, TRUTHS = (f"<{LANES} x {kind}>" for kind in ("double", "i64", "i1"))

#: How LLVM compares two numbers; where one is missing, nothing is true, as in NumPy but for ``!=``.
_COMPARED = {EQUAL: "oeq", UNEQUAL: "one", LESS: "olt", LESS_EQUAL: "ole", MORE: "ogt", MORE_EQUAL: "oge"}
_COUNTED = {ADD: "fadd", SUBTRACT: "fsub", TIMES: "fmul"}

#: In each place of a vector.
_NOUGHT = "zeroinitializer"


class BlockCode(NamedTuple):
    """Code for a condition; called with a :func:`block_table`, the first thing and the one after the last, the event,
    and how many are enough.

    It tells of how many things the condition is true, each counted by its weight; once it is enough it goes no further.
    """

    address: int
    engine: Any  #: the code lives as long as this


def block_table(
    value: NDArray[np.float64],
    others: NDArray[np.float64],
    weight: NDArray[np.float64],
    true: NDArray[np.uint8],
    latest: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Where code finds values [k, things] of things, those [j, events] of events, and the weight [things] of each.

    The things are whole blocks.  It tells in *true* [things / 8], bit by bit, of which it is so, and in *latest* [1]
    where the block begins that was enough.  All of them have to live as long as the table is used.
    """
    parts = (value, value.shape[1]), (others, others.shape[1]), (weight, 0), (true, 0), (latest, 0)
    assert all(part.flags.c_contiguous for part, _ in parts)
    return np.array([number for part, stride in parts for number in (part.ctypes.data, stride)], np.int64)


@lru_cache(maxsize=64)
def block_code(steps: tuple[tuple[int, int], ...]) -> BlockCode:
    """The code for a condition in the steps of :mod:`slotscope.model.questions.pairing`."""
    llvm = load_llvm()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=2
    )
    module = llvm.parse_assembly(_Text(steps).whole())
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return BlockCode(engine.get_function_address("look"), engine)


class _Divisor(NamedTuple):
    """A divisor: its name, 1 over it, between what all lies that it leaves, and whether it is too large or small."""

    name: str
    inverse: str
    low: str
    high: str
    doubtful: str


class _Value(NamedTuple):
    """What a step made: its name in the text."""

    name: str
    is_truth: bool = False
    divisor: _Divisor | None = None  #: of what is the same for all things, as a divisor


@dataclass(slots=True)
class _Text:
    """The code in LLVM's language."""

    steps: tuple[tuple[int, int], ...]
    lines: list[str] = field(default_factory=list)
    named: int = 0
    block: str = "loop"  #: what the present line stands in
    stack: list[_Value] = field(default_factory=list)
    others: dict[int, _Value] = field(default_factory=dict)

    def whole(self) -> str:
        """A function that goes through things, vector by vector, until enough are found."""
        ends = [self._address(number) for number in range(5)]
        (value, each), (other, apart), (weight, _), (true, _), (latest, _) = ends
        for which in sorted({of for step, of in self.steps if step == OTHER}):
            self.others[which] = self._other(other, apart, which)
        before, self.lines = self.lines, []
        for step, of in self.steps:
            self._take(step, of, value, each)
        so = self._truth(self.stack.pop())
        place = self._put(f"getelementptr double, ptr {weight}, i64 %at")
        bits = self._put(f"getelementptr i8, ptr {true}, i64 {self._put('lshr i64 %at, 3')}")
        text = {"before": "\n".join(before), "lines": "\n".join(self.lines), "last": self.block, "latest": latest}
        kinds = {"lanes": LANES, "block": BLOCK, "numbers": NUMBERS, "truths": TRUTHS}
        return _FUNCTION.format(**text, **kinds, so=so, weight=place, bits=bits)

    def _put(self, text: str) -> str:
        """A line that makes a value; its name."""
        self.named += 1
        self.lines.append(f"%v{self.named} = {text}")
        return f"%v{self.named}"

    def _address(self, number: int) -> tuple[str, str]:
        """Where an array begins, and how far its rows lie apart, by their place in the table."""
        at = [self._put(f"getelementptr i64, ptr %table, i64 {2 * number + part}") for part in range(2)]
        return self._put(f"load ptr, ptr {at[0]}"), self._put(f"load i64, ptr {at[1]}")

    def _other(self, start: str, apart: str, which: int) -> _Value:
        """A value of the event, in each place of a vector."""
        row = self._put(f"add i64 {self._put(f'mul i64 {apart}, {which}')}, %event")
        number = self._put(f"load double, ptr {self._put(f'getelementptr double, ptr {start}, i64 {row}')}")
        one = self._put(f"insertelement {NUMBERS} poison, double {number}, i32 0")
        name = self._put(f"shufflevector {NUMBERS} {one}, {NUMBERS} poison, <{LANES} x i32> zeroinitializer")
        return _Value(name, divisor=self._divisor(name))

    def _take(self, step: int, of: int, value: str, each: str) -> None:
        """One step: a value comes to those that are there, or is made of the last one or two of them."""
        if step == OWN:
            row = self._put(f"add i64 {self._put(f'mul i64 {each}, {of}')}, %at")
            place = self._put(f"getelementptr double, ptr {value}, i64 {row}")
            self.stack.append(_Value(self._put(f"load {NUMBERS}, ptr {place}, align 8")))
        elif step == OTHER:
            self.stack.append(self.others[of])
        elif step in (NEGATE, NOT, ABS, KNOWN):
            self.stack.append(self._changed(step, self.stack.pop()))
        else:
            other, one = self.stack.pop(), self.stack.pop()
            self.stack.append(self._joined(step, one, other))

    def _changed(self, step: int, one: _Value) -> _Value:
        """What a step makes of one value."""
        if step == NOT:
            return _Value(self._truths("xor", self._truth(one), _splat("i1", "true")), is_truth=True)
        number = self._number(one)
        if step == KNOWN:
            return _Value(self._compared("ord", number, number), is_truth=True)
        return _Value(self._called("fabs", number) if step == ABS else self._numbers("fneg", number))

    def _joined(self, step: int, one: _Value, other: _Value) -> _Value:
        """What a step makes of two values."""
        if step in (AND, OR):
            sign = "and" if step == AND else "or"
            return _Value(self._truths(sign, self._truth(one), self._truth(other)), is_truth=True)
        left, right = self._number(one), self._number(other)
        if step in _COMPARED:
            return _Value(self._compared(_COMPARED[step], left, right), is_truth=True)
        if step == TURNS:
            return _Value(self._turned(left, right), is_truth=True)
        if step in _COUNTED:
            return _Value(self._numbers(_COUNTED[step], left, right))
        if step == DIVIDE:
            ratio = self._numbers("fdiv", left, right)
            return _Value(self._select(self._compared("oeq", right, _NOUGHT), _number(np.nan), ratio))
        if step == REMAINDER:
            return _Value(self._remainder(left, other.divisor or self._divisor(right)))
        beyond, equal = ("olt", "ole") if step == LEAST else ("ogt", "oge")
        found = self._select(self._compared(equal, right, left), right, _number(np.nan))
        return _Value(self._select(self._compared(beyond, left, right), left, found))

    def _turned(self, left: str, right: str) -> str:
        """Whether one is another number, or one of them alone is missing."""
        known = (self._compared("ord", one, one) for one in (left, right))
        return self._truths("or", self._compared("one", left, right), self._truths("xor", *known))

    def _remainder(self, number: str, divisor: _Divisor) -> str:
        """As NumPy has it, without a division where the divisor is the same for all things.

        The quotient is found by the inverse.  Where that is not the whole number below the true one, what it leaves of
        the number lies not between nought and the divisor, before it is rounded and after: those go to the C library,
        which divides bit by bit.  Where it is, a fused multiplication rounds once, as NumPy does.
        """
        quotient = self._called("floor", self._numbers("fmul", number, divisor.inverse))
        found = self._called("fma", self._numbers("fneg", quotient), divisor.name, number)
        beyond = (self._compared("olt", found, divisor.low), self._compared("ogt", found, divisor.high))
        doubtful = self._truths("or", self._truths("or", *beyond), divisor.doubtful)
        any_doubtful = self._put(f"call i1 @llvm.vector.reduce.or.v{LANES}i1({TRUTHS} {doubtful})")
        before, slow, after = self.block, f"slow{self.named}", f"after{self.named}"
        self.lines += [f"br i1 {any_doubtful}, label %{slow}, label %{after}", f"{slow}:"]
        left = self._numbers("frem", number, divisor.name)
        below = self._numbers("fadd", left, divisor.name)
        exact = self._select(self._has_other_sign(left, divisor.name), below, left)
        self.lines += [f"br label %{after}", f"{after}:"]
        self.block = after
        return self._put(f"phi {NUMBERS} [ {found}, %{before} ], [ {exact}, %{slow} ]")

    def _has_other_sign(self, left: str, divisor: str) -> str:
        signs = (self._compared("olt", one, _NOUGHT) for one in (left, divisor))
        return self._truths("and", self._truths("xor", *signs), self._compared("one", left, _NOUGHT))

    def _divisor(self, name: str) -> _Divisor:
        """A divisor; where that is missing or nought what it leaves is missing, too."""
        size = self._called("fabs", name)
        within = self._truths(
            "and", self._compared("ogt", size, _number(SMALL)), self._compared("olt", size, _number(LARGE))
        )
        doubtful = self._truths("xor", within, self._compared("one", size, _NOUGHT))
        last = self._put(f"bitcast {NUMBERS} {name} to {WHOLES}")
        last = self._put(f"sub {WHOLES} {last}, {_splat('i64', '1')}")
        last = self._put(f"bitcast {WHOLES} {last} to {NUMBERS}")  # the next one to the divisor towards nought
        is_below = self._compared("olt", name, _NOUGHT)
        low, high = self._select(is_below, last, _NOUGHT), self._select(is_below, _NOUGHT, last)
        return _Divisor(name, self._numbers("fdiv", _number(1.0), name), low, high, doubtful)

    def _number(self, one: _Value) -> str:
        return self._put(f"uitofp {TRUTHS} {one.name} to {NUMBERS}") if one.is_truth else one.name

    def _truth(self, one: _Value) -> str:
        return one.name if one.is_truth else self._compared("ogt", one.name, _NOUGHT)

    def _compared(self, how: str, left: str, right: str) -> str:
        return self._numbers(f"fcmp {how}", left, right)

    def _select(self, truth: str, one: str, other: str) -> str:
        return self._put(f"select {TRUTHS} {truth}, {NUMBERS} {one}, {NUMBERS} {other}")

    def _called(self, name: str, *given: str) -> str:
        told = ", ".join(f"{NUMBERS} {one}" for one in given)
        return self._put(f"call {NUMBERS} @llvm.{name}.v{LANES}f64({told})")

    def _numbers(self, sign: str, *given: str) -> str:
        return self._put(f"{sign} {NUMBERS} {', '.join(given)}")

    def _truths(self, sign: str, *given: str) -> str:
        return self._put(f"{sign} {TRUTHS} {', '.join(given)}")


def _splat(kind: str, one: str) -> str:
    return f"<{', '.join([f'{kind} {one}'] * LANES)}>"


def _number(number: float) -> str:
    """The same number in each place of a vector, by its bits."""
    return _splat("double", f"0x{struct.pack('>d', number).hex()}")


#: In blocks, of which the weights are added only where the condition is true of one; sums of whole numbers are the same
#: in any order.
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
