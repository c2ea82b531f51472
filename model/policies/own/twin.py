"""The function ``kernel`` of a policy file in the kernel process: compiled, and run in the loop of its kind of system.

The rest of the loop, that is, the physics of events, rows and samples, is the program's.  The user's function
replaces the function in which the kind's own policies differ (:func:`model.jit.with_others`).
"""

from __future__ import annotations

import re
from functools import cached_property
from hashlib import blake2b
from time import process_time
from types import FunctionType
from typing import Any, Callable, NamedTuple, cast

import numpy as np

from slotscope.model.compiling.meaning import meaning_of_function, names_in
from slotscope.model.errors import PolicyFileError
from slotscope.model.jit import at_hand, compiled_anew, jitable, load_numba, with_others
from slotscope.model.policies.own import limits, loops
from slotscope.model.policies.own.faults import line_in, said_by, stopped_kernel
from slotscope.model.policies.own.loaded import Source
from slotscope.model.policies.own.loading import executed
from slotscope.model.policies.own.shape import CLASSES, KNOWN, home_of, kernel_function, place_in
from slotscope.model.policies.own.shared import mapped, seen
from slotscope.model.policies.own.sound import ImpossibleDecisionError

#: Patterns of what surrounds the one informative sentence in Numba's error messages.
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_INNERMOST = "raised a specific error:"
_NO_MEANING = ("Failed in nopython mode pipeline", "No implementation of function")
#: The types of all arrays of a state, in such a message.
_MEMBERS = re.compile(r"(?<=State)\((readonly )?array\(.*\)\)")

#: The index of the end time in a loop's arguments.
UNTIL = -5


class Ran(NamedTuple):
    """The result of a request to run a kernel."""

    code: int | None = None  #: why its loop returned; None if it did not
    #: said, line: the fault instead, and its line in the file; empty if the kernel must be compiled first
    said: str = ""
    line: int = 0
    impossible: bool = False  #: whether the fault is an impossible last answer
    asked: bool = False  #: whether the user asked to stop it (Esc)
    seconds: float = 0.0  #: CPU seconds
    ended: bool = False  #: whether its process ended with it


class Kernels:
    """The kernels of a process, by number; each public method is a verb of :class:`.wire.Query`."""

    def __init__(self) -> None:
        self._twins: dict[int, KernelTwin] = {}
        self._buffer = np.empty(0, np.uint8)
        self._given: dict[int, Any] = {}  # the last loop arguments sent for each

    def share(self, path: str) -> None:
        """Use the file at *path* as the shared memory of all arrays from now on."""
        self._buffer = mapped(path)
        self._given.clear()

    def compile(self, number: int, source: Source, line: int, room: Any, told: Any) -> None:
        """Compile a kernel for the loop of *room*; *told* is (example arguments of the kernel, loop arguments).

        Raises PolicyFileError if its file fails, or Numba cannot compile the kernel.
        """
        if number not in self._twins:
            self._twins[number] = KernelTwin(source, line)
        self._twins[number].compile(room, *seen(told, self._buffer))

    def run(self, number: int, told: Any, until: float) -> Ran:
        """Run the loop *until* a time, or until it returns; *told* is None if the arguments have not changed."""
        if told is not None:
            self._given[number] = seen(told, self._buffer)
        twin = self._twins.get(number)
        return Ran() if twin is None else twin.run(self._given[number], until)

    def drop(self, number: int) -> None:
        """Forget a kernel."""
        self._twins.pop(number, None)
        self._given.pop(number, None)


class KernelTwin:
    """The compiled kernel of a policy file.

    - *source*, *line*: The file, and the first line of the function ``kernel`` in it.
    """

    def __init__(self, source: Source, line: int) -> None:
        self._source, self._where, self._path = source, place_in(source.path, line), source.path
        self._loop: Any = None
        self._fits: Any = None  # the last arguments, if it is compiled for their types

    @cached_property
    def function(self) -> FunctionType:
        """``kernel`` as a plain function with counted loops. Raises PolicyFileError if the file fails."""
        module = executed(self._path, self._source.text, self._source.package)
        return loops.counted(kernel_function(next(vars(module)[name] for name in CLASSES if name in vars(module))))

    @cached_property
    def decide(self) -> Any:
        """The function, to be compiled with Python's semantics of errors: a wrong index, for one, is an exception."""
        options = {"forceinline": True, "boundscheck": True, "error_model": "python", "nogil": True}
        return load_numba().njit(**options)(self.function)

    def compile(self, room: Any, example: tuple[Any, ...], given: tuple[Any, ...]) -> None:
        """See :meth:`Kernels.compile`."""
        if self._loop is None:
            self._loop = self.inside(room)
        types = _types(given)
        if not at_hand(self._loop, types):  # only code whose function passed this check is cached on disk
            self.check(room.answers, *example)
        self._loop.compile(types)

    def inside(self, room: Any) -> Callable[..., int]:
        """The kind's loop with functions of it replaced by its hooks around :attr:`decide`."""
        name = kept_as(cast("FunctionType", self.function))
        others = {place: jitable(other) for place, other in room.hooks(self.decide).items()}
        return compiled_anew(with_others(room.loop, others, name), kept=bool(name))

    def run(self, given: tuple[Any, ...], until: float) -> Ran:
        """See :meth:`Kernels.run`; the time within *given*, the loop's arguments, is ignored in favour of *until*."""
        if given is not self._fits:
            if self._loop is None or _types(given) not in self._loop.overloads:
                return Ran()
            self._fits = given
        with loops.bounded(limits.LIMITS.seconds) as entry:
            begun = process_time()
            try:
                code = self._loop(*given[:UNTIL], until, *given[UNTIL + 1 :])
                return Ran(code, seconds=process_time() - begun)
            except Exception as error:
                failure = error
        if entry.fired:
            said, impossible = f"the kernel: {stopped_kernel(entry.elapsed, grown=entry.grown)}", False
        else:
            said, impossible = f"the kernel fails: {said_by(failure)}", isinstance(failure, ImpossibleDecisionError)
        return Ran(None, said, line_in(failure, self._path), impossible, entry.asked)

    def check(self, answers: int, *arguments: Any) -> None:
        """Compile the function alone, for arguments like these, as errors in it are then reported briefly.

        Raises PolicyFileError if Numba cannot compile it, or it does not return *answers* whole numbers.
        """
        numba = load_numba()
        try:
            types = _types(arguments)
            self.decide.compile(types)
        except Exception as error:
            raise self._not_compiled(str(error) or type(error).__name__) from None
        given = self.decide.overloads[types].signature.return_type
        parts = list(given) if isinstance(given, numba.types.BaseTuple) else [given]
        whole = all(isinstance(part, numba.types.Integer | numba.types.Boolean) for part in parts)
        if not whole or len(parts) != answers or (answers == 1) is not (parts == [given]):
            allowed = "a whole number" if answers == 1 else f"{answers} whole numbers, such as return 3, 0"
            raise PolicyFileError(f"the kernel gives {given}, allowed: {allowed}", where=self._where)

    def _not_compiled(self, text: str) -> PolicyFileError:
        text = _COLOURS.sub("", text)
        lines = [line.strip() for line in text.rpartition(_INNERMOST)[2].splitlines()]
        said = next((line for line in lines if line and not line.startswith(_NO_MEANING)), lines[0])
        said = _MEMBERS.sub("", said)
        numbers = re.findall(rf"{re.escape(self._path)} \((\d+)\)", text)
        where = f"{self._path}, line {numbers[-1]}" if numbers else self._where
        return PolicyFileError(f"Numba cannot compile the kernel: {said}", where=where)


def _types(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """The Numba types of the arguments."""
    return tuple(map(load_numba().typeof, arguments))


def kept_as(function: FunctionType) -> str:
    """A hash that identifies the compiled code of a file's function; empty if it depends on what cannot be hashed.

    The hash includes the module's name, which is made from the file's text, as compiled code contains it.
    """
    made = blake2b(function.__module__.encode(), digest_size=16)
    try:
        for part in _parts(function, set()):
            made.update(part)
    except TypeError:
        return ""
    return made.hexdigest()


def _parts(function: Any, seen: set[int]) -> list[bytes]:
    """The code and global variables of a function of a file, and of the functions of the file that it calls, as bytes.

    Raises TypeError if one of them cannot be expressed as bytes.
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
