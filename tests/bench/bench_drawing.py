"""CPU time per frame of the window's drawing, compared with more obvious ways to draw the same.

Run with ``QT_QPA_PLATFORM=offscreen python -m tests.bench.bench_drawing``.  All contestants
of a row are measured in turn, round by round, so that other load on the machine affects them equally;
the medians of CPU time are printed, and their ratios to the first contestant.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import time
from typing import Callable

if sys.platform == "linux" and not os.environ.get("DISPLAY"):
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QBrush, QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QApplication,
    QGraphicsItem,
    QGraphicsScene,
    QGraphicsView,
    QStyleOptionGraphicsItem,
    QWidget,
)

from slotscope.gui.kinds.reservation.servers_grid_view import GridLayout, GridRaster, GridWishes, fitting_grid
from slotscope.gui.kinds.reservation.servers_shapes import GridServers
from slotscope.gui.painting.textures import raster_palette
from slotscope.gui.plotting.time_plot import PlotText, TimePlot
from slotscope.gui.theme import apply, fonts, load_theme

WIDTH, HEIGHT = 1600, 900
CHANGES_PER_FRAME = 200
CURVES = 8
POINTS_PER_FRAME = 500
MOST_FRAMES = 200
Frame = Callable[[], None]


class System:
    """Servers whose placements change at random, with the configurations of the example of Section 7.1."""

    weight = np.array([0.025, 0.1, 0.1, 1.0])

    def __init__(self, count: int, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.slots = np.tile(np.array([12, 3, 8, 0]), (count, 1))
        self.slots[::3] = [0, 0, 0, 1]
        self.jobs = self.rng.integers(0, self.slots + 1)
        self.group = (np.arange(count) % 20 == 0).astype(np.int64)
        self.layout = fitting_grid(GridWishes((count,), HEIGHT, 1), WIDTH, HEIGHT)

    def change(self, count: int) -> GridServers:
        """Let the placements of *count* servers change."""
        some = self.rng.integers(0, len(self.slots), count)
        self.jobs[some] = self.rng.integers(0, self.slots[some] + 1)
        return GridServers(self.slots, self.jobs.copy(), self.group, self.weight)

    def change_all(self) -> GridServers:
        """Let every server change."""
        self.jobs = np.where(self.jobs > 0, self.jobs - 1, self.slots)
        self.group = 1 - self.group
        return GridServers(self.slots, self.jobs.copy(), self.group, self.weight)


class Rastered(QWidget):
    """All servers as sprites, in one widget."""

    def __init__(self, layout: GridLayout) -> None:
        super().__init__()
        self.layout_of_servers, self.raster = layout, GridRaster()
        self.theme = load_theme("light")
        self.palette_of_types = raster_palette(self.theme, 4)

    def set_servers(self, servers: GridServers) -> None:
        """Show the servers at one moment."""
        self.raster.draw(self.layout_of_servers, servers, self.theme, self.palette_of_types)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.drawImage(*self.raster.origin, self.raster.image)
        painter.end()


class ServerItem(QGraphicsItem):
    """One server as an item of a scene."""

    def __init__(self, rect: tuple[int, int, int, int], brushes: list[QBrush]) -> None:
        super().__init__()
        self.setPos(rect[0], rect[1])
        self.box = QRectF(0, 0, rect[2], rect[3])
        self.brushes = brushes
        self.shares: list[float] = []

    def boundingRect(self) -> QRectF:
        return self.box

    def paint(self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None) -> None:
        painter.fillRect(self.box, self.brushes[-1])
        bottom = self.box.height()
        for share, brush in zip(self.shares, self.brushes, strict=False):
            height = share * self.box.height()
            painter.fillRect(QRectF(0, bottom - height, self.box.width(), height), brush)
            bottom -= height


class Scene(QGraphicsView):
    """One item per server."""

    def __init__(self, layout: GridLayout) -> None:
        self.kept = scene = QGraphicsScene(0, 0, WIDTH, HEIGHT)
        super().__init__(scene)
        theme = load_theme("light")
        brushes = [QBrush(QColor(color)) for color in (*theme.types[:4], theme.empty)]
        places = [layout.corner(0, server) for server in range(layout.wishes.counts[0])]
        self.items_of_servers = [ServerItem((*place, *layout.cell.server), brushes) for place in places]
        for item in self.items_of_servers:
            scene.addItem(item)

    def set_servers(self, servers: GridServers) -> None:
        full = np.maximum(1.0, (servers.slots * servers.weight).sum(axis=1))
        shares = (servers.jobs * servers.weight / full[:, None]).tolist()
        for item, share in zip(self.items_of_servers, shares, strict=True):
            if share != item.shares:
                item.shares = share
                item.update()


def measure(frames: dict[str, Frame], rounds: int, warm_up: int = 3) -> dict[str, float]:
    """Median CPU milliseconds of a frame of each contestant, taken in turn."""
    spent: dict[str, list[float]] = {name: [] for name in frames}
    for turn in range(rounds + warm_up):
        for name, frame in frames.items():
            start = time.process_time()
            frame()
            # Painting can request more painting, which belongs to the same frame.
            for _ in range(3):
                QApplication.processEvents()
            if turn >= warm_up:
                spent[name].append(time.process_time() - start)
    return {name: 1000 * float(np.median(times)) for name, times in spent.items()}


def report(title: str, results: dict[str, float]) -> None:
    """Print one row."""
    base = next(iter(results.values()))
    print(title)
    for name, milliseconds in results.items():
        print(f"    {name:44} {milliseconds:8.2f} ms   x {milliseconds / base:6.1f}")


def shown(widget: QWidget) -> None:
    """Show *widget* at the size of the measurement, and let it settle."""
    widget.resize(WIDTH, HEIGHT)
    widget.show()
    QApplication.processEvents()


def bench_servers(count: int, rounds: int) -> None:
    """A raster, compared with painting every server anew."""
    full, partly, scene = (System(count, seed) for seed in range(3))
    raster, changed = Rastered(full.layout), Rastered(partly.layout)
    view = Scene(scene.layout)
    for widget in (raster, changed, view):
        shown(widget)
    frames: dict[str, Frame] = {
        "raster, all servers": lambda: raster.set_servers(full.change_all()),
        "raster, only what changed": lambda: changed.set_servers(partly.change(min(CHANGES_PER_FRAME, count // 10))),
        "one QGraphicsItem per server": lambda: view.set_servers(scene.change_all()),
    }
    report(f"{count} servers", measure(frames, rounds))


def walk(points: int, seed: int) -> npt.NDArray[np.float64]:
    """A noisy series that stays near *seed*."""
    return seed + np.random.default_rng(seed).normal(size=points) * 0.1


def bench_curves(points: int, rounds: int) -> None:
    """Pyramids, compared with pyqtgraph's own methods; every frame adds points."""
    pyramids = pyramid_frame(points)
    frames: dict[str, Frame] = {
        "pyramid and stepped ranges": pyramids,
        "PlotDataItem as it comes": item_frame(points, reduced=False),
        "PlotDataItem, downsample and clip": item_frame(points, reduced=True),
    }
    report(f"{CURVES} curves of {points} points", measure(frames, rounds))


def pyramid_frame(points: int) -> Frame:
    """A frame of a plot of this program."""
    plot = TimePlot(load_theme("light"), fonts(), PlotText("time", "value"))
    series = [plot.add_curve(str(k), k, label=f"type {k}") for k in range(CURVES)]
    fresh = [walk(POINTS_PER_FRAME, k) for k in range(CURVES)]
    for k, pyramid in enumerate(series):
        pyramid.append(np.arange(points), walk(points, k))
    shown(plot)

    def frame() -> None:
        for k, pyramid in enumerate(series):
            x = np.arange(len(pyramid), len(pyramid) + POINTS_PER_FRAME)
            pyramid.append(x, fresh[k])
        plot.refresh()

    return frame


def item_frame(points: int, *, reduced: bool) -> Frame:
    """A frame of a plot of pyqtgraph with its usual items."""
    plot = pg.PlotWidget()
    room = points + MOST_FRAMES * POINTS_PER_FRAME
    x, y = np.arange(room), [walk(room, k) for k in range(CURVES)]
    items = [plot.plot(x[:points], y[k][:points], pen=pg.intColor(k)) for k in range(CURVES)]
    sizes = itertools.count(points + POINTS_PER_FRAME, POINTS_PER_FRAME)
    if reduced:
        for item in items:
            item.setDownsampling(auto=True, method="peak")
            item.setClipToView(True)
    shown(plot)

    def frame() -> None:
        size = next(sizes)
        for k, item in enumerate(items):
            item.setData(x[:size], y[k][:size])

    # The widget must live as long as its frame function.
    frame.plot = plot  # type: ignore[attr-defined]
    return frame


def main() -> None:
    """Measure everything and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=25, help="at most 100")
    parser.add_argument("--quick", action="store_true", help="few rounds, no large contestants")
    arguments = parser.parse_args()
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    apply(app, load_theme("light"))
    rounds = 3 if arguments.quick else min(arguments.rounds, 100)
    for count in (180, 1000) if arguments.quick else (180, 1000, 10_000):
        bench_servers(count, rounds)
    for points in (10_000,) if arguments.quick else (10_000, 1_000_000):
        bench_curves(points, max(3, rounds // 2))


if __name__ == "__main__":
    main()
