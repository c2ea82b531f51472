"""Scenarios of each kind: they survive being written and read, and errors name all faults and the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tomli_w

from slotscope.model.scenario.load import load_scenario, parse_scenario
from slotscope.model.scenario.validation import ValidationFaultError
from tests.breaking import changed, check_file
from tests.kinds.moldable import scenarios as moldable
from tests.kinds.phases import scenarios as phases
from tests.kinds.queue import scenarios as queue
from tests.scenario_text import read_back

#: Scenarios of every form that a kind has.
FORMS = {
    "moldable": moldable.ALL,
    "phases": (phases.GOOD, phases.TABLE, phases.SEVERAL, phases.SCRIPT, phases.TRACE),
    "queue": (queue.GOOD, queue.CLASSES, queue.SCRIPT, queue.TWO, queue.TRACE),
}

#: A valid scenario, and faults in several of its fields.
FAULTS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "moldable": (moldable.SEVERAL, {"classes[0].speedup": [2], "classes[2].size.values": [], "workload.load": 0}),
    "phases": (phases.GOOD, {"cost.budget": 0, "phases[1].name": ""}),
    "queue": (queue.GOOD, {"servers.count": 0, "jobs.size.values[0]": -1}),
}

#: A valid scenario, a field of it, an invalid value, and a part of the error message.
IN_A_FILE: dict[str, tuple[dict[str, Any], str, Any, str]] = {
    "moldable": (moldable.GOOD, "classes[0].speedup", [1, 3], "classes[0].speedup: found [1, 3]"),
    "phases": (phases.GOOD, "phases[1]", {"name": "H", "demand": 3}, "phases[1].departure_rate: found 0"),
    "queue": (queue.GOOD, "jobs.size.values[0]", 0, "jobs.size.values[0]: found 0"),
}


@pytest.mark.parametrize(("kind", "data"), [(kind, data) for kind, forms in FORMS.items() for data in forms])
def test_text_and_back(kind: str, data: dict[str, Any]) -> None:
    scenario = parse_scenario(data)
    assert scenario.system == kind
    read_back(scenario)


@pytest.mark.parametrize("kind", FAULTS)
def test_every_fault_is_told(kind: str) -> None:
    data, faults = FAULTS[kind]
    for place, value in faults.items():
        data = changed(place, value, data)
    with pytest.raises(ValidationFaultError) as raised:
        parse_scenario(data)
    assert {problem.where for problem in raised.value.problems} == faults.keys()


@pytest.mark.parametrize("kind", IN_A_FILE)
def test_a_fault_in_a_file_begins_with_the_file(kind: str, tmp_path: Path) -> None:
    data, place, value, said = IN_A_FILE[kind]
    check_file(load_scenario, tmp_path / "broken.toml", tomli_w.dumps(changed(place, value, data)), said)
