"""How long and how stable a queue is, in numbers and words."""

from __future__ import annotations

from typing import Iterator, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.gui.panels.tiles import TileText
from slotscope.gui.panels.wording import THIN, significant, with_interval
from slotscope.gui.plotting.sampled import counted_from, warmup
from slotscope.gui.plotting.scales import format_number
from slotscope.model.kinds.queue.sampling import TIME_COLUMN, USED_COLUMN
from slotscope.model.kinds.queue.state import ARRIVED, DEPARTED, IN_SERVICE, WAITING
from slotscope.model.kinds.spec import NO_VERDICT, STABLE, UNSTABLE, Judgement
from slotscope.model.measures.growth import STRETCHES
from slotscope.model.measures.metrics import Estimate, estimates
from slotscope.model.measures.student import CONFIDENCE
from slotscope.model.reporting.frame import Frame

#: A slope that is known better than this is told for a million slots.
_SMALLEST_PER_SLOT = 2e-6
_SIX = "⁶"


class MeasuredQueue(NamedTuple):
    """What is known of a queue since some slot."""

    start: float
    means: dict[str, Estimate]
    judgement: Judgement | None  #: None while there are too few slots


def measured(frame: Frame, samples: NDArray[np.float64]) -> MeasuredQueue:
    """The measures up to the moment shown, since the warm-up or while it lasts since the start.

    Nothing is judged of a warm-up.
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
    """A number with its interval, no more digits than that bears."""
    told, half = with_interval(mean, half_width)
    return f"{told} ± {half}" if half else told


def growth_words(growth: Estimate) -> tuple[str, str]:
    """The slope with its interval, and in how much time; short where it is small."""
    per_slot = not growth.half_width < _SMALLEST_PER_SLOT
    factor, time = (1, "slot") if per_slot else (1_000_000, f"10{_SIX} slots")
    return estimate_words(factor * growth.mean, factor * growth.half_width), time


def tiles(frame: Frame, samples: NDArray[np.float64], found: MeasuredQueue) -> Iterator[TileText]:
    """The numbers above the curves."""
    state = frame.state
    waiting, in_service = int(state.number[WAITING]), int(state.number[IN_SERVICE])
    yield TileText("<i>Q</i> now", format_number(waiting), "run", "The jobs that wait.")
    yield _mean_or_growth(found)
    yield TileText("in service", format_number(in_service), "normal", "The jobs on servers.")
    used = float(samples[-1, USED_COLUMN]) if len(samples) else 0.0
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
    """The mean where there may be one; of a queue that may grow, only how fast."""
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
    """The verdict, why, and its role; the slope is said where no number above says it."""
    if found is None:
        start = significant(warmup(frame))
        return "", f"too early to tell whether the queue grows; counted from slot {start}", ""
    if found.verdict == STABLE:
        slope, time = growth_words(found.metrics["queue_growth"])
        return "Stable", f"growth is {slope} jobs per {time}", "normal"
    role = "rejection" if found.verdict == UNSTABLE else "normal"
    return found.verdict.capitalize(), found.reason.split(" (")[0], role
