"""Where the program keeps the user's files, also if the usual folder cannot be used."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path
from typing import Any, Callable

import pytest

from slotscope.model import folders
from slotscope.model.cli.guard import log_file
from slotscope.model.folders import (
    home_folder,
    may_be_made,
    own_temporary_folder,
    user_folder,
    without_tilde,
    working_folder,
)
from slotscope.model.jit import cache_folder
from slotscope.model.policies.own.trust import record


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which temporary folders are made during the test."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(folders, "own_temporary_folder", own_temporary_folder.__wrapped__)
    monkeypatch.setattr("slotscope.model.jit.own_temporary_folder", own_temporary_folder.__wrapped__)
    for variable in ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    return tmp_path


def close_to_writers(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make *folder* unwritable, also for root."""
    may = os.access
    monkeypatch.setattr(
        os, "access", lambda path, mode: may(path, mode) and not (mode & os.W_OK and Path(path) == folder)
    )


def test_a_folder_that_the_environment_names_comes_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert user_folder("XDG_DATA_HOME", ".local", "share") == tmp_path / "slotscope"
    monkeypatch.setenv("XDG_DATA_HOME", "")
    assert user_folder("XDG_DATA_HOME", ".local", "share") == Path.home() / ".local" / "share" / "slotscope"


def test_whoever_has_no_home_has_a_folder_of_ones_own(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", none)
    mine = home_folder()
    assert mine.parent == temporary
    assert {place.relative_to(mine).name for place in (log_file(), record(), cache_folder())} == {
        "errors.log",
        "allowed-policies.txt",
        "compiled",
    }


def test_where_the_home_cannot_be_written_code_comes_from_a_folder_of_ones_own(temporary: Path) -> None:
    """Anyone who can write to the folder of compiled code can make the program run code of theirs."""
    folder = own_temporary_folder.__wrapped__
    mine = Path(folder())
    assert mine.parent == temporary
    assert stat.S_IMODE(mine.stat().st_mode) == 0o700
    assert folder() == str(mine)
    mine.chmod(0o777)  # another user's, or open to all
    other = Path(folder())
    assert other != mine
    assert stat.S_IMODE(other.stat().st_mode) == 0o700


@pytest.mark.parametrize("blocked", [".cache", ".cache/slotscope", ".cache/slotscope/compiled"])
def test_a_cache_that_somebody_else_made_is_not_where_code_is_kept(
    temporary: Path, monkeypatch: pytest.MonkeyPatch, blocked: str
) -> None:
    """As root leaves it after running the program with this user's home."""
    home = temporary / "home"
    (home / blocked).mkdir(parents=True)
    monkeypatch.setattr(Path, "home", lambda: home)
    assert cache_folder() == home / ".cache" / "slotscope" / "compiled"
    close_to_writers(home / blocked, monkeypatch)
    assert home not in cache_folder().parents


def test_a_folder_below_a_file_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert may_be_made(tmp_path / "new" / "newer")
    assert not may_be_made(tmp_path / "file" / "newer")


def test_a_tilde_of_nobody_is_left_as_it_is() -> None:
    assert without_tilde("~/results") == Path.home() / "results"
    assert without_tilde("~nobody-of-this-name/results") == Path("~nobody-of-this-name/results")


def test_files_go_home_where_the_program_was_started_in_a_folder_of_no_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert working_folder() == Path.cwd()
    with monkeypatch.context() as closed:
        close_to_writers(tmp_path, closed)
        assert working_folder() == Path.home()
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert working_folder() == Path.home()


def test_a_command_says_that_its_folder_is_gone(
    slotscope: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    said = slotscope("export dra-classroom --events 20 --to events.csv")
    assert said.code == 2
    assert "slotscope: the folder in which this was started is gone, change to another one: " in said.err


@pytest.mark.skipif(os.name == "nt", reason="links need a right of their own")
def test_links_that_lead_in_a_circle_are_told_or_replaced(slotscope: Callable[..., Any], tmp_path: Path) -> None:
    for name, other in (("a.py", "b.py"), ("b.py", "a.py"), ("a.csv", "b.csv"), ("b.csv", "a.csv")):
        (tmp_path / name).symlink_to(tmp_path / other)
    said = slotscope("run dra-classroom --until 5 --policy a.py")
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert said.err.startswith("slotscope: a.py: cannot be read: ")
    assert slotscope("export dra-classroom --events 3 --to a.csv").code == 0
    assert (tmp_path / "a.csv").read_text().startswith("event,")
