"""The function ``kernel`` of a policy's file: it decides in the compiled loop of its kind of system.

All else of the loop is the program's: what happens in an event, rows and samples.  So the function is put
in the place of the one in which the kind's own policies differ (:func:`model.jit.with_others`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from types import FunctionType
from typing import Any, Callable, Mapping

import numpy as np

from slotscope.model.compiling.meaning import meaning_of_function, names_in
from slotscope.model.errors import PolicyFileError
from slotscope.model.jit import compiled_anew, jitable, load_numba, with_others
from slotscope.model.policies.own.circles import KNOWN, home_of
from slotscope.model.policies.own.kind import KernelKind
from slotscope.model.policies.own.shape import place_in
from slotscope.model.policies.own.sound import NotADecisionError, found

#: What Numba writes around the one sentence that says what is wrong.
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_INNERMOST = "raised a specific error:"
_NO_MEANING = ("Failed in nopython mode pipeline", "No implementation of function")
#: The types of all that a state holds.
_MEMBERS = re.compile(r"(?<=State)\((readonly )?array\(.*\)\)")


class ImpossibleDecisionError(Exception):
    """A kernel of one's own has decided what cannot be: raised in compiled code."""


def arrays(value: Any, what: str, _: Any) -> tuple[np.ndarray, ...] | np.ndarray:
    """An array of numbers or a tuple of such, as copies that nobody can change.

    Raises
    ------
    NotADecisionError
        If it is anything else.
    """
    if type(value) is tuple:
        return tuple(_array(item, what) for item in value)
    return _array(value, what)


def _array(value: Any, what: str) -> np.ndarray:
    if type(value) is not np.ndarray or value.dtype.kind not in "biuf":
        raise NotADecisionError(f"{what} is {found(value)}, allowed: a NumPy array of numbers, or a tuple of those")
    array = np.array(value, order="C")
    array.flags.writeable = False
    return array


@dataclass(eq=False)
class BroughtKernel:
    """What a policy's file brings along to decide in compiled code.

    Attributes
    ----------
    path:
        The file.
    line:
        Where the function ``kernel`` begins in it.
    load:
        Executes the file in this process: compiled code runs in it at full speed.
    kind:
        What its kind of system says of it.
    """

    path: str
    line: int
    load: Callable[[], FunctionType]
    kind: KernelKind
    _twin: Callable[..., int] | None = field(default=None, init=False)

    @property
    def where(self) -> str:
        """The place of the function in its file."""
        return place_in(self.path, self.line)

    @cached_property
    def function(self) -> Any:
        """``kernel``, as a plain function.

        Raises
        ------
        PolicyFileError
            If the file fails.
        """
        return self.load()

    @cached_property
    def decide(self) -> Any:
        """The function, to be compiled: what it does wrong is an exception, as it is in Python."""
        options = {"forceinline": True, "boundscheck": True, "error_model": "python", "nogil": True}
        return load_numba().njit(**options)(self.function)

    def inside(
        self, loop: Callable[..., int], hooks: Callable[[Any], Mapping[Callable[..., Any], Callable[..., Any]]]
    ) -> Callable[..., int]:
        """A kind's *loop* with what *hooks* makes of :attr:`decide` in the place of functions of it."""
        if self._twin is None:
            name = kept_as(self.function)
            others = {place: jitable(other) for place, other in hooks(self.decide).items()}
            self._twin = compiled_anew(with_others(loop, others, name), kept=bool(name))
        return self._twin

    def check(self, answers: int, *arguments: Any) -> None:
        """Compile the function alone, for arguments like these: what is wrong with it is told shortly so.

        Raises
        ------
        PolicyFileError
            If Numba cannot compile it, or it does not return so many whole numbers.
        """
        numba = load_numba()
        try:
            types = tuple(map(numba.typeof, arguments))
            self.decide.compile(types)
        except Exception as error:
            raise self._not_compiled(str(error) or type(error).__name__) from None
        given = self.decide.overloads[types].signature.return_type
        parts = list(given) if isinstance(given, numba.types.BaseTuple) else [given]
        whole = all(isinstance(part, numba.types.Integer | numba.types.Boolean) for part in parts)
        if not whole or len(parts) != answers or (answers == 1) is not (parts == [given]):
            allowed = "a whole number" if answers == 1 else f"{answers} whole numbers, such as return 3, 0"
            raise PolicyFileError(f"the kernel gives {given}, allowed: {allowed}", where=self.where)

    def _not_compiled(self, text: str) -> PolicyFileError:
        text = _COLOURS.sub("", text)
        lines = [line.strip() for line in text.rpartition(_INNERMOST)[2].splitlines()]
        said = next((line for line in lines if line and not line.startswith(_NO_MEANING)), lines[0])
        said = _MEMBERS.sub("", said)
        numbers = re.findall(rf"{re.escape(self.path)} \((\d+)\)", text)
        where = f"{self.path}, line {numbers[-1]}" if numbers else self.where
        return PolicyFileError(f"Numba cannot compile the kernel: {said}", where=where)


def kept_as(function: FunctionType) -> str:
    """A hash by which compiled code of a file's function is known; empty where it depends on what no hash tells.

    The module is named after the file's text, and compiled code names it.
    """
    made = blake2b(function.__module__.encode(), digest_size=16)
    try:
        for part in _parts(function, set()):
            made.update(part)
    except TypeError:
        return ""
    return made.hexdigest()


def _parts(function: Any, seen: set[int]) -> list[bytes]:
    """Code and variables of a function of a file, and of those that it calls.

    Raises
    ------
    TypeError
        If one of them is something that cannot be told.
    """
    if id(function) in seen:
        return []
    seen.add(id(function))
    code = function.__code__
    told = [code.co_code, repr((code.co_names, code.co_varnames, function.__defaults__)).encode()]
    told.append(meaning_of_function(code.co_consts).encode())
    for name in names_in(code):
        value = function.__globals__.get(name)
        value = getattr(value, "py_func", value)
        if isinstance(value, FunctionType) and value.__module__ == function.__module__:
            told += _parts(value, seen)
        elif isinstance(value, np.ndarray) and not value.dtype.hasobject:
            told += [name.encode(), value.dtype.str.encode(), repr(value.shape).encode(), value.tobytes()]
        elif isinstance(value, int | float | str | type(None)):
            told.append(f"{name}={value!r}".encode())
        elif home_of(value) not in KNOWN:
            raise TypeError(name)
    if function.__closure__:
        raise TypeError("a closure")
    return told
