"""User policies on the command line: every command that takes ``--policy``."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from slotscope.model.policies.own import limits
from tests.conftest import besides_signs_of_life
from tests.contract.moments import SMALL
from tests.own_policies import FIRST_FIT, source, write

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ROOT / "resources" / "policies"
BAD = "if view.event + 1 >= 20:\n    {}\n" + FIRST_FIT

Command = Callable[..., Any]


def run(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the program in a separate process."""
    return subprocess.run(
        [sys.executable, str(ROOT / "main.py"), *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_run_is_repeatable(tmp_path: Path, answer: Command) -> None:
    path = write(tmp_path, source())
    command = "run dra-classroom --until 40 --seed 3 --policy"
    first = answer(command, path)
    assert first["policy"] == path
    assert first["engine"] == "reference"
    assert first == answer(command, path)
    built_in = answer(command, "first-fit", "--engine", "reference")
    assert (first["digest"], first["metrics"]) == (built_in["digest"], built_in["metrics"])


def test_two_of_them_are_compared(tmp_path: Path, slotscope: Command) -> None:
    path = write(tmp_path, source())
    said = slotscope("run dra-classroom --until 20 --json --policy", path, "--policy", "first-fit")
    assert (said.code, said.err) == (0, "")
    assert path in said.out


def test_trace_tells_every_event(tmp_path: Path, lines: Command) -> None:
    path = write(tmp_path, source())
    rows = lines("trace dra-classroom --events 12 --policy", path)
    assert len(rows) == 2 + 12


def test_verify_runs_the_reference_twice(tmp_path: Path, answer: Command) -> None:
    path = write(tmp_path, source("yield say('x')\n" + FIRST_FIT))
    said = answer("verify dra-classroom --events 150 --policy", path)
    assert (said["agree"], said["violations"], said["events"]) == (True, [], 150)
    assert said["engines"] == ["reference", "reference"]


def test_verify_finds_what_is_not_repeatable(tmp_path: Path, slotscope: Command) -> None:
    arrival = FIRST_FIT.replace("room[0]", "room[int(np.random.default_rng().integers(len(room)))]")
    path = write(tmp_path, source(arrival))
    said = slotscope("verify dra-classroom --events 300 --policy", path)
    assert said.code == 1
    assert "DISAGREE" in said.out


@pytest.mark.parametrize("name", [path.name for path in sorted(SHIPPED.glob("*.py"))])
def test_the_shipped_ones_are_sound(name: str, answer: Command) -> None:
    system = (SHIPPED / name).read_text(encoding="utf-8").partition("model.kinds.")[2].partition(".")[0]
    said = answer(f"verify {SMALL[system]} --events 400 --policy", SHIPPED / name)
    assert (said["agree"], said["violations"]) == (True, [])


def test_the_worked_example_earns_more_than_first_fit(answer: Command) -> None:
    command = "run dra-classroom --until 300 --warmup 50 --seed 1 --policy"
    kept = answer(command, f"{SHIPPED / 'keep_room.py'}:kept=4")
    first_fit = answer(command, "first-fit")
    gain = kept["metrics"]["reward_rate"]["mean"] - first_fit["metrics"]["reward_rate"]["mean"]
    assert gain > 0


def test_the_list_stays_as_it_is(tmp_path: Path, answer: Command) -> None:
    before = answer("list")
    write(tmp_path, source())
    assert answer("list") == before
    assert not any(item["name"].endswith(".py") for item in before["policies"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("if True\n", "mine.py, line 1, column 8: SyntaxError: expected ':'"),
        (source(BAD.format("x = 1 / 0")), "line 11: at event 21 (arrival of a job of type web"),
        (source(BAD.format("yield Admit(server=77)")), "server of Admit is 77, allowed: a whole"),
        (source(BAD.format("import sys; sys.exit(7)")), "it leaves the program (SystemExit)"),
        (source(BAD.format("raise KeyboardInterrupt")), "KeyboardInterrupt"),
        (source(BAD.format("view.placement[:] = 0")), "what a policy is shown cannot be changed"),
        (source(BAD.format("while True: pass")), "is this a loop without end?"),
    ],
)
def test_a_fault_is_one_line(
    tmp_path: Path, slotscope: Command, monkeypatch: pytest.MonkeyPatch, text: str, said: str
) -> None:
    monkeypatch.setattr(limits, "LIMITS", limits.LIMITS._replace(seconds=0.5))
    write(tmp_path, text)
    done = slotscope("run dra-classroom --policy mine.py --json")
    assert (done.code, done.out) == (2, "")
    assert len(done.err.splitlines()) == 1
    assert done.err.startswith("slotscope: mine.py, line ")
    assert said in done.err


def test_prints_do_not_reach_stdout(tmp_path: Path) -> None:
    write(tmp_path, "import sys\nprint('loaded')\n" + source("sys.stdout.write('asked ')\n" + FIRST_FIT))
    done = run("run", "dra-classroom", "--policy", "mine.py", "--until", "5", "--json", folder=tmp_path)
    assert done.returncode == 0
    assert json.loads(done.stdout)["policy"] == "mine.py"
    assert "loaded" in done.stderr
    assert "asked" in done.stderr


def test_a_screenshot_shows_the_own_text(tmp_path: Path) -> None:
    write(tmp_path, source())
    done = run(
        "screenshot", "dra-classroom", "--policy", "mine.py", "--event", "30", "--out", "own.png", folder=tmp_path
    )
    assert (done.returncode, besides_signs_of_life(done.stderr)) == (0, "")
    assert (tmp_path / "own.png").stat().st_size > 10_000


def test_a_file_that_is_gone(slotscope: Command) -> None:
    for command in (
        "run dra-classroom",
        "trace dra-classroom",
        "verify dra-classroom",
        "screenshot dra-classroom --event 1 --out x.png",
    ):
        said = slotscope(f"{command} --policy nowhere/mine.py")
        assert said.code == 2
        assert said.err == "slotscope: nowhere/mine.py: no such file\n"
