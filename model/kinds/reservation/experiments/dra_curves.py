"""Figure 2 of Psychas & Ghaderi (2022): greedy and optimal reward as the workload grows."""

from __future__ import annotations

from fractions import Fraction
from typing import Iterator

from slotscope.model.kinds.reservation.programs.alpha_curve import AlphaCurve, Points, alpha_curve
from slotscope.model.lab.parts import Outcome, Part
from slotscope.model.lab.plan import Options, Outcomes, finished
from slotscope.model.lab.results import Curve, Figure, Result, Row
from slotscope.model.scenario.load import as_data, load_scenario, parse_scenario
from slotscope.model.session.bench import open_bench

NAME = "dra-fig2"
SCENARIO = "dra-vms"

#: Figure 2 ends here.
LAST_ALPHA = Fraction(10)

#: Values of alpha at which both rewards are tabulated, besides the breakpoints.
ALPHAS = (Fraction(1, 4), Fraction(1, 2), *(Fraction(alpha) for alpha in (1, 2, 4, 6, 8, 10)))

#: The critical points, the worst ratio and its alpha according to Section 7.1.
PAPER_CRITICAL_LOW, PAPER_CRITICAL_HIGH = Fraction(6, 7), Fraction(6)
PAPER_WORST_RATIO, PAPER_WORST_ALPHA = Fraction("0.862"), Fraction(1)

NOTES = (
    'The paper: "The rewards coincide outside the marked points", which are 6/7 and 6; the '
    'worst ratio "occurs at alpha = 1, which is about 0.862".',
    "Everything here is exact. The types printed in Section 7.1 give the paper's numbers on "
    "servers of (40, 320) in units of 2 vCPU and 2 GB, that is 80 vCPU and 640 GB.",
)


WORK = __name__


def parts(_scale: str, _options: Options) -> list[Part]:
    """One part: the curves are exact, whatever the scale."""
    return [Part.of(WORK, 0, {"scenario": as_data(load_scenario(SCENARIO))}, "both curves")]


def carry_out(part: Part) -> Outcome:
    """The breakpoints of both curves, and their critical points, as strings with rationals."""
    numbers = open_bench(parse_scenario(part.settings["scenario"])).numbers
    curve = alpha_curve(numbers.space, numbers.rewards, numbers.workload)
    return {
        "greedy": [[str(x), str(y)] for x, y in curve.greedy],
        "optimum": [[str(x), str(y)] for x, y in curve.optimum],
        "critical": [str(curve.critical_low), str(curve.critical_high)],
        "worst": [str(curve.worst_ratio), str(curve.worst_alpha)],
    }


def result(scale: str, _options: Options, outcomes: Outcomes) -> Result:
    """The table of both rewards, and the figure."""
    done = finished(parts(scale, _options), outcomes)
    if not done:
        return Result(NAME, scale, (), (), NOTES)
    curve = _curve(done[0])
    return Result(NAME, scale, (*_critical(curve), *_values(curve)), (_figure(curve),), NOTES)


def _curve(outcome: Outcome) -> AlphaCurve:
    low, high = map(Fraction, outcome["critical"])
    ratio, alpha = map(Fraction, outcome["worst"])
    return AlphaCurve(_points(outcome["greedy"]), _points(outcome["optimum"]), low, high, ratio, alpha)


def _points(pairs: list[list[str]]) -> Points:
    return tuple((Fraction(x), Fraction(y)) for x, y in pairs)


def _critical(curve: AlphaCurve) -> list[Row]:
    found = {
        "critical_alpha_low": (curve.critical_low, PAPER_CRITICAL_LOW),
        "critical_alpha_high": (curve.critical_high, PAPER_CRITICAL_HIGH),
        "worst_ratio": (curve.worst_ratio, PAPER_WORST_RATIO),
        "worst_alpha": (curve.worst_alpha, PAPER_WORST_ALPHA),
    }
    return [_row(what, ours, paper=paper) for what, (ours, paper) in found.items()]


def _values(curve: AlphaCurve) -> Iterator[Row]:
    places = {alpha for alpha, _ in curve.greedy + curve.optimum if 0 < alpha <= LAST_ALPHA}
    for alpha in sorted(places.union(ALPHAS)):
        greedy, optimum = curve.value_at(alpha)
        yield _row("greedy_reward", greedy, alpha)
        yield _row("optimal_reward", optimum, alpha)


def _row(what: str, ours: Fraction, alpha: Fraction | None = None, paper: Fraction | None = None) -> Row:
    at = {} if alpha is None else {"alpha": str(alpha)}
    given = None if paper is None else float(paper)
    return Row(what, float(ours), paper=given, at=at, exact=str(ours))


def _figure(curve: AlphaCurve) -> Figure:
    return Figure(
        name=NAME,
        title="Global greedy and optimal reward as the workload grows",
        x_label="alpha",
        y_label="reward per server",
        curves=(_line("optimum U*", curve.optimum), _line("global greedy U^(g)", curve.greedy)),
        planned=("optimum U*", "global greedy U^(g)"),
        marks=tuple((str(alpha), float(alpha)) for alpha in (curve.critical_low, curve.critical_high)),
    )


def _line(name: str, points: Points) -> Curve:
    shown = [point for point in points if point[0] < LAST_ALPHA]
    shown.append((LAST_ALPHA, shown[-1][1]))
    return Curve(name, tuple(float(x) for x, _ in shown), tuple(float(y) for _, y in shown))
