"""The marks of the log's lines, and the data of its lines, without a panel."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter

from slotscope.gui.panels.decisions_model import paint_mark, touching
from slotscope.gui.widgets.labels import sentence_lines
from slotscope.model.kinds.reservation.rows import (
    EVENT_ROW,
    FLAG_ADMITTED,
    FLAG_DEPARTED,
    FLAG_MIGRATED,
    FLAG_REASSIGNED,
    FLAG_REJECTED,
)
from slotscope.model.kinds.spec import kind_named

LOG_MARKS = kind_named("reservation").vocabulary.marks


def inked(shape: str, color: str) -> set[tuple[int, int]]:
    """The pixels covered by a mark of this shape."""
    image = QImage(20, 20, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    paint_mark(painter, shape, QRectF(0, 0, 20, 20), color)
    painter.end()
    return {(x, y) for x in range(20) for y in range(20) if image.pixelColor(x, y).alpha() > 128}


def test_every_kind_has_a_mark_of_its_own_shape():
    shapes = [frozenset(inked(mark.shape, "#ff0000")) for mark in LOG_MARKS]
    assert all(shapes)
    assert len(set(shapes)) == len(LOG_MARKS)


def test_only_rejections_and_moves_are_coloured():
    meanings = {mark.flag: mark.meaning for mark in LOG_MARKS}
    assert meanings[FLAG_REJECTED] == "rejection"
    assert meanings[FLAG_MIGRATED] == meanings[FLAG_REASSIGNED] == "migration"
    assert {meanings[flag] for flag in (FLAG_ADMITTED, FLAG_DEPARTED)} == {"muted"}


def test_rows_that_touch_a_server_are_found():
    rows = np.zeros(3, EVENT_ROW)
    rows["server"], rows["source"] = [1, 2, 3], [-1, 1, -1]
    assert touching(rows, ("server", "source"), 1)["server"].tolist() == [1, 2]


def test_lines_break_between_words(qapp):
    text = "one two three four five six seven"
    lines = sentence_lines(text, qapp.font(), 90)
    assert len(lines) > 1
    assert "".join(lines) == text
