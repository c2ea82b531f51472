"""Experiments on moldable jobs, at sizes that take a moment: which runs they make, and their messages."""

from __future__ import annotations

import json
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from slotscope.model.api import Session
from slotscope.model.errors import UserError
from slotscope.model.kinds.moldable.experiments import moldable_fig2, moldable_table1
from slotscope.model.kinds.moldable.experiments.moldable_runs import (
    EXECUTION_TIMES,
    SPEEDUPS,
    TRAFFIC,
    MoldableLength,
    MoldableRuns,
    erlang_blocking,
    moldable_runs,
    samples_at,
    system_of,
)
from slotscope.model.kinds.moldable.experiments.moldable_table1 import DISTRIBUTIONS, PAPER, TableScale
from slotscope.model.kinds.moldable.sampling import COUNTS, SCALARS, TIME_COLUMN
from slotscope.model.kinds.moldable.state import ARRIVED, NEXT_ARRIVAL
from slotscope.model.lab import experiment_module, experiment_name, experiments
from slotscope.model.lab.parts import carry_out
from slotscope.model.lab.plan import NO_OPTIONS
from slotscope.model.lab.results import Curve, Figure, points_of
from slotscope.model.lab.runner import run_plan
from slotscope.model.measures.metrics import Estimate
from slotscope.model.running.assembly import Bench
from slotscope.model.scenario.load import parse_scenario
from slotscope.model.session.bench import open_bench

TINY = MoldableLength((400, 900), 2, 100)
NAMES = [name for name, item in experiments().items() if item.system == "moldable"]


@pytest.fixture(autouse=True)
def scales(monkeypatch: pytest.MonkeyPatch) -> None:
    """A function that gives every experiment a scale called ``test``, and fewer servers, laws and horizons."""
    laws = MappingProxyType({name: DISTRIBUTIONS[name] for name in ("exponential", "Pareto")})
    monkeypatch.setattr(
        moldable_table1, "SCALES", {"test": TableScale(MoldableLength((900,), 2), MoldableLength((300, 900), 2))}
    )
    monkeypatch.setattr(moldable_table1, "SERVERS", 50)
    monkeypatch.setattr(moldable_table1, "DISTRIBUTIONS", laws)
    monkeypatch.setattr(moldable_fig2, "SCALES", {"test": ((20, 50), TINY)})
    monkeypatch.setattr(moldable_fig2, "SERVERS", 50)


class TestSystems:
    def test_they_are_those_of_the_paper(self) -> None:
        scenario: Any = system_of("sub-linear", "α = 1/2", 4000, DISTRIBUTIONS["Pareto"])
        numbers = open_bench(scenario).numbers
        assert [float(s) for s in numbers.speedups[0]] == [1, 1.8, 2.5, 3, 3.4]
        assert float(numbers.load) == pytest.approx(1 - 0.1 / 4000**0.5)
        assert numbers.means == (1,)
        size = scenario.classes[0].size
        assert (size.distribution, float(size.shape)) == ("pareto", 1.5)

    def test_every_system_and_law_can_be_run(self) -> None:
        for speedup in SPEEDUPS:
            for traffic in TRAFFIC:
                for law in DISTRIBUTIONS.values():
                    numbers = open_bench(system_of(speedup, traffic, 25, law)).numbers
                    assert numbers.servers == 25
                    assert numbers.degree == 5
                    assert numbers.means == (1,)

    def test_all_numbers_printed_are_there(self) -> None:
        assert set(PAPER) == {(speedup, traffic) for speedup in SPEEDUPS for traffic in TRAFFIC}
        lengths = {len(row) for printed in PAPER.values() for row in printed}
        assert lengths == {len(moldable_table1.DISTRIBUTIONS) + 2}  # the test leaves out two laws


class TestRuns:
    SCENARIO = system_of("sub-linear", "α = 0", 40)

    def test_a_run_ends_with_its_last_arrival(self) -> None:
        bench = open_bench(self.SCENARIO, "greedy-p", 7)
        samples = samples_at(bench, [0, 1, 250, 1000])
        whole = Session.open(self.SCENARIO, "greedy-p", seed=7, kernel=False)
        for number, sample in zip((1, 250, 1000), samples[1:], strict=True):
            whole.run(until=float(np.nextafter(sample[TIME_COLUMN], -1)))
            assert whole.timeline.state.number[NEXT_ARRIVAL] == number - 1
            whole.run(until=float(sample[TIME_COLUMN]))
            state = whole.timeline.state
            assert state.number[NEXT_ARRIVAL] == state.tally[ARRIVED].sum() == number
            row = np.zeros_like(sample)
            bench.system.sample(state, row)
            assert row == pytest.approx(sample)
        assert samples[0][TIME_COLUMN] == 0
        assert not samples[0][SCALARS + COUNTS :].any()

    def test_without_a_kernel_they_are_the_same(self, monkeypatch: pytest.MonkeyPatch) -> None:
        (part, _) = moldable_runs(self.SCENARIO, "greedy-p", TINY, "x")
        compiled = carry_out(part)
        monkeypatch.setattr(Bench, "has_kernel", False)
        assert carry_out(part) == compiled

    def test_measures_are_about_what_follows_the_warm_up(self) -> None:
        cold, warm = (
            MoldableRuns.of([carry_out(part) for part in moldable_runs(self.SCENARIO, "greedy", length, "x")])
            for length in (MoldableLength((500, 2000), 1), MoldableLength((1000, 2000), 1, 500))
        )
        for name in ("admitted", "blocked", "departed"):
            before, after = cold.table[name][0]
            assert warm.table[name][0, 1] == after - before
        arrived = warm.table["admitted"] + warm.table["blocked"]
        assert arrived.tolist() == [[500, 1500]]
        assert warm.measure("blocking_probability").mean == pytest.approx(warm.table["blocked"][0, 1] / 1500)

    def test_the_three_statistics_differ_by_the_jobs_that_still_run(self) -> None:
        scenario = system_of("sub-linear", "α = 0", 40, DISTRIBUTIONS["Pareto"])
        runs = moldable_runs(scenario, "greedy-p", MoldableLength((2000,), 6), "x")
        found = MoldableRuns.of([carry_out(part) for part in runs])
        accepted, completed, little = (found.table[name][:, 0] for name in EXECUTION_TIMES)
        assert (little < accepted).all()
        assert completed.mean() < accepted.mean()
        assert (found.table["departed"] < found.table["admitted"]).all()

    def test_seeds_lengths_and_labels(self) -> None:
        parts = moldable_runs(self.SCENARIO, "greedy-p", TINY, "here")
        assert [part.seed for part in parts] == [1, 2]
        assert [part.label for part in parts] == ["here, seed 1", "here, seed 2"]
        assert {part.length for part in parts} == {900}
        assert TINY.text() == "2 runs of 800 arrivals after 100"
        assert MoldableLength((5_000_000,), 4).text() == "4 runs of 5,000,000 arrivals"
        assert parse_scenario(parts[0].settings["scenario"]) == self.SCENARIO

    def test_where_erlang_holds(self) -> None:
        assert erlang_blocking(self.SCENARIO, "greedy") is not None
        assert erlang_blocking(self.SCENARIO, "greedy-p") is None
        assert erlang_blocking(system_of("linear", "α = 0", 41), "greedy") is None

    def test_an_interval_that_is_not_known_is_not_taken_for_an_exact_number(self) -> None:
        line = Curve.through("x", {2.0: Estimate(1.0, float("inf")), 4.0: Estimate(2.0, 0.5)})
        assert (line.x, line.y, line.half_width[1]) == ((2.0, 4.0), (1.0, 2.0), 0.5)
        assert np.isnan(line.half_width[0])
        figure = Figure("f", "", "load", "jobs", (line,))
        assert [point["half_width"] for point in points_of(figure)] == [None, 0.5]


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return {}


@pytest.fixture
def results(found: dict[str, Any]) -> dict[str, Any]:
    for name in NAMES:
        if name not in found:
            found[name] = run_plan(experiment_module(name), "test")
    return found


class TestResults:
    @pytest.mark.parametrize("name", NAMES)
    def test_files_can_be_written(self, name: str, results: Any, tmp_path: Path) -> None:
        result = results[name]
        result.write(tmp_path)
        data = json.loads((tmp_path / f"{name}.json").read_text())
        assert data["experiment"] == name
        assert len(data["rows"]) == len(result.rows) > 20
        assert result.notes
        assert len({figure.name for figure in result.figures}) == len(result.figures) > 1
        for figure in result.figures:
            names = [line.name for line in figure.curves]
            assert names
            assert len(set(names)) == len(names)

    @pytest.mark.parametrize("name", NAMES)
    def test_of_nothing_and_of_some_parts(self, name: str) -> None:
        plan = experiment_module(name)
        assert plan.result("test", NO_OPTIONS, {}).rows == ()
        assert plan.result("test", NO_OPTIONS, {}).figures == ()
        parts = plan.parts("test", NO_OPTIONS)
        assert len({(part.text, part.seed) for part in parts}) == len(parts)
        some = plan.result("test", NO_OPTIONS, {parts[0]: carry_out(parts[0])})
        assert some.rows
        last = plan.result("test", NO_OPTIONS, {parts[-1]: carry_out(parts[-1])})
        assert last.rows
        assert last.figures

    def test_the_table_stands_beside_the_papers(self, results: Any) -> None:
        rows = results["moldable-table1"].rows
        printed = [row for row in rows if row.paper is not None]
        assert len(printed) == 6 * 2 * 2
        assert {row.what for row in printed} == {"execution_time_completed", "blocking_probability"}
        times = {
            (row.at["speed-up"], row.at["traffic"], row.at["sizes"]): row.paper
            for row in printed
            if row.what == "execution_time_completed"
        }
        assert times["sub-linear", "α = 0", "exponential"] == 0.3782
        for statistic in EXECUTION_TIMES:
            cells = [row for row in rows if row.what == statistic and "traffic" in row.at]
            assert len(cells) == 12
        assert len([row for row in rows if row.what == "blocking_by_erlang"]) == 3

    def test_the_horizon_has_its_own_rows(self, results: Any) -> None:
        rows = [row for row in results["moldable-table1"].rows if "arrivals" in row.at]
        assert {row.at["arrivals"] for row in rows} == {300, 900}
        assert {row.at["sizes"] for row in rows} == {"exponential", "Pareto"}
        assert len(rows) == 2 * 2 * 4
        times, blocking = results["moldable-table1"].figures
        assert len(times.curves) == 6
        assert times.curves[0].x == (0.0003, 0.0009)
        assert len(blocking.curves) == 2
        assert times.levels[0][0] == "D*"

    def test_points_of_the_figure(self, results: Any) -> None:
        rows = results["moldable-fig2"].rows
        for what in ("blocking_probability", "execution_time", "optimal_time"):
            assert len([row for row in rows if row.what == what]) == 3 * 3 * 2
        erlang = [row for row in rows if row.what == "blocking_by_erlang"]
        assert {(row.at["speed-up"], row.at["policy"]) for row in erlang} == {
            ("sub-linear", "greedy"),
            ("linear", "greedy-p"),
        }
        printed = [row for row in rows if row.paper is not None]
        assert {row.at["n"] for row in printed} == {50}
        assert len(printed) == 2 * 3 * 2

    def test_pictures_of_the_figure(self, results: Any) -> None:
        curves = {figure.name: [line.name for line in figure.curves] for figure in results["moldable-fig2"].figures}
        assert list(curves) == ["moldable-fig2a-sub-linear", "moldable-fig2a-linear", "moldable-fig2b"]
        assert len(curves["moldable-fig2a-linear"]) == 6
        assert len(curves["moldable-fig2b"]) == 9 + 3
        assert "Erlang: greedy, sub-linear, α = 1/2" in curves["moldable-fig2a-sub-linear"]
        assert "Erlang: greedy(p*), sub-linear, α = 0" not in curves["moldable-fig2a-sub-linear"]
        assert "D*: greedy(p*), sub-linear, α = 2/3" in curves["moldable-fig2b"]


class TestNames:
    @pytest.mark.parametrize(
        ("short", "name"),
        [
            ("table1", "moldable-table1"),
            ("fig2a", "moldable-fig2"),
            ("fig2b", "moldable-fig2"),
            ("dra-fig2", "dra-fig2"),
        ],
    )
    def test_shorter_ones_are_known(self, short: str, name: str) -> None:
        assert experiment_name(short) == name
        assert experiment_module(short) is experiment_module(name)

    def test_each_means_one_experiment(self) -> None:
        names = [*experiments(), *(short for item in experiments().values() for short in item.also)]
        assert len(set(names)) == len(names)

    def test_others_are_refused(self) -> None:
        with pytest.raises(UserError, match="did you mean 'table1'"):
            experiment_name("table2")

    def test_the_command_takes_them(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from slotscope.model.cli.arguments import parse
        from slotscope.model.cli.reproduce import execute

        scales = {**moldable_fig2.SCALES, "quick": ((20,), MoldableLength((300,), 1))}
        monkeypatch.setattr(moldable_fig2, "SCALES", scales)
        out = tmp_path / "out"
        options = parse(["reproduce", "fig2b", "--workers", "1", "--out", str(out), "--json"])
        assert execute(options, lambda *_: True) == 0
        assert json.loads(capsys.readouterr().out)["experiment"] == "moldable-fig2"
        assert (out / "moldable-fig2.csv").exists()
        assert not list(out.glob("fig2b*"))
