"""Experiments from the command line: numbers, files, pictures, and which processes do the work."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import pyarrow.parquet
import pytest

from slotscope import __main__ as main
from slotscope.model.cli import reproduce
from slotscope.model.kinds.reservation.experiments import dra_collections, dra_google, dra_google_time, dra_servers
from slotscope.model.lab import experiment_module, experiments
from slotscope.model.lab.results import Figure
from tests.conftest import besides_signs_of_life
from tests.runs import program

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent

#: The trace's sample for quick tests: rows of jobs with ID % 151 = 2.
SAMPLE = "google2011/task_events-job_id-mod151eq2.csv.gz"


@pytest.fixture
def drawn(monkeypatch):
    """The requested figures, which are not drawn."""
    found: list[tuple[Figure, Path]] = []

    def note_down(figure, path):
        found.append((figure, path))
        return True

    monkeypatch.setattr(main, "draw", note_down)
    return found


@pytest.fixture
def refusal(slotscope):
    """A function that runs a command, which must be refused with one line, and returns the line."""

    def run(command):
        said = slotscope(command)
        assert (said.code, said.out) == (2, "")
        assert said.err.count("\n") == 1
        return said.err.removeprefix("slotscope: ").rstrip("\n")

    return run


class TestFigure2:
    def test_it_is_exact(self, answer, drawn):
        found = answer("reproduce dra-fig2")
        rows = {row["what"]: row for row in found["rows"] if row["paper"] is not None}
        assert {name: row["exact"] for name, row in rows.items()} == {
            "critical_alpha_low": "6/7",
            "critical_alpha_high": "6",
            "worst_ratio": "799/927",
            "worst_alpha": "1",
        }
        assert all(abs(row["paper"] - row["ours"]) < 0.0005 for row in rows.values())
        assert all(row["half_width"] == 0 for row in found["rows"])
        values = {(row["what"], row["alpha"]): row["exact"] for row in found["rows"] if "alpha" in row}
        assert values["optimal_reward", "2"] == "15668/25"
        assert values["greedy_reward", "4"] == "1784/3"

    def test_files_are_written_and_named(self, answer, drawn, tmp_path):
        found = answer("reproduce dra-fig2 --out results")
        tables = (".csv", "-curves.csv", ".parquet", "-curves.parquet")
        assert found["files"] == [f"results/dra-fig2{ending}" for ending in (*tables, ".json", ".svg", ".png")]
        assert pyarrow.parquet.read_table(tmp_path / "results" / "dra-fig2.parquet")["ours"].to_pylist() == [
            row["ours"] for row in found["rows"]
        ]
        kept = json.loads((tmp_path / "results" / "dra-fig2.json").read_text(encoding="utf-8"))
        assert (kept["rows"], kept["notes"]) == (found["rows"], found["notes"])
        header, *rows = (tmp_path / "results" / "dra-fig2.csv").read_text().splitlines()
        assert header.startswith("what,paper,ours,half_width,exact")
        assert len(rows) == len(found["rows"])
        assert [path.suffix for _, path in drawn] == [".svg", ".png"]

    def test_text_has_the_papers_numbers_beside_ours_and_its_words(self, slotscope, drawn):
        said = slotscope("reproduce dra-fig2")
        assert re.search(r"^worst_ratio +0\.862 +0\.86192 +0 +799/927$", said.out, re.MULTILINE)
        assert '\nThe paper: "The rewards coincide outside the marked points"' in said.out


class TestPictures:
    def test_a_missing_qt_leaves_data_without_pictures(self, slotscope, monkeypatch, tmp_path):
        monkeypatch.setitem(sys.modules, "slotscope.gui.window.figure", None)
        said = slotscope("reproduce dra-fig2 --json")
        assert said.code == 0
        assert said.err.startswith("slotscope: no picture is drawn: ")
        tables = [".csv", ".csv", ".parquet", ".parquet"]
        assert [Path(path).suffix for path in json.loads(said.out)["files"]] == [*tables, ".json"]

    def test_pictures_are_drawn_by_the_window_s_code(self, slotscope, monkeypatch, tmp_path):
        stub = ModuleType("slotscope.gui.window.figure")
        stub.save_figure = lambda figure, path: path.write_text(figure.title)
        monkeypatch.setitem(sys.modules, "slotscope.gui.window.figure", stub)
        monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
        assert slotscope("reproduce dra-fig2 --out here").code == 0
        assert "workload" in (tmp_path / "here" / "dra-fig2.png").read_text()

    def test_curves_with_intervals_are_drawn(self, slotscope, monkeypatch, tmp_path):
        monkeypatch.setattr(dra_collections, "SCALES", {"quick": 2})
        monkeypatch.setattr(dra_servers, "SCALES", {"quick": dra_servers.ServersScale((5, 8), 2, 100.0)})
        for name in ("dra-collections", "dra-fig3"):
            assert slotscope(f"reproduce {name} --workers 1 --out here").code == 0
            assert (tmp_path / "here" / f"{name}.png").read_bytes()[1:4] == b"PNG"
            assert "<svg" in (tmp_path / "here" / f"{name}.svg").read_text(encoding="utf-8")


class TestBeside:
    """Policies added to those that an experiment compares."""

    @pytest.fixture(autouse=True)
    def small(self, monkeypatch, drawn):
        monkeypatch.setattr(dra_servers, "SCALES", {"quick": dra_servers.ServersScale((5, 8), 2, 100.0)})

    def test_one_of_one_s_own_is_in_the_figure_and_the_table(self, answer, drawn):
        own = ROOT / "resources" / "policies" / "keep_room.py"
        found = answer("reproduce dra-fig3 --workers 1 --policy", f"{own}:kept=2", "--policy", "first-fit")
        names = [row["policy"] for row in found["rows"] if "policy" in row]
        assert names == ["keep_room.py:kept=2"] * 2 + ["first-fit"] * 2
        (figure, _), *_ = drawn
        assert [curve.name for curve in figure.curves][-2:] == ["keep_room.py:kept=2", "first-fit"]
        alone = answer("reproduce dra-fig3 --workers 1 --fresh")
        assert [row for row in found["rows"] if "policy" not in row] == alone["rows"]

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            ("dra-fig2 --policy dra", "--policy: dra-fig2 compares no policies; allowed: dra-fig3, "),
            ("dra-fig3 --policy jrs", "--policy: found 'jrs', a policy of phases systems, allowed"),
            ("dra-fig3 --policy dra --policy dra", "--policy: found dra twice, allowed: once"),
        ],
    )
    def test_what_cannot_be_there_is_refused_in_a_line(self, slotscope, words, said):
        refused = slotscope(f"reproduce {words}")
        assert refused.code == 2
        assert said in refused.err
        assert refused.err.count("\n") == 1


class TestGoingOn:
    @pytest.fixture(autouse=True)
    def small(self, monkeypatch, drawn):
        monkeypatch.setattr(dra_collections, "SCALES", {"quick": 3})

    def test_finished_parts_are_taken_and_give_the_same_bytes(self, slotscope, monkeypatch, tmp_path):
        command = "reproduce dra-collections --workers 1"
        first = slotscope(f"{command} --json --out here")
        monkeypatch.setattr(dra_collections, "carry_out", None)  # would fail if it were called
        again = slotscope(f"{command} --json --out here")
        assert (again.out, again.err) == (first.out, "")

    def test_a_half_of_the_parts_is_completed(self, slotscope, tmp_path):
        command = "reproduce dra-collections --workers 1 --json --out here"
        first, path = slotscope(command), tmp_path / "here" / "dra-collections.parts.jsonl"
        lines = path.read_bytes().splitlines(keepends=True)
        assert len(lines) == 6
        path.write_bytes(b"".join(lines[:3]) + lines[3][:50])
        again = slotscope(command)
        assert again.out == first.out
        assert again.err == (
            "slotscope: warning: here/dra-collections.parts.jsonl: 1 damaged line is left out; "
            "its part is carried out again\n"
        )
        assert len(path.read_bytes().splitlines()) == 7

    def test_fresh_begins_anew(self, slotscope, tmp_path):
        path = tmp_path / "here" / "dra-collections.parts.jsonl"
        path.parent.mkdir()
        path.write_text("rubbish\n")
        said = slotscope("reproduce dra-collections --workers 1 --fresh --out here")
        assert (said.code, besides_signs_of_life(said.err)) == (0, "")
        assert b"rubbish" not in path.read_bytes()

    def test_ctrl_c_says_how_to_go_on(self, slotscope, monkeypatch, tmp_path):
        honest, calls = dra_collections.carry_out, []

        def interrupted(part):
            calls.append(part)
            if len(calls) == 4:
                raise KeyboardInterrupt
            return honest(part)

        monkeypatch.setattr(dra_collections, "carry_out", interrupted)
        said = slotscope("reproduce dra-collections --workers 1")
        assert (said.code, said.out) == (130, "")
        assert said.err == (
            "slotscope: stopped; 3 of 6 parts are finished and kept; the same command goes on "
            "from there, and with --fresh begins anew\n"
        )
        assert slotscope("reproduce dra-collections --workers 1").code == 0
        assert len(calls) == 4 + 3

    def test_a_store_that_is_no_file_is_refused(self, refusal, tmp_path):
        (tmp_path / "here" / "dra-fig2.parts.jsonl").mkdir(parents=True)
        assert refusal("reproduce dra-fig2 --out here") == (
            "here/dra-fig2.parts.jsonl: found a folder or device, allowed: a file of finished "
            "parts; choose another folder with --out"
        )


class TestTrace:
    @pytest.fixture(autouse=True)
    def small(self, monkeypatch, drawn):
        monkeypatch.setattr(dra_google, "SCALES", {"quick": dra_google.GoogleScale((0.5, 1.5), 2)})
        monkeypatch.setattr(dra_google_time, "SCALES", {"quick": 20})

    @pytest.mark.parametrize("name", ["dra-fig5", "dra-fig6", "queues-fig1", "queues-fig5"])
    def test_without_a_path_the_excerpt_that_ships_is_read_and_a_line_says_so(self, slotscope, monkeypatch, name):
        read = []
        monkeypatch.setattr(reproduce, "carry_out", lambda options, *_: read.extend(options.trace) or 0)
        said = slotscope(f"reproduce {name}")
        assert [Path(path).name for path in read] == ["google-2011.csv.gz"]
        assert said.err.startswith("slotscope: no trace was given: this is one of ten jobs of Google's first file; ")

    def test_a_path_that_is_not_there(self, refusal):
        assert "nowhere.csv" in refusal("reproduce dra-fig5 --trace nowhere.csv")

    def test_others_take_none(self, refusal):
        assert refusal("reproduce dra-fig2 --trace a.csv") == (
            "--trace: dra-fig2 runs on no trace; allowed: dra-fig5, dra-fig6, queues-fig1, queues-fig5"
        )

    def test_no_policy_is_above_the_bound(self, answer, shared_traces):
        found = answer("reproduce dra-fig5 --workers 1 --trace", shared_traces / SAMPLE)
        rewards = {(row["policy"], row["L"]): row["ours"] for row in found["rows"] if row["what"] == "mean_reward"}
        names = {name for name, _ in rewards}
        assert names == {"upper bound", "DRA", "DRA+Preemption", "power of 5 choices"}
        for (_, servers), reward in rewards.items():
            assert 0 < reward <= rewards["upper bound", servers]
        assert any("485 completed jobs from 1 file" in note for note in found["notes"])

    def test_rewards_over_time_come_with_what_arrives(self, answer, drawn, shared_traces):
        found = answer("reproduce dra-fig6 --workers 1 --trace", shared_traces / SAMPLE)
        assert {row["what"] for row in found["rows"]} == {"mean_reward", "share_of_time_ahead"}
        (rewards, _), _, (arrivals, _), _ = drawn
        assert [len(curve.y) for curve in rewards.curves] == [20] * 4
        assert [curve.name for curve in arrivals.curves] == ["priority 0", "priority 1", "priority 2"]
        bound, *others = (curve.y for curve in rewards.curves)
        for path in others:
            assert all(mine <= most + 1e-9 for mine, most in zip(path, bound, strict=True))


class TestCluster:
    def test_without_dask_it_says_how_to_install_it(self, refusal, monkeypatch):
        monkeypatch.setitem(sys.modules, "distributed", None)
        assert refusal("reproduce dra-fig2 --cluster local") == (
            "--cluster: a cluster needs the package dask[distributed], which is not installed; "
            "pip install 'slotscope[cluster]'"
        )

    @pytest.mark.parametrize("address", ["somewhere", "http://somewhere:80", "''"])
    def test_an_address_that_is_none(self, refusal, address):
        pytest.importorskip("distributed", reason="dask[distributed] is not installed")
        line = refusal(f"reproduce dra-fig2 --cluster {address}")
        assert line.startswith(f"--cluster: found '{address.strip(chr(39))}', allowed: 'local'")

    def test_nobody_at_an_address(self, tmp_path):
        pytest.importorskip("distributed", reason="dask[distributed] is not installed")
        code = (
            "import sys; from slotscope.__main__ import main; from slotscope.model.lab import cluster;"
            "cluster.TIMEOUT = 1; sys.exit(main(sys.argv[1:]))"
        )
        command = ["reproduce", "dra-fig2", "--cluster", "tcp://127.0.0.1:9", "--out", tmp_path]
        found = subprocess.run(
            [sys.executable, "-c", code, *command], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert (found.returncode, found.stdout) == (2, "")
        assert found.stderr.startswith("slotscope: --cluster: no Dask scheduler answers at 'tcp://127.0.0.1:9'")
        assert found.stderr.count("\n") == 1

    def test_a_local_cluster_gives_what_worker_processes_give(self, tmp_path):
        pytest.importorskip("distributed", reason="dask[distributed] is not installed")
        sweep = "sweep dra-classroom --vary servers.count=6,7 --replications 2 --until 30 --json"
        outputs = []
        for place, who in enumerate((["--cluster", "local", "--workers", "2"], ["--workers", "1"], ["--workers", "2"])):
            folder = tmp_path / str(place)
            folder.mkdir()
            found = program(*sweep.split(), *who, cwd=folder)
            outputs.append(found.communicate()[0])
            assert found.returncode == 0
        assert outputs[0] == outputs[1] == outputs[2]
        assert len(json.loads(outputs[0])["rows"]) == 2 * 6


WHAT = "dra-classroom --vary servers.count=5,6,7,8,9 --replications 6 --until 3000"
SWEEP = ["sweep", *WHAT.split(), "--workers", "2", "--json", "--out", "out"]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The output of an uninterrupted SWEEP, and the folder in which it ran."""
    folder = tmp_path_factory.mktemp("undisturbed")
    found = program(*SWEEP, cwd=folder)
    said, _ = found.communicate()
    assert found.returncode == 0
    return said, folder


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as on POSIX")
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT])
def test_a_command_that_is_killed_goes_on_from_there(sent, tmp_path, undisturbed):
    store = tmp_path / "out" / "sweep-dra-classroom.parts.jsonl"
    process = program(*SWEEP, cwd=tmp_path, start_new_session=True)
    while process.poll() is None and not (store.exists() and "\n" in store.read_text()):
        time.sleep(0.001)
    # Ctrl+C in a terminal is sent to all processes; the workers of a killed one end by themselves.
    if sent == signal.SIGINT:
        os.killpg(process.pid, sent)
    else:
        process.kill()
    _, said = process.communicate()
    if sent == signal.SIGINT:
        assert re.fullmatch(r"slotscope: stopped; [0-9]+ of 30 parts are finished .*\n", said)
    assert process.returncode == (130 if sent == signal.SIGINT else -sent)
    kept = [json.loads(line)["key"] for line in store.read_text().splitlines()]
    assert 0 < len(kept) < 30
    whole, folder = undisturbed
    again = program(*SWEEP, cwd=tmp_path)
    assert again.communicate()[0] == whole
    assert again.returncode == 0
    keys = [json.loads(line)["key"] for line in store.read_text().splitlines()]
    assert keys[: len(kept)] == kept
    assert len(set(keys)) == len(keys) == 30
    for name in ("sweep-dra-classroom.csv", "sweep-dra-classroom.json"):
        assert (tmp_path / "out" / name).read_bytes() == (folder / "out" / name).read_bytes()


def test_every_experiment_is_a_plan():
    for name in experiments():
        module = experiment_module(name)
        assert callable(module.parts)
        assert callable(module.result)
        assert name == (module.name if hasattr(module, "name") else module.NAME)
        assert set(module.SCALES if hasattr(module, "SCALES") else ("quick", "paper")) == {"quick", "paper"}
