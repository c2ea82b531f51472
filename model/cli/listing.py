"""``slotscope list``: lists the scenarios, policies and experiments."""

from __future__ import annotations

import argparse
import tomllib

from slotscope.model.cli.output import print_json, table
from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.rooms import ROOMS
from slotscope.model.lab import experiments
from slotscope.model.packages import offered
from slotscope.model.policies import packaged_policies
from slotscope.model.scenario.files import scenario_files

Entry = dict[str, str]


def execute(options: argparse.Namespace) -> int:
    """Print scenarios, policies and experiments."""
    parts = {"scenarios": _scenarios(), "policies": _policies(), "experiments": _experiments()}
    if options.json:
        print_json(parts)
        return 0
    for title, entries in parts.items():
        rows = [(_names(item), item["title"], item["paper"]) for item in entries]
        print(f"{table((title, 'title', 'source'), rows, right=3)}\n")
    return 0


def _scenarios() -> list[Entry]:
    """The scenarios; built-in ones are read without validation, as they are known to be valid."""
    found = []
    for name, path in scenario_files().items():
        if name in offered("scenarios"):
            found.append(_of_a_package(name))
        else:
            data = tomllib.loads(path.read_text(encoding="utf-8"))
            found.append(_entry(name, data["title"], data["system"], data["paper"]))
    return found


def _of_a_package(name: str) -> Entry:
    from slotscope.model.scenario.load import load_scenario  # imports the schemas, which built-in ones do not need here

    try:
        scenario = load_scenario(name)
    except ScenarioError as error:
        return _entry(name, error.line, "", "")
    return _entry(name, scenario.title, scenario.system, scenario.paper)


def _policies() -> list[Entry]:
    found = [
        _entry(name, spec.title, system, spec.paper)
        for system, room in ROOMS.items()
        for name, spec in room.policies.items()
        if name not in offered("policies")
    ]
    return found + [_entry(*item) for item in packaged_policies()]


def _experiments() -> list[Entry]:
    return [_entry(name, item.title, item.system, item.paper) for name, item in experiments().items()]


def _names(entry: Entry) -> str:
    """The name of an entry, with the shorter names of an experiment."""
    known = experiments().get(entry["name"])
    also = f" ({', '.join(known.also)})" if known and known.also else ""
    return entry["name"] + also


def _entry(name: str, title: str, system: str, paper: str) -> Entry:
    return {"name": name, "title": title, "system": system, "paper": paper}
