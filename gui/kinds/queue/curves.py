"""The total queue and its parts over time, and whether it is stable."""

from __future__ import annotations

from typing import Iterable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF, QResizeEvent
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from slotscope.gui.kinds.queue.colours import Look, queue_name, size_classes
from slotscope.gui.kinds.queue.curves_reading import (
    MOST_CURVES,
    longest,
    mean_lengths,
    read_total,
    reader,
    table,
    until_now,
)
from slotscope.gui.kinds.queue.curves_words import MeasuredQueue, estimate_words, measured, tiles, verdict_words
from slotscope.gui.panel import Panel
from slotscope.gui.panels.tiles import LabelPace, Tiles, paint_ground
from slotscope.gui.panels.wording import THIN
from slotscope.gui.plotting.run_plot import RunPlot
from slotscope.gui.plotting.sampled import History
from slotscope.gui.theme import Theme, current_fonts
from slotscope.model.kinds.spec import NO_VERDICT, STABLE
from slotscope.model.reporting.frame import Frame

#: The reason for a verdict may take so many lines, with some room to spare.
_MOST_LINES = 1.7
_SLOTS = ("", "slot", "slots")
_TOTAL = "waiting"


class QueuePlot(RunPlot):
    """Curves that follow the samples of a run."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        about = "The jobs that wait over time; grey is their range where averages are drawn."
        super().__init__(theme, "jobs that wait", about, History(read_total), ranged=True, parent=parent)
        self.setAccessibleName("queue over time")
        self._names: Sequence[str] = ()
        self._looks: Sequence[Look] = ()
        self._pace = LabelPace()
        self._keys: dict[int, str] = {}  # the virtual queues that have a curve
        self._fresh = True
        self.add_line(_TOTAL, "run", ahead=True, label="Q")

    @property
    def chosen(self) -> tuple[int, ...]:
        """The virtual queues that have a curve."""
        return tuple(self._keys)

    def begin(self, frame: Frame) -> None:
        """Another run has other queues."""
        self._set_chosen(())
        super().begin(frame)
        self._fresh = True
        facts, numbers = frame.info.facts, frame.info.numbers
        layout = facts.layout
        self._looks = size_classes(numbers).of_queues(numbers, facts)
        self._names = [
            queue_name(queue, layout.queues) if facts.intervals else f"size {name}"
            for queue, name in enumerate(layout.names)
        ]

    def unit_of(self, frame: Frame) -> str:
        """Time is counted in slots."""
        return "slots" if frame.info.time_unit in _SLOTS else frame.info.time_unit

    def choose(self, frame: Frame) -> None:
        """Curves for the longest queues; where there is one queue, it is the total."""
        due, self._fresh = self._pace.due(frame.running) or self._fresh, False
        if due and frame.info.facts.layout.queues > 1:
            self._set_chosen(longest(mean_lengths(until_now(frame)), self.chosen, MOST_CURVES))

    def _set_chosen(self, chosen: Sequence[int]) -> None:
        for queue in self.chosen:
            if queue not in chosen:
                self.remove_line(self._keys.pop(queue))
        for queue in chosen:
            if queue not in self._keys:
                look = self._looks[queue]
                key = self._keys[queue] = f"{_TOTAL} {queue}"
                self.add_line(key, "run" if look is None else look, History(reader(queue)), label=self._names[queue])


class QueueCurvesPanel(Panel):
    """How many jobs wait, over time, and whether ever more will."""

    name = "queue-curves"
    title = "Queue over time"
    summary = "The total queue and the longest virtual queues over time, and whether they grow."
    needs = frozenset({"queues"})

    def build(self) -> None:
        """Numbers above, the verdict, the curves below."""
        self._pace = LabelPace()
        self.measured = MeasuredQueue(0.0, {}, None)
        self.tiles = Tiles(self.theme, self.body)
        self.verdict = QLabel(self.body)
        self.verdict.setTextFormat(Qt.TextFormat.RichText)
        self.verdict.setWordWrap(True)
        self.verdict.setContentsMargins(10, 0, 10, 2)
        self.plot = QueuePlot(self.theme, self.body)
        self.plot.event_picked.connect(self.go_to)
        column = QVBoxLayout(self.body)
        column.setContentsMargins(0, 0, 0, 4)
        column.setSpacing(0)
        column.addWidget(self.tiles)
        column.addWidget(self.verdict)
        column.addWidget(self.plot, 1)
        paint_ground(self.body, self.theme)

    # Frames.

    def show_frame(self, frame: Frame) -> None:
        """Bring numbers and curves up to this moment."""
        anew = not self.plot.history.continues(frame)
        self.plot.show_moment(frame)
        if self._pace.due(frame.running) or anew:
            self.show_numbers(frame, measured(frame, until_now(frame)))

    def show_numbers(self, frame: Frame, found: MeasuredQueue) -> None:
        """Show what was measured of a frame."""
        self.measured = found
        self.tiles.set_texts(tuple(tiles(frame, until_now(frame), found)))
        self._show_verdict(frame)
        mean, judgement = found.means.get("queue_length"), found.judgement
        if mean is None or judgement is None or judgement.verdict not in (STABLE, NO_VERDICT):
            self.plot.set_reference("mean", None, "muted", "")
            self.plot.refresh()
            return
        told = estimate_words(mean.mean, mean.half_width).split(" ")[0]
        self.plot.set_reference("mean", mean.mean, "muted", f"mean{THIN} {told}")
        self.plot.refresh()

    def _show_verdict(self, frame: Frame) -> None:
        """The verdict, and where there is room the reason."""
        verdict, rest, role = verdict_words(frame, self.measured.judgement)
        theme, body = self.theme, current_fonts().body
        metrics = QFontMetricsF(body)
        if verdict and metrics.horizontalAdvance(f"{verdict}: {rest}") > _MOST_LINES * self.width():
            rest = ""
        ink = theme.ink(theme.color(role)) if role else theme.muted
        text = f'<b style="color:{ink}">{verdict}</b>{": " if verdict and rest else ""}'
        self.verdict.setText(f'{text}<span style="color:{theme.muted}">{rest}</span>')
        self.verdict.setFont(body)
        judgement = self.measured.judgement
        self.verdict.setToolTip("" if judgement is None else judgement.reason)

    # The window.

    def restyle(self, theme: Theme) -> None:
        """Follow another theme or size of type."""
        paint_ground(self.body, theme)
        self.tiles.restyle(theme)
        self.plot.set_theme(theme, current_fonts())
        self._show_again()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_again()

    def _show_again(self) -> None:
        if self.frame is not None and self.plot.history.continues(self.frame):
            self._show_verdict(self.frame)

    def series(self) -> tuple[list[str], Iterable[Iterable[object]]] | None:
        """Every sample."""
        return None if self.frame is None else table(self.frame)
