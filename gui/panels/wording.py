"""Symbols and numbers as panels write them."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from functools import lru_cache
from typing import Any

from slotscope.gui.language.words import tr
from slotscope.gui.plotting.scales import MINUS, MOST_TEXTS, format_number
from slotscope.model.reporting.explain import THIN_SPACE, grouped, quantity, settled, shown_time
from slotscope.model.reporting.frame import Frame, RunInfo

#: Each in plain text, for labels in pictures, and in rich text.
GREEDY_MARK = "⁽ᵍ⁾"
OPTIMUM_PLAIN, OPTIMUM = "U*", "<i>U</i><sup>*</sup>"
GREEDY_PLAIN, GREEDY = f"U{GREEDY_MARK}", "<i>U</i><sup>(g)</sup>"
THIN = THIN_SPACE

_LONGEST_EXACT = 8

#: Least number of decimals of a time.
_DIGITS = 2

_FIRST = re.compile(r"\w*[(\[]?")


@lru_cache(MOST_TEXTS)
def significant(value: float, digits: int = 4) -> str:
    """*value* with *digits* significant digits, or fewer if they express it exactly."""
    if not math.isfinite(value):
        return "–"
    value = settled(value)
    if not value:
        return "0"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    while decimals and round(value, decimals - 1) == value:
        decimals -= 1
    return format_number(value, 10.0**-decimals)


@lru_cache(MOST_TEXTS)
def with_interval(mean: float, half_width: float) -> tuple[str, str]:
    """A mean with the digits that its interval justifies, and the half-width.

    The half-width has one digit, or two if the first is a 1.
    """
    if not math.isfinite(half_width) or half_width <= 0:
        return significant(mean), ""
    resolution = 10.0 ** math.floor(math.log10(half_width / 2))
    return format_number(mean, resolution), format_number(half_width, resolution)


def share_of(mean: float, half_width: float) -> str:
    """A share of 1 with the decimals that its interval justifies, three at most."""
    if not math.isfinite(mean):
        return "–"
    known = math.isfinite(half_width) and half_width > 0
    least = 10.0 ** math.floor(math.log10(half_width)) if known else 0.0
    return format_number(mean, max(0.001, least))


def exact(value: Fraction) -> str:
    """*value* as a fraction; empty if the decimal number is exact already, or the fraction too long to read."""
    text = str(value)
    written = significant(float(value)).replace(THIN, "").replace(MINUS, "-")
    said = "." in written and Fraction(written) == value
    return "" if value.denominator == 1 or said or len(text) > _LONGEST_EXACT else text


def job_words(info: RunInfo, job_type: int, number: int) -> str:
    """A job as sentences call it, in systems where each job is decided on its arrival."""
    narrator: Any = info.narrator
    words: str = narrator.job(number, job_type)
    return words


def sentence(frame: Frame) -> str:
    """A sentence on the current step, the last event, or the first one to come; empty while running."""
    narrator = frame.info.narrator
    if frame.running:
        return ""
    if frame.records:
        return capitalized(narrator.record(frame.records[-1]))
    if frame.event and len(frame.rows):
        return capitalized(narrator.row(frame.rows[-1]))
    return capitalized(f"next: {narrator.event(frame.next_event)}") if frame.next_event else ""


def clock_text(info: RunInfo, time: float) -> str:
    """A run's time as the transport bar shows it: ``slot 112``, or ``t = 39.18 minutes``.

    It has enough decimals for the last one to change at least ten times a second at the usual pace.
    """
    if info.kind.slotted:
        return tr("slot {number}").format(number=grouped(int(time)))
    digits = max(_DIGITS, 1 - math.floor(math.log10(info.usual_pace)))
    return f"t = {quantity(shown_time(time, digits), info.time_unit)}"


def event_told(frame: Frame) -> str:
    """The number of the last event, or of the one in progress, with its number of sub-steps."""
    if not frame.records:
        return tr("event {number}").format(number=grouped(frame.event))
    number, substep = grouped(frame.event + 1), len(frame.records)
    return tr("event {number}, sub-step {substep}").format(number=number, substep=substep)


def capitalized(words: str) -> str:
    """*words* with a capital, unless they begin with a symbol, such as k[1], k₁, j or min(i, j)."""
    first = _FIRST.findall(words)[0]
    return words[:1].upper() + words[1:] if len(first) > 1 and first.isalpha() else words


def up_to(last: int, end: int, searching: bool) -> str:
    """A suffix: up to which event something is known, and whether the search goes on; empty if all is known."""
    if last >= end:
        return ""
    return f" up to event {grouped(last)}{' ...' if searching else ', stopped'}"
