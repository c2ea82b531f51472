"""The pages about tokens against the schemas, plans, runs and measures they describe."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from math import comb
from pathlib import Path
from typing import Any

import pytest

from slotscope.model.api import Session
from slotscope.model.kinds.phases.experiments.phase_runs import PhaseLength, PhaseRuns, at_scale, carry_out, phase_runs
from slotscope.model.kinds.phases.lattice import MOST_CONFIGURATIONS
from slotscope.model.kinds.phases.scenario.schema import PhasesScenario
from slotscope.model.kinds.phases.state import ACTIVE
from slotscope.model.policies import reference_for
from slotscope.model.scenario.load import as_data, edited, load_scenario, parse_scenario
from tests.help_pages import blocks, code, flat, page, table, told_of

pytestmark = pytest.mark.slow

TOKENS = page("tokens")
DEFINITIONS: dict[str, Any] = PhasesScenario.model_json_schema()["$defs"]


@cache
def run_of(scenario: str, policy: str, length: PhaseLength, scale: int = 0) -> PhaseRuns:
    value = at_scale(scenario, scale) if scale else load_scenario(scenario)
    return PhaseRuns.of([carry_out(part) for part in phase_runs(value, policy, length, "x")])


def near(cell: PhaseRuns, measure: str, told: float, share: float) -> bool:
    """Whether a number of the page equals the result, up to random fluctuation and a relative *share*."""
    found = cell.measure(measure)
    return abs(found.mean - told) <= 1.5 * found.half_width + share * told + 0.0001


class TestPolicies:
    def test_parameters_of_jrs_begin_with_the_usual_value(self) -> None:
        rows = told_of("parameter", TOKENS)
        fields = reference_for("jrs", "phases").schema.model_fields
        assert set(rows) == set(fields)
        for name, field in fields.items():
            if isinstance(field.default, bool):
                assert code(rows[name]) == [str(field.default).lower(), str(not field.default).lower()]
            elif isinstance(field.default, str) and field.default:
                assert code(rows[name])[0] == field.default
            elif name == "recovery_rate":
                assert rows[name].startswith(f"{field.default};")
            else:
                assert rows[name].startswith("⌈√L⌉" if name == "token_limit" else "none")

    def test_what_options_do(self) -> None:
        rows = table(TOKENS, "option")
        assert len(rows) == 10
        for option, *numbers in rows:
            cell = run_of("jrs-two-phases", code(option)[0], PhaseLength(50, 250, 4), 100)
            for measure, told in zip(
                ("active_servers", "cost_rate", "virtual_jobs", "backup_jobs"), numbers, strict=True
            ):
                assert near(cell, measure, float(told), 0.01), (option, measure)

    def test_peers_and_bounds_at_r_100(self) -> None:
        names = {
            "JRS": "jrs",
            "JRS, `recovery_rate=10`": "jrs:recovery_rate=10",
            "first fit": "first-fit",
            "first fit, `factor=4/5`": "first-fit:factor=4/5",
            "first fit, `fits=peak`": "first-fit:fits=peak",
            "GRAND(aZ)": "grand",
        }
        rows = {row[0]: row[1:] for row in table(TOKENS, "policy or bound")}
        assert set(rows) == {"N̄", *names}
        for title, policy in names.items():
            for column, scenario in ((0, "jrs-two-phases"), (2, "jrs-three-phases"), (4, "jrs-fixed-sizes")):
                told = re.findall(r"[\d.]+", rows[title][column])
                if not told:
                    continue
                cell = run_of(scenario, policy, PhaseLength(50, 250, 4), 100)
                assert near(cell, "active_servers", float(told[0]), 0.02), (title, scenario)
                budget = {0: 0.05, 2: 0.04}.get(column)
                if budget:
                    spent = cell.measure("cost_rate").mean / budget
                    assert abs(spent - float(told[1])) < 0.1, (title, scenario)
                    assert ("**" in rows[title][column]) is (spent > 1.05)
        for column, scenario in ((0, "jrs-two-phases"), (2, "jrs-three-phases")):
            nbar = run_of(scenario, "jrs", PhaseLength(50, 250, 4), 100).bound
            assert round(nbar) == int(rows["N̄"][column])
            assert round(16 * nbar) == int(rows["N̄"][column + 1])


class TestPlans:
    def model(self) -> PhasesScenario:
        scenario = parse_scenario(
            {
                "system": "phases",
                "servers": {"most_jobs": 2, "capacity": 2},
                "cost": {"budget": 1},
                "phases": [{"name": "L", "demand": 1, "arrival_rate": 1, "departure_rate": 1}],
                "workload": {"kind": "poisson", "scale": 20},
            }
        )
        assert isinstance(scenario, PhasesScenario)
        return scenario

    def test_the_plan_file_is_one(self, tmp_path: Path) -> None:
        (text,) = blocks(TOKENS, "json")
        path = tmp_path / "plan.json"
        path.write_text(text, "utf-8")
        session = Session.open(self.model(), f"jrs:plan={path}")
        plan = session.bench.system.policy.plan
        assert plan.nbar == pytest.approx(10)
        assert [pool.servers for pool in plan.pools] == [10]
        session.run(until=20.0)
        assert session.timeline.state.number[ACTIVE] > 5

    def test_estimates_can_be_used(self) -> None:
        (text,) = [block for block in blocks(TOKENS, "toml") if "estimate" in block]
        lines = re.findall(r"parameters = \{.*\}(?=\s|$)", text)
        assert len(lines) == 3
        base = as_data(load_scenario("jrs-two-phases"))
        bounds = []
        for line in lines:
            policy = {"name": "jrs", **tomllib.loads(line)}
            session = Session.open(parse_scenario({**base, "policy": policy}), kernel=False)
            bounds.append(session.bench.system.policy.plan.nbar)
        assert bounds[0] == pytest.approx(1.1 * 24.378809160874635)

    def test_wrong_rates(self) -> None:
        told = re.search(
            r"a fifth too low give N = ([\d.]+) instead of ([\d.]+); a fifth too high "
            r"give \*\*([\d.]+)\*\*",
            flat(TOKENS),
        )
        for factor, expected in zip(("4/5", "1", "6/5"), told.groups(), strict=True):  # type: ignore[union-attr]
            policy = {"name": "jrs", "parameters": {"estimate": {"factor": factor}}}
            scenario = edited(at_scale("jrs-two-phases", 100), {"policy": policy})
            parts = phase_runs(scenario, None, PhaseLength(50, 300, 4), "x")
            cell = PhaseRuns.of([carry_out(part) for part in parts])
            assert near(cell, "active_servers", float(expected), 0.005)

    def test_how_many_configurations(self, answer: Any) -> None:
        assert f"More than {MOST_CONFIGURATIONS:,} are refused" in flat(TOKENS)
        assert comb(8 + 2, 2) == 45
        assert comb(10 + 4, 4) == 1001
        assert comb(16 + 4, 4) == 4845
        assert answer("bounds jrs-two-phases")["configurations"] == 45


class TestKeys:
    def test_each_key_is_told_of(self) -> None:
        rows = told_of("key", TOKENS)
        keys = {"servers": "PhaseServers", "cost": "ContentionCost", "phases": "Phase"}
        for key, definition in keys.items():
            named = set(re.findall(r"\w+", rows[key]))
            assert set(DEFINITIONS[definition]["properties"]) <= named
        trace = flat(TOKENS).partition("**Real traces**")[2].partition("```")[0]
        assert set(DEFINITIONS["TracePhases"]["properties"]) - {"kind"} <= set(code(trace))
        script = set(DEFINITIONS["ScriptedPhases"]["properties"]) - {"kind"}
        assert script <= set(code(rows["workload"]))
