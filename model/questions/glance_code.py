"""Machine code for a condition: in which blocks of things it may be true of one, at some events at once.

It says so of each block in which it is true of one, and of few others.  So each number of things is read once for
several events, none is weighed, and about where a remainder lies is all that is told of it.
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

#: Events that are looked at together.
TOGETHER = 4

#: Numbers in a vector, and vectors in a turn of the loop.
LANES, VECTORS = 8, 2


def glance_table(
    value: NDArray[np.float64], others: NDArray[np.float64], known: NDArray[np.float64], hits: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Where code finds values [k, things] and [j, events], and what is *known* of the things' (:func:`known_of`).

    It tells in *hits* [things / BLOCK] where a block begins that is hit, from the eighth bit on, and below at which of
    the events.  All of them have to live as long as the table is used.
    """
    return table_of(value, others, known, hits)


def known_of(value: NDArray[np.float64]) -> NDArray[np.float64]:
    """[2, k] of values [k, things] the most by size, and 1 where all that are not missing are whole."""
    size = np.abs(value)
    return np.array([np.fmax.reduce(size, axis=1, initial=0), ((size == np.floor(size)) | np.isnan(size)).all(axis=1)])


@lru_cache(maxsize=64)
def glance_code(steps: tuple[tuple[int, int], ...]) -> MachineCode | None:
    """The code for a condition in steps; None where nothing is told of it sooner than whether it is true.

    It is called with a :func:`glance_table`, the first thing and the one after the last, in whole blocks, the first
    event and the one after the last, and tells how many blocks are hit.
    """
    condition = maybe(tree_of(steps))
    return None if condition is None else machine_code(_GlanceText(condition).whole())


@dataclass(slots=True)
class _GlanceText:
    """The code in LLVM's language."""

    condition: StepTree
    events: VectorText = field(default_factory=lambda: VectorText(TOGETHER, letter="e"))  #: what comes before the loop
    things: VectorText = field(default_factory=lambda: VectorText(LANES))
    addresses: list[tuple[str, str]] = field(default_factory=list)
    others: dict[int, str] = field(default_factory=dict)  #: of all events
    spread: dict[tuple[str, int], str] = field(default_factory=dict)  #: of one event, in each place of a vector
    made: dict[tuple[StepTree, int, int], MadeVector] = field(default_factory=dict)  #: of a vector, at an event
    near: dict[StepTree, FixedPoint] = field(default_factory=dict)

    def whole(self) -> str:
        """A function that goes through blocks of things."""
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
        """At which of the events there was something, bit by bit."""
        things, bits = self.things, "0"
        for event, one in enumerate(none):
            packed = things.put(f"bitcast {things.truths} {one} to i{LANES}")
            some = things.put(f"zext i1 {things.put(f'icmp ne i{LANES} {packed}, -1')} to i64")
            bits = things.put(f"or i64 {bits}, {things.put(f'shl i64 {some}, {event}')}")
        return bits

    def _made(self, node: StepTree, vector: int, event: int) -> MadeVector:
        """What a step makes of a vector of things; once, if that is the same at all events."""
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
        """A value of each thing of a vector."""
        start, each = self.addresses[0]
        row = self.events.put(f"mul i64 {each}, {which}")
        row = self.events.put(f"getelementptr double, ptr {start}, i64 {row}")
        place = self.things.put(f"getelementptr double, ptr {row}, i64 %at")
        place = self.things.put(f"getelementptr double, ptr {place}, i64 {vector * LANES}")
        return self.things.put(f"load {self.things.numbers}, ptr {place}, align 8")

    def _other(self, which: int) -> str:
        """A value of each event; behind the last one that of the last."""
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
        """Of numbers of the events that of one in each place of a vector of things."""
        if (name, event) not in self.spread:
            one = self.events.put(f"extractelement <{TOGETHER} x {kind}> {name}, i32 {event}")
            lines, self.things.lines = self.things.lines, self.events.lines
            self.spread[name, event] = self.things.spread(one, kind)
            self.things.lines = lines
        return self.spread[name, event]

    def _is_near(self, node: StepTree, vector: int, event: int) -> MadeVector:
        """Whether remainders may be those looked for."""
        number, factor = _factored(node.parts[0])
        if node not in self.near:
            self.near[node] = fixed_point(self.events, node.step, self._remainder(node, number, factor))
        point, things = self.near[node], self.things
        given = things.number(self._made(number, vector, event))
        brought = things.called("fma", given, self._spread(point.scale, event), self._spread(point.magic, event))
        return self._is_told(point, brought, event)

    def _is_told(self, point: FixedPoint, brought: str, event: int) -> MadeVector:
        """Whether what was *brought* to fixed point may be the remainders looked for."""
        things, mask = self.things, self._spread(point.mask, event, "i64")
        rest = things.whole("and", things.as_whole(brought), mask)
        return MadeVector(things.whole("icmp eq", rest, "zeroinitializer"), is_truth=True)

    def _is_near_by_own(self, node: StepTree, vector: int, event: int) -> MadeVector:
        """Whether remainders may be those looked for, where each thing has a divisor of its own."""
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
        """How to tell that a sum of products is near a whole number."""
        events = self.events
        sizes = (events.count("fmul", self._most(one), self._most(other)) for one, other in products)
        most, one, nought = events.count("fadd", *sizes), events.constant(1.0), events.constant(0.0)
        return fixed_point(events, NEAR, Remainder(one, nought, None, most, most, None))

    def _remainder(self, node: StepTree, number: StepTree, factor: StepTree | None) -> Remainder:
        """What a remainder is of: a number, times a factor of the event's, or over it."""
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
        """What is known of a value of things: the most by size, or whether all are whole."""
        start, each = self.addresses[2]
        place = self.events.put(f"add i64 {self.events.put(f'mul i64 {each}, {what}')}, {which}")
        place = self.events.put(f"getelementptr double, ptr {start}, i64 {place}")
        return self.events.spread(self.events.put(f"load double, ptr {place}"))

    def _most(self, node: StepTree) -> str:
        """What no number of a thing exceeds by size, but for how it is rounded; it may be infinite."""
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
        return events.constant(1.0)  # a truth


def _alternatives(node: StepTree) -> Iterator[StepTree]:
    """Conditions of which one has to be true."""
    if node.step != OR:
        yield node
        return
    for part in node.parts:
        yield from _alternatives(part)


def _factored(number: StepTree) -> tuple[StepTree, StepTree | None]:
    """A number as another one, and what of the event's that is multiplied by, or divided."""
    if number.step in (TIMES, DIVIDE):
        one, other = number.parts
        if other.step == OTHER:
            return one, other
        if one.step == OTHER and number.step == TIMES:
            return other, one
    return number, None


#: What is done to the most that two numbers can be.
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
