"""Colours are distinguishable with every kind of colour blindness, in themes and in pictures too small for textures."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from slotscope.gui.painting.textures import type_tile
from slotscope.gui.panels import panels_of
from slotscope.gui.theme import Theme, apply, load_theme
from tests.contract.moments import large_frame
from tests.contract.pictures import settle

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
    """[n, 3] linear RGB of colours written as ``#rrggbb``."""
    return light(np.array([[int(one[at : at + 2], 16) for at in (1, 3, 5)] for one in colours]))


def light(levels: NDArray[np.int64]) -> Colours:
    """[..., 3] linear RGB of sRGB levels from 0 to 255."""
    share = levels / 255
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def lab(colours: Colours, eyes: str = "usual") -> Colours:
    """[..., 3] CIE L*a*b* of linear RGB, as seen by a kind of eyes."""
    xyz = np.clip(colours @ EYES[eyes].T, 0, 1) @ _TO_XYZ.T / _WHITE
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.stack([116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]), 200 * (f[..., 1] - f[..., 2])], -1)


def apart(one: Colours, other: Colours) -> Colours:
    """[...] CIEDE2000 difference of L*a*b* colours; about 1 is just noticeable side by side (Sharma et al. 2005)."""
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
    """The least difference of two of the colours (linear RGB) to a kind of eyes, and the indices of these two."""
    seen = lab(colours, eyes)
    table = apart(seen[:, None], seen[None]) + np.diag([np.inf] * len(seen))
    place = divmod(int(table.argmin()), len(seen))
    return float(table.min()), place


#: Least CIEDE2000 differences of the first eight types, of all sixteen, and of the colours of roles, to any eyes.
EIGHT, ALL, MEANINGS = 11.5, 10.0, 10.0
#: The same for the average colours of the first eight with textures, as seen from far away.
FAR_AWAY = 8.0

ROLES = ("run", "reject_group", "rejection", "migration", "optimum", "greedy", "second", "third")


@pytest.fixture(params=["light", "dark"])
def theme(request: pytest.FixtureRequest) -> Theme:
    return load_theme(request.param)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
        ((50.0, 2.5, 0.0), (58.0, 24.0, 15.0), 19.4535),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ((6.7747, -0.2908, -2.4247), (5.8714, -0.0985, -2.2286), 0.6377),
        ((50.0, -1.0, 2.0), (50.0, 0.0, 0.0), 2.3669),
    ],
)
def test_distances_are_those_of_the_standard(one: tuple[float, ...], other: tuple[float, ...], expected: float) -> None:
    """Values from G. Sharma, W. Wu, E. N. Dalal (2005), table 1."""
    assert float(apart(np.array(one), np.array(other))) == pytest.approx(expected, abs=1e-4)


def test_eyes_see_greys_as_they_are_and_mistake_what_they_must() -> None:
    grey = linear("#808080")
    for eyes in EYES:
        assert float(apart(lab(grey, eyes), lab(grey))[0]) < 0.5
    red_and_green = linear("#b83800", "#807a00")
    assert nearest(red_and_green, "usual")[0] > 30
    assert nearest(red_and_green, "deuteranopia")[0] < 5


@pytest.mark.parametrize("eyes", EYES)
def test_types_and_meanings_stay_apart(theme: Theme, eyes: str) -> None:
    assert nearest(linear(*theme.types), eyes)[0] >= EIGHT, nearest(linear(*theme.types), eyes)
    assert nearest(linear(*theme.palette), eyes)[0] >= ALL, nearest(linear(*theme.palette), eyes)
    meanings = linear(*(theme.color(role) for role in ROLES))
    assert nearest(meanings, eyes)[0] >= MEANINGS, nearest(meanings, eyes)


@pytest.mark.parametrize("eyes", EYES)
def test_textures_do_not_blur_types_together(theme: Theme, eyes: str) -> None:
    tiles = [_levels(type_tile(theme, job_type)) for job_type in range(8)]
    blurred = np.array([light(tile).reshape(-1, 3).mean(0) for tile in tiles])
    assert nearest(blurred, eyes)[0] >= FAR_AWAY, nearest(blurred, eyes)


def _levels(pixels: np.ndarray) -> np.ndarray:
    """[..., 3] sRGB levels of pixels 0xffrrggbb."""
    return np.stack([pixels >> shift & 255 for shift in (16, 8, 0)], -1).astype(np.int64)


#: Pictures of each kind that distinguish types, at sizes where cells, bars or lines are too small for textures.
PICTURES = (
    ("reservation", "servers", (300, 200)),
    ("reservation", "server-grid", (300, 200)),
    ("reservation", "theory", (300, 200)),
    ("reservation", "groups", (640, 400)),
    ("reservation", "reward", (640, 400)),
    ("queue", "bins", (300, 200)),
    ("queue", "queues", (300, 200)),
    ("queue", "queue-curves", (300, 200)),
    ("phases", "phase-servers", (300, 200)),
    ("phases", "tokens", (640, 400)),
    ("phases", "policy-map", (640, 400)),
    ("moldable", "moldable-servers", (300, 200)),
)
#: A size at which each picture is complete; least number of pixels of a type; least share of the pictures of
#: servers that types must cover.
WHOLE, LEAST_PIXELS, LEAST_SHARE = (1000, 700), 100, 0.01
SERVERS = ("servers", "server-grid", "bins", "phase-servers", "moldable-servers")


def _pure(theme: Theme, system: str, name: str, size: tuple[int, int]) -> dict[int, int]:
    """The types whose exact colour occurs in a picture, each with the number of its pixels."""
    (entry,) = (entry for entry in panels_of(system) if entry.name == name)
    panel = entry.load()(theme)
    panel.resize(*size)
    panel.show()
    panel.set_frame(large_frame(system))
    settle(panel)
    image = panel.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    panel.close()
    panel.deleteLater()
    pixels = np.frombuffer(bytes(image.constBits()), np.uint32) | 0xFF000000
    looks = {int(colour[1:], 16) | 0xFF000000: place for place, colour in enumerate(theme.palette)}
    found, counts = np.unique(pixels, return_counts=True)
    return {looks[colour]: n for colour, n in zip(found.tolist(), counts.tolist(), strict=True) if colour in looks}


@pytest.mark.slow
@pytest.mark.parametrize(("system", "name", "size"), PICTURES)
def test_pictures_too_small_for_textures_show_types_apart(
    qapp: QApplication, theme: Theme, system: str, name: str, size: tuple[int, int]
) -> None:
    """A small picture shows the same types as a large one, in their exact, distinguishable colours."""
    apply(qapp, theme)
    seen, whole = (_pure(theme, system, name, room) for room in (size, WHOLE))
    apply(qapp, load_theme("light"))
    assert len(seen) >= 2 and set(seen) == set(whole), f"of the types {set(whole)} only {seen} are seen"
    assert min(seen.values()) >= LEAST_PIXELS
    if name in SERVERS:
        assert sum(seen.values()) > LEAST_SHARE * size[0] * size[1]
    for eyes in EYES:
        assert nearest(linear(*(theme.palette[place] for place in seen)), eyes)[0] >= ALL
