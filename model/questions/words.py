"""The names that questions about one run can use, what each stands for, and suggestions for misspelt ones."""

from __future__ import annotations

import ast
from difflib import get_close_matches
from typing import Any, Iterable, Iterator, Mapping, NamedTuple, Sequence

from slotscope.model.questions.fields import (
    AskedField,
    EventKind,
    RowColumn,
    SaidValues,
    StateValue,
    ThingFields,
    Vocabulary,
)
from slotscope.model.reporting.explain import quantity
from slotscope.model.systems.base import PolicySystem


def said_by(policy: Any) -> tuple[str, ...]:
    """The names in ``say("step", name=..)`` and ``values={"name": ..}`` in a policy's source, in textual order.

    Empty for a policy without a file of its own.
    """
    text = getattr(policy, "text", "")
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)] if text else []
    return tuple(dict.fromkeys(name for call in sorted(calls, key=lambda one: one.lineno) for name in _named(call)))


def _named(call: ast.Call) -> list[str]:
    keywords = [one for one in call.keywords if one.arg is not None]
    names = []
    if isinstance(call.func, ast.Name) and call.func.id == "say":
        names = [str(one.arg) for one in keywords]
    tables = [one.value for one in keywords if one.arg == "values" and isinstance(one.value, ast.Dict)]
    keys = [key.value for table in tables for key in table.keys if isinstance(key, ast.Constant)]
    return names + [key for key in keys if isinstance(key, str)]


#: Fields that every event has. Kinds of event are those of :mod:`model.reporting.records`, from 1.
_KINDS = ("arrival", "departure", "update", "slot", "move", "tick")
_OF_ALL = (
    AskedField("event", "the number of the event", RowColumn("event")),
    AskedField("time", "when it happens", RowColumn("time"), unit="time"),
    AskedField("kind", "what kind of event it is", RowColumn("kind"), choices="kind"),
)
_SAID = AskedField("said", "what the policy said last", SaidValues(said_by), index="said")
_MEMORY = AskedField("memory", "what the policy remembers", StateValue(lambda state: state.memory), index="memory")

#: Most suggestions for an unknown name.
NEAREST = 3

#: Most names listed where none is similar.
FEW = 8


class Word(NamedTuple):
    """A name that can be used in questions, as completion lists and ``--names`` show it."""

    text: str
    about: str
    unit: str
    cost: str  #: where its values are read from: "row", "sample" or "state"


class Words:
    """The names that questions about a system under a policy can use.

    Attributes
    ----------
    declared:
        All fields that the kind of system has at each event, under at least one policy.
    lacking:
        Fields that only other policies have, by name and symbol.
    """

    def __init__(self, vocabulary: Vocabulary, system: PolicySystem) -> None:
        self.numbers = system.numbers
        self._time_unit = quantity("", system.scenario.run.time_unit).strip() or "units of time"
        self.policy = system.policy
        self.happenings: Mapping[str, EventKind] = {each.word: each for each in vocabulary.happenings}
        self.declared = (*_OF_ALL, *vocabulary.fields, _SAID, _MEMORY)
        self.fields = _by_name(filter(self.has, self.declared))
        self.things: Mapping[str, ThingFields] = vocabulary.things
        self.of_thing = {name: _by_name(filter(self.has, thing.fields)) for name, thing in vocabulary.things.items()}
        of_things = (field for thing in vocabulary.things.values() for field in thing.fields)
        self.lacking = _by_name(field for field in (*self.declared, *of_things) if not self.has(field))
        said = said_by(system.policy)
        memory = tuple(str(place + 1) for place in range(getattr(system.policy, "memory", 0)))
        self.dimensions = {"kind": _KINDS, "memory": memory, "said": said, **vocabulary.dimensions(system)}

    def has(self, field: AskedField) -> bool:
        """Whether the field exists under this policy."""
        return not field.needs or bool(getattr(self.policy, field.needs, False))

    def place_of(self, dimension: str, name: str) -> int | None:
        """The number, from 1, of a dimension's member by its name; None if there is no such member."""
        names = self.dimensions[dimension]
        for one in (name, name.replace("_", " "), name.replace("_", "-")):
            if one in names:
                return names.index(one) + 1
        folded = [each.casefold() for each in names]
        return folded.index(name.casefold()) + 1 if folded.count(name.casefold()) == 1 else None

    def names(self, thing: str = "") -> list[str]:
        """The names that can stand alone; or those of a thing's fields."""
        if thing:
            return list(self.of_thing[thing])
        return [*self.happenings, *self.fields]

    def each_field(self) -> Iterable[AskedField]:
        """The fields that have a value at each event; each once, even if it has a symbol."""
        return _each(self.fields)

    def all(self) -> Iterator[Word]:
        """All names that can be used, for a completion list."""
        for happening in self.happenings.values():
            yield Word(happening.word, happening.tip, "", "row")
        for field in self.each_field():
            yield from self._written(field)
        for thing in self.things:
            for field in _each(self.of_thing[thing]):
                for word in self._written(field):
                    yield word._replace(text=f"{thing} 1 . {word.text}")

    def unit_of(self, field: AskedField) -> str:
        """The unit of a field's values; for times that of the scenario."""
        return self._time_unit if field.unit == "time" else field.unit

    def _written(self, field: AskedField) -> Iterator[Word]:
        cost = {"RowColumn": "row", "SampleColumns": "sample"}.get(type(field.source).__name__, "state")
        about = f"{field.about} ({field.symbol})" if field.symbol and field.symbol not in field.about else field.about
        unit = self.unit_of(field)
        for place, member in enumerate(self.dimensions[field.index] if field.index else ("",), start=1):
            if not field.index:
                yield Word(field.name, about, unit, cost)
            elif field.index == "said":
                yield Word(f"{field.name}[{member}]", about, unit, cost)
            else:
                which = "" if member.isdecimal() else f": {member}"
                yield Word(f"{field.name}[{place}]", about + which, unit, cost)


def nearest(name: str, names: Iterable[str]) -> str:
    """A clause for an error: the names similar to *name*, else the first :data:`FEW` of all."""
    known = list(dict.fromkeys(names))
    folded = {each.casefold(): each for each in known}
    near = [folded[each] for each in get_close_matches(name.casefold(), folded, n=NEAREST, cutoff=0.5)]
    if near:
        return f"nearest: {', '.join(near)}"
    return f"allowed: {first_few(known)}" if known else "there is none"


def first_few(names: Sequence[str]) -> str:
    """The first :data:`FEW` names, and how many more there are."""
    others = f" and {len(names) - FEW} others" if len(names) > FEW else ""
    return f"{', '.join(names[:FEW])}{others}"


def _by_name(fields: Iterable[AskedField]) -> dict[str, AskedField]:
    found = {field.name: field for field in fields}
    return found | {field.symbol: field for field in found.values() if field.symbol}


def _each(fields: Mapping[str, AskedField]) -> Iterable[AskedField]:
    """Each field once, even if it is listed under a symbol, too."""
    return {field.name: field for field in fields.values()}.values()
