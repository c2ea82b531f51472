"""Parsers of values on the command line: from text to a value, or to an error of one line."""

from __future__ import annotations

import argparse
import re
from difflib import get_close_matches
from fractions import Fraction
from pathlib import Path
from typing import Callable

from slotscope.model.running.origin import Moment

MOST_PIXELS = 10_000


def whole(lowest: int, highest: int) -> Callable[[str], int]:
    """A parser of whole numbers within bounds."""

    def read(text: str) -> int:
        if not re.fullmatch(r"[+-]?[0-9]{1,30}", text) or not lowest <= int(text) <= highest:
            raise argparse.ArgumentTypeError(f"found '{text}', allowed: a whole number from {lowest} to {highest}")
        return int(text)

    return read


def memory(text: str) -> int:
    """An amount of memory such as 512M or 2G, in bytes."""
    found = re.fullmatch(r"([0-9]{1,6})([MGT])", text)
    if not found:
        raise argparse.ArgumentTypeError(f"found '{text}', allowed: a whole number and M, G or T, such as 512M or 2G")
    return int(found[1]) << {"M": 20, "G": 30, "T": 40}[found[2]]


def number(lowest: float, *, open_end: bool) -> Callable[[str], float]:
    """A parser of finite numbers above (without *open_end*: from) a bound."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not lowest <= value < float("inf") or (open_end and value == lowest):
            bound = f"above {lowest:g}" if open_end else f"of at least {lowest:g}"
            raise argparse.ArgumentTypeError(f"found '{text}', allowed: a finite number {bound}")
        return value

    return read


def moment(text: str) -> Moment:
    """A moment of a run: an event's number, N.S, or N,N for policies side by side."""
    try:
        return Moment.read(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"found '{text}', allowed: an event's number such as 40, 40.3 for 3 sub-steps into "
            "the next event, or 40,41 for two policies side by side"
        ) from None


def one_of(*names: str) -> Callable[[str], str]:
    """A parser of one of a few words."""

    def read(text: str) -> str:
        if text not in names:
            near = get_close_matches(text, names, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            allowed = ", ".join(names)
            raise argparse.ArgumentTypeError(f"found '{text}', allowed: {allowed}{hint}")
        return text

    return read


def size(text: str) -> tuple[int, int]:
    """A picture's width and height, as in 1280x720."""
    match = re.fullmatch(r"([0-9]{1,6})x([0-9]{1,6})", text)
    if not match or not all(1 <= int(side) <= MOST_PIXELS for side in match.groups()):
        raise argparse.ArgumentTypeError(
            f"found '{text}', allowed: WIDTHxHEIGHT in pixels, each from 1 to {MOST_PIXELS}, such as 1280x720"
        )
    return int(match[1]), int(match[2])


def host_size(text: str) -> tuple[int, Fraction]:
    """A server's vCPUs and gigabytes, as in 80x640."""
    match = re.fullmatch(r"([0-9]{1,5})x([0-9]{1,6}(?:\.[0-9]{1,3})?)", text)
    if not match or int(match[1]) < 1 or Fraction(match[2]) <= 0:
        raise argparse.ArgumentTypeError(f"found '{text}', allowed: CPUSxGB, both above 0, such as 80x640")
    return int(match[1]), Fraction(match[2])


def host_load(text: str) -> Fraction:
    """A load above 0 and at most 1000, exactly as written."""
    match = re.fullmatch(r"[0-9]{1,4}(?:\.[0-9]{1,6})?", text)
    if not match or not 0 < Fraction(text) <= 1000:
        raise argparse.ArgumentTypeError(f"found '{text}', allowed: a number above 0 and at most 1000, such as 1.25")
    return Fraction(text)


def picture(text: str) -> Path:
    """The path of a picture file to write."""
    if not text.lower().endswith(".png"):
        raise argparse.ArgumentTypeError(f"found '{text}', allowed: a path that ends in .png")
    return Path(text)
