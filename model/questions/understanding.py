"""How a question is understood: each part of its text becomes a function from columns to a column."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import NoReturn

import numpy as np

from slotscope.model.questions.changes import OfThings, StateLook
from slotscope.model.questions.fields import AskedField, RowColumn, SaidValues, SampleColumns, StateValue, ThingFields
from slotscope.model.questions.meaning import Question
from slotscope.model.questions.operations import (
    CALLED,
    COMPARED,
    COUNTED,
    Run,
    changes,
    constant,
    of_many,
    of_one,
    of_row,
    of_said,
    of_same,
    of_sample,
    of_state,
    turns,
    turns_of_one,
)
from slotscope.model.questions.pairing import pairing_of
from slotscope.model.questions.parts import EVENT, THEN, THING, Meaning
from slotscope.model.questions.syntax import (
    COMPARISONS,
    FunctionCall,
    Infix,
    Member,
    Name,
    Node,
    Number,
    OfThing,
    OneOf,
    Prefix,
    QuestionError,
    Turns,
    Where,
    fault,
    parse,
)
from slotscope.model.questions.tables import Column, EventTable, shifted
from slotscope.model.questions.words import Words, first_few, nearest
from slotscope.model.reporting.explain import grouped


def understood(text: str, words: Words, truth: bool = True) -> Question:
    """A question about a run; one that is true or false, unless *truth* is not asked for.

    Raises
    ------
    QuestionError
        If it cannot be understood: in one line what, where, and what is near.
    """
    question = Question(text)
    reader = _Interpreter(text, words, question)
    tree = parse(text)
    question.part = reader.truth(tree) if truth else reader.read(tree)
    return question


def slack_of(text: str, words: Words) -> Question | None:
    """How far a comparison of numbers is from failing, the one side less the other; None for anything else."""
    tree = parse(text)
    if not isinstance(tree, Infix) or tree.sign[0] not in "<>":
        return None
    larger, smaller = (tree.left, tree.right) if tree.sign[0] == ">" else (tree.right, tree.left)
    question = Question(text)
    try:
        question.part = _Interpreter(text, words, question).read(Infix(tree.at, "-", larger, smaller))
    except QuestionError:  # names of types, ... have an order and no difference
        return None
    return question


class _Interpreter:
    """Understands the parts of one question; within ``where`` the fields of a *thing* come first."""

    def __init__(self, text: str, words: Words, question: Question, thing: str = "", back: bool = False) -> None:
        self._text = text
        self._words = words
        self._question = question
        self._thing = thing
        self._back = back  # within 'was' about a thing
        self._fields: list[Run] = []  # of each thing
        self._of_event = False  # whether numbers of the event are read beside them
        self._needs = frozenset[int]()  # what is read beside them from the state itself, by the places of its looks
        self._paired = False  # whether also of the state one event before

    def wrong(self, node: Node, message: str) -> NoReturn:
        raise fault(self._text, node.at, message)

    def read(self, node: Node, depth: int = 0) -> Meaning:
        self._question.depth = max(self._question.depth, depth)
        match node:
            case Number(value=value):
                return Meaning(partial(constant, value), truth=False)
            case Name(text="true" | "false"):
                return Meaning(partial(constant, node.text == "true"), truth=True)
            case Name() | Member():
                return self._named(node)
            case OfThing():
                return self._of_thing(node)
            case Where():
                return self._where(node, depth)
            case Prefix():
                return self._prefix(node, depth)
            case Infix():
                return self._infix(node, depth)
            case OneOf():
                return self._one_of(node, depth)
            case Turns():
                return self._turns(node, depth)
            case FunctionCall():
                return self._call(node, depth)
        raise TypeError(f"no part of a question is a {type(node).__name__}")

    def truth(self, node: Node, depth: int = 0) -> Meaning:
        part = self.read(node, depth)
        if not part.truth:
            self.wrong(node, "found a number, allowed here: what is true or false, such as waiting > 50 or rejected")
        return part

    def number(self, node: Node, depth: int, choices: str = "") -> Meaning:
        if choices and isinstance(node, Name):
            place = self._words.place_of(choices, node.text)
            if place is not None:
                return Meaning(partial(constant, float(place)), truth=False, choices=choices)
            if not self._known(node.text):
                self.wrong(node, self._no_member(choices, node.text))
        part = self.read(node, depth)
        if part.truth:
            self.wrong(node, "found what is true or false, allowed here: a number")
        return part

    # Names.

    def _known(self, name: str) -> bool:
        mine = self._words.of_thing.get(self._thing, {})
        return name in mine or name in self._words.fields or name in self._words.happenings

    def _named(self, node: Name | Member) -> Meaning:
        name = node.text if isinstance(node, Name) else node.name
        mine = self._words.of_thing.get(self._thing, {})
        if name in mine:
            read = self._value(mine[name], node)
            self._fields.append(read)
            return Meaning(read, truth=False, choices=mine[name].choices, reads=THING)
        self._of_event = True
        happening = self._words.happenings.get(name)
        if happening is not None and isinstance(node, Name):
            flag = happening.flag
            return Meaning(lambda table: table.happened(flag), truth=True, reads=EVENT)
        if name not in self._words.fields:
            if happening is not None:
                self.wrong(node, f"found '{name}[...]', which happens or not, allowed: {name}")
            near = nearest(name, (*mine, *self._words.names()))
            self.wrong(node, f"found the name '{name}', {near}")
        return self._field(self._words.fields[name], node)

    def _field(self, known: AskedField, node: Name | Member) -> Meaning:
        read = self._value(known, node)
        if isinstance(known.source, StateValue | SaidValues):
            whole = OfThings(None, read, (read,)) if isinstance(known.source, StateValue) else None
            part = self._looked(read, False, known.choices, whole)
            self._needs |= part.needs
            return part
        return Meaning(read, truth=False, choices=known.choices, reads=EVENT)

    def _looked(self, read: Run, truth: bool, choices: str = "", of_things: OfThings | None = None) -> Meaning:
        """What is read from the state after each event."""
        place = len(self._question.looks)
        self._question.looks.append(StateLook(read, of_things))
        needs = frozenset((place,))
        if truth:
            return Meaning(lambda table: table.look(place) > 0, truth=True, needs=needs)
        return Meaning(lambda table: table.look(place), False, choices, needs, reads=EVENT)

    def _value(self, known: AskedField, node: Name | Member) -> Run:
        place = self._place(known, node)
        source = known.source
        if isinstance(source, RowColumn):
            self._question.costly |= source.costly
            return partial(of_row, source)
        if isinstance(source, SampleColumns):
            self._question.samples = True
            return partial(of_sample, source, place)
        if isinstance(source, SaidValues):
            self._question.pairs = True
            return partial(of_said, source.names(self._words.policy)[place or 0])
        return partial(of_state, source, place)

    def _place(self, known: AskedField, node: Name | Member) -> int | None:
        """Which of a field's values is meant, from 0; None where it has one alone."""
        if isinstance(node, Name):
            if known.index:
                self.wrong(
                    node,
                    f"found '{node.text}', which has a value for each {known.index}, {self._written(known, node.text)}",
                )
            return None
        if not known.index:
            self.wrong(node, f"found '{node.name}[...]', which has one value, allowed: {node.name}")
        members = self._words.dimensions[known.index]
        if isinstance(node.member, Number):
            place = node.member.value
            if place not in range(1, len(members) + 1):
                self.wrong(node.member, f"found {place:g}, {self._written(known, node.name)}")
            return int(place) - 1
        found = self._words.place_of(known.index, node.member.text)
        if found is None:
            self.wrong(node.member, self._no_member(known.index, node.member.text))
        return found - 1

    def _no_member(self, dimension: str, name: str) -> str:
        members = self._words.dimensions[dimension]
        if dimension != "said":
            return f"found the {dimension} '{name}', {nearest(name, members)}"
        says = f"it says: {first_few(members)}" if members else "it says no values"
        return f"found '{name}', which the policy does not say; {says}"

    def _written(self, known: AskedField, name: str) -> str:
        count = len(self._words.dimensions[known.index])
        return f"allowed: {name}[1] to {name}[{count}]" if count else "there is none in this run"

    # Things.

    def _inside(self, node: OfThing | Where) -> _Interpreter:
        if self._thing:
            self.wrong(
                node, f"found another thing after 'where', allowed: fields of the {self._thing} and of the event"
            )
        if node.thing not in self._words.things:
            self.wrong(node, f"found the thing '{node.thing}', {nearest(node.thing, self._words.things)}")
        return _Interpreter(self._text, self._words, self._question, node.thing)

    def _of_thing(self, node: OfThing) -> Meaning:
        inside = self._inside(node)
        name = node.name.text if isinstance(node.name, Name) else node.name.name
        known = self._words.of_thing[node.thing].get(name)
        if known is None:
            near = nearest(name, self._words.of_thing[node.thing])
            self.wrong(node.name, f"found the {node.thing}'s field '{name}', {near}")
        part, things = inside._named(node.name), self._words.things[node.thing]
        self._refuse_none(node, things)
        changing = inside._of_things(things, part, int(node.number))
        return self._looked(partial(of_one, things.numbers, node.number, part.run), False, known.choices, changing)

    def _refuse_none(self, node: OfThing, things: ThingFields) -> None:
        """A number that no thing ever has."""
        count = things.fixed(self._words.numbers) if things.fixed is not None else None
        if node.number % 1 or node.number < 0 or (count is not None and not 1 <= node.number <= count):
            allowed = "whole numbers" if count is None else f"1 to {grouped(count)}"
            self.wrong(node, f"found {node.thing} {node.number:g}, allowed: {allowed}")

    def _where(self, node: Where, depth: int) -> Meaning:
        inside = self._inside(node)
        part, things = inside.truth(node.condition, depth), self._words.things[node.thing]
        changing = inside._of_things(things, part)._replace(pairing=pairing_of(part), any=node.how == "any")
        return self._looked(partial(of_many, things.numbers, part.run), node.how == "any", of_things=changing)

    def _of_things(self, things: ThingFields, part: Meaning, number: int | None = None) -> OfThings:
        """A look that need not stop at each state."""
        told = self._paired, part.turning, self._of_event, self._needs
        return OfThings(things, part.run, tuple(self._fields), number, *told)

    # Signs.

    def _prefix(self, node: Prefix, depth: int) -> Meaning:
        if node.sign == "not":
            part = self.truth(node.part, depth)
            return Meaning(
                lambda table: ~part.run(table),
                truth=True,
                needs=part.needs,
                bound=lambda table, upper: ~part.where(table, not upper),
                sign="not",
                parts=(part,),
            )
        if node.sign == "-":
            part = self.number(node.part, depth)
            return Meaning(lambda table: -part.run(table), False, needs=part.needs, sign="negative", parts=(part,))
        if self._thing:
            before = self._before(node, node.part, depth)
            return Meaning(self._was(before), before.truth, before.choices, reads=THEN)
        part = self.read(node.part, depth + 1)
        return Meaning(
            lambda table: shifted(part.run(table)),
            part.truth,
            part.choices,
            part.needs,
            lambda table, upper: shifted(part.where(table, upper)) if part.truth else np.full(table.length, upper),
        )

    def _before(self, node: Node, part: Node, depth: int) -> Meaning:
        """A part that is about each thing as it was one event before."""
        if self._back:
            self.wrong(node, "found a second step back after 'where', allowed: one, as in was empty > 0")
        self._question.pairs = self._paired = True
        inside = _Interpreter(self._text, self._words, self._question, self._thing, back=True)
        found = inside.read(part, depth + 1)
        self._fields += inside._fields
        self._of_event |= inside._of_event
        self._needs |= inside._needs
        return replace(found, turning=not (inside._of_event or inside._needs))

    def _was(self, part: Meaning) -> Run:
        """What a part was of each thing, one event before."""
        return partial(of_same, self._words.things[self._thing].numbers, part.run, part.truth)

    def _infix(self, node: Infix, depth: int) -> Meaning:
        if node.sign in {"and", "or"}:
            left, right = self.truth(node.left, depth), self.truth(node.right, depth)
            both = np.logical_and if node.sign == "and" else np.logical_or
            return Meaning(
                lambda table: both(left.run(table), right.run(table)),
                truth=True,
                needs=left.needs | right.needs,
                bound=lambda table, upper: both(left.where(table, upper), right.where(table, upper)),
                turning=(any if node.sign == "and" else all)((left.turning, right.turning)),
                sign=node.sign,
                parts=(left, right),
            )
        left, right = self._pair(node, depth)
        if (left.truth or right.truth) and (node.sign not in {"=", "!="} or left.truth != right.truth):
            wrong = node.left if left.truth else node.right
            self.wrong(wrong, f"found what is true or false beside '{node.sign}', allowed: a number")
        operation = COMPARED[node.sign] if node.sign in COMPARISONS else COUNTED[node.sign]
        if left.truth and node.sign == "!=":
            operation = np.not_equal
        return Meaning(
            lambda table: operation(left.run(table), right.run(table)),
            truth=node.sign in COMPARISONS,
            needs=left.needs | right.needs,
            sign=node.sign,
            parts=(left, right),
        )

    def _pair(self, node: Infix, depth: int) -> tuple[Meaning, Meaning]:
        """Both sides; a bare name beside a value that has names is one of them."""
        if node.sign not in COMPARISONS:
            return self.number(node.left, depth), self.number(node.right, depth)
        if isinstance(node.left, Name) and not self._known(node.left.text) and not isinstance(node.right, Number):
            right = self.read(node.right, depth)
            return (
                self.number(node.left, depth, right.choices) if right.choices else self.read(node.left, depth)
            ), right
        left = self.read(node.left, depth)
        return left, self.number(node.right, depth, left.choices) if left.choices else self.read(node.right, depth)

    def _one_of(self, node: OneOf, depth: int) -> Meaning:
        part = self.number(node.part, depth)
        items = [self.number(item, depth, part.choices) for item in node.items]

        def run(table: EventTable) -> Column:
            value = part.run(table)
            return np.asarray(np.logical_or.reduce(np.broadcast_arrays(*(value == item.run(table) for item in items))))

        needs = part.needs.union(*(each.needs for each in items))
        return Meaning(run, truth=True, needs=needs, parts=(part, *items))

    def _turns(self, node: Turns, depth: int) -> Meaning:
        if self._thing:
            return self._turns_of_thing(node, depth)
        if node.how == "changes":
            part = self.read(node.part, depth + 1)
            changed = turns_of_one if isinstance(node.part, OfThing) else changes
            return Meaning(partial(changed, part.run), truth=True, needs=part.needs)
        part = self.truth(node.part, depth + 1)
        if node.how == "becomes false":
            return Meaning(
                lambda table: shifted(part.run(table)) & ~part.run(table),
                truth=True,
                needs=part.needs,
                bound=lambda table, upper: shifted(part.where(table, upper)) & ~part.where(table, not upper),
            )
        return Meaning(
            lambda table: part.run(table) & ~shifted(part.run(table)),
            truth=True,
            needs=part.needs,
            bound=lambda table, upper: part.where(table, upper) & ~shifted(part.where(table, not upper)),
        )

    def _turns_of_thing(self, node: Turns, depth: int) -> Meaning:
        """What the event did to each thing; one that was not there before was nothing, and not so."""
        part = self.read(node.part, depth) if node.how == "changes" else self.truth(node.part, depth)
        found = self._before(node, node.part, depth)
        before, there = self._was(found), self._was(Meaning(partial(constant, np.True_), truth=True))
        runs: dict[str, Run] = {
            "becomes true": lambda table: part.run(table) & ~before(table),
            "becomes false": lambda table: before(table) & ~part.run(table),
            "changes": lambda table: (
                part.run(table) != before(table) if part.truth else turns(part.run(table), before(table), there(table))
            ),
        }
        return Meaning(runs[node.how], truth=True, turning=found.turning, reads=THEN)

    def _call(self, node: FunctionCall, depth: int) -> Meaning:
        parts = [self.number(each, depth) for each in node.parts]
        called = CALLED[node.name]
        return Meaning(
            lambda table: called(*(part.run(table) for part in parts)),
            truth=node.name == "known",
            needs=frozenset().union(*(part.needs for part in parts)),
            parts=tuple(parts),
        )
