"""``slotscope prices``: reads files and writes a scenario; each error is one line."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Callable

import pytest

from slotscope.model.scenario.load import load_scenario
from tests.kinds.reservation.test_prices import MACHINES, PRICING

Run = Callable[[str], Any]


@pytest.fixture
def slotscope(slotscope: Run, tmp_path: Path) -> Run:
    """Runs a command in a folder with the two files."""
    (tmp_path / "machinetypes.csv").write_text(MACHINES, encoding="utf-8")
    (tmp_path / "pricing.yml").write_text(PRICING, encoding="utf-8")
    return slotscope


FILES = "prices machinetypes.csv pricing.yml --region here"


def test_a_scenario_is_written_and_runs(slotscope: Run, tmp_path: Path) -> None:
    said = slotscope(f"{FILES} --family n1 n2 --server 16x64 --count 3 --out made.toml")
    assert said.code == 0
    assert said.out == "made.toml: 3 machine types, here\n"
    assert said.err.splitlines() == [
        "slotscope: n2-unsold-4 is left out: no hourly price in here",
        "slotscope: n2-old-2 is left out: deprecated",
    ]
    scenario = load_scenario(tmp_path / "made.toml")
    assert [item.name for item in scenario.job_types] == ["n2-highmem-2", "n2-standard-2", "n1-standard-1"]
    ran = slotscope("run made.toml --until 2 --warmup 0.5 --engine reference --json")
    assert ran.code == 0
    assert json.loads(ran.out)


def test_without_a_file_the_scenario_is_printed(slotscope: Run, tmp_path: Path) -> None:
    said = slotscope(f"{FILES} --family n1-standard-1 --load 0.5 --count 7")
    (tmp_path / "printed.toml").write_text(said.out, encoding="utf-8")
    scenario = load_scenario(tmp_path / "printed.toml")
    assert (said.code, said.err) == (0, "")
    assert scenario.servers.count == 7


def test_as_json(slotscope: Run) -> None:
    said = slotscope(f"{FILES} --family n1 e2 --json --out made.toml")
    found = json.loads(said.out)
    assert found["scenario"] == "made.toml"
    assert found["types"] == [{"name": "n1-standard-1", "vcpu": 1, "memory_gb": 3.75, "price_per_hour": 0.04749975}]
    assert [item["name"] for item in found["left_out"]] == ["e2-micro"]


def test_prices_with_too_many_digits_can_be_rounded(slotscope: Run, tmp_path: Path) -> None:
    fine = PRICING.replace("hour: 0.0971", "hour: 25.0105095675616")
    (tmp_path / "pricing.yml").write_text(fine, encoding="utf-8")
    said = slotscope(f"{FILES} --family n2-standard n2-highmem --out made.toml")
    assert (said.code, said.out) == (2, "")
    assert "fewer digits, for prices with --digits 6" in said.err
    assert not (tmp_path / "made.toml").exists()
    command = f"{FILES} --family n2-standard n2-highmem --out made.toml --digits 3"
    assert slotscope(command).code == 0
    scenario = load_scenario(tmp_path / "made.toml")
    assert [str(item.reward) for item in scenario.job_types] == ["131/1000", "25011/1000"]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("prices", "required"),
        ("prices machinetypes.csv pricing.yml --family n1", "--region"),
        (f"{FILES}", "--family"),
        (f"{FILES} --family x9", "no family of machine types is called 'x9'"),
        (f"{FILES} --family n1 --server 80", "--server: found '80', allowed: CPUSxGB"),
        (f"{FILES} --family n1 --server 0x4", "--server: found '0x4'"),
        (f"{FILES} --family n1 --load 0", "--load: found '0'"),
        (f"{FILES} --family n1 --load much", "--load: found 'much'"),
        (f"{FILES} --family n1 --digits 13", "--digits"),
        (f"{FILES} --family n1 --out nowhere/made.toml", "nowhere/made.toml: cannot be written"),
        ("prices absent.csv pricing.yml --region here --family n1", "absent.csv"),
        ("prices machinetypes.csv absent.yml --region here --family n1", "absent.yml"),
        ("prices machinetypes.csv . --region here --family n1", "found a directory"),
        ("prices pricing.yml machinetypes.csv --region here --family n1", "pricing.yml: row 1"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(command: str, expected: str, slotscope: Run) -> None:
    said = slotscope(command)
    assert (said.code, said.out) == (2, "")
    assert re.fullmatch(r"slotscope: [^\n]+\n", said.err)
    assert expected in said.err
