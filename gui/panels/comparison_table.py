"""The measures of policies side by side and their paired differences, as rich text."""

from __future__ import annotations

from html import escape
from math import isfinite, isnan, nan
from typing import Iterator, NamedTuple, Sequence

from slotscope.gui.panels.wording import significant, with_interval
from slotscope.gui.plotting.sampled import counted_from, warmup
from slotscope.gui.theme import Theme
from slotscope.gui.widgets.scripts import unbroken
from slotscope.model.kinds.spec import UNDECIDED, UNSTABLE, Judgement, Measure
from slotscope.model.measures.metrics import CONFIDENCE, Batches, Estimate, estimates
from slotscope.model.reporting.explain import quantity, units
from slotscope.model.reporting.frame import Frame
from slotscope.model.running.recorder import TIME_COLUMN

#: Theme colours of the lanes, in order.
LANE_ROLES = ("run", "second", "third")

_PER_CENT = 100.0

_NO_BREAK = "\u00a0"
_RIGHT = '<td align="right" style="padding-left:8px">'

#: Names of policies and options longer than this may break between words.
_LONG = 16

#: Digits of a mean that has no interval yet.
_EARLY_DIGITS = 3


class LaneMeasures(NamedTuple):
    """One lane's measures, and their differences from the first lane."""

    label: str
    means: dict[str, Estimate]
    differences: dict[str, Estimate]  #: empty for the first lane
    judgement: Judgement | None  #: None if the kind judges nothing


def measured_lanes(frame: Frame) -> tuple[LaneMeasures, ...]:
    """The measures of all lanes so far, in the same batches of time.

    During the warm-up they are counted from the start, without intervals: the beginning says nothing about the long
    run.
    """
    assert frame.comparison is not None
    samples = [one.until_now for one in frame.lanes]
    info, early = frame.info, is_early(frame)
    start = max(counted_from(frame), *(float(table[0, TIME_COLUMN]) for table in samples))
    batches = info.kind.batches_so_far(info.numbers, samples, start, frame.time)
    known: Sequence[dict[str, Batches]] = batches or [{} for _ in samples]
    span = frame.time - start
    scales = {measure.name: measure.scale for measure in info.kind.measures}

    def shown(name: str, value: Estimate) -> Estimate:
        mean, half = _scaled(value, scales.get(name), span)
        return Estimate(mean, nan if early else half)

    result: list[LaneMeasures] = []
    for label, own in zip(frame.comparison.labels, known, strict=True):
        judgement = _judged(frame, own, span)
        found = estimates(own) | dict(judgement.metrics if judgement is not None else {})
        means = {name: shown(name, one) for name, one in found.items()}
        paired = (
            {
                name: shown(name, one.minus(known[0][name]).estimate())
                for name, one in own.items()
                if isfinite(means[name].mean + result[0].means[name].mean)
            }
            if result
            else {}
        )
        result.append(LaneMeasures(label, means, paired, judgement))
    return tuple(result)


def is_early(frame: Frame) -> bool:
    """Whether the warm-up is not over."""
    return frame.time <= warmup(frame)


def _judged(frame: Frame, batches: dict[str, Batches], span: float) -> Judgement | None:
    """The kind of system's judgement of a lane, such as whether a queue grows.

    Nothing is judged during the warm-up; a growing queue has no mean.
    """
    info = frame.info
    if not info.kind.judges:
        return None
    if batches and not is_early(frame):
        return info.kind.judge(info.scenario, [batches], span)
    return Judgement(UNDECIDED, "nothing is judged before the warm-up is over", {})


def _scaled(value: Estimate, scale: str | None, span: float) -> tuple[float, float]:
    """Scale a measure: counts per unit of time, shares in per cent, so that values do not grow with time."""
    factor = {"as it is": 1.0, "per cent": _PER_CENT}.get(scale or "", 1.0 / span)
    return value.mean * factor, value.half_width * factor


def table_text(
    frame: Frame, lanes: Sequence[LaneMeasures], theme: Theme, left_out: int = 0, narrow: bool = False
) -> str:
    """A table with a column per lane; differences from the first are written below the means.

    The last *left_out* measures are omitted; in a *narrow* table an interval may wrap below its mean.
    """
    labels = [lane.label for lane in lanes]
    if len(lanes) < 3:  # lines break between the policy and its options
        labels = [", ".join(map(_kept_together, label.split(", "))) for label in labels]
    head = "".join(
        f'{_RIGHT}<b style="color:{lane_ink(theme, n)}">{escape(label)}</b></td>' for n, label in enumerate(labels)
    )
    since = "so far" if is_early(frame) else f"since t = {unbroken(significant(warmup(frame)))}"
    told = frame.info.kind.measures[: len(frame.info.kind.measures) - left_out]
    rows = "".join(_row(one.name, _title(one, frame.info.time_unit), lanes, theme) for one in told)
    if narrow or len(lanes) > 2:
        rows = rows.replace(f"{_NO_BREAK}±", " ±")
    return (
        f'<table width="100%" cellspacing="3"><tr><td style="color:{theme.muted}">{since}</td>'
        f"{head}</tr>{_verdicts(lanes, theme)}{rows}</table>"
    )


def _title(measure: Measure, unit: str) -> str:
    """A measure's title, with the unit if it is a time."""
    return f"{measure.title}, {units(unit)}" if measure.scale == "a time" and unit else measure.title


def _kept_together(words: str) -> str:
    """Keep a policy or an option on one line, unless it is so long that columns would be pushed out of the panel."""
    return words if len(words) > _LONG else words.replace(" ", _NO_BREAK)


def _verdicts(lanes: Sequence[LaneMeasures], theme: Theme) -> str:
    """A row with each lane's verdict; empty if nothing is judged."""
    found = [lane.judgement for lane in lanes if lane.judgement is not None]
    inks = [theme.rejection if one.verdict == UNSTABLE else theme.normal for one in found]
    cells = "".join(
        f'{_RIGHT}<b style="color:{theme.ink(ink)}">{one.verdict}</b></td>'
        for one, ink in zip(found, inks, strict=True)
    )
    return f'<tr><td style="color:{theme.muted}">verdict</td>{cells}</tr>' if found else ""


def reasons(lanes: Sequence[LaneMeasures]) -> str:
    """The reasons for the verdicts, a line per lane."""
    return "\n".join(
        f"{lane.label}: {lane.judgement.verdict}, {lane.judgement.reason}"
        for lane in lanes
        if lane.judgement is not None
    )


def caption(frame: Frame) -> str:
    """From when the measures are counted, and what the differences are."""
    start = quantity(significant(warmup(frame)), frame.info.time_unit)
    if is_early(frame):
        return (
            f"Since the start; below each its difference from the first policy. Intervals "
            f"come after the warm-up, at t = {start}."
        )
    return (
        f"Since the warm-up (t = {start}), counts per unit of time; below each mean its difference from the first "
        f"policy, paired over equal stretches of time, {CONFIDENCE:.0%} intervals."
    )


def lane_ink(theme: Theme, lane: int) -> str:
    """The text colour of a lane's name."""
    return theme.ink(theme.color(LANE_ROLES[lane]))


def _row(name: str, title: str, lanes: Sequence[LaneMeasures], theme: Theme) -> str:
    cells = "".join(f"{_RIGHT}{_cell(name, lane, theme)}</td>" for lane in lanes)
    return f'<tr><td style="color:{theme.muted}">{title}</td>{cells}</tr>'


def _cell(name: str, lane: LaneMeasures, theme: Theme) -> str:
    known, judged = lane.means.get(name), lane.judgement
    grows = known is not None and isnan(known.mean) and judged and judged.verdict == UNSTABLE
    mean = "grows" if grows else _written(known)
    difference = lane.differences.get(name)
    if difference is None:
        return mean
    sure = abs(difference.mean) > difference.half_width  # never true without an interval
    text = _written(difference, signed=True)
    told = f"<b>{text}</b>" if sure else f'<span style="color:{theme.muted}">{text}</span>'
    return f"{mean}<br>{told}"


def _written(value: Estimate | None, signed: bool = False) -> str:
    if value is None or not isfinite(value.mean):
        return "–"
    if isnan(value.half_width):
        mean, half = significant(value.mean, _EARLY_DIGITS), ""
    else:
        mean, half = with_interval(value.mean, value.half_width)
    sign = ""
    if signed and not mean.strip("0."):
        sign = "" if half else "+"  # without an interval, a plus marks a 0 as a difference
    elif signed and value.mean > 0:
        sign = "+"
    text = f"{sign}{mean} ± {half}" if half else f"{sign}{mean}"
    return text.replace(" ", _NO_BREAK)


def table_rows(lanes: Sequence[LaneMeasures]) -> Iterator[list[object]]:
    """A row per lane and measure, for CSV files."""
    for lane in lanes:
        for name, one in lane.means.items():
            difference = lane.differences.get(name)
            pair = (difference.mean, difference.half_width) if difference else ("", "")
            yield [lane.label, name, one.mean, one.half_width, *pair]
