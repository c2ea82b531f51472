"""Saved pictures of experiments: numbers along a logarithmic axis, and the place of the legend."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from slotscope.gui.experiments.drawing import draw_pictures
from slotscope.gui.theme import load_theme
from slotscope.gui.window.figure import HEIGHT, PNG_SCALE, WIDTH, across, figure_widget, save_figure
from slotscope.model.errors import UserError
from slotscope.model.lab.results import Curve, Figure, Result
from tests.model.test_draft import room_for

SCALES = (25.0, 50.0, 100.0, 3200.0)
RISING, FALLING = (1.0, 2.0, 3.0, 10.0), (10.0, 3.0, 2.0, 1.0)


def figure(*heights: tuple[float, ...]) -> Figure:
    curves = tuple(Curve(f"curve {place}", SCALES, y, (0.1,) * 4) for place, y in enumerate(heights))
    return Figure("x", "A title", "r", "N", curves, (("bound", 1.0),), logarithmic_x=True)


@pytest.mark.parametrize("count", [2, 5, 12])
@pytest.mark.parametrize("heights", [RISING, FALLING])
def test_the_legend_hides_no_curve_and_no_line(qtbot: QtBot, heights: tuple[float, ...], count: int) -> None:
    several = (tuple(height + 0.1 * place for height in heights) for place in range(count))
    shown = figure(*several)
    widget = figure_widget(shown, load_theme("light"))
    qtbot.addWidget(widget)
    item = widget.getPlotItem()
    view, legend = item.getViewBox(), item.legend
    box = legend.mapRectToItem(view, legend.boundingRect())
    assert view.boundingRect().adjusted(-1, -1, 1, 1).contains(box)
    lowest = view.mapToView(QPointF(0, box.bottom())).y()
    assert lowest > max(max(curve.y) + 0.1 for curve in shown.curves)


@pytest.mark.parametrize(("count", "length"), [(3, 150), (20, 60), (1, 200)])
def test_a_picture_grows_until_every_name_is_whole(qtbot: QtBot, count: int, length: int) -> None:
    curves = tuple(Curve(f"{place} ".ljust(length, "m"), SCALES, RISING) for place in range(count))
    widget = figure_widget(replace(figure(RISING), curves=curves), load_theme("light"))
    qtbot.addWidget(widget)
    legend, view = widget.getPlotItem().legend, widget.getPlotItem().getViewBox()
    if count == 1:
        assert legend is None
        assert (widget.width(), widget.height()) == (WIDTH, HEIGHT)
        return
    box = legend.mapRectToItem(view, legend.boundingRect())
    assert view.boundingRect().adjusted(-1, -1, 1, 1).contains(box)
    assert box.height() <= 0.5 * view.height()
    assert widget.width() > WIDTH


def test_colours_are_those_of_the_plan(qtbot: QtBot) -> None:
    theme = load_theme("light")
    some = replace(figure(RISING), planned=("first", "second", "curve 0"))
    widget = figure_widget(some, theme)
    qtbot.addWidget(widget)
    (line,) = widget.getPlotItem().listDataItems()
    assert line.opts["pen"].color().name() == theme.types[1]


def test_thirty_curves_look_different(qtbot: QtBot) -> None:
    widget = figure_widget(figure(*(tuple(y + place for y in RISING) for place in range(30))), load_theme("light"))
    qtbot.addWidget(widget)
    lines = widget.getPlotItem().listDataItems()
    found = [(line.opts["pen"].color().name(), line.opts["pen"].style(), line.opts["symbol"]) for line in lines]
    assert len({look[0] for look in found[:16]}) == 16
    assert len({look[1:] for look in found}) == 30  # also without colour


def test_points_are_crossed_out_where_the_figure_says_so(qtbot: QtBot) -> None:
    theme = load_theme("light")
    (curve,) = figure(RISING).curves
    crossed = replace(curve, crossed=(False, True, True, False))
    some = replace(figure(), curves=(crossed,), crossed_out="over the budget")
    assert some.crossed_points == ((50.0, 2.0), (100.0, 3.0))
    widget = figure_widget(some, theme)
    qtbot.addWidget(widget)
    item = widget.getPlotItem()
    assert [label.text for _, label in item.legend.items] == ["curve 0", "over the budget"]
    (crosses,) = [one for one in item.items if isinstance(one, pg.ScatterPlotItem)]
    places = [(point.pos().x(), point.pos().y()) for point in crosses.points()]
    assert places == [(across(some, x), y) for x, y in some.crossed_points]
    image, view = widget.grab().toImage(), item.getViewBox()
    for x, y in zip(SCALES, RISING, strict=True):
        at = widget.mapFromScene(view.mapViewToScene(QPointF(across(some, x), y)))
        red, green, blue, _ = image.pixelColor(at).getRgb()  # antialiased at the edges of the cross
        assert (red > 1.5 * max(green, blue)) == ((x, y) in some.crossed_points)


def test_bands_are_the_points_and_their_half_widths(qtbot: QtBot) -> None:
    halves = (0.5, 0.25, float("nan"), 2.0)
    curve = Curve("curve", SCALES, RISING, halves)
    widget = figure_widget(replace(figure(), curves=(curve,)), load_theme("light"))
    qtbot.addWidget(widget)
    (band,) = [one for one in widget.getPlotItem().items if isinstance(one, pg.FillBetweenItem)]
    low, high = (one.getData()[1].tolist() for one in band.curves)
    assert low == [0.5, 1.75, 3.0, 8.0]
    assert high == [1.5, 2.25, 3.0, 12.0]


def test_places_on_a_logarithmic_axis_are_logarithms() -> None:
    marked = figure(RISING)
    assert across(marked, 100.0) == 2.0
    assert across(replace(marked, logarithmic_x=False), 100.0) == 100.0


@pytest.mark.slow
def test_pictures_have_the_numbers_of_the_points(tmp_path: Path) -> None:
    result = Result("x", "quick", (), (figure(RISING, FALLING),), ())
    svg, png = sorted(draw_pictures(result, tmp_path, lambda: False), reverse=True)
    words = re.findall(r">([^<>\s][^<>]*)<", svg.read_text("utf-8"))
    assert {"25", "50", "100", "3200", "curve 0", "curve 1"} <= {word.strip() for word in words}
    image = QImage(str(png))
    assert abs(image.width() - PNG_SCALE * WIDTH) <= 4
    assert abs(image.height() - PNG_SCALE * HEIGHT) <= 4


@pytest.mark.parametrize("name", ["a.svg", "a.png"])
def test_where_the_disk_is_full_the_picture_before_stays(qapp: QApplication, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    save_figure(figure(RISING), path)
    before = path.read_bytes()
    with room_for(len(before) // 2), pytest.raises(UserError, match=f"{name}: cannot be written: File too large"):
        save_figure(figure(RISING), path)
    assert path.read_bytes() == before
