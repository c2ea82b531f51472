"""Rows and columns of widgets, with the parts in the order in which they are seen."""

from __future__ import annotations

from typing import Any, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget

#: In place of a widget: a stretch of this factor, which takes the remaining room (0: only if nothing else does).
STRETCH = 1

#: A widget or layout, alone or with stretch factor and alignment; or a bare stretch.
Part = QWidget | QLayout | int | tuple[QWidget | QLayout, int] | tuple[QWidget, int, Qt.AlignmentFlag]

Margins = tuple[int, int, int, int]

BoxT = TypeVar("BoxT", bound=QBoxLayout)


def in_row(
    parent: QWidget | None, *parts: Part, margins: Margins | None = (0, 0, 0, 0), spacing: int | None = None
) -> QHBoxLayout:
    """Lay out *parts* from left to right, in a widget or, if *parent* is None, for use in another layout.

    - *margins*: Left, top, right and bottom; None: the style's. *spacing* likewise.
    """
    return _filled(QHBoxLayout(), parent, parts, margins, spacing)


def in_column(
    parent: QWidget | None, *parts: Part, margins: Margins | None = (0, 0, 0, 0), spacing: int | None = None
) -> QVBoxLayout:
    """Lay out *parts* from top to bottom; otherwise like :func:`in_row`."""
    return _filled(QVBoxLayout(), parent, parts, margins, spacing)


def _filled(
    box: BoxT, parent: QWidget | None, parts: tuple[Part, ...], margins: Margins | None, spacing: int | None
) -> BoxT:
    if parent is not None:
        parent.setLayout(box)
    if margins is not None:
        box.setContentsMargins(*margins)
    if spacing is not None:
        box.setSpacing(spacing)
    thing: Any
    how: list[Any]
    for part in parts:
        thing, *how = part if isinstance(part, tuple) else (part,)
        if isinstance(thing, QWidget):
            box.addWidget(thing, *how)
        elif isinstance(thing, QLayout):
            box.addLayout(thing, *how)
        else:
            box.addStretch(thing)
    return box
