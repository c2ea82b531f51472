"""The texts of the panel of the optimum: numbers and sentences made from bounds."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING, Iterator, Sequence

from slotscope.gui.kinds.moldable.lp_ratios import RatioValues
from slotscope.gui.kinds.moldable.lp_shares import ShareValues
from slotscope.gui.panels.pages import inked, table_of
from slotscope.gui.panels.tiles import TileText
from slotscope.gui.panels.wording import THIN, exact, significant
from slotscope.gui.theme import Theme
from slotscope.model.kinds.moldable.programs.program import SOLVER_TOLERANCE
from slotscope.model.kinds.moldable.programs.theorem1 import Optimum, optimum
from slotscope.model.policies import policy_titles
from slotscope.model.reporting.letters import own_letters

if TYPE_CHECKING:  # the solvers behind it take long to import
    from slotscope.model.kinds.moldable.programs.bounds import ClassBounds, MoldableBounds

BEST = "<i>D</i><sup>*</sup>"
TICK, CROSS = "✓", "✗"

#: Most rows of a table of widths.
_MOST_ROWS = 12


@dataclass(frozen=True)
class ShownClass:
    """The chosen class, and the load of its servers."""

    one: ClassBounds  #: the class
    load: Fraction  #: of the class's servers: the run's, or the one that the user has chosen
    found: Optimum | None  #: the solution of (P) for that load; None if there is none
    present: bool  #: whether it is the load of the run
    several: bool  #: whether there are other classes
    servers: Fraction  #: the class's number of servers, an average if not whole

    @property
    def mean_time(self) -> float | None:
        """D* of the class for that load, in units of time; None without a solution."""
        return None if self.found is None else float(self.found.mean_time * self.one.mean)

    @property
    def symbol(self) -> str:
        """The symbol of the load."""
        return "ρⱼ / bⱼ" if self.several else "λ"


def shown_of(bounds: MoldableBounds, place: int, wanted: Fraction | None) -> ShownClass:
    """A class at a *wanted* load, or at its own if None."""
    one, several = bounds.classes[place], len(bounds.classes) > 1
    own = one.optimum.load if one.optimum is not None else one.load
    servers = (one.share if one.share is not None else Fraction(1)) * bounds.servers
    if wanted is None or wanted == own:
        return ShownClass(one, own, one.optimum, True, several, servers)
    return ShownClass(one, wanted, optimum(one.speedup, wanted), False, several, servers)


def ratio_values(shown: ShownClass) -> RatioValues:
    """The values for the picture of Theorem 1."""
    ratios = tuple(float(ratio) for ratio in shown.one.ratios)
    if shown.found is None:
        return RatioValues(ratios, float(shown.load), symbol=shown.symbol)
    shares = tuple(fraction(shown.found.p[i - 1]) for i in shown.found.support)
    return RatioValues(ratios, float(shown.load), shown.found.support, shares, shown.symbol)


def share_values(bounds: MoldableBounds) -> tuple[ShareValues, ...]:
    """The reserved shares of several classes; empty for a single class, or without a solution."""
    if len(bounds.classes) < 2 or not bounds.solved:
        return ()
    letters = own_letters([one.name for one in bounds.classes], 0)
    return tuple(
        ShareValues(
            one.name,
            letter,
            float(one.share or 0),
            one.servers or 0,
            tuple((float(share), float(value)) for share, value in one.value),
        )
        for one, letter in zip(bounds.classes, letters, strict=True)
    )


def fraction(value: Fraction) -> str:
    """A number as a fraction if that is short, else as a decimal."""
    return exact(value) or significant(float(value))


# The numbers above.


def tiles(bounds: MoldableBounds, shown: ShownClass) -> Iterator[TileText]:
    """Tiles of D*, the load, the widths and their probabilities."""
    if shown.several and bounds.mean_time is not None:
        best, tip = significant(float(bounds.mean_time)), "The least mean execution time: the optimum of (Q)."
        yield TileText(f"{BEST} of all jobs", best, "optimum", tip, short=BEST)
    if shown.found is not None:
        yield from _of_class(shown)
    load = shown.load if not shown.several else bounds.load
    symbol = "<i>ρ</i>" if shown.several else "<i>λ</i>"
    if load:
        role, tip = "rejection" if load > 1 else "normal", "Arrivals per server times the mean inherent size."
        yield TileText(f"load {symbol}", fraction(load), role, tip, short=symbol)


def _of_class(shown: ShownClass) -> Iterator[TileText]:
    found, time = shown.found, shown.mean_time
    assert found is not None and time is not None
    name = escape(shown.one.name) if shown.several else ""
    written = exact(found.mean_time * shown.one.mean)
    caption = f"{BEST} of {name}" if name else BEST
    tip = "The least mean execution time without blocking: the optimum of (P)."
    exactly = f"{caption} = {written}" if written else caption
    yield TileText(exactly, significant(time), "optimum", tip, short=name or BEST)
    widths = " and ".join(str(i) for i in found.support)
    tip = f"I*: on how many servers jobs run in the optimum; Theorem 1 ({found.case})."
    yield TileText("widths", widths, "normal", tip)
    subscripts = ", ".join(f"<i>p</i><sup>*</sup><sub>{i}</sub>" for i in found.support)
    distribution = ", ".join(fraction(found.p[i - 1]) for i in found.support)
    yield TileText(subscripts, distribution, "normal", "With which probabilities greedy(p*) asks for these widths.")


def note(bounds: MoldableBounds, shown: ShownClass, theme: Theme) -> str:
    """Why there is no optimum, or that the load shown is not the run's; as rich text."""
    if not shown.present:
        own = shown_of(bounds, bounds.classes.index(shown.one), None).load
        run = f"in the run it is {fraction(own)}" if own else "that of the run is not known"
        said = f"At {shown.symbol} = {fraction(shown.load)}; {run}. A double click on the curve returns."
        return inked(said, theme.ink(theme.focus))
    ink = theme.ink(theme.rejection) if bounds.load > 1 else theme.muted
    return inked(escape(bounds.problem), ink) if bounds.problem else ""


# Tables.


def width_table(shown: ShownClass, theme: Theme) -> str:
    """A row per width: s_i, s_i / i, y*_i, jobs and p*_i; those of I* in gold."""
    found = shown.found
    heads = ["<i>i</i>", "<i>s<sub>i</sub></i>", "<i>s<sub>i</sub></i> / <i>i</i>"]
    if found is not None:
        heads += ["<i>y</i><sup>*</sup><sub><i>i</i></sub>", "jobs", "<i>p</i><sup>*</sup><sub><i>i</i></sub>"]
    rows: list[list[str]] = []
    before = 0
    for i in listed(len(shown.one.speedup), found.support if found is not None else ()):
        if i > before + 1:
            rows.append(["…", *[""] * (len(heads) - 1)])
        before = i
        cells = [str(i), fraction(shown.one.speedup[i - 1]), fraction(shown.one.ratios[i - 1])]
        if found is not None:
            y = found.y[i - 1]
            cells += [fraction(y), significant(float(y * shown.servers)), fraction(found.p[i - 1])]
            if i in found.support:
                ink = theme.ink(theme.optimum)
                cells = [f'<b style="color:{ink}">{cell}</b>' for cell in cells]
        rows.append(cells)
    return table_of(heads, rows, theme)


def listed(degree: int, support: Sequence[int]) -> list[int]:
    """The widths with a row: all, or the first, the last, and those around I*."""
    if degree <= _MOST_ROWS:
        return list(range(1, degree + 1))
    near = {i + off for i in support for off in (-1, 0, 1)}
    return sorted(i for i in {1, 2, 3, degree, *near} if 1 <= i <= degree)


def proof_lines(bounds: MoldableBounds, shown: ShownClass, theme: Theme) -> str:
    """The results of PuLP's solvers for the same program, and the price of a server."""
    program = "(Q)" if shown.several else "(P)"
    lines = []
    for answer in bounds.answers:
        if answer.objective is None:
            lines.append(f"{program} by PuLP with {answer.solver}: {escape(answer.status)}.")
            continue
        best = float(bounds.mean_time or 0)
        off = abs(answer.objective - best)
        agrees = bounds.mean_time is not None and off <= SOLVER_TOLERANCE * max(1.0, best)
        theorem = "the closed form" if shown.several else "Theorem 1"
        ink = theme.ink(theme.optimum if agrees else theme.rejection)
        mark = f'<b style="color:{ink}">{TICK if agrees else CROSS}</b>'
        says = f"= {theorem}" if agrees else f"differs from {theorem} by {off:.1e}"
        lines.append(
            f"{mark} {program} by PuLP with {answer.solver}: {escape(answer.status)}, "
            f"{_rounded(answer.objective)} {says}"
        )
    if bounds.solution is not None and bounds.solution.price:
        per = float(bounds.solution.price) / bounds.servers
        lines.append(
            f"One server more would shorten {BEST} by {significant(per, 3)}: the dual "
            f"price of the servers is {fraction(bounds.solution.price)}."
        )
    elif bounds.solution is not None:
        slack = 100 * float(bounds.solution.slack)
        lines.append(f"More servers would not help: {significant(slack, 3)}{THIN}% of them are not needed.")
    if shown.found is not None and not shown.found.unique:
        lines.append("(P) has other optimal solutions.")
    return inked("<br>".join(lines), theme.muted) if lines else ""


# What is known of policies.


def reference_table(bounds: MoldableBounds, theme: Theme) -> str:
    """A row per exact result: the policy, its conditions, blocking and mean time."""
    rows, missing = [], []
    for found in bounds.references:
        title = _title(found.policy)
        if found.blocking is not None:
            lines = " + ".join(str(one.lines) for one in found.erlang)
            rows.append(
                [
                    title,
                    f"Erlang B, {lines} lines, sizes of any distribution",
                    _share(found.blocking),
                    _time(found.mean_time),
                    "",
                ]
            )
        if found.chain is not None:
            states = significant(found.chain.states, 6)
            rows.append(
                [
                    title,
                    f"exact chain, {states} states, exponential sizes",
                    _share(found.chain.blocking),
                    _time(found.chain.mean_time),
                    _time(found.chain.distance),
                ]
            )
        elif found.note:
            missing.append(f"{title}: {escape(found.note)}.")
    rows += _theorem2_rows(bounds)
    heads = ["policy", "holds for", "blocked", "mean time", "E‖<i>x</i> − <i>y</i><sup>*</sup>‖"]
    return table_of(heads, rows, theme, 2, "<br>".join(missing))


def _theorem2_rows(bounds: MoldableBounds) -> Iterator[list[str]]:
    for one in bounds.classes:
        found = one.theorem2
        if found is None:
            continue
        of = f", {escape(one.name)}" if len(bounds.classes) > 1 else ""
        proved = "" if found.proved else "; not proved for two widths"
        blocked = f"≤ {_share(found.blocking)}" if found.blocking < 1 else "–"
        time = "–"
        if found.time is not None and one.mean_time is not None:
            time = f"{BEST} ± {significant(found.time * float(one.mean), 3)}"
        yield [
            f"greedy(p*){of}",
            f"Theorem 2, exponential sizes{proved}",
            blocked,
            time,
            f"≤ {significant(found.distance, 3)}",
        ]


def curve_text(shown: ShownClass) -> str:
    """The label at the height of the curve of D*."""
    return "" if shown.mean_time is None else f"D*{THIN} {significant(shown.mean_time)}"


def _rounded(value: float) -> str:
    """A solver's result, without the digits beyond its precision."""
    return significant(float(f"{value:.9g}"), 7)


def _title(policy: str) -> str:
    """The title of a policy, with its parameters."""
    name, _, given = policy.partition(":")
    title = dict(policy_titles("moldable")).get(name, name)
    return escape(f"{title}, {given}" if given else title)


def _share(value: float) -> str:
    return f"{significant(100 * value)}{THIN}%"


def _time(value: float | None) -> str:
    return "–" if value is None else significant(value)
