"""What is said of work that takes long: how far it is, how long it will take, how it is stopped."""

from __future__ import annotations

import sys

import pytest

from model.cli import output
from model.cli.output import Progress, duration


class Clock:
    """A clock that is set by hand."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(output, "monotonic", found)
    return found


def test_without_a_terminal_long_work_gives_a_sign_of_life(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line once it is known to take long, then one a minute; none of it on stdout."""
    progress = Progress("run x", quiet=True)
    for second in range(131):
        clock.now = 100.0 + second
        progress(second, 100_000)
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.splitlines() == [
        "slotscope: run x: 0.01%, about 28 h left; Ctrl+C stops it",
        "slotscope: run x: 0.07%, about 28 h left; Ctrl+C stops it",
        "slotscope: run x: 0.13%, about 28 h left; Ctrl+C stops it",
    ]


def test_of_short_work_nothing_is_said(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress("run x")
    for second in range(15):
        clock.now = 100.0 + second
        progress(second, 15)
    assert capsys.readouterr().err == ""


def test_on_a_terminal_the_line_tells_what_is_left(
    clock: Clock, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    progress = Progress("run x")
    for second in range(3):
        clock.now = 100.0 + second
        progress(second, 300)
    assert capsys.readouterr().err.endswith("run x: 1%, about 5 min left")


@pytest.mark.parametrize(("seconds", "text"), [
    (0.2, "1 s"), (100, "100 s"), (125, "2 min"), (3 * 86400, "3 days"), (1e12, "31,710 years"),
])  # fmt: skip
def test_lengths_of_time(seconds: float, text: str) -> None:
    assert duration(seconds) == text
