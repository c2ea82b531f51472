"""Compilers for kernels, and for the functions that are inlined into them and never called on their own.

By default Numba optimizes each function, with all that is inlined into it, and generates machine code for it; then it
is inlined into its caller, and optimized again there.  Here only that last optimization takes place.
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, Iterator

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.targetconfig import ConfigStack


class InlinedCode(JITCodeLibrary):
    """The code of a function that is only inlined into others: simplified as far as that is cheap."""

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)  # type: ignore[no-untyped-call]
        self._codegen: Any = codegen

    @property
    def codegen(self) -> Any:
        """A stub that ignores the address of a function's environment, which code that never runs alone lacks."""
        return SimpleNamespace(set_env=lambda *_: None)

    def _optimize_final_module(self) -> None:
        """Run only the first of Numba's two rounds of passes, which inlines callees."""
        passes, builder = self._codegen._module_pass_manager(
            loop_vectorize=False, slp_vectorize=False, opt=0, cost="cheap"
        )
        passes.run(self._final_module, builder)

    def _finalize_final_module(self) -> None:
        """Skip code generation: the module is linked into others, not into this process."""
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """0, a null pointer: there is no machine code."""
        if not self._finalized:
            self.finalize()  # type: ignore[no-untyped-call]
        return 0


class InlinedCompiler(Compiler):
    """Numba's compiler, whose results are :class:`InlinedCode`."""

    def compile_extra(self, func: Any) -> Any:
        """Compile *func*."""
        self.state.library = InlinedCode(self.state.targetctx.codegen(), func.__qualname__)
        return super().compile_extra(func)  # type: ignore[no-untyped-call]


class KernelCompiler(Compiler):
    """Numba's compiler, in which a kernel's callees are compiled with the same flags as callees of inlined functions.

    By default Numba would compile a function once for callers that are inlined, and once more for kernels.
    """

    def compile_extra(self, func: Any) -> Any:
        """Compile *func* with all that it calls."""
        with _nothing_collected():
            return super().compile_extra(func)  # type: ignore[no-untyped-call]

    def define_pipelines(self) -> Any:
        """Numba's pipelines; the flags are set so that callees see a caller that is inlined."""
        caller: Any = ConfigStack.top_or_none()  # type: ignore[no-untyped-call]
        caller.forceinline, caller.no_cpython_wrapper, caller.dbg_optnone = True, True, False
        return super().define_pipelines()  # type: ignore[no-untyped-call]


class DisjointCompiler(KernelCompiler):
    """As :class:`KernelCompiler`, for functions whose array arguments share no memory.

    Values read from one array need not be reloaded after a write to another.  This does not apply to the arguments of
    the functions that it calls.
    """

    def compile_extra(self, func: Any) -> Any:
        """Compile *func* with all that it calls."""
        self.state.flags.noalias = True
        return super().compile_extra(func)


@contextmanager
def _nothing_collected() -> Iterator[None]:
    """Disable Python's garbage collector: it takes an eighth of the time of compiling, and frees next to nothing."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
