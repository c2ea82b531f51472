"""The syntax of questions: parses their text to a tree, and writes a tree as text.

A question is an expression; from the loosest binding to the tightest::

    or, and, not                       training and not rejected
    = != < <= > >= in                  type = training, width in (1, 2, 4)
    changes, becomes true, becomes false   I* changes, waiting > 50 becomes true
    + - * / %                          jobs[1] + jobs[2]
    - was                              was waiting
    name[member], thing number . name  empty_slots[2], server 7 . rank
    any, count thing where ...         any server where rank = 3 and empty > 0
    abs(), min(), max(), known()       known(token_age)

The condition after ``where`` extends as far as possible, over ``and`` and ``or``; parentheses limit it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial, reduce
from typing import Any, Callable, Iterator, NamedTuple

from slotscope.model.errors import UserError, quoted


class QuestionError(UserError):
    """A question that cannot be parsed or interpreted: what was found, where in it, and what is allowed."""


@dataclass(frozen=True)
class Node:
    """A node of the syntax tree; *at* is the position of its text, from 0."""

    at: int = field(compare=False)


@dataclass(frozen=True)
class Number(Node):
    """A number."""

    value: float


@dataclass(frozen=True)
class Name(Node):
    """A field, something that happens, a member of a dimension, or ``true`` and ``false``."""

    text: str


@dataclass(frozen=True)
class Member(Node):
    """One of a field's several values: ``empty_slots[2]``."""

    name: str
    member: Number | Name


@dataclass(frozen=True)
class OfThing(Node):
    """A field of one thing: ``server 7 . rank``."""

    thing: str
    number: float
    name: Name | Member


@dataclass(frozen=True)
class Where(Node):
    """Whether *any* thing fulfils a condition, or the *count* of those that do."""

    how: str
    thing: str
    condition: Node


@dataclass(frozen=True)
class Prefix(Node):
    """A unary operator, ``not``, ``-`` or ``was``, and its operand."""

    sign: str
    part: Node


@dataclass(frozen=True)
class Infix(Node):
    """A binary operator, of logic, comparison or arithmetic, and its operands."""

    sign: str
    left: Node
    right: Node


@dataclass(frozen=True)
class OneOf(Node):
    """Whether a value is one of a list: ``in (..)``."""

    part: Node
    items: tuple[Node, ...]


@dataclass(frozen=True)
class Turns(Node):
    """``changes``, ``becomes true`` or ``becomes false``: what the event did to an expression."""

    how: str
    part: Node


@dataclass(frozen=True)
class FunctionCall(Node):
    """A call of a function with its arguments."""

    name: str
    parts: tuple[Node, ...]


COMPARISONS = ("=", "!=", "<=", ">=", "<", ">")
FUNCTIONS = {"abs": 1, "min": 2, "max": 2, "known": 1}
QUANTIFIERS = ("any", "count")
WORDS = ("and", "or", "not", "in", "was", "changes", "becomes", "where", "true", "false", *QUANTIFIERS)

#: The precedence of operators.
_OR, _AND, _NOT, _COMPARE, _SUM, _PRODUCT, _SIGN, _TIGHT = range(1, 9)
_BINDING = {"or": _OR, "and": _AND, **dict.fromkeys(COMPARISONS, _COMPARE), "in": _COMPARE}
_BINDING |= {
    "changes": _COMPARE,
    "becomes": _COMPARE,
    "+": _SUM,
    "-": _SUM,
    "*": _PRODUCT,
    "/": _PRODUCT,
    "%": _PRODUCT,
}

#: The most characters of a question, and its deepest nesting.
MOST_SIGNS, MOST_DEPTH = 2000, 50

#: Characters of a question that an error message quotes.
MOST_REPEATED = 100

#: Largest number.
MOST = 1e300

#: Integers below this are written without an exponent.
MOST_WHOLE = 1e15

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:_\d+)*(?:\.\d+)?(?:[eE][+-]?\d+)?|\.\d+)|(?P<star>I\*)|(?P<name>[^\W\d]\w*)"
    r"|(?P<text>\"[^\"]*\"|'[^']*')|(?P<sign><=|>=|!=|==|[-=<>+*/%()\[\],.]))"
)


class Token(NamedTuple):
    """A word, a number or an operator, and its position."""

    kind: str
    text: str
    at: int


def parse(text: str) -> Node:
    """Parse a question.

    Raises
    ------
    QuestionError
        If *text* is no question.
    """
    if len(text) > MOST_SIGNS:
        raise QuestionError(f"found {len(text)} characters, allowed: at most {MOST_SIGNS}", where="question")
    return _QuestionParser(text).whole()


def fault(text: str, at: int, message: str) -> QuestionError:
    """An error at a position of a question; of a long question only the surroundings are quoted."""
    start = max(0, min(at - MOST_REPEATED // 2, len(text) - MOST_REPEATED))
    around = text[start : start + MOST_REPEATED]
    before, after = ("..." if start else ""), ("..." if start + len(around) < len(text) else "")
    return QuestionError(message, where=f"question '{before}{around}{after}', character {at + 1}")


class _QuestionParser:
    """A precedence-climbing parser."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[Token] = list(self._split())
        self.place = 0
        self.depth = 0

    def _split(self) -> Iterator[Token]:
        at, end = 0, len(self.text.rstrip())
        while at < end:
            found = _TOKEN.match(self.text, at)
            if found is None or found.lastgroup is None:
                at += len(self.text[at:]) - len(self.text[at:].lstrip())
                raise fault(
                    self.text, at, f"found '{self.text[at]}', allowed: names, numbers, and signs such as = and +"
                )
            yield Token(found.lastgroup, found[found.lastgroup], found.start(found.lastgroup))
            at = found.end()
        yield Token("end", "", len(self.text))

    @property
    def next(self) -> Token:
        return self.tokens[self.place]

    def take(self) -> Token:
        self.place += 1
        return self.tokens[self.place - 1]

    def took(self, *texts: str) -> bool:
        """Take the next token if it is one of these."""
        if self.next.kind == "text" or self.next.text not in texts or not self.next.text:
            return False
        self.place += 1
        return True

    def expect(self, text: str, after: str) -> None:
        if not self.took(text):
            raise self.wrong(f"'{text}' {after}")

    def wrong(self, allowed: str) -> QuestionError:
        token = self.next
        found = quoted(token.text) if token.text else "the end"
        return fault(self.text, token.at, f"found {found}, expected: {allowed}")

    def whole(self) -> Node:
        node = self.part(0)
        if self.next.kind != "end":
            raise self.wrong("'and', 'or', a comparison such as =, or the end")
        return node

    def part(self, binding: int) -> Node:
        """Parse an expression of operators that bind more tightly than *binding*."""
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise fault(
                self.text, self.next.at, f"found more than {MOST_DEPTH} parts inside each other, allowed: fewer"
            )
        node = self.first()
        compared = False
        while (mine := self._binding(node, compared)) > binding:
            compared |= mine == _COMPARE and self.next.text in (*COMPARISONS, "==", "in")
            node = self.further(node, mine)
        self.depth -= 1
        return node

    def _binding(self, node: Node, compared: bool) -> int:
        if self.next.kind == "text":
            return 0
        sign = "=" if self.next.text == "==" else self.next.text
        if compared and (sign in COMPARISONS or sign == "in"):
            raise self.wrong("'and' between two comparisons")
        return _BINDING.get(sign, 0)

    def further(self, left: Node, binding: int) -> Node:
        sign = self.take().text
        sign = "=" if sign == "==" else sign
        if sign == "changes":
            return Turns(left.at, sign, left)
        if sign == "becomes":
            word = self.next.text
            if not self.took("true", "false"):
                raise self.wrong("'true' or 'false' after 'becomes'")
            return Turns(left.at, f"becomes {word}", left)
        if sign == "in":
            self.expect("(", "after 'in', such as in (1, 2)")
            return OneOf(left.at, left, self.items())
        return Infix(left.at, sign, left, self.part(binding))

    def items(self) -> tuple[Node, ...]:
        found = [self.part(0)]
        while self.took(","):
            found.append(self.part(0))
        self.expect(")", "or ',' here")
        return tuple(found)

    def first(self) -> Node:
        token = self.next
        if self.took("not"):
            return Prefix(token.at, "not", self.part(_NOT))
        if self.took("-", "was"):
            return Prefix(token.at, token.text, self.part(_SIGN))
        if self.took("("):
            node = self.part(0)
            self.expect(")", "here")
            return node
        if token.kind == "number":
            return Number(token.at, self.number())
        if token.kind == "text":
            self.take()
            return Name(token.at, token.text[1:-1])
        if token.kind in {"name", "star"} and token.text not in set(WORDS) - {"true", "false", *QUANTIFIERS}:
            return self.named(self.take())
        raise self.wrong("a name, a number, or '('")

    def number(self) -> float:
        token = self.take()
        value = float(token.text.replace("_", ""))
        if value > MOST:
            raise fault(self.text, token.at, f"found {quoted(token.text)}, allowed: at most {MOST:g}")
        return value

    def named(self, token: Token) -> Node:
        if token.text in QUANTIFIERS and self.next.kind == "name":
            return self.where(token)
        if self.next.kind == "name" and self.tokens[self.place + 1].text == "where":
            raise fault(
                self.text,
                token.at,
                f"found {quoted(f'{token.text} {self.next.text} where')}, allowed: {' or '.join(QUANTIFIERS)}",
            )
        if token.text in FUNCTIONS and self.took("("):
            return self.call(token)
        if self.next.kind == "number" and token.text not in WORDS:
            return self.of_thing(token)
        return self.member(token)

    def where(self, token: Token) -> Where:
        thing = self.take().text
        self.expect("where", f"after '{token.text} {thing}'")
        return Where(token.at, token.text, thing, self.part(0))

    def call(self, token: Token) -> FunctionCall:
        parts = self.items()
        if len(parts) != FUNCTIONS[token.text]:
            most = FUNCTIONS[token.text]
            raise fault(self.text, token.at, f"found {len(parts)} values for {token.text}(), allowed: {most}")
        return FunctionCall(token.at, token.text, parts)

    def of_thing(self, token: Token) -> OfThing:
        number = self.number()
        self.expect(".", f"and a field after '{token.text} {number:g}'")
        if self.next.kind not in {"name", "star"}:
            raise self.wrong(f"a field of a {token.text}")
        return OfThing(token.at, token.text, number, self.member(self.take()))

    def member(self, token: Token) -> Name | Member:
        if not self.took("["):
            return Name(token.at, token.text)
        which = self.next
        if which.kind == "number":
            member: Number | Name = Number(which.at, self.number())
        elif which.kind in {"name", "text", "star"}:
            self.take()
            member = Name(which.at, which.text[1:-1] if which.kind == "text" else which.text)
        else:
            raise self.wrong(f"a number or a name in {token.text}[...]")
        self.expect("]", "here")
        return Member(token.at, token.text, member)


def written(node: Node, binding: int = -1) -> str:
    """The text of a tree, which :func:`parse` turns into an equal one; in parentheses if it binds too loosely."""
    text, mine = _WRITERS[type(node)](node)
    return f"({text})" if mine <= binding else text


_OPPOSITES = {"and": "or", "<": ">=", "<=": ">", "=": "!="}
_OPPOSITES |= {other: sign for sign, other in _OPPOSITES.items()}


def opposite(node: Node) -> Node:
    """The negation of a condition, pushed inward; with a missing number a comparison and its opposite both fail."""
    match node:
        case Prefix(sign="not"):
            return node.part
        case Infix(sign="and" | "or"):
            return Infix(node.at, _OPPOSITES[node.sign], opposite(node.left), opposite(node.right))
        case Infix() if node.sign in _OPPOSITES:
            return Infix(node.at, _OPPOSITES[node.sign], node.left, node.right)
        case OneOf():
            unlike: list[Node] = [Infix(node.at, "!=", node.part, item) for item in node.items]
            return reduce(partial(Infix, node.at, "and"), unlike)
    return Prefix(node.at, "not", node)


def unless(text: str) -> str:
    """The text of the question that holds where a condition fails."""
    return written(opposite(parse(text)))


def _word(text: str) -> str:
    plain = re.fullmatch(r"[^\W\d]\w*|I\*", text) and text not in set(WORDS) - {"true", "false"}
    return text if plain else f'"{text}"' if '"' not in text else f"'{text}'"


def _plain(number: float) -> str:
    return f"{number:.0f}" if number < MOST_WHOLE and number % 1 == 0 else repr(number)


def _number(node: Any) -> tuple[str, int]:
    return _plain(node.value), _TIGHT


def _member(node: Any) -> tuple[str, int]:
    member = _word(node.member.text) if isinstance(node.member, Name) else _number(node.member)[0]
    return f"{node.name}[{member}]", _TIGHT


def _prefix(node: Any) -> tuple[str, int]:
    mine = _NOT if node.sign == "not" else _SIGN
    gap = "" if node.sign == "-" else " "
    return f"{node.sign}{gap}{written(node.part, mine - 1)}", mine


def _infix(node: Any) -> tuple[str, int]:
    mine = _BINDING[node.sign]
    left = written(node.left, mine if mine == _COMPARE else mine - 1)
    return f"{left} {node.sign} {written(node.right, mine)}", mine


def _one_of(node: Any) -> tuple[str, int]:
    return f"{written(node.part, _COMPARE)} in ({', '.join(map(written, node.items))})", _COMPARE


_WRITERS: dict[type, Callable[[Any], tuple[str, int]]] = {
    Number: _number,
    Name: lambda node: (_word(node.text), _TIGHT),
    Member: _member,
    OfThing: lambda node: (f"{node.thing} {_plain(node.number)} . {written(node.name)}", _TIGHT),
    Where: lambda node: (f"{node.how} {node.thing} where {written(node.condition)}", 0),
    Prefix: _prefix,
    Infix: _infix,
    OneOf: _one_of,
    Turns: lambda node: (f"{written(node.part, _COMPARE - 1)} {node.how}", _COMPARE),
    FunctionCall: lambda node: (f"{node.name}({', '.join(map(written, node.parts))})", _TIGHT),
}
