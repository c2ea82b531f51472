"""Any value in a field of a scenario or an instance file is accepted or refused with an error of one line."""

from __future__ import annotations

import copy
import json
import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slotscope.model.errors import UserError
from slotscope.model.kinds.spec import kind_named
from slotscope.model.running.assembly import assemble
from slotscope.model.scenario.load import parse_scenario, scenario_text, scenarios_in
from tests import breaking
from tests.breaking import changed, is_one_line, places, worth_trying
from tests.kinds.moldable import scenarios as moldable
from tests.kinds.moldable import test_instance as moldable_files
from tests.kinds.phases import scenarios as phases
from tests.kinds.phases import test_instance as phase_files
from tests.kinds.queue import scenarios as queue
from tests.kinds.queue import test_instances as queue_files

#: For each kind, valid scenarios, and a strategy for values of their fields.
SCENARIOS: dict[str, tuple[tuple[dict[str, Any], ...], st.SearchStrategy[Any]]] = {
    "reservation": (
        (breaking.GOOD, breaking.GOOD | {"initial": breaking.FULL}, breaking.GOOD | {"workload": breaking.SCRIPT}),
        worth_trying("a log log^9 full", "a kind start name mean"),
    ),
    "queue": (
        (queue.GOOD, queue.CLASSES, queue.SCRIPT, queue.TWO, queue.TRACE),
        worth_trying("uniform poisson iid discrete geometric", "a kind size distribution mean"),
    ),
    "phases": (
        (phases.GOOD, phases.TABLE, phases.SEVERAL, phases.SCRIPT, phases.TRACE),
        worth_trying("never poisson table patch trace scripted L", "L kind cpu size jobs rate"),
    ),
    "moldable": (
        moldable.ALL,
        worth_trying(
            "poisson trace scripted linear pareto empirical",
            "law degree distribution kind mean class",
            st.sampled_from([0, 1, 2, "power", "amdahl", "mixed-erlang"]),
        ),
    ),
}

#: For each kind, valid instance files.
FILES = {
    "reservation": (breaking.INSTANCE,),
    "queue": (queue_files.GOOD,),
    "phases": (phase_files.GOOD,),
    "moldable": (moldable_files.GOOD, moldable_files.SEVERAL),
}

ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 10**20)
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(["1/3", "1/0", "nan", "1e30", "1e400", 10**31, [[]], [1, 2], ["L", "H"]]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "job", "size", "law", "degree"]), inner, max_size=3)
    ),
    max_leaves=5,
)


@pytest.mark.slow
@pytest.mark.parametrize("system", SCENARIOS)
@given(data=st.data())
@settings(max_examples=200)
def test_whatever_stands_in_a_scenario(system: str, data: st.DataObject) -> None:
    goods, values = SCENARIOS[system]
    good = data.draw(st.sampled_from(goods))
    broken = changed(data.draw(st.sampled_from(places(good))), data.draw(values), copy.deepcopy(good))
    if broken.get("system") != system:
        return
    try:
        scenario, kind = parse_scenario(broken), kind_named(system)
        numbers = kind.numbers(scenario)
        if scenario.workload.kind != "trace":
            kind.workload(scenario, numbers)
    except UserError as error:
        assert is_one_line(error.line)
        return
    assert parse_scenario(tomllib.loads(scenario_text(scenario))) == scenario


@pytest.mark.parametrize("system", FILES)
@given(data=st.data())
def test_whatever_stands_in_an_instance_file(system: str, data: st.DataObject) -> None:
    good = data.draw(st.sampled_from(FILES[system]))
    broken = changed(data.draw(st.sampled_from(places(good))), data.draw(ANYTHING), good)
    try:
        for one in scenarios_in(json.dumps(broken), "a file"):
            scenario = parse_scenario(one)
            kind_named(scenario.system).numbers(scenario)
            if scenario.system == "queue":  # the policies of queues also check the sizes
                assemble(scenario)
    except UserError as error:
        assert is_one_line(error.line)
