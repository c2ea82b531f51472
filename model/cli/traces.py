"""``slotscope traces``: lists public traces that can be read, and fetches one."""

from __future__ import annotations

import argparse
import shlex

from slotscope.model.cli.guard import note
from slotscope.model.cli.output import print_json, progress_of, table
from slotscope.model.cli.parser import UsageError
from slotscope.model.scenario.load import load_scenario
from slotscope.model.traces import catalogue
from slotscope.model.traces.catalogue import Fetched, PublicTrace, fetch, trace_named
from slotscope.model.traces.excerpts import EXAMPLE


def execute(options: argparse.Namespace) -> int:
    """List the traces, or fetch one."""
    if options.action is None:
        return _listed(options)
    if options.name is None:
        raise UsageError(f"found no name, allowed: {', '.join(catalogue.TRACES)}", where="traces fetch")
    trace = trace_named(options.name)
    folder = options.to / options.name
    with progress_of(f"traces fetch {options.name}", quiet=options.json) as progress:
        fetched = [fetch(file, folder, lambda done, size: progress(done, max(size, done))) for file in trace.files]
    plays = shlex.quote(str(folder if len(fetched) > 1 else fetched[0].path))
    lines = [f"slotscope {scenario} --trace {plays}" for scenario in trace.scenarios]
    if options.json:
        files = [{"path": str(file.path), "sha256": file.sha256, "checked": file.checked} for file in fetched]
        print_json({"name": options.name, "licence": trace.licence, "files": files, "open": lines})
        return 0
    for file in fetched:
        print(f"{file.path}: {_checked(file)}")
    note(f"licence: {trace.licence}")
    for line in lines:
        print(line)
    return 0


def _checked(file: Fetched) -> str:
    return "the checksum is right" if file.checked else f"no checksum is known; its SHA-256 is {file.sha256}"


def _listed(options: argparse.Namespace) -> int:
    if options.json:
        print_json({"traces": [_entry(name, trace) for name, trace in catalogue.TRACES.items()]})
        return 0
    columns = ("trace", "what", "MB", "systems", "plays in", "licence")
    rows = [
        (
            name,
            trace.title,
            "not known" if trace.megabytes is None else f"{trace.megabytes:g}",
            ", ".join(_systems(trace)),
            ", ".join(trace.scenarios),
            trace.licence,
        )
        for name, trace in catalogue.TRACES.items()
    ]
    print(table(columns, rows, right=6))
    print("\nsources:")
    for name, trace in catalogue.TRACES.items():
        print("\n".join(f"{name}  {file.url}" for file in trace.files))
    print(f"\njobs of your own: a table as CSV or Parquet, such as {EXAMPLE}")
    return 0


def _systems(trace: PublicTrace) -> list[str]:
    return list(dict.fromkeys(load_scenario(name).system for name in trace.scenarios))


def _entry(name: str, trace: PublicTrace) -> dict[str, object]:
    return {
        "name": name,
        "title": trace.title,
        "systems": _systems(trace),
        "scenarios": trace.scenarios,
        "megabytes": trace.megabytes,
        "licence": trace.licence,
        "files": [{"url": file.url, "sha256": file.sha256} for file in trace.files],
    }
