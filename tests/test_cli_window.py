"""The window's commands, the help, and the program as a process."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

from slotscope import __main__
from slotscope.gui.platform import Platform
from slotscope.model.cli import arguments
from slotscope.model.cli.arguments import COMMANDS, parse
from slotscope.model.cli.output import Progress
from slotscope.model.cli.parser import DEFAULT_SCENARIO
from slotscope.model.lessons.files import lesson_files
from slotscope.model.running.engine import ReferenceEngine
from slotscope.model.running.origin import Moment
from tests.runs import program

ROOT = Path(__file__).resolve().parent.parent


class Window:
    """Replaces ``gui.app`` and records its calls."""

    def __init__(self):
        self.opened = []
        self.pictures = []

    def main(self, *arguments, offer=False, lesson=None, language=None):
        self.opened.append(arguments)
        self.offered, self.lesson, self.language = offer, lesson, language
        return 0

    def screenshot(self, scenario, policies, seed, trace, at, event, out, size, panel, theme, language):
        self.pictures.append((scenario, policies, seed, trace, at, event, size, panel, theme, language))
        out.write_bytes(b"picture")


@pytest.fixture
def app(monkeypatch):
    """The replacement of the window, on a machine with a display."""
    window = Window()
    monkeypatch.setitem(sys.modules, "slotscope.gui.app", window)
    monkeypatch.setattr("slotscope.gui.app", window, raising=False)
    monkeypatch.setattr("slotscope.gui.platform.require_platform", lambda *_, **__: Platform("offscreen"))
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    return window


class TestWindow:
    def test_it_opens_on_the_example_of_section_7_1(self, slotscope, app):
        assert slotscope("").code == 0
        assert app.opened == [("dra-vms", (), None, None, ())]

    def test_it_opens_at_any_moment(self, slotscope, app):
        assert slotscope("dra-classroom --policy first-fit --seed 7 --event 12").code == 0
        assert app.opened == [("dra-classroom", ("first-fit",), 7, Moment((12,)), ())]

    def test_traces_are_handed_on(self, slotscope, app, tmp_path):
        (tmp_path / "a.csv").touch()
        assert slotscope("dra-google --trace a.csv").code == 0
        assert app.opened == [("dra-google", (), None, None, ("a.csv",))]

    def test_a_trace_need_not_be_named(self, slotscope, app):
        for name in ("dra-google", "queues-google", "jrs-azure", "moldable-swf"):
            assert slotscope(name).code == 0
        assert [opened[0] for opened in app.opened] == ["dra-google", "queues-google", "jrs-azure", "moldable-swf"]

    def test_lessons_are_offered_where_nothing_is_asked_for(self, slotscope, app):
        for words, offered in (("", True), ("dra-classroom", False)):
            assert slotscope(words).code == 0
            assert app.offered is offered

    def test_a_lesson_opens_at_its_step(self, slotscope, app):
        assert slotscope("lesson dra-1-decision --step 3").code == 0
        assert app.opened == [("dra-classroom",)]
        assert app.lesson == (lesson_files()["dra-1-decision"], 2)

    def test_a_saved_session_is_left_to_the_window(self, slotscope, app, tmp_path):
        (tmp_path / "mine.slotscope").touch()
        assert slotscope("mine.slotscope").code == 0
        assert app.opened == [("mine.slotscope", (), None, None, ())]

    @pytest.mark.parametrize(
        "command", ["nothing.toml", "dra-vms --policy none", "dra-google --trace none", "gone.slotscope"]
    )
    def test_bad_input_is_told_before_it_opens(self, slotscope, app, command):
        said = slotscope(command)
        assert (said.code, app.opened) == (2, [])
        assert said.err.count("\n") == 1

    def test_a_command_wins_over_a_scenario_of_its_name(self):
        assert parse(["list"]).command == "list"
        assert parse(["./list"]).command == "window"
        assert parse([]).scenario == DEFAULT_SCENARIO

    def test_without_a_display_a_first_run_leaves_its_results(self, slotscope, app, monkeypatch, tmp_path):
        nowhere = Platform("offscreen", display=False, no_display="DISPLAY is not set")
        monkeypatch.setattr("slotscope.gui.platform.require_platform", lambda *_, **__: nowhere)
        said = slotscope("dra-classroom --seed 3")
        assert said.code == 0
        assert said.err.count("\n") == 1
        assert "DISPLAY is not set" in said.err
        written = said.out.splitlines()
        assert written == ["slotscope-first-run/summary.txt", "slotscope-first-run/screenshot.png"]
        assert all((tmp_path / path).stat().st_size for path in written)
        assert "reward_rate" in (tmp_path / written[0]).read_text(encoding="utf-8")
        scenario, _, seed, _, at, event, *_ = app.pictures[0]
        assert (scenario, seed, at, event) == ("dra-classroom", 3, 600.0, None)

    def test_screenshots_take_their_options(self, slotscope, app):
        said = slotscope("screenshot dra-vms --at 2.5 --out a.png --size 1280x720 --panel groups --theme dark")
        assert (said.code, said.out) == (0, "a.png\n")
        assert app.pictures == [("dra-vms", (), None, (), 2.5, None, (1280, 720), "groups", "dark", "en")]

    def test_the_language_is_handed_on(self, slotscope, app):
        for command in ("dra-vms", "lesson dra-1-decision"):
            assert slotscope(f"{command} --language de").code == 0
            assert app.language == "de"
        app.language = None
        assert slotscope("--language de lesson dra-1-decision --step 3").code == 0
        assert (app.language, app.lesson[1]) == ("de", 2)
        assert slotscope("screenshot dra-vms --at 2 --language de --out a.png").code == 0
        assert app.pictures[-1][-1] == "de"


class TestHelp:
    @pytest.mark.parametrize("command", ["", *COMMANDS])
    def test_each_command_explains_itself_by_examples_that_work(self, slotscope, command):
        said = slotscope(f"{command} --help")
        assert (said.code, said.err) == (0, "")
        about, _, examples = said.out.partition("examples:\n")
        assert len(about.split("\n\n")[1]) > 100
        for example in examples.splitlines():
            program, *arguments = shlex.split(example)
            assert program == "slotscope"
            assert parse(arguments).command == (command or "window")


class TestProgress:
    def test_it_is_seen_on_a_terminal_only(self, monkeypatch, capsys):
        Progress("run")(1, 2)
        assert capsys.readouterr().err == ""
        monkeypatch.setattr("sys.stderr.isatty", lambda: True)
        Progress("run", quiet=True)(1, 2)
        assert capsys.readouterr().err == ""
        shown = Progress("run")
        shown(1, 2)
        shown.close()
        assert "run: 50%" in capsys.readouterr().err


class TestProcess:
    def test_it_starts_without_heavy_imports(self):
        heavy = "{'numpy', 'numba', 'pydantic', 'scipy', 'PySide6', 'pyqtgraph', 'pulp'}"
        code = f"import sys; from slotscope.__main__ import parse; parse([]); print(sorted({heavy} & set(sys.modules)))"
        found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
        assert found.stdout == "[]\n"

    def test_it_works_from_any_folder(self, tmp_path):
        process = program("trace", "dra-example-2", "--json", cwd=tmp_path)
        out, err = process.communicate()
        assert (process.returncode, err) == (0, "")
        assert len(out.splitlines()) == 7

    def test_a_closed_pipe_is_no_fault(self):
        process = program("trace", "dra-vms", "--events", "1000000", "--json")
        process.stdout.readline()
        process.stdout.close()
        assert process.wait() == 141
        assert process.stderr.read() == ""
        process.stderr.close()

    @pytest.mark.skipif(os.name != "posix", reason="descriptors are closed as by shells of POSIX")
    @pytest.mark.parametrize(
        ("redirected", "code", "said"),
        [
            ("list >&-", 0, ""),
            ("run dra-classroom --until 5 >&- 2>&-", 0, ""),
            ("run dra-classroom --policy nope 2>&-", 2, ""),
            ("list > /dev/full", 2, "slotscope: the output cannot be written: No space left on device\n"),
        ],
    )
    def test_an_output_that_is_closed_or_full_is_no_fault_of_the_program(self, redirected, code, said):
        line = f"{shlex.quote(sys.executable)} -m slotscope {redirected}"
        found = subprocess.run(["sh", "-c", line], cwd=ROOT, capture_output=True, text=True, check=False)
        assert (found.returncode, found.stderr) == (code, said)
        assert not found.stdout

    @pytest.mark.skipif(os.name != "posix", reason="signals are sent as on POSIX")
    def test_ctrl_c_is_one_line(self):
        process = program("trace", "dra-vms", "--events", "1000000", "--json")
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
        assert (process.returncode, err) == (130, "slotscope: stopped\n")


@pytest.mark.parametrize("wishes", [1, 2])
def test_a_screenshot_is_stopped_also_where_qt_loses_what_is_raised(wishes, monkeypatch, capsys):
    def photograph(_: object) -> None:
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        if wishes == 2:
            signal.raise_signal(signal.SIGINT)
            raise AssertionError("the second is heard at once")

    monkeypatch.setattr(__main__, "_photograph", photograph)
    assert __main__.main(["screenshot", "dra-classroom", "--at", "5", "--out", "x.png"]) == 130
    assert capsys.readouterr() == ("", "slotscope: stopped\n")


def test_lines_of_the_window_are_read_by_one_parser_which_keeps_nothing_of_them():
    with mock.patch.object(arguments, "Parser", wraps=arguments.Parser) as made:
        alone = parse(["dra-classroom"])
        parse(["dra-vms", "--policy", "dra", "--policy", "first-fit", "--trace", "jobs.csv", "--event", "3"])
        assert parse(["dra-classroom"]) == alone
    assert (alone.policies, alone.trace, made.call_count <= 1) == ((), [], True)


def test_a_reference_engine_can_be_forced(answer, monkeypatch):
    """The engine named in the output is the one that ran."""
    ran = []
    honest = ReferenceEngine.advance

    def noted(self, state, tape, task):
        ran.append(len(tape))
        return honest(self, state, tape, task)

    monkeypatch.setattr(ReferenceEngine, "advance", noted)
    assert answer("run dra-classroom --until 5 --engine reference")["engine"] == "reference"
    assert ran
