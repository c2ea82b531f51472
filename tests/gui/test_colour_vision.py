"""Colours stay apart for every kind of colour-blindness, in themes and on pictures too small for textures."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from slotscope.gui.painting.textures import type_tile
from slotscope.gui.panels import panels_of
from slotscope.gui.theme import Theme, apply, load_theme
from tests.contract.moments import large_frame
from tests.contract.pictures import settle
from tests.gui.seeing import EYES, apart, lab, light, linear, nearest

#: CIEDE2000 that the first eight types, all sixteen, and the meanings are apart at least, to any eyes.
EIGHT, ALL, MEANINGS = 11.5, 10.0, 10.0
#: The same of the first eight with their textures, seen from where no texture is.
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
    """Pairs of G. Sharma, W. Wu, E. N. Dalal (2005), table 1."""
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
    """[..., 3] levels of pixels 0xffrrggbb."""
    return np.stack([pixels >> shift & 255 for shift in (16, 8, 0)], -1).astype(np.int64)


#: Pictures of each kind that tell types apart, at sizes at which cells, bars or lines have no room for textures.
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
#: A size at which each of them shows all it has; the least pixels that a type must have, and the least share of the
#: pictures of servers that types have.
WHOLE, LEAST_PIXELS, LEAST_SHARE = (1000, 700), 100, 0.01
SERVERS = ("servers", "server-grid", "bins", "phase-servers", "moldable-servers")


def _pure(theme: Theme, system: str, name: str, size: tuple[int, int]) -> dict[int, int]:
    """The types whose own colour a picture has, unmixed, each with the number of its pixels."""
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
    """On a small picture each type that a large one shows has its colour pure, and these stay apart."""
    apply(qapp, theme)
    seen, whole = (_pure(theme, system, name, room) for room in (size, WHOLE))
    apply(qapp, load_theme("light"))
    assert len(seen) >= 2 and set(seen) == set(whole), f"of the types {set(whole)} only {seen} are seen"
    assert min(seen.values()) >= LEAST_PIXELS
    if name in SERVERS:
        assert sum(seen.values()) > LEAST_SHARE * size[0] * size[1]
    for eyes in EYES:
        assert nearest(linear(*(theme.palette[place] for place in seen)), eyes)[0] >= ALL
