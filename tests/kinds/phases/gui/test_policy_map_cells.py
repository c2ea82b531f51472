"""The map's cells: every configuration has one, cells do not overlap, and numbers equal the plan's."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QRectF, QSizeF

from slotscope.gui.kinds.phases.policy_map_layout import NONE, Cells, cells_of, laid_out, usual_axes
from slotscope.gui.kinds.phases.policy_map_legend import MOST_DOTS, disc_size, dot_places
from slotscope.gui.kinds.phases.policy_map_values import (
    cost_rates,
    distance,
    map_values,
    request_weights,
    scientific,
    share_text,
)
from slotscope.model.api import Session
from slotscope.model.kinds.phases.lattice import cost_rate
from slotscope.model.kinds.phases.numbers import PhaseNumbers
from slotscope.model.kinds.phases.programs.policy import AT_ONCE, NOTHING, TIMERS
from slotscope.model.reporting.frame import RunInfo
from slotscope.model.scenario.load import as_data, load_scenario, parse_scenario


def data_of(name: str) -> dict[str, Any]:
    return as_data(load_scenario(name))


def with_phases(count: int, most_jobs: int = 4) -> dict[str, Any]:
    """A scenario with a number of phases, each with a size of its own."""
    phases = [
        {"name": f"type {i}", "demand": {"cpu": i + 1}, "arrival_rate": 1, "departure_rate": 1} for i in range(count)
    ]
    data = data_of("jrs-two-phases")
    return data | {"phases": phases, "servers": data["servers"] | {"most_jobs": most_jobs}}


@cache
def info_of(name: str | int) -> RunInfo:
    data = with_phases(name) if isinstance(name, int) else data_of(name)
    return Session.open(parse_scenario(data), kernel=False).info


def whole(info: RunInfo, right: int = 0, up: int = 1) -> Cells:
    return cells_of(info.facts.plan.lattice, right, up)


# -- cells ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["jrs-two-phases", "jrs-three-phases", "jrs-fixed-sizes", 1])
def test_up_to_three_phases_have_a_cell_for_each_configuration(name: str | int) -> None:
    info = info_of(name)
    lattice = info.facts.plan.lattice
    cells = whole(info, *usual_axes(info.numbers.phases))
    assert len(cells) == len(lattice)
    assert not cells.summed
    for place, k in enumerate(lattice.configurations.tolist()):
        position = cells.position[cells.cell_of[place]].tolist()
        assert position == [*k, *[0] * (3 - len(k))]
        assert cells.places(int(cells.cell_of[place])).tolist() == [place]


def test_more_phases_are_summed() -> None:
    info = info_of(4)
    lattice = info.facts.plan.lattice
    cells = whole(info, 2, 0)
    assert cells.summed and cells.third == NONE and cells.slices == 1
    random = np.random.default_rng(1).random(len(lattice))
    sums = cells.sums(random)
    assert sums.sum() == pytest.approx(random.sum())
    for cell in range(len(cells)):
        right, up, _ = cells.position[cell]
        here = (lattice.configurations[:, 2] == right) & (lattice.configurations[:, 0] == up)
        assert sums[cell] == pytest.approx(random[here].sum())
        np.testing.assert_array_equal(cells.places(cell), np.flatnonzero(here))
    which = random > 0.9
    np.testing.assert_array_equal(cells.some(which), cells.sums(which.astype(float)) > 0)


@pytest.mark.parametrize("axes", [(0, 1), (2, 1), (1, 0)])
def test_slices_are_those_of_the_third_phase(axes: tuple[int, int]) -> None:
    cells = whole(info_of("jrs-three-phases"), *axes)
    assert {cells.right, cells.up, cells.third} == {0, 1, 2}
    assert cells.slices == 7 and cells.extents == [[7 - number, 7 - number] for number in range(7)]
    for number in range(7):
        mine = cells.position[cells.position[:, 2] == number]
        assert mine[:, :2].sum(axis=1).max() == 6 - number


def test_configurations_of_more_jobs_are_beyond_the_map() -> None:
    lattice = info_of("jrs-three-phases").facts.plan.lattice
    cells = cells_of(lattice, 0, 1, 4)
    jobs = lattice.configurations.sum(axis=1)
    assert cells.cropped and not cells.summed
    assert len(cells) == (jobs <= 4).sum()
    np.testing.assert_array_equal(cells.cell_of == len(cells), jobs > 4)
    assert cells.sums(np.ones(len(lattice))).sum() == len(cells)
    assert not cells.some(jobs > 4).any() and cells.some(jobs == 4).any()


# -- places --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["jrs-two-phases", "jrs-three-phases", "jrs-fixed-sizes", 1, 4])
@given(width=st.integers(60, 1600), height=st.integers(60, 1000), legend=st.integers(20, 400))
def test_cells_and_legend_keep_clear_of_each_other(name: str | int, width: int, height: int, legend: int) -> None:
    info = info_of(name)
    cells = whole(info, *usual_axes(info.numbers.phases))
    size = QSizeF(width, height)
    layout = laid_out(cells, size, QSizeF(legend, 0.6 * legend), 18.0, 60.0)
    if not layout.side:
        assert width < 600 or height < 450
        return
    room = QRectF(0, 0, width, height)
    assert len({(x, y) for x, y in zip(layout.left, layout.top, strict=True)}) == len(cells)
    for cell in range(len(cells)):
        box = layout.box(cell)
        assert room.contains(box)
        assert not layout.legend.intersects(box)
        assert layout.cell_at(box.center()) == cell
    steps = np.abs(layout.left[:, None] - layout.left) + np.abs(layout.top[:, None] - layout.top)
    assert steps[~np.eye(len(cells), dtype=bool)].min(initial=np.inf) >= layout.side
    assert layout.legend.isEmpty() or room.contains(layout.legend)


def test_more_room_means_larger_cells() -> None:
    cells = whole(info_of("jrs-two-phases"))
    legend = QSizeF(250, 200)
    sides = [laid_out(cells, QSizeF(w, 0.7 * w), legend, 18.0).side for w in (200, 400, 800, 1600)]
    assert sides == sorted(sides) and sides[0] < sides[-1]
    # A triangular map leaves a corner free, which the legend uses.
    tall = laid_out(cells, QSizeF(700, 560), legend, 18.0)
    assert tall.legend.top() == 0 and not tall.legend.isEmpty()
    assert tall.left.max() + tall.side > tall.legend.left()


def test_dots_stay_in_their_cell() -> None:
    for count in range(1, MOST_DOTS + 1):
        places = dot_places(count)
        assert len(set(places)) == count
        assert max(max(abs(x), abs(y)) for x, y in places) < 0.4
    sizes = [disc_size(count, 3000) for count in (10, 100, 1000, 2000, 3000)]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[2] < sizes[-1] < 1


# -- values --------------------------------------------------------------------------------------


def numbers_with(cost: dict[str, Any]) -> PhaseNumbers:
    data = data_of("jrs-two-phases") | {"cost": cost}
    numbers = Session.open(parse_scenario(data), kernel=False).info.numbers
    assert isinstance(numbers, PhaseNumbers)
    return numbers


@pytest.mark.parametrize(
    "cost",
    [
        {"law": "overrun", "budget": 0.05},
        {"law": "quadratic", "budget": 0.05},
        {"law": "table", "budget": 0.05, "rates": [{"jobs": {"L": 8}, "rate": "1/3"}, {"jobs": {"H": 5}, "rate": 2}]},
    ],
)
def test_costs_are_those_of_the_model(cost: dict[str, Any]) -> None:
    numbers = numbers_with(cost)
    rows = numbers.lattice.configurations
    expected = [float(cost_rate(numbers.model, tuple(row))) for row in rows.tolist()]
    np.testing.assert_allclose(cost_rates(numbers, rows), expected, rtol=1e-12)
    assert max(expected) > 0


def test_hard_capacities_cost_nothing() -> None:
    info = info_of("jrs-fixed-sizes")
    assert not cost_rates(info.numbers, info.facts.plan.lattice.configurations).any()


@pytest.mark.parametrize("name", ["jrs-two-phases", "jrs-burst", "jrs-three-phases"])
def test_a_map_shows_the_plan(name: str) -> None:
    info = info_of(name)
    plan = info.facts.plan.pools[0]
    cells = whole(info)
    costs = cost_rates(info.numbers, info.facts.plan.lattice.configurations)
    values = map_values(info.facts, cells, costs, 0)
    np.testing.assert_array_equal(values.case[cells.cell_of], plan.case)
    np.testing.assert_allclose(values.stationary[cells.cell_of], plan.stationary)
    np.testing.assert_array_equal(values.overruns[cells.cell_of], costs > 0)
    assert {TIMERS, AT_ONCE, NOTHING} == set(values.case.tolist())
    assert (values.stationary[values.case != TIMERS] == 0).all()
    assert cells.position[values.patch].tolist()[: len(plan.patch)] == plan.patch.tolist()
    assert cells.position[values.empty].sum() == 0
    weights = values.weight[cells.cell_of]
    np.testing.assert_array_equal(weights > 0, (plan.rate > 0) | (plan.choice > 0))
    assert weights.max() == 1


def test_levels_of_pi_are_logarithmic() -> None:
    info = info_of("jrs-two-phases")
    values = map_values(info.facts, whole(info), np.zeros(45), 0)
    assert values.level(values.high) == 1
    assert values.level(0.0) == values.level(values.low) == 0
    middle = math.sqrt(values.low * values.high)
    assert values.level(middle) == pytest.approx(0.5)
    single = info_of("jrs-fixed-sizes")
    one = map_values(single.facts, whole(single), np.zeros(29), 0)
    assert one.low == one.high == pytest.approx(1) and one.level(1.0) == 1
    given = Session.open("tests/golden/phases/03_token_limit_virtual.json", kernel=False).info
    unknown = map_values(given.facts, whole(given), np.zeros(10), 0)
    assert math.isnan(unknown.high) and unknown.level(0.0) == 1


def test_without_the_patch_nothing_is_asked_for_at_0() -> None:
    info = Session.open("jrs-two-phases", "jrs:patch=false", kernel=False).info
    values = map_values(info.facts, whole(info), np.zeros(45), 0)
    assert values.patch == NONE


def test_a_given_policy_without_u_has_arrows_by_rates() -> None:
    info = info_of("jrs-two-phases")
    pool = info.facts.plan.pools[0]
    bare = type(pool)(**{**vars(pool), "requests": np.zeros_like(pool.requests)})
    weights = request_weights(bare, whole(info))
    assert ((weights > 0) == (request_weights(pool, whole(info)) > 0)).all()
    assert weights.max() == 1


# -- words ---------------------------------------------------------------------------------------


@given(st.floats(1e-300, 1e-3, exclude_max=True), st.integers(1, 4))
def test_small_numbers_are_written_with_a_power_of_ten(value: float, digits: int) -> None:
    text = scientific(value, digits)
    figures, _, power = text.rpartition("10")
    exponent = int(power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")))
    factor = float(figures.rstrip("·")) if figures else 1.0
    assert 1 <= factor < 10
    assert math.isclose(factor * 10.0**exponent, value, rel_tol=0.5 * 10.0 ** (1 - digits) + 1e-9)


def test_other_numbers_are_written_plainly() -> None:
    assert scientific(0.0) == "0"
    assert scientific(0.4901) == "0.490"
    assert scientific(-2.5e-7) == "−2.5·10⁻⁷"
    assert scientific(9.99e-8, 1) == "10⁻⁷"
    assert share_text(1e-9) == "<\u202f0.1\u202f%"
    assert share_text(0.0) == "0.0\u202f%"
    assert share_text(0.123) == "12.3\u202f%"


def test_the_distance_of_distributions() -> None:
    assert distance(np.array([1.0, 0]), np.array([0, 1.0])) == 1
    assert distance(np.array([0.5, 0.5]), np.array([0.25, 0.75])) == 0.25
    assert math.isnan(distance(np.zeros(2), np.array([0, 1.0])))
