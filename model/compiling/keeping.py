"""Numba's cache on disk, asked by what a function means rather than by its file.

Numba itself keeps compiled code by the path and the text of the function's own file: another folder, or a
word in a docstring, compiles anew, and a change in another file does not.
"""

from __future__ import annotations

import hashlib
import pickle
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Callable, Iterator, cast

import llvmlite  # type: ignore[import-untyped]
import numba
import numpy as np
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.compiler_lock import global_compiler_lock
from numba.core.runtime.nrt import rtsys

from slotscope.model.compiling.meaning import MeaningUnknownError, meaning_of_function

#: What a file raises that is damaged, or names what has moved.
_DAMAGED = (OSError, EOFError, ImportError, AttributeError, TypeError, ValueError, pickle.UnpicklingError)

_VERSIONS = (numba.__version__, llvmlite.__version__, np.__version__)


def keep(twin: Any, *options: object) -> None:
    """Let *twin*, a function to be compiled with *options*, be kept on disk and loaded from there.

    Where it uses what cannot be compared between processes, it is compiled in each.
    """
    try:
        meaning = meaning_of_function(twin.py_func, _VERSIONS, options)
    except MeaningUnknownError:
        return
    twin.py_func.__dict__["meaning"] = meaning
    twin._cache = KeptCode(twin.py_func)  # type: ignore[no-untyped-call]
    twin.compile = _in_turn(twin, twin.compile)


def is_kept(twin: Any, types: tuple[Any, ...] = ()) -> bool:
    """Whether code of *twin* is on disk, for arguments of those *types* if they are given."""
    kept = twin._cache
    return isinstance(kept, KeptCode) and (kept.holds(types, twin.targetctx) if types else kept.index.exists())


def _in_turn(twin: Any, compile_now: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """As *compile_now*; while another process compiles the same it waits, and then finds it on disk."""

    def compile_once(signature: Any) -> Any:
        if is_kept(twin):
            return compile_now(signature)
        with global_compiler_lock, _alone(twin._cache.index.with_suffix(".lock")):
            return compile_now(signature)

    return compile_once


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """While no other process has the same lock; without one where the folder cannot be written, or the system has none.

    The file goes with who had it: those who wait for it find code on disk, and so do all who come later.
    """
    with ExitStack() as held:
        with suppress(OSError, ImportError):
            from fcntl import LOCK_EX, flock

            path.parent.mkdir(parents=True, exist_ok=True)
            flock(held.enter_context(path.open("w")), LOCK_EX)
        try:
            yield
        finally:
            with suppress(OSError):
                path.unlink(missing_ok=True)


class _MeaningLocator(_CacheLocator):
    """Names files after what a function means."""

    def __init__(self, function: Any, path: str) -> None:
        self._py_file = path
        self._meaning: str = function.__dict__["meaning"]

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> _MeaningLocator:
        """A place for the code of *py_func*, wherever its file is."""
        return cls(py_func, py_file)

    def get_cache_path(self) -> str:
        """The folder."""
        return cast("str", vars(numba.config)["CACHE_DIR"])

    def get_source_stamp(self) -> str:
        """What must be the same for the code to be used."""
        return self._meaning

    def get_disambiguator(self) -> str:
        """What tells its files from those of others of its name."""
        return self._meaning


class _MeaningCache(CompileResultCacheImpl):
    _locator_classes = [_MeaningLocator]  # noqa: RUF012


class KeptCode(FunctionCache):
    """The code of one function on disk, for each list of types of arguments and each processor."""

    _impl_class = _MeaningCache

    @property
    def index(self) -> Path:
        """The file that names what is on disk."""
        return Path(self._cache_file._index_path)

    def holds(self, types: tuple[Any, ...], target_context: Any) -> bool:
        """Whether the file names code for arguments of those types."""
        try:
            index = self._cache_file._load_index()  # type: ignore[no-untyped-call]
        except _DAMAGED:
            return False
        return self._index_key(types, target_context.codegen()) in index

    def _index_key(self, sig: Any, codegen: Any) -> str:
        """A text: objects would be imported from modules that may have moved since."""
        text = repr((list(_types(sig)), codegen.magic_tuple()))
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    def _save_overload(self, sig: Any, data: Any) -> None:
        """Nothing where the folder cannot be written: the code is used all the same."""
        with suppress(OSError):
            super()._save_overload(sig, data)  # type: ignore[no-untyped-call]

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """As Numba does it, which first would import all that it compiles with: twice what loading takes.

        What is compiled links with Numba's runtime alone; the rest is imported where something is to be compiled.
        """
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        """None where a file is damaged, or names what has moved: then it is compiled."""
        try:
            return super()._load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except _DAMAGED:
            return None


def _types(given: Any) -> Iterator[str]:
    """The types, and the order of fields of each named tuple among them."""
    for one in given:
        yield str(one)
        if hasattr(one, "instance_class"):
            yield f"{one.instance_class.__module__} {one.instance_class.__qualname__} {one.fields}"
        if isinstance(one, numba.types.BaseTuple):
            yield from _types(one)
