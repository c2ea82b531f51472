"""Values of a run beside the lines of pseudocode that set or read them.

Nothing here is specific to a policy: a value's wording depends on its name, and its line is found by the paper's
symbol in the pseudocode itself.
"""

from __future__ import annotations

import html
import re
from functools import cache, lru_cache
from importlib import import_module
from typing import Any, Mapping, NamedTuple, Sequence

from slotscope.gui.kinds.rooms import PANEL_ROOMS
from slotscope.gui.panels.algorithm_symbols import Symbol, vector
from slotscope.model.policies import is_own
from slotscope.model.policies.common import PseudocodeLine
from slotscope.model.reporting.frame import RunInfo
from slotscope.model.reporting.records import Line, Record

_TAG = re.compile(r"<[^>]*>")
_ASSIGNED = re.compile(r"([^,←]+?) ←|for (\w+) =")
#: How the procedure of an event begins, in pseudocode and in a user's policy file.
_PROCEDURES = {
    kind: re.compile(rf"(procedure|when|def) .*({words})", re.IGNORECASE)
    for kind, words in {
        "arrival": "arriv",
        "departure": "depart",
        "move": "changes phase|move",
        "tick": "tick",
        "update": "update",
    }.items()
}
#: Most lines between a value and the line where it was found: further away it would be out of sight.
_NEAR = 4


class Beside(NamedTuple):
    """A value beside a line: rich text, and whether the last sub-step produced it."""

    text: str
    fresh: bool


class Code:
    """A policy's pseudocode, and the lines beside which values are shown."""

    def __init__(self, lines: Sequence[PseudocodeLine]) -> None:
        self.lines = tuple(lines)
        headings = {line.line.algorithm: line.heading for line in self.lines if line.heading}
        self._headings = headings
        self.place = {line.line: place for place, line in enumerate(self.lines)}
        self.plain = [html.unescape(_TAG.sub("", line.text)) for line in self.lines]
        self._assigned = [{"".join(found) for found in _ASSIGNED.findall(text)} for text in self.plain]
        self._homes: dict[tuple[str, Line], Line] = {}
        self._block: list[int] = []
        for line in self.lines:
            self._block.append((self._block[-1] if self._block else 0) + (line.indent == 0))

    def heading(self, algorithm: int) -> str:
        """The heading above the lines of an algorithm."""
        return self._headings.get(algorithm, f"Algorithm {algorithm}")

    def algorithm_of(self, place: int) -> list[int]:
        """The indices of all lines under the same heading as a line."""
        mine = self.lines[place].line.algorithm
        return [other for other, one in enumerate(self.lines) if one.line.algorithm == mine]

    def function_of(self, place: int) -> list[int]:
        """The indices of all lines in the same procedure as a line."""
        return [other for other, block in enumerate(self._block) if block == self._block[place]]

    def current(self, records: Sequence[Record]) -> Line | None:
        """The line of the last sub-step; if it has none, as when an event begins, that of the event's procedure."""
        if not records:
            return None
        if (line := records[-1].line) is not None:
            return line
        begins = _PROCEDURES.get(records[-1].kind)
        heads = (place for place, text in enumerate(self.plain) if begins is not None and begins.match(text))
        return next((self.lines[place].line for place in heads), None)

    def line_for(self, symbol: str, line: Line) -> Line:
        """The line near *line*, in the same procedure, that sets or reads *symbol*.

        A line that assigns it is preferred to one that mentions it; if there is neither, or only too far away to be
        visible as well, *line* itself.
        """
        if (symbol, line) not in self._homes:
            self._homes[symbol, line] = self._line_for(symbol, line)
        return self._homes[symbol, line]

    def _line_for(self, symbol: str, line: Line) -> Line:
        home = self.place[line]
        mine = self.function_of(home)
        setting = [place for place in mine if symbol in self._assigned[place]]
        reading = [place for place in mine if len(symbol) > 1 and symbol in self.plain[place]]
        for places in (setting, reading):
            near = min(places, key=lambda place: abs(place - home), default=home)
            if places and abs(near - home) <= _NEAR:
                return self.lines[near].line
        return line


#: Values that are used only in the sentence of a sub-step.
_IN_WORDS = frozenset({"reason", "counts", "name"})
_NOT_SHOWN = frozenset({"kind", "line", "values", "configurations", "counts", "time", "extended"})


@cache
def symbols_of(system: str) -> Mapping[str, Symbol]:
    """How a kind of system writes values, by their names in records."""
    symbols: Mapping[str, Symbol] = import_module(PANEL_ROOMS[system].symbols).SYMBOLS
    return symbols


@lru_cache(maxsize=4096)
def _written(name: str, system: str, own_policy: bool) -> Symbol:
    """How a value is written; under a user's policy, with the name from the policy file."""
    own = Symbol(html.escape(name.replace("_", " ")))
    known = symbols_of(system).get(name, own)
    return own._replace(word=known.word) if known.text and own_policy else known


@cache
def _labelled(system: str, own_policy: bool) -> frozenset[str]:
    """The names of values whose symbols contain the iteration's number."""
    return frozenset(name for name in symbols_of(system) if "{i}" in _written(name, system, own_policy).text)


def numbers_of(record: Record) -> dict[str, Any]:
    """All values of a record, by name."""
    own = {name: getattr(record, name) for name in record.__dataclass_fields__ if name not in _NOT_SHOWN}
    said = {name: value for name, value in record.values.items() if name not in _IN_WORDS}
    return {**said, **own}


def worded(name: str, values: Mapping[str, Any], info: RunInfo) -> str:
    """One value as rich text, such as ``X̂<sub>k[4]</sub> = 145``."""
    value = values[name]
    if name == "surplus":
        if value == 0:
            return "matched"
        return f"surplus {value}" if value > 0 else f"missing {-value}"
    symbol = _written(name, info.system, is_own(info.policy_name))
    left = symbol.text.replace("{i}", str(values.get("i", "<i>i</i>")))
    try:
        right = symbol.word(value, info, values)
    except (LookupError, TypeError, ValueError):  # a user's policy may give the name another meaning
        right = vector(value)
    if left in {"", "from", "to"}:
        return f"{left} {right}".strip()
    return f"{left} = {right}"


def values_beside(code: Code, records: Sequence[Record], info: RunInfo) -> dict[Line, dict[str, Beside]]:
    """The values known after *records*, by the line beside which they are shown."""
    own = is_own(info.policy_name)
    labelled = _labelled(info.system, own)
    said: dict[Line, dict[str, tuple[Mapping[str, Any], bool]]] = {}  # worded last: few values remain
    for record in records:
        if record.line not in code.place:
            continue
        values, fresh = numbers_of(record), record is records[-1]
        said.setdefault(record.line, {})
        for name in values:
            if name == "i" and not labelled.isdisjoint(values):
                continue  # it is part of the others' symbols
            if name == "configuration" and "count" in values:
                continue  # it is shown where it was found
            symbol = _written(name, info.system, own).plain
            line = code.line_for(symbol, record.line) if symbol else record.line
            said.setdefault(line, {})[name] = values, fresh
    return {
        line: {
            name: Beside(text, fresh) for name, (values, fresh) in named.items() if (text := worded(name, values, info))
        }
        for line, named in said.items()
    }
