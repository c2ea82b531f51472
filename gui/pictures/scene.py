"""The scene: one moment of the servers laid out in a picture, for painting and hit tests."""

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
    """Map a box in the picture's device pixels to the widget's coordinates.

    - *stage*: The picture's rectangle in the widget.
    - *ratio*: Device pixels per widget pixel.
    """
    x, y, width, height = (value / ratio for value in box)
    return QRectF(stage.x() + x, stage.y() + y, width, height)


def in_pixels(stage: QRectF, ratio: float, position: QPointF) -> tuple[int, int] | None:
    """Map a point of the widget to a device pixel of the picture; None outside the picture."""
    if not stage.contains(position):
        return None
    return int((position.x() - stage.x()) * ratio), int((position.y() - stage.y()) * ratio)


StateT = TypeVar("StateT")
NumbersT = TypeVar("NumbersT")
FactsT = TypeVar("FactsT")


@dataclass(frozen=True, eq=False)
class ShownSection:
    """The visible part of one section."""

    section: Any
    grid: SectionGrid[Any]
    index: Integers  #: [S] the visible servers, ascending; empty if servers share pixels
    content: Any  #: what is on them


@dataclass(frozen=True, eq=False)
class CellScene(ABC, Generic[StateT, NumbersT, FactsT]):
    """Everything that painting and hit tests need for one moment."""

    frame: Frame
    layout: CellLayout[Any, Any]
    sections: Sequence[Any]  #: as in the layout
    stage: QRectF  #: the picture's rectangle in the widget
    theme: Theme
    ratio: float  #: device pixels per widget pixel

    @property
    def state(self) -> StateT:
        state: StateT = self.frame.state
        return state

    @property
    def numbers(self) -> NumbersT:
        """The run's constants."""
        numbers: NumbersT = self.frame.info.numbers
        return numbers

    @property
    def facts(self) -> FactsT:
        """The policy's facts for panels."""
        facts: FactsT = self.frame.info.facts
        return facts

    @cached_property
    def shown(self) -> tuple[ShownSection, ...]:
        """The visible part of each section."""
        return tuple(self._shown(number) for number in range(len(self.sections)))

    def _shown(self, number: int) -> ShownSection:
        index = self.layout.visible(number)
        section = self.sections[number]
        return ShownSection(section, self.layout.grids[number], index, self._content(section, index))

    @abstractmethod
    def _content(self, section: Any, index: Integers) -> Any:
        """The contents of the servers with these indices in a section."""

    def rect(self, box: Box) -> QRectF:
        """Map a box in the stage's device pixels to the widget's coordinates."""
        return in_widget(self.stage, self.ratio, box)

    def at(self, position: QPointF) -> Any:
        """What is at a point of the widget; None if no server is."""
        pixel = in_pixels(self.stage, self.ratio, position)
        found = None if pixel is None else self.layout.at(*pixel)
        if pixel is None or found is None:
            return None
        return self._hit(*found, *pixel)

    @abstractmethod
    def _hit(self, number: int, index: int, x: int, y: int) -> Any:
        """What is at a pixel of the stage that lies in the cell of server *index* of section *number*."""
