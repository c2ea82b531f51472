"""The kernel of a user policy is compiled while the run continues with its reference."""

from __future__ import annotations

from pathlib import Path
from threading import Event
from time import sleep

import pytest

from slotscope.gui.running import warming
from slotscope.gui.running.warming import Warming
from slotscope.model.api import Session
from slotscope.model.errors import PolicyError
from slotscope.model.running.assembly import Bench
from tests.own_policies import write

EXAMPLE = Path(__file__).resolve().parents[2] / "resources" / "policies" / "half_compiled.py"


def loaded(path: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Warming, Session]:
    """A warming that only compiles the kernel of this policy, and the session."""
    monkeypatch.setattr(warming, "warm_in_background", lambda *_: None)
    session = Session.open("moldable-classroom", path, kernel=False)
    found = Warming()
    found.want(session.bench.kind, [session.bench])
    assert found.wanted
    return found, session


def rest(found: Warming) -> None:
    """Wait until the kernel is compiled."""
    while not found.ready():
        sleep(0.01)


@pytest.mark.slow
def test_the_kernel_of_a_file_gets_ready_aside(monkeypatch: pytest.MonkeyPatch) -> None:
    go_on, prepare = Event(), Bench.prepare
    monkeypatch.setattr(Bench, "prepare", lambda bench: (go_on.wait(), prepare(bench)))
    found, session = loaded(str(EXAMPLE), monkeypatch)
    for _ in range(2):
        assert not found.ready()
    assert found.text == "compiling the policy's kernel"
    go_on.set()
    rest(found)
    assert (found.text, found.wanted, found.failed) == ("", False, False)
    assert session.use_kernel()


def test_a_kernel_that_cannot_be_compiled_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = EXAMPLE.read_text(encoding="utf-8").replace("return min(", "return nix(")
    found, _ = loaded(write(tmp_path, text), monkeypatch)
    with pytest.raises(PolicyError, match="cannot compile the kernel: NameError: name 'nix' is not defined"):
        rest(found)
    assert (found.text, found.wanted) == ("", False)
    assert not found.ready()


def test_the_window_reads_no_sources_where_nothing_was_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    monkeypatch.setattr(warming, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(warming, "source_meaning", lambda: read.append("") or "now")
    assert not warming.is_warm("queue") and not read
    (tmp_path / "complete-queue-before").touch()
    assert not warming.is_warm("queue") and read
    (tmp_path / "complete-queue-now").touch()
    assert warming.is_warm("queue") and not warming.is_warm("phases")
