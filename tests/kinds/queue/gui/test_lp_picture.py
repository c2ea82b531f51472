"""The plane of two job sizes: the pictures behind Section VII.A, and positions of labels."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from slotscope.gui.kinds.queue.lp_picture import (
    RegionPlane,
    SupportablePicture,
    jobs_by_size,
    picture_of,
    service_of,
    size_name,
)
from slotscope.gui.kinds.queue.lp_region import RegionPlot, load_role, named_dots
from slotscope.gui.kinds.queue.lp_scale import WantedLabel, place_labels, symbols_width
from slotscope.gui.theme import fonts, load_theme
from slotscope.model.reporting.frame import Frame
from tests.kinds.queue.gui.lp_frames import BF_UNSTABLE, VQS_UNSTABLE, frame_at


def picture(frame: Frame) -> SupportablePicture:
    found = picture_of(frame.info, frame.bounds)
    assert found is not None
    return found


# -- the picture of two sizes ----------------------------------------------------------------


def test_the_picture_behind_vqs() -> None:
    found = picture(frame_at(VQS_UNSTABLE, "vqs", 400))
    assert found.names == ("0.4", "0.6")
    assert (found.value, found.share, found.reduced_share) == (2, Fraction(7, 10), Fraction(2, 3))
    assert set(found.dots) == {(0, 0), (1, 0), (2, 0), (0, 1), (1, 1)}
    assert dict(found.reduced_names) == {(2, 0): "2e₂", (0, 1): "e₁ + e₃"}
    assert found.contents == ((0, 0), (2, 0), (0, 0), (0, 1))
    assert found.traps == ()
    assert found.most == (pytest.approx(0.02), pytest.approx(0.01))
    corners, others = named_dots(found)
    assert set(corners) == {(1, 1), (2, 0), (0, 1)}
    assert others == [(1, 0)]


def test_the_picture_behind_best_fit() -> None:
    found = picture(frame_at(BF_UNSTABLE, "bf-js", 400))
    assert found.names == ("2", "5")
    assert found.value == Fraction(10, 3)
    assert found.traps == ((2, 1),)
    assert found.contents == () and found.reduced_names == ()
    assert (2, 1) not in {*named_dots(found)[0], *named_dots(found)[1]}
    assert picture(frame_at(BF_UNSTABLE, "vqs", 400)).traps == ()


def test_max_weight_aims_at_its_own_configurations() -> None:
    frame = frame_at(BF_UNSTABLE, "max-weight", 400)
    found = picture(frame)
    rows = frame.info.facts.configurations.tolist()  # the larger size first
    assert [list(pair)[::-1] for pair in found.contents] == rows


@pytest.mark.parametrize("policy", ["vqs", "vqs-bf", "bf-js", "max-weight"])
@pytest.mark.parametrize("name", [VQS_UNSTABLE, BF_UNSTABLE])
def test_what_is_served_is_counted(name: str, policy: str) -> None:
    frame = frame_at(name, policy, 700)
    found, state = picture(frame), frame.state
    held = jobs_by_size(state, found.types, 1)
    service = service_of(found, state, held)
    on_server = state.job_size[(state.job_number >= 0) & (state.job_server == 0), 0].tolist()
    counts = tuple(on_server.count(size[0]) for size in found.types)
    assert service.held == ((counts, 1),)
    assert service.mean == counts
    assert sum(k * size[0] for k, size in zip(counts, found.types, strict=True)) == sum(on_server)
    aims = [found.contents[place] for place in state.active.tolist()] if found.contents else []
    assert service.aims == tuple((aim, 1) for aim in aims)


def test_jobs_are_counted_for_every_server_and_size() -> None:
    for name in ("queues-classroom", "queues-pools"):
        frame = frame_at(name, "bf-js", 500, 0)
        numbers, state = frame.info.numbers, frame.state
        serving = (state.job_number >= 0) & (state.job_server >= 0)
        sizes = sorted({tuple(size) for size in state.job_size[serving].tolist()}, reverse=True)
        held = jobs_by_size(state, sizes, numbers.servers)
        assert held.sum(axis=1).tolist() == state.jobs_on.tolist()
        assert (held @ np.array(sizes) == state.used).all()


def test_jobs_of_several_resources_are_counted() -> None:
    frame = frame_at("queues-two-resources", "bf-js", 500)
    state, servers = frame.state, frame.info.numbers.servers
    serving = (state.job_number >= 0) & (state.job_server >= 0)
    sizes = sorted({tuple(size) for size in state.job_size[serving].tolist()})
    held = jobs_by_size(state, sizes, servers)
    assert (held @ np.array(sizes) == state.used).all()
    assert " × " in size_name(frame.info.numbers, sizes[0])


@pytest.mark.parametrize("name", ["queues-classroom", "queues-small-jobs"])
def test_other_numbers_of_sizes_have_no_picture(name: str) -> None:
    frame = frame_at(name, "vqs", 50)
    assert picture_of(frame.info, frame.bounds) is None


def test_a_load_beyond_all_policies_is_a_warning() -> None:
    found = picture(frame_at(VQS_UNSTABLE, "vqs", 400))
    assert load_role(found) == "muted"
    assert load_role(replace(found, share=Fraction(11, 10))) == "rejection"


# -- labels and places -----------------------------------------------------------------------


@given(places=st.lists(st.tuples(st.integers(0, 300), st.integers(0, 200), st.booleans()), max_size=12))
def test_labels_never_cover_each_other(places: list[tuple[int, int, bool]]) -> None:
    area = QRectF(0, 0, 300, 200)
    wanted = [
        WantedLabel(str(number), QSizeF(60, 18), QPointF(x, y), "muted", must)
        for number, (x, y, must) in enumerate(places)
    ]
    placed = place_labels(wanted, area)
    assert all(area.contains(label.box) for label in placed)
    names = {label.text for label in placed}
    assert {want.text for want in wanted if want.must} <= names
    free = [label for label in placed if not wanted[int(label.text)].must]
    for number, label in enumerate(free):
        assert not any(label.box.intersects(other.box) for other in free[:number])


def test_the_first_label_has_the_best_place() -> None:
    area, point = QRectF(0, 0, 300, 200), QPointF(100, 100)
    first, second = place_labels([WantedLabel(text, QSizeF(60, 18), point, "muted") for text in ("a", "b")], area)
    assert first.box.left() > 100 and first.box.bottom() < 100
    assert second.box.left() > 100 and second.box.top() > 100
    (away,) = place_labels([WantedLabel("c", QSizeF(60, 18), point, "muted")], area, [first.box])
    assert not away.box.intersects(first.box)


def test_subscripts_are_smaller(qapp: QApplication) -> None:
    font = QFont(fonts().body)
    assert 0 < symbols_width("K_{RED}", font) < symbols_width("KRED", font)
    assert symbols_width("", font) == 0


def test_axes_begin_at_0_and_reach_beyond_all(qapp: QApplication) -> None:
    plane = RegionPlane(QSize(400, 300), (0.02, 0.01))
    origin, end = plane.at((0, 0)), plane.at((0.02, 0.01))
    assert origin == plane.area.bottomLeft()
    assert plane.area.contains(end)
    for axis in range(2):
        ticks = plane.ticks(axis)
        assert ticks[0][0] == 0 and len(ticks) > 1
        assert ticks[-1][0] <= plane.high[axis]
        gaps = {round(b - a, 9) for (a, _), (b, _) in pairwise(ticks)}
        assert len(gaps) == 1


def test_all_that_must_be_read_is_in_the_picture(qtbot: QtBot) -> None:
    for name, policy, texts in (
        (VQS_UNSTABLE, "vqs", {"ρ* = 2", "load = 0.700 ρ*", "K_{RED} 0.667 ρ*"}),
        (BF_UNSTABLE, "bf-js", {"ρ* = 3.333", "load = 0.918 ρ*", "trap (2, 1)"}),
    ):
        frame = frame_at(name, policy, 400)
        plot = RegionPlot(load_theme("light"))
        qtbot.addWidget(plot)
        for size in ((300, 240), (560, 400), (1200, 900)):
            plot.resize(*size)
            found = picture(frame)
            plot.set_picture(found)
            held = jobs_by_size(frame.state, found.types, found.servers)
            plot.set_service(service_of(found, frame.state, held))
            assert texts <= {label.text for label in plot.labels()}
            room = QRectF(plot.rect())
            assert all(room.contains(label.box) for label in plot.labels())
    assert "trap" in plot.tip_at(QPointF())
    assert plot.grab().toImage().width() == 1200
