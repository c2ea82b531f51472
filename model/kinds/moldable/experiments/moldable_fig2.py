"""Figure 2 of Ghanbarian et al. (2025): blocking and mean execution time over n."""

from __future__ import annotations

from functools import cache
from typing import Callable, Iterable, Iterator, Mapping, NamedTuple

from slotscope.model.kinds.moldable.experiments.moldable_runs import (
    TRAFFIC,
    MoldableLength,
    MoldableRuns,
    erlang_blocking,
    moldable_runs,
    optimal_time,
    system_of,
)
from slotscope.model.kinds.moldable.experiments.moldable_table1 import PAPER, SERVERS
from slotscope.model.lab.parts import Part
from slotscope.model.lab.plan import Options, Outcomes, found_in, parts_of
from slotscope.model.lab.results import At, Curve, Figure, Result, Row
from slotscope.model.measures.metrics import Estimate
from slotscope.model.scenario.load import Scenario

NAME = "moldable-fig2"

#: The numbers of servers n, all multiples of 5, and the length of the runs with each.
SCALES: Mapping[str, tuple[tuple[int, ...], MoldableLength]] = {
    "quick": ((100, 300, 1000, 3000, 4000, 10_000), MoldableLength((1_100_000,), 4, 100_000)),
    "paper": ((100, 300, 1000, 3000, 4000, 10_000), MoldableLength((5_500_000,), 100, 500_000)),
}


class Way(NamedTuple):
    """A speed-up under a policy, and its name in figures."""

    speedup: str
    policy: str
    name: str


#: With the linear speed-up greedy(p*) is the same as greedy.
WAYS = (
    Way("sub-linear", "greedy-p", "greedy(p*), sub-linear"),
    Way("sub-linear", "greedy", "greedy, sub-linear"),
    Way("linear", "greedy-p", "both, linear"),
)

MEASURES = ("blocking_probability", "execution_time")


class Key(NamedTuple):
    """One point of the figure."""

    way: Way
    traffic: str
    servers: int

    @property
    def scenario(self) -> Scenario:
        """The scenario of the system."""
        return system_of(self.way.speedup, self.traffic, self.servers)

    @property
    def line(self) -> str:
        """The name of the curve that the point is on."""
        return f"{self.way.name}, {self.traffic}"


Cells = Mapping[Key, MoldableRuns]


def parts(scale: str, options: Options) -> list[Part]:
    """One part for each run of each point."""
    return parts_of(_cells(scale, options))


def _ways(options: Options) -> tuple[Way, ...]:
    """The paper's combinations, and each further policy with both speed-ups."""
    speedups = dict.fromkeys(way.speedup for way in WAYS)
    beside = options.beside({}).items()
    return (*WAYS, *(Way(speedup, text, f"{name}, {speedup}") for name, text in beside for speedup in speedups))


def _cells(scale: str, options: Options) -> dict[Key, list[Part]]:
    sizes, length = SCALES[scale]
    keys = [Key(way, traffic, n) for way in _ways(options) for traffic in TRAFFIC for n in sizes]
    return {key: moldable_runs(key.scenario, key.way.policy, length, f"{key.line}, n = {key.servers}") for key in keys}


def result(scale: str, options: Options, outcomes: Outcomes) -> Result:
    """P_b and E[D] for each n, with D*, and Erlang's formula if it holds."""
    cells = found_in(_cells(scale, options), outcomes, MoldableRuns.of)
    rows = [row for key, cell in cells.items() for row in _rows(key, cell)]
    figures = (figure for figure in _figures(scale, _ways(options), cells) if figure.curves)
    return Result(NAME, scale, tuple(rows), tuple(figures), NOTES)


def _rows(key: Key, cell: MoldableRuns) -> list[Row]:
    at: At = {"speed-up": key.way.speedup, "policy": key.way.policy, "traffic": key.traffic, "n": key.servers}
    rows = [Row.of(name, cell.measure(name), at, _printed(key).get(name)) for name in MEASURES]
    known = _erlang(key)
    if known is not None:
        rows.insert(1, Row("blocking_by_erlang", known, at=at))
    return [*rows, Row("optimal_time", _optimal_time(key), at=at)]


@cache  # a figure is made again after each part, as results arrive
def _erlang(key: Key) -> float | None:
    return erlang_blocking(key.scenario, key.way.policy)


@cache
def _optimal_time(key: Key) -> float:
    return optimal_time(key.scenario)


def _printed(key: Key) -> dict[str, float]:
    """The values of Table 1 for the point; the figure itself has no numbers."""
    if key.way.policy != "greedy-p" or key.servers != SERVERS:
        return {}
    printed = PAPER[key.way.speedup, key.traffic]
    return dict(zip(MEASURES, (printed.blocking[0], printed.time[0]), strict=True))


def _figures(scale: str, ways: tuple[Way, ...], cells: Cells) -> Iterator[Figure]:
    """Blocking with each speed-up, and the mean execution time with both."""
    over = f"servers n ({SCALES[scale][1].text()})"
    for speedup in dict.fromkeys(way.speedup for way in ways):
        keys = [key for key in cells if key.way.speedup == speedup]
        curves = (
            *_measured(keys, cells, "blocking_probability"),
            *_known(keys, lambda key: f"Erlang: {key.line}", _erlang),
        )
        name, title = f"{NAME}a-{speedup}", f"Blocking over the number of servers, {speedup}"
        planned = _planned(ways, speedup, "Erlang")
        yield Figure(name, title, over, "blocking probability", curves, logarithmic_x=True, planned=planned)
    optimal = [key for key in cells if key.way == WAYS[0]]
    times = (*_measured(cells, cells, "execution_time"), *_known(optimal, lambda key: f"D*: {key.line}", _optimal_time))
    title, planned = "Mean execution time over the number of servers", _planned(ways, "", "D*")
    yield Figure(f"{NAME}b", title, over, "mean execution time", times, logarithmic_x=True, planned=planned)


def _planned(ways: tuple[Way, ...], speedup: str, known: str) -> tuple[str, ...]:
    """The names of the curves with a speed-up (empty: with all): measured ones, then exact ones."""
    lines = [Key(way, traffic, 0).line for way in ways for traffic in TRAFFIC if speedup in ("", way.speedup)]
    return (*lines, *(f"{known}: {line}" for line in lines))


def _lines(keys: Iterable[Key]) -> dict[str, list[Key]]:
    """The points of each curve."""
    lines: dict[str, list[Key]] = {}
    for key in keys:
        lines.setdefault(key.line, []).append(key)
    return lines


def _measured(keys: Iterable[Key], cells: Cells, measure: str) -> list[Curve]:
    return [
        Curve.through(name, {float(key.servers): cells[key].measure(measure) for key in points})
        for name, points in _lines(keys).items()
    ]


def _known(keys: Iterable[Key], name: Callable[[Key], str], value: Callable[[Key], float | None]) -> Iterator[Curve]:
    """Curves of exact values, at the points that have them."""
    for points in _lines(keys).values():
        found = {float(key.servers): Estimate(known, 0.0) for key in points if (known := value(key)) is not None}
        if found:
            yield Curve.through(name(points[0]), found)


NOTES = (
    "The paper draws the figure and gives no numbers but those of Table 1 for n = 4000, which "
    "stand beside ours. Here the first arrivals are left out as warm-up.",
    "greedy(p*): P_b goes to 0 and E[D] to D* for both speed-ups, as Theorem 2 says. P_b falls "
    "like 1/√n, from n = 100 to 10,000 by a factor of 9 to 10; with the linear speed-up at α = 0 "
    "much faster, because a fifth of the servers stays free.",
    "greedy with the sub-linear speed-up is Erlang's system of n/5 lines with a load of λn/3.4: P_b goes to 1 - "
    "0.68/λ, 0.15 at λ = 0.8 and 0.32 at λ near 1, and E[D] is 1/3.4 = 0.2941 for every n, below D*.",
    "With the linear speed-up greedy(p*) is greedy, and Erlang's with n/5 lines and a load of "
    "λn/5; at α = 0 and n = 4000 it blocks one job in 8,000 million.",
)
