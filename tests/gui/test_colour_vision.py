"""Colours stay apart for every kind of colour-blindness, in themes and on pictures too small for textures."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from slotscope.gui.painting.textures import type_tile
from slotscope.gui.panel import Panel
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


@cache
def _panel(system: str) -> type[Panel]:
    """The panel of all servers that has the smallest cells."""
    entries = {entry.name: entry for entry in panels_of(system)}
    return entries.get("server-grid", next(iter(entries.values()))).load()


@pytest.mark.parametrize("system", ["reservation", "queue", "phases", "moldable"])
def test_cells_too_small_for_textures_show_types_apart(qapp: QApplication, theme: Theme, system: str) -> None:
    """On a small picture of many servers each type that is seen has its colour pure, and these stay apart."""
    apply(qapp, theme)
    panel = _panel(system)(theme)
    panel.resize(300, 200)
    panel.show()
    panel.set_frame(large_frame(system))
    settle(panel)
    image = panel.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    panel.close()
    panel.deleteLater()
    apply(qapp, load_theme("light"))
    pixels = np.frombuffer(bytes(image.constBits()), np.uint32).reshape(image.height(), -1) | 0xFF000000
    looks = {int(colour[1:], 16) | 0xFF000000: place for place, colour in enumerate(theme.palette)}
    found, counts = np.unique(pixels, return_counts=True)
    seen = {
        looks[colour]: count for colour, count in zip(found.tolist(), counts.tolist(), strict=True) if colour in looks
    }
    assert len(seen) >= 2, f"{system}: of all types only {seen} are seen"
    assert sum(seen.values()) > 0.01 * pixels.size
    for eyes in EYES:
        assert nearest(linear(*(theme.palette[place] for place in seen)), eyes)[0] >= ALL
