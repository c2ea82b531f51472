"""Lines of pseudocode that differ from the paper's print carry the printed line, in all kinds of system."""

from __future__ import annotations

import pytest

from slotscope.model.api import Session
from slotscope.model.reporting.records import Line
from slotscope.model.scenario.files import scenario_files
from slotscope.model.scenario.load import parse_scenario_text


@pytest.mark.parametrize(
    ("scenario", "policy", "lines"),
    [
        ("dra-classroom", "dra", [(1, 8), (2, 6)]),
        ("dra-pools", "dra", [(1, 3), (1, 6), (1, 8), (1, 11), (2, 6)]),
        ("dra-classroom", "dra:reservation_factor=log^1.1", [(1, 8), (2, 6), (2, 20), (2, 26)]),
        ("dra-classroom", "dra:workload=window", [(1, 8), (2, 6), (2, 20), (2, 26)]),
        ("dra-classroom", "dra-periodic", [(1, 8), (2, 6), (2, 20), (2, 26)]),
        ("dra-classroom", "dra-periodic:workload=window", [(1, 8), (2, 6), (2, 20), (2, 26), (3, 2)]),
        ("dra-classroom", "dra-no-migration", [(1, 8), (2, 6), (2, 24), (2, 25)]),
        ("dra-classroom", "dra-no-migration:extended=true", [(1, 8), (2, 6), (2, 18), (2, 24), (2, 25)]),
        ("dra-classroom", "dra-preemption", [(1, 8), (2, 6)]),
        ("dra-classroom", "dra-preemption:retry=true", [(1, 8), (2, 6), (2, 22)]),
        ("dra-classroom", "dra-preemption:workload=window", [(1, 8), (2, 6), (2, 20), (2, 26), (3, 5)]),
        ("dra-classroom", "power-of-d", [(1, 3)]),
        ("dra-classroom", "static-reservation", [(1, 3)]),
        ("queues-classroom", "bf-js", [(3, 1)]),
        ("queues-classroom", "vqs", [(3, 1)]),
        ("queues-classroom", "vqs:skip=true", [(2, 3), (3, 1)]),
        ("queues-classroom", "max-weight", [(1, 1)]),
        ("queues-classroom", "max-weight:preemptive=true", [(1, 1)]),
        ("queues-classroom", "fifo-ff", []),
        ("queues-classroom", "fifo-ff:skip=true", [(1, 4)]),
        ("jrs-classroom", "jrs", [(1, 2), (1, 3)]),
        ("jrs-classroom", "jrs:at_limit=reached,limit=requested", [(1, 2), (1, 3), (2, 5), (2, 6)]),
        ("jrs-classroom", "jrs:recovery_rate=1", [(1, 2), (1, 3), (1, 7)]),
        ("jrs-classroom", "jrs:patch=false", [(1, 2), (1, 3)]),
        ("jrs-classroom", "jrs:token_limit=2", [(1, 2), (1, 3), (2, 5)]),
        ("jrs-fixed-sizes", "jrs", [(1, 2), (1, 3), (1, 5)]),
        ("jrs-classroom", "grand", [(1, 3)]),
        ("moldable-classroom", "greedy-p", []),
        ("moldable-classroom", "greedy-p:load=0.5", [(1, 2)]),
        ("moldable-classes", "greedy-p", [(1, 1)]),
        ("moldable-classes", "greedy-p:shares=none", [(1, 1)]),
        ("moldable-classes", "greedy-p:rest=common", [(1, 1)]),
    ],
)
def test_lines_that_depart_have_the_printed_one(scenario: str, policy: str, lines: list[tuple[int, int]]) -> None:
    shown = Session.open(scenario, policy=policy, kernel=False).info.pseudocode
    assert [tuple(line.line) for line in shown if line.printed] == lines
    assert all(line.printed != line.text for line in shown)


def test_a_parameter_makes_a_line_another_and_keeps_what_it_was() -> None:
    usual = Session.open("queues-classroom", policy="fifo-ff", kernel=False).info.pseudocode
    skips = Session.open("queues-classroom", policy="fifo-ff:skip=true", kernel=False).info.pseudocode
    texts = {line.line: line.text for line in usual}
    (other,) = [line for line in skips if line.text != texts[line.line]]
    assert (other.line, other.printed) == (Line(1, 4), texts[Line(1, 4)])


def test_a_type_that_fits_no_server_is_no_candidate_of_gpa() -> None:
    """In print line 4 takes all types.  No job is preempted for such a type either."""
    text = scenario_files()["dra-classroom"].read_text(encoding="utf-8")
    with_wide = parse_scenario_text(text.replace("CPU = 5, memory = 20", "CPU = 9, memory = 20"), "wide")
    for policy, more in (("dra", []), ("dra-preemption", [Line(3, 1)])):
        shown = Session.open(with_wide, policy=policy, kernel=False).info.pseudocode
        assert [line.line for line in shown if line.printed] == [Line(1, 4), Line(1, 8), Line(2, 6), *more]
