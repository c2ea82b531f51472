"""``slotscope list``: what the program brings along."""

from __future__ import annotations

import argparse
import tomllib

from slotscope.model.cli.output import print_json, table
from slotscope.model.errors import ScenarioError
from slotscope.model.lab import experiments
from slotscope.model.packages import offered
from slotscope.model.policies import POLICIES_OF, packaged_policies, reference_for
from slotscope.model.scenario.load import load_scenario, scenario_files

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
    found = []
    for name, path in scenario_files().items():
        if name not in offered("scenarios"):  # what comes along is known to be right, and checked where it is opened
            data = tomllib.loads(path.read_text(encoding="utf-8"))
            found.append(_entry(name, data["title"], data["system"], data["paper"]))
            continue
        try:
            scenario = load_scenario(name)
            found.append(_entry(name, scenario.title, scenario.system, scenario.paper))
        except ScenarioError as error:  # of a package
            found.append(_entry(name, error.line, "", ""))
    return found


def _policies() -> list[Entry]:
    found = []
    for system, names in POLICIES_OF.items():
        for name in names:
            if name in offered("policies"):
                continue
            reference = reference_for(name, system)
            found.append(_entry(name, reference.title, system, reference.paper))
    return found + [_entry(*item) for item in packaged_policies()]


def _experiments() -> list[Entry]:
    return [_entry(name, item.title, item.system, item.paper) for name, item in experiments().items()]


def _names(entry: Entry) -> str:
    """What an entry is called, with the shorter names that an experiment answers to."""
    known = experiments().get(entry["name"])
    also = f" ({', '.join(known.also)})" if known and known.also else ""
    return entry["name"] + also


def _entry(name: str, title: str, system: str, paper: str) -> Entry:
    return {"name": name, "title": title, "system": system, "paper": paper}
