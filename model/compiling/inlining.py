"""Compiles kernels, and functions that are inlined wherever they are called, and that nobody calls in machine code.

Numba optimizes each function as if it were called by itself, with all that is inlined into it, and makes machine code
of it; then it is inlined, and what it has become is optimized once more.  Here the last time is the only one.
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
    """Code of a function for those into which it is inlined: made smaller as far as that costs little."""

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)  # type: ignore[no-untyped-call]
        self._codegen: Any = codegen

    @property
    def codegen(self) -> Any:
        """Is told where a function's Python objects are; code that never runs by itself has no place for that."""
        return SimpleNamespace(set_env=lambda *_: None)

    def _optimize_final_module(self) -> None:
        """The first of Numba's two rounds, which inlines what is called."""
        passes, builder = self._codegen._module_pass_manager(
            loop_vectorize=False, slp_vectorize=False, opt=0, cost="cheap"
        )
        passes.run(self._final_module, builder)

    def _finalize_final_module(self) -> None:
        """As it is: the module is linked into others, and not into this process."""
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """None: there is no machine code."""
        if not self._finalized:
            self.finalize()  # type: ignore[no-untyped-call]
        return 0


class InlinedCompiler(Compiler):
    """Numba's compiler, which keeps what it compiles as :class:`InlinedCode`."""

    def compile_extra(self, func: Any) -> Any:
        """Compile *func*."""
        self.state.library = InlinedCode(self.state.targetctx.codegen(), func.__qualname__)
        return super().compile_extra(func)  # type: ignore[no-untyped-call]


class KernelCompiler(Compiler):
    """Numba's compiler, for which what a kernel calls is the same as what is called within that.

    By itself it compiles a function once for those who are inlined, and once more for each kernel that calls it.
    """

    def compile_extra(self, func: Any) -> Any:
        """Compile *func* with all that it calls."""
        with _nothing_collected():
            return super().compile_extra(func)  # type: ignore[no-untyped-call]

    def define_pipelines(self) -> Any:
        """Numba's, in which what is called sees a caller that is inlined."""
        caller: Any = ConfigStack.top_or_none()  # type: ignore[no-untyped-call]
        caller.forceinline, caller.no_cpython_wrapper, caller.dbg_optnone = True, True, False
        return super().define_pipelines()  # type: ignore[no-untyped-call]


class DisjointCompiler(KernelCompiler):
    """The same for functions whose arguments share no memory.

    What is written to one array cannot have changed what was read from another, and need not be read again.  It says
    nothing of the arguments of what the function calls.
    """

    def compile_extra(self, func: Any) -> Any:
        """Compile *func* with all that it calls."""
        self.state.flags.noalias = True
        return super().compile_extra(func)


@contextmanager
def _nothing_collected() -> Iterator[None]:
    """Python looks for no garbage: that is an eighth of what compiling takes, and finds next to nothing."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
