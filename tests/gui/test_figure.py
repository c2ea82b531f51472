"""Saved pictures of experiments: numbers along a logarithmic axis, and where the legend stands."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from gui.experiments.drawing import draw_pictures
from gui.figure import HEIGHT, PNG_SCALE, WIDTH, _columns, _corner, across
from model.lab.results import Curve, Figure, Result

SCALES = (25.0, 50.0, 100.0, 3200.0)
RISING, FALLING = (1.0, 2.0, 3.0, 10.0), (10.0, 3.0, 2.0, 1.0)


def figure(*heights: tuple[float, ...]) -> Figure:
    curves = tuple(
        Curve(f"curve {place}", SCALES, y, (0.1,) * 4) for place, y in enumerate(heights)
    )
    return Figure("x", "A title", "r", "N", curves, (("bound", 1.0),), logarithmic_x=True)


@pytest.mark.parametrize(("heights", "corner"), [(RISING, (20, 20)), (FALLING, (-20, 20))])
def test_the_legend_stands_where_no_curve_is(
    heights: tuple[float, ...], corner: tuple[int, int]
) -> None:
    assert _corner(figure(heights, tuple(height + 0.1 for height in heights))) == corner


def test_many_curves_have_a_second_column() -> None:
    assert _columns(figure(*[RISING] * 6)) == 1
    assert _columns(figure(*[RISING] * 7)) == 2


def test_places_on_a_logarithmic_axis_are_logarithms() -> None:
    marked = figure(RISING)
    assert across(marked, 100.0) == 2.0
    assert across(replace(marked, logarithmic_x=False), 100.0) == 100.0


def test_pictures_have_the_numbers_of_the_points(tmp_path: Path) -> None:
    result = Result("x", "quick", (), (figure(RISING, FALLING),), ())
    svg, png = sorted(draw_pictures(result, tmp_path, lambda: False), reverse=True)
    words = re.findall(r">([^<>\s][^<>]*)<", svg.read_text("utf-8"))
    assert {"25", "50", "100", "3200", "curve 0", "curve 1"} <= {word.strip() for word in words}
    image = QImage(str(png))
    assert abs(image.width() - PNG_SCALE * WIDTH) <= 4
    assert abs(image.height() - PNG_SCALE * HEIGHT) <= 4
