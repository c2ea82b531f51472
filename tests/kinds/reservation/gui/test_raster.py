"""Rasters of servers: geometry, hit tests, pixels; compiled kernel against QPainter."""

from __future__ import annotations

import os
import sys
from typing import Iterator

if sys.platform == "linux" and not os.environ.get("DISPLAY"):
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QObject, QPointF, QRect
from PySide6.QtGui import QColor, QImage, QPaintEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from slotscope.gui.kinds.reservation.servers_painted import GridHit, PaintedServers, layout_grid
from slotscope.gui.kinds.reservation.servers_raster import ServerRaster
from slotscope.gui.kinds.reservation.servers_raster_view import ServerView
from slotscope.gui.painting import kernel
from slotscope.gui.painting.colour import argb
from slotscope.gui.painting.textures import RasterPalette, raster_palette
from slotscope.gui.theme import load_theme

WIDTH, HEIGHT = 220, 160
LIGHT = load_theme("light")


@pytest.fixture(scope="module", autouse=True)
def compiled_kernel() -> None:
    """Compile once, so that the time of compiling is not part of any example's deadline."""
    kernel.activate()


@pytest.fixture
def without_kernel(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setattr(kernel, "_twin", [])
        yield


def make(
    slots: list[list[int]],
    jobs: list[list[int]],
    group: list[int] | None = None,
    size: tuple[int, int] = (WIDTH, HEIGHT),
    weight: list[float] | None = None,
) -> PaintedServers:
    count, types = len(slots), len(slots[0])
    return PaintedServers(
        layout_grid(count, *size),
        np.array(slots),
        np.array(jobs),
        np.array(group or [0] * count),
        np.array(weight or [1 / (j + 2) for j in range(types)]),
    )


@st.composite
def server_sets(draw: st.DrawFn) -> PaintedServers:
    count = draw(st.integers(1, 12))
    types = draw(st.integers(1, 3))
    rows = st.lists(st.integers(0, 9), min_size=types, max_size=types)
    slots = draw(st.lists(rows, min_size=count, max_size=count))
    jobs = [[draw(st.integers(0, n)) for n in row] for row in slots]
    group = draw(st.lists(st.integers(0, 2), min_size=count, max_size=count))
    weight = draw(st.lists(st.floats(0.01, 1), min_size=types, max_size=types))
    size = draw(st.integers(3, WIDTH)), draw(st.integers(3, HEIGHT))
    return make(slots, jobs, group, size, weight)


def palette(types: int, ratio: float = 1.0) -> RasterPalette:
    return raster_palette(LIGHT, types, ratio)


def pixels(image: QImage) -> npt.NDArray[np.uint32]:
    view = np.frombuffer(image.constBits(), dtype=np.uint32)
    return view.reshape(image.height(), image.bytesPerLine() // 4)[:, : image.width()].copy()


def drawn(servers: PaintedServers, ratio: float = 1.0) -> npt.NDArray[np.uint32]:
    raster = ServerRaster(WIDTH, HEIGHT, palette(servers.weight.size, ratio))
    raster.draw(servers)
    return pixels(raster.image)


# -- geometry --------------------------------------------------------------------------------


@given(st.integers(0, 3000), st.integers(1, 2000), st.integers(1, 1200), st.floats(0.2, 3))
def test_grid_cells_are_disjoint_and_inside(count: int, width: int, height: int, aspect: float) -> None:
    rects = layout_grid(count, width, height, aspect)
    assert rects.shape == (count, 4)
    x, y, w, h = rects[(rects[:, 2:] > 0).all(axis=1)].T
    assert (x >= 0).all()
    assert (y >= 0).all()
    assert (x + w <= width).all()
    assert (y + h <= height).all()
    covered = np.zeros((height + 1, width + 1), dtype=np.int64)
    for ys, xs, sign in ((y, x, 1), (y + h, x, -1), (y, x + w, -1), (y + h, x + w, 1)):
        np.add.at(covered, (ys, xs), sign)
    assert covered.cumsum(axis=0).cumsum(axis=1).max(initial=0) <= 1


def test_a_grid_uses_the_room() -> None:
    for count in (5, 180, 1000, 10_000):
        rects = layout_grid(count, 1600, 900)
        assert rects[:, 2:].prod(axis=1).sum() > 0.6 * 1600 * 900


@given(server_sets(), st.sampled_from([1, 2]))
def test_slots_are_disjoint_and_inside_their_server(servers: PaintedServers, scale: int) -> None:
    for server in range(len(servers.rects)):
        x, y, width, height = servers.inner_box(server, scale)
        seen = np.zeros((HEIGHT, WIDTH), dtype=np.int64)
        for job_type, slots in enumerate(servers.configuration[server].tolist()):
            for slot in range(slots):
                box = servers.slot_box(server, job_type, slot, scale)
                assert (box is None) == (not servers.shows_slots(server, scale))
                if box is not None:
                    assert x <= box[0]
                    assert y <= box[1]
                    assert box[0] + box[2] <= x + width
                    assert box[1] + box[3] <= y + height
                    assert min(box[2:]) >= kernel.PITCH * scale
                    seen[box[1] : box[1] + box[3], box[0] : box[0] + box[2]] += 1
        assert seen.max() <= 1


@given(server_sets(), st.sampled_from([1, 2]))
def test_hit_is_the_inverse_of_slot_box(servers: PaintedServers, scale: int) -> None:
    for server in range(len(servers.rects)):
        for job_type, slots in enumerate(servers.configuration[server].tolist()):
            for slot in range(slots):
                box = servers.slot_box(server, job_type, slot, scale)
                if box is None:
                    continue
                right, bottom = box[0] + box[2] - 1, box[1] + box[3] - 1
                for point in ((box[0], box[1]), (right, bottom), (right, box[1])):
                    assert servers.hit(*point, scale) == GridHit(server, job_type, slot)


@given(server_sets(), st.integers(0, WIDTH - 1), st.integers(0, HEIGHT - 1))
def test_a_hit_names_what_is_there(servers: PaintedServers, x: int, y: int) -> None:
    left, top, width, height = servers.rects.T
    under = np.flatnonzero((left <= x) & (x < left + width) & (top <= y) & (y < top + height))
    hit = servers.hit(x, y)
    assert ([] if hit is None else [hit.server]) == under.tolist()
    if hit is None or hit.slot is None:
        return
    assert hit.job_type is not None
    box = servers.slot_box(hit.server, hit.job_type, hit.slot)
    assert box is not None
    assert box[0] <= x < box[0] + box[2]
    assert box[1] <= y < box[1] + box[3]


def test_heights_follow_weights() -> None:
    servers = make([[2, 2]], [[0, 0]], weight=[0.1, 0.4], size=(60, 150))
    small, large = servers.slot_box(0, 0, 0), servers.slot_box(0, 1, 0)
    assert small is not None
    assert large is not None
    assert large[3] / small[3] == pytest.approx(4, rel=0.1)


def test_outside_of_slots_a_hit_names_the_server_alone() -> None:
    servers = make([[1]], [[0]], weight=[0.25], size=(80, 120))
    x, y, _, _ = servers.rects[0].tolist()
    assert servers.hit(x, y) == GridHit(0, None, None)
    assert servers.hit(x + 20, y + 10) == GridHit(0, None, None)
    assert servers.hit(-1, 5) is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"placement": np.zeros((1, 2))}, "placement has the shape"),
        ({"weight": np.zeros(1)}, "must be positive"),
        ({"capacity": 0.0}, "must be positive"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(change: dict[str, object], message: str) -> None:
    arrays: dict[str, object] = {
        "rects": layout_grid(1, 10, 10),
        "configuration": np.ones((1, 1)),
        "placement": np.ones((1, 1)),
        "group": np.zeros(1),
        "weight": np.ones(1),
    }
    PaintedServers(**arrays)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=message):
        PaintedServers(**(arrays | change))  # type: ignore[arg-type]


# -- pixels ----------------------------------------------------------------------------------


def test_filled_and_empty_slots_have_their_types_colour() -> None:
    servers = make([[2, 1]], [[1, 1]], weight=[0.3, 0.3], size=(60, 120))
    picture = drawn(servers)

    def middle(job_type: int, slot: int) -> tuple[int, int]:
        box = servers.slot_box(0, job_type, slot)
        assert box is not None
        return box[1] + box[3] // 2, box[0] + box[2] // 2

    assert picture[middle(0, 0)] == argb(LIGHT.types[0])
    assert picture[middle(0, 1)] == argb(LIGHT.panel)
    row, column = middle(1, 0)
    textured = picture[row : row + 4, column : column + 4]
    assert argb(LIGHT.types[1]) in textured
    assert len(np.unique(textured)) == 2
    box = servers.slot_box(0, 0, 1)
    assert box is not None
    assert picture[box[1] + box[3] - 1, box[0] + 3] == argb(LIGHT.types[0])


def test_the_reject_group_is_framed_and_its_empty_slots_hatched() -> None:
    servers = make([[1], [1], [1]], [[0], [0], [0]], [0, 1, 2], weight=[0.8], size=(180, 100))
    picture = drawn(servers)
    corners = [picture[rect[1], rect[0]] for rect in servers.rects.tolist()]
    assert corners == [argb(LIGHT.empty), argb(LIGHT.reject_group), argb(LIGHT.grid)]
    for server, hatched in ((0, False), (1, True), (2, False)):
        box = servers.slot_box(server, 0, 0)
        assert box is not None
        inside = picture[box[1] + 4 : box[1] + box[3] - 4, box[0] + 4 : box[0] + box[2] - 4]
        assert (argb(LIGHT.reserved) in inside) == hatched


def test_tiny_servers_show_shares() -> None:
    servers = PaintedServers(
        np.array([[10, 10, 8, 42]]), np.array([[10, 10]]), np.array([[10, 0]]), np.array([0]), np.array([0.05, 0.05])
    )
    assert not servers.shows_slots(0)
    column = drawn(servers)[11:51, 14]
    assert (column[20:] == argb(LIGHT.types[0])).all()
    assert (column[:20] == argb(LIGHT.empty)).all()
    assert servers.hit(14, 45) == GridHit(0, 0, None)
    assert servers.hit(14, 15) == GridHit(0, None, None)


def test_the_smallest_servers_still_show_their_group() -> None:
    servers = make([[1]] * 600, [[1]] * 600, [1] * 300 + [0] * 300, size=(100, 80))
    assert servers.rects[0, 2:].min() < kernel.FRAME_FROM
    picture = drawn(servers)
    marked = [picture[y, x] == argb(LIGHT.reject_group) for x, y, _, _ in servers.rects.tolist()]
    assert marked == [True] * 300 + [False] * 300


@pytest.mark.parametrize("ratio", [1.0, 2.0])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(servers=server_sets())
def test_kernel_and_painter_give_the_same_pixels(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch, ratio: float, servers: PaintedServers
) -> None:
    compiled = drawn(servers, ratio)
    with monkeypatch.context() as patch:
        patch.setattr(kernel, "_twin", [])
        painted = drawn(servers, ratio)
    np.testing.assert_array_equal(compiled, painted)


@pytest.mark.parametrize("with_kernel", [True, False])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_drawing_changes_is_like_drawing_all(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch, with_kernel: bool, data: st.DataObject
) -> None:
    first = data.draw(server_sets())
    count = len(first.rects)
    order = data.draw(st.permutations(range(count)))
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=count, max_size=count)))
    placement = np.where(kept[:, None], first.placement, 0)
    group = np.where(kept, first.group, 1)
    second = PaintedServers(first.rects[order], first.configuration, placement, group, first.weight)
    with monkeypatch.context() as patch:
        if not with_kernel:
            patch.setattr(kernel, "_twin", [])
        raster = ServerRaster(WIDTH, HEIGHT, palette(first.weight.size))
        assert raster.draw(first).tolist() == list(range(count))
        changed = set(raster.draw(second).tolist())
        again = raster.draw(second)
    same = (
        (second.rects == first.rects).all(axis=1)
        & (second.placement == first.placement).all(axis=1)
        & (second.group == first.group)
    )
    assert changed == set(np.flatnonzero(~same).tolist())
    assert len(again) == 0
    np.testing.assert_array_equal(pixels(raster.image), drawn(second))


def test_the_callers_arrays_may_change_in_place() -> None:
    servers = make([[4]] * 3, [[0]] * 3)
    raster = ServerRaster(WIDTH, HEIGHT, palette(1))
    raster.draw(servers)
    servers.placement[1] = 3
    assert raster.draw(servers).tolist() == [1]


def test_another_number_of_servers_starts_a_new_picture() -> None:
    raster = ServerRaster(WIDTH, HEIGHT, palette(1))
    raster.draw(make([[4]] * 9, [[4]] * 9))
    few = make([[4]] * 2, [[4]] * 2)
    assert len(raster.draw(few)) == 2
    np.testing.assert_array_equal(pixels(raster.image), drawn(few))


def test_servers_beyond_the_edge_are_cut_off() -> None:
    servers = make([[4]] * 4, [[2]] * 4, size=(4 * WIDTH, 4 * HEIGHT))
    moved = PaintedServers(
        servers.rects - 100, *(getattr(servers, name) for name in ("configuration", "placement", "group", "weight"))
    )
    picture = drawn(moved)
    assert argb(LIGHT.types[0]) in picture


# -- the widget ------------------------------------------------------------------------------


@pytest.fixture
def view(qtbot: QtBot) -> ServerView:
    widget = ServerView(LIGHT, 2)
    qtbot.addWidget(widget)
    widget.resize(300, 200)
    widget.show()
    return widget


def shown(view: ServerView, ratio: float = 0.0) -> PaintedServers:
    servers = make([[3, 2]] * 4, [[2, 1]] * 4, [0, 1, 0, 2], size=view.device_size())
    view.set_servers(servers)
    return servers


def test_the_widget_shows_the_raster(view: ServerView) -> None:
    servers = shown(view)
    image = view.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    raster = ServerRaster(*view.device_size(), palette(2))
    raster.draw(servers)
    np.testing.assert_array_equal(pixels(image), pixels(raster.image))


def test_the_widget_draws_before_the_kernel_is_there(qtbot: QtBot, without_kernel: None, view: ServerView) -> None:
    shown(view)
    assert len(np.unique(pixels(view.grab().toImage()))) > 5


@pytest.mark.parametrize("name", ["light", "dark"])
def test_a_theme_can_be_changed_while_shown(view: ServerView, name: str) -> None:
    shown(view)
    theme = load_theme(name)
    view.set_theme(theme)
    image = view.grab().toImage()
    colours = {image.pixelColor(x, y).name() for x in range(300) for y in range(0, 200, 3)}
    assert {theme.panel, theme.types[0], theme.types[1], theme.reject_group} <= colours


def test_a_point_of_the_widget_says_what_is_there(view: ServerView) -> None:
    servers = shown(view)
    box = servers.slot_box(1, 1, 1)
    assert box is not None
    point = QPointF(box[0] + 2, box[1] + 2)
    assert view.hit(point) == GridHit(1, 1, 1)


def test_another_size_has_room_for_another_layout(view: ServerView) -> None:
    shown(view)
    view.resize(420, 260)
    servers = shown(view)
    assert servers.rects[:, 0].max() > 200
    assert len(np.unique(pixels(view.grab().toImage()))) > 5


def test_an_overlay_paints_over_the_servers(view: ServerView) -> None:
    shown(view)
    view.set_overlay(lambda painter: painter.fillRect(10, 10, 5, 5, QColor("#ff00ff")))
    assert view.grab().toImage().pixelColor(12, 12).name() == "#ff00ff"


class PaintedRegions(QObject):
    """Remembers which rectangles a widget was asked to paint."""

    def __init__(self) -> None:
        super().__init__()
        self.rects: list[QRect] = []

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QPaintEvent):
            self.rects.append(event.region().boundingRect())
        return False


def test_few_changes_repaint_little(qtbot: QtBot, view: ServerView) -> None:
    servers = shown(view)
    qtbot.waitExposed(view)
    QApplication.processEvents()
    regions = PaintedRegions()
    view.installEventFilter(regions)
    servers.placement[2] = 0
    view.set_servers(servers)
    qtbot.waitUntil(lambda: bool(regions.rects))
    assert regions.rects == [QRect(*servers.rects[2].tolist())]
