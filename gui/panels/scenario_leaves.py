"""Cells for any data of a scenario: a field for each value, found by walking the data."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, Callable, Iterator, Mapping, NamedTuple

from pydantic import BaseModel, ValidationError

from slotscope.gui.kinds.rooms import PANEL_ROOMS
from slotscope.gui.panels.scenario_cells import ScenarioCell
from slotscope.gui.panels.scenario_fields import Path, as_number, as_text, dotted, put, value_at

#: The name of a list of numbers among the distributions.
LIST = "list"

#: Initial values of fields without a default; the others begin with 2.
_FIRST: Mapping[str, Any] = {"values": (1, 2), "parallel": "0.9", "exponent": "0.5"}


class Shape(NamedTuple):
    """The possible shapes of the value at a place."""

    key: str  #: the key whose value names the shape of a table
    names: tuple[str, ...]  #: the possible names, including :data:`LIST` if a list of numbers is allowed
    made: Callable[[str, Any], Any]  #: makes a value of another shape, from its name and the present value

    def name_of(self, value: Any) -> str:
        return as_text(value.get(self.key)) if isinstance(value, dict) else LIST


class ShapeCell(ScenarioCell):
    """Chooses the shape of the value at *place*; another choice replaces the value."""

    def __init__(self, label: str, place: Path, shape: Shape) -> None:
        choices = [(name, name.replace("-", " ")) for name in shape.names]
        tip = f"{shape.key.capitalize()}: another one brings other fields."
        super().__init__(label, (*place, shape.key), tip, choices, columns=2)
        self.place, self._shape = place, shape

    def fill(self, data: Any) -> None:
        """Show the shape of the value in *data*."""
        self.set_text(self._shape.name_of(value_at(data, self.place)))

    def store(self, data: Any) -> None:
        """Do nothing: the value has the shape already."""

    def other(self, data: Any) -> Any:
        """A value of the chosen shape that replaces the one in *data*; None if that has the shape."""
        value = value_at(data, self.place)
        if self.text == self._shape.name_of(value):
            return None
        return self._shape.made(self.text, value)


def shape_at(path: Path) -> Shape | None:
    """The shapes possible at a path; None if there is no choice."""
    return _shapes().get((str(path[0]), str(path[-1]))) if len(path) > 1 else None


@cache
def _shapes() -> Mapping[tuple[str, str], Shape]:
    """The shapes declared by the rooms, by the first and the last key of a path."""
    found: dict[tuple[str, str], Shape] = {}
    for room in PANEL_ROOMS.values():
        if room.shapes:
            found |= import_module(room.shapes).SHAPES
    return found


def filled(schema: type[BaseModel], known: dict[str, Any]) -> dict[str, Any]:
    """A table with the *known* values, and for the rest the schema's defaults or initial values."""
    first = {
        name: _FIRST.get(name, 2)
        for name, field in schema.model_fields.items()
        if field.is_required() and name not in known
    }
    try:
        return schema.model_validate(first | known).model_dump(mode="json")
    except ValidationError:  # a known value is invalid; its own field shows the error
        return first | known


#: Longest list of tables with fields of their own; longer ones are scripts.
_MOST_TABLES = 12

#: Longest label in characters for a narrow field.
_SHORT = 12

_WHOLE_ROW = 99

#: Longest list of values shown in a single field.
_MOST_VALUES = 40


class ListCell(ScenarioCell):
    """A field for several values, separated by commas."""

    def store(self, data: Any) -> None:
        """Write the values to *data*; an unedited list is written as it was."""
        if self.text == self._original_text:
            put(data, self.path, self._original)
        else:
            parts = [part.strip() for part in self.text.split(",")]
            put(data, self.path, [as_number(part) for part in parts if part])


def leaf_cells(data: Any, path: Path) -> list[ScenarioCell]:
    """A cell for each value in *data*, in order, with paths that begin with *path*; values without a cell are kept."""
    return list(_leaves(data, path, len(path)))


def _leaves(value: Any, path: Path, known: int) -> Iterator[ScenarioCell]:
    """The cells below *path*, whose first *known* parts are left out of labels."""
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
                        cells[0].columns = _WHOLE_ROW  # each table begins a new row
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
