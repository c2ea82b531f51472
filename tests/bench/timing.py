"""Shared by the benchmarks: rounds taken in turn, spreads, tables, and scaled scenarios.

All ways of doing the same thing run in turn within a round (A B C A B C ...), so that other
load on the machine affects them equally.  Ratios are taken within a round; their median, least and
most are printed.
"""

from __future__ import annotations

import argparse
import gc
import os
import platform
from dataclasses import dataclass
from statistics import median
from time import process_time
from typing import TYPE_CHECKING, Callable, Iterable, Mapping, Sequence

if TYPE_CHECKING:
    from slotscope.model.kinds.reservation.state import ReservationState
    from slotscope.model.running.assembly import Bench
    from slotscope.model.scenario.load import Scenario

#: The numbers of servers of the measurements.
SIZES = (180, 1000, 10_000)

#: Simulated time, in mean service times, after which a run counts as settled.
SETTLED = 6.0

#: The environment variable with the processor that C is compiled for.
ARCHITECTURE = "BENCH_ARCHITECTURE"

#: Does the measured work and returns the number of units (events, seeks, ...).
Work = Callable[[], float]
#: Prepares the work, outside of the measured time.
Contestant = Callable[[], Work]


def asked_rounds(title: str | None, quick: str, few: int = 2) -> tuple[int, bool]:
    """The number of rounds from the command line, and whether it asks for a *quick* run, which has *few* rounds."""
    parser = argparse.ArgumentParser(description=title)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--quick", action="store_true", help=quick)
    asked = parser.parse_args()
    return few if asked.quick else asked.rounds, asked.quick


@dataclass(frozen=True)
class Spread:
    """Median, least and most of some measurements."""

    median: float
    least: float
    most: float

    def text(self, digits: int = 3) -> str:
        """The three numbers, such as ``2.1 (1.9 to 2.4)``."""
        middle, least, most = (
            f"{x:.{digits}g}" if x < 1000 else f"{x:.0f}" for x in (self.median, self.least, self.most)
        )
        return middle if least == most else f"{middle} ({least} to {most})"


def spread(values: Iterable[float]) -> Spread:
    """The spread of some measurements, at least one."""
    found = list(values)
    return Spread(median(found), min(found), max(found))


def interleaved(
    contestants: Mapping[str, Contestant], rounds: int, warm_up: int = 1, clock: Callable[[], float] = process_time
) -> dict[str, list[float]]:
    """Seconds per unit of each contestant, one number per round; the first rounds are dropped.

    The garbage collector is off while a contestant works and runs between them, so that
    no contestant pays for the garbage of another.
    """
    spent: dict[str, list[float]] = {name: [] for name in contestants}
    automatic = gc.isenabled()
    for turn in range(rounds + warm_up):
        for name, contestant in contestants.items():
            work = contestant()
            gc.collect()
            gc.disable()
            try:
                started = clock()
                units = work()
                passed = clock() - started
            finally:
                if automatic:
                    gc.enable()
            if turn >= warm_up:
                spent[name].append(passed / max(units, 1))
    return spent


def ratios(over: Sequence[float], base: Sequence[float]) -> list[float]:
    """The ratios of two contestants' times, round by round."""
    return [x / y for x, y in zip(over, base, strict=True)]


def ratio(over: Sequence[float], base: Sequence[float]) -> Spread:
    """The ratio of two contestants' times, round by round."""
    return spread(ratios(over, base))


def comparison(times: Mapping[str, Sequence[float]], unit: str = "event") -> str:
    """A table of contestants: time per unit, and its ratio to the first contestant's."""
    base = next(iter(times))
    rows = [
        (
            name,
            spread(1e6 * second for second in mine).text(),
            ratio(mine, times[base]).text(),
            ratio(times[base], mine).text(),
        )
        for name, mine in times.items()
    ]
    heads = ("way", f"CPU µs per {unit}", f"time / '{base}'", f"speed / '{base}'")
    return table(heads, rows)


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table in Markdown."""
    return "\n".join(map(line_of, [heads, ["---"] * len(heads), *rows]))


def line_of(row: Sequence[object]) -> str:
    """A line of a table."""
    return "| " + " | ".join(map(str, row)) + " |"


def section(title: str, *parts: str) -> None:
    """Print a heading and what belongs under it, at once."""
    print(f"\n### {title}\n", *parts, sep="\n", flush=True)


#: The beginning of a line with a target; the report of all benchmarks collects these lines.
TARGET = "target: "


@dataclass(frozen=True)
class Limit:
    """A measured limit: what the machine itself takes, or gives, for work that cannot be avoided.

    It is measured in the same rounds as the target, so that other load on the machine affects both.

    - *what*: The work, in words.
    - *found*: In the unit of the target, one number for each round.
    """

    what: str
    found: Sequence[float]

    def text(self) -> str:
        """Such as ``61 (58 to 63): a bare loop with the same calls``."""
        return f"{spread(self.found).text()}: {self.what}"


def aim(
    what: str,
    wanted: float,
    found: Iterable[float],
    unit: str = "",
    *,
    at_least: bool = False,
    limit: Limit | None = None,
    limit_is: str = "",
) -> None:
    """Print how far a target is reached: the spread of *found*, and the ratio of its median to *wanted*.

    *limit*: cannot be passed by anything that does this work; a target beyond it is out of reach on this machine.
    *limit_is*: the obstacle if the target is missed, in numbers of the same run.
    """
    reached = spread(found)
    least = f"{'at least' if at_least else 'at most'} {wanted:g} {unit}".strip()
    share = f"{reached.median / wanted:.2f}"
    verdict = _verdict(reached.median, wanted, at_least, limit)
    if limit_is and verdict != REACHED:
        verdict += f": {limit_is}"
    bound = limit.text() if limit else ""
    print(TARGET + " | ".join((what, least, reached.text(), share, bound, verdict)), flush=True)


#: The beginning of a verdict if the target is reached.
REACHED = "reached"


def _verdict(reached: float, wanted: float, at_least: bool, limit: Limit | None) -> str:
    """Whether a target is reached, and if not, whether the limit meets it."""

    def meets(value: float) -> bool:
        return value >= wanted if at_least else value <= wanted

    if meets(reached):
        return REACHED
    if limit is None:
        return "missed"
    bound = spread(limit.found).median
    beyond = "" if meets(bound) else ", as the limit misses it"
    return f"missed{beyond}; {reached / bound:.2f} of the limit"


def aim_at_c(
    what: str,
    times: Mapping[str, Sequence[float]],
    kernel: str,
    in_c: str,
    *,
    limit: Limit | None = None,
    limit_is: str = "",
) -> None:
    """The target of every kernel: nine tenths of the speed of C, if a compiler is installed.

    *limit*, *limit_is*: see :func:`aim`; without *limit_is*, how much longer the kernel takes.
    """
    if in_c in times:
        more = spread(1e9 * (mine - c) for c, mine in zip(times[in_c], times[kernel], strict=True)).text(2)
        shares = ratios(times[in_c], times[kernel])
        why = limit_is or f"{more} ns more, on the same arrays and with the same steps: Instructions counts these"
        aim(f"speed of the kernel / {in_c}: {what}", 0.9, shares, at_least=True, limit=limit, limit_is=why)


def architecture() -> str:
    """The processor that C is compiled for: this one, unless a tool that counts instructions supports another."""
    return os.environ.get(ARCHITECTURE, "native")


def keep_byte_code() -> None:
    """Let processes keep the byte code of their imports, as an installed program does.

    If the environment forbids it, every start compiles all modules again, which would be part of the measurement.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def machine() -> str:
    """One line about the machine of the measurement."""
    return (
        f"{platform.python_implementation()} {platform.python_version()}, "
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores; "
        "compare ratios, never times"
    )


# Scenarios.


def scaled(servers: int, policy: str = "dra") -> Scenario:
    """The example of Section 7.1 with another number of servers, and rates in proportion."""
    from slotscope.model.scenario.load import as_data, edited, load_scenario

    scenario = load_scenario("dra-vms")
    data = as_data(scenario)
    changes = {"servers": data["servers"] | {"count": servers}}
    if policy != scenario.policy.name:
        changes["policy"] = {"name": policy}
    return edited(scenario, changes)


def settled(servers: int, policy: str, time: float = SETTLED) -> tuple[Bench, ReservationState]:
    """A bench, and its state after some simulated time; copy the state before using it."""
    import numpy as np

    from slotscope.model.kinds.reservation.rows import EVENT_ROW
    from slotscope.model.running.assembly import assemble
    from slotscope.model.running.engine import Reason, Task, started

    bench = assemble(scaled(servers, policy))
    engine, tape = bench.kernel(), np.zeros(16_384, EVENT_ROW)
    result = engine.advance(started(bench.system), tape, Task(until=time))
    while result.reason is Reason.LIMIT:
        result = engine.advance(result.state, tape, Task(until=time))
    return bench, result.state
