"""Questions answered event by event in plain Python, slowly, directly from their definition.

A missing number is None; a comparison with one is false.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from slotscope.model.api import Session
from slotscope.model.questions.fields import AskedField, RowColumn, SampleColumns
from slotscope.model.questions.syntax import (
    FunctionCall,
    Infix,
    Member,
    Name,
    Node,
    Number,
    OfThing,
    OneOf,
    Prefix,
    Turns,
    Where,
)
from slotscope.model.questions.words import Words
from slotscope.model.running.engine import started
from slotscope.model.systems.state import copied
from tests.sound import reference_events


class Moment(NamedTuple):
    """An event: its row, empty at the start, and the sample and state after it."""

    row: dict[str, Any]
    sample: list[float]
    state: Any


class Story:
    """The first events of a run under its reference, one by one."""

    def __init__(self, session: Session, events: int) -> None:
        system = session.bench.system
        self.words = Words(session.bench.kind.vocabulary, system)
        self.numbers = session.bench.numbers
        # Cached: many questions contain the same condition.
        self._each = lru_cache(2**14)(self._each_thing)
        state = started(system)
        self.moments = [Moment({}, _sample(system, state), copied(state))]
        for run in reference_events(system, state, events):
            row = dict(zip(run.row.dtype.names or (), run.row[0].tolist(), strict=True))
            self.moments.append(Moment(row, _sample(system, run.state), copied(run.state)))

    def hits(self, node: Node) -> list[int]:
        """The events at which a question is true."""
        return [event for event in range(1, len(self.moments)) if self.value(node, event)]

    def value(self, node: Node, event: int, thing: tuple[str, int] | None = None, choices: str = "") -> Any:
        """The value of an expression at an event; None for a missing number."""
        match node:
            case Number():
                return node.value
            case Name(text="true" | "false"):
                return node.text == "true"
            case Name() | Member():
                return self._named(node, event, thing, choices)
            case OfThing():
                return self._of_thing(node, event)
            case Where():
                return self._where(node, event)
            case Prefix():
                return self._prefix(node, event, thing)
            case Infix():
                return self._infix(node, event, thing)
            case OneOf():
                value, named = self.value(node.part, event, thing), self.choices(node.part, thing)
                items = [self.value(item, event, thing, named) for item in node.items]
                return value is not None and value in items
            case Turns():
                return self._turns(node, event, thing)
            case FunctionCall():
                return _called(node.name, [self.value(part, event, thing) for part in node.parts])
        raise TypeError(node)

    def _moment(self, event: int) -> Moment:
        """The moment after an event; an empty one before the start."""
        return self.moments[event] if event >= 0 else Moment({}, [math.nan] * len(self.moments[0].sample), None)

    def is_truth(self, node: Node, thing: tuple[str, int] | None = None) -> bool:
        """Whether an expression is a truth value."""
        match node:
            case Name():
                return node.text in {"true", "false"} or (
                    node.text in self.words.happenings and not (thing and node.text in self.words.of_thing[thing[0]])
                )
            case Where():
                return node.how == "any"
            case Prefix():
                return node.sign == "not" or (node.sign == "was" and self.is_truth(node.part, thing))
            case Infix():
                return node.sign not in {"+", "-", "*", "/", "%"}
            case FunctionCall():
                return node.name == "known"
        return isinstance(node, OneOf | Turns)

    def choices(self, node: Node, thing: tuple[str, int] | None) -> str:
        """The dimension of which an expression's values are members."""
        if isinstance(node, Prefix) and node.sign == "was":
            return self.choices(node.part, thing)
        if isinstance(node, OfThing):
            return self.words.of_thing[node.thing][_text(node.name)].choices
        if not isinstance(node, Name | Member):
            return ""
        known = self._field(_text(node), thing)
        return known.choices if known else ""

    def _field(self, name: str, thing: tuple[str, int] | None) -> AskedField | None:
        if thing and name in self.words.of_thing[thing[0]]:
            return self.words.of_thing[thing[0]][name]
        return self.words.fields.get(name)

    def _named(self, node: Name | Member, event: int, thing: tuple[str, int] | None, choices: str) -> Any:
        name, moment = _text(node), self._moment(event)
        if choices and isinstance(node, Name) and (place := self.words.place_of(choices, name)) is not None:
            return float(place)
        own = self.words.of_thing[thing[0]].get(name) if thing else None
        if own is not None:
            return self._read(own, node, moment, thing)
        if name in self.words.happenings and isinstance(node, Name):
            return bool(moment.row.get("flags", 0) & self.words.happenings[name].flag)
        return self._read(self.words.fields[name], node, moment, None)

    def _read(self, known: AskedField, node: Name | Member, moment: Moment, thing: tuple[str, int] | None) -> Any:
        source = known.source
        place = 0 if isinstance(node, Name) else self._place(known, node)
        if isinstance(source, RowColumn):
            value = moment.row.get(source.name)
            if value is not None and source.down_from is not None:
                value = source.down_from - value
            if value is None or value < source.least:
                return None
            value = float(value) * (source.scale(self.numbers) if source.scale else 1)
            return value + source.numbered if not source.scale else value
        if isinstance(source, SampleColumns):
            sampled = self._sampled(source.places, place, moment)
            sampled -= 0.0 if source.less is None else self._sampled(source.less, place, moment)
            return None if math.isnan(sampled) else sampled
        if moment.state is None:
            return None
        state = moment.state if source.derived is None else source.derived.seen(moment.state)
        value = np.asarray(source.read(state), float) * (source.scale(self.numbers) if source.scale else 1)
        value = value[thing[1]] if thing else value
        number = float(value[place] if known.index else value)
        return None if math.isnan(number) else number

    def _sampled(self, places: Any, place: int, moment: Moment) -> float:
        places = places(self.numbers) if callable(places) else places
        return float(moment.sample[int(np.atleast_1d(np.arange(len(moment.sample))[places])[place])])

    def _place(self, known: AskedField, node: Member) -> int:
        if isinstance(node.member, Number):
            return int(node.member.value) - 1
        found = self.words.place_of(known.index, node.member.text)
        assert found is not None
        return found - 1

    def _of_thing(self, node: OfThing, event: int) -> Any:
        if event < 0:
            return None
        moment = self.moments[event]
        numbers = list(self.words.things[node.thing].numbers(moment.state))
        if node.number not in numbers:
            return None
        known = self.words.of_thing[node.thing][_text(node.name)]
        return self._read(known, node.name, moment, (node.thing, numbers.index(node.number)))

    def _where(self, node: Where, event: int) -> Any:
        if event < 0:
            return False if node.how == "any" else None
        so = self._each(node.thing, node.condition, event)
        return any(so) if node.how == "any" else float(sum(so))

    def _each_thing(self, thing: str, condition: Node, event: int) -> list[bool]:
        """For each thing, whether it satisfies the condition."""
        count = len(self.words.things[thing].numbers(self.moments[event].state))
        return [bool(self.value(condition, event, (thing, place))) for place in range(count)]

    def _prefix(self, node: Prefix, event: int, thing: tuple[str, int] | None) -> Any:
        if node.sign == "was":
            return self._before(node.part, event, thing)
        value = self.value(node.part, event, thing)
        if node.sign == "not":
            return not value
        return None if value is None else -value

    def _before(self, node: Node, event: int, thing: tuple[str, int] | None) -> Any:
        """An expression's value one event before, for the thing of the same number; missing if it was not there."""
        if thing is None:
            return self.value(node, event - 1)
        if event < 1:
            return False if self.is_truth(node, thing) else None
        numbers = self.words.things[thing[0]].numbers
        now = numbers(self.moments[event].state)[thing[1]]
        then = list(numbers(self.moments[event - 1].state))
        if now not in then:
            return False if self.is_truth(node, thing) else None
        return self.value(node, event - 1, (thing[0], then.index(now)))

    def _turns(self, node: Turns, event: int, thing: tuple[str, int] | None) -> bool:
        now, before = self.value(node.part, event, thing), self._before(node.part, event, thing)
        if node.how == "becomes true":
            return bool(now and not before)
        if node.how == "becomes false":
            return bool(before and not now)
        if now is None or before is None:  # a missing number: a change only if the thing was there before
            known = self._was_there(event, thing) if thing else isinstance(node.part, OfThing)
            return known and (now is None) is not (before is None)
        return now != before

    def _was_there(self, event: int, thing: tuple[str, int]) -> bool:
        """Whether a thing in the state after an event was there one event before."""
        if event < 1:
            return False
        numbers = self.words.things[thing[0]].numbers
        now, then = (list(numbers(self.moments[each].state)) for each in (event, event - 1))
        return now[thing[1]] in then

    def _infix(self, node: Infix, event: int, thing: tuple[str, int] | None) -> Any:
        if node.sign in {"and", "or"}:
            left, right = self.value(node.left, event, thing), self.value(node.right, event, thing)
            return (left and right) if node.sign == "and" else (left or right)
        # A member's name counts as such only beside its dimension, as in type = jobs, and not in a sum.
        beside = node.sign not in {"+", "-", "*", "/", "%"}
        field = isinstance(node.left, Name) and self._field(node.left.text, thing) is not None
        left = self.value(node.left, event, thing, self.choices(node.right, thing) if beside and not field else "")
        right = self.value(node.right, event, thing, self.choices(node.left, thing) if beside else "")
        if left is None or right is None:
            return False if self.is_truth(node) else None
        return _reckoned(node.sign, left, right)


def _reckoned(sign: str, left: Any, right: Any) -> Any:
    match sign:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/" | "%":
            if right == 0:
                return None
            return left / right if sign == "/" else float(np.mod(left, right))
        case "=":
            return left == right
        case "!=":
            return left != right
        case "<":
            return left < right
        case "<=":
            return left <= right
        case ">":
            return left > right
    return left >= right


def _called(name: str, values: list[Any]) -> Any:
    if name == "known":
        return values[0] is not None
    if None in values:
        return None
    return {"abs": abs, "min": min, "max": max}[name](*values)


def _text(node: Name | Member) -> str:
    return node.text if isinstance(node, Name) else node.name


def _sample(system: Any, state: Any) -> list[float]:
    row = np.zeros(system.sample_width)
    system.sample(state, row)
    return [float(each) for each in row]
