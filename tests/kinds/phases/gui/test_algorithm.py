"""The values of systems with phases beside their pseudocode."""

from __future__ import annotations

import pytest

from slotscope.gui.kinds.phases.symbols import SYMBOLS
from slotscope.gui.panels.algorithm_values import Code, numbers_of, values_beside, worded
from slotscope.model.reporting.records import Match, Request, SetTimer
from tests.kinds.phases.gui.servers_views import run


@pytest.mark.parametrize("policy", ["jrs", "grand", "first-fit", "best-fit", "power-of-d"])
def test_every_value_of_a_sub_step_has_words(policy: str) -> None:
    session = run("jrs-two-phases", 300, policy)
    info = session.frame().info
    code, seen = Code(info.pseudocode), set()
    for _ in range(60):
        session.step()
        records = session.frame().last_records
        for record in records:
            if record.line is not None:
                assert set(numbers_of(record)) <= set(SYMBOLS), record
                seen.add(record.kind)
        beside = values_beside(code, records, info)
        assert all(line in code.place for line in beside)
    assert len(seen) >= (5 if policy == "jrs" else 2)


def test_values_are_written_as_in_the_paper() -> None:
    info = run("jrs-two-phases").frame().info

    def text(name: str, **values: object) -> str:
        return worded(name, values, info)

    assert text("jobs", jobs=(2, 1)) == "jobs = 2L + H"
    assert text("observed", observed=(0, 0)) == "<i>k̂</i> = 0"
    assert text("limit", limit=5) == "<i>η</i><sub>max</sub> = 5"
    assert text("type", type=1) == "<i>i</i> = H"
    assert text("server", server=0) == "server 1"
    assert text("servers", servers=(0, 4)) == "servers = {1, 5}"
    assert text("servers", servers=12) == "servers = 12"
    assert text("rate", rate=0.0) == "rate = no timer"
    assert text("token", token=0) == "token 1"
    assert text("number", number=0) == "virtual job v1"
    assert text("backup", backup=2) == "backup server 3"
    assert text("pool", pool=0) == ""  # there is only one pool
    assert text("position", position=3) == ""
    several = run("jrs-fixed-sizes").frame().info
    assert worded("pool", {"pool": 1}, several) == "pool 2"
    assert worded("jobs", {"jobs": (1, 0, 2)}, several) == "jobs = small + 2 large"


def test_values_stand_beside_their_lines() -> None:
    info = run("jrs-two-phases").frame().info
    code = Code(info.pseudocode)
    lines = {line.line.number: line.line for line in info.pseudocode if line.line.algorithm == 1}
    request = Request(line=lines[6], server=3, jobs=(1, 1))
    timer = SetTimer(line=lines[7], server=3, rate=0.25, values={"observed": (4, 2)})
    found = values_beside(code, [request, timer], info)
    assert found[lines[6]]["jobs"].text == "jobs = L + H"
    assert not found[lines[6]]["jobs"].fresh
    assert found[lines[7]]["rate"].text == "rate = 0.25"
    assert found[lines[7]]["observed"].fresh
    assert values_beside(code, [Match(job=1)], info) == {}
