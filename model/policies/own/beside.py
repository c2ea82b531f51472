"""Modules that stand beside a policy's file and that it imports: they change with it."""

from __future__ import annotations

import ast
import sys
from contextlib import contextmanager
from importlib import invalidate_caches
from pathlib import Path
from typing import Container, Iterator

#: Modules that policies' files have imported first.
_brought: set[str] = set()


def modules_beside(path: str, text: str) -> dict[str, str]:
    """The files in the folder of *path* that its *text* imports, and those that these import, with their texts.

    They are found without executing anything, so also while one of them is faulty.
    """
    folder, found = Path(path).absolute().parent, dict[str, str]()
    wanted = [text]
    while wanted:
        for name in _imported(wanted.pop()):
            for file in _files(folder, name):
                if str(file) not in found and file != Path(path).absolute():
                    found[str(file)] = read = _read(file)
                    wanted.append(read)
    return found


@contextmanager
def imported_anew(path: str, files: Container[str]) -> Iterator[None]:
    """Within this block modules in the folder of *path* can be imported; those *files* among them are executed anew."""
    for name in [name for name in _brought if getattr(sys.modules.get(name), "__file__", None) in files]:
        del sys.modules[name]
    invalidate_caches()
    before, folder, unwritten = {*sys.modules}, str(Path(path).absolute().parent), sys.dont_write_bytecode
    sys.path.append(folder)
    sys.dont_write_bytecode = True  # what is kept is found by the second, and two versions can come within one
    try:
        yield
    finally:
        sys.path.remove(folder)
        sys.dont_write_bytecode = unwritten
        _brought.update(sys.modules.keys() - before)


def _imported(text: str) -> Iterator[str]:
    """The top names of all modules that a text imports; none if it is no Python."""
    try:
        nodes = [*ast.walk(ast.parse(text))]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.module.partition(".")[0]


def _files(folder: Path, name: str) -> list[Path]:
    """The module of that name in a folder, or all of the package."""
    package = folder / name
    if (package / "__init__.py").is_file():
        return sorted(package.rglob("*.py"))
    module = folder / f"{name}.py"
    return [module] if module.is_file() else []


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except (OSError, ValueError):
        return ""
