"""The values of moldable policies beside their pseudocode, and how decisions are compared."""

from __future__ import annotations

import pytest

from slotscope.gui.kinds.moldable.symbols import SYMBOLS
from slotscope.gui.kinds.rooms import PANEL_ROOMS
from slotscope.gui.panels.algorithm_values import Code, numbers_of, values_beside, worded
from slotscope.gui.panels.wording import job_words
from slotscope.model.api import Session
from slotscope.model.kinds.spec import KINDS, kind_named
from slotscope.model.reporting.frame import RunInfo
from slotscope.model.reporting.records import DEPARTURE

POLICIES = {
    "greedy-p": "moldable-classroom",
    "greedy": "moldable-classroom",
    "fixed-width:servers=2": "moldable-classroom",
    "threshold:steps=[{free=4,servers=3}]": "moldable-classroom",
    "greedy-p:rest=common": "moldable-classes",
}


def info_of(name: str = "moldable-classroom", policy: str = "greedy-p") -> RunInfo:
    return Session.open(name, policy, kernel=False).info


@pytest.mark.parametrize("policy", list(POLICIES))
def test_every_value_of_a_sub_step_has_words(policy: str) -> None:
    session = Session.open(POLICIES[policy], policy, kernel=False)
    info = session.info
    code, seen = Code(info.pseudocode), set()
    for _ in range(120):
        session.step()
        records = session.frame().last_records
        for record in records:
            if record.line is not None:
                assert set(numbers_of(record)) <= set(SYMBOLS), record
                assert record.line in code.place
                seen.add(record.kind)
        beside = values_beside(code, records, info)
        assert all(line in code.place for line in beside)
    assert {"request", "allocate"} <= seen


def test_the_line_in_hand_follows_the_decision() -> None:
    session = Session.open("moldable-classroom", "greedy-p", kernel=False)
    session.step_into()
    lines = []
    while (records := session.frame().records) and len(lines) < 10:
        lines.append(records[-1].line.number if records[-1].line else 0)
        session.step_into()
    assert lines == [0, 2, 3]


def test_values_are_written_as_in_the_paper() -> None:
    info = info_of()

    def text(name: str, **values: object) -> str:
        return worded(name, values, info)

    assert text("request", request=2) == "<i>i</i> = 2"
    assert text("free", free=7) == "<i>j</i> = 7"
    assert text("servers", servers=2) == "min(<i>i</i>, <i>j</i>) = 2"
    assert text("uniform", uniform=0.25) == "<i>u</i> = 0.2500"
    law = "<i>p</i>*<sub>1</sub> = 0.25, <i>p</i>*<sub>2</sub> = 0.75"
    assert text("shares", shares=(0.25, 0.75), widths=(1, 2)) == law
    assert text("widths", widths=(1, 2)) == ""  # stated with the shares
    assert text("from", **{"from": 4}) == "<i>f<sub>k</sub></i> = 4"
    assert text("type", type=0) == ""  # there is only one class
    assert worded("type", {"type": 1}, info_of("moldable-classes")) == "analysis"


def test_a_job_is_called_by_its_number_and_class() -> None:
    assert job_words(info_of(), 0, 12) == "job 12"
    assert job_words(info_of("moldable-classes"), 2, 12) == "job 12 of class search"


def test_a_departure_is_told_without_its_servers() -> None:
    session = Session.open("moldable-classroom", kernel=False)
    events = []
    for _ in range(60):
        frame = session.frame()
        if frame.next_event is not None and frame.next_event.kind == DEPARTURE:
            events.append(frame.info.narrator.event_anywhere(frame.next_event))
        session.step()
    assert set(events) == {"a job departs"}


def test_every_kind_that_compares_decisions_has_words_for_them() -> None:
    comparing = {name for name in KINDS if kind_named(name).compares_decisions}
    words = {name: room.decisions for name, room in PANEL_ROOMS.items()}
    assert comparing == {name for name in words if all(words[name])}
    assert words["moldable"].where == "or another width"
    assert "7" in words["reservation"].alike.format(jobs="7 jobs")
