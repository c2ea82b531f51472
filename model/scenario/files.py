"""Finding the files of scenarios and user policies, without importing any schema."""

from __future__ import annotations

from pathlib import Path

from slotscope.model import packages
from slotscope.model.errors import ScenarioError, UserError, unknown_name

_FOLDER = Path(__file__).resolve().parents[2] / "resources" / "scenarios"


def scenario_files() -> dict[str, Path]:
    """The built-in scenarios and those of installed packages: from name (the file's stem) to path."""
    return _built_in() | {name: _packaged(name) for name in packages.offered("scenarios")}


def _built_in() -> dict[str, Path]:
    return {path.stem: path for path in sorted(_FOLDER.glob("*.toml"))}


def _packaged(name: str) -> Path:
    """The file of a package's scenario; a path that does not exist if the package does not have it."""
    try:
        return packages.file_beside(packages.offered("scenarios")[name][0], ".toml")
    except UserError:
        return Path(f"{name}.toml")


def find_scenario(name_or_path: str) -> Path:
    """The file of a scenario, from its name or path.

    Raises ScenarioError if there is neither a scenario of that name nor such a file.
    """
    built_in = _built_in()
    try:
        if entry := packages.entry_point("scenarios", name_or_path, built_in):
            return packages.file_beside(entry, ".toml")
    except UserError as error:
        raise ScenarioError(error.message, where=error.where) from None
    if name_or_path in built_in:
        return built_in[name_or_path]
    path = Path(name_or_path)
    if path.suffix or len(path.parts) > 1 or _exists(path):
        return path
    unknown = unknown_name("scenario", name_or_path, scenario_files(), "slotscope list")
    raise ScenarioError(f"{unknown}; or give the path of a .toml file")


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False


def is_policy_file(name: str) -> bool:
    """Whether a policy's name is the path of a file, that is, a user policy."""
    return name.lower().endswith(".py") or "/" in name or "\\" in name
