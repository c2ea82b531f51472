"""Tiles: a row of a few captioned numbers, large enough to be read from the last row."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Iterable

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from slotscope.gui.panel import Panel
from slotscope.gui.panels.wording import exact, significant
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.calm import Steady
from slotscope.gui.widgets.labels import SizedLabel
from slotscope.gui.widgets.rows import STRETCH, in_column, in_row
from slotscope.gui.widgets.spoken import without_markup

_GAP, _MARGIN = 18, 10
#: Pixels of vertical padding that tiles can do without.
_AROUND = 8


@dataclass(frozen=True)
class TileText:
    """Caption and value as rich text; the role is the name of one of the theme's colours."""

    caption: str
    value: str
    role: str = "normal"
    tip: str = ""
    short: str = ""  #: a shorter caption for when room is short, if there is one


def exact_tile(symbol: str, value: Fraction | None, role: str, tip: str, written: str = "") -> TileText:
    """A tile of a number, as *written* or with four digits; a short exact value is put beside its symbol."""
    exactly = "" if value is None else exact(value)
    told = written or ("–" if value is None else significant(float(value)))
    return TileText(f"{symbol} = {exactly}" if exactly else symbol, told, role, tip, short=symbol)


class Tiles(QWidget, Steady):
    """Tiles side by side; the last ones are hidden if there is no room."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._texts: tuple[TileText, ...] = ()
        self._tiles: list[tuple[QWidget, SizedLabel, SizedLabel]] = []
        self._widest: list[int] = []
        self._row = in_row(self, STRETCH, margins=(_MARGIN, 4, _MARGIN, 2), spacing=_GAP)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def set_texts(self, texts: Iterable[TileText]) -> None:
        """Show these numbers."""
        wanted = tuple(texts)
        if wanted == self._texts and self._widest:
            return
        while len(self._tiles) < len(wanted):
            self._add()
        before, self._texts = self._texts, wanted
        self._fill(before)

    def forget(self) -> None:
        """Forget texts and widths, so that the next numbers determine the widths."""
        self._texts, self._widest = (), []

    def refit(self) -> None:
        """Forget the widths, so that the next numbers determine them."""
        self._widest = []

    def restyle(self, theme: Theme) -> None:
        self._theme = theme
        self._widest = []
        self._fill()
        self.updateGeometry()

    def shown(self) -> list[str]:
        """The visible values, as written."""
        pairs = zip(self._tiles, self._texts, strict=False)
        return [text.value for (tile, _, _), text in pairs if not tile.isHidden()]

    def _add(self) -> None:
        tile = QWidget(self)
        column = in_column(tile, spacing=0)
        caption, value = SizedLabel(tile, rich=True), SizedLabel(tile, rich=True)
        for label in (value, caption):
            column.addWidget(label, 0, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self._row.insertWidget(len(self._tiles), tile)
        self._tiles.append((tile, caption, value))

    def _fill(self, before: tuple[TileText, ...] = ()) -> None:
        """Write the texts that have changed."""
        sizes = current_fonts()
        for place, ((tile, caption, value), text) in enumerate(zip(self._tiles, self._texts, strict=False)):
            if before[place : place + 1] == (text,):
                continue
            caption.setFont(sizes.body)
            value.setFont(sizes.display)
            caption.set_ink(self._theme.muted)
            value.set_ink(self._theme.ink(self._theme.color(text.role)))
            value.show_text(text.value)
            tile.setToolTip(text.tip)
            tile.setAccessibleName(without_markup(f"{text.caption}: {text.value}"))
        self._fit()

    def _fit(self) -> None:
        """Shorten captions if not all tiles fit; if they still do not, hide the last ones.

        A tile keeps the width of its widest number so far, if there is room: nothing beside a changing number must
        move.
        """
        room = self._room
        widths: list[int] = []
        captions: list[str] = []
        for shorten in (False, True):
            captions = [self._caption(text, shorten) for text in self._texts]
            widths = [self._natural_width(place, written) for place, written in enumerate(captions)]
            if sum(widths) + _GAP * len(widths) <= room:
                break
        for (_, caption, _), written in zip(self._tiles, captions, strict=False):
            caption.show_text(written)
        wider = [max(pair) for pair in zip(widths, self._widest, strict=False)]
        if len(wider) == len(widths) and sum(wider) + _GAP * len(wider) <= room:
            widths = wider
        self._widest = widths
        for place, (tile, _, _) in enumerate(self._tiles):
            known = place < len(widths)
            tile.setFixedWidth(widths[place] if known else 0)
            tile.setVisible(known and sum(widths[: place + 1]) + _GAP * (place + 1) <= room)
        self._row.activate()  # now, so that no paint shows a number at its old position
        if room != self._room:  # showing a tile may lay out the panel
            self._fit()

    @property
    def _room(self) -> int:
        return self.width() - 2 * _MARGIN + _GAP

    def _natural_width(self, place: int, written: str) -> int:
        _, caption, value = self._tiles[place]
        return max(caption.size_of(written).width(), value.minimumWidth())

    @staticmethod
    def _caption(text: TileText, shorten: bool) -> str:
        return text.short or text.caption if shorten else text.caption

    def sizeHint(self) -> QSize:
        sizes = current_fonts()
        heights = (QFontMetrics(font).height() for font in (sizes.display, sizes.body))
        return QSize(200, sum(heights) + 8)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._widest = []
        self._fit()


class TiledPanel(Panel):
    """A panel with ``self.tiles``; subclasses add what is below them to ``self.column``."""

    spacing: ClassVar[int] = 2  #: pixels between the items of the column

    def build(self) -> None:
        """Create the tiles, at the top of a column."""
        self.tiles = Tiles(self.theme, self.body)
        self.column = in_column(self.body, self.tiles, margins=(0, 0, 0, 4), spacing=self.spacing)
        self.follow_theme(self.tiles)
        self.ground(self.body)

    def arrange(self) -> None:
        """Show the tiles whole, or hide them if what is below needs the room."""
        wanted = self.tiles.sizeHint().height()
        items = (self.column.itemAt(place) for place in range(1, self.column.count()))
        heights = (item.minimumSize().height() for item in items if item is not None)
        below = sum(min(height, wanted) + self.spacing for height in heights)  # Qt shrinks the highest first
        self.tiles.setVisible(self.height() - self.column.contentsMargins().bottom() - below >= wanted - _AROUND)

    def forget(self) -> None:
        """Forget the tiles' widths for another run or step of a lesson."""
        self.tiles.forget()
        super().forget()
