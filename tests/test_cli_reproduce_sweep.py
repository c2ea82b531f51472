"""Sweeps from the command line: any field and any policies, validated before anything runs."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest

from slotscope import __main__ as main

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[1] / "resources" / "policies"
SAMPLE = "google2011/task_events-job_id-mod151eq2.csv.gz"


@pytest.fixture(autouse=True)
def drawn(monkeypatch):
    """The requested figures, which are not drawn."""
    found = []

    def note_down(figure, path):
        found.append(figure)
        return True

    monkeypatch.setattr(main, "draw", note_down)
    return found


@pytest.fixture
def refusal(slotscope, monkeypatch):
    """A function that runs a sweep, which must be refused with one line, and returns the line.

    Nothing may have run before.
    """
    monkeypatch.setattr("slotscope.model.lab.simulation.carry_out", None)

    def run(command):
        said = slotscope(f"sweep {command} --workers 1")
        assert (said.code, said.out) == (2, "")
        assert said.err.count("\n") == 1
        assert not Path("slotscope-results").exists()
        return said.err.removeprefix("slotscope: ").rstrip("\n")

    return run


def sweep(answer, command, *words):
    return answer(f"sweep --workers 1 {command}", *words)


class TestNumbers:
    def test_each_combination_is_a_row_for_each_measure(self, answer, tmp_path):
        found = sweep(
            answer,
            "dra-example-1 --until 20 --replications 2 "
            "--vary servers.count=5,9 --vary policy.parameters.reservation_factor=1,log^2",
        )
        rewards = [row for row in found["rows"] if row["what"] == "reward_rate"]
        assert [(row["servers.count"], row["policy.parameters.reservation_factor"]) for row in rewards] == [
            (5, 1),
            (5, "log^2"),
            (9, 1),
            (9, "log^2"),
        ]
        assert all(row["half_width"] > 0 for row in rewards)
        folder = tmp_path / "slotscope-results"
        table = list(csv.DictReader((folder / "sweep-dra-example-1.csv").read_text().splitlines()))
        assert len(table) == len(found["rows"])
        kept = json.loads((folder / "sweep-dra-example-1.json").read_text())
        assert kept["rows"] == found["rows"]

    def test_a_point_is_what_run_measures(self, answer):
        found = sweep(
            answer,
            "dra-example-1 --vary servers.count=12 --policy first-fit --until 40 --warmup 4 --seed 7 --replications 3",
        )
        alone = answer("run dra-example-1 --policy first-fit --until 40 --warmup 4 --seed 7 --replications 3")[
            "metrics"
        ]
        for row in found["rows"]:
            assert row["ours"] == pytest.approx(alone[row["what"]]["mean"], nan_ok=True)
            assert row["half_width"] == pytest.approx(alone[row["what"]]["half_width"])

    def test_a_shorter_run_has_a_shorter_warm_up(self, answer):
        rows = [
            sweep(answer, f"dra-example-1 --vary servers.count=5 --until 50 --replications 2 {more}")
            for more in ("", "--warmup 5", "--warmup 6")
        ]
        assert rows[0] == rows[1]
        assert rows[0] != rows[2]

    def test_policies_meet_the_same_jobs(self, answer):
        found = sweep(
            answer,
            "dra-classroom --until 100 --replications 2 --policy dra --policy power-of-d:choices=3 --policy first-fit",
        )
        totals = {}
        for row in found["rows"]:
            if row["what"] in ("admitted", "rejected"):
                totals[row["policy"]] = totals.get(row["policy"], 0) + row["ours"]
        assert len(totals) == 3
        assert len({round(total, 9) for total in totals.values()}) == 1

    def test_differences_of_policies_are_paired(self, answer):
        found = sweep(
            answer,
            "dra-classroom --until 100 --replications 3 --seed 4 "
            "--vary servers.count=6,7 --policy dra --policy first-fit",
        )
        gains = [row for row in found["rows"] if row["what"] == "reward_rate_gain"]
        assert [(row["servers.count"], row["policy"], row["over"]) for row in gains] == [
            (6, "first-fit", "dra"),
            (7, "first-fit", "dra"),
        ]
        means = {
            (row["servers.count"], row["policy"]): row["ours"] for row in found["rows"] if row["what"] == "reward_rate"
        }
        for row in gains:
            servers = row["servers.count"]
            difference = means[servers, "first-fit"] - means[servers, "dra"]
            assert row["ours"] == pytest.approx(difference)
        alone = [
            {
                policy: answer(f"run dra-classroom --until 100 --seed {seed} --policy {policy}")["metrics"][
                    "reward_rate"
                ]["mean"]
                for policy in ("dra", "first-fit")
            }
            for seed in (4, 5, 6)
        ]
        differences = np.array([one["first-fit"] - one["dra"] for one in alone])
        assert gains[1]["half_width"] == pytest.approx(4.302652729911275 * differences.std(ddof=1) / 3**0.5)

    def test_a_trace_can_be_swept(self, answer, shared_traces):
        found = sweep(
            answer,
            "dra-google --vary servers.count=2,4 --replications 1 --until 3000 --warmup 0 --trace",
            shared_traces / SAMPLE,
        )
        rewards = [row["ours"] for row in found["rows"] if row["what"] == "reward_rate"]
        assert rewards[0] > rewards[1] > 0

    def test_text_is_one_line_for_each_combination(self, slotscope):
        said = slotscope("sweep dra-classroom --vary servers.count=5,6 --until 40 --workers 1")
        lines = said.out.splitlines()
        assert re.match(r"servers.count +reward_rate +\+/- +rejection_probability", lines[0])
        assert [line.split()[0] for line in lines[2:4]] == ["5", "6"]
        assert "Seeds 171 to 174 for every combination" in said.out


class TestPicture:
    def test_the_first_axis_of_numbers_goes_across(self, answer, drawn):
        sweep(
            answer,
            "dra-classroom --until 30 --replications 2 --policy dra --policy first-fit "
            "--vary initial.start=empty --vary job_types.web.workload=2,1/2,1",
        )
        figure = drawn[0]
        assert figure.x_label == "job_types.web.workload"
        assert [curve.name for curve in figure.curves] == [
            "initial.start = empty, policy = dra",
            "initial.start = empty, policy = first-fit",
        ]
        assert [curve.x for curve in figure.curves] == [(0.5, 1.0, 2.0)] * 2

    def test_a_policy_of_one_s_own_is_called_without_its_folder(self, answer, drawn):
        own = EXAMPLES / "half_of_the_rest.py"
        sweep(
            answer,
            "moldable-classroom --until 30 --replications 2 --vary servers.count=8,10 --policy",
            own,
            "--policy",
            "greedy",
        )
        assert [curve.name for curve in drawn[0].curves] == ["policy = half_of_the_rest.py", "policy = greedy"]

    def test_shares_are_in_per_cent_where_the_axis_says_so(self, answer, drawn):
        said = sweep(answer, "moldable-classroom --until 60 --replications 2 --vary servers.count=8,10 --json")
        blocked = [row["ours"] for row in said["rows"] if row["what"] == "blocking_probability"]
        assert drawn[0].y_label == "blocked, %"
        assert drawn[0].curves[0].y == pytest.approx([100 * share for share in blocked])
        assert min(blocked) > 0

    def test_without_numbers_there_is_none(self, answer, drawn):
        sweep(answer, "dra-classroom --until 30 --policy dra --policy first-fit")
        assert drawn == []


class TestPaths:
    @pytest.mark.parametrize(
        "path",
        [
            "job_types[0].workload",
            "job_types.web.workload",
            "job_types[0].reward",
            "job_types[2].service.mean",
            "servers.capacity.CPU",
            "run.warmup",
        ],
    )
    def test_a_field_is_found(self, answer, path):
        found = sweep(answer, f"dra-classroom --vary {path}=4,9 --until 30 --replications 1")
        rewards = [row["ours"] for row in found["rows"] if row["what"] == "reward_rate"]
        assert len(rewards) == 2
        assert rewards[0] != rewards[1]

    @pytest.mark.parametrize(
        ("vary", "line"),
        [
            ("servers.cuont=1", "--vary servers.cuont=1: servers.cuont: found an unknown key; did you mean 'count'?"),
            ("servers.count=4,0", "--vary servers.count=0: servers.count: found 0, allowed: a number of at least 1"),
            (
                "servers.count",
                "--vary: found 'servers.count', allowed: PATH=VALUE,VALUE,... such as servers.count=20,60",
            ),
            (
                "servers.count=",
                "--vary: found 'servers.count=', allowed: PATH=VALUE,VALUE,... such as servers.count=20,60",
            ),
            ("servers.count=3,3", "--vary: found a value twice in 'servers.count=3,3', allowed: each once"),
            (
                "job_types.wbe.reward=1",
                "--vary: job_types: no entry is called 'wbe'; did you mean 'web'? known are database, training, web",
            ),
            ("job_types[9].reward=1", "--vary: job_types: found position 9, allowed: 0 to 2"),
            ("sevrers.count=1", "--vary: sevrers.count: no field is called 'sevrers'; did you mean 'servers'? "),
            ("run.until.x=3", "--vary: run.until.x: found 'run.until.x', but run.until has no fields"),
            ("servers.=3", "--vary: servers: no field is called ''"),
            ("job_types=3", "--vary job_types=3: job_types: found 3, allowed: a list"),
            (
                "seed=3",
                "--vary: found seed, allowed: --seed and --replications, so that all combinations meet the same jobs",
            ),
            ("policy.parameters.foo=1", "--vary policy.parameters.foo=1: policy.parameters.foo: found an unknown key"),
            ("policy.name=dar", "--vary policy.name=dar: policy.name: no policy is called 'dar'"),
            (
                "workload.kind=trace",
                "--vary workload.kind=trace: workload.scale: found a key that 'trace' does not have",
            ),
        ],
    )
    def test_a_slip_is_told_before_anything_runs(self, refusal, vary, line):
        assert refusal(f"dra-classroom --vary '{vary}'").startswith(line)


class TestErrors:
    @pytest.mark.parametrize(
        ("command", "line"),
        [
            ("dra-classroom", "sweep: found neither --vary nor --policy, allowed: at least one of them"),
            ("dra-classroom --policy dar", "--policy dar: no policy is called 'dar'; did you mean 'dra'?"),
            (
                "dra-classroom --policy power-of-d:choices=50",
                "--policy power-of-d:choices=50: "
                "policy.parameters: found choices = 50, allowed: 1 to the number of servers, 7",
            ),
            ("dra-classroom --policy dra --policy dra", "--policy: found dra twice, allowed: once"),
            (
                "dra-classroom --vary servers.count=1,2 --vary servers.count=3",
                "--vary: found servers.count twice, allowed: once",
            ),
            (
                "dra-classroom --policy dra --until 5 --warmup 5",
                "--warmup: found 5, allowed: a time before the end at 5",
            ),
            (
                "dra-classroom --vary servers.count=2,3 --replications 60000",
                "--vary: found 2 combinations with 60000 replications, allowed: at most 100,000 runs",
            ),
            (
                "dra-classroom --policy dra --seed 9223372036854775807",
                "--seed: found 9223372036854775807 with 4 replications, allowed: a last seed of at "
                "most 9223372036854775807",
            ),
            (
                "dra-classroom --policy dra --trace a.csv",
                "--trace: found the workload 'poisson', allowed: a scenario whose workload is a "
                "trace, such as dra-google",
            ),
            (
                "dra-google --policy dra:foo=1 --trace a.csv",
                "--policy dra:foo=1: policy.parameters.foo: found an unknown key",
            ),
            ("nowhere --policy dra", "no scenario is called 'nowhere'; 'slotscope list' names all "),
        ],
    )
    def test_it_is_told_before_anything_runs(self, refusal, command, line):
        assert refusal(command).startswith(line)


def test_what_is_told_on_the_way_names_the_scenario(slotscope, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("slotscope.model.cli.output.PROGRESS_SECONDS", 0.0)
    said = slotscope("sweep dra-classroom --vary servers.count=5,7 --until 3 --replications 1 --workers 1")
    assert said.code == 0
    assert "\x1b[Ksweep dra-classroom: " in said.err


def test_without_a_trace_the_excerpt_that_ships_is_swept_and_a_line_says_so(slotscope, monkeypatch):
    made = []
    monkeypatch.setattr("slotscope.model.cli.sweep.carry_out", lambda _options, _name, plan, *_: made.append(plan) or 0)
    said = slotscope("sweep queues-google --policy bf-js --until 50 --warmup 5")
    assert said.err.startswith("slotscope: no trace was given: this is one of ten jobs of Google's first file")
    assert [Path(path).name for path in made[0].trace] == ["google-2011.csv.gz"]
    assert made[0].scenario.servers.count == 31
