"""A valid scenario and a valid instance file, and ways to break them."""

from __future__ import annotations

import copy
import json
import re
import unicodedata
from pathlib import Path
from typing import Any, Callable

import pytest
from hypothesis import strategies as st

from slotscope.model.errors import UserError

Place = tuple[str | int, ...]

#: The path of a field, its broken value (None removes it), and the error's words, see :func:`says`.
Fault = tuple[str, Any, str]

GOLDEN = Path(__file__).parent / "golden" / "dra"

GOOD: dict[str, Any] = {
    "system": "reservation",
    "seed": 1,
    "run": {"until": 10, "warmup": 1},
    "resources": [{"name": "cpu"}, {"name": "ram", "unit": "GB"}],
    "servers": {"count": 3, "capacity": {"cpu": 4, "ram": "8 GB"}},
    "job_types": [
        {"name": "a", "demand": {"cpu": 1, "ram": "512 MB"}, "reward": 2, "workload": 1},
        {
            "name": "b",
            "demand": {"ram": 3},
            "reward": "5/2",
            "arrival_rate": 0.5,
            "service": {"distribution": "erlang", "phases": 2, "mean": 1},
        },
    ],
    "workload": {"kind": "poisson"},
    "initial": {
        "start": "given",
        "servers": [{"configuration": [1, 1], "jobs": [{"type": "a"}]}, {"configuration": [1, 1]}],
        "order": [{"configuration": [1, 1], "servers": [1, 0]}],
    },
    "policy": {"name": "dra", "parameters": {"reservation_factor": 2}},
}

FULL = {"start": "full", "type": "a"}
SCRIPT = {"kind": "scripted", "arrivals": [{"time": 1, "type": "a"}, {"time": 2, "type": "b"}]}


def placed(path: str) -> Place:
    """The place of the field named by a path such as ``workload.events[1].t``."""
    return tuple(int(part) if part.isdigit() else part for part in re.findall(r"[^.\[\]]+", path))


def changed(place: Place | str, value: Any, data: dict[str, Any] = GOOD) -> dict[str, Any]:
    """A copy with one field set; a value of None removes it."""
    result = copy.deepcopy(data)
    table: Any = result
    *parents, last = placed(place) if isinstance(place, str) else place
    for part in parents:
        table = table[part]
    if value is None:
        del table[last]
    else:
        table[last] = value
    return result


def places(value: Any, here: Place = ()) -> list[Place]:
    """The places of all fields in nested tables and lists."""
    found = [here] if here else []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        found += places(inner, (*here, key))
    return found


def worth_trying(words: str, keys: str, values: Any = None) -> st.SearchStrategy[Any]:
    """Values to try in a field of a scenario, among them the *words* of its kind, and tables with these *keys*."""
    odd = [0, -1, 1, 2**31, 2**63, 10**30, "1/3", "0/0", "1e30", "1e-30", "2 GB", "", "9" * 90, float("nan"), [], {}]
    table = st.dictionaries(st.sampled_from(keys.split()), st.integers(0, 3) if values is None else values, max_size=3)
    text, number = st.text(max_size=8), st.one_of(st.integers(), st.floats(), st.booleans())
    told = st.sampled_from([*odd, float("inf"), "\u2028", "１２", *words.split()])
    return st.one_of(st.none(), number, text, told, st.lists(st.integers(-1, 5), max_size=3), table)


def is_one_line(text: str) -> bool:
    """Whether *text* is one line without control characters, fit for any terminal."""
    return not any(unicodedata.category(letter) in {"Cc", "Zl", "Zp"} for letter in text)


def refused(read: Callable[[Any], object], data: Any) -> str:
    """The line of the error that broken data raise."""
    with pytest.raises(UserError) as raised:
        read(data)
    line = raised.value.line
    assert is_one_line(line)
    assert len(line) < 500
    return line


def says(line: str, words: str, path: str = "") -> None:
    """Check that a line begins with *words* (" ... " stands for any others), or with a field's *path* and *words*."""
    told = ".*".join(map(re.escape, words.split(" ... ")))
    assert re.match(f"({re.escape(path)}: .*)?{told}", line), line


def check_fault(read: Callable[[Any], object], good: dict[str, Any], fault: Fault) -> None:
    """Check that valid data with one fault raise that fault's error, and no other."""
    path, value, words = fault
    line = refused(read, changed(path, value, good))
    says(line, words, path)
    assert "more)" not in line


def check_file(read: Callable[[Path], object], path: Path, text: str, words: str, place: str = "") -> None:
    """Check the error for a file with *text*: the file's name, then *words*, see :func:`says`."""
    path.write_text(text)
    line = refused(read, path)
    assert line.startswith(f"{path}: ")
    says(line.removeprefix(f"{path}: "), words, place)


TRACE: dict[str, Any] = json.loads((GOLDEN / "t02_migration.json").read_text())
INSTANCE = {key: TRACE[key] for key in ("instance", "L", "g", "variant", "cra_mode", "initial", "events")}
