"""Functions that run both as plain Python and compiled, from one source.

Functions marked :func:`jitable` are written in the subset of Python that Numba compiles.
Called from Python they are plain Python, and Numba is not imported; called from a
function that went through :func:`compiled` they are compiled and inlined into it.  Neither
may allocate an array (callers pass scratch arrays): without Numba's reference counting the
kernels run eight times faster.  So the physics of a system is written once for the reference
engine and for the kernels, and the window can paint before Numba (0.7 s to import) is loaded.
"""

from __future__ import annotations

import ast
import hashlib
import json
import math
import operator
import os
import sys
from contextlib import suppress
from ctypes import CFUNCTYPE, c_double, c_int64, c_void_p
from ctypes import cast as cast_pointer
from functools import cache
from pathlib import Path
from threading import Lock
from types import FunctionType, ModuleType
from typing import Any, Callable, Mapping, TypeVar, cast

import numpy as np

from slotscope.model.compiling.meaning import meant_by
from slotscope.model.folders import may_be_made, own_temporary_folder, user_folder

_Function = TypeVar("_Function", bound=Callable[..., Any])

#: Options with which kernels and what they call are compiled.  Nothing calls them from C, so C wrappers are left out.
_OPTIONS = {"nogil": True, "error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True}

_marked: list[Callable[..., Any]] = []
_registering = Lock()  # one thread may load kernels while another one runs
_called_back: list[Any] = []


def jitable(function: _Function) -> _Function:
    """Mark *function* as callable from compiled functions; it stays plain Python."""
    _marked.append(function)
    return function


#: An index that is not negative: compiled code need not check whether it counts from the array's end.  In plain Python
#: it stays a Python integer, by the cheapest call there is: with one of NumPy's, indexing is ten times as slow.
unsigned: Callable[[Any], Any] = operator.index


@cache
def _inlined() -> dict[str, Any]:
    """Options with which functions that kernels call are compiled."""
    from slotscope.model.compiling.inlining import InlinedCompiler

    return {**_OPTIONS, "forceinline": True, "pipeline_class": InlinedCompiler}


@cache
def _register_unsigned() -> None:
    def as_word(place):  # type: ignore[no-untyped-def]  # noqa: ARG001
        return lambda place: np.uintp(place)  # noqa: PLW0108

    load_numba().extending.overload(unsigned, jit_options=_inlined())(as_word)


meant_by(unsigned, _register_unsigned)


def touch(array: Any, at: Any) -> None:
    """Prefetch the memory of ``array[at]``, *at* >= 0, into the cache; does nothing in plain Python."""


@cache
def _register_touch() -> None:
    numba: Any = load_numba()
    extending, types, cgutils = numba.extending, numba.core.types, numba.core.cgutils
    ir = cgutils.ir

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        stride = cgutils.unpack_tuple(builder, view.strides)[0]
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        start = builder.bitcast(view.data, byte)
        place = builder.gep(start, [builder.mul(arguments[1], stride)])
        kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        ask = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(ask, [place, word(0), word(3), word(1)])  # read access, high locality, data cache
        return context.get_dummy_value()

    def prefetched(_: Any, array: Any, at: Any) -> Any:
        return types.void(array, at), generate

    intrinsic = extending.intrinsic(prefetched)

    def touched(array, at):  # type: ignore[no-untyped-def]  # noqa: ARG001
        return lambda array, at: intrinsic(array, at)  # noqa: PLW0108

    extending.overload(touch, jit_options=_inlined())(touched)


meant_by(touch, _register_touch)


def lowest_bit(word: Any) -> int:
    """The position of the lowest set bit of a word that is not 0; compiled to one instruction."""
    whole = int(word)
    return (whole & -whole).bit_length() - 1


@cache
def _register_lowest_bit() -> None:
    extending: Any = load_numba().extending
    from numba.cpython.unsafe import numbers

    trailing_zeros: Any = numbers.trailing_zeros

    def position(word):  # type: ignore[no-untyped-def]  # noqa: ARG001
        return lambda word: np.intp(trailing_zeros(word))

    extending.overload(lowest_bit, jit_options=_inlined())(position)


meant_by(lowest_bit, _register_lowest_bit)


def parts_of(number: float) -> tuple[float, int]:
    """The mantissa in [0.5, 1) and the exponent of a number above 0, as by ``frexp``; compiled without a call."""
    return math.frexp(number)


@cache
def _register_parts_of() -> None:
    mantissa, one_half = np.int64(2**52 - 1), np.int64(0x3FE << 52)

    def parts(number):  # type: ignore[no-untyped-def]  # noqa: ARG001
        def parted(number):  # type: ignore[no-untyped-def]
            bits = np.float64(number).view(np.int64)
            return np.int64(bits & mantissa | one_half).view(np.float64), (bits >> 52) - 0x3FE

        return parted

    load_numba().extending.overload(parts_of, jit_options=_inlined())(parts)


meant_by(parts_of, _register_parts_of)


def called_at(address: int, one: int, two: int, three: int, four: int, five: int) -> float:
    """Call the machine code at an address with five integers; it must not raise."""
    return float(CFUNCTYPE(c_double, *[c_int64] * 5)(address)(one, two, three, four, five))


@cache
def _register_called_at() -> None:
    numba: Any = load_numba()
    extending, types, ir = numba.extending, numba.core.types, numba.core.cgutils.ir

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        address, *given = arguments
        kind = ir.FunctionType(ir.DoubleType(), [one.type for one in given])
        return builder.call(builder.inttoptr(address, kind.as_pointer()), given)

    def jump(_: Any, address: Any, one: Any, two: Any, three: Any, four: Any, five: Any) -> Any:  # noqa: ARG001
        return types.float64(*[types.int64] * 6), generate

    intrinsic = extending.intrinsic(jump)

    def called(address, one, two, three, four, five):  # type: ignore[no-untyped-def]  # noqa: ARG001
        return lambda address, one, two, three, four, five: intrinsic(address, one, two, three, four, five)  # noqa: PLW0108

    extending.overload(called_at, jit_options=_inlined())(called)


meant_by(called_at, _register_called_at)


#: Registers the implementations, in compiled code, of functions that differ from their plain Python.
_REGISTERED = (_register_unsigned, _register_touch, _register_lowest_bit, _register_parts_of, _register_called_at)


@cache
def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The compiled twin of *function*: releases the GIL, kept in a cache on disk.

    The first call of the twin compiles (seconds) or loads from the cache (milliseconds).
    """
    return compiled_anew(function, kept=True)


@cache
def compiled_for_disjoint(function: Callable[..., Any]) -> Callable[..., Any]:
    """As :func:`compiled`, for functions no two of whose array arguments share memory that is written to."""
    return compiled_anew(function, kept=True, disjoint=True)


def compiled_anew(function: Callable[..., Any], kept: bool, disjoint: bool = False) -> Callable[..., Any]:
    """As :func:`compiled`, without memoization; *kept* says whether to use the cache on disk."""
    numba = load_numba()
    with _registering:
        for register in _REGISTERED:
            register()
        while _marked:
            numba.extending.register_jitable(**_inlined())(_marked.pop())
    from slotscope.model.compiling.inlining import DisjointCompiler, KernelCompiler

    compiler = DisjointCompiler if disjoint else KernelCompiler
    twin: Callable[..., Any] = numba.njit(**_OPTIONS, pipeline_class=compiler)(function)
    if kept and twin is not function:  # they are the same if Numba is disabled, by NUMBA_DISABLE_JIT
        from slotscope.model.compiling.keeping import keep

        keep(twin, _OPTIONS, _inlined(), disjoint)
    return twin


def at_hand(twin: Callable[..., Any], types: tuple[Any, ...] = ()) -> bool:
    """Whether a twin is ready to be called, with arguments of *types* if given: it is compiled, or cached on disk."""
    here = getattr(twin, "overloads", None)
    if here is None or (types in here if types else here):
        return True
    from slotscope.model.compiling.keeping import is_kept

    return is_kept(twin, types)


def with_others(
    function: Callable[..., Any], others: Mapping[Callable[..., Any], Callable[..., Any]], name: str = ""
) -> Callable[..., Any]:
    """A copy of *function* in which calls to the keys of *others* go to their values.

    Functions that it calls are copied, too, if they lead to one of the keys; all others are shared, and so is
    *function* itself if it leads to none.  *name* tells copies apart in Numba's cache.
    """
    if function in others:
        return others[function]
    original = cast("FunctionType", function)
    called = {one: original.__globals__.get(one) for one in original.__code__.co_names}
    copies = {one: with_others(item, others) for one, item in called.items() if isinstance(item, FunctionType)}
    changed = {one: copy for one, copy in copies.items() if copy is not called[one]}
    if not changed:
        return function
    namespace = {**original.__globals__, **changed}
    copy = FunctionType(original.__code__, namespace, original.__name__, original.__defaults__)
    copy.__qualname__ = f"{original.__qualname__}_{name}"
    return jitable(copy)


def called_back(answer: Callable[[int], int], symbol: str) -> Any:
    """An external function with which compiled code calls the Python function *answer*, taking the GIL.

    Code on disk refers to it by its *symbol*: so it is made only once.  *answer* must not raise.
    """
    from llvmlite.binding import add_symbol  # type: ignore[import-untyped]

    numba, made = load_numba(), CFUNCTYPE(c_int64, c_int64)(answer)
    _called_back.append(made)  # it must live as long as compiled code
    add_symbol(symbol, cast_pointer(made, c_void_p).value)
    return numba.types.ExternalFunction(symbol, numba.int64(numba.int64))


def linked(function: Any, symbol: str) -> Any:
    """An external function with which compiled code calls a function of :mod:`ctypes`, by its *symbol*.

    By default Numba embeds the function's address, which differs between processes, so that the code cannot be cached.
    A function that Numba cannot call is returned unchanged.
    """
    from llvmlite.binding import add_symbol
    from numba.core.typing.ctypes_utils import make_function_type

    try:
        called = make_function_type(function)  # type: ignore[no-untyped-call]
    except TypeError:
        return function
    if called.requires_gil or called.cconv:
        return function
    add_symbol(symbol, called.get_pointer(function))
    return load_numba().types.ExternalFunction(symbol, called.sig)


@cache
def load_llvm() -> Any:
    """The LLVM that comes with Numba, to compile IR that is written as text."""
    import llvmlite.binding  # type: ignore[import-untyped]

    return llvmlite.binding


@cache
def load_numba() -> ModuleType:
    """Numba, with its cache in this program's folder."""
    os.environ.setdefault("NUMBA_CACHE_DIR", str(cache_folder()))
    # With colorama installed, Numba would colour thousands of error messages that nobody sees.
    os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")
    import numba
    import numba.extending
    import numba.np.linalg as algebra
    from numba.core.config import reload_config

    reload_config()  # type: ignore[no-untyped-call]  # Numba may have been imported before, with another folder
    # Numba's first use imports scipy.linalg only to check that it is installed, as it always is here.
    ensured, algebra.ensure_blas = algebra.ensure_blas, lambda: None
    try:
        import numba.np.arraymath
    finally:
        algebra.ensure_blas = ensured
    module: ModuleType = numba
    return module


#: Files, below ``model/``, whose change may require recompilation.
_COMPILED_FROM = (
    "jit.py",
    "reporting/records.py",
    "systems/**/*.py",
    "programs/**/*.py",
    "kinds/*/*.py",
    "kinds/*/kernels/**/*.py",
    "kinds/*/programs/**/*.py",
)


def cache_folder() -> Path:
    """The folder for this user's compiled code, shared by all clones and versions of the program."""
    usual = user_folder("XDG_CACHE_HOME", ".cache")
    folder = usual if may_be_made(usual / "compiled") else Path(own_temporary_folder()) / "slotscope"
    return folder / "compiled"


def source_meaning() -> str:
    """A hash of the meaning of all sources that kernels are made from, without importing them."""
    here = Path(__file__).parent
    paths = [path for pattern in _COMPILED_FROM for path in sorted(here.glob(pattern))]
    known = cache_folder() / f"meanings-{sys.implementation.cache_tag}.json"
    meanings = _meanings([path.read_bytes() for path in paths], known)
    text = " ".join([sys.version, *meanings])
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _meanings(sources: list[bytes], file: Path) -> list[str]:
    """A hash of what each source does, which does not change with comments or docstrings.

    Parsing all sources takes most of a second, so *file* caches the meaning of each text.  It is for one
    version of Python, as syntax trees differ between versions.
    """
    texts = [hashlib.blake2b(source, digest_size=16).hexdigest() for source in sources]
    try:
        known = dict(json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        known = {}
    missing = [place for place, text in enumerate(texts) if text not in known]
    for place in missing:
        known[texts[place]] = meaning_of(sources[place])
    if missing:
        with suppress(OSError):  # without a cache the sources are parsed again next time
            file.parent.mkdir(parents=True, exist_ok=True)
            fresh = file.with_suffix(f".{os.getpid()}")
            fresh.write_text(json.dumps({text: known[text] for text in texts}), encoding="utf-8")
            fresh.replace(file)
    return [known[text] for text in texts]


def meaning_of(source: bytes) -> str:
    """A hash of what a source does: that of its syntax tree without docstrings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            continue
        if ast.get_docstring(node) is not None:
            node.body[0] = ast.Pass()
    return hashlib.blake2b(ast.dump(tree).encode(), digest_size=16).hexdigest()
