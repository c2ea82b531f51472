"""The single-server problem (61), its policy and its classes, against certified numbers.

Hong, Xie & Wang (2023), Sections 3.1 and 3.2, Appendices B.3 and C.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pulp
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.phases.jobs import Cost, JobModel
from slotscope.model.kinds.phases.lattice import cost_rate, cost_units, lattice_of
from slotscope.model.kinds.phases.numbers import job_model
from slotscope.model.kinds.phases.programs.bounds import packing
from slotscope.model.kinds.phases.programs.chains import (
    chain_of,
    class_distribution,
    class_requests,
    closed_classes,
    lemma7,
)
from slotscope.model.kinds.phases.programs.decomposition import decomposed
from slotscope.model.kinds.phases.programs.plan import read_solution
from slotscope.model.kinds.phases.programs.planning import classes_of
from slotscope.model.kinds.phases.programs.policy import (
    AT_ONCE,
    NOTHING,
    TIMERS,
    PolicyPart,
    PolicyTable,
    policy_of,
    together,
)
from slotscope.model.kinds.phases.programs.program import SingleServerProgram, program_of
from slotscope.model.kinds.phases.programs.simplex import by_highs, formulate
from slotscope.model.kinds.phases.programs.single_server import SingleServerSolution, solved
from slotscope.model.kinds.phases.programs.vertex import exact_vertex, solve
from slotscope.model.running.waiting import GivenUpError, waiting
from slotscope.model.scenario.load import parse_scenario
from tests.kinds.phases.models import (
    HARD_FOR_SIMPLEX,
    HARD_TO_PRESOLVE,
    NAMES,
    four_phases,
    golden_data,
    golden_model,
    golden_path,
)
from tests.kinds.phases.strategies import job_data

#: Relative difference up to which two optima count as equal.
SAME = 1e-9


def by_pulp(program: SingleServerProgram, solver: str) -> tuple[float, str]:
    """Phi and the status by a solver of PuLP: "HiGHS", "COIN_CMD", "PULP_CBC_CMD"."""
    problem, _ = formulate(program)
    # PuLP warns that PuLP 4 will come without its own CBC.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        code = problem.solve(pulp.getSolver(solver, msg=False))
    return float(pulp.value(problem.objective)), str(pulp.LpStatus[code]).lower()


def feasibility(program: SingleServerProgram, found: SingleServerSolution) -> float:
    """The largest violation of a constraint of (61) by pi and u."""
    columns = np.concatenate(
        [found.stationary, found.requests[program.request_from, program.request_type], [found.phi]]
    )
    left = program.matrix @ columns
    right = np.array([float(program.right_side(row)) for row in range(program.rows)])
    excess = np.abs(left - right)
    if program.budget_row >= 0:
        row = program.budget_row
        excess[row] = max(0.0, left[row] - right[row])
    return float(max(excess.max(), -columns.min()))


def checks(model: JobModel, found: SingleServerSolution) -> list[float]:
    """The differences of Lemma 7 for each part of a solution."""
    lattice = lattice_of(model)
    differences = []
    for part in found.parts:
        table = policy_of(part.stationary, part.requests)
        check = lemma7(table, chain_of(model, lattice, table), part)
        differences += [check.stationary, check.requests]
    return differences


def cbc() -> str | None:
    """PuLP's name of an installed CBC."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        available = set(pulp.listSolvers(onlyAvailable=True))
    return next((name for name in ("COIN_CMD", "PULP_CBC_CMD") if name in available), None)


@pytest.mark.parametrize("name", NAMES)
def test_the_optimum_is_the_certified_rational(name: str) -> None:
    model, want = golden_model(name), golden_data(name)["lp"]
    found = solved(model)
    assert found.exact_phi == Fraction(want["Phi_exact"])
    assert found.phi == pytest.approx(want["Phi"], rel=SAME)
    assert found.nbar_per_r == pytest.approx(want["Nbar_per_r"], rel=SAME)
    assert found.spent == pytest.approx(float(Fraction(want["h_pi_exact"])), abs=1e-15)
    assert found.certified
    assert feasibility(program_of(model), found) < 1e-12


@pytest.mark.parametrize("name", NAMES)
def test_policies_find_the_same_optimum_as_the_simplex_method(name: str) -> None:
    model = golden_model(name)
    found = decomposed(program_of(model))
    assert found.phi == pytest.approx(golden_data(name)["lp"]["Phi"], rel=SAME)
    assert found.certified
    assert found.gap <= SAME
    stationary, requests = together(found.parts)
    whole = replace(solved(model), stationary=stationary, requests=requests, parts=found.parts)
    assert feasibility(program_of(model), whole) < 1e-12
    assert max(checks(model, whole)) < SAME


@pytest.mark.parametrize("name", NAMES)
def test_solvers_agree_on_the_formulation_of_the_paper(name: str) -> None:
    program, want = program_of(golden_model(name)), golden_data(name)["lp"]["Phi"]
    assert by_pulp(program, "HiGHS") == (pytest.approx(want, rel=SAME), "optimal")
    other = cbc()
    if other is None:
        pytest.skip("PuLP finds no CBC here")
    # CBC prints eight digits.
    assert by_pulp(program, other) == (pytest.approx(want, rel=1e-7), "optimal")


def test_the_formulation_has_the_rows_and_columns_of_the_sparse_program() -> None:
    for name in NAMES:
        model, want = golden_model(name), golden_data(name)["lp"]
        program = program_of(model)
        problem, variables = formulate(program)
        assert len(problem.constraints()) == program.rows
        assert len(variables) == program.columns
        if all(model.arrival_rates):
            assert program.columns == want["cols"]
            assert program.rows == want["rows"]


@pytest.mark.parametrize("name", NAMES)
def test_the_dual_proves_the_optimum(name: str) -> None:
    program = program_of(golden_model(name))
    basis = by_highs(program)
    vertex = exact_vertex(program, basis.columns, basis.rows)
    assert vertex is not None
    worth = sum(price * program.right_side(row) for row, price in enumerate(vertex.prices))
    assert worth == vertex.values[program.columns - 1]
    for column, entries in enumerate(program.exact_columns):
        gain = Fraction(int(column == program.columns - 1))
        cost = sum(vertex.prices[row] * entry for row, entry in entries.items())
        assert cost >= gain
        assert not vertex.values.get(column) or cost == gain


@pytest.mark.parametrize("name", NAMES)
def test_the_prices_of_both_methods_have_the_same_meaning(name: str) -> None:
    model = golden_model(name)
    exact, mixed = solved(model), decomposed(program_of(model))
    rates = [float(rate) for rate in model.arrival_rates]
    for prices in (exact.type_prices, mixed.type_prices):
        assert float(np.dot(prices, rates)) == pytest.approx(1)
    if not model.hard:
        assert mixed.budget_price == pytest.approx(exact.budget_price, rel=1e-6)
        # The slope of the concave function Phi(epsilon).
        step = Fraction(1, 10**5)
        more = solved(replace(model, budget=model.budget + step)).phi
        less = solved(replace(model, budget=model.budget - step)).phi
        assert (more - exact.phi) / float(step) <= exact.budget_price * (1 + 1e-6)
        assert (exact.phi - less) / float(step) >= exact.budget_price * (1 - 1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_lemma_7_holds_for_our_solution_and_for_the_injected_one(name: str) -> None:
    model = golden_model(name)
    assert max(checks(model, solved(model))) < SAME
    given_one = read_solution(golden_path(name), model)
    part = PolicyPart(1.0, given_one.stationary, given_one.requests)
    check = lemma7(given_one.table, chain_of(model, lattice_of(model), given_one.table), part)
    assert check.holds
    assert max(check.stationary, check.requests) < SAME


def test_lemma_7_sees_a_wrong_policy() -> None:
    model = golden_model("A")
    found = solved(model)
    table = policy_of(found.stationary, found.requests)
    slower = replace(table, rate=table.rate / 2)
    check = lemma7(slower, chain_of(model, lattice_of(model), slower), found.parts[0])
    assert not check.holds
    assert check.stationary > 1e-4


@pytest.mark.parametrize("name", NAMES)
def test_the_recurrent_classes_are_those_of_the_golden_policy(name: str) -> None:
    model, data = golden_model(name), golden_data(name)
    lattice = lattice_of(model)
    given_one = read_solution(golden_path(name), model)
    part = PolicyPart(1.0, given_one.stationary, given_one.requests)
    found = classes_of(model, part, given_one.table)
    assert len(found) == len(data["classes"])
    for one, want in zip(found, data["classes"], strict=True):
        rows = lattice.configurations
        assert one.share == pytest.approx(want["p"], abs=1e-12)
        assert rows[one.members].tolist() == want["configs"]
        assert rows[one.vanishing].tolist() == want["vanishing"]
        assert one.throughput.tolist() == pytest.approx(want["lambda_j"], rel=SAME, abs=1e-12)
        if want["p"]:
            assert one.start.tolist() == want["k0"]


def test_the_policy_has_the_cases_of_the_golden_one() -> None:
    for name in NAMES:
        model, counts = golden_model(name), golden_data(name)["counts"]
        table = read_solution(golden_path(name), model).table
        found = {case: int((table.case == case).sum()) for case in (TIMERS, AT_ONCE, NOTHING)}
        assert found == {TIMERS: counts["case1"], AT_ONCE: counts["case2"], NOTHING: counts["case3"]}
        assert int((table.rate > 0).any(axis=1).sum()) == counts["case1_with_timer"]


def test_hard_capacities_give_the_program_over_configurations() -> None:
    model = golden_model("E")
    assert 1 / packing(model) == pytest.approx(golden_data("E")["config_lp_Phi"], rel=SAME)
    assert solved(model).phi == pytest.approx(1 / packing(model), rel=SAME)


def test_a_budget_that_no_cost_reaches_is_no_budget() -> None:
    """With epsilon above every cost only K_max matters: Phi = K_max / E[Z per r]."""
    model = golden_model("A")
    free = solved(replace(model, budget=Fraction(100)))
    assert free.exact_phi == Fraction(model.most_jobs) / Fraction(3, 2)
    assert free.budget_price == 0


@settings(deadline=None, max_examples=25)
@given(
    st.sampled_from(["A", "B", "C"]),
    st.fractions(Fraction(1, 100), 2, max_denominator=100),
    st.fractions(0, 1, max_denominator=50),
)
def test_a_larger_budget_is_never_worse(name: str, budget: Fraction, more: Fraction) -> None:
    model = replace(golden_model(name), budget=budget)
    less, larger = solved(model), solved(replace(model, budget=budget + more))
    assert less.exact_phi is not None
    assert larger.exact_phi is not None
    assert larger.exact_phi >= less.exact_phi


def _small(data: dict[str, object]) -> JobModel:
    """The job model of a random scenario in which each type fits a server."""
    try:
        model = job_model(parse_scenario({**data, "policy": {"name": "first-fit"}}))
    except ScenarioError:
        assume(False)
    above = lattice_of(model).up[0]
    assume(all(place >= 0 for rate, place in zip(model.arrival_rates, above, strict=True) if rate))
    return model


@settings(deadline=None, max_examples=30)
@given(job_data(limit=5))
@example(HARD_TO_PRESOLVE)
@example(HARD_FOR_SIMPLEX)
def test_every_small_model_is_solved_alike_by_all_methods(data: dict[str, object]) -> None:
    model = _small(data)
    program = program_of(model)
    basis = by_highs(program)
    vertex = exact_vertex(program, basis.columns, basis.rows)
    assert vertex is not None
    exact = float(vertex.values.get(program.columns - 1, Fraction(0)))
    assert basis.phi == pytest.approx(exact, rel=1e-8, abs=1e-9)
    assert by_pulp(program, "HiGHS")[0] == pytest.approx(exact, rel=1e-6, abs=1e-7)
    mixed = decomposed(program)
    assert mixed.phi == pytest.approx(exact, rel=SAME, abs=1e-12)
    if exact:
        assert mixed.certified
        assert mixed.spent <= float(model.budget) * (1 + SAME)


@settings(deadline=None, max_examples=60)
@given(job_data(limit=5))
def test_lemma_7_always_holds(data: dict[str, object]) -> None:
    model = _small(data)
    try:
        found = solved(model)
    except ScenarioError:
        assume(False)
    assert found.certified
    assert max(checks(model, found)) < SAME
    assert feasibility(program_of(model), found) < SAME
    # At an optimum no server is empty.
    assert found.stationary[0] == 0


@pytest.mark.parametrize("law", ["overrun", "quadratic", "table"])
def test_laws_of_cost(law: str) -> None:
    listed = (((4, 2), Fraction(3, 10)), ((0, 8), Fraction(1, 7)))
    model = replace(golden_model("A"), cost=Cost(law, listed if law == "table" else ()))
    lattice = lattice_of(model)
    units, unit = cost_units(model, lattice)
    for place, (low, high) in enumerate(lattice.configurations.tolist()):
        excess = max(Fraction(0), Fraction(low + 3 * high - 10, 10))
        want = {"overrun": excess, "quadratic": excess**2, "table": dict(listed).get((low, high), Fraction(0))}[law]
        assert cost_rate(model, (low, high)) == want == int(units[place]) * unit
    assert units[0] == 0
    found = solved(model)
    assert found.spent <= float(model.budget) * (1 + SAME)
    assert feasibility(program_of(model), found) < 1e-12


def test_a_cheaper_law_of_cost_is_never_worse() -> None:
    model = golden_model("A")
    squares = solved(replace(model, cost=Cost("quadratic")))
    assert squares.phi > solved(model).phi


def test_a_tiny_probability_keeps_its_rate() -> None:
    """The support is exact, so that a configuration is case 1 however small its probability is."""
    model = golden_model("A")
    found = solved(model)
    table = policy_of(found.stationary, found.requests)
    positive = found.stationary > 0
    assert (table.case[positive] == TIMERS).all()
    assert found.stationary[positive].min() < 1e-6
    assert table.rate.max() < 100


def test_a_chain_of_requests_is_counted_in_the_order_of_the_policy() -> None:
    """From 0 first H and then L: u_H(0) and u_L(0, 1) are the rate of visits, and u_L(0) is not."""
    model = replace(golden_model("A"), most_jobs=2)
    lattice = lattice_of(model)
    size = len(lattice)
    case = np.full(size, NOTHING, np.int8)
    choice = np.zeros((size, 2))
    empty, high, both = (lattice.place(k) for k in ((0, 0), (0, 1), (1, 1)))
    case[[empty, high]], case[both] = AT_ONCE, TIMERS
    choice[empty, 1] = choice[high, 0] = 1.0
    table = PolicyTable(case, np.zeros((size, 2)), choice)
    chain = chain_of(model, lattice, table)
    members = closed_classes(chain)[0]
    requests = class_requests(table, chain, class_distribution(chain, members))
    assert requests[empty, 0] == 0
    assert requests[empty, 1] > 0
    assert requests[high, 0] > requests[empty, 1]
    assert requests[high, 1] == 0


def test_several_policies_share_no_server_where_they_never_meet() -> None:
    """Fixed sizes: each policy stays in one configuration, so each is a separate part."""
    found = decomposed(program_of(golden_model("E")))
    assert sorted(round(part.share, 6) for part in found.parts) == [0.2, 0.4, 0.4]


def test_the_exact_elimination_finds_singular_systems() -> None:
    one, two = Fraction(1), Fraction(2)
    assert solve([{0: one, 1: two}, {0: two, 1: one}], [Fraction(5), Fraction(4)]) == [1, 2]
    assert solve([{0: one, 1: two}, {0: two, 1: Fraction(4)}], [one, two]) is None


def test_a_basis_that_is_not_optimal_is_refused() -> None:
    program = program_of(golden_model("E"))
    basis = by_highs(program)
    phi = program.columns - 1
    others = [column for column in range(program.columns) if column not in basis.columns]
    worse = [column for column in basis.columns if column != phi] + others[:1]
    assert exact_vertex(program, worse, basis.rows) is None
    assert exact_vertex(program, basis.columns[:-1], basis.rows) is None


def test_nothing_within_the_budget_is_an_error_that_says_so() -> None:
    model = replace(golden_model("A"), capacity=(Fraction(1, 2),))
    with pytest.raises(ScenarioError, match=r"^cost\.budget: .*exceeds the budget 0\.05") as caught:
        solved(model)
    assert "\n" not in caught.value.line


def test_a_type_that_never_fits_is_named() -> None:
    model = replace(golden_model("E"), capacity=(Fraction(4),))
    with pytest.raises(ScenarioError, match="type 'large' does not fit"):
        solved(model)


def test_nothing_arrives_is_an_error() -> None:
    model = replace(golden_model("A"), arrival_rates=(Fraction(0),) * 2)
    with pytest.raises(ScenarioError, match="no type of job arrives"):
        solved(model)


@pytest.mark.parametrize("most_jobs", [4, 9])
def test_solving_can_be_cancelled(most_jobs: int) -> None:
    """In the simplex method, and in the decomposition into policies."""
    model = replace(four_phases(most_jobs), budget=Fraction(1, 19))
    with waiting(lambda _: None, lambda: 1), pytest.raises(GivenUpError, match="the single-server problem: stopped"):
        solved(model)


def test_progress_is_told_and_phi_grows() -> None:
    told: list[tuple[int, float]] = []
    found = decomposed(program_of(four_phases(7)), lambda steps, phi: told.append((steps, phi)))
    steps, phis = zip(*told, strict=True)
    assert list(steps) == sorted(steps)
    assert all(after >= before * (1 - SAME) for before, after in pairwise(phis))
    assert phis[-1] == pytest.approx(found.phi, rel=SAME)


def test_policies_agree_with_the_simplex_method_on_four_phases() -> None:
    program = program_of(four_phases(6))
    found = decomposed(program)
    assert found.phi == pytest.approx(by_highs(program).phi, rel=1e-8)
    assert found.certified


def test_a_reference_that_is_hardly_ever_met_does_no_harm() -> None:
    """Jobs are in phase b for a moment only: 21 jobs in it have probability 10^-39."""
    model = replace(
        golden_model("A"),
        demand=((Fraction(3),), (Fraction(2),)),
        most_jobs=21,
        capacity=(Fraction(67, 2),),
        budget=Fraction(1, 2),
        arrival_rates=(Fraction(1), Fraction(0)),
        departure_rates=(Fraction(11, 3), Fraction(1, 3)),
        moves=((Fraction(0), Fraction(1, 6)), (Fraction(11), Fraction(0))),
    )
    program = program_of(model)
    found = decomposed(program)
    assert found.certified
    assert found.phi == pytest.approx(by_highs(program).phi, rel=1e-9)


@settings(deadline=None, max_examples=30)
@given(
    st.lists(st.tuples(st.integers(1, 6), st.integers(1, 5), st.integers(1, 5)), min_size=1, max_size=3),
    st.integers(6, 14),
    st.integers(1, 6),
)
def test_jobs_of_fixed_size_are_packed(types: list[tuple[int, int, int]], capacity: int, most_jobs: int) -> None:
    """Section 3.1: (61) with hard capacities is the program over configurations."""
    none = (Fraction(0),) * len(types)
    model = replace(
        golden_model("E"),
        phases=tuple("abc"[: len(types)]),
        most_jobs=most_jobs,
        demand=tuple((Fraction(size),) for size, _, _ in types),
        capacity=(Fraction(capacity),),
        arrival_rates=tuple(Fraction(rate) for _, rate, _ in types),
        departure_rates=tuple(Fraction(rate, 2) for _, _, rate in types),
        moves=(none,) * len(types),
    )
    assert solved(model).phi == pytest.approx(1 / packing(model), rel=SAME)
    assert decomposed(program_of(model)).phi == pytest.approx(1 / packing(model), rel=SAME)


@pytest.mark.parametrize(("most_jobs", "configurations"), [(10, 1001), (13, 2380)])
def test_large_programs_are_solved_and_proved(
    most_jobs: int, configurations: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    model = four_phases(most_jobs)
    program = program_of(model)
    assert program.configurations == configurations
    found = solved(model)
    assert found.certified
    assert found.method == "policies"
    assert max(checks(model, found)) < SAME
    assert feasibility(program, found) < SAME


def test_many_jobs_of_two_phases_do_not_fall_apart_in_floats(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Policies whose chain moves between two sets of configurations once in 10^20 lifetimes."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    model = replace(
        four_phases(140),
        phases=("a", "b"),
        demand=((Fraction(1),), (Fraction(3),)),
        arrival_rates=(Fraction(1), Fraction(3, 4)),
        departure_rates=(Fraction(1), Fraction(2)),
        moves=((Fraction(0), Fraction(1, 2)), (Fraction(1), Fraction(0))),
    )
    found = solved(model)
    assert found.certified
    assert max(checks(model, found)) < SAME
    for part in found.parts:
        assert policy_of(part.stationary, part.requests).rate.max() < 1e9
