"""Every error: one helpful line, exit code 2, never a traceback."""

from __future__ import annotations

import gzip
import os
import re
import tomllib
from pathlib import Path
from types import SimpleNamespace
from zipfile import ZipFile

import numpy as np
import pytest
import tomli_w
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from slotscope import __main__ as main
from slotscope.model.cli.arguments import COMMANDS
from slotscope.model.cli.guard import LONGEST_LINE, log_file
from slotscope.model.kinds.reservation.cli import bounds as bounds_module
from slotscope.model.policies import template_of
from slotscope.model.scenario.files import scenario_files

#: Commands that read a scenario, with options that keep a valid run short.
READERS = (
    "run {} --until 1",
    "trace {} --events 1",
    "bounds {}",
    "verify {} --events 1",
    "screenshot {} --at 0 --out a.png",
    "{}",
)

CLASSROOM = scenario_files()["dra-classroom"].read_text(encoding="utf-8")
ROOT_USER = hasattr(os, "geteuid") and os.geteuid() == 0


@pytest.fixture
def refusal(slotscope):
    """A function that runs a command, which must be refused with one line, and returns the line."""

    def run(command: str, *words: str) -> str:
        said = slotscope(command, *words)
        assert (said.code, said.out) == (2, "")
        assert re.fullmatch(r"slotscope: [^\n]+\n", said.err)
        return said.err.rstrip("\n").removeprefix("slotscope: ")

    return run


def instance(**changes: str) -> str:
    """A small scenario as TOML, with some parts replaced by text."""
    text = CLASSROOM
    for old, new in changes.items():
        assert PARTS[old] in text
        text = text.replace(PARTS[old], new)
    return text


PARTS = {
    "count": "count = 7",
    "reward": "reward = 10",
    "workload": "workload = 3",
    "memory": "memory = 20",
    "mean": "mean = 40",
    "name": 'name = "web"',
    "factor": "reservation_factor = 1",
    "until": "until = 600",
    "seed": "seed = 171",
    "system": 'system = "reservation"',
}

#: Content of a scenario's file, and what the line must contain.
BROKEN = {
    "empty": (b"", "empty"),
    "blank": (b"\n  \n", "empty"),
    "truncated": (CLASSROOM.encode()[:700], "TOML"),
    "not UTF-8": (b'title = "\xff"', "0xff"),
    "UTF-16": (CLASSROOM.encode("utf-16"), "UTF-8"),
    "no TOML": (b"a table = 1", "TOML"),
    "an image": (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "UTF-8"),
    "a NUL": (b"\0", "TOML"),
    "nested deeply": (b"a = " + b"[" * 5000 + b"]" * 5000, "TOML"),
    "a huge integer": (instance(count=f"count = 1{'0' * 5000}").encode(), "digits"),
    "too many servers": (instance(count="count = 1000000000").encode(), "servers.count"),
    "no servers": (instance(count="count = 0").encode(), "servers.count"),
    "a huge reward": (instance(reward=f"reward = {10**30}").encode(), "reward"),
    "an infinite reward": (instance(reward="reward = inf").encode(), "reward"),
    "a negative reward": (instance(reward="reward = -1").encode(), "job_types[2].reward"),
    "not a number": (instance(reward="reward = nan").encode(), "job_types[2].reward"),
    "a negative workload": (instance(workload="workload = -3").encode(), "job_types[0].workload"),
    "demands far apart": (instance(memory='memory = "1e-30"').encode(), "memory"),
    "a mean of 0": (instance(mean="mean = 0").encode(), "service.mean"),
    "a name twice": (instance(name='name = "database"').encode(), "database"),
    "g of 0": (instance(factor="reservation_factor = 0").encode(), "reservation_factor"),
    "an unknown key": (instance(seed="sede = 1").encode(), "did you mean 'seed'?"),
    "an unknown system": (instance(system='system = "other"').encode(), "reservation, queue"),
    "a seed as text": (instance(seed='seed = "one"').encode(), "seed"),
    "no end": (instance(until="until = 0").encode(), "run.until"),
}

#: Instance files (JSON) that are broken.
BROKEN_INSTANCES = {
    "empty": b"",
    "truncated": b'{"instance": {"sizes": [[1',
    "a list": b"[]",
    "no keys": b"{}",
    "not UTF-8": b'{"\xff": 1}',
    "a number": b"7",
    "nested deeply": b"[" * 100_000,
    "wrong shapes": b'{"instance": 3, "L": [], "events": 1}',
}


class TestScenarioFiles:
    @pytest.mark.parametrize("name", list(BROKEN))
    def test_each_kind_of_broken_file(self, refusal, tmp_path, name):
        content, said = BROKEN[name]
        (tmp_path / "broken.toml").write_bytes(content)
        line = refusal("run broken.toml --until 1")
        assert line.startswith("broken.toml: ")
        assert said in line

    @pytest.mark.parametrize("command", READERS)
    def test_by_every_command_that_reads_one(self, refusal, tmp_path, command):
        (tmp_path / "broken.toml").write_bytes(BROKEN["a negative reward"][0])
        line = refusal(command.format("broken.toml"))
        assert line.startswith("broken.toml: job_types[2].reward: found ")
        assert "allowed: " in line

    def test_a_saved_session_is_told_where_it_opens(self, refusal, tmp_path):
        with ZipFile(tmp_path / "mine.slotscope", "w") as archive:
            archive.writestr("session.json", "{}")
        line = refusal("run mine.slotscope")
        assert "as a saved session is" in line and "slotscope NAME.slotscope" in line

    @pytest.mark.parametrize("name", list(BROKEN_INSTANCES))
    def test_each_kind_of_broken_instance(self, refusal, tmp_path, name):
        (tmp_path / "broken.json").write_bytes(BROKEN_INSTANCES[name])
        assert refusal("trace broken.json --json").startswith("broken.json: ")

    @pytest.mark.parametrize(
        ("path", "said"), [("folder", "directory"), ("absent.toml", "no such file"), ("x" * 5000, "")]
    )
    @pytest.mark.parametrize("command", READERS)
    def test_what_is_no_file(self, refusal, tmp_path, command, path, said):
        (tmp_path / "folder").mkdir()
        assert said in refusal(command.format(path))

    @pytest.mark.skipif(ROOT_USER, reason="root may read every file")
    def test_an_unreadable_file(self, refusal, tmp_path):
        path = tmp_path / "secret.toml"
        path.write_text(CLASSROOM)
        path.chmod(0)
        assert refusal("run secret.toml") == "secret.toml: cannot be read: Permission denied"

    def test_a_file_that_the_system_refuses(self, refusal, monkeypatch, tmp_path):
        (tmp_path / "ours.toml").write_text(CLASSROOM)

        def denied(path):
            raise PermissionError(13, "Permission denied", str(path))

        monkeypatch.setattr(Path, "read_bytes", denied)
        assert refusal("run ours.toml") == "ours.toml: cannot be read: Permission denied"

    def test_an_unknown_name_brings_the_nearest(self, refusal):
        assert "did you mean 'dra-vms'?" in refusal("run dra-vm")

    def test_a_name_that_is_no_text(self, refusal):
        assert refusal("run", "\udcff.toml")

    def test_a_name_with_a_line_feed(self, refusal):
        assert refusal("run", "a\nb.toml") == "a b.toml: no such file"


#: Content of a task_events file, and what the line must contain.
BROKEN_TRACES = {
    "empty": (b"", "empty"),
    "truncated": (b"600,,3,1,,0,user", "found 7 columns"),
    "not UTF-8": (b"\xff\xfe\x00,1\n", "UTF-8"),
    "wrong columns": (b"1;2;3\n4;5;6\n", "allowed are 13 columns"),
    "a header": (
        b"time,missing,job,task,machine,type,user,class,priority,cpu,mem,disk,x\n",
        "allowed is a whole number",
    ),
    "huge numbers": (f"{'9' * 400},,3,1,,0,u,1,1,0.1,0.1,0.1,0\n".encode(), "allowed is a whole number"),
    "a broken archive": (gzip.compress(b"1,2,3" * 1000)[:20], "ends too early"),
}


class TestTraces:
    @pytest.mark.parametrize("name", list(BROKEN_TRACES))
    def test_each_kind_of_broken_trace(self, refusal, tmp_path, name):
        content, said = BROKEN_TRACES[name]
        path = "part.csv.gz" if "archive" in name else "part.csv"
        (tmp_path / path).write_bytes(content)
        line = refusal(f"run dra-google --trace {path}")
        assert path in line
        assert said in line

    @pytest.mark.parametrize("command", READERS[:4])
    def test_absent_ones(self, refusal, command):
        line = refusal(f"{command.format('dra-google')} --trace gone.csv")
        assert "gone.csv" in line
        assert "there is no such file; name one with --trace PATH" in line

    def test_one_where_none_is_needed(self, refusal, tmp_path):
        (tmp_path / "part.csv").touch()
        assert "allowed: a scenario whose workload is a trace" in refusal("run dra-vms --trace part.csv")


class TestOptions:
    @pytest.mark.parametrize(
        ("command", "line"),
        [
            ("run dra-vms --until 0", "--until: found '0', allowed: a finite number above 0"),
            ("run dra-vms --until inf", "--until: found 'inf', allowed: a finite number above 0"),
            ("run dra-vms --until nan", "--until: found 'nan', allowed: a finite number above 0"),
            ("run dra-vms --warmup -1", "--warmup: found '-1', allowed: a finite number of at least 0"),
            ("run dra-vms --until 5 --warmup 5", "--warmup: found 5, allowed: a time before the end at 5"),
            ("run dra-vms --seed 1.5", "--seed: found '1.5', allowed: a whole number from 0 to 9223372036854775807"),
            ("run dra-vms --replications 0", "--replications: found '0', allowed: a whole number from 1 to 100000"),
            (
                "run dra-vms --seed 9223372036854775807 --replications 2",
                "--seed: found 9223372036854775807 with 2 replications, allowed: a last seed of at "
                "most 9223372036854775807",
            ),
            ("run dra-vms --engine kernl", "--engine: found 'kernl', allowed: kernel, reference; did you mean kernel?"),
            ("screenshot dra-vms --at 1 --out a.gif", "--out: found 'a.gif', allowed: a path that ends in .png"),
            (
                "screenshot dra-vms --at 1 --out a.png --size 12",
                "--size: found '12', allowed: WIDTHxHEIGHT in pixels, each from 1 to 10000, such as 1280x720",
            ),
            (
                "screenshot dra-vms --at 1 --out a.png --size 0x9",
                "--size: found '0x9', allowed: WIDTHxHEIGHT in pixels, each from 1 to 10000, such as 1280x720",
            ),
            ("screenshot dra-vms --at 1 --event 2 --out a.png", "--event: not allowed with argument --at"),
            ("run --policy", "--policy: expected one argument"),
        ],
    )
    def test_a_wrong_value_is_named_with_what_is_allowed(self, refusal, command, line):
        assert refusal(command) == line

    @pytest.mark.parametrize(
        ("command", "said"),
        [
            ("run dra-vms --polcy dra", "--polcy: no such option; did you mean --policy?"),
            ("run dra-vms --pol dra", "--pol: no such option"),
            ("dra-vms --json", "--json: no such option"),
            ("run", "run: the following arguments are required: SCENARIO"),
            ("run dra-vms more", "'more': found one argument too many"),
            ("rnu dra-vms", "did you mean 'run'?"),
            ("compare dra-vms", "no command or scenario is called 'compare'; commands are list, run, "),
            ("dra-vms first-fit", "'first-fit': found one argument too many"),
            ("--seed 1 verify", "'slotscope verify --help' shows all"),
            ("run dra-vms --policy dar", "did you mean 'dra'?"),
            ("reproduce dra-fig", "no experiment is called 'dra-fig'"),
            ("reproduce dra-fig3 --scale huge", "allowed: quick, paper"),
            ("run dra-classroom --until 5 --to mine", "mine: found a name that ends in ''"),
            ("reproduce dra-fig2 --workers 0", "--workers: found '0'"),
        ],
    )
    def test_a_slip_is_told_with_the_way_out(self, refusal, command, said):
        assert said in refusal(command)

    def test_an_engine_that_the_policy_lacks(self, refusal, monkeypatch):
        monkeypatch.setattr("slotscope.model.kinds.spec.Kind.kernels", {})
        assert refusal("run dra-vms --engine kernel") == (
            "--engine: found kernel, but the policy 'dra' has no compiled twin; allowed: reference"
        )

    def test_results_need_a_folder(self, refusal, tmp_path):
        (tmp_path / "taken").touch()
        assert refusal("reproduce dra-fig2 --out taken").startswith("--out: ")
        assert "taken" in refusal("reproduce dra-fig2 --out taken/deeper")

    def test_a_saved_session_needs_a_display(self, refusal, monkeypatch, tmp_path):
        (tmp_path / "mine.slotscope").touch()
        options = SimpleNamespace(scenario="mine.slotscope", policy=None, seed=None, trace=[], event=None)
        monkeypatch.setattr(main, "window", lambda _: main.first_run(options, "none"))
        said = main.main(["mine.slotscope"])
        assert said == 2


class TestGuard:
    def fail_with(self, monkeypatch, error):
        def fails(*_):
            raise error

        monkeypatch.setattr(bounds_module, "bounds", fails)

    def test_the_unexpected_is_one_line_and_a_log(self, slotscope, monkeypatch):
        self.fail_with(monkeypatch, ZeroDivisionError("by nothing"))
        said = slotscope("bounds dra-vms --seed 3")
        assert (said.code, said.out) == (3, "")
        assert re.fullmatch(r"slotscope: unexpected ZeroDivisionError: by nothing; [^\n]+\n", said.err)
        assert said.err.endswith("slotscope bounds dra-vms --seed 3\n")
        assert str(log_file()) in said.err
        log = log_file().read_text(encoding="utf-8")
        assert log.startswith("slotscope bounds dra-vms --seed 3\nTraceback ")
        assert "ZeroDivisionError: by nothing" in log

    def test_without_a_place_for_the_log_it_says_so(self, slotscope, monkeypatch, tmp_path):
        (tmp_path / "file").touch()
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
        self.fail_with(monkeypatch, ZeroDivisionError("by nothing"))
        said = slotscope("bounds dra-vms")
        assert said.code == 3
        assert said.err.count("\n") == 1
        assert "no traceback is kept" in said.err

    @pytest.mark.parametrize(
        ("error", "code", "said"),
        [
            (KeyboardInterrupt(), 130, "slotscope: stopped\n"),
            (
                MemoryError(),
                2,
                "slotscope: this needs more memory than there is; allowed: fewer servers, types or events\n",
            ),
            (OSError(28, "No space left on device", "out.csv"), 2, "slotscope: out.csv: No space left on device\n"),
            (OSError("odd"), 2, "slotscope: odd\n"),
        ],
        ids=["Ctrl+C", "memory", "disk", "system"],
    )
    def test_what_is_no_fault_of_ours(self, slotscope, monkeypatch, error, code, said):
        self.fail_with(monkeypatch, error)
        found = slotscope("bounds dra-vms")
        assert (found.code, found.out, found.err) == (code, "", said)

    def test_a_line_stays_readable(self, refusal):
        assert len(refusal(f"run {'y' * 100_000}.toml")) <= LONGEST_LINE

    def test_of_a_long_name_the_beginning_is_told_and_all_that_are_known(self, refusal):
        told = refusal(f"run dra-vms --policy {'y' * 900}")
        assert f"is called '{'y' * 50}" in told and "known are best-fit, dra, " in told and len(told) < 400

    def test_too_many_servers_for_the_memory(self, refusal, monkeypatch):
        def full(*_, **__):
            raise np._core._exceptions._ArrayMemoryError((10**12,), np.dtype(float))

        monkeypatch.setattr(np, "zeros", full)
        assert "memory" in refusal("run dra-vms --until 1")


#: Words of nearly valid command lines, and invalid values.
WORDS = st.sampled_from(
    [
        *COMMANDS,
        "dra-example-1",
        "dra-example-2",
        "dra-google",
        "dra-vmz",
        "--policy",
        "--seed",
        "--until",
        "--warmup",
        "--events",
        "--json",
        "--trace",
        "--engine",
        "--replications",
        "--at",
        "--out",
        "--size",
        "--help",
        "--timing",
        "--scale",
        "--workers",
        "--event",
        "--panel",
        "dra",
        "first-fit",
        "reference",
        "kernel",
        "dra-fig2",
        "0",
        "1",
        "2",
        "5",
        "-1",
        "1e400",
        "nan",
        "9" * 40,
        "½",
        "",
        "-",
        "--",
        "=",
        "--seed=3",
        "--until=x",
        "a.png",
        ".",
        "/",
    ]
)
#: Any other text without digits: a random time or number of events could take hours.
JUNK = st.text(st.characters(exclude_categories=("Nd", "Cs")), max_size=8)


@pytest.mark.slow
class TestFuzz:
    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.lists(WORDS | JUNK, max_size=7))
    @example(["run", "dra-example-1", "--until", "5", "--warmup", "0", "--json"])
    @example(["trace", "--", "dra-example-2"])
    @example(["run", "--trace", "--", "dra-example-1"])
    @example(["grade", "list", "list"])
    def test_any_command_line(self, slotscope, monkeypatch, arguments):
        monkeypatch.setattr(main, "window", lambda _: 0)
        monkeypatch.setattr(main, "screenshot", lambda _: 0)
        monkeypatch.setattr(main, "draw", lambda *_: False)
        said = slotscope("", *arguments)
        assert said.code in (0, 2)
        notes = [line for line in said.err.splitlines() if "warning: " not in line]
        if said.code == 2:
            # With several files to grade there is one line for each that cannot be graded.
            assert 1 <= len(notes) <= (len(arguments) if "grade" in arguments else 1)
            assert all(line.startswith("slotscope: ") for line in notes)

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.data())
    def test_any_change_to_a_scenario(self, slotscope, tmp_path, data):
        content = tomllib.loads(CLASSROOM)
        table, key = data.draw(st.sampled_from(list(_places(content))))
        junk = st.one_of(
            st.integers(),
            st.floats(),
            st.text(max_size=20),
            st.booleans(),
            st.lists(st.integers(), max_size=3),
            st.just({}),
            st.just(10**40),
            st.just("1/0"),
        )
        table[key] = data.draw(junk)
        (tmp_path / "changed.toml").write_text(tomli_w.dumps(content), encoding="utf-8")
        for command in ("bounds changed.toml", "trace changed.toml --events 2"):
            said = slotscope(command)
            assert said.code in (0, 2), said.err
            if said.code == 2:
                assert re.fullmatch(r"(slotscope: [^\n]+\n)+", said.err)
                assert "changed.toml: " in said.err

    @pytest.mark.parametrize("name", ["1/0", "gone.py", "/"])
    def test_a_policy_that_is_no_file_is_a_fault_of_the_scenario(self, slotscope, tmp_path, name):
        content = tomllib.loads(CLASSROOM)
        content["policy"]["name"] = name
        (tmp_path / "changed.toml").write_text(tomli_w.dumps(content), encoding="utf-8")
        said = slotscope("trace changed.toml --events 2")
        assert said.code == 2
        assert said.err.startswith(f"slotscope: changed.toml: policy.name: {name}: ")
        assert slotscope("run changed.toml --until 1 --policy dra").code == 0

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.integers(0, len(CLASSROOM)), st.binary(max_size=4))
    def test_any_damage_to_a_file(self, slotscope, tmp_path, place, damage):
        content = CLASSROOM.encode()
        broken = content[:place] + damage + content[place + len(damage) :]
        (tmp_path / "broken.toml").write_bytes(broken)
        said = slotscope("trace broken.toml --events 1")
        assert said.code in (0, 2), said.err
        assert said.code == 0 or re.fullmatch(r"slotscope: [^\n]+\n", said.err)


def _places(content):
    """Every (table, key) of nested tables and lists."""
    items = content.items() if isinstance(content, dict) else enumerate(content)
    for key, value in items:
        yield content, key
        if isinstance(value, dict | list):
            yield from _places(value)


def test_a_file_for_another_kind_is_refused(refusal, tmp_path):
    (tmp_path / "mine.py").write_text(template_of("moldable"))
    for command in ("{}", "run {} --until 1", "trace {} --events 1"):
        said = refusal(command.format("dra-classroom") + " --policy mine.py")
        assert "found 'mine.py', a policy of moldable systems, allowed for this scenario: dra, " in said


@pytest.mark.parametrize(
    ("command", "meant"),
    [
        ("reproduce fig4b", "'queues-fig4b'"),
        ("reproduce fig2", "'dra-fig2' or 'moldable-fig2'"),
        ("run vms", "'dra-vms'"),
        ("run dra-vmz", "'dra-vms'"),
    ],
)
def test_a_name_without_its_beginning_is_near_those_that_end_so(command, meant, capsys):
    assert main.main(command.split()) == 2
    assert f"did you mean {meant}? " in capsys.readouterr().err
