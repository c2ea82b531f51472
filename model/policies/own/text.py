"""The text of a policy's file: what is shown of it, and what is added before it runs."""

from __future__ import annotations

import ast
import html
import io
import keyword
import re
import tokenize
from typing import Iterator

#: The name under which a file finds :func:`model.policies.own.watch.go_on_stopping`.
STOP = "__slotscope_stop__"

_WORD = re.compile(r"[^\W\d]\w*")
_INDENT = 4

#: Methods that no step of a run comes to.
_UNSEEN = frozenset({"__init__", "kernel", "kernel_data"})


def stoppable(tree: ast.Module) -> ast.Module:
    """*tree* with a call at the head of each handler, so that none holds up a stop for good.

    ``while True: try: ... except: pass`` would otherwise swallow what is to end it.
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
    """Number, indent and rich text of each line to be shown: the methods and the functions.

    Docstrings, ``__init__``, a kernel of one's own, and blank lines are left out.
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
    """The keywords of each line, strings and comments apart."""
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
