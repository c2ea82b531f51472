"""Live curves: how they are painted and saved."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

if sys.platform == "linux" and not os.environ.get("DISPLAY"):
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QMouseEvent, QPainter, QPicture
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from slotscope.gui.plotting.axes import NumberAxis
from slotscope.gui.plotting.curve import PyramidCurve
from slotscope.gui.plotting.pyramid import Envelope, Pyramid
from slotscope.gui.plotting.time_plot import PlotText, TimePlot
from slotscope.gui.theme import Theme, fonts, load_theme
from slotscope.gui.window.figure import write_png, write_svg
from slotscope.model.errors import UserError
from tests.gui.painted import colours_in, pixels_of
from tests.gui.plot_points import lines_of, points_of

# -- painting --------------------------------------------------------------------------------


def make_plot(qtbot: QtBot, theme: Theme, *, lecture: bool = False) -> TimePlot:
    plot = TimePlot(theme, fonts(lecture), PlotText("time", "reward"))
    qtbot.addWidget(plot)
    plot.resize(640, 360)
    plot.show()
    return plot


@pytest.fixture
def plot(qtbot: QtBot) -> TimePlot:
    return make_plot(qtbot, load_theme("light"))


def picture(plot: TimePlot) -> QImage:
    QApplication.processEvents()
    image: QImage = plot.grab().toImage()
    return image


def pixel_of(plot: TimePlot, x: float, y: float) -> QPointF:
    view = plot.getPlotItem().getViewBox()
    return QPointF(plot.mapFromScene(view.mapViewToScene(QPointF(x, y))))


@pytest.mark.parametrize("name", ["light", "dark"])
@pytest.mark.parametrize("lecture", [False, True])
def test_a_plot_shows_all_its_parts(qtbot: QtBot, name: str, lecture: bool) -> None:
    theme = load_theme(name)
    plot = make_plot(qtbot, theme, lecture=lecture)
    plot.add_curve("run", "run", label="reward").append([0, 4, 8], [3, 6, 5])
    plot.add_curve("type", 1, label="type B").append([0, 10], [1, 2])
    plot.add_band("interval", "run").append([0, 10], [4, 5], [1, 0.5])
    plot.set_reference("optimum", 9, "optimum", "U* = 9")
    plot.set_cursor(2.5)
    plot.refresh()
    seen = colours_in(pixels_of(picture(plot)))
    wanted = (theme.panel, theme.grid, theme.run, theme.types[1], theme.optimum, theme.muted)
    assert set(wanted) <= seen


def test_an_axis_that_has_no_room_for_its_name_has_none_under_another(plot: TimePlot) -> None:
    axis = plot.getPlotItem().getAxis("bottom")
    for named in (False, True):
        axis.fit(named=named)
        axis.set_name(f"another {named}")
        assert axis.label.isVisible() == named


def test_an_empty_plot_shows_its_axes(plot: TimePlot) -> None:
    plot.refresh()
    assert len(colours_in(pixels_of(picture(plot)))) > 3


def test_a_curve_runs_through_its_points(plot: TimePlot) -> None:
    theme = load_theme("light")
    plot.add_curve("flat", 0).append([0, 10], [7, 7])
    plot.refresh()
    image = picture(plot)
    point = pixel_of(plot, 5, 7).toPoint()
    column = {image.pixelColor(point.x(), point.y() + dy).name() for dy in (-1, 0, 1)}
    assert theme.types[0] in column
    assert image.pixelColor(point.x(), point.y() + 12) == QColor(theme.panel)


def test_the_range_reaches_the_present(plot: TimePlot) -> None:
    plot.add_curve("count", "run").append([0, 4], [2, 6])
    plot.set_now(10)
    plot.refresh()
    assert plot.getPlotItem().getViewBox().viewRange()[0][1] >= 10


def test_gaps_stay_empty(plot: TimePlot) -> None:
    plot.add_curve("gap", "run").append([0, 2, 5, 8, 10], [5, 5, np.nan, 5, 5])
    plot.refresh()
    image = picture(plot)
    middle, side = pixel_of(plot, 5, 5).toPoint(), pixel_of(plot, 1, 5).toPoint()
    run = load_theme("light").run
    assert run not in {image.pixelColor(middle.x(), middle.y() + d).name() for d in range(-2, 3)}
    assert run in {image.pixelColor(side.x(), side.y() + d).name() for d in range(-2, 3)}


def test_a_long_curve_draws_two_points_per_pixel(plot: TimePlot) -> None:
    pyramid = plot.add_curve("long", "run")
    pyramid.append(np.arange(200_000), np.random.default_rng(1).normal(size=200_000))
    plot.refresh()
    picture(plot)
    curve = next(i for i in plot.getPlotItem().items if isinstance(i, PyramidCurve))
    view = plot.getPlotItem().getViewBox()
    assert view.width() / 2 < sum(polygon.size() for polygon in curve._polygons) <= 2 * view.width() + 6
    assert curve.dataBounds(0) == (0, 199_999)
    assert curve.dataBounds(1) == (pyramid.y.min(), pyramid.y.max())


def test_the_envelope_is_what_is_asked_for() -> None:
    pyramid = Pyramid()
    assert isinstance(pyramid.envelope(0, 1, 100), Envelope)
    assert len(pyramid.envelope(0, 1, 100).x) == 0


def test_ranges_hold_curves_and_references(plot: TimePlot) -> None:
    plot.set_reference("optimum", 618, "optimum", "U*")
    pyramid = plot.add_curve("reward", "run")
    for t in range(1, 60):
        pyramid.append(t, 8 * t)
        plot.refresh()
        (left, right), (low, high) = plot.getPlotItem().getViewBox().viewRange()
        assert left <= 1
        assert right >= t
        assert low == 0
        assert high >= 618
    assert high == 800


def test_going_back_shortens_the_curve(plot: TimePlot) -> None:
    pyramid = plot.add_curve("reward", "run")
    pyramid.append(np.arange(100), np.full(100, 5.0))
    plot.refresh()
    image = picture(plot)
    end = pixel_of(plot, 90, 5).toPoint()
    run = load_theme("light").run
    assert run in {image.pixelColor(end.x(), end.y() + d).name() for d in (-1, 0, 1)}
    pyramid.truncate_after(50)
    plot.refresh()
    image = picture(plot)
    assert run not in {image.pixelColor(end.x(), end.y() + d).name() for d in (-1, 0, 1)}


@pytest.mark.parametrize("height", [60, 80, 110, 150, 220, 360])
def test_numbers_of_a_low_plot_do_not_touch(qtbot: QtBot, height: int) -> None:
    plot = make_plot(qtbot, load_theme("light"))
    plot.resize(640, height)
    axis = plot.getAxis("left")
    marks = [plot.getViewBox().mapViewToScene(QPointF(0, tick)).y() for tick in axis.ticks()]
    assert np.abs(np.diff(marks)).min(initial=np.inf) >= axis._text_height


def test_the_left_axis_has_the_width_of_its_numbers_at_each_height(plot: TimePlot) -> None:
    axis = plot.getAxis("left")
    for height in (110, 90, 100, 220):
        plot.resize(640, height)
        ticks = axis.ticks()
        widest = max(map(axis.length_of, axis.tickStrings(ticks, 1.0, ticks[1] - ticks[0] if ticks[1:] else 1.0)))
        assert axis.width() >= widest + (axis._text_height if axis.label.isVisible() else 0)


def test_half_a_thing_has_no_tick(qtbot: QtBot) -> None:
    plot = TimePlot(load_theme("light"), fonts(False), PlotText("time", "jobs", whole=True))
    qtbot.addWidget(plot)
    plot.resize(640, 480)
    plot.show()
    plot.add_curve("waiting", "run").append([0, 10], [0, 2])
    plot.refresh()
    assert plot.getAxis("left").ticks() == [0, 1, 2]


def test_both_axes_have_the_room_and_the_lines_of_the_numbers_that_are_drawn(plot: TimePlot) -> None:
    """At some heights pyqtgraph drew twice as many numbers, such as 0.5 and 1.5, over the name of the axis."""
    plot.add_curve("waiting", "run").append([0, 10], [0, 3])
    plot.refresh()
    recorded = QPicture()
    painter = QPainter(recorded)
    for size in range(120, 420):
        plot.resize(2 * size, size)
        for axis in (plot.getAxis("left"), plot.getAxis("bottom")):
            ticks = axis.ticks()
            _, _, texts = axis.generateDrawSpecs(painter)
            spacing = ticks[1] - ticks[0] if ticks[1:] else 1.0
            assert {text for _, _, text in texts} <= set(axis.tickStrings(ticks, 1.0, spacing)), (size, texts)
    painter.end()


def test_the_left_axis_follows_its_height_whatever_has_changed_it(plot: TimePlot) -> None:
    plot.add_curve("flat", 0).append([0, 10], [0, 1.5])
    plot.refresh()
    item, axis = plot.getPlotItem(), plot.getPlotItem().getAxis("left")
    for margin in (250, 10, 200, 100, 10):
        item.setContentsMargins(4, 8, 4, margin)
        QApplication.processEvents()
        found = axis.fixedWidth
        plot._fit()
        assert found == axis.fixedWidth


@pytest.mark.parametrize("end", [0, 0.7, 30_000, 9_000_000])
@pytest.mark.parametrize("lecture", [False, True])
def test_the_number_at_the_end_of_the_lower_axis_has_room(qtbot: QtBot, end: float, lecture: bool) -> None:
    """Even without labels at the right: before the first event the number 1.0 was cut."""
    plot = make_plot(qtbot, load_theme("light"), lecture=lecture)
    if end:
        plot.add_curve("reward", "run").append([0, end], [0, 5.0])
        plot.refresh()
    QApplication.processEvents()
    axis = plot.getAxis("bottom")
    ticks = axis.ticks()
    last = axis.tickStrings(ticks, 1.0, ticks[1] - ticks[0])[-1]
    assert pixel_of(plot, ticks[-1], 0).x() + axis.length_of(last) / 2 <= plot.viewport().width()


def test_a_longer_name_stands_in_the_middle_of_its_axis(plot: TimePlot) -> None:
    axis = plot.getAxis("left")
    axis.set_name("a name that is longer")
    QApplication.processEvents()
    label = axis.label.mapRectToParent(axis.label.boundingRect())
    assert abs(label.center().y() - axis.size().height() / 2) <= 1


def test_a_span_follows_the_end(plot: TimePlot) -> None:
    plot.add_curve("reward", "run").append(np.arange(101), np.zeros(101))
    plot.follow(20)
    left, right = plot.getPlotItem().getViewBox().viewRange()[0]
    assert right - left == pytest.approx(20)
    assert left < 100 < right
    plot.follow(None)
    assert plot.getPlotItem().getViewBox().viewRange()[0][0] == 0


def test_a_range_taken_by_hand_stays_until_it_is_reset(plot: TimePlot) -> None:
    pyramid = plot.add_curve("reward", "run")
    pyramid.append([0, 10], [1, 1])
    plot.refresh()
    view = plot.getPlotItem().getViewBox()
    view.setXRange(2, 3, padding=0)
    view.sigRangeChangedManually.emit([True, False])
    pyramid.append([20], [1])
    plot.refresh()
    assert view.viewRange()[0] == [2, 3]
    plot.reset_view()
    assert view.viewRange()[0][1] >= 20


def test_labels_stand_at_the_right_and_apart(plot: TimePlot) -> None:
    for number in range(6):
        plot.add_curve(f"{number}", number, label=f"type {number}").append([0, 1], [0, 5.0])
    plot.set_reference("optimum", 5, "optimum", "U*")
    plot.refresh()
    picture(plot)
    column = plot.getPlotItem().getAxis("right")
    placed = column.placed()
    assert {label.text for label, _, _ in placed} == {"U*", *(f"type {n}" for n in range(6))}
    centres = sorted(centre for _, _, centre in placed)
    assert min(np.diff(centres)) > 10
    assert column.width() > 30


def test_labels_that_do_not_fit_are_left_out(plot: TimePlot) -> None:
    plot.resize(640, 120)
    for number in range(20):
        plot.add_curve(f"{number}", 0, label=f"curve {number}").append([0, 1], [0, 1.0])
    plot.refresh()
    picture(plot)
    texts = [label.text for label, _, _ in plot.getPlotItem().getAxis("right").placed()]
    assert 0 < len(texts) < 20
    assert texts == [f"curve {number}" for number in range(len(texts))]


def test_a_label_stands_where_it_would_had_it_never_moved(plot: TimePlot) -> None:
    """Labels that move by less than is visible are not painted again."""
    plot.add_curve("run", "run", label="now").append([0, 1], [0, 5.0])
    plot.set_reference("best", 4.3, "optimum", "best")
    plot.refresh()
    column = plot.getPlotItem().getAxis("right")
    picture(plot)
    before = [places for _, *places in column.placed()]
    plot.set_reference("best", 4.300001, "optimum", "best")
    plot.refresh()
    assert [places for _, *places in column.placed()] == before


def test_what_ends_at_the_edge_is_in_view(plot: TimePlot) -> None:
    plot.add_curve("run", "run", label="now").append([0, 1], [5.0, 0.0])
    plot.refresh()
    column = plot.getPlotItem().getAxis("right")
    for height in range(300, 330):
        plot.resize(plot.width(), height)
        plot.refresh()
        ((_, mark, _),) = column.placed()
        assert mark == pytest.approx(column.size().height(), abs=1 / 16) and mark <= column.size().height()


def test_labels_are_whole_again_where_the_plot_is_wide_again(plot: TimePlot) -> None:
    plot.add_curve("run", "run", label="a policy whose name is long").append([0, 1], [0, 5.0])
    plot.refresh()
    picture(plot)
    column, width = plot.getPlotItem().getAxis("right"), plot.width()
    whole = column.width()
    plot.resize(width // 3, plot.height())
    plot.refresh()
    assert column.width() < whole
    plot.resize(width, plot.height())
    assert column.width() == whole


def test_parts_can_be_renamed_and_removed(plot: TimePlot) -> None:
    plot.add_curve("a", 0, label="old").append([0, 1], [1, 1])
    plot.add_band("band", 0).append([0, 1], [1, 1], [1, 1])
    plot.set_reference("line", 1, "greedy", "U(g)")
    plot.set_label("a", "new")
    plot.refresh()
    column = plot.getPlotItem().getAxis("right")
    assert [label.text for label, _, _ in column.placed()] == ["U(g)", "new"]
    for name in ("a", "band", "line"):
        plot.remove(name)
    plot.refresh()
    assert column.placed() == []
    assert not len(points_of(plot, "a")) and not lines_of(plot)
    with pytest.raises(KeyError):
        plot.remove("a")


def test_themes_change_while_shown(plot: TimePlot) -> None:
    plot.add_curve("run", "run", label="reward").append([0, 10], [3, 6])
    plot.set_reference("optimum", 9, "optimum", "U*")
    plot.refresh()
    light, dark = load_theme("light"), load_theme("dark")
    before = colours_in(pixels_of(picture(plot)))
    plot.set_theme(dark, fonts(lecture=True))
    after = colours_in(pixels_of(picture(plot)))
    assert {light.panel, light.run} <= before
    assert {dark.panel, dark.run, dark.optimum} <= after
    assert light.panel not in after


def test_a_click_gives_its_time(qtbot: QtBot, plot: TimePlot) -> None:
    plot.add_curve("run", "run").append([0, 10], [3, 6])
    plot.refresh()
    picture(plot)
    at = pixel_of(plot, 4, 3).toPoint()
    with qtbot.waitSignal(plot.picked) as picked:
        for kind in (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonRelease):
            left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
            place = plot.viewport().mapToGlobal(at)
            event = QMouseEvent(kind, QPointF(at), QPointF(place), left, left, none)
            QApplication.sendEvent(plot.viewport(), event)
    assert picked.args == [pytest.approx(4, abs=0.1)]


def test_the_cursor_is_shown_and_hidden(plot: TimePlot) -> None:
    plot.add_curve("run", "run").append([0, 10], [3, 6])
    plot.refresh()
    without = picture(plot)
    plot.set_cursor(5)
    assert picture(plot) != without
    plot.set_cursor(None)
    assert picture(plot) == without


def test_pyqtgraphs_own_menu_is_off(plot: TimePlot) -> None:
    assert not plot.getPlotItem().getViewBox().menuEnabled()
    assert not plot.getPlotItem().ctrlMenu.isVisible()


@pytest.mark.slow
def test_the_name_of_an_axis_follows_from_the_height_alone(qtbot: QtBot) -> None:
    """Even if the lower axis had no name before, and hence another height."""
    theme, text = load_theme("light"), PlotText("time", "a difference of rates", "diff.")
    plots = [TimePlot(theme, fonts(False), text) for _ in range(2)]
    for plot in plots:
        qtbot.addWidget(plot)
        plot.show()
    for height in range(120, 360, 4):
        for plot, before in zip(plots, (40, 400), strict=True):
            plot.resize(640, before)
            QApplication.processEvents()
            plot.resize(640, height)
        assert plots[0]._left._text == plots[1]._left._text, height


def test_axes_name_what_they_show_as_far_as_there_is_room(plot: TimePlot, qtbot: QtBot) -> None:
    left, bottom = (plot.getPlotItem().getAxis(side) for side in ("left", "bottom"))
    assert isinstance(left, NumberAxis) and isinstance(bottom, NumberAxis)
    plot.set_quantity(x="time (s)", y="reward of all jobs")
    assert "time (s)" in bottom.labelString() and "reward of all jobs" in left.labelString()
    plot.set_quantity(y="a name that is longer than the plot is high, as it happens in a hall")
    assert not left.label.isVisible() and bottom.label.isVisible()
    plot._text = replace(plot._text, y_short="short")
    plot.resize(plot.width(), plot.height() + 1)
    qtbot.waitUntil(lambda: "short" in left.labelString() and left.label.isVisible())
    plot.resize(plot.width(), 70)
    qtbot.waitUntil(lambda: not bottom.label.isVisible())


# -- export ----------------------------------------------------------------------------------


@pytest.fixture
def full(plot: TimePlot) -> TimePlot:
    plot.add_curve("reward", "run", label="reward").append([0, 1, 2], [3, 4, 5])
    plot.add_band("interval", "run").append([0, 2], [3, 5], [1, 0.5])
    plot.set_reference("optimum", 9, "optimum", "U*")
    plot.refresh()
    picture(plot)
    return plot


@pytest.mark.slow
def test_png_has_the_size_and_the_colours(full: TimePlot, tmp_path: Path) -> None:
    path = tmp_path / "plot.png"
    write_png(full, path, 2.0, load_theme("light").panel)
    image = QImage(str(path))
    assert (image.width(), image.height()) == (1280, 720)
    theme = load_theme("light")
    assert {theme.panel, theme.run, theme.optimum} <= colours_in(pixels_of(image))


def test_svg_shows_what_the_window_shows(full: TimePlot, tmp_path: Path) -> None:
    path = tmp_path / "plot.svg"
    write_svg(full, path)
    text = path.read_text(encoding="utf-8")
    assert "<polyline" in text
    assert ">reward</text>" in text
    renderer = QSvgRenderer(str(path))
    assert renderer.isValid()
    assert (renderer.viewBox().width(), renderer.viewBox().height()) == (640, 360)
    image = QImage(640, 360, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    renderer.render(painter)
    painter.end()
    curve = pixel_of(full, 1, 4).toPoint()
    run = load_theme("light").run
    assert run in {image.pixelColor(curve.x(), curve.y() + d).name() for d in (-1, 0, 1)}


def test_an_impossible_file_is_told(full: TimePlot, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be written"):
        write_svg(full, tmp_path / "none" / "plot.svg")
    with pytest.raises(UserError, match="cannot be written"):
        write_png(full, tmp_path / "none" / "plot.png", 1.0, "white")
