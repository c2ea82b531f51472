"""Numba's cache on disk, keyed by the meaning of a function rather than by its file.

Numba's own key is the path and the text of the function's own file: moving the folder, or changing a word in
a docstring, would recompile it, but a change in another file that it uses would not.
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

#: What loading a file raises that is damaged, or refers to what has moved.
_DAMAGED = (OSError, EOFError, ImportError, AttributeError, TypeError, ValueError, pickle.UnpicklingError)

_VERSIONS = (numba.__version__, llvmlite.__version__, np.__version__)


def keep(twin: Any, *options: object) -> None:
    """Enable the cache on disk for *twin*, a function to be compiled with *options*.

    If it uses something that cannot be compared between processes, it is not cached, and each process compiles it.
    """
    try:
        meaning = meaning_of_function(twin.py_func, _VERSIONS, options)
    except MeaningUnknownError:
        return
    twin.py_func.__dict__["meaning"] = meaning
    twin._cache = KeptCode(twin.py_func)  # type: ignore[no-untyped-call]
    twin.compile = _in_turn(twin, twin.compile)


def is_kept(twin: Any, types: tuple[Any, ...] = ()) -> bool:
    """Whether code of *twin* is on disk, for arguments of *types* if given."""
    kept = twin._cache
    return isinstance(kept, KeptCode) and (kept.holds(types, twin.targetctx) if types else kept.index.exists())


def _in_turn(twin: Any, compile_now: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Wrap *compile_now*: if another process is compiling the same function, wait, and then load it from disk."""

    def compile_once(signature: Any) -> Any:
        if is_kept(twin):
            return compile_now(signature)
        with global_compiler_lock, _alone(twin._cache.index.with_suffix(".lock")):
            return compile_now(signature)

    return compile_once


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Hold a file lock between processes; none if the folder is not writable, or the system has no such locks.

    The holder deletes the file: processes that wait for it, or come later, find the code on disk.
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
    """Names cache files by the meaning of a function."""

    def __init__(self, function: Any, path: str) -> None:
        self._py_file = path
        self._meaning: str = function.__dict__["meaning"]

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> _MeaningLocator:
        """The locator of *py_func*, wherever its file is."""
        return cls(py_func, py_file)

    def get_cache_path(self) -> str:
        """The cache folder."""
        return cast("str", vars(numba.config)["CACHE_DIR"])

    def get_source_stamp(self) -> str:
        """The stamp that must match for the code to be used."""
        return self._meaning

    def get_disambiguator(self) -> str:
        """The part of its file names that tells functions of the same name apart."""
        return self._meaning


class _MeaningCache(CompileResultCacheImpl):
    _locator_classes = [_MeaningLocator]  # noqa: RUF012


class KeptCode(FunctionCache):
    """The cached code of one function, for each signature and each type of processor."""

    _impl_class = _MeaningCache

    @property
    def index(self) -> Path:
        """The path of the index file."""
        return Path(self._cache_file._index_path)

    def holds(self, types: tuple[Any, ...], target_context: Any) -> bool:
        """Whether the index has code for arguments of those types."""
        try:
            index = self._cache_file._load_index()  # type: ignore[no-untyped-call]
        except _DAMAGED:
            return False
        return self._index_key(types, target_context.codegen()) in index

    def _index_key(self, sig: Any, codegen: Any) -> str:
        """The key as a hash of text: pickled objects would be imported from modules that may have moved since."""
        text = repr((list(_types(sig)), codegen.magic_tuple()))
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    def _save_overload(self, sig: Any, data: Any) -> None:
        """Save the code; if the folder is not writable, it is used without being saved."""
        with suppress(OSError):
            super()._save_overload(sig, data)  # type: ignore[no-untyped-call]

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """As in Numba, but without importing the whole compiler first, which takes twice as long as loading.

        Compiled code links to Numba's runtime only; the rest is imported when something has to be compiled.
        """
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        """The code; None if a file is damaged, or refers to what has moved: then it is compiled."""
        try:
            return super()._load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except _DAMAGED:
            return None


def _types(given: Any) -> Iterator[str]:
    """The names of types, with the fields of each named tuple among them, in order."""
    for one in given:
        yield str(one)
        if hasattr(one, "instance_class"):
            yield f"{one.instance_class.__module__} {one.instance_class.__qualname__} {one.fields}"
        if isinstance(one, numba.types.BaseTuple):
            yield from _types(one)
