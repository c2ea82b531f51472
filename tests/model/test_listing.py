"""The pseudocode text of a policy's module, parsed to numbered lines."""

from __future__ import annotations

from slotscope.model.policies.common import PseudocodeLine, listing
from slotscope.model.reporting.records import Line


def test_lines_are_numbered_and_indented_as_they_are_written() -> None:
    assert listing("""
        <b>when</b> a job arrives
          it asks for i || it asks for j
            and gets \
<i>i</i>
        #2 Stalling
        stall
        #3
          go on
    """) == (
        PseudocodeLine(Line(1, 1), 0, "<b>when</b> a job arrives"),
        PseudocodeLine(Line(1, 2), 1, "it asks for i", printed="it asks for j"),
        PseudocodeLine(Line(1, 3), 2, "and gets <i>i</i>"),
        PseudocodeLine(Line(2, 1), 0, "stall", "Stalling"),
        PseudocodeLine(Line(3, 1), 1, "go on"),
    )
