"""How long and how stable a queue is, in numbers and words."""

from __future__ import annotations

import math
from typing import Iterator

import numpy as np
from numpy.typing import NDArray

from gui.panels.tiles import TileText
from gui.panels.wording import THIN, significant, with_interval
from gui.plotting.scales import format_number
from model.frame import Frame
from model.growth import Growth
from model.metrics import CONFIDENCE, Estimate
from model.systems.queue.sampling import USED_COLUMN
from model.systems.queue.state import ARRIVED, DEPARTED, IN_SERVICE, WAITING

STABLE, UNSTABLE = "stable", "unstable"
#: A slope that is known better than this is told for a million slots.
_SMALLEST_PER_SLOT = 2e-6
_SIX = "⁶"


def warmup(frame: Frame) -> float:
    """The slot from which means count."""
    return float(frame.info.scenario.run.warmup)


def means(frame: Frame, samples: NDArray[np.float64]) -> dict[str, Estimate]:
    """The measures since the warm-up, up to the moment shown; empty before it."""
    if not len(samples):
        return {}
    info = frame.info
    found = info.kind.batches_so_far(info.numbers, (samples,), warmup(frame), frame.time)
    return {name: batches.estimate() for name, batches in found[0].items()} if found else {}


def estimate_words(mean: float, half_width: float) -> str:
    """A number with its interval, no more digits than that bears."""
    told, half = with_interval(mean, half_width)
    return f"{told} ± {half}" if half else told


def growth_words(growth: Growth) -> tuple[str, str]:
    """The slope with its interval, and in how much time; short where it is small."""
    per_slot = not growth.half_width < _SMALLEST_PER_SLOT
    factor, time = (1, "slot") if per_slot else (1_000_000, f"10{_SIX} slots")
    return estimate_words(factor * growth.slope, factor * growth.half_width), time


def tiles(
    frame: Frame, samples: NDArray[np.float64], found: dict[str, Estimate], growth: Growth | None
) -> Iterator[TileText]:
    """The numbers above the curves."""
    state = frame.state
    waiting, in_service = int(state.number[WAITING]), int(state.number[IN_SERVICE])
    yield TileText("<i>Q</i> now", format_number(waiting), "run", "The jobs that wait.")
    yield from _mean_or_growth(frame, found, growth)
    yield TileText("in service", format_number(in_service), "normal", "The jobs on servers.")
    used = float(samples[-1, USED_COLUMN]) if len(samples) else 0.0
    tip = "The share of all capacity that is in use, as the policy accounts for it."
    if "used_capacity" in found:
        mean = found["used_capacity"]
        told = estimate_words(100 * mean.mean, 100 * mean.half_width)
        tip += f"\nMean since the warm-up: {told}{THIN}%."
    yield TileText("in use", f"{format_number(100 * used)}{THIN}%", "normal", tip)
    arrived, departed = int(state.tally[ARRIVED]), int(state.tally[DEPARTED])
    yield TileText("arrived", format_number(arrived), "normal", "Jobs that have arrived so far.")
    yield TileText("left", format_number(departed), "normal", "Jobs served so far.")


def _mean_or_growth(
    frame: Frame, found: dict[str, Estimate], growth: Growth | None
) -> Iterator[TileText]:
    """The mean where the queue is stable; of one that grows, only how fast."""
    if growth is None:
        tip = "The mean queue since the warm-up, once it is over."
        yield TileText("mean <i>Q</i>", "–", "run", tip)
        return
    start = significant(warmup(frame))
    if growth.verdict == STABLE and "queue_length" in found:
        mean = found["queue_length"]
        tip = f"The mean queue since the warm-up, with its {CONFIDENCE:.0%} interval."
        told = estimate_words(mean.mean, mean.half_width)
        yield TileText(f"mean <i>Q</i> since slot {start}", told, "run", tip, "mean <i>Q</i>")
        return
    tip = (f"The slope of the queue since slot {start}, with its {CONFIDENCE:.0%} interval; the "
           "mean of a queue that may grow says nothing.")  # fmt: skip
    told, time = growth_words(growth)
    role = "rejection" if growth.verdict == UNSTABLE else "run"
    yield TileText(f"growth per {time}", told, role, tip)


def verdict_words(frame: Frame, growth: Growth | None) -> tuple[str, str, str]:
    """The verdict, why, and its role; the slope is said where no number above says it."""
    if growth is None or not math.isfinite(growth.slope):
        start = significant(warmup(frame))
        return "", f"too early to tell whether the queue grows; counted from slot {start}", ""
    if growth.verdict == STABLE:
        slope, time = growth_words(growth)
        return "Stable", f"growth is {slope} jobs per {time}", "normal"
    reason = growth.reason.split(" (")[0]
    if growth.verdict == UNSTABLE:
        return "Unstable", reason, "rejection"
    return "Undecided", reason, "normal"
