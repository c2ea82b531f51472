"""How the curves of one figure are told apart: alike in the window and in saved pictures."""

from __future__ import annotations

from typing import NamedTuple, Sequence

from PySide6.QtCore import Qt

from slotscope.gui.theme import Theme

#: Curves differ in colour, in dashes and in symbols: pyqtgraph's name, and a sign like it.
SYMBOLS = (("o", "●"), ("s", "■"), ("t1", "▲"), ("d", "◆"), ("t", "▼"), ("star", "★"))
DASHES = (
    Qt.PenStyle.SolidLine,
    Qt.PenStyle.DashLine,
    Qt.PenStyle.DashDotLine,
    Qt.PenStyle.DotLine,
    Qt.PenStyle.DashDotDotLine,
)


class Look(NamedTuple):
    """How a curve is told from the others."""

    number: int  #: its place among all, for dashes and symbols
    plain: int  #: its place among those whose colour has no fixed meaning
    fixed: str  #: the theme's colour that its name asks for; may be empty

    def color(self, theme: Theme) -> str:
        """Its colour."""
        others = (theme.run, *theme.palette)
        return theme.color(self.fixed) if self.fixed else others[self.plain % len(others)]

    @property
    def dashes(self) -> Qt.PenStyle:
        """The dashes of its line."""
        return DASHES[self.number % len(DASHES)]

    @property
    def symbol(self) -> str:
        """The symbol at its points, as pyqtgraph calls it."""
        return SYMBOLS[self.number % len(SYMBOLS)][0]

    @property
    def sign(self) -> str:
        """Its symbol, as a letter."""
        return SYMBOLS[self.number % len(SYMBOLS)][1]


def meaning(name: str) -> str:
    """The theme's colour with the fixed meaning of what a curve or level shows; may be empty."""
    if "U^(g)" in name:
        return "greedy"
    return "optimum" if "optimum" in name or "U*" in name else ""


def looks(names: Sequence[str]) -> dict[str, Look]:
    """The look of each curve, by name."""
    result: dict[str, Look] = {}
    plain = 0
    for number, name in enumerate(names):
        fixed = meaning(name)
        result[name] = Look(number, plain, fixed)
        plain += not fixed
    return result
