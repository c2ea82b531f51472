"""Cells for whatever a scenario holds: a field for each value, found by walking the data."""

from __future__ import annotations

from typing import Any, Iterator

from slotscope.gui.panels.scenario_cells import ScenarioCell
from slotscope.gui.panels.scenario_fields import Path, as_number, dotted, put
from slotscope.gui.panels.scenario_unions import ShapeCell, shape_at

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
