"""The pages about servers with a queue against the schemas, traces and measures they describe."""

from __future__ import annotations

import json
import re
import tomllib
from fractions import Fraction
from typing import Any

import pytest

from slotscope.model.api import Session
from slotscope.model.kinds.queue.programs.partition import LEAST_DEPTH, MOST_DEPTH
from slotscope.model.kinds.queue.scenario.instance import ALGORITHMS
from slotscope.model.kinds.queue.scenario.schema import QueueScenario
from slotscope.model.policies import POLICIES_OF, reference_class
from slotscope.model.scenario.load import load_scenarios, parse_scenario
from tests.help_pages import blocks, code, page, told_of

QUEUES, SCENARIOS, TRACES = page("queues"), page("scenarios"), page("trace-format")
SECTION = SCENARIOS.partition("## Servers with a queue")[2].partition("\n## ")[0]
DEFINITIONS: dict[str, Any] = QueueScenario.model_json_schema()["$defs"]
POLICY = pytest.mark.parametrize("policy", list(POLICIES_OF["queue"]))

#: The last word of the class name of each law of sizes, where laws of services have the same name.
SIZES = (
    "Discrete",
    "Empirical",
    "Uniform",
    "Beta",
    "TruncatedNormal",
    "TruncatedExponential",
    "TruncatedLogNormal",
    "Mixture",
    "Independent",
)
OWN_SERVICES = ("Geometric", "Fixed", "UniformSlots", "DiscreteSlots")
WORKLOADS = ("SlotPoisson", "SlotBatches", "SlotCounts", "ScriptedSlots", "TraceSlots")
RATES = {"arrival_rate", "workload", "intensity"}


class TestPolicies:
    @POLICY
    def test_each_parameter_has_a_row_that_begins_with_the_usual_value(self, policy):
        rows = told_of("parameter", QUEUES)
        for name, field in reference_class(policy).schema.model_fields.items():
            usual = field.default
            if name == "j":
                assert usual is None
                assert rows[name].startswith("from the smallest size")
            elif isinstance(usual, bool):
                assert code(rows[name]) == [str(usual).lower(), str(not usual).lower()]
            else:
                assert re.findall(r"[\w/]+", rows[name])[0] == str(usual), name

    def test_the_range_of_j(self):
        assert f"{LEAST_DEPTH} to {MOST_DEPTH}" in told_of("parameter", QUEUES)["j"]

    @POLICY
    def test_both_values_of_a_choice_are_allowed(self, policy):
        rows = told_of("parameter", QUEUES)
        schema = reference_class(policy).schema
        for name in schema.model_fields:
            for value in code(rows[name]):
                assert schema.model_validate({name: tomllib.loads(f"a = {literal(value)}")["a"]})


def literal(value: str) -> str:
    """The TOML literal of a value: words other than true and false are strings."""
    return value if value in {"true", "false"} else f'"{value}"'


class TestScenarioKeys:
    def keys(self, definition: str, kind: str) -> set[str]:
        return set(DEFINITIONS[definition]["properties"]) - {kind}

    def name(self, definition: str, kind: str) -> str:
        return str(DEFINITIONS[definition]["properties"][kind]["const"])

    @pytest.mark.parametrize("law", SIZES)
    def test_laws_of_sizes(self, law):
        told = told_of("size", SECTION)[self.name(law, "distribution")]
        shares = {"share", "size"} if law == "Mixture" else set()
        assert self.keys(law, "distribution") | shares <= set(re.findall(r"\w+", told))

    @pytest.mark.parametrize("law", OWN_SERVICES)
    def test_laws_of_services(self, law):
        told = told_of("service", SECTION)[self.name(law, "distribution")]
        assert self.keys(law, "distribution") <= set(re.findall(r"\w+", told))

    def test_no_law_is_left_out_or_made_up(self):
        sizes = {self.name(law, "distribution") for law in SIZES}
        assert set(told_of("size", SECTION)) == sizes
        kinds = [
            definition["properties"]["distribution"]["const"]
            for definition in DEFINITIONS.values()
            if "distribution" in definition["properties"]
        ]
        services = set(told_of("service", SECTION))
        assert sizes | services == set(kinds)

    @pytest.mark.parametrize("workload", WORKLOADS)
    def test_workloads(self, workload):
        rows = told_of("workload", SECTION)
        told = set(re.findall(r"\w+", rows[self.name(workload, "kind")]))
        keys = self.keys(workload, "kind")
        if keys > RATES and workload != "SlotPoisson":
            assert "the same" in rows[self.name(workload, "kind")]
            keys -= RATES
        assert keys <= told

    def test_the_keys_of_a_scripted_arrival(self):
        told = code(told_of("workload", SECTION)["scripted"])[0]
        inner = re.search(r"\{([^}]*)\}", told)
        assert inner is not None
        assert set(inner[1].replace(" ", "").split(",")) == set(DEFINITIONS["ScriptedQueueJob"]["properties"])

    @pytest.mark.parametrize(
        ("name", "definition"),
        [
            ("servers", "QueueServers"),
            ("jobs", "QueueJobClass"),
            ("[[servers.pools]]", "ServerPool"),
            ("run", "SlotRun"),
        ],
    )
    def test_tables(self, name, definition):
        told = set(re.findall(r"\w+", told_of("table", SECTION)[name]))
        assert set(DEFINITIONS[definition]["properties"]) - {"pools"} <= told

    def test_the_examples_are_scenarios(self):
        complete = [block for block in blocks(SCENARIOS, "toml") if block.startswith("title")]
        kinds = [parse_scenario(tomllib.loads(block)).system for block in complete]
        assert kinds == ["reservation", "queue"]
        (queue,) = (parse_scenario(tomllib.loads(block)) for block in blocks(SECTION, "toml"))
        session = Session.open(queue, kernel=False)
        session.run(until=200)
        assert session.timeline.event > 10

    def test_the_part_for_pods_is_allowed(self):
        (part,) = [block for block in blocks(page("traces"), "toml") if "alibaba-pods" in block]
        scenario = parse_scenario({"system": "queue", **tomllib.loads(part)})
        assert scenario.workload.resources == "all"


class TestTraceFormat:
    QUEUE_PART = TRACES.partition("## Servers with a queue")[2].partition("\n## ")[0]

    @pytest.fixture
    def instance(self, tmp_path):
        (text,) = blocks(self.QUEUE_PART, "json")
        path = tmp_path / "instance.json"
        path.write_text(text, "utf-8")
        return path

    def test_the_keys_of_lines(self, lines):
        told = set(told_of("key", self.QUEUE_PART.partition("**instance file**")[0]))
        printed = {
            policy: lines(f"trace queues-vqs-unstable --policy {policy} --events 3")
            for policy in ("bf-js", "vqs:stall=true", "max-weight")
        }
        assert {key for found in printed.values() for key in found[0]} == told
        assert "renew" not in printed["bf-js"][0]
        assert set(printed["max-weight"][0]) == set(printed["bf-js"][0]) | {"renew"}
        assert [line["t"] for line in printed["bf-js"]] == [0, 1, 2]

    def test_the_instance_runs_once_for_each_policy(self, lines, instance):
        printed = lines("trace", instance)
        assert [line["t"] for line in printed] == [*range(12), *range(12)]
        assert [scenario.policy.name for scenario in load_scenarios(instance)] == ["vqs", "vqs-bf"]

    def test_the_algorithms_and_options(self):
        rows = told_of("key", self.QUEUE_PART.partition("**instance file**")[2])
        options = {option for one in ALGORITHMS.values() for option in one.options}
        values = {"score", "inner-product", "sequential", "snapshot"}
        assert set(code(rows["runs"])) == {*ALGORITHMS, *options, *values, "algo", "options"}


def test_limits_that_the_page_gives(answer):
    found = answer("bounds queues-bf-unstable")
    assert Fraction(str(found["programs"]["supportable"]["exact"])) == Fraction(10, 3)
    assert "10/3 for `queues-bf-unstable`" in QUEUES


def test_the_document_is_json():
    (text,) = blocks(TestTraceFormat.QUEUE_PART, "json")
    assert set(json.loads(text)) == {"name", "L", "capacity", "J", "slots", "arrivals", "runs"}
