"""The registry of rooms, one for each kind of system: the only place that names them.

To add a kind, add a package beside this module that declares a ``ROOM``, and add its name here.
"""

from __future__ import annotations

from importlib import import_module
from typing import Mapping

from slotscope.model.kinds.declaration import Room

_NAMES = ("reservation", "queue", "phases", "moldable")

#: The declaration of each kind of system, by its name.
ROOMS: Mapping[str, Room] = {name: import_module(f"slotscope.model.kinds.{name}").ROOM for name in _NAMES}
