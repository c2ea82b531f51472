"""Experiments on queues, at sizes that take a moment: exact sums, verdicts, messages."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any, Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slotscope.model.errors import UserError
from slotscope.model.kinds.queue.experiments import (
    queue_runs,
    queues_fig1,
    queues_fig3,
    queues_fig4,
    queues_fig5,
    queues_limits,
)
from slotscope.model.kinds.queue.experiments.queue_runs import CUTS, QueueLength, QueueRuns, edges_of, sums_of_the_queue
from slotscope.model.kinds.queue.numbers import numbers_of
from slotscope.model.lab import experiment_module, experiments
from slotscope.model.lab.parts import carry_out
from slotscope.model.lab.plan import NO_OPTIONS, Options
from slotscope.model.lab.runner import run_plan
from slotscope.model.running.engine import ReferenceEngine, Task, started
from slotscope.model.scenario.load import load_scenario, parse_scenario
from slotscope.model.session.bench import open_bench
from tests.model.trace_files import TRACES, needs_traces, oracle

pytestmark = pytest.mark.slow

GOOGLE = TRACES / "google2011/task_events-job_id-mod151eq2.csv.gz"

START = 600_000_000
TINY = QueueLength(2500, 2)


def task_events(path: Path, jobs: int = 400) -> tuple[str, ...]:
    """A trace of *jobs* tasks that ran for about three seconds each, with one arrival every tenth of a second."""
    rows = []
    random = np.random.default_rng(7)
    for job in range(jobs):
        submit = START + 100_000 * job
        end = submit + int(random.integers(10**6, 5 * 10**6))
        cpu, memory = random.choice(["0.0625", "0.25", "0.3", "0.5"], 2)
        rows += [
            (time, f"{time},,{job},0,,{kind},user,2,1,{cpu},{memory},0,")
            for time, kind in ((submit, 0), (submit, 1), (end, 4))
        ]
    rows.sort(key=lambda row: row[0])
    path.write_text("\n".join(line for _, line in rows) + "\n")
    return (str(path),)


class TestSums:
    @pytest.mark.parametrize("policy", ["bf-js", "vqs", "vqs-bf", "fifo-ff"])
    def test_they_are_those_of_every_slot(self, policy: str) -> None:
        bench = open_bench(load_scenario("queues-classroom"), policy, 3)
        state, tape = started(bench.system), np.zeros(20_000, bench.system.row_dtype)
        result = ReferenceEngine(bench.system).advance(state, tape, Task(until=4999))
        rows, queue = tape[: result.rows], np.zeros(5000)
        for row in rows:
            queue[int(row["time"]) :] = row["waiting"]
        found = sums_of_the_queue(bench, 5000)
        assert found == queue.reshape(CUTS, -1).sum(axis=1).tolist()

    def test_without_a_kernel_they_are_the_same(self, monkeypatch: pytest.MonkeyPatch) -> None:
        compiled = sums_of_the_queue(open_bench(load_scenario("queues-classroom"), None, 5), 2500)
        bench = open_bench(load_scenario("queues-classroom"), None, 5)
        monkeypatch.setattr(type(bench), "has_kernel", False)
        assert sums_of_the_queue(bench, 2500) == compiled

    def test_a_longer_run_begins_like_a_shorter_one(self) -> None:
        short = sums_of_the_queue(open_bench(load_scenario("queues-classroom")), 2500)
        long = sums_of_the_queue(open_bench(load_scenario("queues-classroom")), 5000)
        assert np.array(long[: CUTS // 2]).tolist() == np.array(short).reshape(-1, 2).sum(1).tolist()

    def test_edges_are_slots(self) -> None:
        assert (np.diff(edges_of(5000)) == 20).all()


def outcome(areas: Any) -> Any:
    return queue_runs.outcome_of(np.asarray(areas, float).tolist(), 25_000)


class TestCell:
    noise = np.random.default_rng(1).normal(0, 3, (4, CUTS))

    def test_a_stable_queue_has_a_mean(self) -> None:
        cell = QueueRuns.of([outcome(100 * (50 + row)) for row in self.noise], 25_000)
        growth, mean = cell.rows({"policy": "x"})
        assert growth.what == "growth_per_slot"
        assert mean.what == "mean_queue"
        assert abs(mean.ours - 50) < 3 * mean.half_width < 1
        assert growth.at == mean.at == {"policy": "x", "verdict": "stable"}

    def test_a_growing_queue_has_none(self) -> None:
        slots = 100 * np.arange(CUTS)
        walk = 0.01 * slots + np.cumsum(self.noise, axis=1)
        cell = QueueRuns.of([outcome(100 * row) for row in walk], 25_000)
        growth, average = cell.rows({})
        assert abs(growth.ours - 0.01) < 2 * growth.half_width
        assert average.what == "average_over_run"
        assert average.at == {"verdict": "unstable", "slots": 25_000}
        assert cell.path("x").y == pytest.approx(walk.mean(axis=0))
        stretch = 25_000 / CUTS
        assert cell.path("x").x[:2] == (stretch / 2, 3 * stretch / 2)  # each at the middle of its stretch

    def test_the_warm_up_is_left_out(self) -> None:
        rows = 100 * (50 + self.noise)
        rows[:, : queue_runs.WARMUP_CUTS] = 10**6
        plain = QueueRuns.of([outcome(100 * (50 + row)) for row in self.noise], 25_000)
        late = QueueRuns.of([outcome(row) for row in rows], 25_000)
        assert late.mean == plain.mean
        assert late.growth == plain.growth

    def test_replications_that_differ_widen_the_interval(self) -> None:
        means = [40, 45, 50, 55, 60]
        cell = QueueRuns.of([outcome(100 * (mean + self.noise[0])) for mean in means], 25_000)
        assert cell.mean.half_width == cell.average.half_width > 9


@pytest.fixture
def scales(monkeypatch: pytest.MonkeyPatch) -> None:
    """A function that gives every experiment a scale called ``test``."""
    monkeypatch.setattr(queues_fig3, "SCALES", {"test": TINY})
    monkeypatch.setattr(
        queues_fig4, "SCALES", {"test": queues_fig4.IntensityScale(TINY, {"BF-J/S": QueueLength(5000, 1)})}
    )
    monkeypatch.setattr(queues_limits, "SCALES", {"test": TINY})
    monkeypatch.setattr(
        queues_fig5, "SCALES", MappingProxyType({"test": ("1", "1.6"), "paper": queues_fig5.SCALES["paper"]})
    )
    monkeypatch.setattr(queues_limits, "SYSTEMS", {"queues-vqs-unstable": 2.0, "queues-bf-unstable": None})


NAMES = [name for name, item in experiments().items() if item.system == "queue"]


@pytest.fixture(params=NAMES)
def experiment(request: pytest.FixtureRequest, scales: None, tmp_path: Path) -> Iterator[tuple[Any, Options]]:
    """Each experiment, small, with a trace where it needs one."""
    options = NO_OPTIONS
    if experiments()[request.param].needs_trace:
        options = Options(task_events(tmp_path / "part.csv"))
    yield experiment_module(request.param), options


class TestEveryExperiment:
    def test_parts_are_always_the_same_and_differ(self, experiment: tuple[Any, Options]) -> None:
        plan, options = experiment
        parts = plan.parts("test", options)
        assert parts == plan.parts("test", options)
        assert len({part.key for part in parts}) == len({part.label for part in parts})
        assert len({part.label for part in parts}) == len(parts)

    def test_results_can_be_made_of_some_and_all(self, experiment: tuple[Any, Options], tmp_path: Path) -> None:
        plan, options = experiment
        parts = plan.parts("test", options)
        outcomes = {part: carry_out(part) for part in parts}
        whole = plan.result("test", options, outcomes)
        assert plan.result("test", options, {}).experiment in NAMES
        some = plan.result("test", options, {part: outcomes[part] for part in parts[::3]})
        places = {
            (row.what, tuple(sorted((key, value) for key, value in row.at.items() if key not in {"verdict", "slots"})))
            for row in whole.rows
        }
        for row in some.rows:
            at = {key: value for key, value in row.at.items() if key not in {"verdict", "slots"}}
            names = (
                {row.what} if row.what not in {"mean_queue", "average_over_run"} else {"mean_queue", "average_over_run"}
            )
            assert any((name, tuple(sorted(at.items()))) in places for name in names)
        assert whole.rows
        assert {"paper", "ours", "half_width"} <= set(whole.as_dict()["rows"][0])
        assert json.dumps(whole.as_dict())
        whole.write(tmp_path)
        for figure in (*whole.figures, *some.figures):
            for curve in figure.curves:
                assert len(curve.x) == len(curve.y) > 0
                assert len(curve.half_width) in (0, len(curve.x))

    def test_titles_fit_the_picture(self, experiment: tuple[Any, Options]) -> None:
        plan, options = experiment
        outcomes = {part: carry_out(part) for part in plan.parts("test", options)}
        for figure in plan.result("test", options, outcomes).figures:
            assert len(figure.title) <= 70


def rows_of(result: Any, what: str, *keys: str) -> dict[Any, Any]:
    found = {tuple(row.at[key] for key in keys): row for row in result.rows if row.what == what}
    return {key[0] if len(key) == 1 else key: row for key, row in found.items()}


class TestLimits:
    def test_the_table(self, scales: None, monkeypatch: pytest.MonkeyPatch) -> None:
        systems = {
            "queues-vqs-unstable": 2.0,
            "queues-bf-unstable": None,
            queues_limits.UNIFORM: None,
            "queues-wide-jobs": None,
        }
        monkeypatch.setattr(queues_limits, "SYSTEMS", systems)
        monkeypatch.setattr(queues_limits, "INTENSITIES", {"vqs": ("0.5",), "vqs-bf": ("2",)})
        result = run_plan(queues_limits, "test")
        exact = rows_of(result, "supportable_workload", "system")
        assert (exact["queues-vqs-unstable"].exact, exact["queues-vqs-unstable"].paper) == ("2", 2)
        assert exact["queues-bf-unstable"].exact == "10/3"
        for ending, sign in (("lower", 1), ("upper", -1)):
            found = rows_of(result, f"theorem_1_{ending}", "system", "cells")
            for cells in (2, 4, 8, 16, 32, 64):
                row = found[queues_limits.UNIFORM, cells]
                assert Fraction(row.exact) == Fraction(2 * cells, cells + sign)
        ratios = rows_of(result, "proposition_1_ratio", "J")
        assert {row.exact for row in ratios.values()} == {"2/3"}
        assert list(ratios) == [2, 3, 4, 5]
        reduced = rows_of(result, "reduced_workload", "system")
        assert reduced["queues-vqs-unstable"].exact == "4/3"
        assert 0.81 < reduced["queues-wide-jobs"].ours / 10 < 0.82
        slopes = rows_of(result, "fluid_growth_per_slot", "system", "policy")
        assert slopes["queues-vqs-unstable", "vqs"].exact == "3/5000"
        rates = rows_of(result, "largest_arrival_rate", "system")
        assert rates["queues-vqs-unstable"].exact == "1/75"
        assert len(rows_of(result, "unstable_from_intensity", "policy")) == 1


class TestTraces:
    @pytest.mark.parametrize("module", [queues_fig1, queues_fig5])
    def test_without_one_it_is_asked_for(self, module: Any) -> None:
        with pytest.raises(UserError, match="--trace PATH"):
            module.parts("quick", NO_OPTIONS)
        with pytest.raises(UserError, match="absent"):
            module.parts("quick", Options(("absent.csv",)))

    def test_requests_are_counted(self, tmp_path: Path) -> None:
        result = run_plan(queues_fig1, "quick", Options(task_events(tmp_path / "part.csv")))
        assert {row.what: row.ours for row in result.rows} == {
            "distinct_memory": 4,
            "distinct_cpu": 4,
            "distinct_pairs": 16,
        }
        assert [row.paper for row in result.rows] == [700, 400, 10_000]
        assert result.rows[0].at == {"tasks": 400}
        shares = result.figures[1].curves[0]
        assert shares.x == (0.0625, 0.25, 0.3, 0.5)
        assert shares.y[-1] == 1.0

    def test_servers_follow_from_the_load(self, scales: None, tmp_path: Path) -> None:
        options = Options(task_events(tmp_path / "part.csv"))
        known = queues_fig5.facts(options.trace)
        # About 30 slots of 0.35 at one job per slot, and 1.6 times as much at the highest rate.
        assert known.loads["1"] == pytest.approx(0.37 * 28, rel=0.15)
        assert 0.85 < known.loads["1.6"] / known.servers < 1
        result = run_plan(queues_fig5, "test", options)
        queues = rows_of(result, "average_queue", "policy", "traffic_scaling")
        for name in queues_fig5.POLICIES:
            assert queues[name, 1.6].ours > queues[name, 1.0].ours
        assert queues["BF-J/S", 1.6].ours < queues["VQS", 1.6].ours
        assert np.isnan(queues["VQS", 1.6].half_width)
        assert f"{known.servers} servers are chosen" in result.notes[1]

    def test_the_load_is_that_of_infinitely_many_servers(self, tmp_path: Path) -> None:
        jobs = queues_fig5.jobs_at(task_events(tmp_path / "part.csv"), "some text", "1.2")
        level = np.zeros(jobs.slots)
        for slot, service, size in zip(jobs.slot, jobs.service, jobs.size[:, 0], strict=True):
            level[slot : slot + service] += size / 10**12
        assert queues_fig5.mean_load(jobs) == pytest.approx(level.mean())

    @needs_traces
    def test_figure_1_on_real_data(self) -> None:
        told = oracle("google2011_job_subset")
        result = run_plan(queues_fig1, "quick", Options((str(GOOGLE),)))
        found = {row.what: row.ours for row in result.rows}
        assert found["distinct_cpu"] == told["all_rows_distinct_cpu"]
        assert found["distinct_memory"] == told["all_rows_distinct_mem"]
        assert found["distinct_pairs"] == told["all_rows_distinct_cpu_mem_pairs"]
        assert result.rows[0].at["tasks"] == told["tasks_job_index"]

    @needs_traces
    def test_figure_5_on_real_data(self, scales: None) -> None:
        result = run_plan(queues_fig5, "test", Options((str(GOOGLE),)))
        queues = rows_of(result, "average_queue", "policy", "traffic_scaling")
        assert queues["BF-J/S", 1.6].ours <= queues["FIFO-FF", 1.6].ours


class TestPlans:
    def test_objects_are_found_inside_modules(self) -> None:
        assert experiment_module("queues-fig4b") is queues_fig4.WIDE_JOBS
        assert experiment_module("queues-fig3a").name == "queues-fig3a"
        assert experiment_module("queues-fig1") is queues_fig1
        for name in NAMES:
            plan = experiment_module(name)
            assert name in (getattr(plan, "name", ""), getattr(plan, "NAME", ""))

    def test_all_policies_of_a_cell_meet_the_same_jobs(self) -> None:
        parts = queues_fig4.SMALL_JOBS.parts("quick", NO_OPTIONS)
        scenarios = {part.settings["scenario"]["workload"]["intensity"] for part in parts}
        assert len(scenarios) == len(queues_fig4.INTENSITIES)
        assert {part.seed for part in parts} == {1, 2, 3, 4}

    def test_intensities_are_exact(self) -> None:
        for part in queues_fig4.WIDE_JOBS.parts("quick", NO_OPTIONS)[::9]:
            bench = open_bench(parse_scenario(part.settings["scenario"]))
            assert str(float(numbers_of(bench.scenario).intensity)) in part.label + "0"  # type: ignore[arg-type]

    @settings(max_examples=5, deadline=None)
    @given(st.integers(1, 10**6))
    def test_lengths_are_told(self, runs: int) -> None:
        assert QueueLength(1_000_000, runs).text() == f"{runs} runs of 1,000,000 slots"
