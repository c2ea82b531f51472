"""The marks on pictures at a step of a lesson: strokes, arrows and notes, with their places in a panel."""

from __future__ import annotations

import re
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from slotscope.model.scenario.fields import Name, Section

#: The most points of a stroke, and how far a point may be from its reference area, in the area's sides.
MOST_POINTS, FURTHEST = 400, 60.0

#: The text form of a point, and the fewest and most points of each shape.
_POINT = re.compile(r"(-?\d{1,2}(?:\.\d{1,4})?),(-?\d{1,2}(?:\.\d{1,4})?)")
_COUNTS = {"stroke": (2, MOST_POINTS), "arrow": (2, 2), "note": (1, 1)}

Points = tuple[tuple[float, float], ...]


def read_path(text: str) -> Points:
    """The points of a path, from text. Raises ValueError if the text is not a path."""
    found = [_POINT.fullmatch(word) for word in text.split()]
    points = tuple((float(one[1]), float(one[2])) for one in found if one is not None)
    if not points or len(points) < len(found) or any(abs(side) > FURTHEST for point in points for side in point):
        raise ValueError(f"points such as '0.25,0.5 0.75,1', each side from -{FURTHEST:g} to {FURTHEST:g}")
    return points


def written_path(points: Points) -> str:
    """A path in the text form of lesson files."""
    return " ".join(f"{x:.4f},{y:.4f}".replace(".0000", "") for x, y in points)


def _path(text: str) -> str:
    read_path(text)
    return text


#: A server in a picture: its section, and its index in the section.
Anchor = tuple[Annotated[int, Field(ge=0)], Annotated[int, Field(ge=0)]]

#: What a mark is placed relative to.
Ground = Anchor | Literal["panel", "picture"]


class Mark(Section):
    """A stroke, an arrow or a note."""

    panel: Name  #: the panel whose picture it is on
    #: a note's ``text`` begins at its only point; an arrow ends at its second point, and may have a text at its first
    shape: Literal["stroke", "arrow", "note"]
    #: points ``x,y`` as fractions of the panel's width and height, or of those of ``on``
    path: Annotated[str, AfterValidator(_path)]
    policy: int = Field(default=1, ge=1, le=3)  #: the number of the lane, from 1
    #: the server that the mark is attached to, in a picture of servers: its section, and its index there, from 0; the
    #: mark moves with it
    on: Anchor | None = None
    #: for a mark on no server, the area that the path is relative to: the panel, or the picture of all servers in it
    of: Literal["panel", "picture"] = "panel"
    color: Literal["ink", "blue", "red"] = "red"
    text: str = Field(default="", max_length=120)

    @model_validator(mode="after")
    def _complete(self) -> Self:
        least, most = _COUNTS[self.shape]
        if not least <= len(self.points) <= most:
            count = f"{least}" if least == most else f"{least} to {most}"
            raise ValueError(f"a path with {count} points where shape is '{self.shape}'")
        if (self.shape == "note" and not self.text) or (self.shape == "stroke" and self.text):
            raise ValueError("'text' in a note, or beside an arrow, and in no stroke")
        if self.on is not None and self.of != "panel":
            raise ValueError("'on' a server, or 'of' the picture")
        return self

    @property
    def ground(self) -> Ground:
        """What the path is relative to."""
        return self.of if self.on is None else self.on

    @property
    def points(self) -> Points:
        """The points of its path."""
        return read_path(self.path)
