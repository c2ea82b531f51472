"""The meaning of a function: a hash of everything that its compiled code is made from.

It covers all that the function reaches (functions, constants, the fields of named tuples), and nothing
else.  So it does not change with comments and docstrings, the function's position in its file or on
disk, or anything that the function does not use; it does change with everything that it uses, in
whatever file that is.
"""

from __future__ import annotations

import hashlib
from enum import Enum
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, Callable, Iterator

import numpy as np

#: Packages whose functions are identified by name: their versions enter the hash separately.
_OTHERS = ("numpy", "numba", "llvmlite", "scipy")
_OURS = "slotscope"
_PLAIN = (type(None), type(...), bool, int, float, complex, str, bytes, range, np.generic, np.dtype)

_compiled_as: dict[Callable[..., Any], Callable[..., Any]] = {}


class MeaningUnknownError(TypeError):
    """A function uses an object that cannot be compared between processes."""


def meaning_of_function(function: Callable[..., Any] | tuple[object, ...], *also: object) -> str:
    """A hash of what *function* (or a tuple of a function's constants) does, and of *also*.

    Raises MeaningUnknownError if it uses an object that can only be compared by identity.
    """
    digest = hashlib.blake2b(digest_size=16)
    for part in _MeaningWalk().parts_of((function, *also)):
        digest.update(f"{len(part)}:{part}".encode())
    return digest.hexdigest()


def meant_by(stand_in: Callable[..., Any], compiled_as: Callable[..., Any]) -> None:
    """Declare that compiled calls of *stand_in* are implemented by what *compiled_as* registers."""
    _compiled_as[stand_in] = compiled_as


class _MeaningWalk:
    """A traversal of what a function reaches; an object that was met before is represented by its number."""

    def __init__(self) -> None:
        self._met: dict[int, int] = {}
        self._alive: list[object] = []  # keeps objects alive, so that no id is reused

    def parts_of(self, value: Any, names: frozenset[str] = frozenset()) -> Iterator[str]:
        """Texts that identify *value*; of a module, only the members among *names*, which the code uses."""
        if isinstance(value, Enum):
            yield f"{_name(type(value))}.{value.name}={value.value!r}"
        elif isinstance(value, _PLAIN):
            yield f"{type(value).__name__} {value!r}"
        elif isinstance(value, np.ndarray):
            yield f"array {value.dtype!r} {value.shape} {value.tobytes().hex()}"
        elif isinstance(value, tuple | list):
            yield f"{type(value).__name__} of {len(value)} {getattr(value, '_fields', '')}"
            for item in value:
                yield from self.parts_of(item, names)
        elif isinstance(value, dict):
            yield from self.parts_of(list(value.items()), names)
        elif isinstance(value, frozenset | set):
            yield f"set {sorted(map(repr, value))}"
        elif isinstance(value, ModuleType):
            yield from self._module(value, names)
        else:
            yield from self._once(value)

    def _module(self, module: ModuleType, names: frozenset[str]) -> Iterator[str]:
        yield f"module {module.__name__}"
        if module.__name__.split(".")[0] == _OURS:
            for name in sorted(names & vars(module).keys()):
                yield name
                yield from self.parts_of(getattr(module, name), names)

    def _once(self, value: Any) -> Iterator[str]:
        if id(value) in self._met:
            yield f"again {self._met[id(value)]}"
            return
        self._met[id(value)] = len(self._met)
        self._alive.append(value)
        if isinstance(value, type):
            yield from self._class(value)
        elif isinstance(value, CodeType):
            yield from self._code(value, value.co_consts)
        elif isinstance(value, FunctionType):
            yield from self._function(value)
        elif isinstance(value, BuiltinFunctionType | np.ufunc):
            yield f"built in {value.__name__}"
            yield from self.parts_of(_compiled_as.get(value))
        elif (inner := getattr(value, "py_func", None)) is not None:  # a compiled function, with options of its own
            yield f"compiled {sorted(map(str, value.targetoptions.items()))}"
            yield from self.parts_of(inner)
        elif (symbol := getattr(value, "symbol", None)) is not None:  # an external function, linked by its symbol
            yield f"symbol {symbol} {value.sig}"
        elif (inner := getattr(value, "__wrapped__", None)) is not None:
            yield from self.parts_of(inner)
        else:
            raise MeaningUnknownError(f"found {type(value).__name__}, allowed: functions, constants and arrays")

    def _class(self, found: type) -> Iterator[str]:
        yield f"class {_name(found)}"
        if found.__module__.split(".")[0] in (*_OTHERS, "builtins"):
            return
        yield f"{getattr(found, '_fields', ())}"
        for name, value in sorted(vars(found).items()):
            if isinstance(value, Enum | int | float | str) and not name.startswith("__"):
                yield name
                yield from self.parts_of(value)

    def _function(self, function: FunctionType) -> Iterator[str]:
        if (function.__module__ or "").split(".")[0] in _OTHERS:
            yield f"function {_name(function)}"
            return
        code, constants = function.__code__, function.__code__.co_consts
        if constants and function.__doc__ is not None and constants[0] == function.__doc__:
            constants = constants[1:]
        yield from self._code(code, constants)
        names = frozenset(names_in(code))
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
        yield from self.parts_of((function.__defaults__, function.__kwdefaults__, cells), names)
        yield from self.parts_of(_compiled_as.get(function))
        for name in sorted(names & function.__globals__.keys()):
            yield name
            yield from self.parts_of(function.__globals__[name], names)

    def _code(self, code: CodeType, constants: tuple[Any, ...]) -> Iterator[str]:
        yield f"code {code.co_code.hex()} {code.co_exceptiontable.hex()} {code.co_flags}"
        yield f"{code.co_argcount} {code.co_kwonlyargcount} {code.co_varnames} {code.co_names} {code.co_freevars}"
        yield from self.parts_of(constants)


def names_in(code: CodeType) -> Iterator[str]:
    """The names of globals and attributes in code, including functions defined in it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from names_in(constant)


def _name(found: Any) -> str:
    return f"{found.__module__}.{found.__qualname__}"
