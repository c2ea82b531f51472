"""Widgets in a row or in a column, as they stand there."""

from __future__ import annotations

from typing import Any, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget

#: In the place of a widget: room, which takes what is left; 0: if nothing else does.
STRETCH = 1

#: A widget or a layout, also with its share of the room that is left, and where in its own it stands; or bare room.
Part = QWidget | QLayout | int | tuple[QWidget | QLayout, int] | tuple[QWidget, int, Qt.AlignmentFlag]

Margins = tuple[int, int, int, int]

BoxT = TypeVar("BoxT", bound=QBoxLayout)


def in_row(
    parent: QWidget | None, *parts: Part, margins: Margins | None = (0, 0, 0, 0), spacing: int | None = None
) -> QHBoxLayout:
    """The *parts* from left to right, in a widget or, without one, in another layout.

    - *margins*: Left, above, right and below; None: as the style has them, and so the *spacing*.
    """
    return _filled(QHBoxLayout(), parent, parts, margins, spacing)


def in_column(
    parent: QWidget | None, *parts: Part, margins: Margins | None = (0, 0, 0, 0), spacing: int | None = None
) -> QVBoxLayout:
    """The *parts* from above, as :func:`in_row` has them."""
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
