"""Declarations of a kind of system's panels; reading them imports none of the panels."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Mapping, NamedTuple

if TYPE_CHECKING:
    from slotscope.gui.panel import Panel


@dataclass(frozen=True)
class PanelEntry:
    """The name of a panel, the module and name of its class, and where it docks (tabs share a group)."""

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
    """The names of a kind's panels that have a role in layouts."""

    servers: str  #: the pictures of the servers, top left
    curve: str  #: the main curve, top right
    programs: str  #: the programs, bottom right
    beside: str  #: beside the servers, by default, in lecture mode
    numbered: tuple[str, ...]  #: by the number keys 1 to 9 that bring them to the front


class DecisionWords(NamedTuple):
    """A comparison's words for decisions that differ."""

    first: str  #: the tooltip of the button for the first difference
    where: str  #: what else counts as a difference, besides whether a job is admitted
    where_tip: str
    alike: str  #: said if all decisions agree; ``{jobs}`` stands for their number so far


class PanelRoom(NamedTuple):
    """The window's declarations for one kind of system; see :mod:`gui.kinds.rooms`."""

    #: in the order of building, the servers first; the first panel of a group is its front tab
    panels: tuple[PanelEntry, ...]
    roles: Roles  #: the panels with a role
    symbols: str  #: a module whose ``SYMBOLS`` say how values of records are written beside pseudocode
    #: page, page_title: the kind's page of the manual, and its title in the contents
    page: str
    page_title: str
    #: other pages of the manual that replace the kind's own, by the scenario's name
    lessons: Mapping[str, str] = MappingProxyType({})
    #: a comparison's words for decisions that differ, for kinds that compare them
    decisions: DecisionWords = DecisionWords("", "", "", "")
    shapes: str = ""  #: a module whose ``SHAPES`` tell where the scenario form offers values of another shape
