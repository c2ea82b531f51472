"""``slotscope run``: measures a scenario without drawing; also several policies side by side."""

from __future__ import annotations

import argparse
import json
from contextlib import nullcontext
from math import isfinite
from pathlib import Path
from typing import Any, Iterator

from slotscope.model.cli.compare import Compared, compare
from slotscope.model.cli.guard import note
from slotscope.model.cli.measuring import Measured, measure
from slotscope.model.cli.output import Report, progress_of, shown
from slotscope.model.errors import UserError
from slotscope.model.reporting.data_tables import table_file
from slotscope.model.scenario.load import read_text

Result = dict[str, Any]

#: The fields that must be equal for digests to be equal, as a digest is of the end state of one exact run.
_OF_ONE_RUN = ("scenario", "policy", "seed", "replications", "warmup", "time")


def check(path: Path, stored: Result, found: Result, by: str) -> int:
    """Compare a result with a stored one; returns the exit code: 0, or 1 after a line for each difference.

    *found* is what ``run --json`` prints, *stored* the result of :func:`read_golden`.  *by* is ``digest`` or
    ``intervals``; if empty, digests are compared if scenario, policy, seed and times are equal.
    Raises UserError if the stored result is of other policies.
    """
    pairs = list(_pairs(stored, found, path))
    by = by or ("digest" if all(_same_run(*pair) for pair in pairs) else "intervals")
    differences = [line for pair in pairs for line in _differences(*pair, by)]
    for line in differences:
        note(f"differs from {path}: {line}")
    if not differences:
        note(f"agrees with {path}, by {by}")
    return int(bool(differences))


def read_golden(path: Path) -> Result:
    """The result that ``run --json`` wrote to a file. Raises UserError if the file contains no such result."""
    try:
        stored = json.loads(read_text(path))
    except ValueError:
        stored = None
    runs = stored.get("policies", [stored]) if isinstance(stored, dict) else []
    if not runs or not all(isinstance(run, dict) and "metrics" in run and "policy" in run for run in runs):
        raise UserError("found no result, allowed: what 'slotscope run ... --json' printed", where=str(path))
    return dict(stored)


def _pairs(stored: Result, found: Result, path: Path) -> Iterator[tuple[Result, Result]]:
    before, now = (one.get("policies", [one]) for one in (stored, found))
    names = [[run["policy"] for run in runs] for runs in (before, now)]
    if names[0] != names[1]:
        raise UserError(
            f"found results of {', '.join(names[0])}, allowed: of {', '.join(names[1])}, which was run", where=str(path)
        )
    yield from zip(before, now, strict=True)


def _same_run(stored: Result, found: Result) -> bool:
    return all(stored.get(key) == found.get(key) for key in _OF_ONE_RUN)


def _differences(stored: Result, found: Result, by: str) -> Iterator[str]:
    who = found["policy"]
    if by == "digest":
        if stored["digest"] != found["digest"]:
            yield f"{who}: the digest is {found['digest']}, it was {stored['digest']}"
        return
    for name, mean in found["metrics"].items():
        known = stored["metrics"].get(name)
        if known is None:
            yield f"{who}: {name} is new"
        elif not _meet(known, mean):
            yield f"{who}: {name} is {_said(mean)}, it was {_said(known)}"
    yield from (f"{who}: {name} is gone" for name in stored["metrics"] if name not in found["metrics"])


def _meet(one: Result, other: Result) -> bool:
    """Whether two intervals intersect; an unknown mean only agrees with another unknown one."""
    if one["mean"] is None or other["mean"] is None:
        return one["mean"] is other["mean"]
    room = sum(each["half_width"] or 0.0 for each in (one, other))
    return isfinite(room) and abs(one["mean"] - other["mean"]) <= room


def _said(mean: Result) -> str:
    return f"{shown(mean['mean'])} +/- {shown(mean['half_width'], 3)}"


def execute(options: argparse.Namespace) -> int:
    """Run, measure, print, write a table if requested, and compare with a stored result if one is given."""
    stored = read_golden(options.check) if options.check else {}
    with nullcontext() if options.to is None else table_file(options.to) as write:  # a wrong name is refused before
        with progress_of(f"run {options.scenario}", quiet=options.json) as progress:
            several = len(options.policies) > 1
            found: Measured | Compared = compare(options, progress) if several else measure(options, progress)
        timing = options.seed is None if options.timing is None else options.timing
        data = found.as_dict(timing=timing)
        Report(data, lambda: found.text(timing=timing)).print(as_json=options.json)
        if write:
            write(found.table)
    return check(options.check, stored, data, options.check_by or "") if options.check else 0
