"""Files that are not scenarios, and broken instance files: one line each, and none hangs the program."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from slotscope.model.api import Session
from slotscope.model.errors import ScenarioError
from slotscope.model.scenario.files import scenario_files
from slotscope.model.scenario.load import load_scenario, title_in
from tests.breaking import INSTANCE, changed, check_file, is_one_line

ROOT = Path(__file__).parents[2]
NAN, INF = float("nan"), float("inf")


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


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "no-such-scenario",
        "nowhere/at/all.toml",
        "dra-vsm",
        "x" * 5000,
        "x" * 5000 + ".toml",
        "a\0b.toml",
        "a\nb.toml",
        "pyproject.toml/x.toml",
    ],
)
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


# Reading what could hang, in a separate process with a generous timeout.

_READ = """
import sys
from slotscope.model.errors import UserError
from slotscope.model.scenario.files import scenario_files
from slotscope.model.scenario.load import load_scenario, title_in
try:
    load_scenario(sys.argv[1])
except UserError as error:
    print(error.line)
"""


def read_apart(path: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", _READ, str(path)], cwd=ROOT, timeout=60, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.parametrize("number", ["1e999999999", "1e-999999999", "1e9_999_999_999", "1E+9999999999"])
def test_exponents_that_would_fill_the_memory(number: str, tmp_path: Path) -> None:
    path = tmp_path / "scenario.toml"
    path.write_text(tomli_w.dumps(changed("job_types[0].reward", number)))
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


BROKEN_INSTANCES: dict[str, tuple[str, Any]] = {
    "no instance": ("instance", None),
    "no events": ("events", None),
    "no initial state": ("initial", None),
    "a list for the instance": ("instance", []),
    "sizes of other lengths": ("instance.sizes", [[2, 1], [1]]),
    "sizes in words": ("instance.sizes", "abc"),
    "too few rewards": ("instance.rewards", [1]),
    "a negative reward": ("instance.rewards", [1, -1]),
    "no servers": ("L", 0),
    "servers in words": ("L", "three"),
    "g = 0": ("g", "0"),
    "g in words": ("g", "few"),
    "an unknown variant": ("variant", "drat"),
    "an unknown mode": ("cra_mode", "never"),
    "a variant that is a list": ("variant", []),
    "an unknown event": ("events[0].ev", "explosion"),
    "an event that is a number": ("events[0]", 5),
    "an event without a kind": ("events[0]", {"t": 1}),
    "a time in words": ("events[2].t", "soon"),
    "a time that is no number": ("events[2].t", NAN),
    "a time that is infinite": ("events[2].t", INF),
    "a time before another": ("events[4].t", -1),
    "a huge time": ("events[0].t", 10**400),
    "a type that is not there": ("events[2].type", 9),
    "a job that is a list": ("events[2].job", [1]),
    "a departure of a job that never came": ("events[0].job", "nobody"),
    "an arrival of a name in use": ("events[2].job", "a0"),
    "servers that are a number": ("initial.servers", 3),
    "a configuration too long": ("initial.servers[1].config", [2, 1, 0]),
    "a job without a type": ("initial.servers[1].jobs", [["a1"]]),
    "an order of other servers": ("initial.order", [{"config": [2, 1], "servers": [0]}]),
}


@pytest.mark.parametrize("name", BROKEN_INSTANCES)
def test_broken_instances(name: str, tmp_path: Path) -> None:
    text = json.dumps(changed(*BROKEN_INSTANCES[name], INSTANCE))
    check_file(lambda path: Session.open(str(path), kernel=False), tmp_path / "instance.json", text, "")


def test_decimal_times_mean_what_is_written(tmp_path: Path) -> None:
    """In binary 0.3 - 0.1 is not 0.2; the departure must still happen at 0.3."""
    data = copy.deepcopy(INSTANCE)
    data["events"] = [{"t": 0.1, "ev": "arrival", "type": 1, "job": "x"}, {"t": 0.3, "ev": "departure", "job": "x"}]
    path = tmp_path / "instance.json"
    path.write_text(json.dumps(data))
    (arrival,) = load_scenario(path).workload.arrivals  # type: ignore[union-attr]
    assert (str(arrival.time), str(arrival.service)) == ("1/10", "1/5")


def test_titles_are_read_before_the_tables_of_every_file_that_ships() -> None:
    for path in (*scenario_files().values(), *(ROOT / "resources" / "lessons").rglob("*.toml")):
        text = path.read_text("utf-8")
        assert title_in(text) == tomllib.loads(text).get("title", "")


def test_a_bracket_in_a_list_or_a_sentence_begins_no_table() -> None:
    text = 'paper = """\n[1] Here\n"""\ncounts = [\n[1, 2],\n]\ntitle = "Mine"\n[servers]\ntitle = "Not mine"\n'
    assert title_in(text) == "Mine"
    assert title_in('title = "Mine"\n[servers]\ncount = ?') == "Mine"  # the fault is reported when it is opened
    assert title_in("[servers]\ntitle = 'Not mine'") == ""


@pytest.mark.parametrize("name", ["dra-classroom", "queues-classroom", "jrs-classroom", "moldable-classroom"])
def test_a_file_as_editors_of_windows_save_it_is_the_same(name: str, tmp_path: Path) -> None:
    path = tmp_path / "über mich.toml"
    text = scenario_files()[name].read_text("utf-8")
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert load_scenario(path) == load_scenario(name)
    instance = tmp_path / "instance.json"
    instance.write_bytes(b"\xef\xbb\xbf" + json.dumps(INSTANCE).encode())
    load_scenario(instance)
