"""Sweeps: a scenario under every combination of values of its parameters and of policies."""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, Iterator, Mapping, Sequence

from slotscope.model.errors import UserError, unknown_name
from slotscope.model.exact import rational
from slotscope.model.kinds.spec import Measure, kind_named
from slotscope.model.lab.parts import Outcome, Part
from slotscope.model.lab.plan import Options, Outcomes, finished
from slotscope.model.lab.results import Curve, Figure, Result, Row
from slotscope.model.lab.simulation import simulations
from slotscope.model.measures.metrics import estimate
from slotscope.model.policies import reference_for
from slotscope.model.policies.choice import names_beside
from slotscope.model.running.assembly import assemble, named_policy, policy_parameters
from slotscope.model.scenario.load import Scenario, as_data, parse_scenario

#: The name of the policy's column in a row.
POLICY = "policy"

#: A value of an axis, as a scenario file may contain it.
Value = bool | int | float | str

#: The most runs of one sweep.
MOST_RUNS = 100_000

#: The most curves of a figure; with more it would be unreadable.
MOST_CURVES = 12

#: The name ending of a measure's gain over the first policy, and the parameter that names that policy.
GAIN, OVER = "_gain", "over"


@dataclass(frozen=True)
class Axis:
    """A field of a scenario, given by its path, and the values that it takes."""

    path: str
    values: tuple[Value, ...]

    @property
    def numeric(self) -> bool:
        """Whether every value is a number, including numbers as text such as ``3/5``."""
        return all(_number(value) is not None for value in self.values)


@dataclass(frozen=True)
class Point:
    """One combination: a value for each axis, a policy (empty: the scenario's), and the scenario with these values."""

    values: tuple[Value, ...]
    policy: str
    scenario: Scenario
    warmup: float
    until: float


def axis(text: str) -> Axis:
    """An axis from ``PATH=VALUE,VALUE,...``. Raises UserError if path or values are missing, or a value is repeated."""
    path, sign, rest = text.partition("=")
    values = tuple(_value(item.strip()) for item in rest.split(","))
    if not path.strip() or not sign or "" in values:
        raise UserError(f"found '{text}', allowed: PATH=VALUE,VALUE,... such as servers.count=20,60", where="--vary")
    if len(set(map(str, values))) < len(values):
        raise UserError(f"found a value twice in '{text}', allowed: each once", where="--vary")
    return Axis(path.strip(), values)


def _value(text: str) -> Value:
    if text in {"true", "false"}:
        return text == "true"
    if re.fullmatch(r"[+-]?[0-9]{1,18}", text):
        return int(text)
    return text


def _number(value: Value) -> float | None:
    if isinstance(value, bool):
        return None
    try:
        return float(rational(value))
    except ValueError:
        return None


@dataclass(frozen=True, eq=False)
class Sweep:
    """A sweep as a :class:`model.lab.plan.Plan`, checked as a whole when it is created.

    Raises UserError if a path does not exist, a value or policy is not allowed, or there are too many runs.
    """

    name: str  #: the name of its results
    scenario: Scenario  #: the scenario that is varied
    #: axes, policies: the grid; without policies, the scenario's is used
    axes: tuple[Axis, ...]
    policies: tuple[str, ...]
    seed: int
    replications: int  #: runs per combination, with the seeds *seed*, *seed* + 1, ...
    #: until, warmup: None means the scenario's; if *until* shortens the run, its warm-up is shortened in proportion
    until: float | None = None
    warmup: float | None = None
    trace: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        combinations = max(len(self.policies), 1)
        for one in self.axes:
            combinations *= len(one.values)
        if combinations * self.replications > MOST_RUNS:
            raise UserError(
                f"found {combinations} combinations with {self.replications} replications, "
                f"allowed: at most {MOST_RUNS:,} runs",
                where="--vary",
            )
        paths = [one.path for one in self.axes]
        for path in paths:
            if path == "seed":
                raise UserError(
                    "found seed, allowed: --seed and --replications, so that all combinations meet the same jobs",
                    where="--vary",
                )
            if paths.count(path) > 1:
                raise UserError(f"found {path} twice, allowed: once", where="--vary")
        for text in self.policies:
            if self.policies.count(text) > 1:
                raise UserError(f"found {text} twice, allowed: once", where="--policy")
        assert self.points  # computing them checks them

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """All combinations, with the policy varying fastest."""
        return tuple(self._points())

    def _points(self) -> Iterator[Point]:
        for values in product(*(one.values for one in self.axes)):
            scenario = self._varied(values)
            policies = self.policies or ("",)
            for policy in policies:
                self._check(scenario, policy, values)
            until, warmup = self._times(scenario)
            for policy in policies:
                yield Point(values, policy, scenario, warmup, until)

    def _varied(self, values: Sequence[Value]) -> Scenario:
        data = as_data(self.scenario)
        for one, value in zip(self.axes, values, strict=True):
            try:
                _set(data, one.path, value)
            except UserError as error:
                raise error.inside("--vary") from None
        if not values:
            return self.scenario
        try:
            return parse_scenario(data)
        except UserError as error:
            raise error.inside(self._place(values)) from None

    def _place(self, values: Sequence[Value]) -> str:
        pairs = zip(self.axes, values, strict=True)
        return " ".join(f"--vary {one.path}={value}" for one, value in pairs)

    def _times(self, scenario: Scenario) -> tuple[float, float]:
        if self.trace and None in (self.until, self.warmup):  # the end of a recorded workload is in the trace
            scenario, *_ = kind_named(scenario.system).with_trace(scenario, self.trace)
        run = scenario.run
        until = float(run.until) if self.until is None else self.until
        if self.warmup is None:
            return until, min(float(run.warmup), float(run.warmup / run.until) * until)
        if self.warmup >= until:
            raise UserError(f"found {self.warmup:g}, allowed: a time before the end at {until:g}", where="--warmup")
        return until, self.warmup

    def _check(self, scenario: Scenario, policy: str, values: Sequence[Value]) -> None:
        """Assemble the system once, to check it; without reading a trace."""
        where = " ".join(filter(None, (self._place(values), f"--policy {policy}" * bool(policy))))
        try:
            if scenario.workload.kind == "trace":
                if not self.trace:
                    raise UserError("this needs a trace: give its files with --trace PATH")
                policy_parameters(_under(scenario, policy) if policy else scenario)
            else:
                assemble(scenario, policy or None)
        except UserError as error:
            raise error.inside(where) if where else error from None

    @property
    def shown(self) -> Measure:
        """The measure shown in the figure: the first of the kind's measures."""
        return kind_named(self.scenario.system).measures[0]

    @cached_property
    def runs(self) -> tuple[list[Part], ...]:
        """The replications of each of :attr:`points`."""
        return tuple(self._replications(point) for point in self.points)

    def parts(self, scale: str, options: Options) -> list[Part]:
        """One part for each replication of each combination."""
        return [part for several in self.runs for part in several]

    def _replications(self, point: Point) -> list[Part]:
        return simulations(
            point.scenario,
            range(self.seed, self.seed + self.replications),
            point.warmup,
            point.until,
            ", ".join(f"{name} = {value}" for name, value in self.at(point).items()),
            point.policy or None,
            trace=self.trace,
        )

    def at(self, point: Point) -> dict[str, Value]:
        """The values that identify a combination."""
        at = {one.path: value for one, value in zip(self.axes, point.values, strict=True)}
        return at | ({POLICY: point.policy} if point.policy else {})

    def result(self, scale: str, options: Options, outcomes: Outcomes) -> Result:
        """The measures of each combination that has a finished run, and a figure."""
        rows: list[Row] = []
        for number, point in enumerate(self.points):
            rows += _measures(finished(self.runs[number], outcomes), self.at(point))
            first = number - number % max(len(self.policies), 1)
            if number != first:
                rows += self._gain(point, first, number, outcomes)
        figure = _figure(self, rows)
        return Result(self.name, scale, tuple(rows), (figure,) if figure else (), self._notes())

    def _gain(self, point: Point, first: int, number: int, outcomes: Outcomes) -> list[Row]:
        """The gain in the shown measure over the first policy, from paired runs on the same jobs."""
        shown = self.shown.name
        pairs = [
            (outcomes[mine]["metrics"][shown], outcomes[other]["metrics"][shown])
            for mine, other in zip(self.runs[number], self.runs[first], strict=True)
            if mine in outcomes and other in outcomes
        ]
        if not pairs:
            return []
        gain = estimate([mine - other for mine, other in pairs])
        at = self.at(point) | {OVER: self.policies[0]}
        return [Row.of(shown + GAIN, gain, at)]

    def _notes(self) -> tuple[str, ...]:
        last = self.seed + self.replications - 1
        return (f"Seeds {self.seed} to {last} for every combination: all meet the same random numbers.",)


def _under(scenario: Scenario, policy: str) -> Scenario:
    """*scenario* under another policy, with those of the scenario's policy parameters that this policy has, too."""
    choice = named_policy(policy)
    known = reference_for(choice.name, scenario.system).schema.model_fields
    kept = {key: value for key, value in scenario.policy.parameters.items() if key in known}
    chosen = choice.model_copy(update={"parameters": kept | choice.parameters})
    return scenario.model_copy(update={"policy": chosen})


def _measures(done: Sequence[Outcome], at: Mapping[str, Value]) -> list[Row]:
    if not done:
        return []
    rows = []
    for name in done[0]["metrics"]:
        item = estimate([outcome["metrics"][name] for outcome in done])
        rows.append(Row.of(name, item, dict(at)))
    return rows


def _figure(sweep: Sweep, rows: Sequence[Row]) -> Figure | None:
    """The shown measure over the first numeric axis, with a curve for each combination of the others."""
    across = next((one for one in sweep.axes if one.numeric and len(one.values) > 1), None)
    if across is None:
        return None
    lines: dict[str, list[tuple[float, Row]]] = {}
    for row in rows:
        x = _number(row.at[across.path]) if row.what == sweep.shown.name else None
        if x is not None:
            lines.setdefault(_line_name(sweep, row.at, across.path), []).append((x, row))
    curves, times = [], sweep.shown.shown_times
    for name, points in list(lines.items())[:MOST_CURVES]:
        points.sort(key=lambda point: point[0])
        curves.append(
            Curve(
                name,
                tuple(x for x, _ in points),
                tuple(times * row.ours for _, row in points),
                tuple(times * row.half_width for _, row in points),
            )
        )
    title = sweep.shown.title
    planned = dict.fromkeys(_line_name(sweep, sweep.at(point), across.path) for point in sweep.points)
    return Figure(
        sweep.name, f"{sweep.scenario.title}: {title}", across.path, title, tuple(curves), planned=tuple(planned)
    )


def _line_name(sweep: Sweep, at: Mapping[str, Value], across: str) -> str:
    """The label of a combination's curve: all of its values but that of the x axis."""
    called = names_beside(sweep.policies)
    shown = {key: called[str(value)] if key == POLICY else value for key, value in at.items() if key != across}
    return ", ".join(f"{key} = {value}" for key, value in shown.items()) or sweep.name


def _set(data: dict[str, Any], path: str, value: Value) -> None:
    """Set the field at *path* to *value*, in place."""
    table: Any = data
    steps = list(_steps(data, path))
    for step in steps[:-1]:
        table = table[step]
    table[steps[-1]] = deepcopy(value)


def _steps(data: Any, path: str) -> Iterator[str | int]:
    """The keys and list positions along *path*; the last key may be new."""
    place, rest, gone = data, path, ""
    while rest:
        key, rest = _next_key(place, rest, gone)
        yield key
        gone = f"{gone}[{key}]" if isinstance(key, int) else f"{gone}.{key}".lstrip(".")
        if not rest:
            return
        place = place.get(key) if isinstance(place, dict) else place[key]
        if not isinstance(place, dict | list):
            raise UserError(f"found '{path}', but {gone} has no fields", where=path)
    raise UserError("found a path that ends with a dot, allowed: a field", where=path)


def _next_key(place: Any, rest: str, gone: str) -> tuple[str | int, str]:
    """The first step of *rest* in *place*, and the remaining path."""
    if isinstance(place, list):
        return _entry(place, rest, gone)
    key, dot, left = rest.partition(".")
    bracket = key.find("[")
    if bracket > 0:
        key, left = key[:bracket], rest[bracket:]
    elif dot and not left:
        left = "."
    if left and key not in place:
        raise UserError(unknown_name("field", key, place), where=gone or rest)
    return key, left


def _entry(place: list[Any], rest: str, gone: str) -> tuple[int, str]:
    """The position of a list entry, given as ``[position]`` or by the entry's name, and the remaining path."""
    match = re.match(r"\[([0-9]{1,6})\]\.?", rest)
    if match:
        if int(match[1]) >= len(place):
            raise UserError(f"found position {match[1]}, allowed: 0 to {len(place) - 1}", where=gone)
        return int(match[1]), rest[match.end() :]
    names = [entry.get("name", "") for entry in place if isinstance(entry, dict)]
    for number, name in sorted(enumerate(names), key=lambda item: -len(item[1])):
        if name and (rest == name or rest.startswith(f"{name}.")):
            return number, rest[len(name) + 1 :]
    raise UserError(unknown_name("entry", rest.partition(".")[0], filter(None, names)), where=gone)
