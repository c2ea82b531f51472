"""Experiments on jobs with phases, at sizes that take a moment: which runs they make, and their messages."""

from __future__ import annotations

import json
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slotscope.model.api import Session
from slotscope.model.kinds.phases.experiments import jrs_gap, jrs_misestimation, jrs_peers
from slotscope.model.kinds.phases.experiments.jrs_gap import exponent
from slotscope.model.kinds.phases.experiments.phase_runs import (
    PEERS,
    PhaseLength,
    PhaseRuns,
    at_scale,
    budget_of,
    phase_runs,
    points,
    scaled,
)
from slotscope.model.kinds.phases.measures import COUNTS
from slotscope.model.lab import experiment_module, experiments
from slotscope.model.lab.parts import carry_out
from slotscope.model.lab.plan import NO_OPTIONS
from slotscope.model.lab.results import Curve, Row
from slotscope.model.lab.runner import run_plan
from slotscope.model.measures.metrics import BATCHES, Estimate
from slotscope.model.scenario.load import edited, load_scenario, parse_scenario

pytestmark = pytest.mark.slow

TINY = PhaseLength(2, 8, 2)
NAMES = [name for name, item in experiments().items() if item.system == "phases"]


@pytest.fixture(autouse=True)
def scales(monkeypatch: pytest.MonkeyPatch) -> None:
    """A function that gives every experiment a scale called ``test``, and fewer models and plans."""
    some = MappingProxyType({"two phases": "jrs-two-phases", "fixed sizes": "jrs-fixed-sizes"})
    monkeypatch.setattr(jrs_gap, "SCALES", {"test": ((4, 8, 400, 410), TINY)})
    monkeypatch.setattr(jrs_gap, "MODELS", some)
    monkeypatch.setattr(jrs_peers, "SCALES", {"test": ((5, 20), TINY)})
    monkeypatch.setattr(jrs_peers, "MODELS", some)
    monkeypatch.setattr(jrs_misestimation, "SCALES", {"test": (20, TINY)})
    monkeypatch.setattr(jrs_misestimation, "FACTORS", ("4/5", "1", "6/5"))
    monkeypatch.setattr(jrs_misestimation, "LEARNED", (2,))


def rows_of(result: Any, what: str, *keys: str) -> dict[Any, Any]:
    found = {tuple(row.at[key] for key in keys): row for row in result.rows if row.what == what}
    return {key[0] if len(key) == 1 else key: row for key, row in found.items()}


class TestRuns:
    def test_batches_are_those_of_a_session(self) -> None:
        (part,) = phase_runs(at_scale("jrs-two-phases", 20), "jrs", PhaseLength(5, 40, 1), "x")
        outcome = carry_out(part)
        session = Session.open(parse_scenario(part.settings["scenario"]), "jrs", seed=1)
        found = session.measure(until=45.0, warmup=5.0)
        cell = PhaseRuns.of([outcome])
        for name, value in found.items():
            times = BATCHES if name in COUNTS else 1
            assert times * cell.measure(name).mean == pytest.approx(value.mean), name
            assert times * cell.measure(name).half_width == pytest.approx(value.half_width), name
        assert len(outcome["batches"]["tokens"]) == BATCHES

    def test_without_a_kernel_they_are_the_same(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from slotscope.model.running.assembly import Bench

        (part,) = phase_runs(at_scale("jrs-burst", 5), "jrs", PhaseLength(2, 10, 1), "x")
        compiled = carry_out(part)
        monkeypatch.setattr(Bench, "has_kernel", False)
        assert carry_out(part) == compiled

    def test_the_plan_is_that_of_the_bound(self) -> None:
        for r in (10, 30):
            part = phase_runs(at_scale("jrs-fixed-sizes", r), "jrs", TINY, "x")[0]
            plan = carry_out(part)["plan"]
            assert plan["nbar"] == pytest.approx(0.625 * r)
            assert plan["nbar"] <= plan["servers"] < plan["nbar"] + 3

    def test_peers_have_no_plan(self) -> None:
        part = phase_runs(at_scale("jrs-two-phases", 10), "first-fit", TINY, "x")[0]
        cell = PhaseRuns.of([carry_out(part)])
        assert cell.nbar is cell.servers is None
        assert cell.measure("tokens") == Estimate(0.0, 0.0)

    def test_seeds_and_policies(self) -> None:
        parts = phase_runs(at_scale("jrs-two-phases", 10), "jrs", PhaseLength(1, 2, 3), "x")
        assert [part.seed for part in parts] == [1, 2, 3]
        jobs = [
            carry_out(phase_runs(at_scale("jrs-burst", 10), policy, TINY, "x")[0])
            for policy in ("jrs", "grand", "best-fit")
        ]
        assert jobs[0]["batches"]["real_jobs"] == pytest.approx(jobs[1]["batches"]["real_jobs"])
        assert jobs[1]["batches"]["real_jobs"] == pytest.approx(jobs[2]["batches"]["real_jobs"])

    def test_budgets(self) -> None:
        assert budget_of("jrs-two-phases") == 0.05
        assert budget_of("jrs-fixed-sizes") is None

    def test_numbers_are_scaled_with_their_intervals(self) -> None:
        found = scaled(Estimate(12.0, 2.0), -0.5, less=2.0)
        assert found == Estimate(-5.0, 1.0)
        line = Curve.through("x", {2.0: found, 4.0: Estimate(1.0, 0.0)})
        assert (line.x, line.y, line.half_width) == ((2.0, 4.0), (-5.0, 1.0), (1.0, 0.0))

    @given(st.integers(1, 10**6))
    @settings(max_examples=5, deadline=None)
    def test_lengths_are_told(self, time: int) -> None:
        assert PhaseLength(50, time, 4).text() == f"4 runs of {time:,} units of time after 50"


class TestExponent:
    SCALES = np.array([25, 100, 400, 1600])

    @given(st.floats(0.1, 2.0), st.floats(0.01, 100.0))
    def test_of_a_power_it_is_its_own(self, power: float, factor: float) -> None:
        gaps = np.outer(factor * self.SCALES**power, [1.0, 2.0, 0.5])
        found = exponent(self.SCALES, gaps)
        assert found.mean == pytest.approx(power)
        assert found.half_width == pytest.approx(0.0, abs=1e-9)

    def test_of_noise_it_has_an_interval(self) -> None:
        random = np.random.default_rng(3)
        noise = np.exp(random.normal(0, 0.1, (4, 200)))
        found = exponent(self.SCALES, (self.SCALES**0.5)[:, None] * noise)
        assert 0.001 < found.half_width < 0.01
        assert abs(found.mean - 0.5) < 2 * found.half_width

    def test_a_run_below_the_bound_is_left_out(self) -> None:
        gaps = np.outer(self.SCALES**0.5, [1.0, 2.0, 3.0])
        gaps[0, 1] = -1.0
        assert exponent(self.SCALES, gaps).mean == pytest.approx(0.5)
        assert np.isnan(exponent(self.SCALES, -gaps).mean)


@pytest.mark.parametrize("name", NAMES)
class TestEveryExperiment:
    def test_parts_are_always_the_same_and_differ(self, name: str) -> None:
        plan = experiment_module(name)
        parts = plan.parts("test", NO_OPTIONS)
        assert parts == plan.parts("test", NO_OPTIONS)
        assert len({part.label for part in parts}) == len(parts)

    def test_results_can_be_made_of_some_and_all(self, name: str, tmp_path: Path) -> None:
        plan = experiment_module(name)
        parts = plan.parts("test", NO_OPTIONS)
        outcomes = {part: carry_out(part) for part in parts}
        whole = plan.result("test", NO_OPTIONS, outcomes)
        assert plan.result("test", NO_OPTIONS, {}).experiment == name
        some = plan.result("test", NO_OPTIONS, {part: outcomes[part] for part in parts[::3]})

        def places(result: Any) -> set[Any]:
            return {(row.what, *(value for key, value in row.at.items() if key != "budget")) for row in result.rows}

        assert whole.rows
        assert places(some) < places(whole)
        assert whole.notes
        assert json.dumps(whole.as_dict())
        written = whole.write(tmp_path)
        assert all(Path(path).stat().st_size for path in written)
        assert whole.figures
        for figure in whole.figures:
            assert len(figure.title) <= 70
            assert figure.curves
            for line in figure.curves:
                assert len(line.x) == len(line.y) == len(line.half_width) > 1
                assert list(line.x) == sorted(line.x)
                assert np.isfinite(line.y).all()

    def test_both_scales_have_parts(self, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.undo()
        plan = experiment_module(name)
        quick, paper = (plan.parts(scale, NO_OPTIONS) for scale in ("quick", "paper"))
        assert 50 < len(quick) < len(paper)
        assert len({part.key for part in (*quick, *paper)}) == len(quick) + len(paper)


class TestGap:
    def test_rows(self) -> None:
        result = run_plan(jrs_gap, "test")
        nbar = rows_of(result, "nbar", "model", "r")
        servers, gaps = (rows_of(result, what, "model", "r") for what in ("active_servers", "gap"))
        roots = rows_of(result, "gap_over_root_r", "model", "r")
        assert set(nbar) == {(model, r) for model in ("two phases", "fixed sizes") for r in (4, 8, 400, 410)}
        for key, row in gaps.items():
            assert row.ours == pytest.approx(servers[key].ours - nbar[key].ours)
            assert row.half_width == servers[key].half_width > 0
            assert roots[key].ours == pytest.approx(row.ours / key[1] ** 0.5)
        assert nbar["fixed sizes", 400].ours == pytest.approx(250)

    def test_exponents_follow_from_the_runs(self) -> None:
        parts = jrs_gap.parts("test", NO_OPTIONS)
        outcomes = {part: carry_out(part) for part in parts}
        result = jrs_gap.result("test", NO_OPTIONS, outcomes)
        gaps = []
        for r in (400, 410):
            runs = [done for part, done in outcomes.items() if part.label.startswith(f"two phases, r = {r},")]
            gaps.append([np.mean(done["batches"]["active_servers"]) - done["plan"]["nbar"] for done in runs])
        found = rows_of(result, f"gap_exponent_from_r_{jrs_gap.LARGE}", "model")["two phases"]
        slopes = np.log(np.array(gaps[1]) / gaps[0]) / np.log(410 / 400)
        assert found.ours == pytest.approx(slopes.mean())
        assert set(rows_of(result, "gap_exponent", "model")) == {"two phases", "fixed sizes"}

    def test_figures(self) -> None:
        figures = {figure.name: figure for figure in run_plan(jrs_gap, "test").figures}
        assert set(figures) == {
            "jrs-gap",
            *(f"jrs-gap-{ending}" for ending in ("cost", "root", "tokens", "virtual", "backup")),
        }
        assert [line.name for line in figures["jrs-gap-cost"].curves] == ["two phases"]
        assert figures["jrs-gap"].levels == (("N̄", 1.0),)
        assert figures["jrs-gap-cost"].levels == (("ε", 1.0),)
        assert all(figure.logarithmic_x for figure in figures.values())


class TestPeers:
    def test_each_policy_on_each_model(self) -> None:
        found = rows_of(run_plan(jrs_peers, "test"), "active_servers", "model", "policy", "r")
        mine = {(policy, r) for model, policy, r in found if model == "two phases"}
        assert mine == {(policy, r) for policy in jrs_peers.POLICIES for r in (5, 20)}
        fixed = {policy for model, policy, _ in found if model == "fixed sizes"}
        assert set(jrs_peers.POLICIES) - fixed == {"first fit, peak", "GRAND, peak"}

    def test_whether_the_budget_holds(self) -> None:
        kept = jrs_peers._kept
        assert kept("two phases", Estimate(0.04, 0.009)) == "within"
        assert kept("two phases", Estimate(0.06, 0.009)) == "over"
        assert kept("two phases", Estimate(0.05, 0.009)) == "about"
        assert kept("fixed sizes", Estimate(0.0, 0.0)) == "no cost"
        found = rows_of(run_plan(jrs_peers, "test"), "cost_rate", "model", "policy", "r")
        assert found["two phases", "first fit, peak", 20].at["budget"] == "within"
        assert found["fixed sizes", "JRS", 20].at["budget"] == "no cost"

    def test_figures(self) -> None:
        figures = {figure.name: figure for figure in run_plan(jrs_peers, "test").figures}
        assert set(figures) == {"jrs-peers-two-phases", "jrs-peers-two-phases-cost", "jrs-peers-fixed-sizes"}
        assert figures["jrs-peers-two-phases-cost"].levels == (("ε", 0.05),)
        names = [line.name for line in figures["jrs-peers-two-phases"].curves]
        assert names == list(jrs_peers.POLICIES)

    def test_without_jrs_there_is_no_bound_to_draw_over(self) -> None:
        parts = jrs_peers.parts("test", NO_OPTIONS)
        outcomes = {part: carry_out(part) for part in parts if ", first fit," in part.label}
        assert jrs_peers.result("test", NO_OPTIONS, outcomes).figures == ()


class TestMisestimation:
    def test_plans_follow_from_the_wrong_rates(self) -> None:
        found = rows_of(run_plan(jrs_misestimation, "test"), "planned_nbar", "model", "rates", "value")
        true = found["two phases", "arrival_rates", "1"].ours
        assert true == pytest.approx(0.24378809160874635 * 20)
        for factor in ("4/5", "6/5"):
            wrong = found["two phases", "arrival_rates", factor].ours
            assert wrong == pytest.approx(true * (4 / 5 if factor == "4/5" else 6 / 5))
        shorter = found["two phases", "departure_rates", "6/5"].ours
        assert shorter < true < found["two phases", "departure_rates", "4/5"].ours
        assert found["three phases", "learned", "2"].ours > 0

    def test_the_run_keeps_the_true_rates(self) -> None:
        result = run_plan(jrs_misestimation, "test")
        found = rows_of(result, "active_servers", "model", "rates", "value")
        same = [found["two phases", rates, "1"].ours for rates in jrs_misestimation.WRONG]
        assert same[0] == same[1]
        estimates = [
            part.settings["scenario"]["policy"]["parameters"]["estimate"]
            for part in jrs_misestimation.parts("test", NO_OPTIONS)
        ]
        assert {"learn": 2} in [dict(value) for value in estimates]
        phases = {
            json.dumps(part.settings["scenario"]["phases"]) for part in jrs_misestimation.parts("test", NO_OPTIONS)
        }
        assert len(phases) == len(jrs_misestimation.MODELS)

    def test_figures(self) -> None:
        figures = {figure.name: figure for figure in run_plan(jrs_misestimation, "test").figures}
        assert set(figures) == {
            f"jrs-misestimation-{model}{ending}" for model in ("two-phases", "three-phases") for ending in ("", "-cost")
        }
        for figure in figures.values():
            assert [line.name for line in figure.curves] == ["arrival rates", "departure rates"]
            assert all(line.x == (0.8, 1.0, 1.2) for line in figure.curves)


class TestPoints:
    def test_jrs_and_its_peers_then_other_scales(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("slotscope.model.kinds.phases.experiments.phase_runs.JOBS", 200)
        scenario: Any = edited(load_scenario("jrs-two-phases"), {"workload": {"kind": "poisson", "scale": 8}})
        found = list(points(scenario))
        assert [point.title for point in found[:4]] == ["JRS", *(title for title, _ in PEERS)]
        assert [point.scale for point in found] == [8, 8, 8, 8, 2, 32, 4, 16]
        for point in found:
            assert point.active_servers.mean > 0
            assert (point.nbar is None) is (point.title != "JRS")

    def test_the_scenario_s_own_parameters_stay(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("slotscope.model.kinds.phases.experiments.phase_runs.JOBS", 200)
        scenario: Any = load_scenario("jrs-deadlock")
        first = next(iter(points(scenario)))
        assert first.active_servers.mean > 15  # each job is alone on a backup server

    def test_a_script_has_none(self) -> None:
        golden = Path(__file__).parents[2] / "golden" / "phases" / "01_tick_fill_react.json"
        assert list(points(load_scenario(str(golden)))) == []  # type: ignore[arg-type]


class TestSweeps:
    @pytest.mark.slow
    def test_scales_and_options_are_swept(self, answer: Any, tmp_path: Path) -> None:
        found = answer(
            "sweep jrs-two-phases --vary workload.scale=5,20 --policy jrs --policy first-fit "
            "--until 6 --replications 2 --out",
            tmp_path,
        )
        servers = rows_of(Sweep(found), "active_servers", "workload.scale", "policy")
        assert {key[0] for key in servers} == {5, 20}
        assert all(row.ours > 0 for row in servers.values())
        assert servers[20, "jrs"].ours > servers[5, "jrs"].ours


class Sweep:
    """The rows of an answer in the form of a result's."""

    def __init__(self, answer: Any) -> None:
        names = {"what", "paper", "ours", "half_width", "exact"}
        self.rows = [
            Row(row["what"], row["ours"], at={key: value for key, value in row.items() if key not in names})
            for row in answer["rows"]
        ]
