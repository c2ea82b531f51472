"""The texts of the blocking panel: the run's measures beside the optimum and exact values."""

from __future__ import annotations

from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING, Iterator, NamedTuple

import numpy as np

from slotscope.gui.kinds.moldable.blocking_plots import BLOCKED_SHARE, STATISTICS, Level, Sums
from slotscope.gui.panels.pages import inked, table_of
from slotscope.gui.panels.tiles import TileText
from slotscope.gui.panels.wording import THIN, exact, significant, with_interval
from slotscope.gui.plotting.sampled import counted_from
from slotscope.gui.theme import Theme
from slotscope.model.measures.metrics import CONFIDENCE, Estimate, estimates
from slotscope.model.policies.choice import choice_text
from slotscope.model.reporting.frame import Frame

if TYPE_CHECKING:  # the solvers behind it take long to import
    from slotscope.model.kinds.moldable.programs.bounds import MoldableBounds
    from slotscope.model.kinds.moldable.programs.references import PolicyReference

_PER_CENT = 100.0
DISTANCE = "E‖<i>x</i> − <i>y</i><sup>*</sup>‖"
BEST_TIME = "<i>D</i><sup>*</sup>"


class Exact(NamedTuple):
    """The exact values for the current policy."""

    source: str  #: "Erlang B" or "exact chain"
    blocking: float
    time: float | None
    distance: float | None = None


#: The measures shown here, of all that exist.
_MEASURES = ("blocking_probability", "distance", *STATISTICS)


def so_far(frame: Frame, sums: Sums) -> dict[str, Estimate]:
    """The measures since the warm-up, or since the start while it lasts.

    Shares and means are over all jobs since then; the batches of time give their intervals.
    """
    if len(frame.samples) < 2:
        return {}
    info, since = frame.info, counted_from(frame)
    batches = info.kind.batches_so_far(info.numbers, [frame.until_now], since, frame.time)
    if not batches:
        return {}
    found = estimates({name: one for name, one in batches[0].items() if name in _MEASURES})
    start, now = (np.array([min(max(at, sums.ends[0]), sums.ends[1])]) for at in (since, frame.time))
    ratios = {name: ratio for name, (ratio, _) in STATISTICS.items()}
    for name, ratio in ({"blocking_probability": BLOCKED_SHARE} | ratios).items():
        mean = float(sums.over(ratio, start, now)[0])
        found[name] = Estimate(mean, found[name].half_width)
    return found


def reference_of(frame: Frame) -> PolicyReference | None:
    """The bounds' exact values for the current policy, if any."""
    policy = choice_text(frame.info.scenario.policy)
    bounds: MoldableBounds = frame.bounds
    return next((one for one in bounds.references if one.policy == policy), None)


def exact_of(frame: Frame) -> Exact | None:
    """The values of Erlang's formula if it holds, else of the exact chain for exponential sizes, else None."""
    found = reference_of(frame)
    if found is None:
        return None
    if found.blocking is not None:
        return Exact("Erlang B", found.blocking, found.mean_time)
    if found.chain is not None and frame.bounds.exponential:
        return Exact("exact chain", found.chain.blocking, found.chain.mean_time, found.chain.distance)
    return None


def least_time(frame: Frame) -> Fraction | None:
    """D*."""
    best = frame.info.numbers.optimum
    return None if best is None else best.objective


def least_blocking(frame: Frame) -> Fraction | None:
    """The least share of jobs that any policy blocks; None if unknown.

    lambda (1 - P_b) = E[r] <= E[q_1] <= 1, because s_i <= i: Ghanbarian et al. (2025), (4).  So with one class it is 1
    - 1 / lambda for loads above 1, and 0 up to 1.
    """
    numbers = frame.info.numbers
    if not all(numbers.loads) or (numbers.load > 1 and numbers.classes > 1):
        return None
    return max(Fraction(0), 1 - 1 / Fraction(numbers.load))


def distance_bound(frame: Frame) -> float | None:
    """Theorem 2's bound of E||x - y*||, if it holds for the current policy, else None.

    With several classes each has servers of its own, and its distance is weighted by their share.
    """
    info = frame.info
    if info.policy_name != "greedy-p" or info.scenario.policy.parameters:
        return None
    parts = [(one.share, one.theorem2) for one in frame.bounds.classes]
    if not parts or any(found is None for _, found in parts):
        return None
    return float(sum(float(share) * found.distance for share, found in parts))


# Lines in the plots.


def blocking_levels(frame: Frame, measured: dict[str, Estimate]) -> Iterator[Level]:
    """Levels at the mean, the exact value, and the least possible."""
    mean = measured.get("blocking_probability")
    if mean is not None and isfinite(mean.mean):
        told, _ = _per_cent(mean)
        yield Level("mean", _PER_CENT * mean.mean, "run", f"mean{THIN} {told}")
    known = exact_of(frame)
    if known is not None:
        share = _PER_CENT * known.blocking
        yield Level("exact", share, "muted", f"{known.source}{THIN} {significant(share)}")
    least = least_blocking(frame)
    if least is not None:
        share = _PER_CENT * float(least)
        yield Level("best", share, "optimum", f"at least{THIN} {significant(share)}")


def time_levels(frame: Frame) -> Iterator[Level]:
    """Levels at D* and at the exact value."""
    best, known = least_time(frame), exact_of(frame)
    if best is not None:
        yield Level("best", float(best), "optimum", f"D*{THIN} {significant(float(best))}")
    if known is not None and known.time is not None:
        text = f"{known.source}{THIN} {significant(known.time)}"
        yield Level("exact", known.time, "muted", text)


# Numbers above the plots.


def tiles(frame: Frame, measured: dict[str, Estimate]) -> Iterator[TileText]:
    """Tiles of blocked jobs, mean time, D* and distance, as far as they are known."""
    if (blocked := measured.get("blocking_probability")) is not None:
        since, (mean, half) = significant(counted_from(frame)), _per_cent(blocked)
        told = f"since t = {since} and were blocked, with its {CONFIDENCE:.0%} interval."
        role, tip = "rejection" if blocked.mean > 0 else "run", f"The share of the jobs that arrived {told}"
        yield TileText(f"blocked since <i>t</i> = {since}", f"{mean}{half}{THIN}%", role, tip, "blocked")
    if (time := measured.get("execution_time")) is not None:
        tip = "The mean execution time of the jobs that got servers, with its interval."
        yield TileText("mean execution time", "".join(_written(time)), "run", tip, "time")
    if (best := least_time(frame)) is not None:
        said, tip = exact(best), "The least mean execution time without blocking: the optimum of (P), or of (Q)."
        caption = f"{BEST_TIME} = {said}" if said else f"least, {BEST_TIME}"
        yield TileText(caption, significant(float(best)), "optimum", tip, BEST_TIME)
    if (distance := measured.get("distance")) is not None:
        summed = f"summed over widths and divided by n.{_at_most(frame)}"
        tip = f"How far the numbers of jobs are from the optimum's on average, {summed}"
        yield TileText(DISTANCE, "".join(_written(distance)), "run", tip)


def _at_most(frame: Frame) -> str:
    bound = distance_bound(frame)
    return f" Theorem 2: at most {significant(bound, 3)}." if bound is not None else ""


# The table below them.


def table(frame: Frame, measured: dict[str, Estimate], theme: Theme) -> str:
    """A row per measure: the run, the optimum or a bound, and the exact value."""
    known, best, bound = exact_of(frame), least_time(frame), distance_bound(frame)
    source, least = known.source if known is not None else "", least_blocking(frame)
    goal = theme.ink(theme.optimum)
    time = inked(significant(float(best)), goal) if best is not None else "–"
    blocked = measured.get("blocking_probability")
    rows = [
        [
            "blocked, %",
            "".join(_per_cent(blocked)) if blocked else "–",
            "–" if least is None else inked(significant(_PER_CENT * float(least)), goal),
            significant(_PER_CENT * known.blocking) if known else "",
        ]
    ]
    exactly = significant(known.time) if known is not None and known.time is not None else ""
    for name, (_, title) in STATISTICS.items():
        found = measured.get(name)
        said = "by Little’s law" if title == "Little" else f"{title} jobs"
        rows.append([f"time, {said}", "".join(_written(found)) if found else "–", time, exactly])
    if "distance" in measured:
        most = f"≤{THIN}{significant(bound, 3)}" if bound is not None else ""
        mean = significant(known.distance) if known and known.distance is not None else ""
        rows.append([DISTANCE, "".join(_written(measured["distance"])), most, mean])
    return table_of(("", "this run", "best", source), rows, theme)


def notes(frame: Frame) -> str:
    """What supports the table's numbers: Theorem 2's proof, and where Erlang B would hold."""
    said = []
    if distance_bound(frame) is not None:
        proved = all(one.theorem2.proved for one in frame.bounds.classes)
        said.append(
            "The bound of the distance is Theorem 2’s"
            + ("." if proved else "; for two widths its proof has a gap in Lemma 3, and in Lemma 2 where i₁ ≥ 2.")
        )
    if frame.bounds.poisson and frame.bounds.references and exact_of(frame) is None:
        said.append("Neither Erlang’s formula nor a chain of few states describes this policy here.")
    return " ".join(said)


def _per_cent(found: Estimate) -> tuple[str, str]:
    return _written(Estimate(_PER_CENT * found.mean, _PER_CENT * found.half_width))


def _written(found: Estimate) -> tuple[str, str]:
    """A mean, and its half-width with the sign, if known, as texts."""
    mean, half = with_interval(found.mean, found.half_width)
    return mean, f" ± {half}" if half else ""
