"""How colours are seen: by eyes with three kinds of cones, and with two; and how far apart they then are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Colours = NDArray[np.float64]

#: Linear RGB as seen without the long, the middle and the short cones: severity 1.0 of G. M. Machado,
#: M. M. Oliveira, L. A. F. Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency",
#: IEEE TVCG 15 (2009), table 1.
EYES = {
    "usual": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
_TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
_WHITE = np.array([0.95047, 1.0, 1.08883])


def linear(*colours: str) -> Colours:
    """[n, 3] light of colours that are written as ``#rrggbb``."""
    return light(np.array([[int(one[at : at + 2], 16) for at in (1, 3, 5)] for one in colours]))


def light(levels: NDArray[np.int64]) -> Colours:
    """[..., 3] light of levels from 0 to 255 (sRGB)."""
    share = levels / 255
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def lab(colours: Colours, eyes: str = "usual") -> Colours:
    """[..., 3] CIE L*a*b* of light as some eyes see it."""
    xyz = np.clip(colours @ EYES[eyes].T, 0, 1) @ _TO_XYZ.T / _WHITE
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.stack([116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]), 200 * (f[..., 1] - f[..., 2])], -1)


def apart(one: Colours, other: Colours) -> Colours:
    """[...] CIEDE2000 of colours in L*a*b*: about 1 is the least that is seen side by side (Sharma et al. 2005)."""
    (l1, a1, b1), (l2, a2, b2) = np.moveaxis(one, -1, 0), np.moveaxis(other, -1, 0)
    seventh = ((np.hypot(a1, b1) + np.hypot(a2, b2)) / 2) ** 7
    more = 1.5 - 0.5 * np.sqrt(seventh / (seventh + 25.0**7))
    c1, c2 = np.hypot(a1 * more, b1), np.hypot(a2 * more, b2)
    h1, h2 = (np.degrees(np.arctan2(b, a * more)) % 360 for a, b in ((a1, b1), (a2, b2)))
    grey, turn = c1 * c2 == 0, np.abs(h1 - h2) > 180
    dh = np.where(grey, 0, (h2 - h1 + 180) % 360 - 180)
    dhue = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(dh / 2))
    mean_l, mean_c = (l1 + l2) / 2, (c1 + c2) / 2
    both = h1 + h2
    hue = np.where(grey, both, np.where(turn, np.where(both < 360, both + 360, both - 360), both) / 2)
    t = 1 - 0.17 * _cos(hue - 30) + 0.24 * _cos(2 * hue) + 0.32 * _cos(3 * hue + 6) - 0.2 * _cos(4 * hue - 63)
    s_l = 1 + 0.015 * (mean_l - 50) ** 2 / np.sqrt(20 + (mean_l - 50) ** 2)
    r = -2 * np.sqrt(mean_c**7 / (mean_c**7 + 25.0**7)) * np.sin(np.radians(60 * np.exp(-(((hue - 275) / 25) ** 2))))
    dl, dc, dh = (l2 - l1) / s_l, (c2 - c1) / (1 + 0.045 * mean_c), dhue / (1 + 0.015 * mean_c * t)
    found: Colours = np.sqrt(dl**2 + dc**2 + dh**2 + r * dc * dh)
    return found


def _cos(degrees: Colours) -> Colours:
    return np.cos(np.radians(degrees))


def nearest(colours: Colours, eyes: str) -> tuple[float, tuple[int, int]]:
    """How far the two of some colours, as light, are apart that are most alike to some eyes; and which these are."""
    seen = lab(colours, eyes)
    table = apart(seen[:, None], seen[None]) + np.diag([np.inf] * len(seen))
    place = divmod(int(table.argmin()), len(seen))
    return float(table.min()), place
