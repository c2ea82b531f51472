"""Progress of long work: how far it is, how long it will take, how it is stopped."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from slotscope.model.api import Session
from slotscope.model.cli import output
from slotscope.model.cli.output import Progress, duration
from slotscope.model.running import engine
from slotscope.model.running import waiting as waiting_module
from slotscope.model.running.engine import Task
from slotscope.model.running.waiting import GivenUpError, waiting, who_waits
from slotscope.model.scenario.load import write_scenario
from tests.kinds.phases.scenarios import many_configurations


class Clock:
    """A clock that tests set."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(output, "monotonic", found)
    return found


def test_without_a_terminal_long_work_gives_a_sign_of_life(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    """One line once the work is known to take long, then one a minute; nothing on stdout."""
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


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.2, "1 s"), (100, "100 s"), (125, "2 min"), (3 * 86400, "3 days"), (1e12, "31,710 years")]
)
def test_lengths_of_time(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_what_cannot_be_counted_gives_signs_of_life_too(
    clock: Clock, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("slotscope.model.running.waiting.PERIOD", 0.0)
    with output.progress_of("bounds x", quiet=True):
        for second in range(80):
            clock.now = 100.0 + second
            who_waits().tell(f"{second} steps")
    assert capsys.readouterr().err.splitlines() == [
        "slotscope: bounds x: 10 steps (Ctrl+C stops it)",
        "slotscope: bounds x: 70 steps (Ctrl+C stops it)",
    ]


@pytest.mark.parametrize("scenario", ["dra-classroom", "jrs-classroom", "moldable-classroom", "queues-classroom"])
def test_bounds_tell_how_far_they_are(slotscope: Any, scenario: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal, in a line that is cleared before anything else is printed."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr("slotscope.model.running.waiting.PERIOD", 0.0)
    said = slotscope(f"bounds {scenario}")
    assert said.code == 0
    assert f"\r\x1b[Kbounds {scenario}: " in said.err
    assert "(Ctrl+C stops it)" in said.err
    assert said.err.endswith("\r\x1b[K")
    assert "\x1b" not in said.out


@pytest.mark.parametrize("form", ["", " --json"])
def test_a_long_trace_tells_how_far_it_is(slotscope: Any, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(output, "PROGRESS_SECONDS", 0.0)
    said = slotscope(f"trace dra-classroom --events 20{form}")
    assert "trace dra-classroom: 50%" in said.err
    assert said.err.endswith("\r\x1b[K")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert slotscope(f"trace dra-classroom --events 20{form}").err == ""  # the printed events show the progress


@pytest.mark.slow
@pytest.mark.parametrize("command", ["bounds", "trace"])
def test_ctrl_c_ends_it_in_one_line(command: str, tmp_path: Path) -> None:
    """The process is interrupted after its second progress line, when it is certainly at work."""
    scenario = tmp_path / "long.toml"
    write_scenario(scenario, many_configurations())
    asked = ["bounds", str(scenario)]
    if command == "trace":
        asked = ["trace", "dra-vms", "--events", "100000000"]
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    begin = (
        "import sys; from slotscope.__main__ import main; from slotscope.model.cli import output;"
        "output.LONG_SECONDS = 0.5; sys.exit(main())"
    )
    with subprocess.Popen(
        [sys.executable, "-c", begin, *asked],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        cwd=Path(__file__).parents[1],
    ) as process:
        assert process.stderr is not None
        first = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
    assert first.startswith(f"slotscope: {command} ")
    assert "Ctrl+C stops it" in first
    assert rest == "slotscope: stopped\n"
    assert process.returncode == 130


@pytest.mark.parametrize("name", ["dra-vms", "queues-classroom", "jrs-classroom", "moldable-sublinear"])
def test_while_kernels_compile_it_is_said_and_new_events_are_not_called_past(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(waiting_module, "PERIOD", 0.0)
    session = Session.open(name, seed=1)
    engine, line = session.timeline.engine, session.timeline
    happens = engine._run
    monkeypatch.setattr(engine, "_run", NotYetCompiled(happens))
    with waiting(told.append, lambda: 0):
        for _ in line.onwards(line.fork_at(0), 500, Task(explain=True)):
            monkeypatch.setattr(engine, "_run", happens)
    assert told[0].startswith("Compiling the policy")
    assert "Running on" in "".join(told)
    assert "past" not in "".join(told)


class NotYetCompiled:
    """A kernel that reports that it is not compiled."""

    overloads = ()

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel

    def __call__(self, *arguments: Any) -> Any:
        return self._kernel(*arguments)


@pytest.mark.parametrize(
    ("way", "said"),
    [
        ({"events": 400}, "Going to event 400"),
        ({"until": 0.25}, "Going to time 0.25"),
        ({"events": 10**6, "until": 0.25}, "Going to time 0.25"),
    ],
)
def test_who_waits_for_a_run_is_told_of_its_way_and_can_stop_it(
    monkeypatch: pytest.MonkeyPatch, way: dict[str, Any], said: str
) -> None:
    monkeypatch.setattr(waiting_module, "PERIOD", 0.0)
    monkeypatch.setattr(engine, "SLOW_EVENT", math.inf)  # on a busy machine any event may be slow, and reported
    session, told = Session.open("dra-vms", kernel=False), []
    with waiting(lambda doing: told.append(str(doing)), lambda: 0):
        session.run(**way)
    assert told and all(one.startswith(said) and one.endswith("(Esc stops it)") for one in told)
    assert sorted(told, key=lambda one: float(one.split(": ")[1].split("%")[0])) == told
    with waiting(lambda _: None, lambda: 1), pytest.raises(GivenUpError, match=said):
        Session.open("dra-vms", kernel=False).run(**way)
