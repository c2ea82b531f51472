"""Random questions of two clauses, from all declared names and all constructs of the language."""

from __future__ import annotations

from random import Random
from typing import Callable

from slotscope.model.questions.syntax import COMPARISONS
from slotscope.model.questions.words import Words

#: Numbers used in comparisons.
CONSTANTS = ("0", "0.5", "1", "2", "3", "5", "10", "50", "100", "1000")


class TwoClauses:
    """Draws questions about runs that *words* describe."""

    def __init__(self, words: Words, draw: Random) -> None:
        self._words, self._draw = words, draw

    def question(self) -> str:
        """Both clauses about the same things, about two separate ones, or about a thing and the event."""
        sign, about = self._draw.choice(("and", "and", "or")), self._draw.random()
        if about < 0.5:
            return self._of_many(lambda thing: f"{self._clause(thing)} {sign} {self._clause(thing)}")
        one, other = self._atom(), self._atom() if about < 0.75 else self._clause("")
        return f"{one} {sign} {other}"

    def _atom(self) -> str:
        """A clause about all things of a kind, one of them, or the event."""
        about = self._draw.random()
        if about < 0.6:
            return f"({self._of_many(self._clause)})"
        return self._clause("", one=about < 0.8)

    def _of_many(self, clause: Callable[[str], str]) -> str:
        thing = self._draw.choice(sorted(self._words.things))
        if self._draw.random() < 0.8:
            return f"any {thing} where {clause(thing)}"
        return f"(count {thing} where {clause(thing)}) {self._draw.choice(COMPARISONS)} {self._draw.choice(CONSTANTS)}"

    def _clause(self, thing: str, one: bool = False) -> str:
        way = self._draw.random()
        if way < 0.1 and not one:
            named = sorted(set(self._words.happenings) - set(self._words.of_thing.get(thing, ())))
            return self._draw.choice(("", "not ")) + self._draw.choice(named)
        back = way >= 0.3  # *changes* and *becomes* already go back one event
        first = self._of_one() if one else self._number(thing, back, own=True)
        if way < 0.2:
            return f"{first} changes"
        compared = f"{first} {self._draw.choice(COMPARISONS)} {self._number(thing, back)}"
        if not back:
            return f"({compared}) {self._draw.choice(('becomes true', 'becomes false'))}"
        return f"not {compared}" if way < 0.4 else compared

    def _number(self, thing: str, back: bool, own: bool = False) -> str:
        """A number; with *back* it may be that of one event before."""
        way, first = self._draw.random(), self._value(thing, own)
        if way < 0.6:
            return first
        if way < 0.65 and back:
            return f"was {self._field(thing, thing)}"
        if way < 0.75:
            return f"{self._draw.choice(('min', 'max'))}({first}, {self._value(thing)})"
        if way < 0.8:
            return f"abs({first} - {self._value(thing)})"
        return f"({first} {self._draw.choice('+-*/%')} {self._value(thing)})"

    def _value(self, thing: str, own: bool = False) -> str:
        way = self._draw.random()
        if own or way < 0.35:
            return self._field(thing, thing)
        return self._draw.choice(CONSTANTS) if way < 0.75 else self._field("", thing)

    def _of_one(self) -> str:
        thing = self._draw.choice(sorted(self._words.things))
        fixed = self._words.things[thing].fixed
        most = 5000 if fixed is None else fixed(self._words.numbers)
        return f"({thing} {self._draw.randint(1, most)} . {self._field(thing, thing)})"

    def _field(self, thing: str, hidden: str) -> str:
        """A field of a thing, or one of the event whose name is no field of the thing *hidden*."""
        fields = self._words.of_thing[thing] if thing else self._words.fields
        own = self._words.of_thing[hidden] if hidden and not thing else {}
        known = {field.name: field for field in fields.values() if field.name not in own}
        chosen = [one for one in known.values() if not one.index or self._words.dimensions[one.index]]
        field = self._draw.choice(chosen)
        if not field.index:
            return field.name
        return f"{field.name}[{self._draw.randint(1, len(self._words.dimensions[field.index]))}]"
