"""Machine code that prefilters blocks of things: in which blocks may a condition be true, at several events at once.

There are no false negatives: each block with a thing for which the condition is true is reported, and few others.
So each value of a thing is loaded once for several events, weights are not summed, and of a remainder only an
approximation is computed (see :mod:`slotscope.model.questions.fixed_point`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from slotscope.model.questions.fixed_point import FixedPoint, Remainder, fixed_point
from slotscope.model.questions.maybe import NEAR, NEAR_BY_OWN, NEARNESS, StepTree, maybe, tree_of
from slotscope.model.questions.pairing import ABS, ADD, DIVIDE, LEAST, MOST, NEGATE, OR, OTHER, OWN, SUBTRACT, TIMES
from slotscope.model.questions.remainders import BLOCK
from slotscope.model.questions.vector_text import MachineCode, MadeVector, VectorText, machine_code, table_of

#: Events that are evaluated together.
TOGETHER = 4

#: Lanes of a vector, and vectors per iteration of the loop.
LANES, VECTORS = 8, 2


def glance_table(
    value: NDArray[np.float64], others: NDArray[np.float64], known: NDArray[np.float64], hits: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The addresses and row lengths of the arrays that the code reads and writes; they must outlive the table.

    It reads *value* [k, things], *others* [j, events] and *known*, what :func:`known_of` gives for *value*.  It writes
    one entry of *hits* [things / BLOCK] per block that is hit: the block's first thing, shifted left by 8 bits, and in
    the low bits the set of events at which it is hit.
    """
    return table_of(value, others, known, hits)


def known_of(value: NDArray[np.float64]) -> NDArray[np.float64]:
    """[2, k] of each row of *value* [k, things]: the largest magnitude, and 1 if all that are not nan are integers."""
    size = np.abs(value)
    return np.array([np.fmax.reduce(size, axis=1, initial=0), ((size == np.floor(size)) | np.isnan(size)).all(axis=1)])


@lru_cache(maxsize=64)
def glance_code(steps: tuple[tuple[int, int], ...]) -> MachineCode | None:
    """The prefilter for a condition in steps; None if no test is cheaper than evaluating the condition itself.

    It is called with a :func:`glance_table`, the half-open range of things (whole blocks) and the half-open range of
    events, and returns the number of blocks that are hit.
    """
    condition = maybe(tree_of(steps))
    return None if condition is None else machine_code(_GlanceText(condition).whole())


@dataclass(slots=True)
class _GlanceText:
    """Writes the code as LLVM IR."""

    condition: StepTree
    events: VectorText = field(default_factory=lambda: VectorText(TOGETHER, letter="e"))  #: code before the loop
    things: VectorText = field(default_factory=lambda: VectorText(LANES))  #: code within the loop
    addresses: list[tuple[str, str]] = field(default_factory=list)
    others: dict[int, str] = field(default_factory=dict)  #: one lane per event
    spread: dict[tuple[str, int], str] = field(default_factory=dict)  #: one event's value, in all lanes
    made: dict[tuple[StepTree, int, int], MadeVector] = field(default_factory=dict)  #: by step, vector and event
    near: dict[StepTree, FixedPoint] = field(default_factory=dict)

    def whole(self) -> str:
        """The text of a function that iterates over the blocks of things."""
        events, things = self.events, self.things
        self.addresses = [events.address(number) for number in range(4)]
        none = [f"%none{event}" for event in range(TOGETHER)]
        for vector in range(VECTORS):
            for event in range(TOGETHER):
                for one in _alternatives(self.condition):
                    found = things.truth(self._made(one, vector, event))
                    none[event] = things.logic("and", none[event], things.negated(found))
        every = things.same("i1", "true")
        begun = (f"= phi {things.truths} [ {every}, %block ], [ {one}, %loop ]" for one in none)
        begun_lines = [f"%none{event} {phi}" for event, phi in enumerate(begun)]
        loop, things.lines = things.lines, []
        hit = self._hit(none)
        parts = {"before": events.lines, "begun": begun_lines, "loop": loop, "over": things.lines}
        text = {name: "\n".join(lines) for name, lines in parts.items()}
        counts = {"lanes": LANES, "few": TOGETHER, "block": BLOCK, "step": LANES * VECTORS}
        kinds = {"numbers": things.numbers, "several": events.numbers, "wholes": events.wholes}
        return _FUNCTION.format(**text, **counts, **kinds, hit=hit, hits=self.addresses[3][0])

    def _hit(self, none: list[str]) -> str:
        """A bit set of the events at which any lane is hit; *none* has for each event the mask of lanes without one."""
        things, bits = self.things, "0"
        for event, one in enumerate(none):
            packed = things.put(f"bitcast {things.truths} {one} to i{LANES}")
            some = things.put(f"zext i1 {things.put(f'icmp ne i{LANES} {packed}, -1')} to i64")
            bits = things.put(f"or i64 {bits}, {things.put(f'shl i64 {some}, {event}')}")
        return bits

    def _made(self, node: StepTree, vector: int, event: int) -> MadeVector:
        """The result of a step for a vector of things at an event; emitted once if it does not depend on the event."""
        at = node, vector, event if node.has(OTHER) else 0
        if at not in self.made:
            self.made[at] = self._make(*at)
        return self.made[at]

    def _make(self, node: StepTree, vector: int, event: int) -> MadeVector:
        things = self.things
        if node.step == OWN:
            return MadeVector(self._own(node.of, vector))
        if node.step == OTHER:
            return MadeVector(self._spread(self._other(node.of), event))
        if node.step in NEARNESS:
            return self._is_near(node, vector, event)
        if node.step == NEAR_BY_OWN:
            return self._is_near_by_own(node, vector, event)
        parts = [self._made(part, vector, event) for part in node.parts]
        return things.changed(node.step, *parts) if len(parts) == 1 else things.joined(node.step, *parts)

    def _own(self, which: int, vector: int) -> str:
        """Load one of the things' values for a vector of them."""
        start, each = self.addresses[0]
        row = self.events.put(f"mul i64 {each}, {which}")
        row = self.events.put(f"getelementptr double, ptr {start}, i64 {row}")
        place = self.things.put(f"getelementptr double, ptr {row}, i64 %at")
        place = self.things.put(f"getelementptr double, ptr {place}, i64 {vector * LANES}")
        return self.things.put(f"load {self.things.numbers}, ptr {place}, align 8")

    def _other(self, which: int) -> str:
        """Load one of the events' values, one lane per event; lanes behind the last event repeat it."""
        if which not in self.others:
            put, (start, apart), name = self.events.put, self.addresses[1], "poison"
            row = put(f"getelementptr double, ptr {start}, i64 {put(f'mul i64 {apart}, {which}')}")
            for event in range(TOGETHER):
                at = put(f"call i64 @llvm.umin.i64(i64 {put(f'add i64 %event, {event}')}, i64 %final)")
                one = put(f"load double, ptr {put(f'getelementptr double, ptr {row}, i64 {at}')}")
                name = put(f"insertelement {self.events.numbers} {name}, double {one}, i32 {event}")
            self.others[which] = name
        return self.others[which]

    def _spread(self, name: str, event: int, kind: str = "double") -> str:
        """Broadcast one event's lane of the vector *name* to all lanes of a vector of things."""
        if (name, event) not in self.spread:
            one = self.events.put(f"extractelement <{TOGETHER} x {kind}> {name}, i32 {event}")
            lines, self.things.lines = self.things.lines, self.events.lines
            self.spread[name, event] = self.things.spread(one, kind)
            self.things.lines = lines
        return self.spread[name, event]

    def _is_near(self, node: StepTree, vector: int, event: int) -> MadeVector:
        """A mask: whether each remainder may be one that the comparison accepts."""
        number, factor = _factored(node.parts[0])
        if node not in self.near:
            self.near[node] = fixed_point(self.events, node.step, self._remainder(node, number, factor))
        point, things = self.near[node], self.things
        given = things.number(self._made(number, vector, event))
        brought = things.called("fma", given, self._spread(point.scale, event), self._spread(point.magic, event))
        return self._is_told(point, brought, event)

    def _is_told(self, point: FixedPoint, brought: str, event: int) -> MadeVector:
        """The mask of :meth:`_is_near`, from quotients *brought* to fixed point."""
        things, mask = self.things, self._spread(point.mask, event, "i64")
        rest = things.whole("and", things.as_whole(brought), mask)
        return MadeVector(things.whole("icmp eq", rest, "zeroinitializer"), is_truth=True)

    def _is_near_by_own(self, node: StepTree, vector: int, event: int) -> MadeVector:
        """As :meth:`_is_near`, where the divisor is a value of the thing."""
        number, _, end = node.parts
        one, other = number, (inverse := StepTree(OWN, node.of))
        if number.step == TIMES and {part.step for part in number.parts} == {OWN, OTHER}:
            one, other = StepTree(OWN, node.of + 1), next(part for part in number.parts if part.step == OTHER)
        if node not in self.near:
            self.near[node] = self._by_own(((one, other), (inverse, end)))
        point, things = self.near[node], self.things
        left, right, over, begin = (
            things.number(self._made(part, vector, event)) for part in (one, other, inverse, end)
        )
        magic = things.called("fma", things.count("fneg", over), begin, self._spread(point.magic, event))
        return self._is_told(point, things.called("fma", left, right, magic), event)

    def _by_own(self, products: Iterable[tuple[StepTree, StepTree]]) -> FixedPoint:
        """The constants of the test that a sum of products is near an integer."""
        events = self.events
        sizes = (events.count("fmul", self._most(one), self._most(other)) for one, other in products)
        most, one, nought = events.count("fadd", *sizes), events.constant(1.0), events.constant(0.0)
        return fixed_point(events, NEAR, Remainder(one, nought, None, most, most, None))

    def _remainder(self, node: StepTree, number: StepTree, factor: StepTree | None) -> Remainder:
        """The operands of a remainder: a number, multiplied or divided by a *factor* that is a value of the event."""
        events, product, scale = self.events, None, None
        if factor is not None:
            scale = self._other(factor.of)
            if node.parts[0].step == DIVIDE:
                scale = events.count("fdiv", events.constant(1.0), scale)
            elif number.step == OWN:
                is_whole = events.compared("oeq", scale, events.called("floor", scale))
                product = events.logic(
                    "and", is_whole, events.compared("ogt", self._known(1, number.of), events.constant(0.0))
                )
        divisor, end = (self._other(part.of) for part in node.parts[1:])
        return Remainder(divisor, end, scale, self._most(node.parts[0]), self._most(number), product)

    def _known(self, what: int, which: int) -> str:
        """What :func:`known_of` says of a value: the largest magnitude (*what* 0), or whether all are integers (1)."""
        start, each = self.addresses[2]
        place = self.events.put(f"add i64 {self.events.put(f'mul i64 {each}, {what}')}, {which}")
        place = self.events.put(f"getelementptr double, ptr {start}, i64 {place}")
        return self.events.spread(self.events.put(f"load double, ptr {place}"))

    def _most(self, node: StepTree) -> str:
        """An upper bound of a step's magnitude over all things, up to rounding; it may be infinite."""
        events = self.events
        if node.step == OWN:
            return self._known(0, node.of)
        if node.step == OTHER:
            return events.called("fabs", self._other(node.of))
        if node.step in (NEGATE, ABS):
            return self._most(node.parts[0])
        if node.step == DIVIDE and node.parts[1].step != OTHER:
            return events.constant(np.inf)
        if node.step in _MOST:
            return events.count(_MOST[node.step], *map(self._most, node.parts))
        return events.constant(1.0)  # a boolean


def _alternatives(node: StepTree) -> Iterator[StepTree]:
    """The disjuncts of a condition."""
    if node.step != OR:
        yield node
        return
    for part in node.parts:
        yield from _alternatives(part)


def _factored(number: StepTree) -> tuple[StepTree, StepTree | None]:
    """A number split into another one and the event's value that this is multiplied or divided by, if there is one."""
    if number.step in (TIMES, DIVIDE):
        one, other = number.parts
        if other.step == OTHER:
            return one, other
        if one.step == OTHER and number.step == TIMES:
            return other, one
    return number, None


#: The operation on the bounds of two magnitudes that bounds the magnitude of a step's result.
_MOST = {ADD: "fadd", SUBTRACT: "fadd", LEAST: "fadd", MOST: "fadd", TIMES: "fmul", DIVIDE: "fdiv"}

_FUNCTION = """
declare {numbers} @llvm.fma.v{lanes}f64({numbers}, {numbers}, {numbers})
declare {numbers} @llvm.fabs.v{lanes}f64({numbers})
declare {several} @llvm.fabs.v{few}f64({several})
declare {several} @llvm.floor.v{few}f64({several})
declare {several} @llvm.fma.v{few}f64({several}, {several}, {several})
declare {wholes} @llvm.umin.v{few}i64({wholes}, {wholes})
declare i64 @llvm.umin.i64(i64, i64)
define double @look(ptr %table, i64 %first, i64 %last, i64 %event, i64 %beyond) {{
entry:
%final = sub i64 %beyond, 1
{before}
br label %block
block:
%begin = phi i64 [ %first, %entry ], [ %end, %on ]
%count = phi i64 [ 0, %entry ], [ %counted, %on ]
%end = add i64 %begin, {block}
br label %loop
loop:
%at = phi i64 [ %begin, %block ], [ %next, %loop ]
{begun}
{loop}
%next = add i64 %at, {step}
%within = icmp ult i64 %next, %end
br i1 %within, label %loop, label %over
over:
{over}
%is_none = icmp eq i64 {hit}, 0
br i1 %is_none, label %on, label %some
some:
%place = getelementptr i64, ptr {hits}, i64 %count
%begins = shl i64 %begin, 8
%told = or i64 %begins, {hit}
store i64 %told, ptr %place, align 8
%more = add i64 %count, 1
br label %on
on:
%counted = phi i64 [ %count, %over ], [ %more, %some ]
%further = icmp ult i64 %end, %last
br i1 %further, label %block, label %stop
stop:
%found = sitofp i64 %counted to double
ret double %found
}}
"""
