"""The environment of every test: no screen, no settings of the user's, and no warning that is not an error."""

from __future__ import annotations

import gc
import json
import os
import re
import secrets
import shlex
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import Phase, settings

from slotscope.gui.platform import check_platform
from slotscope.gui.running.warming import warm_in_background
from slotscope.model.jit import cache_folder
from slotscope.model.kinds.spec import KINDS
from tests.limits import be_patient, pytest_exception_interact, pytest_timeout_set_timer

__all__ = ["pytest_exception_interact", "pytest_timeout_set_timer"]  # hooks

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "tests" / "golden"
SHARED_TRACES = ROOT.parent / "shared" / "traces"

# An explicit choice, such as xcb on a virtual screen, is respected.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# Each test has its own cache folders, but all share the compiled code.
COMPILED = cache_folder()
os.environ.setdefault("NUMBA_CACHE_DIR", str(COMPILED))
# Python writes its bytecode even if told not to: otherwise workers, and each program that tests start,
# would compile the same hundreds of modules again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# There is a worker for each core, and one more, so libraries use one thread.
for _library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

# New examples in each run, also where Hypothesis's default is always the same ones.
# Shrinking a failure takes five minutes at most; the phase that explains it has no limit, and is left out.
_PHASES = [phase for phase in Phase if phase is not Phase.explain]
_FRESH: dict[str, Any] = {"derandomize": False, "deadline": None, "phases": _PHASES, "print_blob": True}
if os.environ.get("CI"):
    _FRESH["database"] = None
settings.register_profile("quick", max_examples=20, **_FRESH)
settings.register_profile("slow", max_examples=50, **_FRESH)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "slow" if os.environ.get("CI") else "quick"))

#: Thresholds of the garbage collector: Python's own, and practically never.
THRESHOLDS = gc.get_threshold()
NEVER = (2**30, 2**30, 2**30)

#: The pattern of the suite's files.
TESTS = "tests/**/test_*.py"

#: The key under which workers receive the seed of the random examples.
SEED = "hypothesis_seed"

_homes = count()


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Report a system package that Qt lacks before Qt is imported and aborts; set up signals, collector and seed."""
    platform = check_platform(os.environ)
    if platform.problem:
        raise pytest.UsageError(platform.problem)
    from slotscope.gui.window.application import leave_sources_unread  # late: it imports Qt

    leave_sources_unread()  # else each module's source is kept, 70 MB in each worker
    # Workers would find no tests, and report nothing.
    if missing := [name for name in config.args if not Path(name.partition("::")[0]).exists()]:
        raise pytest.UsageError(f"found no file or folder '{missing[0]}'")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # Shells start background jobs so; programs that tests start would ignore Ctrl+C, too.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.disable()
    be_patient()
    if config.option.hypothesis_seed is None:
        of_the_run = getattr(config, "workerinput", {}).get(SEED)
        config.option.hypothesis_seed = of_the_run or str(secrets.randbelow(2**32))
    if config.getoption("numprocesses") and config.args_source is config.ArgsSource.TESTPATHS:
        _compile_first()


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Each worker starts with other files, so that each file's assertions are rewritten by one worker for all.

    In a fresh clone rewriting takes twice as long as the rest of the collection.
    """
    config = session.config
    if not hasattr(config, "workerinput") or config.args_source is not config.ArgsSource.TESTPATHS:
        return
    files = [path for path in sorted(ROOT.glob(TESTS)) if not pytest_ignore_collect(path, config)]
    worker, workers = config.workerinput["workerid"], config.workerinput["workercount"]
    config.args[:] = map(str, from_share(files, int(worker.removeprefix("gw")), workers))


def from_share(files: list[Path], worker: int, workers: int) -> list[Path]:
    """All files, starting with the share of *worker*, which counts from 0."""
    first = len(files) * worker // workers
    return files[first:] + files[:first]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Give each worker the run's seed for its examples."""
    node.workerinput[SEED] = node.config.option.hypothesis_seed


def pytest_sessionstart(session: pytest.Session) -> None:
    """Print the option that repeats the examples; not in the header, which quiet runs omit."""
    if reporter := session.config.pluginmanager.get_plugin("terminalreporter"):
        _tell_seed(reporter)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """After failures print the option again, because the first line is far above."""
    if {"failed", "error"} & {*terminalreporter.stats}:
        _tell_seed(terminalreporter)


def _tell_seed(reporter: pytest.TerminalReporter) -> None:
    seed = reporter.config.option.hypothesis_seed
    reporter.write_line(f"random examples: --hypothesis-seed={seed} draws the same")


#: Left to the whole suite: films and pages, and each room's theory and panels, which contracts test briefly.
_LEFT_OUT = re.compile("tests/(footage|kinds/[a-z]+/(gui|theory))/")
#: The line of a file all of whose tests are left to the whole suite as well.
_ALL_SLOW = re.compile(r"^pytestmark = .*\bpytest\.mark\.slow\b", re.MULTILINE)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not read the files that the quick suite leaves out: each worker would import them all."""
    return True if config.option.markexpr == "not slow" and is_left_out(collection_path) else None


def is_left_out(path: Path) -> bool:
    """Whether all tests of a folder or file run only in the whole suite."""
    marked = path.suffix == ".py" and _ALL_SLOW.search(path.read_text(encoding="utf-8"))
    return bool(marked or _LEFT_OUT.match(_in_clone(path)))


def _in_clone(folder: Path) -> str:
    return f"{folder.relative_to(ROOT).as_posix()}/"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put files with long tests first, so that no worker is left with one at the end.

    Tests of the window keep their order, in which widgets are made and destroyed.
    """
    items.sort(key=lambda item: item.path)  # the same order in each worker, see pytest_collection
    for item in items:
        if _LEFT_OUT.match(item.nodeid):
            item.add_marker(pytest.mark.slow)
    long = Counter(item.path for item in items if item.get_closest_marker("slow"))
    items.sort(key=lambda item: 0 if _is_of_the_window(item.nodeid) else -long[item.path])


def _compile_first() -> None:
    """Compile the kernels before workers start and wait for each other; each core compiles those of one kind."""
    with ThreadPoolExecutor(os.cpu_count()) as cores:
        assert not any(cores.map(_compile_kind, KINDS))


def _compile_kind(system: str) -> int:
    """The exit status of the process that compiles a kind's kernels; 0 if none is needed."""
    process = warm_in_background(system)
    if process is None:
        return 0
    with process:
        return process.wait()


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """No workers, which take seconds to start, if only files are named; else one more than there are cores.

    Tests wait for a sixth of the time: for threads, for processes, and to see that something does not happen.
    """
    only_files = all(Path(argument.split("::")[0]).is_file() for argument in config.args)
    return 0 if only_files else (os.cpu_count() or 1) + 1


def pytest_collection_finish() -> None:
    """Exempt the collected tests, which live to the end, from garbage collection."""
    gc.freeze()


def _is_of_the_window(nodeid: str) -> bool:
    return "/gui/" in nodeid.partition("::")[0]


def _makes_widgets(nodeid: str) -> bool:
    return _is_of_the_window(nodeid) or nodeid.startswith(("tests/bench/", "tests/contract/"))


def pytest_runtest_logstart(nodeid: str) -> None:
    """Switch garbage collection off in tests that make widgets, see :func:`pytest_runtest_logfinish`."""
    gc.set_threshold(*(NEVER if _makes_widgets(nodeid) else THRESHOLDS))


def pytest_runtest_logfinish(nodeid: str) -> None:
    """Collect garbage here, between tests: in a run's thread the collector would destroy widgets.

    Windows closed by a test are destroyed now: until the module's end they would take memory and follow each change
    of style.  Remaining objects are exempt from collection for good: Qt destroys a scene with all its items at once,
    and Python's collector, in whatever order it finds the rest, might destroy some of them again.
    """
    from slotscope.gui.window.application import collect_due  # late: it imports Qt

    if _makes_widgets(nodeid):
        from tests.gui.clearing import destroy_what_is_due, put_aside

        destroy_what_is_due()
        put_aside()
    else:
        collect_due()


@pytest.fixture(autouse=True)
def own_settings(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for the test's own settings, caches and data, so that it never uses the user's."""
    home = tmp_path_factory.getbasetemp() / "homes" / str(next(_homes))
    for name in ("config", "cache", "data", "state"):
        monkeypatch.setenv(f"XDG_{name.upper()}_HOME", str(home / name))
    (home / "cache" / "slotscope").mkdir(parents=True)
    (home / "cache" / "slotscope" / "compiled").symlink_to(COMPILED)
    if core := sys.modules.get("PySide6.QtCore"):
        # Qt reads these variables only once in a process.
        for kind in (core.QSettings.Format.NativeFormat, core.QSettings.Format.IniFormat):
            core.QSettings.setPath(kind, core.QSettings.Scope.UserScope, str(home / "config"))
    return home


@pytest.fixture
def tmp_path(tmp_path: Path) -> Path:
    """The test's folder, with a blank in its path as many users have: no command may be split there."""
    folder = tmp_path / "a folder"
    folder.mkdir()
    return folder


def _application() -> Any:
    """Qt's application; None if there is none."""
    widgets = sys.modules.get("PySide6.QtWidgets")
    found = widgets.QApplication.instance() if widgets else None
    return found if widgets and isinstance(found, widgets.QApplication) else None


@pytest.fixture(scope="module", autouse=True)
def usual_looks() -> Iterator[None]:
    """Reset widgets, stylesheet, palette and font after each module."""
    there = _application()
    font = there.font() if there else None
    yield
    application = _application()
    if application is None:
        return
    from PySide6.QtGui import QFontDatabase, QPalette

    from tests.gui.clearing import clear_away

    clear_away()
    application.setStyleSheet("")
    application.setPalette(QPalette())
    # There was no earlier font if the module itself made the application.
    application.setFont(font or QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont))


@pytest.fixture(scope="session")
def warm() -> None:
    """Compile everything before the first window opens, as on a second start."""
    _compile_first()


@pytest.fixture(scope="session")
def golden() -> Callable[[str], Path]:
    """A function that returns the path of a golden file."""

    def path(name: str) -> Path:
        found = GOLDEN / name
        assert found.exists(), f"no golden file {name} in {GOLDEN}"
        return found

    return path


@pytest.fixture(scope="session")
def shared_traces() -> Path:
    """The folder of real workload traces, which are too large for the repository."""
    if not SHARED_TRACES.is_dir():
        pytest.skip(f"the real traces are not on this machine: no folder {SHARED_TRACES}")
    return SHARED_TRACES


@pytest.fixture
def slotscope(capsys, monkeypatch, tmp_path):
    """A function that runs a command in this process and returns (code, stdout, stderr).

    The first argument is split into words as by a shell; further ones, such as paths, are single words.
    """
    monkeypatch.chdir(tmp_path)

    from slotscope import __main__ as main

    def run(command: str, *words: str | Path):
        code = main.main([*shlex.split(command), *map(str, words)])
        said = capsys.readouterr()
        return SimpleNamespace(code=code, out=said.out, err=said.err)

    return run


def besides_signs_of_life(errors: str) -> str:
    """A command's messages without progress and durations, which may appear anywhere on a busy machine."""
    return re.sub(r".*\b(Ctrl\+C stops it\)?|were projected after the first two parts)\n", "", errors)


@pytest.fixture
def answer(slotscope):
    """A function that runs a command, which must succeed silently, and returns its JSON."""

    def run(command: str, *words: str | Path):
        said = slotscope(command, *words, "--json")
        assert (said.code, besides_signs_of_life(said.err)) == (0, "")
        assert said.out.count("\n") == 1
        return json.loads(said.out)

    return run


@pytest.fixture
def lines(slotscope):
    """Like *answer*, for commands that print one JSON object per line."""

    def run(command: str, *words: str | Path):
        said = slotscope(command, *words, "--json")
        assert (said.code, besides_signs_of_life(said.err)) == (0, "")
        return [json.loads(line) for line in said.out.splitlines()]

    return run
