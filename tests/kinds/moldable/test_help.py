"""The pages about moldable jobs against the schemas, runs, bounds and measures they describe."""

from __future__ import annotations

import json
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from slotscope.model.api import Session
from slotscope.model.kinds.moldable.experiments.moldable_fig2 import SCALES as FIGURE_SCALES
from slotscope.model.kinds.moldable.experiments.moldable_table1 import PAPER
from slotscope.model.kinds.moldable.experiments.moldable_table1 import SCALES as TABLE_SCALES
from slotscope.model.kinds.moldable.scenario.schema import MoldableJobClass, MoldableScenario
from slotscope.model.kinds.moldable.state import JOBS
from slotscope.model.lab import experiment_name, experiments
from slotscope.model.measures.metrics import Estimate
from slotscope.model.policies import POLICIES_OF, reference_for
from slotscope.model.policies.choice import policy_choice
from slotscope.model.scenario.load import edited, load_scenario, parse_scenario
from tests.help_pages import HELP, blocks, code, flat, page, table, told_of
from tests.runs import ran

MOLDABLE = page("moldable")
EXPERIMENTS_PAGE, TRACE_PAGE = page("experiments"), page("trace-format")
DEFINITIONS: dict[str, Any] = MoldableScenario.model_json_schema()["$defs"]
LOGS = Path(__file__).resolve().parents[3].parent / "shared" / "traces" / "swf"


@cache
def measured(scenario: str, policy: str, seed: int, until: float = 0) -> dict[str, Estimate]:
    session = Session.open(scenario, policy, seed=seed)
    run = session.bench.scenario.run
    return session.measure(until=until or float(run.until), warmup=float(run.warmup))


def mean_of(scenario: str, policy: str, measure: str, seeds: range) -> float:
    return sum(measured(scenario, policy, seed)[measure].mean for seed in seeds) / len(seeds)


class TestModel:
    TEXT = flat(MOLDABLE)

    def test_the_papers_example(self) -> None:
        optimum = Session.open("moldable-sublinear", kernel=False).info.numbers.optimum
        (jobs,) = optimum.classes
        told = re.search(r"y\\\* = \(([^)]+)\), p\\\* = \(([^)]+)\), D\\\* = (0\.\d+)", self.TEXT)
        assert told is not None
        assert [float(y) for y in jobs.y] == [float(y) for y in told[1].split(", ")]
        assert [str(p) for p in jobs.p] == told[2].split(", ")
        assert float(optimum.objective) == float(told[3])

    def test_a_speed_up_that_breaks_theorem_1_is_refused(self) -> None:
        assert "s = (1, 1.2, 1.8)" in self.TEXT
        with pytest.raises(Exception, match=r"s_3 - s_2 = 0\.6 is above s_2 - s_1 = 0\.2"):
            parse_scenario(
                {
                    "system": "moldable",
                    "servers": {"count": 9},
                    "classes": [{"speedup": [1, 1.2, 1.8]}],
                    "workload": {"load": 0.5},
                }
            )

    def test_a_load_above_1_is_not_for_greedy_p(self) -> None:
        over = edited(load_scenario("moldable-sublinear"), {"workload": {"kind": "poisson", "load": 1.2}})
        assert Session.open(over, "greedy", kernel=False).info.policy_name == "greedy"
        with pytest.raises(Exception, match=r"\(P\) has no solution"):
            Session.open(over, "greedy-p", kernel=False)

    def test_the_scenario_is_one(self) -> None:
        (text,) = blocks(MOLDABLE, "toml")
        scenario: Any = parse_scenario(tomllib.loads(text))
        assert scenario.class_names == ("rendering", "search")
        assert float(scenario.load) == pytest.approx(1 - 2 / 1000**0.5)
        session = ran(scenario, seed=1, events=200)
        assert session.timeline.state.number[JOBS] > 20

    def test_lemma_2(self) -> None:
        found = measured("moldable-sublinear", "greedy-p", 1)["below"]
        assert "there 99 % of the time" in self.TEXT
        assert abs(found.mean - 0.988) < 0.012
        session = ran("moldable-sublinear", seed=1, kernel=True, events=4_000_000)
        assert abs(int(session.timeline.state.below[1].max()) - 80) < 20


@pytest.mark.slow
class TestPolicies:
    def test_parameters_begin_with_the_usual_value(self) -> None:
        rows = told_of("parameter", MOLDABLE)
        schemas = [reference_for(policy, "moldable").schema for policy in POLICIES_OF["moldable"]]
        fields = {name: field for schema in schemas for name, field in schema.model_fields.items()}
        assert set(rows) == set(fields)
        for name, field in fields.items():
            if isinstance(field.default, str):
                assert code(rows[name])[0] == field.default
            elif not field.default:
                assert rows[name].startswith("none;")
            else:
                assert rows[name].startswith(f"{field.default};")

    def test_what_they_do(self) -> None:
        (heading,) = re.findall(r"^\| policy \| blocked .*$", MOLDABLE, flags=re.MULTILINE)
        rows = table(MOLDABLE[MOLDABLE.index(heading) :], "policy")
        assert len(rows) == 8
        for name, blocked, time, busy in rows:
            (policy,) = code(name)
            assert policy_choice(policy).name in POLICIES_OF["moldable"]
            for measure, told, within in (
                ("blocking_probability", blocked, 0.0035),
                ("execution_time", time, 0.002),
                ("busy", busy, 0.005),
            ):
                found = mean_of("moldable-sublinear", policy, measure, range(1, 3))
                assert abs(found - float(told)) < within, (policy, measure, found)
                assert (float(told) == 0) is (found < 0.0005)


class TestKeys:
    def test_each_key_is_told_of(self) -> None:
        rows = told_of("key", MOLDABLE)
        workload, classes = rows["workload"], rows["classes"]
        assert set(MoldableJobClass.model_fields) <= set(code(classes))
        assert {"poisson", "scripted", "trace", "load", "alpha", "beta"} <= set(code(workload))
        assert set(DEFINITIONS["MoldableServers"]["properties"]) == set(code(rows["servers"]))
        start = MOLDABLE.index("| `format`, `paths` |")
        keys = {name for row in re.findall(r"^\|([^|]+)\|", MOLDABLE[start:], re.MULTILINE) for name in code(row)}
        assert set(DEFINITIONS["TraceMoldable"]["properties"]) - {"kind"} <= keys
        script = set(DEFINITIONS["ScriptedMoldableJob"]["properties"])
        line = re.search(r"^- Each of `arrivals` .*$", MOLDABLE, re.MULTILINE)
        assert line is not None
        assert script == set(code(line[0])) - {"arrivals"}

    def test_classes_have_measures_of_their_own(self) -> None:
        found = measured("moldable-classes", "greedy-p", 1, 60)
        assert {"blocking_probability_search", "x_search_1"} <= set(found)

    @pytest.mark.skipif(not LOGS.is_dir(), reason="the log is not beside the repository")
    def test_the_log(self) -> None:
        (path,) = LOGS.glob("KTH-SP2-1996-2.swf.gz")
        told = flat(MOLDABLE)
        for policy, expected in (("greedy-p", "28"), ("greedy", "66")):
            session = Session.open("moldable-swf", policy, trace=(str(path),))
            run = session.bench.scenario.run
            found = session.measure(until=float(run.until), warmup=float(run.warmup))
            assert f"{100 * found['blocking_probability'].mean:.0f}" == expected
        assert "100 servers at ρ = 0.8 block 28 % under `greedy-p` and 66 % under `greedy`" in told
        report = session.bench.report
        assert f"Of {report.rows:,} rows of KTH-SP2 {sum(o.count for o in report.left_out)}" in told


class TestTraceFormat:
    *_, TEXT = TRACE_PAGE.partition("\n## Moldable jobs\n")

    def test_keys_of_a_line(self, lines: Any) -> None:
        told = {name for row in table(self.TEXT, "key")[:9] for name in code(row[0])}
        one = lines("trace moldable-classroom --events 5")[-1]
        several = lines("trace moldable-classes --events 5")[-1]
        assert set(one) == told - {"class"}
        assert set(several) == told

    def test_the_instance_file_is_one(self, lines: Any, tmp_path: Path) -> None:
        (text,) = blocks(self.TEXT, "json")
        path = tmp_path / "small.json"
        path.write_text(text, "utf-8")
        found = lines("trace", path)
        assert [line["allocated"] for line in found] == [2, 1]
        assert [line["departure"] for line in found] == ["2", "4/3"]
        assert json.loads(text)["lambda"] == "4/5"


@pytest.mark.slow
class TestExperiments:
    TEXT = EXPERIMENTS_PAGE.partition("## What comes out: Ghanbarian")[2]

    def test_short_names(self) -> None:
        for name, item in experiments().items():
            assert all(experiment_name(short) == name for short in item.also)
            if item.system == "moldable":
                assert {name, *item.also} <= set(code(self.TEXT))

    def test_the_papers_numbers_stand_in_brackets(self) -> None:
        laws, traffic = ("exponential", "deterministic", "mixed Erlang", "Pareto"), ""
        looked_at = 0
        for title, *cells in table(self.TEXT, "sizes"):
            *named, first = title.split(": ")
            traffic = named[0] if named else traffic
            speedup, _, which = traffic.partition(", ")
            if first not in {"completed", "blocked"} or len(cells) != len(laws):
                continue
            printed = PAPER[speedup, which]
            numbers = printed.time if first == "completed" else printed.blocking
            assert [float(re.findall(r"\(([\d.]+)\)", cell)[0]) for cell in cells] == list(numbers)
            for cell, number in zip(cells, numbers, strict=True):
                within = 0.0012 if cell is cells[-1] else 0.0003
                assert abs(float(cell.partition(" ")[0]) - number) <= within, (traffic, cell)
            looked_at += 1
        assert looked_at == 8

    def test_scales(self) -> None:
        paper = TABLE_SCALES["paper"]
        assert paper.table.arrivals == (5_000_000,)
        assert paper.table.replications == 100
        assert 2 * paper.horizons.replications == 40
        assert TABLE_SCALES["quick"].table.arrivals == paper.table.arrivals
        sizes, length = FIGURE_SCALES["paper"]
        assert 9 * len(sizes) == 54
        assert (length.arrivals[-1] - length.warmup, length.replications) == (5_000_000, 100)
        assert "each of 54 points" in flat(self.TEXT)

    @pytest.mark.parametrize(
        ("row", "policy", "speedup", "traffic"),
        [
            ("greedy(p\\*), sub-linear, α = 0: blocked", "greedy-p", "sub-linear", "α = 0"),
            ("greedy, sub-linear, α = 1/2: blocked", "greedy", "sub-linear", "α = 1/2"),
            ("linear, α = 1/2: blocked", "greedy-p", "linear", "α = 1/2"),
        ],
    )
    def test_figure_2(self, row: str, policy: str, speedup: str, traffic: str) -> None:
        from slotscope.model.kinds.moldable.experiments.moldable_runs import (
            MoldableLength,
            MoldableRuns,
            carry_out,
            moldable_runs,
            system_of,
        )

        line = re.search(rf"^\| {re.escape(row)} \|(.*)\|$", self.TEXT, re.MULTILINE)
        assert line is not None
        told = [float(cell) for cell in line[1].split("|")]
        sizes = FIGURE_SCALES["quick"][0]
        for number, expected in zip(sizes, told, strict=True):
            parts = moldable_runs(
                system_of(speedup, traffic, number), policy, MoldableLength((330_000,), 4, 30_000), "x"
            )
            found = MoldableRuns.of([carry_out(part) for part in parts]).measure("blocking_probability")
            assert abs(found.mean - expected) <= 2 * found.half_width + 0.003, (row, number)


def test_the_page_is_of_the_length_of_the_others() -> None:
    lines = (HELP / "moldable.md").read_text("utf-8").splitlines()
    assert max(len(line) for line in lines if not line.startswith("|")) <= 120
