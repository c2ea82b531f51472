"""Functions that call themselves: compiled, they go on until the stack, and the whole process, is gone."""

from __future__ import annotations

from types import FunctionType, ModuleType
from typing import Any, Iterator

from slotscope.model.compiling.meaning import names_in

#: Modules whose functions come back by themselves.
KNOWN = frozenset({"numpy", "math", "numba", "slotscope", "builtins"})


def circle(function: FunctionType, on_the_way: tuple[FunctionType, ...] = ()) -> tuple[FunctionType, ...]:
    """Functions of which each calls the next and the last one the first, among *function* and what it calls."""
    if function in on_the_way:
        return on_the_way[on_the_way.index(function) :]
    found = (circle(called, (*on_the_way, function)) for called in _called(function))
    return next(filter(None, found), ())


def home_of(value: Any) -> str:
    """The top name of the module that *value* is, or comes from."""
    name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None) or ""
    return str(name).partition(".")[0]


def _called(function: FunctionType) -> Iterator[FunctionType]:
    """Functions of the user's that *function* names, decorated by Numba or not; also as ``module.function``."""
    names = frozenset(names_in(function.__code__))
    named = [function.__globals__.get(name) for name in names]
    named += [getattr(module, name, None) for module in named if isinstance(module, ModuleType) for name in names]
    for value in (getattr(one, "py_func", one) for one in named):
        if isinstance(value, FunctionType) and home_of(value) not in KNOWN:
            yield value
