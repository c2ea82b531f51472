"""What is drawn on a picture at a step of a lesson: strokes, arrows and notes, where they stand in a panel."""

from __future__ import annotations

import re
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from slotscope.model.scenario.fields import Name, Section

#: Points of a stroke at most, and how far from where it stands a point may be, in its sides.
MOST_POINTS, FURTHEST = 400, 60.0

#: A point as it is written, and how many of them each shape has, at least and at most.
_POINT = re.compile(r"(-?\d{1,2}(?:\.\d{1,4})?),(-?\d{1,2}(?:\.\d{1,4})?)")
_COUNTS = {"stroke": (2, MOST_POINTS), "arrow": (2, 2), "note": (1, 1)}

Points = tuple[tuple[float, float], ...]


def read_path(text: str) -> Points:
    """The points of a path. Raises ValueError if it is none."""
    found = [_POINT.fullmatch(word) for word in text.split()]
    points = tuple((float(one[1]), float(one[2])) for one in found if one is not None)
    if not points or len(points) < len(found) or any(abs(side) > FURTHEST for point in points for side in point):
        raise ValueError(f"points such as '0.25,0.5 0.75,1', each side from -{FURTHEST:g} to {FURTHEST:g}")
    return points


def written_path(points: Points) -> str:
    """A path as a lesson's file has it."""
    return " ".join(f"{x:.4f},{y:.4f}".replace(".0000", "") for x, y in points)


def _path(text: str) -> str:
    read_path(text)
    return text


#: A server of a picture: its section, and its place in that.
Anchor = tuple[Annotated[int, Field(ge=0)], Annotated[int, Field(ge=0)]]

#: What a mark goes with.
Ground = Anchor | Literal["panel", "picture"]


class Mark(Section):
    """A stroke, an arrow or a note."""

    panel: Name  #: in whose picture it is
    #: a note's ``text`` begins at its only point; an arrow ends at its second, and may have a text at its first
    shape: Literal["stroke", "arrow", "note"]
    #: points ``x,y`` in shares of the panel's width and height, or of what it stands ``on``
    path: Annotated[str, AfterValidator(_path)]
    policy: int = Field(default=1, ge=1, le=3)  #: of which of the policies that run side by side, from 1
    #: the section and the number in it, from 0, of the server in a picture of servers on which it stands; the mark goes
    #: where that goes
    on: Anchor | None = None
    #: what the path is in shares of where it stands on no server: the panel, or the picture of all servers in it
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
        """What its path is in shares of."""
        return self.of if self.on is None else self.on

    @property
    def points(self) -> Points:
        """The points of its path."""
        return read_path(self.path)
