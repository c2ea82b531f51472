"""What every kind of system must fulfil: its scenarios, breakpoints, marks and files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import tomli_w

from slotscope.gui.kinds.rooms import PANEL_ROOMS
from slotscope.gui.panels import COMPARISON, companions_of, panels_of
from slotscope.model.comparison.comparison import Comparison
from slotscope.model.errors import UserError
from slotscope.model.kinds.spec import KINDS, kind_named
from slotscope.model.policies import POLICIES_OF
from slotscope.model.scenario.load import as_data, load_scenario, parse_scenario
from slotscope.model.systems.state import copied, digest
from tests.conftest import ROOT
from tests.contract.moments import SMALL, frame_of, scenarios
from tests.runs import ran

KIND = pytest.mark.parametrize("system", list(KINDS))


@KIND
def test_its_scenarios_are_what_their_data_say(system: str, tmp_path: Path) -> None:
    assert kind_named(system).example in scenarios(system)
    for name in scenarios(system):
        scenario = load_scenario(name)
        data = as_data(scenario)
        assert parse_scenario(data) == scenario
        path = tmp_path / f"{name}.toml"
        path.write_text(tomli_w.dumps(data), encoding="utf-8")
        assert as_data(load_scenario(path)) == data


@KIND
def test_an_unknown_key_is_named(system: str) -> None:
    data = as_data(load_scenario(SMALL[system])) | {"misspelt": 1}
    with pytest.raises(UserError, match="misspelt"):
        parse_scenario(data)


@KIND
def test_flags_and_marks_tell_one_thing_each(system: str) -> None:
    kind = kind_named(system)
    flags = list(kind.vocabulary.event_kinds.values())
    assert len({*flags}) == len(flags) > 0
    assert all(flag > 0 and flag & (flag - 1) == 0 for flag in flags)
    assert len({mark.flag for mark in kind.vocabulary.marks}) == len(kind.vocabulary.marks) > 0
    for mark in kind.vocabulary.marks:
        assert mark.label and mark.tip.endswith(".")
        assert mark.meaning in {"muted", "normal", "rejection", "migration"}
    assert len({measure.name for measure in kind.measures}) == len(kind.measures) > 0
    assert {measure.scale for measure in kind.measures} <= {"as it is", "per cent", "per time", "a time"}


@KIND
def test_a_run_stops_at_every_kind_of_event_that_happens(system: str) -> None:
    """At the first row with that flag, and not before."""
    session = ran(SMALL[system], events=300)
    rows = session.timeline.rows(1, 300)
    for name, flag in session.bench.kind.vocabulary.event_kinds.items():
        places = np.flatnonzero(rows["flags"] & flag)
        if len(places):
            session.seek(0)
            session.run(stop=(name,))
            assert session.timeline.event == places[0] + 1, name


@KIND
def test_a_state_is_copied_whole_and_its_digest_sees_every_field(system: str) -> None:
    session = ran(SMALL[system], events=50)
    state = session.timeline.state
    usual = digest(state)
    assert digest(copied(state)) == usual
    for name in state._fields:
        other = copied(state)
        array = getattr(other, name)
        if array.size:
            place = (0,) * array.ndim
            array[place] = not array[place] if array.dtype == bool else array[place] + 1
            assert np.isinf(array[place]) or digest(other) != usual, name


@KIND
def test_every_event_has_a_sentence(system: str) -> None:
    frame = frame_of(SMALL[system])
    for row in frame.rows:
        assert frame.info.narrator.row(row)
    assert frame.next_event is not None
    assert frame.info.narrator.event(frame.next_event)


@KIND
def test_what_is_said_of_sub_steps_is_of_kinds_that_some_policy_yields(system: str) -> None:
    narrator = ran(SMALL[system], events=1).info.narrator
    named = {name.removeprefix("_substep_") for name in dir(narrator) if name.startswith("_substep_")}
    room = ROOT / "model" / "kinds" / system
    yielded = "".join(path.read_text("utf-8") for path in room.rglob("*.py") if path.name != "explain.py")
    assert named
    assert {name for name in named if f'"{name}"' not in yielded} == set()


@KIND
def test_two_policies_meet_the_same_jobs(system: str) -> None:
    first, second = list(POLICIES_OF[system])[:2]
    run = Comparison.open(SMALL[system], (first, second), kernel=False)
    for _ in range(60):
        run.step()
    arrived = [session.bench.system.arrivals(session.timeline.state) for session in run.sessions]
    assert min(arrived) > 0
    blocks = [session.bench.system.workload.block_at(0) for session in run.sessions]
    for field in ("time", "type", "service"):
        if hasattr(blocks[0], field):
            assert np.array_equal(*(getattr(block, field) for block in blocks)), field


@KIND
def test_its_panels_have_their_places(system: str) -> None:
    names = [entry.load().name for entry in panels_of(system)]
    assert names == [entry.name for entry in panels_of(system)]
    assert len({*names}) == len(names)
    roles = PANEL_ROOMS[system].roles
    assert {roles.servers, roles.curve, roles.programs, *roles.numbered} <= {*names}
    assert len(companions_of(system)) == 3
    assert COMPARISON not in panels_of(system)
