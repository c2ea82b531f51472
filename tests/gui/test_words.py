"""Sentences, symbols and small numbers as written in panels."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QTextBoundaryFinder

from slotscope.gui.panels.wording import capitalized, clock_text, sentence, significant
from slotscope.gui.plotting.scales import format_number
from slotscope.gui.widgets.scripts import set_scripts
from slotscope.model.api import Session
from slotscope.model.cli.output import shown
from slotscope.model.kinds.phases.policies.jrs import Reference
from slotscope.model.reporting.explain import grouped


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("server 4 is free", "Server 4 is free"),
        ("next: job 3", "Next: job 3"),
        ("min(i, j) = min(3, 2) = 2: it gets 2", "min(i, j) = min(3, 2) = 2: it gets 2"),
        ("max[1] = 2", "max[1] = 2"),
        ("k₁ = 4", "k₁ = 4"),
        ("j = 0: it is blocked", "j = 0: it is blocked"),
        ("", ""),
    ],
)
def test_a_sentence_begins_with_a_capital_and_a_symbol_does_not(words: str, told: str) -> None:
    assert capitalized(words) == told


@pytest.mark.parametrize(
    ("plain", "whole"),
    [
        ("Right is (8, 0, 0).", "Right is (8,\u00a00,\u00a00)."),
        ("π(1, −2) and (web, database)", "π(1,\u00a0−2) and (web, database)"),
        (f"({', '.join('0' * 12)})", f"({', '.join('0' * 12)})"),  # too long for a line with other text
    ],
)
def test_a_short_vector_stays_on_its_line(plain: str, whole: str) -> None:
    assert set_scripts(plain) == whole


def test_a_policy_s_file_has_no_index() -> None:
    assert set_scripts("x_i of q_lazy.py, line 3") == "x<sub>i</sub> of q_lazy.py, line 3"


def test_the_step_of_an_allocation_has_its_function_as_in_the_pseudocode() -> None:
    session = Session.open("moldable-classroom", "greedy", kernel=False)
    said = []
    for _ in range(12):
        session.timeline.step_into()
        said.append(sentence(session.frame()))
    assert any(words.startswith("min(i, j)") for words in said), said


def test_the_limit_of_tokens_has_its_index_below_the_line() -> None:
    (line,) = [line.text for line in Reference.pseudocode if "η" in line.text]
    assert "η<sub>max</sub> tokens" in line


def test_what_rounding_leaves_of_a_difference_is_zero_and_small_chances_are_not() -> None:
    assert significant(-1e-9) == "0" and shown(-1e-9) == "0"
    assert significant(-0.001) == "−0.001" and shown(-0.001) == "-0.001"
    assert significant(1e-12) != "0" and shown(1e-12) == "1e-12"


def test_long_times_have_spaces_at_the_thousands_and_as_many_digits_as_go_on() -> None:
    info = Session.open("dra-classroom", kernel=False).info
    assert clock_text(info, 2664185.731) == "t = 2\u202f664\u202f185.73 seconds"
    assert clock_text(replace(info, usual_pace=0.004, time_unit=""), 0.01234) == "t = 0.0123"


def test_no_line_ends_within_a_number() -> None:
    for text in (grouped(1234567), format_number(1234567), significant(1234567.0, 7)):
        assert not lines_end_at(f"{text} jobs") & set(range(1, len(text)))


def lines_end_at(text: str) -> set[int]:
    """The positions in *text* at which a line may be broken."""
    finder = QTextBoundaryFinder(QTextBoundaryFinder.BoundaryType.Line, text)
    return set(iter(finder.toNextBoundary, -1))
