"""One moment of the servers laid out in a picture: what is where, and what lies under a point."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, Sequence, TypeVar

from PySide6.QtCore import QPointF, QRectF

from slotscope.gui.pictures.layout import Box, CellLayout, Integers, SectionGrid
from slotscope.gui.theme import Theme
from slotscope.model.reporting.frame import Frame


def in_widget(stage: QRectF, ratio: float, box: tuple[int, int, int, int]) -> QRectF:
    """Where a box of the picture's pixels is in the widget.

    - *stage*: Where the picture is in the widget.
    - *ratio*: Device pixels for each of the widget's.
    """
    x, y, width, height = (value / ratio for value in box)
    return QRectF(stage.x() + x, stage.y() + y, width, height)


def in_pixels(stage: QRectF, ratio: float, position: QPointF) -> tuple[int, int] | None:
    """The picture's pixel at a point of the widget; None beside the picture."""
    if not stage.contains(position):
        return None
    return int((position.x() - stage.x()) * ratio), int((position.y() - stage.y()) * ratio)


StateT = TypeVar("StateT")
NumbersT = TypeVar("NumbersT")
FactsT = TypeVar("FactsT")


@dataclass(frozen=True, eq=False)
class ShownSection:
    """What can be seen of one section."""

    section: Any
    grid: SectionGrid[Any]
    index: Integers  #: [S] which of the section's servers, ascending; none where they share pixels
    content: Any  #: what is on them


@dataclass(frozen=True, eq=False)
class CellScene(ABC, Generic[StateT, NumbersT, FactsT]):
    """Everything that painting and hit tests need of one moment."""

    frame: Frame
    layout: CellLayout[Any, Any]
    sections: Sequence[Any]  #: as in the layout
    stage: QRectF  #: where the servers are in the widget
    theme: Theme
    ratio: float  #: device pixels for each of the widget's

    @property
    def state(self) -> StateT:
        state: StateT = self.frame.state
        return state

    @property
    def numbers(self) -> NumbersT:
        """The run's constant numbers."""
        numbers: NumbersT = self.frame.info.numbers
        return numbers

    @property
    def facts(self) -> FactsT:
        """What is to be known of the policy."""
        facts: FactsT = self.frame.info.facts
        return facts

    @cached_property
    def shown(self) -> tuple[ShownSection, ...]:
        """What can be seen of each section."""
        return tuple(self._shown(number) for number in range(len(self.sections)))

    def _shown(self, number: int) -> ShownSection:
        index = self.layout.visible(number)
        section = self.sections[number]
        return ShownSection(section, self.layout.grids[number], index, self._content(section, index))

    @abstractmethod
    def _content(self, section: Any, index: Integers) -> Any:
        """What is on the servers of a section with these places in it."""

    def rect(self, box: Box) -> QRectF:
        """A box of the stage's device pixels in the widget's coordinates."""
        return in_widget(self.stage, self.ratio, box)

    def at(self, position: QPointF) -> Any:
        """What is at a point of the widget; None where there is no server."""
        pixel = in_pixels(self.stage, self.ratio, position)
        found = None if pixel is None else self.layout.at(*pixel)
        if pixel is None or found is None:
            return None
        return self._hit(*found, *pixel)

    @abstractmethod
    def _hit(self, number: int, index: int, x: int, y: int) -> Any:
        """What of a server of a section is at a pixel of the stage, which is in its cell."""
