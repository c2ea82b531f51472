"""Executing a policy file, the part of its text that is shown, and the calls that are inserted before it runs.

A file may import modules by names that they had when it was written.
"""

from __future__ import annotations

import ast
import html
import io
import keyword
import linecache
import re
import sys
import tokenize
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import decode_source, find_spec
from types import ModuleType
from typing import Any, Iterator, Sequence

from slotscope.model.errors import PolicyFileError
from slotscope.model.kinds.rooms import ROOMS
from slotscope.model.policies.own import limits
from slotscope.model.policies.own.beside import imported_anew
from slotscope.model.policies.own.faults import line_in, overtime, said_by
from slotscope.model.policies.own.shape import place_in
from slotscope.model.policies.own.trust import digest_of
from slotscope.model.policies.own.watch import CodeStoppedError, go_on_stopping, watched

#: The name by which a file's code calls :func:`model.policies.own.watch.go_on_stopping`.
STOP = "__slotscope_stop__"

_WORD = re.compile(r"[^\W\d]\w*")
_INDENT = 4

#: Methods that no step of a run shows.
_UNSEEN = frozenset({"__init__", "kernel", "kernel_data"})


def stoppable(tree: ast.Module) -> ast.Module:
    """*tree* with a call inserted at the head of each handler, so that no handler can prevent a stop.

    Otherwise ``while True: try: ... except: pass`` would swallow the exception that is to end it.
    """
    changed: ast.Module = ast.fix_missing_locations(_Stoppable().visit(tree))
    return changed


class _Stoppable(ast.NodeTransformer):
    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        self.generic_visit(node)
        node.body.insert(0, _call(node.body[0]))
        return node

    def visit_Try(self, node: ast.Try) -> ast.AST:
        self.generic_visit(node)
        if node.finalbody:
            node.finalbody.insert(0, _call(node.finalbody[0]))
        return node


def _call(beside: ast.stmt) -> ast.stmt:
    call = ast.Call(ast.Name(STOP, ast.Load()), [], [])
    return ast.copy_location(ast.Expr(ast.copy_location(call, beside)), beside)


def own_lines(text: str, class_name: str) -> list[tuple[int, int, str]]:
    """(number, indent, rich text) of each line to show: those of the class's methods and of the functions.

    Docstrings, ``__init__``, a kernel with its data, and blank lines are left out.
    """
    tree = ast.parse(text)
    lines = text.splitlines()
    starts = _starts(text)
    shown = []
    for function in _functions(tree, class_name):
        spared = _docstrings(function)
        for number in range(function.lineno, (function.end_lineno or function.lineno) + 1):
            line = lines[number - 1].expandtabs(_INDENT)
            if number in spared or not line.strip():
                continue
            space = len(line) - len(line.lstrip()) - function.col_offset
            pad = " " * (max(space, 0) % _INDENT)
            words = _emphasized(line.strip(), number, starts)
            shown.append((number, max(space, 0) // _INDENT, pad + words))
    return shown


def _functions(tree: ast.Module, class_name: str) -> Iterator[ast.FunctionDef]:
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == class_name:
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef) and inner.name not in _UNSEEN:
                    yield inner
        elif isinstance(node, ast.FunctionDef):
            yield node


def _docstrings(function: ast.FunctionDef) -> set[int]:
    spared: set[int] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.FunctionDef) and ast.get_docstring(node, clean=False) is not None:
            first = node.body[0]
            spared.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return spared


def _starts(text: str) -> dict[int, set[str]]:
    """The keywords in each line, outside strings and comments."""
    found: dict[int, set[str]] = {}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NAME and keyword.iskeyword(token.string):
            found.setdefault(token.start[0], set()).add(token.string)
    return found


def _emphasized(line: str, number: int, keywords: dict[int, set[str]]) -> str:
    known = keywords.get(number, set())
    code, sign, comment = line.partition("  #")
    parts, end = [], 0
    for word in _WORD.finditer(code):
        parts.append(html.escape(code[end : word.start()]))
        text = html.escape(word[0])
        parts.append(f"<b>{text}</b>" if word[0] in known else text)
        end = word.end()
    parts.append(html.escape(code[end:]))
    return "".join(parts) + (f"<i>{html.escape(sign + comment)}</i>" if comment else "")


#: The program's package, and the top-level package of the model before it belonged to the program's.
PROGRAM, MODEL = __name__.partition(".")[0], "model"
#: Former packages of modules, with the packages where these are now.
FORMER = {old: new for room in ROOMS.values() for old, new in room.former_packages.items()}
#: Former names of single modules that policies import, with their names now.
MOVED = {"model.records": "model.reporting.records"}


class _FormerNames(MetaPathFinder, Loader):
    """Makes a module that has moved importable under its former name as well, as the same module object."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """See :class:`importlib.abc.MetaPathFinder`."""
        return ModuleSpec(name, self) if self._now(name) else None

    def exec_module(self, module: ModuleType) -> None:
        """Replace the empty module by the one that has moved."""
        sys.modules[module.__name__] = import_module(self._now(module.__name__))

    def _now(self, name: str) -> str:
        """The module's present name; "" if it has not moved."""
        inside = name.removeprefix(f"{PROGRAM}.")
        package, _, own = inside.rpartition(".")
        now = f"{PROGRAM}.{name}" if f"{name}.".startswith(f"{MODEL}.") else ""
        now = f"{PROGRAM}.{MOVED[inside]}" if inside in MOVED else now
        now = f"{FORMER[package]}.{own}" if package in FORMER else now
        return now if now and find_spec(now) else ""


_FINDER = _FormerNames()


def answer_to_former_names() -> None:
    """Make modules importable under their former names, for policy files that use these."""
    if _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)


def executed(path: str, text: str, package: str) -> ModuleType:
    """A fresh module with all that the file defines; the modules beside it are imported as they are now.

    Raises PolicyFileError if the text is not valid Python, or fails.
    """
    answer_to_former_names()

    def beside(file: str, source: bytes, module: ModuleType) -> None:
        vars(module)[STOP] = go_on_stopping
        _remember(file, decode_source(source))
        exec(compile(stoppable(ast.parse(source)), file, "exec", dont_inherit=True), vars(module))

    code = _compiled(path, text)
    module = ModuleType(f"slotscope_policy_{digest_of(text)[:16]}")
    module.__file__, module.__package__ = path, package
    vars(module)[STOP] = go_on_stopping
    sys.modules[module.__name__] = module  # pydantic and dataclasses look names up here
    with imported_anew(path, beside):
        loaded(path, lambda: exec(code, vars(module)), "the file")
    return module


def _remember(path: str, text: str) -> None:
    """Make the executed text available to lookups of a function's source, even if the file changes later."""
    linecache.cache[path] = len(text), None, text.splitlines(keepends=True), path


def _compiled(path: str, text: str) -> Any:
    try:
        tree = ast.parse(text, filename=path)
        _remember(path, text)
        return compile(stoppable(tree), path, "exec", dont_inherit=True)
    except SyntaxError as error:
        place = f"{path}, line {error.lineno}, column {error.offset}" if error.lineno else path
        raise PolicyFileError(f"{type(error).__name__}: {error.msg}", where=place) from None
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        raise PolicyFileError(f"not Python: {error or type(error).__name__}", where=path) from None


def loaded(path: str, call: Any, what: str) -> Any:
    """The result of *call*; any exception becomes an error with the place in the file.

    Raises PolicyFileError if it fails or takes too long.
    """
    most = limits.LIMITS.seconds_to_load
    try:
        return watched(call, most)
    except CodeStoppedError as error:
        told = too_long(what, error.seconds, error.grown)
        raise PolicyFileError(told, where=place_in(path, line_in(error.cause, path))) from error
    except BaseException as error:
        said = said_by(error)
        if isinstance(error, ImportError):
            said += "; allowed: modules that are installed where slotscope runs, or beside the file"
        place = place_in(path, line_in(error, path))
        raise PolicyFileError(f"while loading: {said}", where=place) from None


def too_long(what: str, seconds: float, grown: int) -> str:
    """The message about loading that was stopped after so many seconds, with so many bytes of memory growth."""
    found, asks = overtime(seconds, grown)
    return f"{what} {found} to load, allowed: {limits.LIMITS.seconds_to_load:g}; {asks}"
