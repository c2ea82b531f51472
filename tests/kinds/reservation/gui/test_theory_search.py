"""The Theory panel's search for a violation of the monotone greedy property."""

from __future__ import annotations

import subprocess
from fractions import Fraction

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from slotscope.gui.kinds.reservation import theory_search
from slotscope.gui.kinds.reservation.theory import TheoryPanel
from slotscope.gui.kinds.reservation.theory_search import SearchRow, sentence
from slotscope.model.kinds.reservation.programs.monotone import MonotoneSearch, Witness, search_violation
from slotscope.model.lifeline import start_beside
from slotscope.model.reporting.letters import type_letter
from tests.gui.windows import panel_fixture
from tests.kinds.reservation.gui.theory_frames import frame_of

#: Milliseconds for a process to start, search and return its result.
PATIENCE = 60_000

panel = panel_fixture(TheoryPanel, 640, 900)


def test_the_search_finds_the_violation_of_the_example(qtbot: QtBot, panel: TheoryPanel) -> None:
    panel.set_frame(frame_of("dra-vms"))
    qtbot.mouseClick(panel.search.button, Qt.MouseButton.LeftButton)
    assert panel.search.busy
    qtbot.waitUntil(lambda: not panel.search.busy, timeout=PATIENCE)
    said = panel.search.answer.text()
    for part in ("(0, 0, 4/3, 1)", "576", "(2, 1/2, 4/3, 1)", "1598/3 = 532.7", "Theorem 2"):
        assert part in said
    assert not panel.search.bar.isVisible()


def test_a_search_shows_progress_and_can_be_stopped(qtbot: QtBot, panel: TheoryPanel) -> None:
    frame = frame_of("dra-appendix-c", 60)
    panel.set_frame(frame)
    panel.search.begin(frame.info.numbers, budget=10**7)
    qtbot.mouseClick(panel.search.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: panel.search.bar.value() > 0, timeout=PATIENCE)
    qtbot.mouseClick(panel.search.button, Qt.MouseButton.LeftButton)
    assert not panel.search.busy
    assert "stopped" in panel.search.answer.text()
    qtbot.wait(150)
    assert "stopped" in panel.search.answer.text()


def test_another_run_ends_the_search(qtbot: QtBot, panel: TheoryPanel) -> None:
    frame = frame_of("dra-appendix-c", 60)
    panel.set_frame(frame)
    panel.search.begin(frame.info.numbers, budget=10**7)
    qtbot.mouseClick(panel.search.button, Qt.MouseButton.LeftButton)
    panel.set_frame(frame_of("dra-vms"))
    assert not panel.search.busy
    assert not panel.search.answer.text()
    qtbot.wait(150)
    assert not panel.search.answer.text()


def test_a_search_that_fails_says_so(qtbot: QtBot) -> None:
    row = SearchRow()
    qtbot.addWidget(row)
    row.begin(frame_of("dra-vms").info.numbers, budget="many")  # type: ignore[arg-type]
    row.bar.setRange = lambda *_: None  # type: ignore[method-assign]
    qtbot.mouseClick(row.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not row.busy, timeout=PATIENCE)
    assert "The search failed" in row.answer.text()


def test_a_search_that_is_killed_says_so(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    started = []

    def noted(module: str) -> subprocess.Popen[bytes]:
        started.append(start_beside(module))
        return started[-1]

    monkeypatch.setattr(theory_search, "start_beside", noted)
    row = SearchRow()
    qtbot.addWidget(row)
    row.begin(frame_of("dra-gcp").info.numbers, budget=10**9)
    qtbot.mouseClick(row.button, Qt.MouseButton.LeftButton)
    started[0].kill()
    qtbot.waitUntil(lambda: not row.busy, timeout=PATIENCE)
    assert "The search failed: its process was killed" in row.answer.text()


def test_sentences_of_the_search() -> None:
    three, two = (frame_of(name, 3).info.numbers for name in ("dra-classroom", "dra-example-1"))
    nothing = MonotoneSearch(None, 20_000)
    assert "proves nothing" in sentence(nothing, three)
    assert "there is none" in sentence(nothing, two)
    half = Fraction(1, 2)
    found = MonotoneSearch(Witness((half,), (Fraction(1),), Fraction(5), Fraction(13, 3)), 7)
    said = sentence(found, three)
    assert "(1/2)" in said
    assert "13/3 = 4.333" in said


def test_of_many_types_only_the_changes_are_written() -> None:
    numbers = frame_of("dra-gcp", 3).info.numbers
    found = search_violation(numbers.space, numbers.rewards, numbers.workload, 600)
    assert found.witness is not None
    said = sentence(found, numbers)
    changed = [j for j, load in enumerate(found.witness.lower) if load != numbers.workload[j]]
    assert changed
    for j, load in enumerate(numbers.workload):
        assert (f"{type_letter(j)} from {load} to" in said) == (j in changed)
    assert len(said) < 300
