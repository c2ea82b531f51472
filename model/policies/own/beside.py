"""The modules in a policy file's folder that it imports: a change to one of them is a change of the policy."""

from __future__ import annotations

import ast
import sys
from contextlib import contextmanager
from importlib import invalidate_caches
from importlib.machinery import EXTENSION_SUFFIXES, SOURCE_SUFFIXES, ExtensionFileLoader, FileFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Callable, Iterator

if TYPE_CHECKING:
    from _typeshed.importlib import PathEntryFinderProtocol

#: Names of modules that policy files were the first to import.
_brought: set[str] = set()
#: Functions that import the module that their first argument names.
_IMPORTERS = frozenset({"import_module", "__import__"})


def modules_beside(path: str, text: str) -> dict[str, str]:
    """The files in the folder of *path* that its *text* imports, directly or indirectly, by path, with their texts.

    Nothing is executed to find them, so this works even if one of them has errors.
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


def whole_text(path: str, text: str) -> str:
    """All code that runs with a policy file: its *text*, followed by the texts of the modules beside it."""
    beside = modules_beside(path, text).items()
    return "".join([text, *(f"\n\n# {Path(file).name}\n\n{there}" for file, there in beside)])


@contextmanager
def imported_anew(path: str, run: Callable[[str, bytes, ModuleType], None]) -> Iterator[None]:
    """Within this block, modules in the folder of *path* can be imported, and are executed anew.

    *run* executes them; its arguments are file, source and module.
    """
    folder = Path(path).absolute().parent

    class Loader(SourceFileLoader):
        def exec_module(self, module: ModuleType) -> None:
            run(self.path, self.get_data(self.path), module)

    finds = FileFinder.path_hook((Loader, SOURCE_SUFFIXES), (ExtensionFileLoader, EXTENSION_SUFFIXES))

    def hook(place: str) -> PathEntryFinderProtocol:
        if Path(place).is_relative_to(folder):
            return finds(place)
        raise ImportError(place)

    for name in [name for name in _brought if name in sys.modules and _is_from(folder, name, sys.modules[name])]:
        del sys.modules[name]
    invalidate_caches()
    before, unwritten = {*sys.modules}, sys.dont_write_bytecode
    sys.path.append(str(folder))
    sys.path_hooks.insert(0, hook)
    _forget_finders(folder)
    sys.dont_write_bytecode = True  # cached bytecode is matched by time in seconds: a file can change within one
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        sys.path_hooks.remove(hook)
        _forget_finders(folder)
        sys.dont_write_bytecode = unwritten
        _brought.update(sys.modules.keys() - before)


def _forget_finders(folder: Path) -> None:
    for place in [place for place in sys.path_importer_cache if Path(place).is_relative_to(folder)]:
        del sys.path_importer_cache[place]


def _is_from(folder: Path, name: str, module: ModuleType) -> bool:
    """Whether a module was imported by its own name in the folder; not if it belongs to a package around the folder."""
    place = getattr(module, "__file__", None) or next(iter(getattr(module, "__path__", ())), "")
    inside = Path(place).relative_to(folder).parts if Path(place).is_relative_to(folder) else ()
    return bool(inside) and Path(inside[0]).stem == name.partition(".")[0]


def _imported(text: str) -> Iterator[str]:
    """The top-level names of all modules that a text imports; none if it is not valid Python."""
    try:
        nodes = [*ast.walk(ast.parse(text))]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.module.partition(".")[0]
        elif isinstance(node, ast.Call) and _called(node) in _IMPORTERS:
            yield from (str(arg.value).partition(".")[0] for arg in node.args[:1] if isinstance(arg, ast.Constant))


def _called(node: ast.Call) -> str:
    """The last part of the name of the called function."""
    return str(getattr(node.func, "attr", getattr(node.func, "id", "")))


def _files(folder: Path, name: str) -> list[Path]:
    """The file of the module of that name in a folder, or all files of the package."""
    package, module = folder / name, folder / f"{name}.py"
    if module.is_file() and not (package / "__init__.py").is_file():
        return [module]
    return sorted(package.rglob("*.py")) if name else []


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except (OSError, ValueError):
        return ""
