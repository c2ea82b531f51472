"""Texts about jobs with phases under several policies: the next event, and the table of measures."""

from __future__ import annotations

import re

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from slotscope.gui.panels.comparison import ComparisonPanel
from slotscope.gui.theme import apply, load_theme
from slotscope.model.comparison.comparison import Comparison
from slotscope.model.comparison.runs import open_run
from slotscope.model.reporting.records import DEPARTURE, MOVE

DEADLOCK = "jrs-deadlock"


def coming(policy: str, events: int) -> list[tuple[int, str]]:
    """The next events of a walk that move a job or let it depart: their kinds, and their texts."""
    comparison = open_run(DEADLOCK, ("jrs", policy))
    assert isinstance(comparison, Comparison)
    found = []
    for _ in range(events):
        frame = comparison.frame()
        event = frame.next_event
        if event is not None and event.kind in {DEPARTURE, MOVE}:
            found.append((event.kind, frame.info.narrator.event_anywhere(event)))
        comparison.step()
    return found


def test_a_job_that_moves_is_told_without_its_server():
    said = coming("jrs:patch=true", 60)
    assert {kind for kind, _ in said} == {DEPARTURE, MOVE}
    for kind, words in said:
        pattern = "a job departs" if kind == DEPARTURE else "a job goes into phase [LH]"
        assert re.fullmatch(pattern, words)


def test_no_name_of_a_measure_needs_more_lines_in_a_hall_than_its_numbers(qtbot: QtBot, qapp: QApplication) -> None:
    theme, run = load_theme("light"), Comparison.open("jrs-classroom", ("jrs", "first-fit"), kernel=False)
    run.run(events=1000)
    try:
        apply(qapp, theme, lecture=True)
        panel = ComparisonPanel(theme)
        qtbot.addWidget(panel)
        panel.resize(500, 1200)
        panel.show()
        panel.set_frame(run.frame())
        named, measures = panel.table.text(), run.frame().info.kind.measures
        assert all(one.title in named for one in measures)
        for width in range(440, 560, 10):  # the widths that are left beside two policies' servers at 1280x720
            panel.table.setText(re.sub("since [^<]*", "", named))
            high = panel.table.heightForWidth(width)
            for measure in measures:
                panel.table.setText(panel.table.text().replace(f">{measure.title}<", ">0<"))
            assert panel.table.heightForWidth(width) == high, width
    finally:
        apply(qapp, theme)
