"""The wheel runs outside the clone: a single package that contains its scenarios and its manual."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the clone's present files."""
    folder = tmp_path_factory.mktemp("wheel")
    clone = folder / "clone"
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in listed.stdout.splitlines():
        if not (ROOT / name).exists():
            continue
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_symlink():
            (clone / name).symlink_to((ROOT / name).readlink())
        else:
            (clone / name).write_bytes((ROOT / name).read_bytes())
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", folder, clone]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a fresh environment with the wheel; its dependencies come from the present environment."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    site = Path(_said(python, "import sysconfig; print(sysconfig.get_path('purelib'))", folder))
    options = ["-q", "--no-deps", "--no-index", "--no-compile", "--target"]  # modules are compiled when first imported
    command = [sys.executable, "-m", "pip", "install", *options, site, wheel]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    others = [path for path in sys.path if Path(path).name == "site-packages"]
    (site / "others.pth").write_text("\n".join(others) + "\n", encoding="utf-8")
    return python


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Path]:
    """A folder from which nothing of the clone can be imported."""
    assert ROOT not in tmp_path.parents
    yield tmp_path


def _said(python: Path, code: str, folder: Path) -> str:
    return _run(folder, str(python), "-c", code).strip()


def _run(folder: Path, *command: str) -> str:
    environment = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "DISPLAY"}}
    environment |= {"NUMBA_DISABLE_JIT": "1", "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_holds_one_package_with_all_that_belongs_to_it(wheel: Path) -> None:
    names = ZipFile(wheel).namelist()
    assert {name.partition("/")[0] for name in names if ".dist-info" not in name} == {"slotscope"}
    for folder in ("model", "gui", "resources"):
        files = {
            path.relative_to(ROOT).as_posix()
            for path in (ROOT / folder).rglob("*")
            if path.is_file() and "__pycache__" not in path.parts and "library" not in path.parts
        }
        inside = {name.removeprefix("slotscope/") for name in names if name.startswith(f"slotscope/{folder}/")}
        assert inside == files
    library = {path.name for path in (ROOT / "gui/library").glob("*.py")}
    assert {name.removeprefix("slotscope/") for name in names if name.count("/") == 1} >= library | {"py.typed"}
    assert len(names) == len(set(names))


def test_the_links_lay_the_folders_out_as_they_are_installed() -> None:
    # Imports from there, as by a rule's test, leave a __pycache__.
    there = [path for path in (ROOT / ".installed/slotscope").iterdir() if path.name != "__pycache__"]
    layout = {path.name: path.readlink().as_posix() for path in there}
    library = {path.name: f"../../gui/library/{path.name}" for path in (ROOT / "gui/library").glob("*.py")}
    assert layout == library | {"model": "../../model", "gui": "../../gui"}


def test_nothing_else_can_be_imported(installed: Path, elsewhere: Path) -> None:
    code = (
        "from importlib.util import find_spec as find; import slotscope;"
        "print(slotscope.__file__, [find(name) is None for name in ('main', 'model', 'gui', 'resources')])"
    )
    said = _said(installed, code, elsewhere)
    assert str(installed.parents[1]) in said
    assert said.endswith("[True, True, True, True]")


def test_its_command_runs_elsewhere(installed: Path, elsewhere: Path) -> None:
    program = [str(installed), "-m", "slotscope"]
    assert "dra-classroom" in _run(elsewhere, *program, "list")
    found = json.loads(_run(elsewhere, *program, "run", "dra-classroom", "--until", "20", "--seed", "3", "--json"))
    assert found["policy"] == "dra"
    assert found["events"] > 10
    picture = _run(elsewhere, *program, "screenshot", "dra-classroom", "--event", "12", "--out", "window.png")
    assert (elsewhere / picture.strip()).stat().st_size > 20_000


def test_its_library_runs_elsewhere(installed: Path, elsewhere: Path) -> None:
    code = (
        "import slotscope; run = slotscope.open('moldable-classroom').run(events=30);"
        "print(len(run.events()), len(run.ask('blocked')), '<svg' in run.show().svg)"
    )
    events, _, drawn = _said(installed, code, elsewhere).split()
    assert (events, drawn) == ("30", "True")


def test_a_script_is_checked_against_its_types(installed: Path, elsewhere: Path) -> None:
    script = elsewhere / "use.py"
    script.write_text(
        "import slotscope\n"
        "run: slotscope.Run = slotscope.open('dra-classroom', policy='dra', seed=4).run(events=20)\n"
        "mean = float(run.events()['time'].mean())\n"
        "found: slotscope.PolicyMeasures = slotscope.compare('dra-classroom', ['dra'], until='soon')\n"
        "run.event.foo\n"
    )
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", "cache", "--python-executable", installed]
    done = subprocess.run([*command, script], cwd=elsewhere, capture_output=True, text=True, timeout=300, check=False)
    said = [line.partition(": ")[2] for line in done.stdout.splitlines()]
    assert said[:2] == [
        'error: Argument "until" to "compare" has incompatible type "str"; expected "float | None"  [arg-type]',
        'error: "int" has no attribute "foo"  [attr-defined]',
    ], done.stdout
    assert len(said) == 3
