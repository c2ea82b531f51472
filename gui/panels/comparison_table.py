"""The measures of policies side by side, and their paired differences, as rich text."""

from __future__ import annotations

from html import escape
from math import isfinite
from typing import Iterator, NamedTuple, Sequence

from gui.panels.wording import significant, with_interval
from gui.theme import Theme
from model.frame import Frame
from model.metrics import BATCHES, CONFIDENCE, Batches, Estimate
from model.systems.kinds import Kind, Measure

#: Theme colours of the lanes, in order.
LANE_ROLES = ("run", "second", "third")

_PER_CENT = 100.0


class LaneMeasures(NamedTuple):
    """What is known of one lane: its measures, and their differences from the first lane."""

    label: str
    means: dict[str, Estimate]
    differences: dict[str, Estimate]  #: empty for the first lane


def lane_frames(frame: Frame) -> tuple[Frame, ...]:
    """The frame of every lane, in order."""
    return frame, *frame.companions


def warmup_of(frame: Frame) -> float:
    """When measuring begins."""
    return float(frame.info.scenario.run.warmup)


def measured_lanes(frame: Frame) -> tuple[LaneMeasures, ...]:
    """The measures of all lanes so far, in the same batches of time."""
    assert frame.comparison is not None
    samples = [one.samples for one in lane_frames(frame)]
    info = frame.info
    batches = info.kind.batches_so_far(info.numbers, samples, warmup_of(frame), frame.time)
    known: Sequence[dict[str, Batches]] = batches or [{} for _ in samples]
    span = frame.time - warmup_of(frame)
    scales = {measure.name: measure.scale for measure in info.kind.measures}
    result = []
    first = _estimates(info.kind, known[0], span)
    for lane, (label, own) in enumerate(zip(frame.comparison.labels, known, strict=True)):
        found = _estimates(info.kind, own, span)
        means = {name: _shown(one, scales.get(name), span) for name, one in found.items()}
        paired = {name: _shown(one.minus(known[0][name]).estimate(), scales.get(name), span)
                  for name, one in own.items()
                  if isfinite(found[name].mean + first[name].mean)}  # fmt: skip
        result.append(LaneMeasures(label, means, paired if lane else {}))
    return tuple(result)


def _estimates(kind: Kind, batches: dict[str, Batches], span: float) -> dict[str, Estimate]:
    """The means, corrected by what the kind of system judges: a queue that grows has none."""
    judgement = kind.judge([batches], span) if batches else None
    found = {name: one.estimate() for name, one in batches.items()}
    return found if judgement is None else found | dict(judgement.metrics)


def _shown(value: Estimate, scale: str | None, span: float) -> Estimate:
    """Counts per unit of time, and shares in per cent: numbers that do not grow as it runs."""
    factor = {"as it is": 1.0, "per cent": _PER_CENT}.get(scale or "", 1.0 / span)
    return Estimate(value.mean * factor, value.half_width * factor)


def table_text(lanes: Sequence[LaneMeasures], measures: Sequence[Measure], theme: Theme) -> str:
    """A table with a column for each lane; differences from the first stand below the means."""
    head = "".join(
        f'<td align="right"><b style="color:{lane_ink(theme, n)}">{escape(lane.label)}</b></td>'
        for n, lane in enumerate(lanes)
    )
    rows = "".join(_row(one.name, one.title, lanes, theme) for one in measures)
    return f'<table width="100%" cellspacing="3"><tr><td></td>{head}</tr>{rows}</table>'


def caption(frame: Frame) -> str:
    """Since when the measures are taken, and what the differences are."""
    start = significant(warmup_of(frame))
    unit = f" {frame.info.time_unit}" if frame.info.time_unit else ""
    if frame.time <= warmup_of(frame):
        return f"Measures begin after the warm-up, at t = {start}{unit}."
    return (f"Since the warm-up (t = {start}{unit}), counts per unit of time; below each mean its "
            f"difference from the first policy, paired over {BATCHES} equal stretches of time, "
            f"{CONFIDENCE:.0%} intervals.")  # fmt: skip


def lane_ink(theme: Theme, lane: int) -> str:
    """The colour of a lane's name."""
    return theme.ink(theme.color(LANE_ROLES[lane]))


def _row(name: str, title: str, lanes: Sequence[LaneMeasures], theme: Theme) -> str:
    cells = "".join(f'<td align="right">{_cell(name, lane, theme)}</td>' for lane in lanes)
    return f'<tr><td style="color:{theme.muted}">{title}</td>{cells}</tr>'


def _cell(name: str, lane: LaneMeasures, theme: Theme) -> str:
    mean = _written(lane.means.get(name))
    difference = lane.differences.get(name)
    if difference is None:
        return mean
    sure = abs(difference.mean) > difference.half_width
    text = _written(difference, signed=True)
    told = f"<b>{text}</b>" if sure else f'<span style="color:{theme.muted}">{text}</span>'
    return f"{mean}<br>{told}"


def _written(value: Estimate | None, signed: bool = False) -> str:
    if value is None or not isfinite(value.mean):
        return "–"
    mean, half = with_interval(value.mean, value.half_width)
    sign = "+" if signed and value.mean > 0 else ""
    text = f"{sign}{mean} ± {half}" if half else f"{sign}{mean}"
    return text.replace(" ", "\u00a0").replace("\u2009", "\u202f")


def table_rows(lanes: Sequence[LaneMeasures]) -> Iterator[list[object]]:
    """A row for each lane and measure, for a CSV file."""
    for lane in lanes:
        for name, one in lane.means.items():
            difference = lane.differences.get(name)
            pair = (difference.mean, difference.half_width) if difference else ("", "")
            yield [lane.label, name, one.mean, one.half_width, *pair]
