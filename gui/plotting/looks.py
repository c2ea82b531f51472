"""How the curves of a figure are distinguished, both in the window and in saved pictures."""

from __future__ import annotations

from typing import NamedTuple, Sequence

from PySide6.QtCore import Qt

from slotscope.gui.theme import Theme

#: Symbols of curves, besides colours and dashes: pyqtgraph's name, and a similar character.
SYMBOLS = (("o", "●"), ("s", "■"), ("t1", "▲"), ("d", "◆"), ("t", "▼"), ("star", "★"))
DASHES = (
    Qt.PenStyle.SolidLine,
    Qt.PenStyle.DashLine,
    Qt.PenStyle.DashDotLine,
    Qt.PenStyle.DotLine,
    Qt.PenStyle.DashDotDotLine,
)


class Look(NamedTuple):
    """What distinguishes one curve from the others."""

    number: int  #: its index among all curves, for dashes and symbols
    plain: int  #: its index among curves whose colour has no fixed meaning
    fixed: str  #: the theme's colour fixed by the curve's name, or empty

    def color(self, theme: Theme) -> str:
        """The curve's colour."""
        others = (theme.run, *theme.palette)
        return theme.color(self.fixed) if self.fixed else others[self.plain % len(others)]

    @property
    def dashes(self) -> Qt.PenStyle:
        """The line's dash pattern."""
        return DASHES[self.number % len(DASHES)]

    @property
    def symbol(self) -> str:
        """The symbol at its points, as pyqtgraph calls it."""
        return SYMBOLS[self.number % len(SYMBOLS)][0]

    @property
    def sign(self) -> str:
        """The symbol as a character."""
        return SYMBOLS[self.number % len(SYMBOLS)][1]


def meaning(name: str) -> str:
    """The theme's colour reserved for what a curve or level shows; empty if none is."""
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
