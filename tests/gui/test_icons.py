"""Icons: each has its own picture, in the theme's colours, sharp at every size."""

from __future__ import annotations

import os
import sys

if sys.platform == "linux" and not os.environ.get("DISPLAY"):
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QIcon, QImage, QPainter, QTransform
from PySide6.QtWidgets import QApplication

from slotscope.gui.theme import load_theme
from slotscope.gui.widgets.icons import ICON_NAMES, icon, paint_icon
from tests.gui.painted import pixels_of

NEEDED = {
    "to_start",
    "step_back",
    "substep_back",
    "run",
    "pause",
    "step",
    "substep",
    "into",
    "out",
    "to_next",
    "to_previous",
    "to_live_end",
    "express",
    "camera",
    "copy",
    "csv",
    "lecture",
    "theme",
    "gear",
    "bookmark",
    "breakpoint",
    "help",
    "warning",
    "cancel",
}
MIRRORED = [("step", "step_back"), ("substep", "substep_back"), ("to_next", "to_previous"), ("to_live_end", "to_start")]


def drawn(name: str, size: int, color: str = "#ff0000") -> QImage:
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    paint_icon(painter, name, QRectF(0, 0, size, size), color)
    painter.end()
    return image


def ink(image: QImage) -> float:
    """The share of the picture that is covered."""
    return float((pixels_of(image) >> 24).mean() / 255)


def test_all_icons_are_there() -> None:
    assert set(ICON_NAMES) == NEEDED


@pytest.mark.parametrize("name", sorted(NEEDED))
def test_an_icon_keeps_its_weight_at_every_size(qapp: QApplication, name: str) -> None:
    small, large = ink(drawn(name, 16)), ink(drawn(name, 96))
    assert 0.04 < large < 0.6
    assert small == pytest.approx(large, abs=0.03)


def test_no_two_icons_look_alike(qapp: QApplication) -> None:
    images = [drawn(name, 24) for name in ICON_NAMES]  # kept alive: the bits belong to the images
    assert len({bytes(image.constBits()) for image in images}) == len(ICON_NAMES)


@pytest.mark.parametrize(("forward", "back"), MIRRORED)
def test_backwards_is_the_mirror_of_forwards(qapp: QApplication, forward: str, back: str) -> None:
    turned = drawn(forward, 96).transformed(QTransform(-1, 0, 0, 1, 0, 0))
    other = drawn(back, 96)
    covered = [(pixels_of(image) >> 24).astype(int) for image in (turned, other)]
    assert abs(covered[0] - covered[1]).max() < 40


@pytest.mark.parametrize("theme_name", ["light", "dark"])
@pytest.mark.parametrize("size", [16, 24, 64])
def test_buttons_get_the_themes_colour(qapp: QApplication, theme_name: str, size: int) -> None:
    theme = load_theme(theme_name)
    usual = icon("run", theme).pixmap(QSize(size, size), 1.0).toImage()
    faint = icon("run", theme).pixmap(QSize(size, size), 1.0, QIcon.Mode.Disabled).toImage()
    middle = size // 2
    assert usual.pixelColor(middle, middle) == QColor(theme.normal)
    assert faint.pixelColor(middle, middle) != QColor(theme.normal)
    assert faint.pixelColor(middle, middle).alpha() == 255


def test_a_meaning_has_its_own_colour(qapp: QApplication) -> None:
    theme = load_theme("light")
    image = icon("breakpoint", theme, theme.rejection).pixmap(24, 24).toImage()
    assert image.pixelColor(12, 12) == QColor(theme.rejection)


def test_icons_are_sharp_on_dense_screens(qapp: QApplication) -> None:
    pixmap = icon("pause", load_theme("light")).pixmap(QSize(24, 24), 2.0)
    assert pixmap.width() == 48
    row = [pixmap.toImage().pixelColor(x, 24).alpha() for x in range(48)]
    assert sum(0 < alpha < 255 for alpha in row) <= 2


def test_one_without_room_is_nothing(qapp: QApplication) -> None:
    """A button without a size asks for such an icon; Qt would warn of a painter on a null pixmap."""
    for size in (QSize(0, 0), QSize(0, 20)):
        assert icon("run", load_theme("light")).pixmap(size).isNull()
