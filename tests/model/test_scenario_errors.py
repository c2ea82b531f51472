"""Every kind of broken scenario gives one line: where, what was found, what is allowed."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from model.api import Session
from model.errors import ScenarioError, UserError
from model.scenario.load import load_scenario, parse_scenario
from model.scenario.validation import shown

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden" / "dra"

GOOD: dict[str, Any] = {
    "system": "reservation",
    "seed": 1,
    "run": {"until": 10, "warmup": 1},
    "resources": [{"name": "cpu"}, {"name": "ram", "unit": "GB"}],
    "servers": {"count": 3, "capacity": {"cpu": 4, "ram": "8 GB"}},
    "job_types": [
        {"name": "a", "demand": {"cpu": 1, "ram": "512 MB"}, "reward": 2, "workload": 1},
        {"name": "b", "demand": {"ram": 3}, "reward": "5/2", "arrival_rate": 0.5,
         "service": {"distribution": "erlang", "phases": 2, "mean": 1}},
    ],
    "workload": {"kind": "poisson"},
    "initial": {"start": "given", "servers": [{"configuration": [1, 1], "jobs": [{"type": "a"}]},
                                              {"configuration": [1, 1]}],
                "order": [{"configuration": [1, 1], "servers": [1, 0]}]},
    "policy": {"name": "dra", "parameters": {"reservation_factor": 2}},
}  # fmt: skip

FULL = {"start": "full", "type": "a"}
SCRIPT = {"kind": "scripted", "arrivals": [{"time": 1, "type": "a"}, {"time": 2, "type": "b"}]}
HUGE = int("f" * 5000, 16)
NAN, INF = float("nan"), float("inf")

Place = tuple[str | int, ...]


def changed(place: Place, value: Any, data: dict[str, Any] = GOOD) -> dict[str, Any]:
    """A copy with one field set; a value of None removes it."""
    result = copy.deepcopy(data)
    table: Any = result
    *parents, last = place
    for part in parents:
        table = table[part]
    if value is None:
        del table[last]
    else:
        table[last] = value
    return result


def is_one_line(text: str) -> bool:
    """Whether *text* is one line without control characters, fit for any terminal."""
    return not any(unicodedata.category(letter) in {"Cc", "Zl", "Zp"} for letter in text)


def line_of(data: dict[str, Any]) -> str:
    """The one line that is said about broken data."""
    with pytest.raises(UserError) as raised:
        Session(open_bench_of(data))
    line = raised.value.line
    assert is_one_line(line)
    assert len(line) < 500
    return line


def open_bench_of(data: dict[str, Any]) -> Any:
    from model.api import open_bench

    return open_bench(parse_scenario(data))


def test_the_good_one_is_good() -> None:
    session = Session(open_bench_of(GOOD))
    session.use_kernel()
    session.run(events=50)
    assert session.timeline.event == 50


# (place, value, what the line must say: the path of the field first)
BROKEN: dict[str, tuple[Place, Any, tuple[str, ...]]] = {
    "unknown key at the top": (("sede",), 1, ("sede:", "did you mean 'seed'")),
    "unknown key in a type": (
        ("job_types", 1, "rewards"), 1, ("job_types[1].rewards:", "did you mean 'reward'")),
    "unknown key in a service": (
        ("job_types", 1, "service", "phase"), 1, ("job_types[1].service.phase:", "'phases'")),
    "unknown key in a parameter": (
        ("policy", "parameters", "reservation_facto"), 1,
        ("policy.parameters.reservation_facto:", "'reservation_factor'")),
    "unknown key unlike any": (("zzzz",), 1, ("zzzz:", "unknown key")),
    "a key of two lines": (("a\nb",), 1, ("unknown key",)),
    "no servers": (("servers",), None, ("servers:", "required")),
    "no reward": (("job_types", 0, "reward"), None, ("job_types[0].reward:", "required")),
    "no job types": (("job_types",), [], ("job_types:", "found none")),
    "too many job types": (
        ("job_types",), [{"name": f"t{n}", "reward": 1} for n in range(70)],
        ("job_types:", "at most 62")),
    "a list for a table": (("servers",), [1], ("servers:", "found [1]", "a table")),
    "a number for a table": (("run",), 5, ("run:", "found 5", "a table")),
    "a table for a list": (("job_types",), {"name": "a"}, ("job_types:", "a list")),
    "text for a number": (
        ("job_types", 0, "reward"), "much", ("job_types[0].reward:", "found 'much'")),
    "a list for a number": (("run", "until"), [1], ("run.until:", "found [1]", "a number")),
    "true for a number": (("run", "until"), True, ("run.until:", "found true", "a number")),
    "true for a count": (("servers", "count"), True, ("servers.count:", "found true")),
    "text for a count": (("servers", "count"), "3", ("servers.count:", "found '3'")),
    "a decimal for a count": (("servers", "count"), 3.0, ("servers.count:", "found 3.0")),
    "true for a seed": (("seed",), True, ("seed:", "found true")),
    "a number for a name": (("job_types", 0, "name"), 5, ("job_types[0].name:", "found 5")),
    "a number for a title": (("title",), 5, ("title:", "found 5", "text")),
    "an empty name": (("job_types", 0, "name"), "", ("job_types[0].name:", "found ''")),
    "a name of two lines": (("job_types", 0, "name"), "a\n", ("job_types[0].name:", "found")),
    "a name too long": (("job_types", 0, "name"), "a" * 61, ("job_types[0].name:",)),
    "a negative rate": (
        ("job_types", 1, "arrival_rate"), -1,
        ("job_types[1].arrival_rate:", "found -1", "at least 0")),
    "a negative workload": (
        ("job_types", 0, "workload"), -0.5, ("job_types[0].workload:", "found -0.5", "at least 0")),
    "a negative reward": (
        ("job_types", 0, "reward"), "-1/3", ("job_types[0].reward:", "found '-1/3'", "at least 0")),
    "a negative demand": (
        ("job_types", 0, "demand", "cpu"), -1, ("job_types[0].demand.cpu:", "found -1")),
    "no demand above 0": (("job_types", 0, "demand"), {"cpu": 0}, ("job_types[0].demand:",)),
    "a capacity of 0": (
        ("servers", "capacity", "cpu"), 0, ("servers.capacity.cpu:", "found 0", "above 0")),
    "a negative capacity": (
        ("servers", "capacity", "cpu"), -4, ("servers.capacity.cpu:", "found -4")),
    "no server at all": (("servers", "count"), 0, ("servers.count:", "found 0", "at least 1")),
    "too many servers": (
        ("servers", "count"), 10**7, ("servers.count:", "found 10000000", "at most 1000000")),
    "a negative seed": (("seed",), -1, ("seed:", "found -1", "at least 0")),
    "g = 0": (
        ("policy", "parameters", "reservation_factor"), 0,
        ("policy.parameters.reservation_factor:", "found 0", "above 0")),
    "g < 0": (
        ("policy", "parameters", "reservation_factor"), -2.5,
        ("policy.parameters.reservation_factor:", "found -2.5", "above 0")),
    "g in words": (
        ("policy", "parameters", "reservation_factor"), "log2",
        ("policy.parameters.reservation_factor:", "found 'log2'", "log^p")),
    "g = log^0": (
        ("policy", "parameters", "reservation_factor"), "log^0",
        ("policy.parameters.reservation_factor:", "found 'log^0'")),
    "g true": (
        ("policy", "parameters", "reservation_factor"), True,
        ("policy.parameters.reservation_factor:", "found true")),
    "g huge": (
        ("policy", "parameters", "reservation_factor"), 10**30,
        ("policy.parameters.reservation_factor:", "found 1000000")),
    "g nan": (
        ("policy", "parameters", "reservation_factor"), NAN,
        ("policy.parameters.reservation_factor:", "found nan")),
    "an unknown policy": (("policy", "name"), "drr", ("policy", "'drr'", "did you mean 'dra'")),
    "an unknown system": (("system",), "reservations", ("system:", "found 'reservations'")),
    "a wrong unit": (
        ("job_types", 0, "demand", "ram"), "2 Gbit/s",
        ("job_types[0].demand.ram:", "Gbit/s", "allowed", "GiB")),
    "a unit where none is declared": (
        ("servers", "capacity", "cpu"), "4 cores", ("servers.capacity.cpu:", "cores", "no unit")),
    "a unit without a number": (
        ("servers", "capacity", "ram"), "GB", ("servers.capacity.ram:", "found 'GB'")),
    "an unknown resource": (
        ("job_types", 0, "demand", "disk"), 1, ("job_types[0].demand.disk:", "cpu, ram")),
    "two types of one name": (
        ("job_types", 1, "name"), "a", ("job_types:", "found the name 'a' 2 times", "allowed")),
    "two resources of one name": (
        ("resources", 1, "name"), "cpu", ("resources:", "found the name 'cpu' 2 times")),
    "workload and rate": (("job_types", 0, "arrival_rate"), 1, ("job_types[0]:", "workload")),
    "capacity and configurations": (
        ("servers", "configurations"), [[1, 1]], ("servers:", "capacity", "configurations")),
    "neither capacity nor configurations": (("servers", "capacity"), None, ("servers:",)),
    "a negative configuration": (
        ("servers",), {"count": 3, "configurations": [[1, -1]]},
        ("servers.configurations[0][1]:", "found -1")),
    "an unknown distribution": (
        ("job_types", 1, "service"), {"distribution": "normal"},
        ("job_types[1].service", "normal", "'exponential'")),
    "no distribution": (
        ("job_types", 1, "service"), {"mean": 1}, ("job_types[1].service", "distribution")),
    "no phases": (("job_types", 1, "service", "phases"), 0, ("job_types[1].service.phases:",)),
    "a mean of 0": (
        ("job_types", 1, "service", "mean"), 0,
        ("job_types[1].service.mean:", "found 0", "above 0")),
    "a shape without a mean": (
        ("job_types", 1, "service"), {"distribution": "pareto", "shape": 1},
        ("job_types[1].service", "shape", "found 1")),
    "too little variation": (
        ("job_types", 1, "service"),
        {"distribution": "hyper-exponential", "squared_variation": 0.5},
        ("job_types[1].service", "squared_variation", "found 1/2")),
    "an unknown start": (("initial",), {"start": "fill"}, ("initial", "fill", "'full'")),
    "full of an unknown type": (
        ("initial",), {"start": "full", "type": "c"}, ("initial.type:", "found 'c'", "a, b")),
    "a job of an unknown type": (
        ("initial", "servers", 0, "jobs", 0, "type"), "c",
        ("initial.servers[0].jobs[0].type:", "found 'c'", "a, b")),
    "an initial configuration too short": (
        ("initial", "servers", 0, "configuration"), [1],
        ("initial.servers[0].configuration:", "found 1", "allowed: 2")),
    "an initial configuration too large": (
        ("initial",), {"start": "given", "servers": [{}, {"configuration": [9, 9]}]},
        ("initial.servers[1]", "[9, 9]", "allowed")),
    "more jobs than slots": (
        ("initial", "servers", 1, "jobs"), [{"type": "a"}, {"type": "a"}],
        ("initial.servers[1].jobs:", "[2, 0]", "[1, 1]")),
    "more servers than there are": (
        ("initial", "servers"), [{}] * 4, ("initial.servers:", "found 4", "at most")),
    "an order of other servers": (
        ("initial", "order", 0, "servers"), [0, 2], ("initial.order[0]", "[0, 2]", "[0, 1]")),
    "an order that names one twice": (
        ("initial", "order", 0, "servers"), [0, 0], ("initial.order[0]", "[0, 0]", "[0, 1]")),
    "an order of no configuration": (
        ("initial", "order", 0, "configuration"), [0], ("initial.order[0].configuration:",)),
    "arrivals out of order": (
        ("workload",), SCRIPT | {"arrivals": SCRIPT["arrivals"][::-1]},
        ("workload", "arrivals[1].time", "found", "1")),
    "an arrival of an unknown type": (
        ("workload",), {"kind": "scripted", "arrivals": [{"time": 1, "type": "c"}]},
        ("workload.arrivals[0].type:", "found 'c'", "a, b")),
    "an arrival before time 0": (
        ("workload",), {"kind": "scripted", "arrivals": [{"time": -1, "type": "a"}]},
        ("workload.arrivals[0].time:", "found -1", "at least 0")),
    "an arrival at no time": (
        ("workload",), {"kind": "scripted", "arrivals": [{"type": "a"}]},
        ("workload.arrivals[0].time:", "required")),
    "an unknown workload": (("workload",), {"kind": "poison"}, ("workload", "poison")),
    "two scripted jobs of one name": (
        ("workload",), {"kind": "scripted", "arrivals": [
            {"time": 1, "type": "a", "job": "x"}, {"time": 2, "type": "a", "job": "x"}]},
        ("workload.arrivals", "'x'")),
    "a warm-up as long as the run": (("run", "warmup"), 10, ("run", "found 10", "until")),
    "a run of no length": (("run", "until"), 0, ("run.until:", "found 0", "above 0")),
    "infinite": (("run", "until"), INF, ("run.until:", "found inf", "finite")),
    "not a number": (("job_types", 0, "reward"), NAN, ("job_types[0].reward:", "found nan")),
    "infinite in text": (
        ("job_types", 0, "workload"), "inf", ("job_types[0].workload:", "found 'inf'")),
    "a fraction of nothing": (
        ("job_types", 0, "reward"), "1/0", ("job_types[0].reward:", "found '1/0'")),
    "a huge count": (("servers", "count"), HUGE, ("servers.count:", "at most 1000000")),
    "a huge reward": (("job_types", 0, "reward"), HUGE, ("job_types[0].reward:",)),
    "a huge reward in text": (("job_types", 0, "reward"), "1e5000", ("job_types[0].reward:",)),
    "a huge workload": (("job_types", 0, "workload"), "1e400", ("job_types[0].workload:",)),
    "a tiny mean": (
        ("job_types", 1, "service", "mean"), "1e-400", ("job_types[1].service.mean:",)),
    "demands too far apart": (
        ("job_types", 0, "demand", "cpu"), "1e-20", ("servers.capacity.cpu:", "fewer digits")),
    "rewards too far apart": (("job_types", 0, "reward"), "1e20", ("job_types", "reward")),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_broken(name: str) -> None:
    place, value, words = BROKEN[name]
    line = line_of(changed(place, value))
    for word in words:
        assert word in line, line
    if words[0].endswith(":"):
        assert line.startswith(words[0]), line


@pytest.mark.parametrize("name", BROKEN)
def test_broken_in_a_file(name: str, tmp_path: Path) -> None:
    """Through a file, the line starts with the file; the data survive the way through TOML."""
    place, value, words = BROKEN[name]
    if value is HUGE:
        pytest.skip("the writer of TOML cannot write it; see test_text_that_is_no_scenario")
    path = tmp_path / "broken.toml"
    path.write_text(tomli_w.dumps(changed(place, value)))
    with pytest.raises(UserError) as raised:
        Session.open(str(path), kernel=False)
    assert raised.value.line.startswith(f"{path}: "), raised.value.line
    assert is_one_line(raised.value.line)
    for word in words:
        assert word in raised.value.line


def test_a_configuration_too_short() -> None:
    data = {
        "servers": {"count": 3, "configurations": [[1, 1], [1]]},
        "job_types": [{"name": "a", "reward": 1}, {"name": "b", "reward": 1}],
    }
    assert line_of(data).startswith("servers.configurations[1]: found 1 numbers, allowed: 2")


RESERVED_WORDS = ("full", "empty", "given", "poisson", "trace", "exponential", "pareto")


@pytest.mark.parametrize("name", RESERVED_WORDS)
def test_a_resource_may_be_called_anything(name: str) -> None:
    """Names of choices within the schema are no part of a path, unless they are a field's."""
    data = changed(("servers", "capacity"), {name: -1})
    assert line_of(data).startswith(f"servers.capacity.{name}: found -1")


def test_a_type_that_fits_no_server_is_a_warning() -> None:
    bench = open_bench_of(changed(("job_types", 0, "demand"), {"cpu": 5}) | {"initial": FULL})
    (warning,) = bench.numbers.warnings()
    assert warning.startswith("job_types[0] 'a':")
    session = Session(bench)
    session.run(events=200)
    assert session.timeline.state.tally[0, 0] == session.timeline.state.tally[0, 2] > 0


def test_all_faults_are_listed_for_forms() -> None:
    data = changed(("seed",), -1)
    data["servers"]["count"] = 0
    with pytest.raises(ScenarioError) as raised:
        parse_scenario(data)
    problems = raised.value.problems  # type: ignore[attr-defined]
    assert {problem.where for problem in problems} == {"seed", "servers.count"}
    assert "1 more" in raised.value.line


def test_too_many_starting_jobs_for_the_memory() -> None:
    data = {
        "servers": {"count": 1_000_000, "capacity": {"r": 10**9}},
        "job_types": [{"name": "a", "demand": {"r": 1}, "reward": 1, "workload": 1}],
        "initial": {"start": "full", "type": "a"},
    }
    assert line_of(data).startswith("initial")


# Files that are no scenario.

TEXTS: dict[str, bytes] = {
    "empty": b"",
    "only space": b" \n\t\n",
    "truncated": b'[servers]\ncount = 3\ncapacity = { cpu = 4, ram = "8 G',
    "cut in a table": b"[servers]\ncount = 3\n[[job_typ",
    "not UTF-8": b'title = "caf\xe9"',
    "UTF-16": 'title = "a"'.encode("utf-16"),
    "binary": bytes(range(256)),
    "JSON in a TOML file": b'{"servers": 3}',
    "an integer of thousands of digits": b"seed = " + b"9" * 5000,
    "a hexadecimal count": b"[servers]\ncount = 0x" + b"f" * 5000,
    "a hexadecimal reward": b'[[job_types]]\nname = "a"\nreward = 0x' + b"f" * 5000,
    "nested too deeply": b"x = " + b"[" * 5000 + b"]" * 5000,
    "tables nested too deeply": b"[" + b"a." * 5000 + b"a]",
    "inline tables nested too deeply": b"x = " + b"{a=" * 3000 + b"1" + b"}" * 3000,
    "a duplicate key": b"seed = 1\nseed = 2",
    "a control character": b'title = "\x00"',
    "a date out of range": b"seed = 2020-13-45",
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("suffix", [".toml", ".json"])
def test_text_that_is_no_scenario(name: str, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"broken{suffix}"
    path.write_bytes(TEXTS[name])
    with pytest.raises(ScenarioError) as raised:
        load_scenario(path)
    line = raised.value.line
    assert line.startswith(f"{path}: ")
    assert is_one_line(line)
    assert len(line) < 500 + len(str(path))


@pytest.mark.parametrize("name", ["", ".", "no-such-scenario", "nowhere/at/all.toml", "dra-vsm",
                                  "x" * 5000, "x" * 5000 + ".toml", "a\0b.toml", "a\nb.toml",
                                  "pyproject.toml/x.toml"])  # fmt: skip
def test_paths_that_are_no_file(name: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("x = 1")
    with pytest.raises(ScenarioError) as raised:
        load_scenario(name)
    assert is_one_line(raised.value.line.replace("\0", ""))
    assert len(raised.value.line) < 6000
    if name == "dra-vsm":
        assert "did you mean 'dra-vms'" in raised.value.line


def test_a_directory(tmp_path: Path) -> None:
    folder = tmp_path / "folder.toml"
    folder.mkdir()
    with pytest.raises(ScenarioError, match="found a directory"):
        load_scenario(folder)


def test_a_file_too_large(tmp_path: Path) -> None:
    path = tmp_path / "large.toml"
    with path.open("wb") as file:
        file.truncate(50_000_000)
    with pytest.raises(ScenarioError, match="found 50000000 bytes"):
        load_scenario(path)


def test_an_unreadable_file(tmp_path: Path) -> None:
    path = tmp_path / "secret.toml"
    path.write_text("seed = 1")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user can read every file")
    with pytest.raises(ScenarioError, match="cannot be read"):
        load_scenario(path)


def test_a_file_in_an_unreadable_folder(tmp_path: Path) -> None:
    folder = tmp_path / "secret"
    folder.mkdir()
    (folder / "scenario.toml").write_text("seed = 1")
    folder.chmod(0)
    try:
        if os.access(folder, os.R_OK):
            pytest.skip("this user can read every folder")
        with pytest.raises(ScenarioError, match="cannot be read"):
            load_scenario(folder / "scenario.toml")
    finally:
        folder.chmod(0o700)


# What could hang runs in a process of its own, with more than enough time.

_READ = """
import sys
from model.errors import UserError
from model.scenario.load import load_scenario
try:
    load_scenario(sys.argv[1])
except UserError as error:
    print(error.line)
"""


def read_apart(path: Path) -> str:
    done = subprocess.run([sys.executable, "-c", _READ, str(path)], cwd=ROOT, timeout=60,
                          capture_output=True, text=True, check=True)  # fmt: skip
    return done.stdout


@pytest.mark.parametrize(
    "number", ["1e999999999", "1e-999999999", "1e9_999_999_999", "1E+9999999999"]
)
def test_exponents_that_would_fill_the_memory(number: str, tmp_path: Path) -> None:
    path = tmp_path / "scenario.toml"
    path.write_text(tomli_w.dumps(changed(("job_types", 0, "reward"), number)))
    line = read_apart(path)
    assert line.startswith(f"{path}: job_types[0].reward: found '{number}'")
    assert len(line.splitlines()) == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_files_without_an_end(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "scenario.toml"
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    assert len(read_apart(path).splitlines()) == 1


# Instance files.

TRACE: dict[str, Any] = json.loads((GOLDEN / "t02_migration.json").read_text())
INSTANCE = {key: TRACE[key] for key in ("instance", "L", "g", "variant", "cra_mode", "initial",
                                        "events")}  # fmt: skip

BROKEN_INSTANCES: dict[str, tuple[Place, Any]] = {
    "no instance": (("instance",), None),
    "no events": (("events",), None),
    "no initial state": (("initial",), None),
    "a list for the instance": (("instance",), []),
    "sizes of other lengths": (("instance", "sizes"), [[2, 1], [1]]),
    "sizes in words": (("instance", "sizes"), "abc"),
    "too few rewards": (("instance", "rewards"), [1]),
    "a negative reward": (("instance", "rewards"), [1, -1]),
    "no servers": (("L",), 0),
    "servers in words": (("L",), "three"),
    "g = 0": (("g",), "0"),
    "g in words": (("g",), "few"),
    "an unknown variant": (("variant",), "drat"),
    "an unknown mode": (("cra_mode",), "never"),
    "a variant that is a list": (("variant",), []),
    "an unknown event": (("events", 0, "ev"), "explosion"),
    "an event that is a number": (("events", 0), 5),
    "an event without a kind": (("events", 0), {"t": 1}),
    "a time in words": (("events", 2, "t"), "soon"),
    "a time that is no number": (("events", 2, "t"), NAN),
    "a time that is infinite": (("events", 2, "t"), INF),
    "a time before another": (("events", 4, "t"), -1),
    "a huge time": (("events", 0, "t"), 10**400),
    "a type that is not there": (("events", 2, "type"), 9),
    "a job that is a list": (("events", 2, "job"), [1]),
    "a departure of a job that never came": (("events", 0, "job"), "nobody"),
    "an arrival of a name in use": (("events", 2, "job"), "a0"),
    "servers that are a number": (("initial", "servers"), 3),
    "a configuration too long": (("initial", "servers", 1, "config"), [2, 1, 0]),
    "a job without a type": (("initial", "servers", 1, "jobs"), [["a1"]]),
    "an order of other servers": (("initial", "order"), [{"config": [2, 1], "servers": [0]}]),
}


@pytest.mark.parametrize("name", BROKEN_INSTANCES)
def test_broken_instances(name: str, tmp_path: Path) -> None:
    path = tmp_path / "instance.json"
    path.write_text(json.dumps(changed(*BROKEN_INSTANCES[name], INSTANCE)))
    with pytest.raises(UserError) as raised:
        Session.open(str(path), kernel=False)
    assert raised.value.line.startswith(f"{path}: "), raised.value.line
    assert is_one_line(raised.value.line)


def test_decimal_times_mean_what_is_written(tmp_path: Path) -> None:
    """0.3 - 0.1 is not 0.2 in binary; the departure still happens at 0.3."""
    data = copy.deepcopy(INSTANCE)
    data["events"] = [{"t": 0.1, "ev": "arrival", "type": 1, "job": "x"},
                      {"t": 0.3, "ev": "departure", "job": "x"}]  # fmt: skip
    path = tmp_path / "instance.json"
    path.write_text(json.dumps(data))
    (arrival,) = load_scenario(path).workload.arrivals  # type: ignore[union-attr]
    assert (str(arrival.time), str(arrival.service)) == ("1/10", "1/5")


# Fuzz: whatever stands in a file, nothing but a UserError comes out.

WORTH_TRYING = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8),
    st.sampled_from([0, -1, 1, 2**31, 2**63, 10**30, "1/3", "0/0", "1e30", "1e-30", "2 GB", "a",
                     "log", "log^9", "full", NAN, INF, "", "\u2028", "9" * 90, "１２"]),
    st.lists(st.integers(-1, 5), max_size=3),
    st.dictionaries(st.sampled_from(["a", "kind", "start", "name", "mean"]), st.integers(0, 3),
                    max_size=2),
)  # fmt: skip


def places(value: Any, here: Place = ()) -> list[Place]:
    """The places of all fields in nested tables and lists."""
    found = [here] if here else []
    items: Any = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for key, inner in items:
        found += places(inner, (*here, key))
    return found


@st.composite
def mutated(draw: st.DrawFn, data: dict[str, Any]) -> dict[str, Any]:
    """*data* with one to three fields removed, replaced, or swapped with one another."""
    result = copy.deepcopy(data)
    for _ in range(draw(st.integers(1, 3))):
        known = places(result)
        if not known:
            break
        place = draw(st.sampled_from(known))
        other: Any = result
        for part in draw(st.sampled_from(known)):
            other = other[part]
        value = draw(st.one_of(WORTH_TRYING, st.just(copy.deepcopy(other))))
        result = changed(place, value, result)
    return result


def try_out(path: Path) -> None:
    """Open and run a file; anything but a UserError fails the test."""
    try:
        session = Session.open(str(path), kernel=False)
        if session.bench.numbers.servers <= 50:
            session.run(events=5)
            session.frame()
    except UserError as error:
        assert is_one_line(error.line), error.line


def writable(data: Any) -> Any:
    """*data* as TOML can hold it: without None."""
    if isinstance(data, dict):
        return {key: writable(value) for key, value in data.items() if value is not None}
    if isinstance(data, list):
        return [writable(value) for value in data if value is not None]
    return data


#: Each example overwrites one file in the test's own folder.
FUZZ = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
LONGER = settings(FUZZ, max_examples=120)
VARIANTS = [GOOD, GOOD | {"initial": FULL}, GOOD | {"workload": SCRIPT},
            GOOD | {"servers": {"count": 2, "configurations": [[2, 1], [0, 2]]}}]  # fmt: skip


@LONGER
@given(data=st.sampled_from(VARIANTS).flatmap(mutated))
def test_mutated_scenarios(data: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "fuzz.toml"
    path.write_text(tomli_w.dumps(writable(data)), encoding="utf-8")
    try_out(path)


@LONGER
@given(data=mutated(INSTANCE))
def test_mutated_instances(data: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "fuzz.json"
    path.write_text(json.dumps(data))
    try_out(path)


@FUZZ
@given(raw=st.one_of(st.binary(max_size=80), st.text(max_size=80).map(lambda t: t.encode())),
       suffix=st.sampled_from([".toml", ".json", ""]))  # fmt: skip
@example(raw=b"\xef\xbb\xbfseed = 1", suffix=".toml")
@example(raw=b'{"instance": {"sizes": []}}', suffix=".json")
def test_random_bytes(raw: bytes, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"fuzz{suffix}"
    path.write_bytes(raw)
    with pytest.raises(ScenarioError) as raised:
        load_scenario(path)
    assert len(raised.value.line.splitlines()) == 1


@LONGER
@given(st.data())
def test_damaged_text(tmp_path: Path, data: st.DataObject) -> None:
    """A good file with bytes cut out, doubled or changed."""
    kind, text = data.draw(st.sampled_from([
        (".toml", tomli_w.dumps(GOOD).encode()), (".json", json.dumps(INSTANCE).encode()),
        (".toml", (ROOT / "resources" / "scenarios" / "dra-vms.toml").read_bytes()),
    ]))  # fmt: skip
    start = data.draw(st.integers(0, len(text)))
    end = min(len(text), start + data.draw(st.integers(0, 40)))
    put_in = data.draw(st.one_of(st.just(b""), st.just(text[start:end] * 2), st.binary(max_size=4)))
    path = tmp_path / f"fuzz{kind}"
    path.write_bytes(text[:start] + put_in + text[end:])
    try_out(path)


@given(st.recursive(WORTH_TRYING, lambda inner: st.lists(inner, max_size=3)))
def test_values_are_shown_short_and_on_one_line(value: Any) -> None:
    text = shown(value)
    assert len(text) <= 60
    assert len(text.splitlines()) <= 1
