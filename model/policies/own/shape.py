"""The shape of a policy of one's own: its class, its methods, its attributes."""

from __future__ import annotations

import dis
import inspect
from itertools import pairwise
from types import FunctionType, ModuleType
from typing import Any, Mapping

from pydantic import BaseModel

from slotscope.model.errors import PolicyFileError
from slotscope.model.policies.common import NoParameters, PseudocodeLine

#: Names of the class, the first one is preferred.
CLASSES = ("Policy", "Reference")

#: Occasions and the arguments after ``self``.
OCCASIONS: Mapping[str, tuple[str, ...]] = {
    "start": ("view",),
    "arrival": ("view", "job"),
    "departure": ("view", "job"),
    "update": ("view",),
}

#: Attributes of the class that must have a plain type.
TYPED: Mapping[str, type] = {"reserves_slots": bool, "has_groups": bool, "title": str}


def place_in(path: str, line: int) -> str:
    """A place in a file, as errors name it."""
    return f"{path}, line {line}" if line else path


def policy_class(path: str, module: ModuleType) -> type:
    """The class that a file defines, once its shape was found to be right.

    Raises
    ------
    PolicyFileError
        If there is none, or a method or attribute of it is not as it must be.
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
    _check_methods(path, cls)
    _check_attributes(path, cls)
    return cls


def takes_nothing(cls: type) -> bool:
    """Whether the class is made without arguments; one without ``__init__`` is."""
    return not _binds(cls, "numbers", "parameters") and _binds(cls)


def _refused(path: str, line: int, found: str, allowed: str) -> PolicyFileError:
    return PolicyFileError(f"{found}, allowed: {allowed}", where=place_in(path, line))


def _check_methods(path: str, cls: type) -> None:
    if not callable(getattr(cls, "arrival", None)):
        raise _refused(
            path, _line_of(cls), f"the class {cls.__name__} has no method arrival", "def arrival(self, view, job)"
        )
    for name, arguments in OCCASIONS.items():
        method = inspect.getattr_static(cls, name, None)
        if method is None:
            continue
        function = method.__func__ if isinstance(method, staticmethod | classmethod) else method
        wanted = f"{name}(self, {', '.join(arguments)})"
        if not isinstance(function, FunctionType):
            raise _refused(path, _line_of(cls), f"{name} is no method", f"def {wanted}")
        line = _line_of(function)
        given = arguments if function is not method else ("self", *arguments)
        if not _binds(getattr(cls, name), *given):
            found = f"found {name}{inspect.signature(getattr(cls, name))}"
            raise _refused(path, line, found, wanted)
        _check_generator(path, line, name, function)


def _check_generator(path: str, line: int, name: str, function: FunctionType) -> None:
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise _refused(path, line, f"found async def {name}", f"def {name} with yield")
    yields = inspect.isgeneratorfunction(function)
    if name == "arrival" and not yields and not _returns(function):
        raise _refused(path, line, "arrival has no yield", "a generator that yields one Admit(server=...) or Reject()")


def _returns(function: FunctionType) -> bool:
    """Whether a function that does not yield may return another one's generator."""
    steps = list(dis.get_instructions(function))
    return any(
        step.opname == "RETURN_VALUE" and (before.opname, before.argval) != ("LOAD_CONST", None)
        for before, step in pairwise(steps)
    )


def _check_attributes(path: str, cls: type) -> None:
    line = _line_of(cls)
    schema = getattr(cls, "schema", NoParameters)
    if not (isinstance(schema, type) and issubclass(schema, BaseModel)):
        raise _refused(
            path, line, "the schema is no pydantic model", "schema = Parameters, with class Parameters(Section)"
        )
    for name, kind in TYPED.items():
        value = getattr(cls, name, kind())
        if not isinstance(value, kind | property):
            raise _refused(path, line, f"{name} is of the class {type(value).__name__}", kind.__name__)
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


def _line_of(item: Any) -> int:
    """Where a function or class begins; 0 if its code is not at hand."""
    code = getattr(item, "__code__", None)
    if code is not None:
        return int(code.co_firstlineno)
    inside = (getattr(value, "__code__", None) for value in vars(item).values())
    return min((code.co_firstlineno for code in inside if code is not None), default=0)
