"""Labels of where a run stands: time, event and speed."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QWidget

from slotscope.gui.language.words import tr
from slotscope.gui.panels.wording import clock_text, event_told
from slotscope.gui.running.goals import GoalProgress
from slotscope.gui.theme import current_fonts
from slotscope.gui.widgets.labels import SizedLabel
from slotscope.model.reporting.explain import THIN_SPACE, grouped
from slotscope.model.reporting.frame import Frame, RunInfo

#: Pixels of space before each label.
_BEFORE = 18

#: A time, event, sub-step and speed of the usual lengths; room is reserved for these, and for longer ones as they come.
_USUAL_TIME, _USUAL_EVENT, _USUAL_SUBSTEP, _USUAL_RATE = 100.0, 100, 10, 1e5


class MomentLabels(QWidget):
    """Labels for the time, the event and sub-step, and the speed or the engine of a run."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("moment")
        self.clock, self.number, self.rate = (SizedLabel() for _ in range(3))
        self._event = 0  # the last frame's event
        self._labels = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._labels.setContentsMargins(_BEFORE, 0, 0, 0)
        self._labels.setSpacing(_BEFORE)
        for label in (self.clock, self.number, self.rate):
            self._labels.addWidget(label)
        self.clock.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)

    def set_frame(self, frame: Frame) -> None:
        self.clock.show_text(clock_text(frame.info, frame.time))
        self.number.show_text(event_told(frame))
        self._event = frame.event
        self.rate.show_text(_rate_text(frame.speed.events_per_second) if frame.running else frame.engine)

    def set_progress(self, info: RunInfo, progress: GoalProgress) -> None:
        """Show the progress of a run, with an arrow if the panels show an earlier moment."""
        arrow = "" if progress.event == self._event else "→ "
        self.clock.show_text(arrow + clock_text(info, progress.time))
        self.number.show_text(arrow + tr("event {number}").format(number=grouped(progress.event)))
        self.rate.show_text(_rate_text(progress.speed.events_per_second))

    def set_upright(self, upright: bool) -> None:
        """Stack the labels vertically, or place them in a row."""
        row, column = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        self._labels.setDirection(column if upright else row)
        self._labels.setSpacing(0 if upright else _BEFORE)

    def follow_type(self) -> None:
        """Apply another font size."""
        for label in (self.clock, self.number, self.rate):
            label.setFont(current_fonts().heading)

    def usual_width(self, frame: Frame) -> int:
        """Width in pixels needed within an event, for digits of usual length: it must not change from step to step."""
        number, substep = grouped(max(frame.event, _USUAL_EVENT)), _USUAL_SUBSTEP
        event = tr("event {number}, sub-step {substep}").format(number=number, substep=substep)
        sizes = [self.clock.size_of(clock_text(frame.info, max(frame.time, _USUAL_TIME))), self.number.size_of(event)]
        if not self.rate.isHidden():
            sizes.append(self.rate.size_of(_rate_text(_USUAL_RATE)))
        return sum(_BEFORE + size.width() for size in sizes)


def _rate_text(rate: float) -> str:
    if rate >= 1e6:
        return tr("{rate} M events/s").format(rate=f"{rate / 1e6:.1f}").replace(" M", f"{THIN_SPACE}M")
    if rate >= 1e3:
        return tr("{rate} k events/s").format(rate=f"{rate / 1e3:.0f}").replace(" k", f"{THIN_SPACE}k")
    return tr("{rate} events/s").format(rate=f"{rate:.0f}")
