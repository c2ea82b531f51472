"""LP (3.1), LP (3.2) and the global greedy assignment of Psychas & Ghaderi (2022)."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pulp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotscope.model.kinds.reservation.programs import reward_lp
from slotscope.model.kinds.reservation.programs.bounds import ALWAYS, MONOTONE, bounds
from slotscope.model.kinds.reservation.programs.greedy import MOST_SUBSETS, global_greedy, greedy_configurations
from slotscope.model.kinds.reservation.programs.optimum import ExactOptimum, exact_optimum
from slotscope.model.kinds.reservation.programs.reward_lp import solve_optimum
from slotscope.model.programs.configurations import ConfigurationSpace, integer_rewards
from slotscope.model.programs.simplex import ExactSimplex
from tests.model.broken_solver import Broken
from tests.model.test_configurations import spaces

GOLDEN = json.loads((Path(__file__).parents[3] / "golden" / "dra" / "lp.json").read_text())
#: Solvers answer in floating point, with tolerances of 1e-7 on the constraints.
SOLVER_TOLERANCE = 1e-6

VMS = ConfigurationSpace.from_demands([[1, 1], [4, 16], [2, 32], [32, 256]], [40, 320])
VM_REWARDS = [Fraction(reward) for reward in (9, 48, 48, 512)]
VM_WORKLOAD = [Fraction(2), Fraction(1, 2), Fraction(4, 3), Fraction(1)]

Instance = tuple[ConfigurationSpace, list[Fraction], list[Fraction]]


@st.composite
def instances(draw: st.DrawFn) -> Instance:
    """Small configuration spaces with rewards and workloads, including zeros and ties."""
    space = draw(spaces)
    reward = st.integers(0, 5).map(Fraction)
    load = st.builds(Fraction, st.integers(0, 12), st.sampled_from([1, 2, 3, 4, 7]))
    size = {"min_size": space.types, "max_size": space.types}
    return space, draw(st.lists(reward, **size)), draw(st.lists(load, **size))


def greedy_in_fractions(space: ConfigurationSpace, rewards: list[Fraction], workload: list[Fraction]) -> Any:
    """The construction of Appendix A, literally: permutation, z, x, I_rho and U^(g)."""
    allowed = sum(1 << j for j in range(space.types) if space.fits[j])
    left, server, permutation, z, x, reward = list(workload), Fraction(1), [], [], [], Fraction(0)
    while allowed:
        configuration = space.max_reward(integer_rewards(rewards)[0], allowed)
        reach = {j: left[j] / count for j, count in enumerate(configuration) if count}
        first = min(reach, key=lambda j: (reach[j], j))
        left = [amount - reach[first] * count for amount, count in zip(left, configuration, strict=True)]
        permutation.append(first)
        z.append(reach[first])
        x.append(min(reach[first], server))
        server -= x[-1]
        reward += x[-1] * sum((u * count for u, count in zip(rewards, configuration, strict=True)), Fraction(0))
        allowed ^= 1 << first
    last = next((i for i in range(1, len(z) + 1) if sum(z[:i]) >= 1), len(z) + 1)
    return tuple(permutation), tuple(z), (*x, server), last, reward


def golden_instance(case: dict[str, Any]) -> Instance:
    space = ConfigurationSpace.from_demands(
        [[Fraction(size) for size in row] for row in case["sizes"]], [Fraction(room) for room in case["capacity"]]
    )
    return space, list(map(Fraction, case["rewards"])), list(map(Fraction, case["rho"]))


def check_proof(instance: Instance, optimum: ExactOptimum) -> None:
    """Check primal and dual feasibility over all of K, and equality of the values, all exactly."""
    space, rewards, workload = instance
    assert sum(share for _, share in optimum.servers) == 1
    assert all(share > 0 and space.contains(k) for k, share in optimum.servers)
    for j, jobs in enumerate(optimum.jobs):
        assert 0 <= jobs <= workload[j]
        assert jobs <= sum(share * k[j] for k, share in optimum.servers)
    assert optimum.value == sum(u * y for u, y in zip(rewards, optimum.jobs, strict=True))
    prices = optimum.workload_prices
    assert all(0 <= price <= reward for price, reward in zip(prices, rewards, strict=True))
    margins = [reward - price for price, reward in zip(prices, rewards, strict=True)]
    for k in space.enumerate().tolist():
        assert sum(m * n for m, n in zip(margins, k, strict=True)) <= optimum.server_price
    dual = sum(p * rho for p, rho in zip(prices, workload, strict=True)) + optimum.server_price
    assert optimum.value == dual


@pytest.mark.parametrize("case", GOLDEN)
def test_golden_values(case: dict[str, Any]) -> None:
    space, rewards, workload = golden_instance(case)
    greedy = global_greedy(space, rewards, workload)
    assert greedy.objective == Fraction(case["U_g"])
    assert [str(z) for z in greedy.z] == case["z"]
    used = {k: x for k, x in greedy.fractions().items() if any(k)}
    assert used == {tuple(k): Fraction(x) for k, x in case["x_g"]}
    if case["greedy_set"] is not None:
        found = greedy_configurations(space, rewards)
        assert found == tuple(tuple(k) for k in case["greedy_set"])
    program = solve_optimum(space, rewards, workload)
    assert program.exact == Fraction(case["U_star"])
    assert program.status == "optimal"
    assert program.objective == pytest.approx(float(program.exact), abs=SOLVER_TOLERANCE)


@given(instances())
def test_whole_numbers_give_what_the_fractions_of_the_paper_do(instance: Instance) -> None:
    found = global_greedy(*instance)
    assert (found.permutation, found.z, found.x, found.last, found.objective) == greedy_in_fractions(*instance)
    assert {type(number) for number in (*found.z, *found.x, found.objective)} == {Fraction}


@given(instances())
def test_the_optimum_carries_its_proof(instance: Instance) -> None:
    check_proof(instance, exact_optimum(*instance))


@given(instances())
def test_the_solver_agrees_and_its_vertex_is_proved(instance: Instance) -> None:
    space, rewards, workload = instance
    program = solve_optimum(space, rewards, workload)
    assert program.status == "optimal"
    assert program.exact == exact_optimum(space, rewards, workload).value
    assert program.objective == pytest.approx(float(program.exact), abs=SOLVER_TOLERANCE)
    check_proof(instance, exact_optimum(space, rewards, workload, program.configurations))


@given(instances())
def test_greedy_reaches_half_and_never_more_than_the_optimum(instance: Instance) -> None:
    greedy = global_greedy(*instance)
    optimum = exact_optimum(*instance).value
    assert greedy.objective <= optimum <= 2 * greedy.objective


@given(instances())
def test_the_greedy_assignment_is_one(instance: Instance) -> None:
    space, rewards, workload = instance
    greedy = global_greedy(space, rewards, workload)
    fitting = [j for j in range(space.types) if space.fits[j]]
    assert sorted(greedy.permutation) == fitting
    assert sum(greedy.x) == 1
    assert len(greedy.x) == len(greedy.configurations) == len(greedy.z) + 1
    for j in fitting:
        assert sum(k[j] * x for k, x in greedy.fractions().items()) <= workload[j]
    if sum(greedy.z) < 1:
        assert greedy.last == len(greedy.z) + 1
        assert greedy.objective == sum(rewards[j] * workload[j] for j in fitting)
    else:
        assert sum(greedy.z[: greedy.last - 1]) < 1 <= sum(greedy.z[: greedy.last])
    assert set(greedy.configurations) <= set(greedy_configurations(space, rewards))


@given(spaces, st.data())
def test_greedy_configurations_by_definition_6(space: ConfigurationSpace, data: st.DataObject) -> None:
    rewards = data.draw(st.tuples(*[st.integers(0, 3)] * space.types))
    every = {space.max_reward(rewards, allowed) for allowed in range(2**space.types)}
    found = greedy_configurations(space, [Fraction(reward) for reward in rewards])
    assert set(found) == every
    assert found[-1] == (0,) * space.types


def test_the_example_of_section_7_1() -> None:
    greedy = global_greedy(VMS, VM_REWARDS, VM_WORKLOAD)
    assert greedy.permutation == (0, 1, 2, 3)
    assert greedy.z == (Fraction(1, 6), 0, 0, 1)
    assert greedy.configurations[0] == (12, 3, 8, 0)
    assert greedy.configurations[3] == (0, 0, 0, 1)
    assert greedy.last == 4
    assert greedy.objective == Fraction(1598, 3)
    program = solve_optimum(VMS, VM_REWARDS, VM_WORKLOAD)
    assert program.exact == 618
    assert program.jobs == pytest.approx([2, 1 / 2, 4 / 3, 1])
    assert {"servers", "workload 1", "workload 4", "slots 4"} <= set(program.binding)


def test_more_workload_may_lower_the_greedy_reward() -> None:
    less = [Fraction(0), Fraction(0), *VM_WORKLOAD[2:]]
    assert global_greedy(VMS, VM_REWARDS, less).objective == 576
    assert global_greedy(VMS, VM_REWARDS, VM_WORKLOAD).objective < 576


def test_the_permutation_of_proposition_1_need_not_exist() -> None:
    space = ConfigurationSpace.from_demands([[9, 1], [1, 9], [5, 5]], [10, 10])
    rho = [Fraction(1, 2), Fraction(1, 2), Fraction(1)]
    greedy = global_greedy(space, [Fraction(5), Fraction(5), Fraction(4)], rho)
    assert greedy.permutation == (0, 2, 1)
    assert greedy.configurations[0] == (1, 1, 0)
    assert greedy.objective == 5 + 4


@pytest.mark.parametrize(
    ("types", "jobs", "ratio"), [(2, 2, "9/10"), (2, 10, "11/14"), (3, 10, "11/15"), (4, 20, "1225/1756")]
)
def test_the_adversarial_family(types: int, jobs: int, ratio: str) -> None:
    space, rewards, workload = adversarial(types, jobs)
    greedy = global_greedy(space, rewards, workload).objective
    optimum = solve_optimum(space, rewards, workload).exact
    shrink = 1 - Fraction(1, types)
    assert greedy == 1 - shrink**types
    assert optimum == 1 - shrink ** (types - 1) / (jobs + 1)
    assert greedy / optimum == Fraction(ratio) > MONOTONE.ratio


def adversarial(types: int, jobs: int) -> Instance:
    """The worst case of Proposition 3: J types, N jobs of the last one."""
    single = [[types * (i == j) for j in range(types)] for i in range(types - 1)]
    last = [(jobs + 1) * (j == types - 1) for j in range(types)]
    space = ConfigurationSpace.from_maximal([*single, last, [1] * (types - 1) + [jobs]])
    shrink = 1 - Fraction(1, types)
    rewards = [Fraction(1, types) * shrink**i for i in range(types - 1)]
    rewards.append(Fraction(1, jobs + 1) * shrink ** (types - 1))
    return space, rewards, [Fraction(1)] * (types - 1) + [Fraction(jobs)]


def test_a_type_that_fits_nowhere_is_left_out() -> None:
    space = ConfigurationSpace.from_demands([[3], [1]], [2])
    rewards, workload = [Fraction(9), Fraction(1)], [Fraction(5), Fraction(1)]
    greedy = global_greedy(space, rewards, workload)
    assert greedy.permutation == (1,)
    assert greedy.last == 2
    assert greedy.fractions() == {(0, 2): Fraction(1, 2), (0, 0): Fraction(1, 2)}
    program = solve_optimum(space, rewards, workload)
    assert (program.exact, program.jobs) == (1, (0, 1))


def test_prices_say_what_one_more_is_worth() -> None:
    space = ConfigurationSpace.from_demands([[1], [1]], [2])
    program = solve_optimum(space, [Fraction(5), Fraction(1)], [Fraction(1, 2), Fraction(9)])
    assert program.exact == 4
    assert program.workload_duals == (4, 0)
    assert program.server_dual == 2
    assert program.binding == ("workload 1", "slots 1", "slots 2", "servers")


def test_many_maximal_configurations_are_not_written_down(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = solve_optimum(VMS, VM_REWARDS, VM_WORKLOAD)
    written: list[int] = []
    formulate = reward_lp.formulate

    def counting(configurations: Any, *rest: Any) -> Any:
        written.append(len(configurations))
        return formulate(configurations, *rest)

    monkeypatch.setattr(reward_lp, "MOST_WRITTEN", 5)
    monkeypatch.setattr(reward_lp, "formulate", counting)
    part = solve_optimum(VMS, VM_REWARDS, VM_WORKLOAD)
    assert written[0] < len(VMS.maximal())
    assert (part.exact, part.status) == (whole.exact, "optimal")
    assert part.objective == pytest.approx(whole.objective)


def test_without_highs_the_status_names_cbc(monkeypatch: pytest.MonkeyPatch) -> None:
    others = [name for name in pulp.listSolvers(onlyAvailable=True) if name != "HiGHS"]
    monkeypatch.setattr(pulp, "listSolvers", lambda onlyAvailable: others)
    if not others:
        pytest.skip("PuLP comes without CBC here")
    program = solve_optimum(VMS, VM_REWARDS, VM_WORKLOAD)
    assert program.objective == pytest.approx(618)
    assert program.solver == "CBC"
    assert "HiGHS is missing" in program.status


def test_without_a_solver_the_value_is_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulp, "listSolvers", lambda onlyAvailable: [])
    program = solve_optimum(VMS, VM_REWARDS, VM_WORKLOAD)
    assert (program.objective, program.exact, program.solver) == (618, 618, "")
    assert "no solver was found" in program.status


@pytest.mark.parametrize(
    ("code", "said"), [(None, "HiGHS failed (out of memory)"), (pulp.LpStatusInfeasible, "HiGHS says 'infeasible'")]
)
def test_a_failing_solver_is_a_status(code: int | None, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reward_lp, "choose_solver", lambda: (Broken(code), "HiGHS", "optimal"))
    program = solve_optimum(VMS, VM_REWARDS, VM_WORKLOAD)
    assert program.exact == 618
    assert program.objective == 618
    assert program.status.startswith(said)


def test_a_wrong_solver_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    right = reward_lp._ask_solver

    def wrong(*arguments: Any) -> Any:
        answer = right(*arguments)
        return reward_lp._Answer(True, "HiGHS", "optimal", answer.objective * 1.01, answer.support)

    monkeypatch.setattr(reward_lp, "_ask_solver", wrong)
    program = solve_optimum(VMS, VM_REWARDS, VM_WORKLOAD)
    assert program.exact == 618
    assert program.status == "HiGHS found 624.18; the optimum is 618"


def test_solvers_are_silent(capfd: pytest.CaptureFixture[str]) -> None:
    solve_optimum(VMS, VM_REWARDS, VM_WORKLOAD)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("rewards", "workload", "message"),
    [
        ([1, 1, 1], VM_WORKLOAD, "found 3 rewards for 4 job types"),
        (VM_REWARDS, [1], "found 1 workloads for 4 job types"),
        ([1, 1, 1, -2], VM_WORKLOAD, "found -2 among the rewards; at least 0 is allowed"),
        (VM_REWARDS, [1, 1, Fraction(-1, 2), 1], "found -1/2 among the workloads"),
    ],
)
def test_numbers_that_cannot_be_used(rewards: Any, workload: Any, message: str) -> None:
    for function in (global_greedy, exact_optimum, solve_optimum):
        with pytest.raises(ValueError, match=message):
            function(VMS, rewards, workload)


def test_other_input_that_cannot_be_used() -> None:
    with pytest.raises(ValueError, match=r"configuration \(0, 0, 0, 2\) is not feasible"):
        exact_optimum(VMS, VM_REWARDS, VM_WORKLOAD, [(0, 0, 0, 2)])


def test_too_many_greedy_configurations_are_refused() -> None:
    rewards = [Fraction(1)] * 17
    # Here the smallest remaining type fills a server alone: subsets are used one after the other.
    chain = ConfigurationSpace.from_demands([[Fraction(2**18 + 2**j)] for j in range(17)], [2**23])
    assert len(greedy_configurations(chain, rewards)) == 18
    # Here the best configuration always uses all remaining types: all subsets.
    every = ConfigurationSpace.from_maximal([(1,) * 17])
    with pytest.raises(ValueError, match=f"more than {MOST_SUBSETS} subsets"):
        greedy_configurations(every, rewards)


def test_bounds_are_plain_data() -> None:
    data = json.loads(json.dumps(bounds(VMS, VM_REWARDS, VM_WORKLOAD), allow_nan=False))
    assert data["programs"]["optimum"]["exact"] == "618"
    assert data["programs"]["greedy"]["exact"] == "1598/3"
    assert data["programs"]["greedy"]["permutation"] == [1, 2, 3, 4]
    for program in data["programs"].values():
        assert sum(item["servers"] for item in program["solution"]) == pytest.approx(1)
    assert data["optimal"] == pytest.approx(618)
    assert data["ratio"] == pytest.approx(799 / 927)
    assert [item["ratio"] for item in data["guarantees"]] == [0.5, 1 - 1 / math.e]
    assert data["guarantees"][0]["condition"] == ALWAYS.condition == "always"


def test_without_workload_there_is_no_ratio() -> None:
    data = bounds(VMS, VM_REWARDS, [Fraction(0)] * 4)
    assert (data["optimal"], data["greedy"], data["ratio"]) == (0, 0, None)


def test_the_simplex_method_refuses_what_it_cannot_solve() -> None:
    with pytest.raises(ValueError, match="must not be negative"):
        ExactSimplex([-1], ["slack"], [0])
    with pytest.raises(ArithmeticError, match="unbounded"):
        ExactSimplex([1], ["slack"], [0]).enter("free", [-1], 1)
