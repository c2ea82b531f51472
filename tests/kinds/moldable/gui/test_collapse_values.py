"""The values of the panel of the collapse: the plane, the fluid path, shares, the trail."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from slotscope.gui.kinds.moldable.collapse_painting import lines_of
from slotscope.gui.kinds.moldable.collapse_stage import clipped
from slotscope.gui.kinds.moldable.collapse_trail import SPOT, Raster, Trail, Visited, raster, recent
from slotscope.gui.kinds.moldable.collapse_values import (
    bin_edges,
    fluid_at,
    fluid_of,
    nearness,
    path_text,
    share_above,
    share_at,
    spent,
    tiles,
)
from slotscope.model.kinds.moldable.programs.bounds import all_bounds
from slotscope.model.kinds.moldable.sampling import EVENT_COLUMN, PAIR, TIME_COLUMN, columns
from slotscope.model.kinds.moldable.state import BELOW, DISTANCE
from slotscope.model.reporting.frame import Frame
from tests.kinds.moldable.gui.test_collapse import plane
from tests.runs import ran


@pytest.fixture(scope="module")
def frame() -> Frame:
    return ran("moldable-classroom", events=1500, kernel=True).frame()


@pytest.fixture(scope="module")
def large() -> Frame:
    return ran("moldable-sublinear", kernel=True, events=30_000).frame()


@pytest.fixture(scope="module")
def classes() -> Frame:
    return ran("moldable-classes", events=3000, kernel=True).frame()


# -- the plane -------------------------------------------------------------------------------------


def test_the_plane_is_that_of_the_optimum(large: Frame) -> None:
    found = plane(large)
    assert found.widths == (3, 4) and found.least == 3 and found.servers == 4000
    assert found.target == pytest.approx((0.2, 0.1))
    assert found.busy(found.target) == pytest.approx(1) == found.limit
    assert found.rate(found.target) == pytest.approx(0.8) == found.load
    assert found.corners == pytest.approx((1 / 3, 1 / 4))
    assert found.room == pytest.approx(0.2)
    assert found.proved == pytest.approx(0.2 / (2 * np.sqrt(4000)))


def test_with_a_large_alpha_delta_is_half_of_what_is_left() -> None:
    linear = plane(ran("moldable-linear", events=50).frame())
    assert linear.room == pytest.approx(0.1 / np.sqrt(4000))
    assert linear.proved == pytest.approx(linear.room / 2)
    assert linear.widths == (4, 5) and linear.target[0] == 0


def test_classes_have_triangles_of_their_own(classes: Frame) -> None:
    rules = classes.info.facts.rules
    for j in range(3):
        found = plane(classes, j)
        assert found.limit == (rules.pool_end[j] - rules.pool_first[j]) / 3000
        assert found.own and found.name == classes.info.numbers.class_names[j]
        assert found.busy(found.target) == pytest.approx(found.limit, abs=1 / 3000)
    assert [plane(classes, j).widths for j in range(3)] == [(7, 8), (5, 6), (3, 4)]


def test_the_fluid_path_is_the_integrated_one_once_it_is_known(large: Frame) -> None:
    found = plane(large)
    bounds = next(iter(all_bounds(large.info.scenario)))
    closed, integrated = fluid_of(found, None), fluid_of(found, bounds)
    assert integrated[0] is bounds.classes[0].fluid_times
    np.testing.assert_allclose(integrated[1], bounds.classes[0].fluid)
    for time in (0.0, 0.1, 0.5, 2.0):
        assert fluid_at(closed, time) == pytest.approx(fluid_at(integrated, time), abs=1e-4)
    assert fluid_at(closed, 0.0) == (0, 0)
    assert fluid_at(closed, 100.0) == pytest.approx(found.target, abs=1e-3)


def test_the_run_follows_the_fluid_path(large: Frame) -> None:
    found = plane(large)
    path, samples = fluid_of(found, None), large.samples
    first = int(columns(PAIR, 1)[0])
    for row in samples[2000::4000]:
        point = fluid_at(path, row[TIME_COLUMN])
        assert row[first] / 4000 == pytest.approx(point[0], abs=0.03)
        assert row[first + 1] / 4000 == pytest.approx(point[1], abs=0.03)


def test_shares_of_the_time_are_those_of_the_trail(frame: Frame) -> None:
    found, samples = plane(frame), frame.samples
    first = int(columns(PAIR, 1)[0])
    spans = np.diff(samples[:, TIME_COLUMN])
    jobs = samples[:-1, first : first + 2]
    shares = spent(found, frame)
    assert shares.sum() == pytest.approx(1)
    for place in ((4, 8), (3, 8), (6, 5)):
        there = spans[(jobs == place).all(axis=1)].sum() / spans.sum()
        assert there > 0.001
        assert shares[place] == pytest.approx(there, rel=0.02)
        point = place[0] / 20, place[1] / 20
        assert share_at(found, frame, point) == shares[place]
    rates = jobs @ np.array(found.factors) / 20
    for delta in (0.0, 0.06, 0.2):
        above = spans[rates > 0.8 + delta + 1e-9].sum() / spans.sum()
        assert share_above(found, frame, delta) == pytest.approx(above, abs=0.01)


def test_the_middle_of_a_bin_is_its_number_of_jobs(frame: Frame, large: Frame) -> None:
    edges = bin_edges(plane(frame), frame.info)
    assert edges[0][4] < 4 / 20 < edges[0][5]
    assert (edges[0][4] + edges[0][5]) / 2 == pytest.approx(4 / 20)
    wide = bin_edges(plane(large), large.info)
    assert np.diff(wide[0]) == pytest.approx(8 / 4000)
    assert wide[0][0] < 0.2 < wide[0][-1] and wide[1][0] < 0.1 < wide[1][-1]


def test_away_from_the_bins_no_share_is_told() -> None:
    greedy = ran("moldable-sublinear", "greedy", events=4000, kernel=True).frame()
    assert share_above(plane(greedy), greedy, 0.1) is None
    assert path_text(plane(greedy), greedy.info) == "fluid path of greedy(p*)"


def test_lemma_2_is_measured(large: Frame) -> None:
    found = nearness(plane(large), large)
    state = large.state
    assert (found.below, found.most_below) == tuple(state.below[:, 0].tolist())
    assert found.below == state.jobs[0, 1:3].sum()
    assert found.most_below > 1
    elapsed = large.time - state.class_since[0]
    area = state.level_area[0, BELOW] + state.level[0, BELOW] * elapsed
    assert found.share_below == pytest.approx(area / large.time)
    assert 0.3 < found.share_below < 1
    assert found.beside == state.jobs[0].sum() - state.jobs[0, 3:5].sum()
    assert found.distance == pytest.approx(np.abs(state.jobs[0] / 4000 - large.info.numbers.target[0] / 4000).sum())
    assert found.distance == pytest.approx(state.level[0, DISTANCE] / 4000)
    told = {tile.caption: tile for tile in tiles(plane(large), found, 0.25, ours=True)}
    lemma = told["of the time > 1 (Lemma 2: 0)"]
    assert lemma.role == "rejection" and lemma.value.endswith("%")
    assert told[f"jobs below i₁ = 3 (most: {found.most_below})"].value == str(found.below)
    assert told["of the time r > λ + δ"].value == "25\u202f%"


def test_lemma_2_is_not_about_other_policies() -> None:
    fixed = ran("moldable-sublinear", "fixed-width:servers=2", events=4000, kernel=True).frame()
    found = nearness(plane(fixed), fixed)
    assert found.below == found.beside == fixed.state.jobs[0].sum()
    told = {tile.caption: tile for tile in tiles(plane(fixed), found, None, ours=False)}
    assert told["of the time > 1 of them"].role == "run"
    assert not any("Lemma" in caption + tile.tip for caption, tile in told.items())


def test_where_i1_is_one_there_is_nothing_below(frame: Frame) -> None:
    found = nearness(plane(frame), frame)
    captions = [tile.caption for tile in tiles(plane(frame), found, None, ours=True)]
    assert len(captions) == 3 and not any("Lemma" in text for text in captions)


def test_other_sizes_have_another_fluid_path(classes: Frame, frame: Frame) -> None:
    assert path_text(plane(frame), frame.info) == "fluid path"
    assert path_text(plane(classes), classes.info) == "fluid path, exponential sizes"


def test_half_planes_clip_a_triangle() -> None:
    triangle = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)]
    assert clipped(triangle, (1.0, 1.0), 2.0) == triangle
    assert not clipped(triangle, (1.0, 1.0), -1.0)
    corners = clipped(triangle, (2.0, 1.0), 1.0)
    assert set(corners) == {(0.0, 0.0), (0.5, 0.0), (0.0, 1.0)}


def test_lines_are_where_the_paper_has_them(large: Frame) -> None:
    full, edge, load = lines_of(plane(large), 0.05)
    assert (full.factors, full.level, full.role) == ((3.0, 4.0), 1.0, "rejection")
    assert edge.factors == load.factors == (2.5, 3.0)
    assert (edge.level, load.level) == (pytest.approx(0.85), pytest.approx(0.8))
    assert len(list(lines_of(plane(large), 0.0))) == 2


# -- the trail -----------------------------------------------------------------------------------


def test_the_trail_is_read_once(frame: Frame) -> None:
    trail = Trail(0)
    assert trail.count(5.0) == 0 and not len(trail.points(0, 0)[0])
    assert trail.update(frame)
    assert not trail.update(frame)
    assert trail.count(frame.time) == len(frame.samples)
    x, y = trail.points(0, 10_000)
    first = int(columns(PAIR, 1)[0])
    np.testing.assert_array_equal(x * 20, frame.samples[:, first])
    np.testing.assert_array_equal(y * 20, frame.samples[:, first + 1])
    assert trail.event_at(700) == frame.samples[700, EVENT_COLUMN]


def test_visited_places_are_marked_once_and_taken_back(frame: Frame) -> None:
    trail, visited = Trail(0), Visited()
    trail.update(frame)
    right, up = Raster(-0.025, 0.05, 21), Raster(-0.025, 0.05, 11)
    for count in (100, 400, 1200, 300):
        visited.show(trail, count, right, up, 7)
        x, y = trail.points(0, count)
        places = {(round(20 * b), round(20 * a)) for a, b in zip(x, y, strict=True)}
        assert {(10 - row, column) for row, column in np.argwhere(visited.pixels)} == places
        assert set(np.unique(visited.pixels)) <= {0, 7}
    visited.forget()
    visited.show(trail, 1, right, up, 7)
    assert np.argwhere(visited.pixels).tolist() == [[10, 0]]


def test_places_are_whole_numbers_of_jobs_where_jobs_are_small() -> None:
    for pixels in (300.0, 517.0, 900.0, 1500.0):
        found = raster(0.15, 0.25, pixels, 4000)
        jobs = found.step * 4000
        assert jobs == pytest.approx(round(jobs)) and found.step * pixels / 0.1 >= SPOT * 0.999
        assert found.start <= 0.15 and found.end >= 0.25
        every = found.places(np.arange(600, 1001) / 4000)
        assert set(every.tolist()) >= set(range(1, found.count - 1))
    few = raster(0.0, 1.0, 400.0, 20)
    assert few.step * 400 == pytest.approx(SPOT) and few.count == 200


def test_rows_tell_the_latest_path(frame: Frame) -> None:
    first, second = (values.tolist() for values in recent(frame, (1, 2), 0))
    sampled = frame.samples[-len(first) :, int(columns(PAIR, 1)[0]) :]
    assert first == sampled[:, 0].tolist()
    assert second == sampled[:, 1].tolist()
    assert recent(frame, (4, 5), 0)[0].tolist() == [0] * len(first)


def test_far_samples_are_no_line(frame: Frame) -> None:
    trail = Trail(0)
    trail.update(frame)
    assert trail.is_line(20)
    thinned = replace(frame, samples=frame.samples[::64].copy())
    trail.update(thinned)
    assert not trail.is_line(20) and trail.is_line(4000)
