"""The panel of the virtual queues with their waiting jobs, above the partition of sizes."""

from __future__ import annotations

from fractions import Fraction

from PySide6.QtWidgets import QSizePolicy

from slotscope.gui.intents import Select
from slotscope.gui.kinds.queue.colours import queue_name
from slotscope.gui.kinds.queue.queues_lanes import LanesView
from slotscope.gui.kinds.queue.queues_layout import SizeAxis, sizes_of
from slotscope.gui.kinds.queue.queues_reading import Focus, focus_of, lane_names, lane_top, lanes, records_of
from slotscope.gui.kinds.queue.queues_ruler import Marker, SizeRuler
from slotscope.gui.kinds.queue.wording import interval_words, reason_words, share_words, size_words, told_size
from slotscope.gui.panel import Panel
from slotscope.gui.panels.columns import scrolled
from slotscope.gui.theme import current_fonts
from slotscope.gui.widgets.rows import in_column
from slotscope.gui.widgets.spoken import Table
from slotscope.model.kinds.queue.inspection import QUEUE
from slotscope.model.kinds.queue.state import NOW, WAITING
from slotscope.model.reporting.explain import grouped, plural
from slotscope.model.reporting.frame import Frame
from slotscope.model.reporting.inspection import Thing
from slotscope.model.reporting.letters import subscript

_EDGES = 10  # pixels of margins and spacing around lanes and ruler
_MOST_RULER = 0.4  # the ruler's largest share of the height, unless the lanes leave more


def job_words(frame: Frame, record: int) -> str:
    """The tooltip of a job, line by line."""
    state, info, facts = frame.state, frame.info, frame.info.facts
    size, room = state.job_size[record].tolist(), state.job_room[record].tolist()
    lines = [f"job {int(state.job_number[record])}", f"size {told_size(info, size)}"]
    if room != size:
        lines.append(f"takes {size_words(info, room)} on a server, rounded up")
    queue = int(state.job_queue[record])
    if facts.layout.queues > 1:
        lines.append(queue_words(frame, queue))
    arrival, now = int(state.job_arrival[record]), int(state.clock[NOW])
    lines.append(f"arrived in slot {grouped(arrival)}")
    server = int(state.job_server[record])
    if server >= 0:
        lines.append(f"in service on server {grouped(server + 1)}")
    else:
        waited = now - arrival
        lines.append(f"waits for {grouped(waited)} {plural(waited, 'slot')}")
    return "\n".join(lines)


def queue_words(frame: Frame, queue: int) -> str:
    """The name of a virtual queue and the sizes of its jobs."""
    facts, numbers = frame.info.facts, frame.info.numbers
    queues = facts.layout.queues
    if facts.intervals:
        whole = int(numbers.largest[0])
        low, high = facts.intervals[queue]
        interval = Fraction(low, whole), Fraction(high, whole)
        sizes = f"sizes in I{subscript(queue)} = {interval_words(interval)} of {numbers.whole}"
        return f"{queue_name(queue, queues)}, {sizes}"
    if queues > 1:
        return f"queue of the jobs of size {facts.layout.names[queue]}"
    return "the queue of all jobs"


def lane_words(frame: Frame, queue: int) -> str:
    """The tooltip of a lane: its queue, and how many jobs wait."""
    length = int(frame.state.queue_length[queue])
    waits = "waits" if length == 1 else "wait"
    return f"{queue_words(frame, queue)}\n{grouped(length)} {plural(length, 'job')} {waits}"


class QueuesPanel(Panel):
    """The waiting jobs, their virtual queues, and why each is in its queue."""

    name = "queues"
    title = "Queues"
    summary = "The jobs that wait in each virtual queue, and the partition of sizes behind it."
    needs = frozenset({"queues"})

    def build(self) -> None:
        """Build the lanes, and the ruler below them."""
        self._sizes: SizeAxis | None = None
        self._hovered: int | None = None
        self._pointed: Fraction | None = None
        self.lanes = LanesView(self.theme)
        self.lanes.resized.connect(self._refresh)
        self.lanes.job_hovered.connect(self._hover)
        self.lanes.job_clicked.connect(self._click)
        self.lanes.queue_clicked.connect(lambda queue, double: self.intent.emit(Select.of(Thing(QUEUE, queue), double)))
        self.lanes.words_of = self._words_of
        self.area = scrolled(self.lanes, self.body)
        for moved in (self.area.verticalScrollBar().valueChanged, self.area.verticalScrollBar().rangeChanged):
            moved.connect(self._refresh)  # other lanes may be in view
        self.ruler = SizeRuler(self.theme)
        self.ruler.pointed.connect(self._point)
        column = in_column(self.body, (self.area, 1), self.ruler, margins=(0, 2, 0, 4), spacing=2)
        column.addStretch(0)
        # The ruler's fixed height is derived from the panel's and must not keep the panel from shrinking.
        self.body.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.ground(self.body, self.area.viewport(), self.lanes, self.ruler)
        self.follow_theme(self.lanes, self.ruler)

    # Frames.

    def begin(self, frame: Frame) -> None:
        """Begin another run with its queues and sizes."""
        info = frame.info
        self._hovered = self._pointed = None
        self._sizes = sizes_of(info.numbers, info.facts)
        names = lane_names(info.facts, info.numbers)
        self.lanes.begin(names, lane_top(info.numbers), info.numbers.whole)
        self.ruler.begin(info.numbers, self._sizes, self._caption(frame))
        self.arrange()

    def _caption(self, frame: Frame) -> tuple[str, ...]:
        numbers = frame.info.numbers
        names = numbers.resource_names
        of = f" ({names[self._sizes.resource]})" if len(names) > 1 and self._sizes else ""
        whole = f"sizes of arriving jobs, as shares of {numbers.whole}{of}"
        if frame.info.facts.intervals:
            return f"{whole}, and the intervals of partition I", whole, "sizes of jobs"
        return whole, "sizes of jobs"

    def show_frame(self, frame: Frame) -> None:
        """Update lanes and marker to this moment."""
        focus = focus_of(frame, self.selection.job)
        shown = lanes(frame, focus, self.lanes.most, self.lanes.queues_in_view())
        self.lanes.set_lanes(shown, int(frame.state.number[WAITING]), focus, frame.running)
        self._mark(frame, focus)

    def read_out(self) -> Table | None:
        """One row per queue, in the words of its tooltip."""
        frame = self.frame
        if frame is None:
            return None
        return [""], ((lane_words(frame, queue).replace("\n", ": "),) for queue in range(len(frame.state.queue_length)))

    # The marker on the ruler.

    def _mark(self, frame: Frame, focus: Focus) -> None:
        self.ruler.set_marker(self._pointed_out(frame) or self._job_marked(frame, focus))

    def _pointed_out(self, frame: Frame) -> Marker | None:
        """A marker for the size under the mouse, which says where a job of that size would wait."""
        share, sizes = self._pointed, self._sizes
        if share is None or sizes is None:
            return None
        queue = sizes.queue_of(share)
        if queue is None:
            text = f"size {float(share):g} of {frame.info.numbers.whole}"
            return Marker(share, (text,), "focus")
        reason = self._reason(sizes, share, queue)
        start = f"size {float(share):g} would wait in {queue_name(queue, sizes.queues)}"
        return Marker(share, (f"{start}, for {reason}", reason), "focus")

    def _job_marked(self, frame: Frame, focus: Focus) -> Marker | None:
        state, sizes = frame.state, self._sizes
        record = self._named(frame, focus)
        if record is None or sizes is None:
            return None
        size, info = state.job_size[record].tolist(), frame.info
        share = info.numbers.fraction(size[sizes.resource], sizes.resource)
        number, told = int(state.job_number[record]), told_size(info, size)
        job, role = f"job {number}", "focus" if number == self._hovered else "run"
        if not sizes.intervals:
            of = f"{job}: {share_words(info, size)}"
            return Marker(share, (f"{job}, size {told}", of), role)
        queue = int(state.job_queue[record])
        reason = self._reason(sizes, share, queue)
        where = "waits in" if state.job_server[record] < 0 else "waited in"
        name = queue_name(queue, sizes.queues)
        most = f"{job}, size {told}, {where} {name}, for {reason}"
        brief = f"{job}, size {size_words(info, size)}, {where} {name}, for {reason}"
        return Marker(share, (most, brief, f"{job}: {name}, {reason}", reason), role)

    def _named(self, frame: Frame, focus: Focus) -> int | None:
        """The record of the job to mark: the hovered one, else the one named by the step or selected; None for none."""
        jobs = [*focus.pointed_at, *focus.placed[:1]]
        if self._hovered is not None:
            jobs.insert(0, self._hovered)
        known = records_of(frame.state, jobs)
        return next((known[job] for job in jobs if job in known), None)

    @staticmethod
    def _reason(sizes: SizeAxis, share: Fraction, queue: int) -> str:
        return reason_words(share, sizes.intervals[queue], sizes.rounded)

    # The mouse.

    def _refresh(self) -> None:
        if (frame := self.current) is not None:
            self.show_frame(frame)

    def _hover(self, job: int | None) -> None:
        self._hovered = job
        self._refresh()

    def _point(self, share: Fraction | None) -> None:
        self._pointed = share
        self._refresh()

    def _click(self, job: int, floating: bool) -> None:
        self.intent.emit(Select(job=job, floating=floating))

    def _words_of(self, record: int | None, queue: int | None) -> str:
        if self.frame is not None and record is not None:
            return job_words(self.frame, record)
        return "" if self.frame is None or queue is None else lane_words(self.frame, queue)

    def show_selection(self, selection: Select) -> None:
        """Outline the selected job."""
        self._refresh()

    # The window.

    def arrange(self) -> None:
        """Divide the height: the lanes' minimum first, then the ruler's preferred height, then more for both."""
        least, usual = self.ruler.minimumSizeHint().height(), self.ruler.sizeHint().height()
        height = self.height() - _EDGES
        lanes = self.lanes.minimumHeight()
        self.ruler.setVisible(height - least >= (lanes if current_fonts().lecture else min(lanes, height / 2)))
        left = height - lanes
        wanted = max(usual, round(_MOST_RULER * height), height - self.lanes.maximumHeight())
        wanted = min(wanted, self.ruler.most_height())
        self.area.setMaximumHeight(self.lanes.maximumHeight())
        self.ruler.setFixedHeight(max(least, min(left, wanted)))
