"""What a function means: a hash of all that its compiled code is made from.

It follows the function to whatever it reaches (functions, constants, the fields of named tuples) and
nowhere else.  So it stays through a change of comments and docstrings, of the function's place in its file
and on the disk, and of everything that the function does not use; and it changes with what it does use,
in whatever file that stands.
"""

from __future__ import annotations

import hashlib
from enum import Enum
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, Callable, Iterator

import numpy as np

#: Whose functions are told by their names, since their versions are told apart beside the meaning.
_OTHERS = ("numpy", "numba", "llvmlite", "scipy")
_OURS = "slotscope"
_PLAIN = (type(None), type(...), bool, int, float, complex, str, bytes, range, np.generic, np.dtype)

_compiled_as: dict[Callable[..., Any], Callable[..., Any]] = {}


class MeaningUnknownError(TypeError):
    """Of what a function uses nothing is known that could be compared."""


def meaning_of_function(function: Callable[..., Any] | tuple[object, ...], *also: object) -> str:
    """A hash of what *function* does (or the constants of one), and of *also*.

    Raises MeaningUnknownError if it uses an object of which only the identity is known.
    """
    digest = hashlib.blake2b(digest_size=16)
    for part in _MeaningWalk().parts_of((function, *also)):
        digest.update(f"{len(part)}:{part}".encode())
    return digest.hexdigest()


def meant_by(stand_in: Callable[..., Any], compiled_as: Callable[..., Any]) -> None:
    """Say that compiled code has what *compiled_as* gives where *stand_in* is called."""
    _compiled_as[stand_in] = compiled_as


class _MeaningWalk:
    """One way through what a function reaches; what was met before is told by its number."""

    def __init__(self) -> None:
        self._met: dict[int, int] = {}
        self._alive: list[object] = []  # ids must not come again on the way

    def parts_of(self, value: Any, names: frozenset[str] = frozenset()) -> Iterator[str]:
        """What tells *value* from others; of a module, what the *names* in the code at hand mean there."""
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
        elif (inner := getattr(value, "py_func", None)) is not None:  # compiled by itself, with its options
            yield f"compiled {sorted(map(str, value.targetoptions.items()))}"
            yield from self.parts_of(inner)
        elif (symbol := getattr(value, "symbol", None)) is not None:  # not compiled, but linked to by its name
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
    """The names of globals and attributes in code, and in functions that it defines."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from names_in(constant)


def _name(found: Any) -> str:
    return f"{found.__module__}.{found.__qualname__}"
