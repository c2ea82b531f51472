"""rho*, Theorem 1, Proposition 1 and K_RED's region (Psychas & Ghaderi 2019)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pulp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotscope.model.kinds.queue.continuous import GridBeta, GridUniform
from slotscope.model.kinds.queue.programs import packing, supportable, theorem1
from slotscope.model.kinds.queue.programs.packing import Packer
from slotscope.model.kinds.queue.programs.partition import Partition
from slotscope.model.kinds.queue.programs.reduced import (
    GUARANTEE,
    largest_sizes,
    nominal_contents,
    queue_probabilities,
    real_contents,
    real_supportable,
    reduced_supportable,
    worst_queue,
)
from slotscope.model.kinds.queue.programs.supportable import (
    PoolOfServers,
    SupportableWorkload,
    formulate,
    pools_of,
    solver_status,
)
from slotscope.model.kinds.queue.programs.theorem1 import Refinement, partition_cells, refinements
from slotscope.model.kinds.queue.sizes import Atoms, MixedSizes, SizeDistribution
from slotscope.model.programs.configurations import Configuration, ConfigurationSpace
from slotscope.model.programs.knapsack import heaviest
from slotscope.model.programs.solver import choose_solver
from tests.model.broken_solver import Broken

SOLVER_TOLERANCE = 1e-6
#: Units of a server in the size laws of these tests.
WHOLE = 3 * 2**20 * 100
HALF = Fraction(1, 2)

probabilities = st.lists(st.integers(1, 6), min_size=1, max_size=5).map(
    lambda weights: [Fraction(weight, sum(weights)) for weight in weights]
)


@st.composite
def instances(draw: st.DrawFn) -> tuple[tuple[PoolOfServers, ...], list[Fraction]]:
    """Types of one or two resources on one to three pools; some types may fit no server."""
    shares = draw(probabilities)
    resources = draw(st.integers(1, 2))
    size = st.lists(st.integers(1, 13), min_size=resources, max_size=resources)
    sizes = draw(st.lists(size, min_size=len(shares), max_size=len(shares)))
    capacity = st.lists(st.integers(1, 12), min_size=resources, max_size=resources)
    pool = st.tuples(capacity, st.integers(1, 3))
    return pools_of(sizes, draw(st.lists(pool, min_size=1, max_size=3))), shares


def check_proof(pools: tuple[PoolOfServers, ...], shares: list[Fraction], found: SupportableWorkload) -> None:
    """Check primal and dual feasibility over all configurations, and equality of the values, exactly."""
    served = [Fraction(0)] * len(shares)
    for pool, configuration, servers in found.solution:
        assert servers > 0
        assert pools[pool][0].contains(configuration)
        served = [s + servers * k for s, k in zip(served, configuration, strict=True)]
    for pool, (_, count) in enumerate(pools):
        assert sum(part.servers for part in found.solution if part.pool == pool) == count
    assert all(s >= found.value * p for s, p in zip(served, shares, strict=True))
    prices = found.type_prices
    assert min(prices) >= 0
    worth = sum(p * y for p, y in zip(shares, prices, strict=True))
    assert worth == 1 or (worth > 1 and found.value == 0)
    for (space, _), price in zip(pools, found.pool_prices, strict=True):
        weights = space.enumerate() @ np.array(prices, object)
        assert max(weights) <= price
    assert found.value == sum(price * count for price, (_, count) in zip(found.pool_prices, pools, strict=True))
    assert sum(found.shares().values()) == 1


@given(instances())
def test_rho_carries_its_proof(instance: tuple[tuple[PoolOfServers, ...], list[Fraction]]) -> None:
    check_proof(*instance, supportable.supportable(*instance))


@given(instances())
def test_the_solver_agrees(instance: tuple[tuple[PoolOfServers, ...], list[Fraction]]) -> None:
    found = supportable.supportable(*instance)
    assert solver_status(*instance, found) == "optimal"


def test_the_examples_of_section_vii() -> None:
    pools = pools_of([[2], [5]], [([10], 1)])
    found = supportable.supportable(pools, [Fraction(2, 3), Fraction(1, 3)])
    assert found.value == Fraction(10, 3)
    assert found.shares() == {(5, 0): Fraction(4, 9), (0, 2): Fraction(5, 9)}
    assert found.load(Fraction("3.06")) == Fraction("0.918")
    pools = pools_of([[Fraction("0.4")], [Fraction("0.6")]], [([1], 7)])
    found = supportable.supportable(pools, [HALF, HALF])
    assert (found.value, found.shares()) == (14, {(1, 1): 1})


def test_several_pools_and_two_resources() -> None:
    pools = pools_of([[2], [3]], [([5], 1), ([3], 2)])
    assert supportable.supportable(pools, [HALF, HALF]).value == 4
    pools = pools_of([[4, 1], [1, 4]], [([5, 5], 1)])
    found = supportable.supportable(pools, [HALF, HALF])
    assert (found.value, found.shares()) == (2, {(1, 1): 1})


def test_nothing_is_supportable_where_a_type_fits_nowhere() -> None:
    pools = pools_of([[2], [13]], [([10], 1)])
    found = supportable.supportable(pools, [HALF, HALF])
    assert found.value == 0
    assert found.load(Fraction(1)) is None


@pytest.mark.parametrize(
    ("pools", "shares", "message"),
    [
        ((), [HALF], "no pool"),
        (pools_of([[1]], [([1], 0)]), [HALF], "at least 1 server"),
        (pools_of([[1]], [([1], 1)]), [HALF, HALF], "found 2 probabilities"),
        (pools_of([[1]], [([1], 1)]), [Fraction(0)], "one of them above 0"),
        (pools_of([[1], [1]], [([1], 1)]), [HALF, -HALF], "at least 0"),
    ],
)
def test_numbers_that_cannot_be_used(pools: Any, shares: list[Fraction], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        supportable.supportable(pools, shares)


@pytest.mark.parametrize(
    ("solver", "said"),
    [
        ((None, "", "no solver was found"), "no solver was found"),
        ((Broken(None), "HiGHS", "optimal"), "HiGHS failed (out of memory)"),
        ((Broken(pulp.LpStatusInfeasible), "HiGHS", "optimal"), "HiGHS says 'infeasible'"),
    ],
)
def test_a_failing_solver_is_a_status(solver: Any, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pools = pools_of([[2], [5]], [([10], 1)])
    found = supportable.supportable(pools, [HALF, HALF])
    monkeypatch.setattr(supportable, "choose_solver", lambda: solver)
    assert solver_status(pools, [HALF, HALF], found).startswith(said)


def test_another_value_of_the_solver_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    pools = pools_of([[2], [5]], [([10], 1)])
    found = supportable.supportable(pools, [HALF, HALF])
    assert solver_status(pools, [Fraction(1), Fraction(1)], found).startswith("HiGHS found 1.4")
    # With too many configurations only those of the solution are written into the program.
    monkeypatch.setattr(supportable, "MOST_WRITTEN", 1)
    assert solver_status(pools, [HALF, HALF], found) == "optimal"


def test_the_program_in_pulp_reads_like_the_paper() -> None:
    problem = formulate([[(2, 0), (0, 1)]], [3], [HALF, HALF])
    assert problem.solve(choose_solver()[0]) == pulp.LpStatusOptimal
    assert pulp.value(problem.objective) == pytest.approx(4, abs=SOLVER_TOLERANCE)
    names = {constraint.name for constraint in problem.constraints()}
    assert names == {"type_1", "type_2", "pool_1"}


@given(st.lists(st.integers(1, 40), min_size=1, max_size=8), st.integers(1, 60), st.data())
def test_the_table_finds_the_heaviest_configuration(sizes: list[int], capacity: int, data: st.DataObject) -> None:
    space = ConfigurationSpace.from_demands([[size] for size in sizes], [capacity])
    weight = st.integers(-5, 40) | st.integers(2**90, 2**90 + 40)
    weights = data.draw(st.lists(weight, min_size=len(sizes), max_size=len(sizes)))
    usable = [j for j in range(len(sizes)) if weights[j] > 0]
    best = heaviest(space.demand, space.capacity, [max(w, 0) for w in weights], usable)
    assert best is not None
    most = sum(w * k for w, k in zip(weights, best, strict=True) if w > 0)
    packer = Packer(space)
    assert packer.above(weights, most) is None
    found = packer.above(weights, most - 1)
    assert found is not None
    assert space.contains(found)
    assert sum(w * k for w, k in zip(weights, found, strict=True)) == most


@given(st.sets(st.integers(1, 60), min_size=4, max_size=12), st.integers(30, 60))
def test_neither_smoothing_nor_the_table_changes_the_value(sizes: set[int], capacity: int) -> None:
    pools = pools_of([[size] for size in sorted(sizes)], [([capacity], 2), ([60], 1)])
    shares = [Fraction(1, len(sizes))] * len(sizes)
    found = supportable.supportable(pools, shares)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packing, "MOST_UNITS", 0)
        assert supportable.supportable(pools, shares).value == found.value
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(supportable, "FEW_TYPES", len(sizes))
        assert supportable.supportable(pools, shares).value == found.value


def rows(law: SizeDistribution, points: Any = (), **options: Any) -> list[Refinement]:
    return list(refinements(law, [(WHOLE, 1)], points, **options))


@pytest.mark.parametrize("servers", [1, 5])
def test_theorem_1_for_the_uniform_law(servers: int) -> None:
    for row in refinements(GridUniform(0, WHOLE), [(WHOLE, servers)], last=4):
        m = 2 ** (row.level + 1)
        assert row.lower == servers * Fraction(2 * m, m + 1)
        assert row.upper == servers * Fraction(2 * m, m - 1)
        assert len(row.cells) == m


@pytest.mark.parametrize("ends", [(0, 100), (10, 90), (1, 19), (30, 70)])
def test_one_bound_follows_from_the_other(ends: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    law = GridUniform(*(WHOLE // 100 * end for end in ends))
    derived = rows(law, last=3)
    monkeypatch.setattr(theorem1, "_paired", lambda cells: False)
    assert rows(law, last=3) == derived


def test_the_bounds_close_in_as_the_partition_refines() -> None:
    for law in (GridBeta(0, WHOLE, Fraction(2), Fraction(5)), GridUniform(WHOLE // 10, WHOLE // 10 * 9)):
        found = rows(law, last=3)
        lowers, uppers = [row.lower for row in found], [row.upper for row in found]
        assert lowers == sorted(lowers)
        assert uppers == sorted(uppers, reverse=True)
        assert lowers[-1] < uppers[-1]
        assert {row.exact for row in found[1:]} == {isinstance(law, GridUniform)}


def test_ends_that_are_rounded_leave_the_bounds_valid(monkeypatch: pytest.MonkeyPatch) -> None:
    law = GridBeta(0, WHOLE, Fraction(2), Fraction(5))
    (fine,) = rows(law, first=2, last=2)
    monkeypatch.setattr(theorem1, "COARSE", 60)
    (coarse,) = rows(law, first=2, last=2)
    assert coarse.lower < fine.lower < fine.upper < coarse.upper


def test_cuts_at_the_ends_of_the_support_bring_the_bounds_closer() -> None:
    law = GridUniform(WHOLE // 100, WHOLE // 100 * 19)
    for plain, trimmed in zip(rows(law, last=3), rows(law, last=3, trimmed=True), strict=True):
        assert plain.lower < trimmed.lower
        assert trimmed.upper < plain.upper
        assert trimmed.lower < 10 < trimmed.upper


@given(st.dictionaries(st.integers(1, 24), st.integers(1, 5), min_size=1, max_size=6), st.integers(0, 3), st.booleans())
def test_rho_lies_between_the_bounds(sizes: dict[int, int], level: int, trimmed: bool) -> None:
    total = sum(sizes.values())
    points = [(size, Fraction(count, total)) for size, count in sizes.items()]
    law = Atoms([(size,) for size, _ in points], [share for _, share in points])
    pools = [(24, 1), (12, 2)]
    spaces = pools_of([[size] for size, _ in points], [([24], 1), ([12], 2)])
    exact = supportable.supportable(spaces, [share for _, share in points]).value
    row = next(refinements(law, pools, points, first=level, last=level, trimmed=trimmed))
    assert row.lower <= exact
    assert row.upper is None or exact <= row.upper
    assert sum(cell.probability for cell in row.cells) == 1
    if 2 ** (level + 1) * min(share for _, share in points) >= 1:
        assert row.lower == exact == row.upper


def test_points_have_cells_of_their_own() -> None:
    point = WHOLE // 2
    law = MixedSizes([GridUniform(0, WHOLE), Atoms([(point,)], [Fraction(1)])], [HALF, HALF])
    cells = partition_cells(law, WHOLE, 4, [(point, HALF)])
    assert [cell.single for cell in cells] == [False, False, True, False, False]
    assert [cell.probability for cell in cells] == [Fraction(1, 8)] * 2 + [HALF] + [Fraction(1, 8)] * 2
    assert cells[1].high == cells[2].low == cells[2].high == HALF


def test_all_sizes_rounded_to_nothing_bound_nothing() -> None:
    points = [(units, Fraction(1, 8)) for units in range(1, 9)]
    law = Atoms([(units,) for units, _ in points], [share for _, share in points])
    row = next(refinements(law, [(8, 1)], [*points], last=0))
    assert len(row.cells) == 2
    one_cell = [theorem1.SizeInterval(Fraction(0), Fraction(1), Fraction(1))]
    assert theorem1._value(one_cell, [(8, 1)], upwards=False) is None


def worst_queue_program(partition: Partition, configuration: Configuration) -> Any:
    """max <k, Q> subject to <k', Q> <= 1 for all k' in K_RED and Q >= 0; k by virtual queues."""
    problem = pulp.LpProblem("worst_queue", pulp.LpMaximize)
    queue = [problem.add_variable(f"q_{j}", lowBound=0) for j in range(partition.queues)]
    problem += pulp.lpSum(k * q for k, q in zip(configuration, queue, strict=True))
    for reduced in partition.reduced:
        problem += pulp.lpSum(k * q for k, q in zip(reduced, queue, strict=True)) <= 1
    return problem


@pytest.mark.parametrize("depth", [2, 3, 4, 5])
def test_proposition_1_is_tight(depth: int) -> None:
    found = worst_queue(depth)
    assert found.ratio == GUARANTEE
    assert found.tight
    weight = sum(k * q for k, q in zip(found.configuration, found.queue, strict=True))
    heaviest_reduced = max(
        sum(k * q for k, q in zip(reduced, found.queue, strict=True)) for reduced in Partition(depth).reduced
    )
    assert heaviest_reduced / weight == GUARANTEE
    problem = worst_queue_program(Partition(depth), found.configuration)
    assert problem.solve(choose_solver()[0]) == pulp.LpStatusOptimal
    assert pulp.value(problem.objective) == pytest.approx(1.5, abs=SOLVER_TOLERANCE)


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_no_configuration_of_any_finer_partition_is_worse(depth: int) -> None:
    """By duality max <k, Q> over <k', Q> <= 1 is 1 / rho, for the largest rho with rho k below a mixture of K_RED."""
    parts = 3 * 2**depth
    sizes = [[int(low * parts)] for low, _ in Partition(depth).intervals]
    space = ConfigurationSpace.from_demands(sizes, [parts - 1])
    ratios = [
        reduced_supportable(Partition(depth), [Fraction(k) for k in row]).value for row in space.maximal().tolist()
    ]
    assert min(ratios) == GUARANTEE


def test_the_ratio_of_a_given_partition() -> None:
    ends = [Fraction(1), Fraction(2, 3), HALF, Fraction(1, 3)]
    assert worst_queue(2, ends).ratio == 1
    finer = [*ends, Fraction("0.6"), Fraction("0.4")]
    found = worst_queue(2, finer)
    assert (found.ratio, found.configuration) == (GUARANTEE, (0, 1, 1, 0))
    assert found.queue == (0, 1, HALF, 0)
    for end in (Fraction(1, 4), Fraction(2)):
        with pytest.raises(ValueError, match=r"must be in \(1/4, 1\]"):
            worst_queue(2, [end])


@given(
    st.integers(2, 4),
    st.dictionaries(st.fractions(Fraction(1, 16), 1, max_denominator=40), st.integers(1, 4), min_size=1, max_size=4),
)
def test_k_red_carries_two_thirds_of_rho(depth: int, sizes: dict[Fraction, int]) -> None:
    partition, total = Partition(depth), sum(sizes.values())
    types = [(max(size, Fraction(1, 2**depth)), Fraction(n, total)) for size, n in sizes.items()]
    pools = pools_of([[size] for size, _ in types], [([1], 1)])
    full = supportable.supportable(pools, [share for _, share in types]).value
    shares = queue_probabilities(partition, types)
    reduced = reduced_supportable(partition, shares).value
    real = real_supportable(partition, shares, largest_sizes(partition, [size for size, _ in types])).value
    assert GUARANTEE * full <= reduced <= real <= full


def test_what_the_reduced_configurations_hold() -> None:
    partition = Partition(3)
    largest = largest_sizes(partition, [Fraction(1, 5), HALF])
    held = real_contents(partition, largest)
    assert held[:3] == [(1, 0, 0, 0, 0, 0), (0, 0, 2, 0, 0, 0), (0, 0, 0, 0, 5, 0)]
    assert held[5] == (0, 1, 0, 0, 1, 0)  # one job of 1/5 in the 1/3 that is left
    for nominal, real in zip(nominal_contents(partition, Fraction(1)), held, strict=True):
        assert all(k <= more for k, more in zip(nominal, real, strict=True))
    types = [(Fraction(1, 5), Fraction(2, 3)), (HALF, Fraction(1, 3))]
    shares = queue_probabilities(partition, types)
    assert reduced_supportable(partition, shares).value == 3
    assert real_supportable(partition, shares, largest).value == Fraction(10, 3)
    # Servers of half the capacity use the configurations of the next smaller depth.
    assert nominal_contents(partition, HALF)[0] == (0, 0, 1, 0, 0, 0)
    two = reduced_supportable(partition, shares, [(Fraction(1), 1), (HALF, 2)])
    assert two.value == 3 + 3
    for capacity, message in ((Fraction(1, 3), "needs 1/2, 1/4"), (Fraction(1, 4), "at least 4")):
        with pytest.raises(ValueError, match=message):
            nominal_contents(partition, capacity)
