"""How servers of each configuration look, drawn once and kept."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QFont

from slotscope.gui.kinds.reservation.servers_slots import Strip, StripPicture, strip_picture
from slotscope.gui.kinds.reservation.servers_stack_layout import StackScale
from slotscope.gui.painting.textures import RasterPalette
from slotscope.gui.theme import Theme
from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.reporting.records import Configuration

#: Pictures kept; zooming makes a new one for each configuration and scale.
MOST = 512


class Pictures:
    """Pictures of strips for one scenario, theme and font."""

    def __init__(self, numbers: ReservationNumbers, theme: Theme, palette: RasterPalette, font: QFont) -> None:
        # A slot's width grows with the root of its share of a server: small slots stay
        # visible beside large ones, and larger ones still look larger.
        self._weight = np.sqrt(np.clip(numbers.largest_share, 1e-3, 1.0)).tolist()
        self._theme, self._palette, self._font = theme, palette, font
        self._known: dict[tuple[Configuration, Strip], StripPicture] = {}

    def get(self, configuration: Configuration, width: int, scale: StackScale) -> StripPicture:
        """The picture of a configuration's servers in a stack of this width."""
        line = self._palette.scale
        strip = Strip(width, scale.strip, scale.is_bar(line), line)
        key = configuration, strip
        if key not in self._known:
            if len(self._known) >= MOST:
                self._known.clear()
            self._known[key] = strip_picture(configuration, self._weight, strip, self._theme, self._palette, self._font)
        return self._known[key]
