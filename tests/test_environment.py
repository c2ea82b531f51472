"""The program's environment: PySide6, pinned versions, the lock file, and the tests' own rules."""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import core, settings
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from PySide6.QtCore import QObject, QSettings, QStandardPaths
from PySide6.QtGui import QPen

from tests.conftest import TESTS, from_share, is_left_out

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")

VOID_CALLS = 5000
#: References to None that the interpreter itself may add or drop meanwhile.
NOISE = 50


def requirements() -> list[Requirement]:
    """The requirements in pyproject.toml, including those of the tests."""
    project = PROJECT["project"]
    lines = [*project["dependencies"], *project["optional-dependencies"]["test"]]
    return [Requirement(line) for line in lines]


def locked() -> dict[str, str]:
    """The version of each package in the lock file."""
    rows = re.findall(r"^([\w.-]+)==(\S+)", LOCK, flags=re.MULTILINE)
    return {canonicalize_name(name): version for name, version in rows}


class TestReferencesToNone:
    """PySide6 6.12 drops a reference to None in each void call, before Python 3.12.

    From Python 3.12 on None is immortal and its count never changes, whatever Qt does; there
    these tests pass for every PySide6, so the version need not be pinned.
    """

    @pytest.fixture(autouse=True)
    def _references_to_spare(self):
        # Without them a faulty PySide6 would abort the process instead of failing this test.
        spare = [None] * (4 * VOID_CALLS)
        yield
        del spare

    @pytest.mark.parametrize(
        "void_call",
        [
            pytest.param(lambda: QObject().setObjectName("a name"), id="QtCore"),
            pytest.param(lambda: QPen().setWidth(1), id="QtGui"),
        ],
    )
    def test_void_calls_keep_them(self, void_call):
        before = sys.getrefcount(None)
        for _ in range(VOID_CALLS):
            void_call()
        lost = before - sys.getrefcount(None)
        assert abs(lost) < NOISE, f"{VOID_CALLS} void calls of Qt lost {lost} references to None"


class TestPins:
    @pytest.mark.parametrize("requirement", requirements(), ids=lambda found: found.name)
    def test_installed_version_is_within_them(self, requirement):
        version = importlib.metadata.version(requirement.name)
        assert requirement.specifier.contains(version, prereleases=True)

    def test_this_python_is_within_them(self):
        version = ".".join(map(str, sys.version_info[:3]))
        assert SpecifierSet(PROJECT["project"]["requires-python"]).contains(version)

    def test_they_keep_out_the_pyside_that_aborts(self):
        pin = next(found for found in requirements() if found.name == "pyside6-essentials")
        assert not pin.specifier.contains("6.12.0")


class TestLock:
    @pytest.mark.parametrize("requirement", requirements(), ids=lambda found: found.name)
    def test_it_has_each_requirement_within_its_pin(self, requirement):
        version = locked().get(canonicalize_name(requirement.name))
        assert version is not None, f"make the lock anew: {requirement.name} is not in it"
        assert requirement.specifier.contains(version), f"make the lock anew: {version}"

    def test_each_package_has_hashes(self):
        packages = re.split(r"^(?=\w)", LOCK, flags=re.MULTILINE)[1:]
        assert [entry.split()[0] for entry in packages if "--hash=sha256:" not in entry] == []
        assert len(packages) == len(locked())

    def test_it_is_one_set_for_every_python(self):
        """Markers may leave a package out by operating system, but not by version of Python."""
        assert re.findall(r"^.*\bpython_(?:full_)?version\b.*$", LOCK, flags=re.MULTILINE) == []

    def test_it_needs_nothing_that_is_not_in_it(self):
        """The locked packages' own requirements are locked as well."""
        missing = []
        for name in locked():
            try:
                needs = importlib.metadata.requires(name) or []
            except importlib.metadata.PackageNotFoundError:
                continue  # excluded on this system by its marker
            for need in map(Requirement, needs):
                applies = need.marker is None or need.marker.evaluate({"extra": ""})
                if applies and canonicalize_name(need.name) not in locked():
                    missing.append(f"{name} needs {need.name}")
        assert missing == []


class TestReadme:
    blocks = re.findall(r"^```\w*\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)

    def test_its_first_two_code_blocks_are_one_command_each(self):
        assert [block.count("\n") for block in self.blocks[:2]] == [1, 1]

    def test_the_first_installs_the_lock_and_starts_the_program(self):
        assert "-r requirements.lock" in self.blocks[0]
        assert self.blocks[0].rstrip().endswith("/slotscope")

    def test_the_second_runs_all_tests(self):
        assert self.blocks[1].strip() == ".venv/bin/python -m pytest"


@pytest.mark.slow
class TestTheseTests:
    def test_settings_are_the_tests_own(self, own_settings):
        place = QStandardPaths.StandardLocation.AppConfigLocation
        assert QStandardPaths.writableLocation(place).startswith(str(own_settings))
        assert QSettings("slotscope", "slotscope").fileName().startswith(str(own_settings))

    def test_settings_do_not_reach_the_next_test(self, own_settings):
        kept = QSettings("slotscope", "slotscope")
        assert kept.allKeys() == []
        kept.setValue("left", 1)
        kept.sync()
        assert Path(kept.fileName()).is_relative_to(own_settings)

    def test_settings_did_not_come_from_the_previous_test(self):
        assert QSettings("slotscope", "slotscope").allKeys() == []

    def test_compiled_code_is_shared(self, own_settings):
        assert not Path(os.environ["NUMBA_CACHE_DIR"]).is_relative_to(own_settings)

    #: Each of these must fail a separate test, whose report names it.
    PLANTED: ClassVar = {
        "planted by Qt": "QtCore.qWarning('planted by Qt')",
        "planted by Python": "warnings.warn('planted by Python')",
        "ZeroDivisionError": "QtCore.QTimer.singleShot(0, lambda: 1 // 0); qtbot.wait(10)",
    }

    @pytest.mark.parametrize("workers", [0, 1])
    def test_a_warning_fails_a_test(self, workers, tmp_path):
        planted = tmp_path / "test_planted.py"
        tests = [f"def test_{number}(qtbot):\n    {body}\n" for number, body in enumerate(self.PLANTED.values())]
        planted.write_text("\n".join(["import warnings", "from PySide6 import QtCore", *tests]))
        command = [sys.executable, "-m", "pytest", "-c", ROOT / "pyproject.toml"]
        options = ["-n", str(workers), "-p", "no:cacheprovider", f"--rootdir={tmp_path}", planted]
        run = subprocess.run(command + options, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert run.returncode == 1, run.stdout + run.stderr
        assert "3 failed" in run.stdout
        for number, said in enumerate(self.PLANTED):
            _, _, told = run.stdout.partition(f"_ test_{number} _")
            assert said in told.partition(f"_ test_{number + 1} _")[0]


class TestQuickSuite:
    """The quick suite does not read files that have none of its tests."""

    @pytest.mark.parametrize(
        ("text", "left"),
        [
            ("pytestmark = pytest.mark.slow\n", True),
            ('pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm")]\n', True),
            ("@pytest.mark.slow\ndef test_one(): pass\n", False),
            ("class TestOne:\n    pytestmark = pytest.mark.slow\n", False),
            ("pytestmark = pytest.mark.slowest\n", False),
        ],
    )
    def test_a_file_is_left_out_where_all_its_tests_are_slow(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str, left: bool
    ) -> None:
        monkeypatch.setattr("tests.conftest.ROOT", tmp_path)
        (tmp_path / "test_some.py").write_text(text)
        assert is_left_out(tmp_path / "test_some.py") is left

    @pytest.mark.slow
    def test_no_other_test_goes_with_it(self, request: pytest.FixtureRequest) -> None:
        """Checked on all tests that this run collected."""
        items = request.session.items
        left = {path for path in {item.path for item in items} if is_left_out(path)}
        assert [item.nodeid for item in items if item.path in left and not item.get_closest_marker("slow")] == []


class TestShares:
    """Each worker starts its collection with other files, and all collect every file."""

    @pytest.mark.parametrize("workers", [1, 2, 3, 7, 400])
    def test_all_begin_elsewhere_and_read_everything(self, workers: int) -> None:
        files = sorted(ROOT.glob(TESTS))
        orders = [from_share(files, worker, workers) for worker in range(workers)]
        assert all(sorted(order) == files for order in orders)
        share = -(-len(files) // workers)
        assert {path for order in orders for path in order[:share]} == {*files}
        assert len({order[0] for order in orders}) == min(workers, len(files))

    def test_no_file_of_tests_is_called_otherwise(self, request: pytest.FixtureRequest) -> None:
        """The pattern TESTS matches every file that pytest finds by itself."""
        known = {*ROOT.glob(TESTS)}
        found = {path for name in request.config.getini("python_files") for path in ROOT.glob(f"tests/**/{name}")}
        assert found == known
        assert {item.path for item in request.session.items} <= known


class TestRandomExamples:
    """Each run draws new examples, and prints how to repeat them."""

    @pytest.mark.parametrize("profile", ["quick", "slow"])
    def test_no_profile_draws_the_same_for_ever(self, profile: str) -> None:
        assert not settings.get_profile(profile).derandomize

    def test_every_process_of_a_run_draws_with_its_seed(self, pytestconfig: pytest.Config) -> None:
        """The seed of the command line, which workers receive as well."""
        assert core.global_force_seed == int(pytestconfig.option.hypothesis_seed)

    @pytest.mark.slow
    def test_runs_differ(self) -> None:
        test = "TestRandomExamples::test_no_profile_draws_the_same_for_ever"
        command = [sys.executable, "-m", "pytest", f"tests/test_environment.py::{test}", "-n", "0"]
        said = [said_by(command) for _ in range(2)]
        seeds = [re.search(r"--hypothesis-seed=(\d+)", text) for text in said]
        assert len({seed[1] for seed in seeds if seed}) == 2

    def test_ci_draws_afresh_and_keeps_nothing(self) -> None:
        told = (
            "import tests.conftest, hypothesis; s = hypothesis.settings.default; "
            "print(s.database, s.derandomize, s.max_examples)"
        )
        said = said_by([sys.executable, "-c", told], CI="true")
        assert said.split() == ["None", "False", "50"]


def said_by(command: list[str], **variables: str) -> str:
    """The output of a command, which must succeed."""
    run = subprocess.run(command, env=os.environ | variables, cwd=ROOT, check=True, capture_output=True, text=True)
    return run.stdout
