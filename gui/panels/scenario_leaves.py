"""Cells for whatever a scenario holds: a field for each value, found by walking the data."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, Callable, Iterator, Mapping, NamedTuple

from pydantic import BaseModel, ValidationError

from slotscope.gui.kinds.rooms import PANEL_ROOMS
from slotscope.gui.panels.scenario_cells import ScenarioCell
from slotscope.gui.panels.scenario_fields import Path, as_number, as_text, dotted, put, value_at

#: What stands for a list of numbers among distributions.
LIST = "list"

#: What fields without a default begin with; others begin with 2.
_FIRST: Mapping[str, Any] = {"values": (1, 2), "parallel": "0.9", "exponent": "0.5"}


class Shape(NamedTuple):
    """The values that can stand at a place."""

    key: str  #: the key of a table that says which it is
    names: tuple[str, ...]  #: what it can say, and :data:`LIST` where a list of numbers can stand there too
    made: Callable[[str, Any], Any]  #: makes a value of another name, given the name and the value so far

    def name_of(self, value: Any) -> str:
        return as_text(value.get(self.key)) if isinstance(value, dict) else LIST


class ShapeCell(ScenarioCell):
    """Which shape the value at *place* has; another choice asks for another value there."""

    def __init__(self, label: str, place: Path, shape: Shape) -> None:
        choices = [(name, name.replace("-", " ")) for name in shape.names]
        tip = f"{shape.key.capitalize()}: another one brings other fields."
        super().__init__(label, (*place, shape.key), tip, choices, columns=2)
        self.place, self._shape = place, shape

    def fill(self, data: Any) -> None:
        """Show the shape of what stands in *data*."""
        self.set_text(self._shape.name_of(value_at(data, self.place)))

    def store(self, data: Any) -> None:
        """Nothing: what stands there has the shape already."""

    def other(self, data: Any) -> Any:
        """The value of the chosen shape in place of that in *data*; None if it has the shape."""
        value = value_at(data, self.place)
        if self.text == self._shape.name_of(value):
            return None
        return self._shape.made(self.text, value)


def shape_at(path: Path) -> Shape | None:
    """What can stand at a path, where there is a choice."""
    return _shapes().get((str(path[0]), str(path[-1]))) if len(path) > 1 else None


@cache
def _shapes() -> Mapping[tuple[str, str], Shape]:
    """What the rooms declare, by the first and the last key of a path."""
    found: dict[tuple[str, str], Shape] = {}
    for room in PANEL_ROOMS.values():
        if room.shapes:
            found |= import_module(room.shapes).SHAPES
    return found


def filled(schema: type[BaseModel], known: dict[str, Any]) -> dict[str, Any]:
    """A table with what is known, and for the rest its defaults or what it can begin with."""
    first = {
        name: _FIRST.get(name, 2)
        for name, field in schema.model_fields.items()
        if field.is_required() and name not in known
    }
    try:
        return schema.model_validate(first | known).model_dump(mode="json")
    except ValidationError:  # what is known is wrong, and told so where it stands
        return first | known


#: Tables in a list that still have fields of their own; longer lists are scripts.
_MOST_TABLES = 12

#: Letters of a label that a narrow field has room for.
_SHORT = 12

_WHOLE_ROW = 99

#: Values in a list that are still shown in one field.
_MOST_VALUES = 40


class ListCell(ScenarioCell):
    """Several values with commas between them."""

    def store(self, data: Any) -> None:
        """Put the values into *data*; what was not touched stays as it was."""
        if self.text == self._original_text:
            put(data, self.path, self._original)
        else:
            parts = [part.strip() for part in self.text.split(",")]
            put(data, self.path, [as_number(part) for part in parts if part])


def leaf_cells(data: Any, path: Path) -> list[ScenarioCell]:
    """A cell for each value of *data* from *path* on, in order; what has no field is kept."""
    return list(_leaves(data, path, len(path)))


def _leaves(value: Any, path: Path, known: int) -> Iterator[ScenarioCell]:
    """The cells below *path*, whose first *known* parts need not be told."""
    shape = shape_at(path)
    if shape is not None:
        yield ShapeCell(_label(path, known), path, shape)
    if isinstance(value, dict):
        for name, item in value.items():
            if shape is None or name != shape.key:
                yield from _leaves(item, (*path, name), known)
    elif isinstance(value, list):
        if value and not any(isinstance(item, dict | list) for item in value):
            if len(value) <= _MOST_VALUES:
                yield ListCell(_label(path, known), path, _tip(path), columns=2)
        elif len(value) <= _MOST_TABLES:
            for number, item in enumerate(value):
                if isinstance(item, dict):
                    cells = list(_leaves(item, (*path, number), known))
                    if len(value) > 1 and cells:
                        cells[0].columns = _WHOLE_ROW  # each table begins on a row of its own
                    yield from cells
    elif isinstance(value, bool):
        choices = [(True, "true"), (False, "false")]
        yield ScenarioCell(_label(path, known), path, _tip(path), choices)
    else:
        words = isinstance(value, str) and as_number(value) == value
        label = _label(path, known)
        yield ScenarioCell(label, path, _tip(path), columns=1 + (len(label) > _SHORT), words=words)


def _label(path: Path, known: int) -> str:
    told = path[known:] or path[-1:]
    words = [f"{part + 1}" if isinstance(part, int) else part for part in told]
    return " ".join(words).replace("_", " ")


def _tip(path: Path) -> str:
    return f"{str(path[-1]).replace('_', ' ').capitalize()}: {dotted(path)} of the scenario."
