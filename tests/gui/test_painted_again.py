"""What has changed is painted again, and what has not changed visibly is not: the screen is always up to date."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QRect, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPolygonF
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLabel, QWidget
from pytestqt.qtbot import QtBot

from slotscope.gui.painting.kept import Kept
from slotscope.gui.panel import Panel
from slotscope.gui.panels.algorithm import AlgorithmPanel
from slotscope.gui.panels.decisions import DecisionsPanel
from slotscope.gui.panels.tiles import Tiles, TileText
from slotscope.gui.plotting import curve as curves
from slotscope.gui.plotting.curve import polygon_of
from slotscope.gui.plotting.pyramid import Values
from slotscope.gui.plotting.time_plot import PlotText, TimePlot
from slotscope.gui.theme import fonts, load_theme
from slotscope.gui.widgets.labels import SizedLabel
from slotscope.gui.widgets.spoken import without_markup
from slotscope.gui.window.history_bar import HistoryBar
from slotscope.model.api import Session
from slotscope.model.reporting.frame import Frame
from tests.gui.painted import Counted, on_glass, pixels
from tests.gui.windows import complete_window, on_screen
from tests.runs import ran


@pytest.fixture(scope="module")
def frames() -> list[Frame]:
    """Frames of two events stepped through by sub-steps, and of some events stepped over, forwards and back."""
    session = ran("dra-vms", events=600)
    found = [session.frame()]
    for _ in range(24):
        session.step_into()
        found.append(session.frame())
    for step in (*[session.step] * 6, *[session.step_back] * 3):
        step()
        found.append(session.frame())
    return found


def test_a_log_that_scrolls_while_its_header_is_painted_stays_in_its_place(qtbot: QtBot) -> None:
    """Rows scrolled away remained visible over the panel's filters until these were painted again."""
    session = Session.open("dra-vms", kernel=False)
    panel = on_screen(qtbot, DecisionsPanel(load_theme("light")), 620, 220)
    for _ in range(4):
        session.run(events=4)
        panel.view.horizontalHeader().viewport().update()  # painted before the log
        panel.view.viewport().update()
        panel.set_frame(session.frame())
        qtbot.waitUntil(lambda: np.array_equal(on_glass(panel), pixels(panel)))


@pytest.mark.slow
@pytest.mark.parametrize("made", [AlgorithmPanel, DecisionsPanel])
@pytest.mark.parametrize("height", [220, 900])
def test_the_screen_shows_what_is_there(qtbot: QtBot, frames: list[Frame], made: type[Panel], height: int) -> None:
    panel = on_screen(qtbot, made(load_theme("light")), 620, height)
    for frame in frames:
        panel.set_frame(frame)
        qtbot.waitUntil(lambda: np.array_equal(on_glass(panel), pixels(panel)))  # once all delayed changes are done


# Plots.


@pytest.fixture
def plot(qtbot: QtBot) -> TimePlot:
    """A plot with one of each kind of item, ten units wide, about sixty pixels per unit."""
    plot = on_screen(qtbot, TimePlot(load_theme("light"), fonts(False), PlotText("time", "reward")), 640, 360)
    plot.add_curve("run", "run", label="now")
    plot.add_band("interval", "run")
    plot.set_x_range(0, 10)
    show(plot, 0.0)
    return plot


def show(plot: TimePlot, by: float) -> None:
    """Show everything moved by so much to the right and up, as by a frame."""
    band = plot.band("interval")
    assert band is not None
    plot._series["run"].curve.pyramid.replace([0, 4 + by, 8 + by], [3, 6 + by, 5 + by])
    band.low.replace([0, 8 + by], [1 + by, 1 + by])
    band.high.replace([0, 8 + by], [2 + by, 2 + by])
    plot.set_reference("best", 7 + by, "optimum", "best")
    plot.set_cursor(8 + by)
    plot.refresh()
    QApplication.processEvents()


def test_what_nobody_sees_move_is_not_painted_again(plot: TimePlot) -> None:
    paints, before = Counted(plot.viewport()), on_glass(plot)
    for _ in range(5):
        show(plot, 1e-5)
    assert paints.count == 0
    show(plot, 0.1)
    assert paints.count > 0
    assert (on_glass(plot) != before).any()


def test_what_is_not_painted_again_is_not_made_for_qt(plot: TimePlot, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []

    def counted(x: Values, y: Values) -> QPolygonF:
        made.append(len(x))
        return polygon_of(x, y)

    monkeypatch.setattr(curves, "polygon_of", counted)
    for _ in range(5):
        show(plot, 1e-5)
    assert not made
    show(plot, 0.1)
    assert sorted(made) == [3, 4], "curve and band"


@pytest.mark.parametrize("part", ["curve", "band", "reference", "cursor"])
def test_each_part_is_painted_again_where_it_is_seen_to_move(plot: TimePlot, part: str) -> None:
    paints, band = Counted(plot.viewport()), plot.band("interval")
    assert band is not None
    match part:
        case "curve":
            plot._series["run"].curve.pyramid.replace([0, 4, 8], [3, 6.1, 5])
        case "band":
            band.high.replace([0, 8], [2.1, 2.1])
        case "reference":
            plot.set_reference("best", 7.1, "optimum", "best")
        case "cursor":
            plot.set_cursor(8.1)
    plot.refresh()
    QApplication.processEvents()
    assert paints.count > 0


def test_small_moves_add_up(plot: TimePlot) -> None:
    paints = Counted(plot.viewport())
    for step in range(1, 501):
        show(plot, step * 1e-4)
    assert 10 < paints.count < 400
    assert np.mean(on_glass(plot) != pixels(plot)) < 0.002  # moves that are still due change the antialiasing slightly


def test_enlarged_a_line_goes_the_rest_of_its_way(plot: TimePlot) -> None:
    show(plot, 1e-5)
    line = plot._references["best"].line
    assert (plot._cursor.value(), line.value()) == (8, 7)
    plot.getPlotItem().setXRange(7.99, 8.01, padding=0)
    QApplication.processEvents()
    assert (plot._cursor.value(), line.value()) == (8 + 1e-5, 7 + 1e-5)


# Parts kept as pictures.


def test_a_part_is_painted_once_for_each_look() -> None:
    kept, asked = Kept(), []

    def paint(look: str, box: QRect) -> QImage:
        image = QImage(60, 40, QImage.Format.Format_RGB32)
        image.fill(QColor("white"))
        painter = QPainter(image)

        def draw(own: QPainter) -> None:
            asked.append(look)
            own.fillRect(box.adjusted(2, 2, -2, -2), QColor(look))

        kept.paint(painter, box, QColor("white"), look, draw)
        painter.end()
        return image

    here, there = QRect(5, 5, 20, 10), QRect(30, 20, 20, 10)
    first = paint("red", here)
    assert paint("red", here) == first
    assert paint("red", there).copy(there) == first.copy(here)
    assert first.pixelColor(10, 10) == QColor("red")
    assert first.pixelColor(5, 5) == QColor("white")
    assert paint("blue", here) != first
    assert paint("red", QRect(5, 5, 30, 10)) != first
    assert asked == ["red", "blue", "red"]
    paint("red", QRect(5, 5, 20, 0))  # nothing of it is visible
    kept.forget()
    paint("red", here)
    assert asked[3:] == ["red"]


# Labels.


@pytest.mark.parametrize("rich", [False, True])
def test_a_label_is_as_large_as_its_text_and_looks_like_it(qtbot: QtBot, rich: bool) -> None:
    """Whether Qt lays the text out as a document, as it does for rich text, or not, as for plain text."""
    label, plain, ink = SizedLabel(rich=rich), QLabel(), "#c02030"
    plain.setTextFormat(Qt.TextFormat.RichText if rich else Qt.TextFormat.PlainText)
    label.set_ink(ink)
    plain.setPalette(label.palette())
    for one in (label, plain):
        qtbot.addWidget(one)
        one.setFont(fonts(False).heading)
    for text in ("event 1", "event 7", "event 1 000 000", "<i>t</i> = 2", "ρ &lt; 1", "kernel", "0.70 ± 0.14"):
        label.show_text(text)
        plain.setText(f'<span style="color:{ink}">{text}</span>' if rich else text)
        assert label.minimumSize() == label.maximumSize() == plain.sizeHint()
        plain.resize(plain.sizeHint())
        assert np.array_equal(pixels(label), pixels(plain))
    for one in (label, plain):
        one.setFont(fonts(True).display)
    assert label.maximumSize() == plain.sizeHint()
    label.show_text("")
    plain.setText("")
    assert label.maximumSize() == plain.sizeHint()


def test_a_number_that_takes_the_same_room_lays_out_nothing(qtbot: QtBot) -> None:
    around, label = QWidget(), SizedLabel()
    QHBoxLayout(around).addWidget(label)
    label.show_text("event 123")
    on_screen(qtbot, around, 300, 100)
    QApplication.processEvents()
    layouts = Counted(around, QEvent.Type.LayoutRequest)
    for text, asked in (("event 123", 0), ("event 321", 0), ("event 1 234", 1), ("event 12", 2)):
        label.show_text(text)
        QApplication.processEvents()
        assert layouts.count == asked


@pytest.mark.parametrize("selected", [False, True])
@pytest.mark.parametrize("text", ["event {}", "<i>event</i> {}"])
def test_a_number_that_changes_is_painted_once(qtbot: QtBot, text: str, selected: bool) -> None:
    around = on_screen(qtbot, QWidget(), 200, 40)
    label = SizedLabel(around, rich=True)
    if selected:
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.show_text(text.format(0))
    label.show()
    qtbot.wait(50)
    paints = Counted(label)
    for number in range(1, 6):
        label.show_text(text.format(number))
        for _ in range(3):
            QApplication.processEvents()
        assert paints.count == number


def test_a_number_above_a_shortened_caption_lays_out_nothing(qtbot: QtBot) -> None:
    tiles, long = Tiles(load_theme("dark")), "a caption that there is no room for"
    on_screen(qtbot, tiles, 200, 80)
    number = TileText(long, "0.123", short="short")
    tiles.set_texts((number,))
    caption, value = tiles.findChildren(SizedLabel)
    assert {"short", "0.123"} == {without_markup(label.text()) for label in (caption, value)}
    QApplication.processEvents()
    layouts = Counted(caption.parentWidget(), QEvent.Type.LayoutRequest)
    tiles.set_texts((replace(number, value="0.321"),))
    QApplication.processEvents()
    assert layouts.count == 0 and tiles.shown() == ["0.321"]
    tiles.resize(600, 80)
    assert long in {without_markup(label.text()) for label in (caption, value)}


def test_wider_numbers_have_their_room_before_they_are_painted(qtbot: QtBot) -> None:
    tiles = Tiles(load_theme("dark"))
    on_screen(qtbot, tiles, 600, 80)
    tiles.set_texts((TileText("a", "7"), TileText("b", "5")))
    QApplication.processEvents()
    for value in ("7.25", "7.25 minutes", "7"):
        tiles.set_texts((TileText("a", value), TileText("b", "5")))
        _, first, _, second = tiles.findChildren(SizedLabel)
        end = first.mapTo(tiles, first.rect().topRight()).x()
        assert first.width() == first.minimumWidth() and end < second.mapTo(tiles, QPoint(0, 0)).x()


def test_the_next_frame_of_a_run_lays_out_no_docks(qtbot: QtBot, tmp_path: Path) -> None:
    with complete_window(qtbot, tmp_path) as window:
        window.stand_at("dra-classroom", (), None, (), 5.0, None)
        frame, layouts = window.frame, Counted(window, QEvent.Type.LayoutRequest)
        assert frame is not None
        for event in (100, 101, 102, 103):
            if event == 102:  # the labels have their final sizes by now
                qtbot.wait(300)
                layouts.count = 0
            window._take_frame(replace(frame, event=event, time=5 + event / 1000, running=True, playing=True))
            for _ in range(3):
                QApplication.processEvents()
        assert layouts.count == 0


# The history bar.


def test_the_history_bar_is_painted_again_where_it_looks_otherwise(qtbot: QtBot, frames: list[Frame]) -> None:
    bar = on_screen(qtbot, HistoryBar(load_theme("light")), 500, 22)
    frame = frames[0]
    bar.set_frame(frame)
    QApplication.processEvents()
    paints = Counted(bar)
    bar.set_frame(replace(frame))
    QApplication.processEvents()
    assert paints.count == 0
    bar.set_frame(replace(frame, event=frame.event // 2))
    QApplication.processEvents()
    assert paints.count == 1
    assert np.array_equal(on_glass(bar), pixels(bar))
