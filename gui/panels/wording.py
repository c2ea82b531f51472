"""Symbols and numbers as panels write them."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from gui.plotting.scales import MINUS, format_number
from model.frame import RunInfo
from model.records import DEPARTURE, Event
from model.systems.reservation.explain import ReservationNarrator

#: In plain text, for labels in pictures, and in rich text.
GREEDY_MARK = "⁽ᵍ⁾"
OPTIMUM_PLAIN, OPTIMUM = "U*", "<i>U</i><sup>*</sup>"
GREEDY_PLAIN, GREEDY = f"U{GREEDY_MARK}", "<i>U</i><sup>(g)</sup>"
THIN = "\u2009"

_LONGEST_EXACT = 8


def significant(value: float, digits: int = 4) -> str:
    """*value* with so many significant digits, or fewer if they say all there is to say."""
    if not math.isfinite(value):
        return "–"
    if not value:
        return "0"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    while decimals and round(value, decimals - 1) == value:
        decimals -= 1
    return format_number(value, 10.0**-decimals)


def with_interval(mean: float, half_width: float) -> tuple[str, str]:
    """A mean with the digits that its interval bears, and the half-width.

    The half-width has one digit, or two where the first is a 1.
    """
    if not math.isfinite(half_width) or half_width <= 0:
        return significant(mean), ""
    resolution = 10.0 ** math.floor(math.log10(half_width / 2))
    return format_number(mean, resolution), format_number(half_width, resolution)


def share_of(mean: float, half_width: float) -> str:
    """A share of 1 with the decimals that its interval bears, three at most."""
    if not math.isfinite(mean):
        return "–"
    known = math.isfinite(half_width) and half_width > 0
    least = 10.0 ** math.floor(math.log10(half_width)) if known else 0.0
    return format_number(mean, max(0.001, least))


def exact(value: Fraction) -> str:
    """*value* as a fraction; empty where that says nothing more or is too long to read."""
    text = str(value)
    written = significant(float(value)).replace(THIN, "").replace(MINUS, "-")
    said = "." in written and Fraction(written) == value
    return "" if value.denominator == 1 or said or len(text) > _LONGEST_EXACT else text


def job_words(info: RunInfo, job_type: int, number: int) -> str:
    """A job as it is called in sentences, where each is decided on when it arrives."""
    narrator: Any = info.narrator
    words: str = narrator.job(number, job_type)
    return words


def on_any_server(info: RunInfo, event: Event) -> str:
    """What a job does next that is on another server under each policy."""
    if isinstance(info.narrator, ReservationNarrator):
        return f"{job_words(info, event.type, event.job)} leaves"
    if event.kind == DEPARTURE:
        return "a job departs"
    return f"a job goes into phase {info.numbers.model.phases[event.type]}"
