"""(P) and (Q) against solutions of an independent program, in rationals."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from slotscope.model.kinds.moldable.cli.problems import PAPER, solve_problems
from slotscope.model.kinds.moldable.programs.classes import class_optimum
from slotscope.model.kinds.moldable.programs.program import SOLVER_TOLERANCE, available_solvers, solve
from slotscope.model.kinds.moldable.programs.theorem1 import optimum

FILE = Path(__file__).parents[2] / "golden" / "moldable" / "B05_optimisation.json"
DATA = json.loads(FILE.read_text())
SPEEDUPS = {name: tuple(map(Fraction, factors)) for name, factors in PAPER.items()}

every_single = pytest.mark.parametrize("case", DATA["P"], ids=lambda c: f"{c['speedup']}-{c['lam']}")
every_several = pytest.mark.parametrize("case", DATA["Q"], ids=lambda c: "-".join(c["lams"]))


def texts(numbers: Any) -> list[str]:
    return [str(number) for number in numbers]


def rates_of(case: dict[str, Any]) -> tuple[list[Fraction], list[Fraction], list[Any]]:
    speedups = [tuple(map(Fraction, speedup)) for speedup in case["speedups"]]
    return list(map(Fraction, case["lams"])), list(map(Fraction, case["mus_rate"])), speedups


def test_there_are_cases_of_every_kind() -> None:
    found = [optimum(SPEEDUPS[case["speedup"]], Fraction(case["lam"])) for case in DATA["P"]]
    assert {one.case for one in found if one} == {"i", "ii", "iii"}
    assert {len(case["lams"]) for case in DATA["Q"]} == {2, 3}
    assert (len(DATA["P"]), len(DATA["Q"])) == (22, 6)


@every_single
def test_theorem_1(case: dict[str, Any]) -> None:
    found = optimum(SPEEDUPS[case["speedup"]], Fraction(case["lam"]))
    assert found is not None
    assert texts(found.y) == case["y"]
    assert texts(found.p) == case["p"]
    assert str(found.mean_time) == case["D"]


@every_several
def test_shares(case: dict[str, Any]) -> None:
    """Among equally good classes the first gets its share first, also in the file."""
    found = class_optimum(*rates_of(case))
    assert found is not None
    assert texts(found.shares) == case["b"]
    assert [texts(one.y) for one in found.classes] == case["y"]
    assert str(found.objective) == case["objective"]


@pytest.mark.parametrize("solver", available_solvers())
def test_solvers_find_the_same(solver: str) -> None:
    for case in DATA["P"]:
        load = Fraction(case["lam"])
        found = solve([load], [load], [SPEEDUPS[case["speedup"]]], solver)
        assert found.status == "optimal"
        assert found.objective == pytest.approx(float(Fraction(case["D"])), abs=SOLVER_TOLERANCE)
    for case in DATA["Q"]:
        rates, service, speedups = rates_of(case)
        loads = [rate / mu for rate, mu in zip(rates, service, strict=True)]
        found = solve(rates, loads, speedups, solver)
        exact = float(Fraction(case["objective"]))
        assert found.objective == pytest.approx(exact, abs=SOLVER_TOLERANCE)


def test_the_command_solves_the_whole_file(answer: Any) -> None:
    found = answer("bounds", FILE)["programs"]
    assert list(found) == [f"P{i}" for i in range(1, 23)] + [f"Q{i}" for i in range(1, 7)]
    for place, case in enumerate(DATA["P"], 1):
        ours = found[f"P{place}"]
        assert (ours["y"], ours["p"], ours["D"]) == (case["y"], case["p"], case["D"])
        assert ours["HiGHS"] == pytest.approx(case["HiGHS"], abs=SOLVER_TOLERANCE)
    for place, case in enumerate(DATA["Q"], 1):
        ours = found[f"Q{place}"]
        assert (ours["b"], ours["y"], ours["exact"]) == (case["b"], case["y"], case["objective"])


def test_the_command_prints_fractions(slotscope: Any) -> None:
    said = slotscope("bounds", FILE).out
    assert "y_3 = 1/5, y_4 = 1/10" in said
    assert "y_3,1 = 1/25, y_4,1 = 1/10, y_3,2 = 4/25" in said


def test_a_problem_without_a_solution_is_told() -> None:
    """Proposition 1; the solver must agree."""
    single = {"speedup": {"law": "amdahl", "parallel": 0.5, "degree": 3}, "lam": 1.01}
    several = {"lams": [1, 1], "mus_rate": [2, "3/2"], "speedups": [[1], [1]]}
    for found in solve_problems({"P": [single], "Q": [several]}).values():
        assert found["objective"] is found["HiGHS"] is None
        assert found["status"].startswith("infeasible")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"P": 3}, "P: found 3, allowed: a list"),
        ({"P": []}, "found no problem"),
        ({"P": [{"lam": 1}]}, "P[0].speedup: found nothing"),
        ({"P": [{"speedup": "linear", "lam": 0}]}, "P[0].lam: found 0, allowed: a number above 0"),
        ({"P": [{"speedup": "linear", "lam": "x"}]}, "P[0].lam: found 'x'"),
        ({"P": [{"speedup": "best", "lam": 1}]}, "P[0].speedup: found 'best', allowed: linear"),
        ({"P": [{"speedup": [1, 1.2, 1.8], "lam": 1}]}, "P[0].speedup: "),
        ({"P": [{"speedup": [1, 1.2, 1.8], "lam": 1}]}, "s_3 - s_2 = 0.6"),
        ({"Q": [{"lams": [1], "mus_rate": [1, 2], "speedups": [[1]]}]}, "found 1, 2, 1 entries"),
        ({"Q": [{"lams": [], "mus_rate": [], "speedups": []}]}, "Q[0].lams: found []"),
        ({"Q": [7]}, "Q[0]: found 7, allowed: an object"),
    ],
)
def test_a_wrong_file_is_one_line(data: Any, said: str, slotscope: Any, tmp_path: Path) -> None:
    (tmp_path / "problems.json").write_text(json.dumps(data))
    found = slotscope("bounds problems.json")
    assert (found.code, found.out) == (2, "")
    assert found.err.count("\n") == 1
    assert said in found.err
    assert "problems.json" in found.err
