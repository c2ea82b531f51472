"""What a kind of system declares of its panels, so that reading it imports none of them."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Mapping, NamedTuple

if TYPE_CHECKING:
    from slotscope.gui.panel import Panel


@dataclass(frozen=True)
class PanelEntry:
    """What a panel is called, where its class is, and where it docks (tabs share a group)."""

    name: str
    module: str
    cls: str
    place: str
    group: str

    def load(self) -> type[Panel]:
        """Import the panel's class."""
        panel: type[Panel] = getattr(import_module(self.module), self.cls)
        return panel


class Roles(NamedTuple):
    """Which of a kind's panels stand where, by their names."""

    servers: str  #: at the left, above
    curve: str  #: at the right, above
    programs: str  #: at the right, below
    beside: str  #: beside the servers at first in lecture mode
    numbered: tuple[str, ...]  #: by the number key that brings them to the front, from 1 to 9


class DecisionWords(NamedTuple):
    """What a comparison calls decisions that differ."""

    first: str  #: where the first one that differs is
    where: str  #: what else can differ besides whether a job gets in
    where_tip: str
    alike: str  #: ``{jobs}`` stands for how many there were so far


class PanelRoom(NamedTuple):
    """What the window has for one kind of system; see :mod:`gui.kinds.rooms`."""

    #: in the order in which they are built, the servers first; the first of a group is in front
    panels: tuple[PanelEntry, ...]
    roles: Roles  #: which of them stand where
    symbols: str  #: a module whose ``SYMBOLS`` say how values of records are written beside pseudocode
    #: page, page_title: the kind's page of the manual, and what it is called in the contents
    page: str
    page_title: str
    #: pages that stand for the kind's own, by the name of the scenario
    lessons: Mapping[str, str] = MappingProxyType({})
    #: words for decisions that differ, of kinds that compare them
    decisions: DecisionWords = DecisionWords("", "", "", "")
    shapes: str = ""  #: a module whose ``SHAPES`` say where the scenario's form offers values of another shape
