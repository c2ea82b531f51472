"""Rows of bars with numbers: each number has space beside its bar."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from PySide6.QtGui import QFontMetricsF, QPainter, QTextDocument
from pytestqt.qtbot import QtBot

from slotscope.gui.kinds.queue.lp_values import ConfigurationBars, ConfigurationRow
from slotscope.gui.panels.pages import table_of
from slotscope.gui.theme import load_theme


@pytest.mark.usefixtures("qapp")
def test_columns_of_a_table_stay_apart_however_narrow_it_is() -> None:
    cells = ["mean", "blocked", "jobs", "share"]
    page = QTextDocument()
    page.setHtml(table_of(cells, [cells], load_theme("light")))
    page.setTextWidth(1)
    layout, block, spans = page.documentLayout(), page.begin(), []
    while block.isValid() and len(spans) < len(cells):
        if block.text() in cells:
            line = block.layout().lineAt(0)
            left = layout.blockBoundingRect(block).x() + line.naturalTextRect().x()
            spans.append((left, left + line.naturalTextWidth()))
        block = block.next()
    assert len(spans) == len(cells)
    assert all(after[0] - before[1] >= 7 for before, after in pairwise(spans)), spans


def test_no_number_is_wider_than_its_column(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[tuple[float, float]] = []
    draw = QPainter.drawText

    def note(painter: QPainter, box: object, *rest: object) -> object:
        if rest and rest[-1] == "0.003419":
            drawn.append((QFontMetricsF(painter.font()).horizontalAdvance("0.003419"), box.width()))  # type: ignore[attr-defined]
        return draw(painter, box, *rest)  # type: ignore[call-overload]

    bars = ConfigurationBars(load_theme("light"))
    qtbot.addWidget(bars)
    bars.resize(1000, 300)
    bars.set_rows((ConfigurationRow((24, 0), "", Fraction(3419, 1_000_003), 0.0),))
    monkeypatch.setattr(QPainter, "drawText", note)
    bars.grab()
    assert drawn
    assert all(needed <= width for needed, width in drawn)
