"""Checks of the shape of a user policy: its class, methods and attributes."""

from __future__ import annotations

import dis
import inspect
from itertools import pairwise
from types import FunctionType, ModuleType
from typing import Any, Iterator

from pydantic import BaseModel

from slotscope.model.compiling.meaning import names_in
from slotscope.model.errors import PolicyFileError
from slotscope.model.kinds.rooms import ROOMS
from slotscope.model.policies.common import NoParameters, PseudocodeLine
from slotscope.model.policies.own.kind import Occasion, OwnKind

#: Modules whose functions are known to return.
KNOWN = frozenset({"numpy", "math", "numba", "slotscope", "builtins"})


def circle(function: FunctionType, on_the_way: tuple[FunctionType, ...] = ()) -> tuple[FunctionType, ...]:
    """A cycle of calls, each function calling the next, among *function* and what it calls; empty if there is none."""
    if function in on_the_way:
        return on_the_way[on_the_way.index(function) :]
    found = (circle(called, (*on_the_way, function)) for called in _called(function))
    return next(filter(None, found), ())


def home_of(value: Any) -> str:
    """The top-level name of the module that *value* is or comes from."""
    name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None) or ""
    return str(name).partition(".")[0]


def _called(function: FunctionType) -> Iterator[FunctionType]:
    """The user's functions that *function* names, also as ``module.function``, with or without Numba's decorator."""
    names = frozenset(names_in(function.__code__))
    named = [function.__globals__.get(name) for name in names]
    named += [getattr(module, name, None) for module in named if isinstance(module, ModuleType) for name in names]
    for value in (getattr(one, "py_func", one) for one in named):
        if isinstance(value, FunctionType) and home_of(value) not in KNOWN:
            yield value


#: Allowed names of the class; the first one is preferred.
CLASSES = ("Policy", "Reference")


def place_in(path: str, line: int) -> str:
    """A place in a file, as errors name it."""
    return f"{path}, line {line}" if line else path


def system_of(module: ModuleType, default: str) -> str:
    """The kind of system that a file's class names; *default* if it names none."""
    cls = next((vars(module)[name] for name in CLASSES if name in vars(module)), None)
    named = getattr(cls, "system", "")
    return named if type(named) is str and named in ROOMS else default


def policy_class(path: str, module: ModuleType, kind: OwnKind) -> type:
    """The class that a file defines, after a check of its shape for a kind of system.

    Raises PolicyFileError if there is no such class, or a method or attribute of it has the wrong shape.
    """
    variables = vars(module)
    cls = next((variables[name] for name in CLASSES if name in variables), None)
    if cls is None:
        own = [
            name for name, item in variables.items() if isinstance(item, type) and item.__module__ == module.__name__
        ]
        there = f"found the classes {', '.join(own)}" if own else "found no class"
        raise _refused(path, 0, there, "a class called Policy")
    if not isinstance(cls, type):
        raise _refused(path, 0, "found a Policy that is no class", "class Policy(OwnPolicy)")
    _check_methods(path, cls, kind)
    _check_kernel(path, cls, kind)
    _check_attributes(path, cls, kind)
    return cls


def takes_nothing(cls: type) -> bool:
    """Whether the class is instantiated without arguments, as one without ``__init__`` is."""
    return not _binds(cls, "numbers", "parameters") and _binds(cls)


def _refused(path: str, line: int, found: str, allowed: str) -> PolicyFileError:
    return PolicyFileError(f"{found}, allowed: {allowed}", where=place_in(path, line))


def _check_methods(path: str, cls: type, kind: OwnKind) -> None:
    wanted = {one.name: f"def {one.name}(self, {', '.join(one.arguments)})" for one in kind.occasions}
    enough = kind.enough if issubclass(cls, kind.own) else kind.enough[:1]
    if not any(_is_defined(cls, name, kind.own) for name in enough):
        found = f"the class {cls.__name__} has no method {' or '.join(enough)}"
        raise _refused(path, line_of(cls), found, wanted[kind.enough[0]])
    for occasion in kind.occasions:
        name, method = occasion.name, inspect.getattr_static(cls, occasion.name, None)
        if method is None:
            continue
        function = method.__func__ if isinstance(method, staticmethod | classmethod) else method
        if not isinstance(function, FunctionType):
            raise _refused(path, line_of(cls), f"{name} is no method", wanted[name])
        line = line_of(function)
        given = occasion.arguments if function is not method else ("self", *occasion.arguments)
        if not _binds(getattr(cls, name), *given):
            found = f"found {name}{inspect.signature(getattr(cls, name))}"
            raise _refused(path, line, found, wanted[name].removeprefix("def "))
        _check_generator(path, line, occasion, function, kind)


def _check_kernel(path: str, cls: type, kind: OwnKind) -> None:
    given = inspect.getattr_static(cls, "kernel", None)
    if given is None:
        return
    function = kernel_function(cls)
    wanted = ", ".join(kind.kernels.arguments)
    if not isinstance(given, staticmethod) or not isinstance(function, FunctionType):
        raise _refused(path, line_of(function), "kernel is no static function", f"@staticmethod, def kernel({wanted})")
    if list(inspect.signature(function).parameters) != list(kind.kernels.arguments):
        found = f"found kernel{inspect.signature(function)}"
        raise _refused(path, line_of(function), found, f"kernel({wanted})")
    if around := circle(function):
        names = ", which calls ".join(one.__name__ for one in (*around, around[0]))
        raise _refused(path, line_of(around[0]), f"the kernel comes to {names}", "loops")


def kernel_function(cls: type) -> Any:
    """The plain function ``kernel`` of a class, without Numba's decorator; None if the class has none."""
    given = getattr(cls, "kernel", None)
    return getattr(given, "py_func", given)


def _is_defined(cls: type, name: str, own: type) -> bool:
    """Whether a class has a method other than the one of its base class *own*."""
    method = inspect.getattr_static(cls, name, None)
    same = issubclass(cls, own) and method is inspect.getattr_static(own, name, None)
    return callable(getattr(cls, name, None)) and not same


def _check_generator(path: str, line: int, occasion: Occasion, function: FunctionType, kind: OwnKind) -> None:
    name = occasion.name
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise _refused(path, line, f"found async def {name}", f"def {name} with yield")
    needed = occasion.answers or name == kind.enough[0]
    if needed and not inspect.isgeneratorfunction(function) and not _returns(function):
        raise _refused(path, line, f"{name} has no yield", f"a generator that {kind.hint}")


def _returns(function: FunctionType) -> bool:
    """Whether a function that does not yield may return the generator of another one."""
    steps = list(dis.get_instructions(function))
    return any(
        step.opname == "RETURN_VALUE" and (before.opname, before.argval) != ("LOAD_CONST", None)
        for before, step in pairwise(steps)
    )


def _check_attributes(path: str, cls: type, kind: OwnKind) -> None:
    line = line_of(cls)
    schema = getattr(cls, "schema", NoParameters)
    if not (isinstance(schema, type) and issubclass(schema, BaseModel)):
        raise _refused(
            path, line, "the schema is no pydantic model", "schema = Parameters, with class Parameters(Section)"
        )
    for name, plain in {"title": str, **dict.fromkeys(kind.switches, bool)}.items():
        value = getattr(cls, name, plain())
        if not isinstance(value, plain | property):
            raise _refused(path, line, f"{name} is of the class {type(value).__name__}", plain.__name__)
    lines = getattr(cls, "pseudocode", ())
    if not isinstance(lines, tuple) or not all(type(item) is PseudocodeLine for item in lines):
        raise _refused(path, line, "the pseudocode is no tuple of PseudocodeLine", "that, or none")
    if not takes_nothing(cls) and not _binds(cls, "numbers", "parameters"):
        found = f"found {cls.__name__}.__init__{inspect.signature(cls)}"
        raise _refused(path, line, found, "__init__(self, numbers, parameters)")


def _binds(call: Any, *arguments: str) -> bool:
    try:
        inspect.signature(call).bind(*arguments)
    except (TypeError, ValueError):
        return False
    return True


def line_of(item: Any) -> int:
    """The first line of a function or class; 0 if its code is not available."""
    code = getattr(item, "__code__", None)
    if code is not None:
        return int(code.co_firstlineno)
    if not hasattr(item, "__dict__"):
        return 0
    inside = (getattr(value, "__code__", None) for value in vars(item).values())
    return min((code.co_firstlineno for code in inside if code is not None), default=0)
