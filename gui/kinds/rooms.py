"""The panels of each kind of system: those of ``model/kinds/NAME`` are in ``gui/kinds/NAME``.

To add them for a kind, add a package beside this module that declares a ``ROOM``.
"""

from __future__ import annotations

from importlib import import_module
from typing import Mapping

from slotscope.gui.kinds.declaration import PanelRoom
from slotscope.model.kinds.rooms import ROOMS

#: What each kind of system declares, by its name.
PANEL_ROOMS: Mapping[str, PanelRoom] = {name: import_module(f"slotscope.gui.kinds.{name}").ROOM for name in ROOMS}
