"""The plot of the total queue and of the longest virtual queues over time."""

from __future__ import annotations

from typing import Sequence

from PySide6.QtWidgets import QWidget

from slotscope.gui.kinds.queue.colours import Look, queue_name, size_classes
from slotscope.gui.kinds.queue.curves_reading import MOST_CURVES, longest, mean_lengths, read_total, reader, until_now
from slotscope.gui.panels.tiles import LabelPace
from slotscope.gui.plotting.run_plot import RunPlot
from slotscope.gui.plotting.sampled import History
from slotscope.gui.theme import Theme
from slotscope.model.reporting.frame import Frame

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
