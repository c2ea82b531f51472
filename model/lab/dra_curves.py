"""Figure 2 of Psychas & Ghaderi (2022): greedy and optimal reward as the workload grows."""

from __future__ import annotations

from fractions import Fraction

from model.api import open_bench
from model.lab.executor import Progress
from model.lab.results import Curve, Figure, Result, Row
from model.programs.alpha_curve import AlphaCurve, Points, alpha_curve
from model.scenario.load import load_scenario

NAME = "dra-fig2"
SCENARIO = "dra-vms"

#: Figure 2 ends here.
LAST_ALPHA = Fraction(10)

#: Where both rewards are tabulated, besides at their breakpoints.
ALPHAS = (Fraction(1, 4), Fraction(1, 2), *(Fraction(alpha) for alpha in (1, 2, 4, 6, 8, 10)))

#: What Section 7.1 says of the critical points, the worst ratio and its place.
PAPER_CRITICAL_LOW, PAPER_CRITICAL_HIGH = Fraction(6, 7), Fraction(6)
PAPER_WORST_RATIO, PAPER_WORST_ALPHA = Fraction("0.862"), Fraction(1)


def reproduce(scale: str, _workers: int, progress: Progress) -> Result:
    """The curves, exactly; scale and workers make no difference."""
    numbers = open_bench(load_scenario(SCENARIO)).numbers
    progress(0, 1)
    curve = alpha_curve(numbers.space, numbers.rewards, numbers.workload)
    progress(1, 1)
    return Result(NAME, scale, (*_critical(curve), *_values(curve)), (_figure(curve),))


def _critical(curve: AlphaCurve) -> list[Row]:
    found = {
        "critical_alpha_low": (curve.critical_low, PAPER_CRITICAL_LOW),
        "critical_alpha_high": (curve.critical_high, PAPER_CRITICAL_HIGH),
        "worst_ratio": (curve.worst_ratio, PAPER_WORST_RATIO),
        "worst_alpha": (curve.worst_alpha, PAPER_WORST_ALPHA),
    }
    return [_row(what, ours, paper=paper) for what, (ours, paper) in found.items()]


def _values(curve: AlphaCurve) -> list[Row]:
    places = {alpha for alpha, _ in curve.greedy + curve.optimum if 0 < alpha <= LAST_ALPHA}
    rows = []
    for alpha in sorted(places.union(ALPHAS)):
        greedy, optimum = curve.value_at(alpha)
        rows += [_row("greedy_reward", greedy, alpha), _row("optimal_reward", optimum, alpha)]
    return rows


def _row(
    what: str, ours: Fraction, alpha: Fraction | None = None, paper: Fraction | None = None
) -> Row:
    at = {} if alpha is None else {"alpha": str(alpha)}
    given = None if paper is None else float(paper)
    return Row(what, float(ours), paper=given, at=at, exact=str(ours))


def _figure(curve: AlphaCurve) -> Figure:
    return Figure(
        name=NAME,
        title="Global greedy and optimal reward as the workload grows",
        x_label="alpha",
        y_label="reward per server",
        curves=(
            _line("optimum U*", curve.optimum),
            _line("global greedy U^(g)", curve.greedy),
        ),
        marks=tuple((str(alpha), float(alpha))
                    for alpha in (curve.critical_low, curve.critical_high)),
    )  # fmt: skip


def _line(name: str, points: Points) -> Curve:
    shown = [point for point in points if point[0] < LAST_ALPHA]
    shown.append((LAST_ALPHA, shown[-1][1]))
    return Curve(name, tuple(float(x) for x, _ in shown), tuple(float(y) for _, y in shown))
