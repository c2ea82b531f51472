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
from slotscope.model.questions.remainders import BLOCK, LARGE, MOST_QUOTIENT, SMALL, TO_WHOLE

#: Numbers in a vector.  LLVM takes as many registers for one as the processor needs.
LANES = 16

NUMBERS, TRUTHS = f"<{LANES} x double>", f"<{LANES} x i1>"

#: How LLVM compares two numbers; where one is missing, nothing is true, as in NumPy but for ``!=``.
_COMPARED = {EQUAL: "oeq", UNEQUAL: "one", LESS: "olt", LESS_EQUAL: "ole", MORE: "ogt", MORE_EQUAL: "oge"}
_COUNTED = {ADD: "fadd", SUBTRACT: "fsub", TIMES: "fmul"}

#: In each place of a vector.
_NOUGHT = "zeroinitializer"


class BlockCode(NamedTuple):
    """Code for a condition; called with a :func:`block_table`, the first place in the block, and the event.

    It tells of how many things the condition is true, each counted by its weight, and of which.
    """

    address: int
    engine: Any  #: the code lives as long as this


def block_table(
    value: NDArray[np.float64], others: NDArray[np.float64], weight: NDArray[np.float64], true: NDArray[np.uint8]
) -> NDArray[np.int64]:
    """Where code finds values [k, classes] of things, those [j, events] of events, and the weight [classes] of each.

    It tells in *true* [BLOCK] of which it is so.  All of them have to live as long as the table is used.
    """
    parts = (value, value.shape[1]), (others, others.shape[1]), (weight, 0), (true, 0)
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
    """A divisor by its name, 1 over it, and up to what size numbers are divided by that; missing: any is."""

    name: str
    inverse: str
    most: str


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
        """A function that goes through a block, vector by vector."""
        ends = [self._address(number) for number in range(4)]
        (value, each), (other, apart), (weight, _), (true, _) = ends
        for which in sorted({of for step, of in self.steps if step == OTHER}):
            self.others[which] = self._other(other, apart, which)
        before, self.lines = self.lines, []
        for step, of in self.steps:
            self._take(step, of, value, each)
        so = self._truth(self.stack.pop())
        place = self._put(f"getelementptr double, ptr {weight}, i64 {self._put('add i64 %at, %first')}")
        weighed = self._put(f"load {NUMBERS}, ptr {place}, align 8")
        counted = self._select(so, weighed, _NOUGHT)
        place = self._put(f"getelementptr i8, ptr {true}, i64 %at")
        self.lines.append(
            f"store <{LANES} x i8> {self._put(f'zext {TRUTHS} {so} to <{LANES} x i8>')}, ptr {place}, align 1"
        )
        return _function(before, self.lines, self.block, counted)

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
            row = self._put(f"add i64 {self._put(f'mul i64 {each}, {of}')}, %first")
            place = self._put(f"getelementptr double, ptr {value}, i64 {self._put(f'add i64 {row}, %at')}")
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

        By the inverse a whole quotient is found no further than three quarters from the true one.  What that leaves, or
        one less where it has not the divisor's sign, a fused multiplication tells as if exact and then rounded once, as
        NumPy does.  Quotients of too many bits go to the C library, which divides bit by bit.
        """
        whole = _number(TO_WHOLE)
        quotient = self._numbers(
            "fsub", self._numbers("fadd", self._numbers("fmul", number, divisor.inverse), whole), whole
        )
        left = self._left(number, quotient, divisor.name)
        below = self._left(number, self._numbers("fsub", quotient, _number(1.0)), divisor.name)
        found = self._select(self._has_other_sign(left, divisor.name), below, left)
        small = self._compared("ult", self._called("fabs", number), divisor.most)
        all_small = self._put(f"call i1 @llvm.vector.reduce.and.v{LANES}i1({TRUTHS} {small})")
        before, slow, after = self.block, f"slow{self.named}", f"after{self.named}"
        self.lines += [f"br i1 {all_small}, label %{after}, label %{slow}", f"{slow}:"]
        left = self._numbers("frem", number, divisor.name)
        below = self._numbers("fadd", left, divisor.name)
        exact = self._select(self._has_other_sign(left, divisor.name), below, left)
        self.lines += [f"br label %{after}", f"{after}:"]
        self.block = after
        return self._put(f"phi {NUMBERS} [ {found}, %{before} ], [ {exact}, %{slow} ]")

    def _left(self, number: str, quotient: str, divisor: str) -> str:
        return self._called("fma", self._numbers("fneg", quotient), divisor, number)

    def _has_other_sign(self, left: str, divisor: str) -> str:
        signs = (self._compared("olt", one, _NOUGHT) for one in (left, divisor))
        return self._truths("and", self._truths("xor", *signs), self._compared("one", left, _NOUGHT))

    def _divisor(self, name: str) -> _Divisor:
        """A divisor; where that is missing or nought what it leaves is missing, too, by any way."""
        size = self._called("fabs", name)
        within = self._truths(
            "and", self._compared("ogt", size, _number(SMALL)), self._compared("olt", size, _number(LARGE))
        )
        most = self._select(within, self._numbers("fmul", size, _number(MOST_QUOTIENT)), _NOUGHT)
        most = self._select(self._compared("ueq", size, _NOUGHT), _number(np.nan), most)
        return _Divisor(name, self._numbers("fdiv", _number(1.0), name), most)

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


def _function(before: list[str], lines: list[str], last: str, counted: str) -> str:
    """The whole text: what is done *before* a loop and in it, which ends in the block *last* with what is *counted*."""
    return "\n".join(
        (
            f"declare {NUMBERS} @llvm.fma.v{LANES}f64({NUMBERS}, {NUMBERS}, {NUMBERS})",
            f"declare {NUMBERS} @llvm.fabs.v{LANES}f64({NUMBERS})",
            f"declare double @llvm.vector.reduce.fadd.v{LANES}f64(double, {NUMBERS})",
            f"declare i1 @llvm.vector.reduce.and.v{LANES}i1({TRUTHS})",
            "define double @look(ptr %table, i64 %first, i64 %event) {",
            "entry:",
            *before,
            "br label %loop",
            "loop:",
            f"%at = phi i64 [ 0, %entry ], [ %next, %{last} ]",
            f"%sum = phi {NUMBERS} [ zeroinitializer, %entry ], [ %more, %{last} ]",
            *lines,
            f"%more = fadd {NUMBERS} %sum, {counted}",
            f"%next = add i64 %at, {LANES}",
            f"%on = icmp ult i64 %next, {BLOCK}",
            "br i1 %on, label %loop, label %end",
            "end:",  # sums of whole numbers are the same in any order
            f"%all = call reassoc double @llvm.vector.reduce.fadd.v{LANES}f64(double 0.0, {NUMBERS} %more)",
            "ret double %all",
            "}",
        )
    )
