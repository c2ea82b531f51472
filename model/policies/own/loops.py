"""The loops of user kernels: their iterations are counted, as compiled code can be stopped in no other way.

Every :data:`LOOK_EVERY` iterations compiled code asks whether to go on.  So an endless loop ends with an error that
names its line, and Esc stops one that merely takes long; anything else that does not return ends with its process.
"""

from __future__ import annotations

import ast
import ctypes
import linecache
import os
from contextlib import contextmanager
from functools import cache
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any, Iterable, Iterator, cast

from slotscope.model.compiling.meaning import names_in
from slotscope.model.errors import PolicyFileError
from slotscope.model.jit import called_back, jitable, linked, load_numba
from slotscope.model.policies.own import limits, watch
from slotscope.model.policies.own.shape import KNOWN, home_of, place_in

#: The most iterations of a function's loops in one call, and the number between two questions, less one.
MOST_TURNS = limits.Limits().turns
LOOK_EVERY = 2**16 - 1
_SAID = f"more than {MOST_TURNS:,} turns of its loops in one call; is this a loop without end?"

#: Names that counted code uses: the question, the check of a comprehension's range, and the counter.
_LEAVE, _FEW, _TURNS = "__slotscope_leave__", "__slotscope_few__", "__slotscope_turns__"

#: The class of C functions in :mod:`ctypes`.
_InC: type = ctypes.CFUNCTYPE(None).__bases__[0]

_stops: list[watch.Entry] = []


@contextmanager
def bounded(seconds: float) -> Iterator[watch.Entry]:
    """Within this block, compiled code ends at its next question after so many seconds, or on a request to stop."""
    try:
        with watch.guarding(seconds, _stops.append, os.getpid()) as entry:
            yield entry
    finally:
        _stops.clear()


def _is_to_leave(turns: int) -> bool:
    return turns > limits.LIMITS.turns or bool(_stops)


@cache
def _question() -> Any:
    """The question, callable from compiled code."""
    return called_back(_is_to_leave, "slotscope_turns")


@jitable
def _few(turns: range) -> range:
    """The range of a comprehension, which has no place for a counter, checked for its length."""
    if len(turns) > MOST_TURNS:
        raise RuntimeError(_SAID)
    return turns


def counted(function: FunctionType) -> FunctionType:
    """A copy of *function*, to be compiled, with counted loops, as in all user functions that it calls.

    Raises PolicyFileError if the source of one of them is not available, or contains what cannot be counted.
    """
    return _Copies().of(function)


class _Copies:
    """Copies of functions; each of them is made once."""

    def __init__(self) -> None:
        self._known: dict[FunctionType, Any] = {}

    def of(self, function: FunctionType) -> FunctionType:
        """A copy of a function with counted loops, which calls copies of the user's functions."""
        node = _definition(function)
        code = function.__code__ if node is None else _compiled(function, node)
        names = frozenset(names_in(code))
        space = {**function.__globals__, _LEAVE: _question(), _FEW: _few}
        home = f"{code.co_filename} {function.__module__}"  # distinguishes symbols of two files, or two texts of a file
        space.update({name: self._in_place_of(space[name], names, f"{home}.{name}") for name in names & space.keys()})
        held = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        cells = tuple(CellType(self._in_place_of(held[name].cell_contents, names)) for name in code.co_freevars)
        return FunctionType(code, space, function.__name__, function.__defaults__, cells)

    def _in_place_of(self, value: Any, names: Iterable[str], symbol: str = "") -> Any:
        """The replacement of *value*: in a module, of the *names* that the code uses; *symbol*: for a C function."""
        if symbol and isinstance(value, _InC):
            return linked(value, symbol)
        if home_of(value) in KNOWN and not hasattr(value, "py_func"):
            return value
        if isinstance(value, ModuleType):
            copy = ModuleType(value.__name__)
            vars(copy).update(vars(value))
            vars(copy).update({name: self._in_place_of(vars(value)[name], names) for name in {*names} & {*vars(value)}})
            return copy
        function = getattr(value, "py_func", value)
        options = getattr(value, "targetoptions", None)
        if not isinstance(function, FunctionType) or home_of(function) in KNOWN:
            return value
        if options is None and not _is_decorated(function):
            return value
        if function not in self._known:
            self._known[function] = load_numba().jit(**options or {})(self.of(function))
        return self._known[function]


def _definition(function: FunctionType) -> ast.FunctionDef | None:
    """The definition of a function in the executed source text; None for a lambda.

    Raises PolicyFileError if it is not found.
    """
    code = function.__code__
    for node in ast.walk(ast.parse("".join(linecache.getlines(code.co_filename)))):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name and _first_line(node) == code.co_firstlineno:
            return node
    if code.co_name == "<lambda>":
        return None
    found = f"the kernel calls {function.__name__}, whose text is not at hand, so that its loops cannot be counted"
    where = place_in(code.co_filename, code.co_firstlineno)
    raise PolicyFileError(f"{found}; allowed: functions that stand in a Python file", where=where)


def _first_line(node: ast.FunctionDef) -> int:
    return min([node.lineno, *(one.lineno for one in node.decorator_list)])


def _is_decorated(function: FunctionType) -> bool:
    """Whether a function not yet wrapped by Numba has a jit decorator in its source."""
    node = _definition(function)
    return node is not None and any("jit" in ast.unparse(one) for one in node.decorator_list)


def _compiled(function: FunctionType, node: ast.FunctionDef) -> CodeType:
    """The code of a function with counted loops."""
    file, free = function.__code__.co_filename, function.__code__.co_freevars
    node = _Counted(file).visit(node)
    node.decorator_list.clear()
    tree = ast.parse(f"def around({', '.join(free)}): pass")
    cast("ast.FunctionDef", tree.body[0]).body = [node]
    (outer,) = _codes_in(compile(ast.fix_missing_locations(tree), file, "exec", dont_inherit=True))
    return next(code for code in _codes_in(outer) if code.co_name == node.name)


def _codes_in(code: CodeType) -> Iterator[CodeType]:
    return (constant for constant in code.co_consts if isinstance(constant, CodeType))


class _Counted(ast.NodeTransformer):
    def __init__(self, file: str) -> None:
        self._file = file

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        if any(isinstance(part, ast.While | ast.For) for part in ast.walk(node)):
            node.body[:0] = _at(node, f"{_TURNS} = 0")
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        return self._with_question(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        return self._with_question(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.iter, ast.Call) and ast.unparse(node.iter.func) == "range":
            node.iter = ast.copy_location(ast.Call(ast.Name(_FEW, ast.Load()), [node.iter], []), node.iter)
        return node

    def visit_With(self, node: ast.With) -> ast.AST:
        found = "the kernel leaves compiled code by 'with'"
        raise PolicyFileError(
            f"{found}, allowed: to decide from its arguments", where=place_in(self._file, node.lineno)
        )

    def _with_question(self, node: ast.For | ast.While) -> ast.AST:
        self.generic_visit(node)
        asked = f"if not {_TURNS} & {LOOK_EVERY}:\n if {_LEAVE}({_TURNS}): raise RuntimeError({_SAID!r})"
        node.body[:0] = _at(node, f"{_TURNS} += 1") + _at(node, asked)
        return node


def _at(node: ast.stmt, text: str) -> list[ast.stmt]:
    """The statements of *text*, placed at the first line of *node* in tracebacks."""
    tree = ast.parse(text)
    for part in ast.walk(tree):
        if isinstance(part, ast.stmt | ast.expr):
            part.lineno = part.end_lineno = node.lineno
    return tree.body
