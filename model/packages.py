"""Plugins in installed packages: policies, scenarios and experiments, declared by entry points.

A package declares in its ``pyproject.toml``::

    [project.entry-points."slotscope.policies"]
    my-rule = "my_package.my_rule"  # a module written like the file of a user policy

    [project.entry-points."slotscope.scenarios"]
    my-cloud = "my_package.scenarios"  # a package with my-cloud.toml in its folder

    [project.entry-points."slotscope.experiments"]
    my-table = "my_package.table:EXPERIMENT"  # a model.kinds.declaration.Experiment

No code of a package is executed before something of the package is used.
"""

from __future__ import annotations

from functools import cache
from importlib.machinery import ModuleSpec
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any, Container, Mapping

from slotscope.model.errors import UserError


@cache
def offered(what: str) -> Mapping[str, tuple[EntryPoint, ...]]:
    """The entry points of all packages for ``policies``, ``scenarios`` or ``experiments``, by name."""
    found: dict[str, tuple[EntryPoint, ...]] = {}
    for entry in sorted(entry_points(group=f"slotscope.{what}"), key=lambda entry: (entry.name, package_of(entry))):
        found[entry.name] = (*found.get(entry.name, ()), entry)
    return MappingProxyType(found)


def entry_point(what: str, name: str, built_in: Container[str]) -> EntryPoint | None:
    """The entry point of that name; None if no package has one.

    Raises UserError, naming both owners, if a second package or the program itself has something of that name.
    """
    entries = offered(what).get(name, ())
    owners = (["slotscope itself"] if name in built_in else []) + [package_of(entry) for entry in entries]
    if len(owners) > 1 and entries:
        told = f"found {what} called '{name}' in {' and in '.join(owners)}, allowed: one; uninstall a package"
        raise UserError(told, where=name)
    return entries[0] if entries else None


def package_of(entry: EntryPoint) -> str:
    """The name and version of the package that declares *entry*."""
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else entry.value


def module_file(entry: EntryPoint) -> Path:
    """The file of the module that *entry* names, found without an import. Raises UserError if there is none."""
    place = _place(entry)
    for file in (place.with_name(f"{place.name}.py"), place / "__init__.py"):
        if file.is_file():
            return file
    raise _fault(entry, f"found no module {entry.module}")


def file_beside(entry: EntryPoint, ending: str) -> Path:
    """The file with the name of *entry* and an *ending*, in the folder of the package that the entry names.

    Raises UserError if there is no such package.
    """
    return _place(entry) / f"{entry.name}{ending}"


def loaded(entry: EntryPoint) -> Any:
    """The object that *entry* names. Raises UserError if its package cannot be imported, for whatever reason."""
    try:
        return entry.load()
    except (Exception, SystemExit) as error:
        raise _fault(entry, f"while loading {entry.value}: {type(error).__name__}: {error}") from None


def _place(entry: EntryPoint) -> Path:
    """The path of the module or package, without file ending."""
    top, *inside = entry.module.split(".")
    try:
        spec = find_spec(top)
    except (ImportError, ValueError):
        spec = None
    if spec is None:
        raise _fault(entry, f"found no module {top}")
    return _root(spec).joinpath(*inside)


def _root(spec: ModuleSpec) -> Path:
    folders = spec.submodule_search_locations
    return Path(next(iter(folders))) if folders else Path(spec.origin or "").with_suffix("")


def _fault(entry: EntryPoint, told: str) -> UserError:
    return UserError(f"{told}; mend or uninstall the package", where=f"{entry.name} of {package_of(entry)}")
