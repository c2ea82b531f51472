"""Results of the experiments, at sizes that take seconds, against independently computed numbers."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slotscope.model.kinds.reservation.experiments import (
    dra_collections,
    dra_convergence,
    dra_curves,
    dra_servers,
    dra_variants,
)
from slotscope.model.lab.executor import LocalWorkers
from slotscope.model.lab.parts import carry_out
from slotscope.model.lab.plan import NO_OPTIONS
from slotscope.model.lab.runner import run_plan
from slotscope.model.lab.simulation import carry_out as simulate
from slotscope.model.lab.simulation import simulations
from slotscope.model.scenario.load import load_scenario

pytestmark = pytest.mark.slow


@pytest.fixture
def scale(monkeypatch):
    """A function that gives an experiment a scale called ``test``."""

    def give(module, size):
        monkeypatch.setattr(module, "SCALES", {"test": size})

    return give


def rows_of(result, what, *keys):
    return {
        tuple(row.at[key] for key in keys) if len(keys) > 1 else row.at[keys[0]]: row
        for row in result.rows
        if row.what == what
    }


class TestServers:
    def test_the_reward_grows_to_the_greedy_one(self, scale):
        scale(dra_servers, dra_servers.ServersScale((20, 60), 3, 20_000))
        result = run_plan(dra_servers, "test")
        ours = rows_of(result, "reward_over_optimum", "g", "L")
        spec = {
            ("1", 20): 0.750,
            ("log^1.1", 20): 0.744,
            ("log^2", 20): 0.728,
            ("1", 60): 0.810,
            ("log^1.1", 60): 0.808,
            ("log^2", 60): 0.790,
        }
        assert set(ours) == set(spec)
        for cell, value in spec.items():
            assert abs(ours[cell].ours - value) < 0.01 + ours[cell].half_width
        limit = result.rows[-1]
        assert (limit.paper, limit.exact) == (0.862, "799/927")
        assert [curve.x for curve in result.figures[0].curves] == [(20.0, 60.0)] * 3

    def test_the_number_of_workers_changes_nothing(self, scale):
        scale(dra_servers, dra_servers.ServersScale((5, 10), 2, 500))
        results = [run_plan(dra_servers, "test", executor=who) for who in (None, LocalWorkers(2))]
        assert results[0] == results[1]


class TestConvergence:
    def test_the_reward_rises_to_its_plateau(self, scale):
        scale(dra_convergence, dra_convergence.ConvergenceScale(50, 20.0))
        result = run_plan(dra_convergence, "test")
        plateau = rows_of(result, "plateau_over_greedy", "g")["log^1.1"]
        assert abs(plateau.ours - 0.973) < 0.002 + plateau.half_width
        settled = rows_of(result, "time_to_plateau", "g")["log^1.1"]
        assert abs(settled.ours - 2.25) <= 0.5
        # At time 1 the mean is above half of the plateau, and the plateau is reached well before 10.
        mean = result.figures[0].curves[2]
        assert mean.name == "g(L) = log^1.1, mean"
        values = dict(zip(mean.x, mean.y, strict=True))
        assert values[0.0] == 0
        assert 0.5 < values[1.0] / values[10.0] < 0.9
        assert abs(values[3.0] / values[10.0] - 1) < 0.02


class TestCollections:
    def test_both_readings_come_out(self, scale):
        scale(dra_collections, 5)
        result = run_plan(dra_collections, "test")
        means = rows_of(result, "mean_ratio", "workload")
        equal = rows_of(result, "number_equal", "workload")
        worst = rows_of(result, "worst_ratio", "workload")
        printed, fitting = dra_collections.RANGES
        assert 0.94 < means[printed].ours < 0.96
        assert 2 <= equal[printed].ours <= 9
        assert abs(means[fitting].ours - 0.970) < 0.006
        assert abs(equal[fitting].ours - 18.7) < 4
        assert abs(worst[fitting].ours - 0.88) < 0.02
        assert (means[fitting].paper, equal[fitting].paper, worst[fitting].paper) == (0.972, 23, 0.86)

    @given(st.integers(0, 2**32), st.integers(0, 49))
    def test_each_machine_is_of_table_2_and_fits(self, seed, number):
        machines = dra_collections.collection(seed, number)
        assert len(machines) == 6
        for place, (cpu, memory) in enumerate(machines):
            assert cpu in ((2, 4, 8) if place < 3 else (32, 64))
            assert memory / cpu in (1, 2, 4, 8, 16)
            assert memory <= 640

    def test_ratios_are_exact(self):
        part = dra_collections.parts("quick", NO_OPTIONS)[0]
        ratios = [Fraction(text) for text in carry_out(part)]
        assert len(ratios) == 50
        assert all(Fraction(1, 2) <= ratio <= 1 for ratio in ratios)


class TestVariants:
    def test_each_variant_earns_what_it_should(self, scale):
        scale(dra_variants, dra_variants.VariantsScale(3, 150.0, 15.0))
        result = run_plan(dra_variants, "test")
        ours = rows_of(result, "reward_over_optimum", "policy")
        spec = {
            "DRA": 0.839,
            "no migration": 0.826,
            "periodic CRA, period 1": 0.827,
            "power of 5 choices": 0.482,
            "bound of the infinite system": 0.973,
        }
        for name, value in spec.items():
            assert abs(ours[name].ours - value) < 0.006 + ours[name].half_width
        first = rows_of(result, "first_over_greedy", "policy")
        lowest = rows_of(result, "lowest_over_greedy", "policy")
        assert 0.08 < lowest["no migration"].ours < 0.14
        assert lowest["DRA"].ours > 0.95 * first["DRA"].ours


class TestSimulation:
    def test_looking_changes_nothing(self):
        scenario = load_scenario("dra-classroom")
        (plain,) = simulations(scenario, [3], 20.0, 200.0, "plain")
        (looked,) = simulations(scenario, [3], 20.0, 200.0, "looked at", times=(0.5, 20.0, 77.7, 250.0))
        assert simulate(looked)["metrics"] == simulate(plain)["metrics"]
        assert len(simulate(looked)["path"]) == 4

    def test_common_jobs_meet_every_policy(self):
        scenario = load_scenario("dra-classroom")
        totals = set()
        for policy in ("dra", "first-fit", "power-of-d:choices=2"):
            (part,) = simulations(scenario, [9], 0.0, 300.0, "", policy)
            found = simulate(part)["metrics"]
            totals.add(found["admitted"] + found["rejected"])
        assert len(totals) == 1

    def test_another_text_of_a_policy_s_file_makes_another_part(self, tmp_path):
        path, scenario = tmp_path / "mine.py", load_scenario("dra-classroom")
        keys = set()
        for text in ("a = 1", "a = 2", "a = 1"):
            path.write_text(text)
            (part,) = simulations(scenario, [1], 0.0, 10.0, "", f"{path}:x=1")
            keys.add(part.key)
        assert len(keys) == 2

    def test_another_content_of_a_trace_makes_another_part(self, tmp_path):
        path, scenario = tmp_path / "trace.csv", load_scenario("dra-google")
        keys = set()
        for text in ("1,2,3", "1,2,34"):
            path.write_text(text)
            (part,) = simulations(scenario, [1], 0.0, 10.0, "", trace=(str(path),))
            keys.add(part.key)
        assert len(keys) == 2


SMALL = {
    dra_servers: dra_servers.ServersScale((5, 9), 2, 60.0),
    dra_convergence: dra_convergence.ConvergenceScale(2, 12.0),
    dra_collections: 2,
    dra_variants: dra_variants.VariantsScale(2, 4.0, 1.0),
    dra_curves: None,
}


@pytest.fixture(scope="module", params=SMALL, ids=lambda module: module.NAME)
def carried_out(request):
    """An experiment at a very small scale, and the outcomes of all its parts."""
    module, size = request.param, SMALL[request.param]
    with pytest.MonkeyPatch.context() as patch:
        if size is not None:
            patch.setattr(module, "SCALES", {"test": size})
        parts = module.parts("test", NO_OPTIONS)
        yield SimpleNamespace(module=module, parts=parts, outcomes={part: carry_out(part) for part in parts})


class TestPartly:
    def test_parts_are_always_the_same_and_differ(self, carried_out):
        assert carried_out.module.parts("test", NO_OPTIONS) == carried_out.parts
        keys = [part.key for part in carried_out.parts]
        labels = [part.label for part in carried_out.parts]
        assert len(set(keys)) == len(set(labels)) == len(keys)

    @settings(max_examples=15)
    @given(st.data())
    def test_a_result_is_made_of_what_is_there(self, carried_out, data):
        chosen = data.draw(st.lists(st.sampled_from(carried_out.parts), unique=True))
        some = {part: carried_out.outcomes[part] for part in chosen}
        result = carried_out.module.result("test", NO_OPTIONS, some)
        whole = carried_out.module.result("test", NO_OPTIONS, carried_out.outcomes)

        def names(found):
            return [(row.what, {key: value for key, value in row.at.items() if key != "sets"}) for row in found.rows]

        assert all(name in names(whole) for name in names(result))
        if len(some) == len(carried_out.parts):
            assert result.as_dict() == whole.as_dict()
        for figure in result.figures:
            for curve in figure.curves:
                assert len(curve.x) == len(curve.y) > 0
                assert len(curve.half_width) in (0, len(curve.x))
