"""Interprets questions: each node of the syntax tree becomes a function from columns to a column."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Iterable, NoReturn, Sequence

import numpy as np

from slotscope.model.errors import quoted
from slotscope.model.phrase import Phrase
from slotscope.model.questions.changes import OfThings, StateLook
from slotscope.model.questions.fields import AskedField, RowColumn, SaidValues, SampleColumns, StateValue, ThingFields
from slotscope.model.questions.meaning import Question
from slotscope.model.questions.operations import (
    OPERATIONS,
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
    turns_of_one,
)
from slotscope.model.questions.pairing import pairing_of
from slotscope.model.questions.parts import EVENT, FALSE, THEN, THING, TRUE, WAS, Meaning, compared, joined, still
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
    """Interpret a question about a run; it has to be a condition, unless *truth* is false.

    Raises
    ------
    QuestionError
        If it cannot be interpreted: one line with what was found, where, and the nearest names allowed.
    """
    question = Question(text)
    reader = _Interpreter(text, words, question)
    tree = parse(text)
    question.part = reader.truth(tree) if truth else reader.read(tree)
    return question


def slack_of(text: str, words: Words) -> Question | None:
    """The difference of the sides of an inequality, which is negative where that fails; None for anything else."""
    tree = parse(text)
    if not isinstance(tree, Infix) or tree.sign[0] not in "<>":
        return None
    larger, smaller = (tree.left, tree.right) if tree.sign[0] == ">" else (tree.right, tree.left)
    question = Question(text)
    try:
        question.part = _Interpreter(text, words, question).read(Infix(tree.at, "-", larger, smaller))
    except QuestionError:  # named values, such as types, have an order but no difference
        return None
    return question


#: The operator of each inequality with its sides exchanged.
_TURNED_ROUND = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


class _Interpreter:
    """Interprets the nodes of one question; within ``where`` the fields of the *thing* take precedence."""

    def __init__(self, text: str, words: Words, question: Question, thing: str = "") -> None:
        self._text = text
        self._words = words
        self._question = question
        self._thing = thing
        self._back = False  # within 'was' about a thing

    def wrong(self, node: Node, message: str) -> NoReturn:
        raise fault(self._text, node.at, message)

    def read(self, node: Node, depth: int = 0) -> Meaning:
        self._question.depth = max(self._question.depth, depth)
        match node:
            case Number(value=value):
                return Meaning(partial(constant, value), truth=False, ends=(value, value))
            case Name(text="true" | "false"):
                return TRUE if node.text == "true" else FALSE
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
        return self._true(node, self.read(node, depth))

    def _true(self, node: Node, part: Meaning) -> Meaning:
        if not part.truth:
            such = f"(count {node.thing} where ...) > 3" if isinstance(node, Where) else "waiting > 50 or rejected"
            self.wrong(node, f"found a number, allowed here: what is true or false, such as {such}")
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
            return Meaning(self._value(mine[name], node), truth=False, choices=mine[name].choices, reads=THING)
        happening = self._words.happenings.get(name)
        if happening is not None and isinstance(node, Name):
            flag = happening.flag
            return Meaning(lambda table: table.happened(flag), truth=True, reads=EVENT)
        if name not in self._words.fields:
            if happening is not None:
                self.wrong(node, f"found '{name}[...]', which happens or not, allowed: {name}")
            self._unknown(node, f"the name {quoted(name)}", name, (*mine, *self._words.names()))
        return self._field(self._words.fields[name], node)

    def _unknown(self, node: Name | Member, what: str, name: str, known: Iterable[str]) -> NoReturn:
        lacks = ", which this run's policy has not" if name in self._words.lacking else ""
        self.wrong(node, f"found {what}{lacks}, {nearest(name, known)}")

    def _field(self, known: AskedField, node: Name | Member) -> Meaning:
        read = self._value(known, node)
        if isinstance(known.source, StateValue | SaidValues):
            whole = OfThings(None, read, (read,)) if isinstance(known.source, StateValue) else None
            return self._looked(read, known.choices, whole)
        return Meaning(read, truth=False, choices=known.choices, reads=EVENT)

    def _looked(self, read: Run, choices: str, of_things: OfThings | None) -> Meaning:
        """Register a read from the state after each event, and return the part that takes its column."""
        place = len(self._question.looks)
        self._question.looks.append(StateLook(read, of_things))
        return Meaning(lambda table: table.look(place), False, choices, frozenset((place,)), reads=EVENT)

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
        """The index of the field's value that is meant, from 0; None if the field has only one."""
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
            return f"found the {dimension} {quoted(name)}, {nearest(name, members)}"
        says = f"it says: {first_few(members)}" if members else "it says no values"
        return f"found {quoted(name)}, which the policy does not say; {says}"

    def _written(self, known: AskedField, name: str) -> str:
        members = self._words.dimensions[known.index]
        if not members:
            return "there is none in this run"
        if known.index == "said":  # its values have names, and no order
            return f"allowed: {first_few([f'{name}[{member}]' for member in members])}"
        return f"allowed: {name}[1] to {name}[{len(members)}]"

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
            self._unknown(node.name, f"the {node.thing}'s field '{name}'", name, self._words.of_thing[node.thing])
        part, things = inside._named(node.name), self._words.things[node.thing]
        self._refuse_none(node, things)
        changing = OfThings(things, part.run, tuple(part.fields()), int(node.number))
        return self._looked(partial(of_one, things.numbers, node.number, part.run), known.choices, changing)

    def _refuse_none(self, node: OfThing, things: ThingFields) -> None:
        """Raise an error if no thing can ever have that number."""
        count = things.fixed(self._words.numbers) if things.fixed is not None else None
        if node.number % 1 or node.number < 0 or (count is not None and not 1 <= node.number <= count):
            allowed = "whole numbers" if count is None else f"1 to {grouped(count)}"
            self.wrong(node, f"found {node.thing} {node.number:g}, allowed: {allowed}")

    def _where(self, node: Where, depth: int) -> Meaning:
        inside = self._inside(node)
        part, things = inside.truth(node.condition, depth), self._words.things[node.thing]
        unchanged = still(part)
        if not part.read & THING and things.fixed is not None:  # the condition is true of all things, or of none
            number = things.fixed(self._words.numbers)
            run = partial(_of_any, unchanged.run) if node.how == "any" else partial(_of_all, unchanged.run, number)
            return Meaning(run, node.how == "any", needs=part.needs)
        of_things = OfThings(
            things,
            part.run,
            tuple(part.fields()),
            needs=part.needs,
            condition=part,
            still=unchanged,
            pairing=pairing_of(unchanged) if unchanged.read & EVENT else None,
            paired=bool(part.read & THEN),
            any=node.how == "any",
            maybe=part.where,
        )
        count = self._looked(partial(of_many, things.numbers, part.run), "", of_things)
        count = replace(count, needs=count.needs | part.needs)
        if node.how == "count":
            most = float(things.fixed(self._words.numbers)) if things.fixed is not None else np.inf
            return replace(count, ends=(0.0, most))
        return Meaning(lambda table: count.run(table) > 0, True, needs=count.needs, bound=partial(_maybe, part))

    # Signs.

    def _prefix(self, node: Prefix, depth: int) -> Meaning:
        if node.sign == "not":
            return joined("not", self.truth(node.part, depth))
        if node.sign == "-":
            return joined("negative", self.number(node.part, depth))
        if self._thing:
            return self._before(node, node.part, depth)
        return _shifted(self._earlier(self.read(node.part, depth + 1)))

    def _earlier(self, part: Meaning) -> Meaning:
        """Note that a part's value one event before is needed, too; return the part."""
        self._question.recalls |= bool(part.needs)
        return part

    def _before(self, node: Node, part: Node, depth: int) -> Meaning:
        """A part's value for each thing as it was one event before."""
        if self._back:
            self.wrong(node, "found a second step back after 'where', allowed: one, as in was empty > 0")
        self._question.pairs = self._back = True
        found = self._earlier(self.read(part, depth + 1))
        self._back = False
        return self._was(found)

    def _was(self, part: Meaning) -> Meaning:
        """The ``was`` of a part about each thing."""
        run = partial(of_same, self._words.things[self._thing].numbers, part.value, part.truth)
        return Meaning(run, part.truth, part.choices, part.needs, reads=THEN, sign=WAS, parts=(part,))

    def _infix(self, node: Infix, depth: int) -> Meaning:
        if node.sign in {"and", "or"}:
            return joined(node.sign, self.truth(node.left, depth), self.truth(node.right, depth))
        left, right = self._pair(node, depth)
        if node.sign in COMPARISONS:
            self._note_ends(node.left, node.sign, node.right)
            self._note_ends(node.right, _TURNED_ROUND.get(node.sign, node.sign), node.left)
        if (left.truth or right.truth) and (node.sign not in {"=", "!="} or left.truth != right.truth):
            wrong = node.left if left.truth else node.right
            self.wrong(wrong, f"found what is true or false beside '{node.sign}', allowed: a number")
        return compared(node.sign, left, right) if node.sign in COMPARISONS else joined(node.sign, left, right)

    def _pair(self, node: Infix, depth: int) -> tuple[Meaning, Meaning]:
        """Both sides; a bare name that is compared with named values is taken as one of these names."""
        if node.sign not in COMPARISONS:
            return self.number(node.left, depth), self.number(node.right, depth)
        if isinstance(node.left, Name) and not self._known(node.left.text) and not isinstance(node.right, Number):
            right = self._beside(node, node.left, depth)
            return (
                self.number(node.left, depth, right.choices) if right.choices else self.read(node.left, depth)
            ), right
        left = self.read(node.left, depth)
        return left, self.number(node.right, depth, left.choices) if left.choices else self.read(node.right, depth)

    def _beside(self, node: Infix, left: Name, depth: int) -> Meaning:
        """The right side beside a bare name that may be one of its values.

        If the right side is unknown, and the name is no value of any dimension, the error is about the name.
        """
        try:
            return self.read(node.right, depth)
        except QuestionError:
            if all(self._words.place_of(each, left.text) is None for each in self._words.dimensions):
                self.read(left, depth)
            raise

    def _one_of(self, node: OneOf, depth: int) -> Meaning:
        part = self.number(node.part, depth)
        for item in node.items:
            self._note_ends(node.part, "=", item)
        return joined("in", part, *(self.number(item, depth, part.choices) for item in node.items))

    def _note_ends(self, node: Node, sign: str, other: Node) -> None:
        """Note a comparison of a value from 1 to n with a number outside, if its result is the same for all values."""
        value, (name, most, members) = _number_in(other), self._ends(node)
        if value is None or not most or value in range(1, most + 1):
            return
        found = {bool(OPERATIONS[sign](each, value)) for each in (1, most)}
        if len(found) == 1:
            among = f" ({first_few(members)})" if members else ""
            ends = Phrase("{name} is from 1 to {most}{members}", name=name, most=grouped(most), members=among)
            text = f"{name} {sign} {value:g}"
            if True in found:
                note = Phrase("{ends}, so that {comparison} holds wherever there is one", ends=ends, comparison=text)
            else:
                note = Phrase("{ends}, so that {comparison} holds nowhere", ends=ends, comparison=text)
            self._question.notes = tuple(dict.fromkeys((*self._question.notes, note)))

    def _ends(self, node: Node) -> tuple[str, int, Sequence[str]]:
        """A field's name, the largest of its values, which start at 1 (0: it has no such range), and their names."""
        thing, name = (node.thing, node.name) if isinstance(node, OfThing) else (self._thing, node)
        if not isinstance(name, Name):
            return "", 0, ()
        words = self._words
        known = words.of_thing.get(thing, {}).get(name.text) or words.fields.get(name.text)
        if known is not None and known.choices:
            members = words.dimensions[known.choices]
            return name.text, len(members) + known.beyond, members
        things = words.things.get(name.text)  # such as the server of a job
        if known is None or things is None or things.fixed is None:
            return "", 0, ()
        return name.text, things.fixed(words.numbers), ()

    def _turns(self, node: Turns, depth: int) -> Meaning:
        if self._thing:
            return self._turns_of_thing(node, depth)
        if node.how == "changes":
            part = self._earlier(self.read(node.part, depth + 1))
            changed = turns_of_one if isinstance(node.part, OfThing) else changes
            return Meaning(partial(changed, part.run), truth=True, needs=part.needs)
        part = self._earlier(self.truth(node.part, depth + 1))
        return _turned(node, part, _shifted(part))

    def _turns_of_thing(self, node: Turns, depth: int) -> Meaning:
        """What the event did to each thing; one that was not there before had missing numbers and false conditions."""
        was = self._before(node, node.part, depth)
        now = was.parts[0]
        if node.how == "changes":
            return joined("!=", now, was) if now.truth else joined("changes", now, was, self._was(TRUE))
        return _turned(node, self._true(node.part, now), was)

    def _call(self, node: FunctionCall, depth: int) -> Meaning:
        return joined(node.name, *(self.number(each, depth) for each in node.parts))


def _number_in(node: Node) -> float | None:
    """The value of a literal number, with its sign; None for anything else."""
    if isinstance(node, Prefix) and node.sign == "-":
        value = _number_in(node.part)
        return None if value is None else -value
    return node.value if isinstance(node, Number) else None


def _shifted(part: Meaning) -> Meaning:
    """A part's value one event before."""

    def bound(table: EventTable, upper: bool) -> Column:
        return shifted(part.where(table, upper)) if part.truth else np.full(table.length, upper)

    return Meaning(lambda table: shifted(part.run(table)), part.truth, part.choices, part.needs, bound)


def _turned(node: Turns, now: Meaning, was: Meaning) -> Meaning:
    """The events at which a condition becomes true, or false."""
    return joined("but not", now, was) if node.how == "becomes true" else joined("but not", was, now)


def _maybe(part: Meaning, table: EventTable, upper: bool) -> Column:
    """Bounds of ``any``: where the condition may be true of a thing; it never must be, as there may be no thing."""
    return part.where(table, True) if upper else np.full(table.length, False)


def _of_any(run: Run, table: EventTable) -> Column:
    """[length] ``any`` of a condition that reads no thing; false where there is no state yet."""
    return np.asarray(run(table) & table.begun)


def _of_all(run: Run, number: int, table: EventTable) -> Column:
    """[length] ``count`` of a condition that reads no thing: the *number* of things or 0; nan without a state."""
    return np.where(table.begun, run(table) * float(number), np.nan)
