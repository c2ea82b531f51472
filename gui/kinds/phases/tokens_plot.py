"""The plot of the tokens of each type over time, against their limits."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from slotscope.gui.kinds.phases.tokens_reading import TokenRow, limited_in_all, limits_shown, read_all, reader
from slotscope.gui.plotting.run_plot import RunPlot
from slotscope.gui.plotting.sampled import History
from slotscope.gui.theme import Theme
from slotscope.model.reporting.frame import Frame

_ALL = "all"  # the curve of the sum over all types


class TokensPlot(RunPlot):
    """A curve for each type, its number now at its end; dashed lines at the limits."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        about = "The tokens of each type over time, and the limit of each. Averages are drawn where there are many."
        super().__init__(theme, "tokens", about, History(read_all), parent=parent)
        self._rows: tuple[TokenRow, ...] = ()

    @property
    def types(self) -> tuple[int, ...]:
        """The types that have a curve."""
        return tuple(int(name) for name in self.lines if name != _ALL)

    def show_rows(self, frame: Frame, rows: tuple[TokenRow, ...]) -> None:
        """Bring the curves of these types up to a frame, unless nobody could tell."""
        self._rows = rows
        self.show_moment(frame, anew={row.type for row in rows} != set(self.types))

    def begin(self, frame: Frame) -> None:
        """Curves and limits of another run."""
        for name in self.lines:
            self.remove_line(name)
        super().begin(frame)
        if limited_in_all(frame):
            self.add_line(_ALL, "run", ahead=True)
        for row in self._rows:
            self.add_line(str(row.type), row.type, History(reader(row.type)), ahead=True)
        limits = limits_shown(frame, self._rows)
        roles = {f"{row.name} ≤": row.type for row in self._rows}
        for text, limit in limits.items():
            told = f"{text} {limit}" if text in roles else f"{text} = {limit}"
            self.set_reference(text, float(limit), roles.get(text, "normal"), told)

    def choose(self, frame: Frame) -> None:
        """Name the curves by the numbers now."""
        for row in self._rows:
            self.set_label(str(row.type), f"{row.name} {sum(row.tokens)}")
        if _ALL in self.lines:
            self.set_label(_ALL, f"all {sum(sum(row.tokens) for row in self._rows)}")
