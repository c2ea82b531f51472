"""Executing a policy's file, which may know modules by the names that they had when it was written."""

from __future__ import annotations

import ast
import linecache
import sys
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import decode_source, find_spec
from types import ModuleType
from typing import Any, Sequence

from slotscope.model.errors import PolicyFileError
from slotscope.model.kinds.rooms import ROOMS
from slotscope.model.policies.own import limits
from slotscope.model.policies.own.beside import imported_anew
from slotscope.model.policies.own.faults import line_in, overtime, said_by
from slotscope.model.policies.own.shape import place_in
from slotscope.model.policies.own.text import STOP, stoppable
from slotscope.model.policies.own.trust import digest_of
from slotscope.model.policies.own.watch import CodeStoppedError, go_on_stopping, watched

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


def executed(path: str, text: str, package: str) -> ModuleType:
    """A module of its own with all that the file defines, and with the modules beside it as they are now.

    Raises PolicyFileError if the text is no Python, or fails.
    """
    answer_to_former_names()

    def beside(file: str, source: bytes, module: ModuleType) -> None:
        vars(module)[STOP] = go_on_stopping
        _remember(file, decode_source(source))
        exec(compile(stoppable(ast.parse(source)), file, "exec", dont_inherit=True), vars(module))

    code = _compiled(path, text)
    module = ModuleType(f"slotscope_policy_{digest_of(text)[:16]}")
    module.__file__, module.__package__ = path, package
    vars(module)[STOP] = go_on_stopping
    sys.modules[module.__name__] = module  # where pydantic and dataclasses look names up
    with imported_anew(path, beside):
        loaded(path, lambda: exec(code, vars(module)), "the file")
    return module


def _remember(path: str, text: str) -> None:
    """Let the text that is executed be found by whoever looks for a function's, whatever the file becomes."""
    linecache.cache[path] = len(text), None, text.splitlines(keepends=True), path


def _compiled(path: str, text: str) -> Any:
    try:
        tree = ast.parse(text, filename=path)
        _remember(path, text)
        return compile(stoppable(tree), path, "exec", dont_inherit=True)
    except SyntaxError as error:
        place = f"{path}, line {error.lineno}, column {error.offset}" if error.lineno else path
        raise PolicyFileError(f"{type(error).__name__}: {error.msg}", where=place) from None
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        raise PolicyFileError(f"not Python: {error or type(error).__name__}", where=path) from None


def loaded(path: str, call: Any, what: str) -> Any:
    """What *call* gives; whatever it raises becomes an error that says where in the file.

    Raises PolicyFileError if it fails, or takes too long.
    """
    most = limits.LIMITS.seconds_to_load
    try:
        return watched(call, most)
    except CodeStoppedError as error:
        told = too_long(what, error.seconds, error.grown)
        raise PolicyFileError(told, where=place_in(path, line_in(error.cause, path))) from error
    except BaseException as error:
        said = said_by(error)
        if isinstance(error, ImportError):
            said += "; allowed: modules that are installed where slotscope runs, or beside the file"
        place = place_in(path, line_in(error, path))
        raise PolicyFileError(f"while loading: {said}", where=place) from None


def too_long(what: str, seconds: float, grown: int) -> str:
    """What is said of loading that was stopped after so many seconds, with so many bytes of memory more."""
    found, asks = overtime(seconds, grown)
    return f"{what} {found} to load, allowed: {limits.LIMITS.seconds_to_load:g}; {asks}"
