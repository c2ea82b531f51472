"""Widgets in one or two columns, and which of them takes the remaining space."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from slotscope.gui.panels.columns import HeadedColumns


class Block(QWidget):
    """A widget with a fixed size hint that may grow."""

    def sizeHint(self) -> QSize:
        return QSize(100, 40)

    def minimumSizeHint(self) -> QSize:
        return QSize(60, 30)


@pytest.fixture
def blocks() -> list[Block]:
    return [Block() for _ in range(3)]


@pytest.fixture
def columns(qtbot: QtBot, blocks: list[Block]) -> HeadedColumns:
    shown = HeadedColumns(Block())
    qtbot.addWidget(shown)
    shown.arrange(blocks)
    shown.resize(600, 400)
    shown.show()
    qtbot.waitExposed(shown)
    return shown


def test_one_column_stands_below_the_head(columns: HeadedColumns, blocks: list[Block]) -> None:
    tops = [block.mapTo(columns, block.rect().topLeft()).y() for block in blocks]
    assert columns.count == 1
    assert tops == sorted(set(tops)) and tops[0] >= 40
    assert len({block.width() for block in blocks}) == 1


def test_a_column_that_needs_more_width_asks_for_it(
    qtbot: QtBot, columns: HeadedColumns, blocks: list[Block], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    monkeypatch.setattr(columns, "updateGeometry", lambda: asked.append(columns.minimumSizeHint().width()))
    blocks[0].setMinimumWidth(500)
    qtbot.waitUntil(lambda: bool(asked) and asked[-1] >= 500)


def test_two_columns_share_the_width(qtbot: QtBot, columns: HeadedColumns, blocks: list[Block]) -> None:
    columns.arrange(blocks[:1], blocks[1:], blocks[:1])
    qtbot.waitUntil(lambda: blocks[1].mapTo(columns, blocks[1].rect().topLeft()).x() >= 250)
    assert columns.count == 2
    assert blocks[0].height() > 300  # it grows
    assert blocks[1].mapTo(columns, blocks[1].rect().topLeft()).y() < 60  # its column is at the top


def test_a_column_whose_growing_widget_is_hidden_keeps_to_the_top(
    qtbot: QtBot, columns: HeadedColumns, blocks: list[Block]
) -> None:
    columns.arrange(blocks, growing=blocks[1:2])
    blocks[1].hide()
    qtbot.waitUntil(lambda: blocks[2].mapTo(columns, blocks[2].rect().topLeft()).y() < 150)


def test_arranging_alike_again_changes_nothing(columns: HeadedColumns, blocks: list[Block]) -> None:
    before = [block.geometry() for block in blocks]
    columns.arrange(blocks)
    assert [block.geometry() for block in blocks] == before


def test_its_least_width_needs_no_scrolling_sideways(columns: HeadedColumns, qtbot: QtBot) -> None:
    columns.resize(columns.minimumSizeHint().width(), 60)
    qtbot.waitUntil(lambda: columns.verticalScrollBar().maximum() > 0)
    assert columns.horizontalScrollBar().maximum() == 0
    columns.resize(columns.content.minimumSizeHint().width() - 1, 60)
    qtbot.waitUntil(lambda: columns.horizontalScrollBar().maximum() > 0)
