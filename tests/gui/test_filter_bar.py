"""The filter bar above the log: buttons for kinds of events, the search, and the number of hits."""

from __future__ import annotations

from itertools import combinations

import pytest

from slotscope.gui.panels.decisions import FilterBar
from slotscope.gui.theme import load_theme
from slotscope.model.kinds.spec import kind_named
from tests.gui.windows import on_screen


@pytest.mark.parametrize(
    ("said", "width"),
    [
        (["557 hits up to event 7 409, stopped"], 390),
        (["557 hits up to event 7 409, stopped", "557 hits, stopped"], 390),
        (["5 hits"], 390),
        (["557 hits"], 900),
    ],
)
def test_how_many_hits_there_are_is_not_cut(qtbot, said, width):
    theme = load_theme("light")
    bar = FilterBar(theme)
    bar.set_marks(kind_named("phases").vocabulary.marks, theme)
    on_screen(qtbot, bar, width, 90)
    bar.search.setText("overflowed and was all_tokens > 0")
    bar.layout().activate()
    high = bar.sizeHint().height()
    bar.tell(*said)
    bar.layout().activate()
    assert bar.count.text() in said and bar.count.toolTip() == said[0]
    if len(said[-1]) < 20:
        assert bar.sizeHint().height() == high  # otherwise the log would move
    assert bar.width() == width and bar.count.width() >= bar.count.sizeHint().width()
    assert bar.search.width() > 120
    seen = (bar.search, bar.count, *bar.chips.values())
    assert all(bar.rect().contains(one.geometry()) for one in seen)
    assert not any(one.geometry().intersects(two.geometry()) for one, two in combinations(seen, 2))
