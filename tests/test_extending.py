"""The help page on extending the program, followed in a copy of the program."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.rules import (
    panels_do_not_know_each_other,
    panels_know_neither_the_simulation_nor_the_window,
    policies_say_what_they_implement,
    rooms_do_not_know_each_other,
    what_rooms_share_knows_no_room,
)

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "resources" / "help" / "extending.md").read_text(encoding="utf-8")

NEW_FILE = re.compile(r"Write `([^`]+)`:\n\n```python\n(.*?)```", re.DOTALL)
NEW_LINE = re.compile(r"In `([^`]+)`, below\s+`(.+?)`:\n\n```text\n(.*?)\n```", re.DOTALL)


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the program with all additions of the page."""
    root = tmp_path_factory.mktemp("extended")
    for name in ("model", "gui", "resources"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, root / name, ignore=ignored)
    shutil.copy(ROOT / "main.py", root)
    shutil.copytree(ROOT / ".installed", root / ".installed", symlinks=True)
    for path, text in NEW_FILE.findall(PAGE):
        assert not (root / path).exists()
        (root / path).write_text(text, encoding="utf-8")
    for path, anchor, line in NEW_LINE.findall(PAGE):
        lines = (root / path).read_text(encoding="utf-8").splitlines()
        (place,) = [number for number, known in enumerate(lines) if known.strip() == anchor]
        indent = lines[place][: -len(lines[place].lstrip())]
        lines.insert(place + 1, indent + line)
        (root / path).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return root


def run(root: Path, *words: str) -> str:
    """The output of a command of the copy; its kernels run uncompiled."""
    environment = os.environ | {"PYTHONPATH": str(root / ".installed"), "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "main.py", *words],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def printed(extended: Path) -> dict[str, str]:
    """The output of each command of the page."""
    commands = re.findall(r"^slotscope (.+)$", PAGE, flags=re.MULTILINE)
    return {command: run(extended, *command.split()) for command in commands}


def test_the_page_says_what_to_write_where() -> None:
    assert [path for path, _ in NEW_FILE.findall(PAGE)] == [
        "model/kinds/reservation/policies/worst_fit.py",
        "gui/kinds/reservation/fullness.py",
    ]
    assert len(NEW_LINE.findall(PAGE)) == 2


def test_every_command_of_the_page_runs(printed: dict[str, str]) -> None:
    assert len(printed) == 4
    assert all(printed.values())


def test_the_policy_meets_the_same_jobs_and_decides_otherwise(extended: Path) -> None:
    told = {
        policy: json.loads(run(extended, "run", "dra-classroom", "--policy", policy, "--until", "50", "--json"))
        for policy in ("worst-fit", "best-fit")
    }
    assert told["worst-fit"]["policy"] == "worst-fit"
    assert told["worst-fit"]["digest"] != told["best-fit"]["digest"]
    met = {
        name: sum(numbers["metrics"][key]["mean"] for key in ("admitted", "rejected")) for name, numbers in told.items()
    }
    assert met["worst-fit"] == met["best-fit"] > 0


def test_the_panel_is_a_picture_with_something_in_it(extended: Path, printed: dict[str, str]) -> None:
    from PySide6.QtGui import QImage

    assert any("--panel fullness --out fullness.png" in command for command in printed)
    image = QImage(str(extended / "fullness.png"))
    colours = {image.pixel(x, y) for x in range(0, image.width(), 2) for y in range(0, min(60, image.height()), 2)}
    assert len(colours) > 10


@pytest.mark.parametrize(
    "rule",
    [
        panels_do_not_know_each_other,
        panels_know_neither_the_simulation_nor_the_window,
        policies_say_what_they_implement,
        rooms_do_not_know_each_other,
        what_rooms_share_knows_no_room,
    ],
    ids=lambda rule: rule.__name__,
)
def test_what_the_page_adds_keeps_the_rules(extended: Path, rule) -> None:
    assert rule(extended) == []
