"""Arithmetic on colours, kept as ``#rrggbb``, which Qt and pyqtgraph both take."""

from __future__ import annotations

from functools import lru_cache

#: Mixtures that are remembered: pictures ask for the same few at each frame.
_MOST_REMEMBERED = 4096


def argb(color: str) -> int:
    """*color* as one opaque pixel, 0xffrrggbb."""
    return 0xFF000000 | int(color[1:], 16)


@lru_cache(_MOST_REMEMBERED)
def mix(color: str, other: str, share: float) -> str:
    """*color* with the given *share* (0 to 1) of *other* in it."""
    pairs = zip(_channels(color), _channels(other), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def contrast(color: str, other: str) -> float:
    """Contrast ratio of two colours, 1 to 21 (WCAG 2.2, "contrast ratio")."""
    light, dark = sorted((_luminance(color), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


#: A black that is softer beside white.
SOFT_BLACK = "#101418"


def letter_ink(color: str, dark: str = "#000000", light: str = "#ffffff") -> str:
    """Of two inks whichever is the more legible on *color*."""
    return max((dark, light), key=lambda ink: contrast(ink, color))


def _channels(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def _luminance(color: str) -> float:
    red, green, blue = (_linear(channel / 255) for channel in _channels(color))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)
