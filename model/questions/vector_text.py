"""Emits the steps of a condition as vector instructions of LLVM IR; llvmlite comes with Numba."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
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
    NOT,
    OR,
    REMAINDER,
    SUBTRACT,
    TIMES,
    TURNS,
    UNEQUAL,
)
from slotscope.model.questions.remainders import LARGE, SMALL

#: LLVM's comparison predicates; all are false where an operand is nan, as in NumPy but for ``!=``.
_COMPARED = {EQUAL: "oeq", UNEQUAL: "one", LESS: "olt", LESS_EQUAL: "ole", MORE: "ogt", MORE_EQUAL: "oge"}
_COUNTED = {ADD: "fadd", SUBTRACT: "fsub", TIMES: "fmul"}

#: A vector of zeros.
_NOUGHT = "zeroinitializer"


class MachineCode(NamedTuple):
    """Compiled code for a condition."""

    address: int
    engine: Any  #: owns the code, which is freed with it


def machine_code(text: str) -> MachineCode:
    """Compile the function ``look`` in a text of LLVM IR; it takes 20 ms."""
    llvm = load_llvm()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=2
    )
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(text), machine)
    engine.finalize_object()
    return MachineCode(engine.get_function_address("look"), engine)


class Divisor(NamedTuple):
    """A divisor: names of its value, its reciprocal, the bounds of its remainders, and whether its size is unsafe."""

    name: str
    inverse: str
    low: str
    high: str
    doubtful: str


class MadeVector(NamedTuple):
    """The result of a step: its name in the text."""

    name: str
    is_truth: bool = False
    divisor: Divisor | None = None  #: what is precomputed for it as a divisor


@dataclass(slots=True)
class VectorText:
    """Lines of IR on vectors of *lanes* elements; LLVM splits each into as many registers as the processor needs."""

    lanes: int
    lines: list[str] = field(default_factory=list)
    named: int = 0
    block: str = "loop"  #: label of the basic block that lines are appended to
    letter: str = "v"  #: prefix of names

    @property
    def numbers(self) -> str:
        """The type of a vector of numbers."""
        return f"<{self.lanes} x double>"

    @property
    def wholes(self) -> str:
        """The type of a vector of integers."""
        return f"<{self.lanes} x i64>"

    @property
    def truths(self) -> str:
        """The type of a vector of booleans, a mask."""
        return f"<{self.lanes} x i1>"

    def put(self, text: str) -> str:
        """Append an instruction; return the name of its result."""
        self.named += 1
        self.lines.append(f"%{self.letter}{self.named} = {text}")
        return f"%{self.letter}{self.named}"

    def address(self, number: int) -> tuple[str, str]:
        """Load an array's address and row length, by the array's index in the table."""
        at = [self.put(f"getelementptr i64, ptr %table, i64 {2 * number + part}") for part in range(2)]
        return self.put(f"load ptr, ptr {at[0]}"), self.put(f"load i64, ptr {at[1]}")

    def spread(self, one: str, kind: str = "double") -> str:
        """Broadcast one scalar to all lanes."""
        vector, places = f"<{self.lanes} x {kind}>", f"<{self.lanes} x i32> zeroinitializer"
        first = self.put(f"insertelement {vector} poison, {kind} {one}, i32 0")
        return self.put(f"shufflevector {vector} {first}, {vector} poison, {places}")

    def same(self, kind: str, one: str) -> str:
        """A vector constant with *one* in all lanes."""
        return f"<{', '.join([f'{kind} {one}'] * self.lanes)}>"

    def constant(self, number: float) -> str:
        """A vector constant with the number in all lanes, written by its bits."""
        return self.same("double", bits_of(number))

    def changed(self, step: int, one: MadeVector) -> MadeVector:
        """Emit a unary step."""
        if step == NOT:
            return MadeVector(self.negated(self.truth(one)), is_truth=True)
        number = self.number(one)
        if step == KNOWN:
            return MadeVector(self.compared("ord", number, number), is_truth=True)
        return MadeVector(self.called("fabs", number) if step == ABS else self.count("fneg", number))

    def joined(self, step: int, one: MadeVector, other: MadeVector) -> MadeVector:
        """Emit a binary step."""
        if step in (AND, OR):
            sign = "and" if step == AND else "or"
            return MadeVector(self.logic(sign, self.truth(one), self.truth(other)), is_truth=True)
        left, right = self.number(one), self.number(other)
        if step in _COMPARED:
            return MadeVector(self.compared(_COMPARED[step], left, right), is_truth=True)
        if step == TURNS:
            return MadeVector(self._turned(left, right), is_truth=True)
        if step in _COUNTED:
            return MadeVector(self.count(_COUNTED[step], left, right))
        if step == DIVIDE:
            ratio = self.count("fdiv", left, right)
            return MadeVector(self.chosen(self.compared("oeq", right, _NOUGHT), self.constant(np.nan), ratio))
        if step == REMAINDER:
            return MadeVector(self._remainder(left, other.divisor or self.divisor(right)))
        beyond, equal = ("olt", "ole") if step == LEAST else ("ogt", "oge")
        found = self.chosen(self.compared(equal, right, left), right, self.constant(np.nan))
        return MadeVector(self.chosen(self.compared(beyond, left, right), left, found))

    def _turned(self, left: str, right: str) -> str:
        """Whether two numbers differ, or exactly one of them is nan."""
        known = (self.compared("ord", one, one) for one in (left, right))
        return self.logic("or", self.compared("one", left, right), self.logic("xor", *known))

    def _remainder(self, number: str, divisor: Divisor) -> str:
        """The remainder as NumPy defines it, without a division where the divisor is the same for all things.

        The quotient is the floor of the number times the reciprocal.  If that is right, one fused multiply-add rounds
        once, as NumPy does.  If it is off, the remainder is not between 0 and the divisor, before rounding and after:
        then the C library's ``fmod``, which divides bit by bit, computes all lanes.
        """
        quotient = self.called("floor", self.count("fmul", number, divisor.inverse))
        found = self.called("fma", self.count("fneg", quotient), divisor.name, number)
        beyond = (self.compared("olt", found, divisor.low), self.compared("ogt", found, divisor.high))
        doubtful = self.logic("or", self.logic("or", *beyond), divisor.doubtful)
        any_doubtful = self.put(f"call i1 @llvm.vector.reduce.or.v{self.lanes}i1({self.truths} {doubtful})")
        before, slow, after = self.block, f"slow{self.named}", f"after{self.named}"
        self.lines += [f"br i1 {any_doubtful}, label %{slow}, label %{after}", f"{slow}:"]
        left = self.count("frem", number, divisor.name)
        below = self.count("fadd", left, divisor.name)
        exact = self.chosen(self._has_other_sign(left, divisor.name), below, left)
        self.lines += [f"br label %{after}", f"{after}:"]
        self.block = after
        return self.put(f"phi {self.numbers} [ {found}, %{before} ], [ {exact}, %{slow} ]")

    def _has_other_sign(self, left: str, divisor: str) -> str:
        signs = (self.compared("olt", one, _NOUGHT) for one in (left, divisor))
        return self.logic("and", self.logic("xor", *signs), self.compared("one", left, _NOUGHT))

    def divisor(self, name: str, inverse: str = "") -> Divisor:
        """Precompute what :meth:`_remainder` needs of a divisor; a divisor that is nan or 0 leaves nan."""
        size = self.called("fabs", name)
        within = self.logic(
            "and", self.compared("ogt", size, self.constant(SMALL)), self.compared("olt", size, self.constant(LARGE))
        )
        doubtful = self.logic("xor", within, self.compared("one", size, _NOUGHT))
        # The float next to the divisor towards 0:
        last = self.as_number(self.whole("sub", self.as_whole(name), self.same("i64", "1")))
        is_below = self.compared("olt", name, _NOUGHT)
        low, high = self.chosen(is_below, last, _NOUGHT), self.chosen(is_below, _NOUGHT, last)
        return Divisor(name, inverse or self.count("fdiv", self.constant(1.0), name), low, high, doubtful)

    def number(self, one: MadeVector) -> str:
        """Convert to numbers: a boolean to 1 or 0."""
        return self.put(f"uitofp {self.truths} {one.name} to {self.numbers}") if one.is_truth else one.name

    def truth(self, one: MadeVector) -> str:
        """Convert to booleans: whether a number is above 0."""
        return one.name if one.is_truth else self.compared("ogt", one.name, _NOUGHT)

    def compared(self, how: str, left: str, right: str) -> str:
        """A mask: compare numbers by a predicate of LLVM's."""
        return self.count(f"fcmp {how}", left, right)

    def chosen(self, truth: str, one: str, other: str) -> str:
        """Select *one* where the mask *truth* is set, else the *other*."""
        return self.put(f"select {self.truths} {truth}, {self.numbers} {one}, {self.numbers} {other}")

    def called(self, name: str, *given: str) -> str:
        """Call an intrinsic on numbers."""
        told = ", ".join(f"{self.numbers} {one}" for one in given)
        return self.put(f"call {self.numbers} @llvm.{name}.v{self.lanes}f64({told})")

    def count(self, sign: str, *given: str) -> str:
        """Apply an instruction to numbers."""
        return self.put(f"{sign} {self.numbers} {', '.join(given)}")

    def logic(self, sign: str, *given: str) -> str:
        """Apply an instruction to masks."""
        return self.put(f"{sign} {self.truths} {', '.join(given)}")

    def negated(self, truth: str) -> str:
        """The complement of a mask."""
        return self.logic("xor", truth, self.same("i1", "true"))

    def whole(self, sign: str, *given: str) -> str:
        """Apply an instruction to integers."""
        return self.put(f"{sign} {self.wholes} {', '.join(given)}")

    def least_whole(self, one: str, other: str) -> str:
        """The unsigned minimum of integers: one below 0 counts as larger than all others."""
        return self.put(f"call {self.wholes} @llvm.umin.v{self.lanes}i64({self.wholes} {one}, {self.wholes} {other})")

    def as_whole(self, number: str) -> str:
        """Reinterpret the bits of numbers as integers."""
        return self.put(f"bitcast {self.numbers} {number} to {self.wholes}")

    def as_number(self, bits: str) -> str:
        """Reinterpret integers as the bits of numbers."""
        return self.put(f"bitcast {self.wholes} {bits} to {self.numbers}")


def bits_of(number: float) -> str:
    """A number as LLVM's hexadecimal literal of its bits."""
    return f"0x{struct.pack('>d', number).hex()}"


def table_of(*arrays: NDArray[Any]) -> NDArray[np.int64]:
    """The address and row length of each array, as :meth:`VectorText.address` loads them."""
    assert all(array.flags.c_contiguous for array in arrays)
    return np.array([number for array in arrays for number in (array.ctypes.data, array.shape[-1])], np.int64)
