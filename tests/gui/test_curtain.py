"""What a curtain leaves visible of a scroll area in lecture mode."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from slotscope.gui.panels.columns import scrolled
from slotscope.gui.panels.pages import rich_text
from slotscope.gui.widgets.curtain import Curtain, curtain_of
from tests.gui.painted import type_of

#: Three sentences of two lines each, and a paragraph longer than a page.
SENTENCES = [f"{number} begins here and goes on until it needs another line" for number in ("One", "Two", "Three")]
LONG = "word " * 200


def curtained(qtbot: QtBot, text: str, lines: float) -> tuple[Curtain, int]:
    """A curtain over a page that is *lines* lines high, and the height of a line."""
    content, label = QWidget(), rich_text("a text")
    column = QVBoxLayout(content)
    column.setContentsMargins(0, 0, 0, 0)
    column.addWidget(label)
    label.setText(text)
    label.setContentsMargins(0, 0, 0, 0)
    area = scrolled(content)
    qtbot.addWidget(area)
    curtain = curtain_of(area)
    assert curtain is not None
    high = label.fontMetrics().lineSpacing()
    area.resize(label.fontMetrics().horizontalAdvance(SENTENCES[0]) * 3 // 4, round(lines * high))
    area.show()
    qtbot.waitUntil(curtain.isVisible)
    return curtain, high


def test_a_sentence_goes_to_the_next_page_as_a_whole(qtbot: QtBot) -> None:
    with type_of(lecture=True):
        curtain, high = curtained(qtbot, "".join(f"<div>{one}</div>" for one in SENTENCES), 3.5)
        assert round(curtain.page / high) == 2


def test_a_long_paragraph_is_turned_line_by_line(qtbot: QtBot) -> None:
    with type_of(lecture=True):
        curtain, high = curtained(qtbot, f"<div>{LONG}</div>", 3.8)
        assert round(curtain.page / high) == 3
