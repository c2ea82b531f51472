"""Reading and writing scenarios; every error is one line with the field's path.

An instance file, which describes a small hand-checkable system in JSON, is read as scripted scenarios.
"""

from __future__ import annotations

import json
import re
import tomllib
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Mapping

import tomli_w

from slotscope.model.draft import write_text
from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.rooms import ROOMS
from slotscope.model.scenario.common import ScenarioBase
from slotscope.model.scenario.files import find_scenario, is_policy_file, scenario_files
from slotscope.model.scenario.validation import ValidationFaultError, shown, validated

#: The module that reads an instance file, by the key that identifies its kind.
READERS: Mapping[str, str] = {key: module for room in ROOMS.values() for key, module in room.readers.items()}


def scenarios_in(text: str, where: str) -> list[dict[str, Any]]:
    """The scenarios that an instance file describes, at least one, as plain data.

    Raises ScenarioError if the text is not JSON, or a part is missing or invalid.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ScenarioError(f"not valid JSON: {error}", where=where) from None
    if not isinstance(data, dict):
        raise ScenarioError(f"found {shown(data)}, allowed: an object", where=where)
    key = next((key for key in READERS if key in data), None)
    if key is None:
        known = " or ".join(f"'{key}'" for key in READERS)
        raise ScenarioError(f"found no key {known}", where=where)
    try:
        found: list[dict[str, Any]] = import_module(READERS[key]).scenarios(data)
    except ScenarioError as error:
        raise error.inside(where) from None
    except KeyError as error:
        raise ScenarioError(f"found no key {error}", where=where) from None
    except (TypeError, ValueError, AttributeError, IndexError) as error:
        raise ScenarioError(f"a part has the wrong shape: {error}", where=where) from None
    if not found:
        raise ScenarioError("found no run, allowed: at least one", where=where)
    return found


Scenario = ScenarioBase

#: The (module, class) of each kind's schema, by the value of the key ``system``.
SYSTEMS: Mapping[str, tuple[str, str]] = {name: room.schema for name, room in ROOMS.items()}

#: The largest file that is read, in bytes: a scenario is a page of text.
MOST_BYTES = 20_000_000

#: The first bytes of a zip archive.
_ARCHIVE = b"PK\x03\x04"


def load_scenario(name_or_path: str | Path) -> Scenario:
    """Read and validate a scenario from a built-in name, a TOML file or a JSON instance file.

    Raises ScenarioError with one line: the file, the field's path, what was found and what is allowed.
    """
    return load_scenarios(name_or_path)[0]


def load_scenarios(name_or_path: str | Path) -> list[Scenario]:
    """All scenarios in a file: an instance file may describe several runs.

    Raises ScenarioError as :func:`load_scenario`.
    """
    path = find_scenario(str(name_or_path))
    text = read_text(path)
    if path.suffix.lower() != ".json":
        return [_beside(parse_scenario_text(text, str(path)), path)]
    try:
        return [parse_scenario(data) for data in scenarios_in(text, str(path))]
    except ValidationFaultError as error:
        raise error.inside(str(path)) from None


def _beside(scenario: Scenario, path: Path) -> Scenario:
    """*scenario* with the path of a policy file resolved from the folder of the scenario file."""
    name = scenario.policy.name
    if not is_policy_file(name) or Path(name).is_absolute():
        return scenario
    choice = scenario.policy.model_copy(update={"name": str(path.parent / name)})
    return scenario.model_copy(update={"policy": choice})


def parse_scenario_text(text: str, where: str) -> Scenario:
    """A validated scenario from the TOML text of the file *where*.

    Raises ScenarioError as :func:`load_scenario`.
    """
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ScenarioError(f"not valid TOML: {error}", where=where) from None
    except ValueError as error:
        raise ScenarioError(f"a value cannot be read: {error}", where=where) from None
    try:
        return parse_scenario(data)
    except ScenarioError as error:
        raise error.inside(where) from None


def scenario_titles() -> list[tuple[str, str]]:
    """(name, title) of each of :func:`scenario_files`."""
    titles = []
    for name, path in scenario_files().items():
        try:
            titles.append((name, title_in(path.read_text("utf-8")) or name))
        except (OSError, ValueError) as error:  # in a package; details are reported when it is opened
            titles.append((name, f"cannot be read: {error}"))
    return titles


#: The beginning of a table in TOML.
_TABLE = re.compile(r"^\[", re.MULTILINE)


@cache
def title_in(text: str) -> str:
    """The title in the text of a TOML file, "" if it has none; cached, as every window asks for all titles.

    Tables are not parsed: no title is in one, and their errors are reported when the file is opened.
    """
    try:
        told = tomllib.loads(_TABLE.split(text, maxsplit=1)[0])
    except tomllib.TOMLDecodeError:  # the bracket that was found is part of a list or a text
        told = tomllib.loads(text)
    return str(told.get("title", ""))


def read_text(path: Path, what: str = "scenario file") -> str:
    """The text of a small UTF-8 file, without byte order mark; *what* describes the file in errors.

    Raises ScenarioError if it is absent, a directory, unreadable, too large, empty or not UTF-8.
    """
    where = str(path)
    try:
        if path.is_dir():
            raise ScenarioError(f"found a directory, allowed: a {what}", where=where)
        if path.exists() and not path.is_file():
            raise ScenarioError(f"found a device or pipe, allowed: a {what}", where=where)
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise ScenarioError(f"found {size} bytes, allowed: at most {MOST_BYTES}", where=where)
        data = path.read_bytes()
        if data.startswith(_ARCHIVE):
            found = f"found a zip archive, as a saved session is, allowed: a {what}"
            raise ScenarioError(f"{found}; the window opens sessions: slotscope NAME.slotscope", where=where)
        text = data.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        raise ScenarioError(_reading_fault(error), where=where) from None
    if not text.strip():
        raise ScenarioError(f"found an empty file, allowed: a {what}", where=where)
    return text


def _reading_fault(error: OSError | ValueError) -> str:
    if isinstance(error, UnicodeDecodeError):
        return (
            f"found the byte 0x{error.object[error.start]:02x} at position {error.start}, "
            "which is not UTF-8; save the file as UTF-8"
        )
    if isinstance(error, FileNotFoundError):
        return "no such file"
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return f"cannot be read: {reason}"


def parse_scenario(data: Mapping[str, Any]) -> Scenario:
    """A validated scenario from plain data.

    Raises ScenarioError for the first fault; its ``problems`` attribute lists all faults.
    """
    system = data.get("system", "reservation")
    if not isinstance(system, str) or system not in SYSTEMS:
        raise ScenarioError(f"found '{system}', allowed: {', '.join(SYSTEMS)}", where="system")
    return validated(schema_of(system), data)


def schema_of(system: str) -> type[Scenario]:
    """The schema of scenarios of a kind of system, one of :data:`SYSTEMS`."""
    module, name = SYSTEMS[system]
    schema: type[Scenario] = getattr(import_module(module), name)
    return schema


def edited(scenario: Scenario, changes: Mapping[str, Any]) -> Scenario:
    """*scenario* with some of its top-level tables replaced, validated anew."""
    return parse_scenario(as_data(scenario) | dict(changes))


def as_data(scenario: Scenario) -> dict[str, Any]:
    """Plain data from which :func:`parse_scenario` makes an equal scenario.

    Run settings that are still to come from a trace (:mod:`model.traces.span`) are left out.
    """
    data = scenario.model_dump(mode="json", exclude_none=True)
    if scenario.workload.kind == "trace":
        for name in {"until", "warmup"} - scenario.run.model_fields_set:
            data["run"].pop(name)
    return data


def scenario_text(scenario: Scenario) -> str:
    """The scenario as TOML."""
    return tomli_w.dumps(as_data(scenario))


def write_scenario(path: Path, scenario: Scenario) -> None:
    """Write a scenario as a TOML file. Raises ScenarioError if the file cannot be written."""
    write_text(path, scenario_text(scenario), ScenarioError)
