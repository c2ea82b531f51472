"""Invalid scripts: each is refused in one line that names the place, before a run begins."""

from __future__ import annotations

import json
from typing import Any

import pytest

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.phases.scenario.instance import scenarios
from slotscope.model.running.assembly import assemble
from slotscope.model.running.engine import started
from slotscope.model.scenario.load import parse_scenario
from tests.kinds.phases.oracle import Instance

ONE: Instance = {
    "name": "one",
    "K_max": 2,
    "phases": ["L", "H"],
    "resources": [{"name": "cpu", "cap": 4, "req": [1, 3]}],
    "pools": [
        {
            "L": 2,
            "eta_max": 1,
            "policy": [{"k": [0, 0], "case": 1, "rates": {"L": 1}}],
            "initial": [{"real": {"a": "L"}}],
        }
    ],
    "events": [],
}

PATCHED = {"L": 1, "eta_max": 9, "policy": [], "patch_at_0": {"rate": 1, "k0": {"L": 1}}}


def event(kind: str, t: float = 1.0, **values: Any) -> dict[str, Any]:
    return {"t": t, "kind": kind} | values


SCRIPTS: dict[str, tuple[dict[str, Any], str]] = {
    "a job that is not there": (
        {"events": [event("departure", job="b")]},
        "workload.events[0].job: found 'b', which is not in the system then",
    ),
    "a job that has left": (
        {"events": [event("departure", job="a"), event("departure", 2.0, job="a")]},
        "workload.events[1].job: found 'a', which is not in the system then",
    ),
    "a virtual job too early": (
        {"events": [event("departure", job="v1"), event("tick", 2.0, server=2, type="L", virtual_choices=[0])]},
        "workload.events[0].job: found 'v1'",
    ),
    "the phase in which it is": (
        {"events": [event("phase", job="a", to="L")]},
        "workload.events[0].to: found 'L', the phase in which the job is",
    ),
    "a timer that does not run": (
        {"events": [event("tick", server=1, type="L")]},
        "workload.events[0].server: found 1, allowed: a server whose timer runs then",
    ),
    "a server that is not there": (
        {"events": [event("tick", server=3, type="L")]},
        "workload.events[0].server: found server 3, allowed: at most 2",
    ),
    "a timer of another type": (
        {"events": [event("tick", server=2, type="H")]},
        "workload.events[0].type: found 'H', allowed: a type whose timer runs",
    ),
    "the patch where none is": (
        {"events": [event("tick", server=2, type="patch")]},
        "workload.events[0].type: found 'patch'",
    ),
    "a type where the patch is": (
        {"pools": [PATCHED], "events": [event("tick", server=1, type="L")]},
        "workload.events[0].type: found 'L', allowed: 'patch'",
    ),
    "no token taken": (
        {"events": [event("tick", server=2, type="L"), event("arrival", type="L", job="b")]},
        "workload.events[1].token_index: found none, allowed with 1 tokens: 0 to 0",
    ),
    "a token taken that is not there": (
        {"events": [event("arrival", type="L", job="b", token_index=0)]},
        "workload.events[0].token_index: found 0, allowed with 0 tokens: none",
    ),
    "too few choices": (
        {"pools": [PATCHED | {"eta_max": 0}], "events": [event("tick", server=1, type="patch")]},
        "workload.events[0].virtual_choices: found [], allowed: a place below 1",
    ),
    "too many choices": (
        {"events": [event("tick", server=2, type="L", virtual_choices=[0])]},
        "workload.events[0].virtual_choices: found 1, allowed: 0",
    ),
    "a choice beyond the tokens": (
        {"pools": [PATCHED | {"eta_max": 0}], "events": [event("tick", server=1, type="patch", virtual_choices=[1])]},
        "workload.events[0].virtual_choices: found [1], allowed: a place below 1",
    ),
    "a pool that is not there": (
        {"events": [event("arrival", type="L", job="b", pool=2)]},
        "workload.events[0].pool: found pool 2, allowed: at most 1",
    ),
    "another pool than the job's": (
        {"pools": [ONE["pools"][0], PATCHED], "events": [event("departure", job="a", pool=2)]},
        "workload.events[0].pool: found 2, allowed: 1, where job 'a' is",
    ),
    "more servers than there are": (
        {"pools": [ONE["pools"][0] | {"initial": [{}, {}, {"real": {"a": "L"}}]}]},
        "workload.initial[0]: found server 3, allowed: at most 2",
    ),
    "tokens of no server": (
        {"pools": [ONE["pools"][0] | {"initial_tokens": {"L": [3]}}]},
        "workload.initial_tokens[0].L: found server 3, allowed: at most 2",
    ),
    "more jobs than a server may hold": (
        {"pools": [ONE["pools"][0] | {"initial": [{"real": {"a": "L", "b": "L"}, "virtual": {"w": "H"}}]}]},
        "workload.initial[0][0]: found 3 jobs and tokens, which no server may hold",
    ),
    "more tokens than the limit": (
        {"pools": [ONE["pools"][0] | {"initial_tokens": {"L": [1, 2]}}]},
        "workload.initial_tokens: found 2 tokens of a type, allowed: at most the token limit",
    ),
    "a name of two jobs": (
        {"pools": [ONE["pools"][0] | {"initial": [{"real": {"a": "L"}, "virtual": {"a": "L"}}]}]},
        "workload: found 2 jobs with the name 'a', allowed: one",
    ),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_that_cannot_be_is_refused_when_it_is_opened(name: str) -> None:
    changes, sentence = SCRIPTS[name]
    data = scenarios(json.loads(json.dumps(ONE | changes)))[0]
    with pytest.raises(ScenarioError) as raised:
        assemble(parse_scenario(data))
    assert raised.value.line.startswith(sentence)


def test_a_script_needs_a_policy_with_tokens() -> None:
    scenario = parse_scenario(scenarios(json.loads(json.dumps(ONE)))[0])
    with pytest.raises(ScenarioError, match=r"policy.name: found 'first-fit', allowed with a"):
        assemble(scenario, "first-fit")


def test_a_script_needs_pools() -> None:
    data = scenarios(json.loads(json.dumps(ONE)))[0]
    data["policy"]["parameters"] = {}
    with pytest.raises(ScenarioError, match="found none, allowed with a script: the pools"):
        assemble(parse_scenario(data))


def test_a_script_is_left_by_rates_alone() -> None:
    """Phases of a script may have rates, but jobs move only when the script says so."""
    data = scenarios(json.loads(json.dumps(ONE)))[0]
    for phase in data["phases"]:
        phase |= {"departure_rate": 3, "arrival_rate": 1}
    data["cost"] = {"budget": "1/20"}
    bench = assemble(parse_scenario(data))
    assert bench.system.next_event(started(bench.system)) is None
