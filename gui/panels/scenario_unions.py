"""Choices between values of different shape: the law of a size, a speed-up as a list or a law."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Callable, Mapping, NamedTuple

from pydantic import BaseModel, ValidationError

from gui.panels.scenario_cells import Cell
from gui.panels.scenario_fields import SERVICES, Path, as_text, value_at
from model.kinds.moldable.scenario.speedup import (
    AmdahlSpeedup,
    LinearSpeedup,
    PowerSpeedup,
    SpeedupLaw,
)

#: What stands for a list of numbers among laws.
_LIST = "list"

#: So many numbers of a list can be edited.
_MOST_LISTED = 40

#: What fields without a default begin with; others begin with 2.
_FIRST: Mapping[str, Any] = MappingProxyType({
    "values": (1, 2), "parallel": "0.9", "exponent": "0.5",
})  # fmt: skip

_SPEEDUPS: Mapping[str, type[SpeedupLaw]] = MappingProxyType({
    "linear": LinearSpeedup, "amdahl": AmdahlSpeedup, "power": PowerSpeedup,
})  # fmt: skip


class Shape(NamedTuple):
    """The values that can stand at a place.

    Attributes
    ----------
    key:
        The key of a table that says which it is.
    names:
        What it can say, and :data:`_LIST` where a list of numbers can stand there too.
    made:
        Makes a value of another name, given the name and the value so far.
    """

    key: str
    names: tuple[str, ...]
    made: Callable[[str, Any], Any]

    def name_of(self, value: Any) -> str:
        """Which of the names a value has."""
        return as_text(value.get(self.key)) if isinstance(value, dict) else _LIST


class ShapeCell(Cell):
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
    return _SHAPES.get((str(path[0]), str(path[-1]))) if len(path) > 1 else None


def _law_of_size(name: str, value: Any) -> dict[str, Any]:
    """Another law with the same mean, and whatever else it needs."""
    mean = value.get("mean", 1) if isinstance(value, dict) else 1
    return _filled(SERVICES[name], {"distribution": name, "mean": mean})


def _speedup(name: str, value: Any) -> Any:
    """A law of the same degree; or as a list what a law says, in decimals."""
    if name == _LIST:
        return _listed(value)
    degree = len(value) if isinstance(value, list) else value.get("degree", 2)
    return _filled(_SPEEDUPS[name], {"law": name, "degree": degree})


def _listed(value: Any) -> list[Any]:
    try:
        factors = _SPEEDUPS[value["law"]].model_validate(value).factors()
    except (KeyError, TypeError, ValidationError):  # not a law as it stands
        return [1]
    return [float(f"{float(factor):.9g}") if factor.denominator > 1 else int(factor)
            for factor in factors[:_MOST_LISTED]]  # fmt: skip


def _filled(schema: type[BaseModel], known: dict[str, Any]) -> dict[str, Any]:
    """A table with what is known, and for the rest its defaults or what it can begin with."""
    first = {name: _FIRST.get(name, 2) for name, field in schema.model_fields.items()
             if field.is_required() and name not in known}  # fmt: skip
    try:
        return schema.model_validate(first | known).model_dump(mode="json")
    except ValidationError:  # what is known is wrong, and told so where it stands
        return first | known


_SHAPES: Mapping[tuple[str, str], Shape] = MappingProxyType({
    ("classes", "size"): Shape("distribution", tuple(SERVICES), _law_of_size),
    ("classes", "speedup"): Shape("law", (_LIST, *_SPEEDUPS), _speedup),
})  # fmt: skip
