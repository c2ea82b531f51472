"""Modules that a policy of one's own may know by the name that they had when it was written."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Sequence

from slotscope.model.kinds.rooms import ROOMS

#: The program's package, and that of the model before it had one.
PROGRAM, MODEL = __name__.partition(".")[0], "model"
#: Packages that modules have left, and where these are now.
FORMER = {old: new for room in ROOMS.values() for old, new in room.former_packages.items()}
#: Modules that policies know and that have moved by themselves.
MOVED = {"model.records": "model.reporting.records"}


class _FormerNames(MetaPathFinder, Loader):
    """Imports a module that has moved under its former name as well: it is one module."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """What Python asks of each finder."""
        return ModuleSpec(name, self) if self._now(name) else None

    def exec_module(self, module: ModuleType) -> None:
        """Put the module itself in the place of the empty one."""
        sys.modules[module.__name__] = import_module(self._now(module.__name__))

    def _now(self, name: str) -> str:
        """The module's name today; nothing where it is none that has moved."""
        inside = name.removeprefix(f"{PROGRAM}.")
        package, _, own = inside.rpartition(".")
        now = f"{PROGRAM}.{name}" if f"{name}.".startswith(f"{MODEL}.") else ""
        now = f"{PROGRAM}.{MOVED[inside]}" if inside in MOVED else now
        now = f"{FORMER[package]}.{own}" if package in FORMER else now
        return now if now and find_spec(now) else ""


_FINDER = _FormerNames()


def answer_to_former_names() -> None:
    """Let files be executed that import from where modules once were."""
    if _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)
