"""The legend below the servers: the widths, and what the marks mean."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPen, QPolygonF

from gui.painting.stack_text import Symbols
from gui.panels.moldable.colours import paint_width_mark, width_color
from gui.panels.moldable.servers_palette import empty_color, free_color, idle_tile, step_color
from gui.panels.moldable.servers_palette import STEPS
from gui.panels.moldable.wording import class_letters
from gui.theme import Theme
from model.frame import RunInfo

LINES = 2
#: Height of a line in lines of text, from a mark to its words, and between entries.
LINE, GAP, BETWEEN = 1.35, 6.0, 16.0
#: More widths are not listed.
MOST_WIDTHS = 10
