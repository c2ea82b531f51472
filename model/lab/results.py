"""The results of experiments, numbers beside the paper's and curves for figures, and the files with them."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field
from fractions import Fraction
from math import isfinite, nan
from pathlib import Path
from typing import Any, Callable, Iterable, Mapping

from slotscope.model.draft import write_text
from slotscope.model.errors import UserError
from slotscope.model.measures.metrics import Estimate
from slotscope.model.reporting.data_columns import DeclaredColumn
from slotscope.model.reporting.data_tables import DataTable, table_endings, table_of_records

#: The text form of an exact number.
_RATIONAL = re.compile(r"-?\d+(/[1-9]\d*)?")

#: The parameter values that a number belongs to.
At = Mapping[str, str | int | float]

_HALF_WIDTH = DeclaredColumn("half_width", float, "of its 95 % confidence interval; 0 if it is exact")
_OF_ROWS = (
    DeclaredColumn("what", str, "what was measured"),
    DeclaredColumn("paper", float, "the number that the paper gives"),
    DeclaredColumn("ours", float, "the number that was found"),
    _HALF_WIDTH,
    DeclaredColumn("exact", str, "that number as a rational"),
)
_OF_POINTS = (
    DeclaredColumn("figure", str, "the picture in which the point is"),
    DeclaredColumn("curve", str, "the curve through it"),
    _HALF_WIDTH,
)


@dataclass(frozen=True)
class Row:
    """One number."""

    what: str  #: the measured quantity, in snake case
    #: ours, half_width: the number found, and the half-width of its 95 % confidence interval; 0 if it is exact
    ours: float
    half_width: float = 0.0
    paper: float | None = None  #: the paper's number, None if it gives none
    at: At = field(default_factory=dict)  #: the parameter values that it belongs to
    exact: str = ""  #: *ours* as a rational, empty if it was measured

    @classmethod
    def of(cls, what: str, found: Estimate, at: At, paper: float | None = None) -> Row:
        """A row for a measured quantity."""
        return cls(what, found.mean, found.half_width, paper, at)

    def as_dict(self) -> dict[str, Any]:
        """A record for JSON and CSV, with the parameters as further fields."""
        return {
            "what": self.what,
            **self.at,
            "paper": self.paper,
            "ours": _finite(self.ours),
            "half_width": _finite(self.half_width),
            "exact": self.exact,
        }


@dataclass(frozen=True)
class Curve:
    """A named line through points.

    ``half_width`` is empty or has one number per point, NaN if unknown; ``crossed`` is empty or tells for each point
    whether it is crossed out.
    """

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    half_width: tuple[float, ...] = ()
    crossed: tuple[bool, ...] = ()

    @classmethod
    def through(cls, name: str, points: Mapping[float, Estimate]) -> Curve:
        """A curve with confidence intervals through *points*; an unknown half-width becomes NaN."""
        found = points.values()
        widths = tuple(item.half_width if isfinite(item.half_width) else nan for item in found)
        return cls(name, tuple(points), tuple(item.mean for item in found), widths)

    @classmethod
    def family(cls, names: Iterable[str], points: Mapping[tuple[str, float], Estimate]) -> tuple[Curve, ...]:
        """The curves :meth:`through` the *points* (name, x) of each of *names*, without those that have none."""
        mine = {name: {x: found for (of, x), found in points.items() if of == name} for name in names}
        return tuple(cls.through(name, found) for name, found in mine.items() if found)


@dataclass(frozen=True)
class Figure:
    """A figure as data: curves, and named horizontal and vertical lines.

    ``levels`` are the horizontal ones (name, y), ``marks`` the vertical ones (name, x).  ``planned`` names all
    curves of the experiment's plan in order, so that each curve looks the same however many there are already.
    ``crossed_out`` says why points of curves are crossed out.
    """

    name: str
    title: str
    x_label: str
    y_label: str
    curves: tuple[Curve, ...]
    levels: tuple[tuple[str, float], ...] = ()
    marks: tuple[tuple[str, float], ...] = ()
    logarithmic_x: bool = False
    planned: tuple[str, ...] = ()
    crossed_out: str = ""

    @property
    def crossed_points(self) -> tuple[tuple[float, float], ...]:
        """(x, y) of all points that are crossed out."""
        return tuple(
            (x, y)
            for curve in self.curves
            if curve.crossed
            for x, y, out in zip(curve.x, curve.y, curve.crossed, strict=True)
            if out
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all curves: those of the plan in its order, then any others."""
        return tuple(dict.fromkeys([*self.planned, *(curve.name for curve in self.curves)]))


@dataclass(frozen=True)
class Result:
    """The result of an experiment.

    ``notes`` are sentences to read with the numbers: what the paper says in words, which choices
    were made where it leaves one, and the limits of the data.
    """

    experiment: str
    scale: str
    rows: tuple[Row, ...]
    figures: tuple[Figure, ...]
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """A record for JSON."""
        return {
            "experiment": self.experiment,
            "scale": self.scale,
            "rows": [row.as_dict() for row in self.rows],
            "notes": list(self.notes),
        }

    @property
    def table(self) -> DataTable:
        """The rows as a table; a parameter given as a rational in some row, such as "3/2", is a number in all rows."""
        found: dict[str, list[str | int | float]] = {}
        for row in self.rows:
            for name, value in row.at.items():
                found.setdefault(name, []).append(value)
        exact = {name for name, values in found.items() if all(map(_is_number, values))}
        rows = [
            row.as_dict() | {name: _number(value) for name, value in row.at.items() if name in exact}
            for row in self.rows
        ]
        return table_of_records("rows", rows, _OF_ROWS)

    @property
    def points(self) -> DataTable:
        """The points of all curves as a table."""
        points = [point for figure in self.figures for point in points_of(figure)]
        axes = dict.fromkeys(label for figure in self.figures for label in (figure.x_label, figure.y_label))
        return table_of_records("curves", points, [*_OF_POINTS, *(DeclaredColumn(label, float) for label in axes)])

    def write(self, folder: Path) -> list[Path]:
        """Write the result as JSON, and rows and curves as tables in each available format; returns the paths."""
        paths = []
        for ending in table_endings():
            for table, name in ((self.table, self.experiment), (self.points, f"{self.experiment}-curves")):
                paths.append(folder / f"{name}{ending}")
                table.write(paths[-1])
        whole = folder / f"{self.experiment}.json"
        write_text(whole, f"{json.dumps(self.as_dict(), indent=1)}\n")
        return [*paths, whole]


def points_of(figure: Figure) -> list[dict[str, Any]]:
    """The points of a figure's curves as rows of a table."""
    return [
        {
            "figure": figure.name,
            "curve": curve.name,
            figure.x_label: x,
            figure.y_label: y,
            "half_width": _finite(curve.half_width[place]) if curve.half_width else None,
        }
        for curve in figure.curves
        for place, (x, y) in enumerate(zip(curve.x, curve.y, strict=True))
    ]


def _is_number(value: str | int | float) -> bool:
    return not isinstance(value, str) or _RATIONAL.fullmatch(value) is not None


def _number(value: str | int | float) -> int | float:
    return float(Fraction(value)) if isinstance(value, str) else value


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None


#: Draws a figure into a file; returns False if it cannot.
Draw = Callable[[Figure, Path], bool]

#: The file endings of the pictures' formats.
PICTURES = (".svg", ".png")


def prepare(folder: Path) -> None:
    """Make the folder for results before the work starts, so that a wrong one is reported at once.

    Raises UserError if the path is not a folder, or the folder cannot be made or written.
    """
    if folder.exists() and not folder.is_dir():
        raise UserError(f"found the file {folder}, allowed: a folder", where="--out")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"the folder {folder} cannot be made: {error.strerror}", where="--out") from None
    if not os.access(folder, os.W_OK):
        raise UserError(f"the folder {folder} cannot be written", where="--out")


def pictures(result: Result, folder: Path, draw: Draw) -> list[Path]:
    """Draw every figure in every format; returns the paths of those that could be drawn."""
    paths: list[Path] = []
    for figure in result.figures:
        for ending in PICTURES:
            path = folder / f"{figure.name}{ending}"
            if not draw(figure, path):
                return paths
            paths.append(path)
    return paths
