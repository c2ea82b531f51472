"""Why a server waits for jobs, and the life of a token."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from slotscope.model.kinds.phases.explain import why_waiting
from slotscope.model.kinds.phases.rows import PHASE_ROW
from slotscope.model.kinds.phases.scenario.instance import scenarios
from slotscope.model.running.assembly import assemble
from slotscope.model.running.engine import EventRun, started
from slotscope.model.scenario.load import load_scenarios, parse_scenario
from tests.kinds.phases.narrated import bench_of

# Why a server waits.

WAITING: Any = {
    "name": "waiting",
    "K_max": 4,
    "phases": ["L", "H"],
    "resources": [{"name": "cpu", "cap": 5, "req": [1, 3]}],
    "pools": [
        {
            "L": 8,
            "eta_max": 5,
            "patch_at_0": {"rate": 1.0, "k0": {"L": 2, "H": 1}},
            "policy": [
                {"k": [1, 1], "case": 1, "rates": {"L": 2.0, "H": 0.5}},
                {"k": [1, 2], "case": 1, "rates": {}},
                {"k": [1, 0], "case": 2, "prob": {"H": 1.0}},
            ],
            "initial": [
                {"real": {"a": "L"}},
                {"real": {"b": "L", "c": "H"}},
                {"real": {"d": "L", "e": "H"}, "virtual": {"f": "H"}},
                {"real": {"g": "L"}},
                {"virtual": {"h": "H", "i": "H", "j": "H"}},
                {},
                {"real": {"k": "L", "l": "H"}},
            ],
            "initial_tokens": {"L": [1, 7], "H": [1]},
        }
    ],
    "events": [{"t": 2.5, "kind": "tick", "server": 8, "type": "patch"}],
}

WHY = {
    1: "server 1 asks for nothing: it holds 2 tokens (1 L and 1 H), the oldest for 2.5; at (1, 0) "
    "it would ask for one H",
    2: "server 2 waits at (1, 1): case 1, its timers ask for one L at rate 2 and one H at rate 0.5",
    3: "server 3 waits at (1, 2): case 1 without a timer, nothing is asked for until a job moves",
    4: "server 4 waits at (1, 0): case 2 asks for one H after the move of a job, and the end of "
    "its pause was none; a job must move first",
    5: "server 5 waits at (0, 3): case 3, no request leads from there back into its class; a job must move first",
    6: "server 6 waits at (0, 0): case 3, a timer of rate 1 will ask for 2 L and 1 H at once (Appendix B.3)",
    7: "server 7 asks for nothing: it holds 1 token (1 L), the oldest for 2.5",
    8: "server 8 asks for nothing: it holds 3 tokens (2 L and 1 H), the oldest for 0",
}

FOLDER = Path(__file__).parents[2] / "golden" / "phases"


def waiting(**parameters: Any) -> tuple[Any, Any]:
    """The bench and the state after the only event."""
    data = scenarios(json.loads(json.dumps(WAITING)))[0]
    data["policy"]["parameters"] |= parameters
    if "recovery_rate" in parameters:  # no request leads back from (0, 3), but one does from (0, 2)
        del data["workload"]["initial"][0][4]["virtual"]["j"]
    bench = assemble(parse_scenario(data))
    run = EventRun(bench.system, started(bench.system))
    run.finish()
    return bench, run.state


@pytest.mark.parametrize("server", WHY)
def test_why_a_server_waits(server: int) -> None:
    bench, state = waiting()
    facts = bench.kind.facts(bench.system)
    assert why_waiting(state, bench.numbers, facts, server - 1) == WHY[server]


def test_what_a_server_will_ask_for_after_its_pause() -> None:
    bench, state = waiting(request_after_pause=True)
    words = why_waiting(state, bench.numbers, bench.kind.facts(bench.system), 0)
    assert words.endswith("at (1, 0) it will then ask for one H")


def test_recovery_lets_a_server_go_on() -> None:
    bench, state = waiting(recovery_rate=3)
    facts = bench.kind.facts(bench.system)
    found = {server + 1: why_waiting(state, bench.numbers, facts, server) for server in range(8)}
    assert found == WHY | {
        4: "server 4 waits at (1, 0): case 2, a timer of rate 3 will ask for 1 H at once (recovery)",
        5: "server 5 waits at (0, 2): case 3, a timer of rate 3 will ask for 1 L at once (recovery)",
    }


def test_without_the_patch_an_empty_server_rests_for_ever() -> None:
    data = scenarios(json.loads(json.dumps(WAITING | {"events": []})))[0]
    data["policy"]["parameters"]["patch"] = False
    bench = assemble(parse_scenario(data))
    state: Any = started(bench.system)
    assert why_waiting(state, bench.numbers, bench.kind.facts(bench.system), 5) == (
        "server 6 waits at (0, 0): case 3, without a timer it rests for ever, as no job is left "
        "whose move could make it ask"
    )


def test_policies_without_tokens_wait_for_nothing() -> None:
    bench = bench_of("first-fit")
    state: Any = started(bench.system)
    assert why_waiting(state, bench.numbers, bench.kind.facts(bench.system), 0) == ""


# The life of a token.


class TestTheLifeOfAToken:
    """Instance 03: token 1 is made at time 1 and taken by v1; token 2 is taken by job a."""

    def lives(self, token: int, events: int) -> list[str]:
        bench = assemble(load_scenarios(FOLDER / "03_token_limit_virtual.json")[0])
        state: Any = started(bench.system)
        rows = np.zeros(events, PHASE_ROW)
        for place in range(events):
            run = EventRun(bench.system, state)
            run.finish()
            state, rows[place] = run.state, run.row[0]
        words: Any = bench.kind.narrator(bench.system)
        found: list[str] = words.token_life(token, state, rows)
        return found

    def test_it_waits(self) -> None:
        assert self.lives(0, 1) == [
            "event 1, time 1: the timer of server 1 rings; it asks for 1 job: token 1",
            "token 1 of server 1 waits for 0, number 1 by age of 1 of type L",
        ]

    def test_a_virtual_job_takes_it(self) -> None:
        assert self.lives(0, 2) == [
            "event 1, time 1: the timer of server 1 rings; it asks for 1 job: token 1",
            "made at 1, taken at 1.1 by virtual job v1",
            "virtual job v1 is on server 1 in phase L now",
        ]

    def test_a_real_job_takes_it(self) -> None:
        assert self.lives(1, 5)[1:] == ["made at 1.1, taken at 2 by job a", "job a is on server 2 in phase L now"]

    def test_its_job_has_left(self) -> None:
        bench = assemble(load_scenarios(FOLDER / "02_several_types_one_request.json")[0])
        state: Any = started(bench.system)
        rows = np.zeros(3, PHASE_ROW)
        for place in range(3):
            run = EventRun(bench.system, state)
            run.finish()
            state, rows[place] = run.state, run.row[0]
        words: Any = bench.kind.narrator(bench.system)
        assert words.token_life(0, state, rows) == [
            "event 1, time 1: job a departs from server 1 in phase L; server 1 asks for 2 jobs: "
            "tokens 1 and 2; server 1 has no real job any more",
            "event 2, time 1.2: job b takes token 1, the only one of type L, and joins server 1: "
            "it was asked for 0.2 ago",
        ]

    def test_nothing_is_known_of_a_token_to_come(self) -> None:
        assert self.lives(99, 5) == []
        assert self.lives(-1, 5) == []
