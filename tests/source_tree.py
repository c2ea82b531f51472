"""The repository's Python files as syntax trees, and their imports, for tests of its structure.

Modules are named by their place in the repository: ``model.api`` for ``slotscope.model.api``.
"""

from __future__ import annotations

import ast
import gc
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

#: Modules in model/kinds/ and gui/kinds/ beside the rooms.
BESIDE_THE_ROOMS = {"declaration", "rooms", "spec"}


class Source(NamedTuple):
    """One Python file: its path within the tree, its module's name, its text and its tree."""

    path: Path
    module: str
    text: str
    tree: ast.Module


class Import(NamedTuple):
    """An imported module, and the source and line that import it."""

    source: Source
    line: int
    target: str
    #: Whether the import runs when the source is imported.
    at_once: bool

    def says(self, why: str) -> str:
        return f"{self.source.path}:{self.line}: {why} {self.target}"


@cache
def sources(root: Path, *folders: str) -> tuple[Source, ...]:
    """The Python files under *folders* of *root*; a folder may also be one file."""
    found = []
    for folder in folders:
        start = root / folder
        for path in [start] if start.is_file() else sorted(start.rglob("*.py")):
            inside = path.relative_to(root)
            module = ".".join(inside.with_suffix("").parts).removesuffix(".__init__")
            text = path.read_text(encoding="utf-8")
            found.append(_source(inside, module, text))
    gc.freeze()  # trees are kept: exempt their million nodes from garbage collection
    return tuple(found)


@cache
def _source(path: Path, module: str, text: str) -> Source:
    """A source, parsed once for all rules."""
    return Source(path, module, text, ast.parse(text))


@cache
def nodes_of(source: Source) -> list[ast.AST]:
    """All nodes of a tree except load and store contexts, in the order of :func:`ast.walk`, collected once."""
    return _below(source.tree, lambda _: True)


def _below(tree: ast.AST, enters: Callable[[ast.AST], bool]) -> list[ast.AST]:
    """A node and its descendants, except those of nodes that *enters* rejects."""
    found = [tree]
    for node in found:
        if enters(node):
            for value in vars(node).values():
                if isinstance(value, list):
                    found += [one for one in value if isinstance(one, ast.AST)]
                elif isinstance(value, ast.AST) and not isinstance(value, ast.expr_context):
                    found.append(value)
    return found


def program(root: Path) -> tuple[Source, ...]:
    return sources(root, "model", "gui", "main.py")


def everything(root: Path) -> tuple[Source, ...]:
    return sources(root, "model", "gui", "main.py", "tests")


def imports(root: Path, *folders: str) -> Iterator[Import]:
    """Every import below *folders*; the target of a name imported from a package is the name's module."""
    for source in sources(root, *folders):
        yield from _imports_of(root, source)


@cache
def _imports_of(root: Path, source: Source) -> tuple[Import, ...]:
    """The imports of a source, found once for all rules."""
    modules = _modules(root)
    return tuple(
        Import(source, node.lineno, target, at_once)
        for node, at_once in _import_nodes(source)
        for target in _targets(node, source, modules)
    )


@cache
def _import_nodes(source: Source) -> tuple[tuple[ast.Import | ast.ImportFrom, bool], ...]:
    """Each import statement, and whether it runs when the source is imported."""
    at_once = {*_below(source.tree, lambda node: not (isinstance(node, FUNCTIONS) or _is_for_types(node)))}
    return tuple((node, node in at_once) for node in nodes_of(source) if isinstance(node, ast.Import | ast.ImportFrom))


@cache
def _modules(root: Path) -> frozenset[str]:
    return frozenset(source.module for source in program(root))


def _is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def _targets(node: ast.AST, source: Source, modules: frozenset[str]) -> list[str]:
    if not isinstance(node, ast.ImportFrom):
        return [as_it_lies(name) for name in imported_names(node)]
    base = as_it_lies(node.module or "")
    if node.level:
        package = source.module.split(".")
        above = node.level - (source.path.name == "__init__.py")
        base = ".".join([*package[: len(package) - above], *filter(None, [node.module])])
    inner = [f"{base}.{alias.name}" for alias in node.names]
    return list(dict.fromkeys(name if name in modules else base for name in inner))


def imported_names(node: ast.AST) -> list[str]:
    """The modules or packages that an import names, as written."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []


def as_it_lies(module: str) -> str:
    """A module's name without the leading ``slotscope.``."""
    return module.removeprefix("slotscope.")


def top(module: str) -> str:
    return module.partition(".")[0]


def within(module: str, packages: set[str]) -> bool:
    """Whether *module* is one of *packages* or inside one."""
    return any(module == name or module.startswith(f"{name}.") for name in packages)


def room_of(module: str) -> str:
    """The room of a module, in the model or in the window; empty for modules that rooms share."""
    parts = as_it_lies(module).split(".")
    inside = parts[0] in {"model", "gui"} and parts[1:2] == ["kinds"] and len(parts) > 2
    return parts[2] if inside and parts[2] not in BESIDE_THE_ROOMS else ""


def part_of(module: str) -> str:
    """The part that a module belongs to, in a room or shared: ``policies``, ``programs`` and so on."""
    parts, place = module.split("."), 3 if room_of(module) else 1
    return parts[place] if len(parts) > place else ""
