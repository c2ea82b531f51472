"""The panel of the total queue and the longest virtual queues over time, with the verdict on stability."""

from __future__ import annotations

from typing import Any, Iterable, Iterator, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QLabel, QWidget

from slotscope.gui.kinds.queue.colours import Look, queue_name, size_classes
from slotscope.gui.panels.tiles import TiledPanel, TileText
from slotscope.gui.panels.wording import THIN, significant, with_interval
from slotscope.gui.plotting.run_plot import RunPlot
from slotscope.gui.plotting.sampled import Columns, History, Read, counted_from, warmup
from slotscope.gui.plotting.scales import format_number
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.calm import Calm
from slotscope.model.kinds.queue import sampling
from slotscope.model.kinds.queue.sampling import TIME_COLUMN, USED_COLUMN
from slotscope.model.kinds.queue.state import ARRIVED, DEPARTED, IN_SERVICE, WAITING
from slotscope.model.kinds.spec import NO_VERDICT, STABLE, UNSTABLE, Judgement
from slotscope.model.measures.growth import STRETCHES
from slotscope.model.measures.metrics import CONFIDENCE, Estimate, estimates
from slotscope.model.reporting.frame import Frame

#: At most this many virtual queues have a curve beside the total.
MOST_CURVES = 6
#: A queue takes another one's place among the curves once its mean length is larger by this factor.
_LONGER = 1.25

_COUNTED = {
    "waiting": sampling.WAITING_COLUMN,
    "in_service": sampling.IN_SERVICE_COLUMN,
    "arrived": sampling.ARRIVED_COLUMN,
    "placed": sampling.PLACED_COLUMN,
    "departed": sampling.DEPARTED_COLUMN,
    "stalled_servers": sampling.STALLED_COLUMN,
    "renewed": sampling.RENEWED_COLUMN,
}


def read_total(_numbers: Any, samples: NDArray[np.float64]) -> Columns:
    """Q at each sample, and its exact sum over all slots before the sample."""
    columns = [sampling.WAITING_COLUMN], [sampling.WAITING_AREA_COLUMN]
    return Columns(samples[:, columns[0]], samples[:, columns[1]])


def reader(queue: int) -> Read:
    """A reader of one virtual queue's length Q_j, taken as constant between samples."""

    def read(_numbers: Any, samples: NDArray[np.float64]) -> Columns:
        return Columns(samples[:, [sampling.SCALARS + queue]])

    return read


def longest(means: Sequence[float], shown: tuple[int, ...], most: int) -> tuple[int, ...]:
    """The *most* queues that are longest on average; those *shown* stay unless others are much longer."""
    kept = [queue for queue in shown if queue < len(means)]
    others = [queue for queue in np.argsort(means)[::-1].tolist() if queue not in kept]
    for queue in others:
        if len(kept) < most:
            if means[queue] > 0:
                kept.append(queue)
            continue
        least = min(kept, key=lambda one: means[one])
        if means[queue] > _LONGER * means[least]:
            kept[kept.index(least)] = queue
    return tuple(sorted(kept))


def mean_lengths(samples: NDArray[np.float64]) -> list[float]:
    """[V] the mean length of each virtual queue over the slots of *samples*; its length if they span no slot."""
    slots = np.diff(samples[:, sampling.TIME_COLUMN])
    if not slots.any():
        return [float(length) for length in samples[-1, sampling.SCALARS :]]
    means: list[float] = (slots @ samples[:-1, sampling.SCALARS :] / slots.sum()).tolist()
    return means


def table(frame: Frame) -> tuple[list[str], Iterable[Iterable[object]]]:
    """Names and rows for a CSV file, one row per sample: event, slot, share of all capacity in use, and counts."""
    samples, layout = frame.samples, frame.info.facts.layout
    names = ["event", "slot", "used_share", *_COUNTED]
    names += [f"waiting {name}" for name in layout.names if layout.queues > 1]
    counted = samples[:, list(_COUNTED.values())]
    if layout.queues > 1:
        counted = np.hstack([counted, samples[:, sampling.SCALARS :]])
    counts = counted.astype(np.int64).tolist()
    scalars = samples[:, [sampling.EVENT_COLUMN, sampling.TIME_COLUMN]].astype(np.int64).tolist()
    used = samples[:, sampling.USED_COLUMN].tolist()
    rows = zip(scalars, used, counts, strict=True)
    return names, ([*place, share, *row] for place, share, row in rows)


#: The reason of a verdict is shown if both take at most this many widths of the panel; two lines then suffice.
_MOST_LINES = 1.7
_SLOTS = ("", "slot", "slots")
_TOTAL = "waiting"
#: A slope whose half-width is below this, in jobs per slot, is given per million slots.
_SMALLEST_PER_SLOT = 2e-6
_SIX = "⁶"


class MeasuredQueue(NamedTuple):
    """The measures of the queue since slot ``start``."""

    start: float
    means: dict[str, Estimate]
    judgement: Judgement | None  #: None while there are too few slots


def measured(frame: Frame, samples: NDArray[np.float64]) -> MeasuredQueue:
    """The measures up to the moment shown, from the end of the warm-up (during the warm-up, from the start).

    There is no judgement during the warm-up.
    """
    info, start = frame.info, counted_from(frame)
    if not len(samples):
        return MeasuredQueue(start, {}, None)
    start = max(start, float(samples[0, TIME_COLUMN]))
    found = info.kind.batches_so_far(info.numbers, (samples,), start, frame.time)
    judged = bool(found) and start >= warmup(frame) and frame.time - start >= STRETCHES
    judgement = info.kind.judge(info.scenario, found, frame.time - start) if judged else None
    return MeasuredQueue(start, estimates(found[0]) if found else {}, judgement)


def estimate_words(mean: float, half_width: float) -> str:
    """A mean with its half-width, with only as many digits as the interval justifies."""
    told, half = with_interval(mean, half_width)
    return f"{told} ± {half}" if half else told


def growth_words(growth: Estimate) -> tuple[str, str]:
    """The slope with its half-width, and its unit of time: a slot, or 10⁶ slots if the half-width is small."""
    per_slot = not growth.half_width < _SMALLEST_PER_SLOT
    factor, time = (1, "slot") if per_slot else (1_000_000, f"10{_SIX} slots")
    return estimate_words(factor * growth.mean, factor * growth.half_width), time


def tiles(frame: Frame, samples: NDArray[np.float64], found: MeasuredQueue) -> Iterator[TileText]:
    """The tiles above the curves."""
    state = frame.state
    waiting, in_service = int(state.number[WAITING]), int(state.number[IN_SERVICE])
    yield TileText("<i>Q</i> now", format_number(waiting), "run", "The jobs that wait.")
    yield _mean_or_growth(found)
    yield TileText("in service", format_number(in_service), "normal", "The jobs on servers.")
    used = float(samples[-1, USED_COLUMN])
    tip = "The share of all capacity that is in use, as the policy accounts for it."
    if "used_capacity" in found.means:
        mean = found.means["used_capacity"]
        told = estimate_words(100 * mean.mean, 100 * mean.half_width)
        tip += f"\nMean since slot {significant(found.start)}: {told}{THIN}%."
    yield TileText("in use", f"{format_number(100 * used)}{THIN}%", "normal", tip)
    arrived, departed = int(state.tally[ARRIVED]), int(state.tally[DEPARTED])
    yield TileText("arrived", format_number(arrived), "normal", "Jobs that have arrived so far.")
    yield TileText("left", format_number(departed), "normal", "Jobs served so far.")


def _mean_or_growth(found: MeasuredQueue) -> TileText:
    """The tile of the mean queue, or of the slope if the queue may grow: its mean would say nothing."""
    judgement, start = found.judgement, significant(found.start)
    mean = found.means.get("queue_length")
    if judgement is None or mean is None:
        told = "–" if mean is None else significant(mean.mean, 3)
        tip = f"The mean queue since slot {start}, so far; its interval comes after the warm-up."
        return TileText("mean <i>Q</i> so far", told, "run", tip)
    if judgement.verdict in (STABLE, NO_VERDICT):
        tip = f"The mean queue since slot {start}, with its {CONFIDENCE:.0%} interval."
        told = estimate_words(mean.mean, mean.half_width)
        return TileText(f"mean <i>Q</i> since slot {start}", told, "run", tip, "mean <i>Q</i>")
    tip = (
        f"The slope of the queue since slot {start}, with its {CONFIDENCE:.0%} interval; the "
        "mean of a queue that may grow says nothing."
    )
    told, time = growth_words(judgement.metrics["queue_growth"])
    role = "rejection" if judgement.verdict == UNSTABLE else "run"
    return TileText(f"growth per {time}", told, role, tip)


def verdict_words(frame: Frame, found: Judgement | None) -> tuple[str, str, str]:
    """(verdict, reason, role); if stable, the reason gives the slope, as no tile does."""
    if found is None:
        start = significant(warmup(frame))
        return "", f"too early to tell whether the queue grows; counted from slot {start}", ""
    if found.verdict == STABLE:
        slope, time = growth_words(found.metrics["queue_growth"])
        return "Stable", f"growth is {slope} jobs per {time}", "normal"
    role = "rejection" if found.verdict == UNSTABLE else "normal"
    return found.verdict.capitalize(), found.reason.split(" (")[0], role


class QueuePlot(RunPlot):
    """The total queue and the longest virtual queues, drawn from the samples of a run."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        about = "The jobs that wait over time; grey is their range where averages are drawn."
        super().__init__(theme, "jobs that wait", about, History(read_total), ranged=True, whole=True, parent=parent)
        self.setAccessibleName("queue over time")
        self._names: Sequence[str] = ()
        self._looks: Sequence[Look] = ()
        self._calm = Calm(self)
        self._keys: dict[int, str] = {}  # line keys of the virtual queues that have a curve
        self._fresh = True
        self.add_line(_TOTAL, "run", ahead=True, label="Q")

    @property
    def chosen(self) -> tuple[int, ...]:
        """The virtual queues with a curve."""
        return tuple(self._keys)

    def begin(self, frame: Frame) -> None:
        """Begin another run, with its own queues."""
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

    def refit(self) -> None:
        """Fit to another moment: drop the curves and the mean, as other queues may be the longest there."""
        self._set_chosen(())
        self.discard("mean")
        super().refit()

    def unit_of(self, frame: Frame) -> str:
        """The time unit: slots."""
        return "slots" if frame.info.time_unit in _SLOTS else frame.info.time_unit

    def choose(self, frame: Frame) -> None:
        """Choose the curves of the longest queues; with one queue the total is enough."""
        due, self._fresh = self._calm.may_change("curves", frame.running) or self._fresh, False
        if due and frame.info.facts.layout.queues > 1:
            self._set_chosen(longest(mean_lengths(frame.until_now), self.chosen, MOST_CURVES))

    def _set_chosen(self, chosen: Sequence[int]) -> None:
        for queue in self.chosen:
            if queue not in chosen:
                self.remove_line(self._keys.pop(queue))
        for queue in chosen:
            if queue not in self._keys:
                look = self._looks[queue]
                key = self._keys[queue] = f"{_TOTAL} {queue}"
                self.add_line(key, "run" if look is None else look, History(reader(queue)), label=self._names[queue])


class QueueCurvesPanel(TiledPanel):
    """The number of waiting jobs over time, and whether it grows without bound."""

    name = "queue-curves"
    title = "Queue over time"
    summary = "The total queue and the longest virtual queues over time, and whether they grow."
    needs = frozenset({"queues"})
    spacing = 0

    def build(self) -> None:
        """Build the tiles, below them the verdict, and the curves."""
        super().build()
        self.measured = MeasuredQueue(0.0, {}, None)
        self.verdict = QLabel(self.body, textFormat=Qt.TextFormat.RichText, wordWrap=True)
        self.verdict.setContentsMargins(10, 0, 10, 2)
        self.plot = QueuePlot(self.theme, self.body)
        self.plot.event_picked.connect(self.go_to)
        self.follow_theme(self.plot)
        self.column.addWidget(self.verdict)
        self.column.addWidget(self.plot, 1)

    # Frames.

    def begin(self, frame: Frame) -> None:
        """Begin another run, or a step of a lesson, with new curves and ranges."""
        self.plot.show_moment(frame, anew=True)

    def show_frame(self, frame: Frame) -> None:
        """Update numbers and curves to this moment."""
        anew = not self.plot.history.continues(frame)
        self.plot.show_moment(frame)
        if self.numbers_due(frame) or anew:
            self.show_numbers(frame, measured(frame, frame.until_now))

    def show_numbers(self, frame: Frame, found: MeasuredQueue) -> None:
        """Show the measures of a frame."""
        self.measured = found
        self.tiles.set_texts(tiles(frame, frame.until_now, found))
        self._show_verdict(frame)
        mean, judgement = found.means.get("queue_length"), found.judgement
        if mean is not None and judgement is not None and judgement.verdict in (STABLE, NO_VERDICT):
            told = estimate_words(mean.mean, mean.half_width).split(" ")[0]
            self.plot.set_reference("mean", mean.mean, "muted", f"mean{THIN} {told}")
        elif self.plot.has_reference("mean"):
            self.plot.discard("mean")
        else:
            return
        self.plot.refresh()

    def _show_verdict(self, frame: Frame) -> None:
        """Show the verdict, with the reason if it fits."""
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

    def arrange(self) -> None:
        """Show or hide the verdict's reason, depending on the width."""
        if self.frame is not None and self.plot.history.continues(self.frame):
            self._show_verdict(self.frame)
        super().arrange()

    def series(self) -> tuple[list[str], Iterable[Iterable[object]]] | None:
        """Every sample, for a CSV file."""
        return None if self.frame is None else table(self.frame)
