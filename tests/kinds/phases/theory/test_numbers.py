"""Join-Requesting-Server with given plans, against numbers of an independent simulation.

Each independent number has a 95 % half-width, or is taken to be known to half a unit in its last
place; ours must agree within both half-widths.
"""

from __future__ import annotations

from functools import cache
from types import MappingProxyType
from typing import Any, Mapping, NamedTuple

import numpy as np
import pytest

from slotscope.model.kinds.phases.experiments.jrs_gap import exponent
from slotscope.model.kinds.phases.experiments.phase_runs import (
    PhaseLength,
    PhaseRuns,
    at_scale,
    budget_of,
    carry_out,
    phase_runs,
)
from slotscope.model.kinds.phases.state import ARRIVED, MATCHED, OVERFLOWED, REQUESTED, TOKENS, VIRTUAL_ARRIVED
from slotscope.model.lab.runs import StraightRun
from slotscope.model.measures.metrics import Estimate, estimate
from slotscope.model.scenario.load import load_scenario
from slotscope.model.session.bench import open_bench
from tests.kinds.phases.models import golden_data, golden_path

A, B, C, E = "A", "B", "C", "E"

#: Built-in scenarios by the letter of their golden plan.
MODELS: Mapping[str, str] = MappingProxyType(
    {A: "jrs-two-phases", B: "jrs-burst", C: "jrs-three-phases", E: "jrs-fixed-sizes"}
)


SHORT = PhaseLength(50, 400, 8)
#: Most of the difference that a comparison allows comes from the half-widths of the independent numbers: with runs
#: two thirds longer it would be 0.014 of a number instead of 0.016.
LONG = PhaseLength(100, 600, 16)

#: Relative half-width of independent numbers that are printed without one:
#: those printed with one have 0.2 to 0.5 %, and quantities that vary more than N have more.
UNSAID = 0.005


@cache
def cell(model: str, scale: int, policy: str, length: PhaseLength = SHORT) -> PhaseRuns:
    """*policy* at one scale; "jrs" follows the given plan of the model."""
    if policy.startswith("jrs"):
        name, _, options = policy.partition(":")
        policy = f"{name}:plan={golden_path(model)}" + (f",{options}" if options else "")
    parts = phase_runs(at_scale(MODELS[model], scale), policy, length, model)
    return PhaseRuns.of([carry_out(part) for part in parts])


def ours(found: PhaseRuns, measure: str) -> Estimate:
    """The estimate from means of whole runs, as batches of one run can be correlated."""
    return estimate(found.by_run(measure))


def check(found: Estimate, value: float, half_width: float, known_to: float = 0.03) -> None:
    """Check that *found* agrees within both half-widths, and has a relative half-width of at most *known_to*."""
    assert found.half_width <= known_to * max(value, found.mean)
    assert abs(found.mean - value) <= half_width + found.half_width


class Numbers(NamedTuple):
    """N with its half-width, and the other columns as printed."""

    servers: float
    half_width: float
    cost: str
    tokens: str
    virtual: str
    backup: str

    def rounded(self) -> dict[str, str]:
        return {"cost_rate": self.cost, "tokens": self.tokens, "virtual_jobs": self.virtual, "backup_jobs": self.backup}


TABLE: Mapping[tuple[str, int], Numbers] = {
    (A, 25): Numbers(25.84, 0.12, ".0018", "1.59", "3.57", "20.41"),
    (A, 100): Numbers(75.56, 0.25, ".0065", "3.08", "8.31", "53.68"),
    (A, 800): Numbers(361.8, 1.7, ".0200", "9.36", "25.0", "175.2"),
    (B, 100): Numbers(42.03, 0.19, ".0094", "1.96", "10.63", "25.14"),
    (C, 100): Numbers(75.49, 0.26, ".0182", "6.67", "15.81", "25.81"),
    (E, 100): Numbers(164.89, 0.27, "0", "6.25", "9.99", "111.98"),
}
EVERY = sorted(TABLE)

#: Long enough for half-widths about as small as the independent ones.
AS_LONG = {25: PhaseLength(200, 2400, 16), 100: PhaseLength(100, 1000, 16), 800: PhaseLength(100, 240, 12)}


def check_table(found: PhaseRuns, expected: Numbers, known_to: float) -> None:
    servers = ours(found, "active_servers")
    check(servers, expected.servers, expected.half_width, known_to)
    # Backup jobs vary as much as N; the other numbers are known at least to half a unit.
    for measure, text in expected.rounded().items():
        value = float(text)
        unit = 0.5 * 10.0 ** -len(text.partition(".")[2]) if value else 0.0
        own = expected.half_width if measure == "backup_jobs" else max(unit, 2 * UNSAID * value)
        check(ours(found, measure), value, own, max(3 * known_to, unit))


@pytest.mark.parametrize(("model", "scale"), EVERY)
def test_the_table(model: str, scale: int) -> None:
    found = cell(model, scale, "jrs", AS_LONG[scale])
    check_table(found, TABLE[model, scale], 0.006)


@pytest.mark.parametrize(("model", "scale"), EVERY)
def test_the_bound_of_the_given_plans(model: str, scale: int) -> None:
    given = golden_data(model)
    assert cell(model, scale, "jrs", PhaseLength(1, 2, 1)).bound == pytest.approx(given["Nbar"][str(scale)], rel=1e-9)


#: N of scenario A at r = 100 under other readings of JRS, and under its peers.
OTHERWISE = {
    "jrs:request_after_pause=true": 55.9,
    "jrs:at_limit=reached": 76.5,
    "jrs:limit=requested": 83.5,
    "jrs:limit=all": 80.3,
    "first-fit": 27.8,
    "first-fit:fits=peak": 54.2,
    "grand:a=1/100": 48.6,
}


class TestReadings:
    @pytest.mark.parametrize("policy", OTHERWISE)
    def test_each(self, policy: str) -> None:
        value = OTHERWISE[policy]
        found = ours(cell(A, 100, policy, LONG), "active_servers")
        check(found, value, 2 * UNSAID * value, 0.0065)

    def test_recovery_saves_a_third(self) -> None:
        """52.6 in the independent program, which may choose other requests."""
        found = ours(cell(A, 100, "jrs:recovery_rate=10", LONG), "active_servers")
        assert found.half_width < 0.5
        assert abs(found.mean - 52.6) < 0.02 * 52.6


class TestBudget:
    @pytest.mark.parametrize("model", [A, B, C])
    @pytest.mark.parametrize("scale", [100, 800])
    def test_jrs_keeps_it(self, model: str, scale: int) -> None:
        budget = budget_of(MODELS[model])
        found = cell(model, scale, "jrs", SHORT if scale < 800 else PhaseLength(50, 100, 8))
        cost = ours(found, "cost_rate")
        assert budget is not None
        assert cost.mean + cost.half_width < 0.75 * budget

    @pytest.mark.parametrize(("model", "kept"), [(A, True), (B, False), (C, False)])
    def test_first_fit_on_what_jobs_need_now_breaks_it(self, model: str, kept: bool) -> None:
        cost, budget = ours(cell(model, 100, "first-fit"), "cost_rate"), budget_of(MODELS[model])
        assert budget is not None
        assert (cost.mean + cost.half_width < budget) is kept
        assert (cost.mean - cost.half_width > budget) is not kept

    @pytest.mark.parametrize("model", [A, B, C])
    def test_first_fit_on_what_they_may_need_costs_nothing(self, model: str) -> None:
        assert ours(cell(model, 100, "first-fit:fits=peak"), "cost_rate").mean == 0

    def test_fixed_sizes_cost_nothing_and_first_fit_needs_less(self) -> None:
        peer, jrs = cell(E, 100, "first-fit"), cell(E, 100, "jrs")
        assert ours(peer, "cost_rate").mean == ours(jrs, "cost_rate").mean == 0
        assert ours(peer, "active_servers").mean < ours(jrs, "active_servers").mean / 2


class TestGap:
    """N - Nbar grows a little faster than the square root of r: exponents from 0.52 to 0.59."""

    SCALES = np.array([400, 800, 1600, 3200])

    @staticmethod
    def gaps(model: str, scales: Any, time: int, runs: int) -> Any:
        cells = [cell(model, int(r), "jrs", PhaseLength(50, time // int(r), runs)) for r in scales]
        return np.array([each.by_run("active_servers") - each.bound for each in cells])

    @pytest.mark.parametrize("model", [A, B, C, E])
    def test_its_exponent(self, model: str) -> None:
        found = exponent(self.SCALES, self.gaps(model, self.SCALES, 80_000, 8))
        assert found.half_width < 0.04
        assert 0.52 - found.half_width < found.mean < 0.59 + found.half_width

    def test_its_constants(self) -> None:
        """Divided by the square root of r it is between 0.7 and 16."""
        for model in (A, B, C, E):
            for r in (400, 3200):
                gap = self.gaps(model, [r], 80_000, 8).mean() / np.sqrt(r)
                assert 0.7 < gap < 16


class TestLaws:
    @pytest.mark.parametrize("model", [A, B, C, E])
    @pytest.mark.parametrize("policy", ["jrs", "first-fit", "grand", "best-fit", "power-of-d"])
    def test_littles_law(self, model: str, policy: str) -> None:
        """The number of real jobs equals arrivals per unit of time times mean time in the system."""
        given = golden_data(model)
        jobs = ours(cell(model, 100, policy), "real_jobs")
        assert jobs.half_width < 0.015 * jobs.mean
        assert abs(jobs.mean / 100 - given["jobs_per_r"]) < 1.5 * jobs.half_width / 100

    def test_policies_meet_the_same_jobs(self) -> None:
        table = [cell(A, 100, policy).table["real_jobs"] for policy in ("jrs", "first-fit")]
        assert np.allclose(*table)

    @pytest.mark.parametrize("model", [A, B, C, E])
    def test_what_is_conserved(self, model: str) -> None:
        """Each request becomes a match, a virtual arrival or a token; each job a match or an overflow."""
        tally, state, _ = run(model, 100, 50)
        assert tally[ARRIVED] == tally[MATCHED] + tally[OVERFLOWED]
        assert tally[REQUESTED] == tally[MATCHED] + tally[VIRTUAL_ARRIVED] + state.number[TOKENS]

    @pytest.mark.parametrize("model", [A, B, C, E])
    def test_requests_come_to_match_arrivals(self, model: str) -> None:
        """Lemmas 3 and 4: the share of arrivals without a request falls about as one over the square root of r."""
        amiss = []
        for r in (100, 1600):
            tally, _, _ = run(model, r, 40_000 // r + 20)
            amiss.append(1 - tally[REQUESTED] / tally[ARRIVED])
        assert 0 < amiss[1] < 0.45 * amiss[0]

    @pytest.mark.parametrize("model", [A, B, C, E])
    def test_observed_configurations_approach_pi(self, model: str) -> None:
        """Lemma 2, in total variation distance; at small r pi alone does not describe the configurations."""
        far = [run(model, r, 40_000 // r + 20)[2] for r in (25, 100, 400, 1600)]
        assert far == sorted(far, reverse=True)
        assert far[-1] < 0.25
        assert far[-1] < 0.4 * far[0]


@cache
def run(model: str, scale: int, until: int) -> tuple[Any, Any, float]:
    """[TALLIES] counts over all types, the last state, and the total variation distance of occupancy from pi."""
    bench = open_bench(at_scale(MODELS[model], scale), f"jrs:plan={golden_path(model)}", 1)
    state = StraightRun(bench).to(until)
    standing: Any = bench.kind.derive(state, bench.numbers, bench.kind.facts(bench.system))
    stationary = bench.system.policy.plan.stationary
    return state.tally.sum(axis=1), state, float(abs(standing.occupancy - stationary).sum() / 2)


def test_the_models_are_those_of_the_given_plans() -> None:
    for model, name in MODELS.items():
        given = golden_data(model)["input"]
        scenario: Any = load_scenario(name)
        assert [phase.name for phase in scenario.phases] == given["phases"]
        assert scenario.servers.most_jobs == given["K_max"]
    assert golden_path(A).is_file()
