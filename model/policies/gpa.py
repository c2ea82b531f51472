"""The greedy placement algorithm.

Reference
    Psychas & Ghaderi (2022), Section 3.1.
Implements
    Algorithm 1, lines 1-13.
Symbols
    Y-hat  ``reference``       [J] workload reference vector
    r      ``left``            [J] jobs left
    N      ``servers_left``    servers left
    J[i]   ``candidates``      bit set of candidate job types
    k[i]   ``configuration``   MaxReward of the feasible configurations over J[i]
    j*     ``exhausted``       the type that is used up first
    X-hat  ``count``           servers that should have configuration k[i]
Deviations
    Line 7's ties go to the lowest type (the paper: arbitrary).  Line 8 can turn negative
    after a tie, because a type that stays may be over-served: the count is at least 0.
    Types that fit no server are never candidates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator, Sequence

from model.policies.base import PseudocodeLine
from model.records import Configuration, Line, Record
from model.systems.reservation.numbers import ReservationNumbers

PSEUDOCODE = (
    PseudocodeLine(Line(1, 1), 0, "<b>function</b> GPA(Ŷ)"),
    PseudocodeLine(Line(1, 2), 1, "<i>r</i> ← Ŷ"),
    PseudocodeLine(Line(1, 3), 1, "<i>N</i> ← <i>L</i>"),
    PseudocodeLine(Line(1, 4), 1, "<i>i</i> ← 1, 𝒥[1] = 𝒥"),
    PseudocodeLine(Line(1, 5), 1, "<b>while</b> 𝒥[<i>i</i>] ≠ ∅ <b>do</b>"),
    PseudocodeLine(Line(1, 6), 2, "<i>k</i>[<i>i</i>] ← MaxReward(𝒦<sup>𝒥[<i>i</i>]</sup>)"),
    PseudocodeLine(
        Line(1, 7),
        2,
        "<i>j</i>* ← argmin<sub><i>j</i>: <i>k<sub>j</sub></i>[<i>i</i>] &gt; 0</sub> "
        "⌈<i>r<sub>j</sub></i> / <i>k<sub>j</sub></i>[<i>i</i>]⌉",
    ),
    PseudocodeLine(
        Line(1, 8),
        2,
        "X̂<sub><i>k</i>[<i>i</i>]</sub> ← max(0, min(⌈<i>r<sub>j*</sub></i> / "
        "<i>k<sub>j*</sub></i>[<i>i</i>]⌉, <i>N</i>))",
    ),
    PseudocodeLine(
        Line(1, 9), 2, "<i>r</i> ← <i>r</i> − X̂<sub><i>k</i>[<i>i</i>]</sub> <i>k</i>[<i>i</i>]"
    ),
    PseudocodeLine(Line(1, 10), 2, "<i>N</i> ← <i>N</i> − X̂<sub><i>k</i>[<i>i</i>]</sub>"),
    PseudocodeLine(Line(1, 11), 2, "𝒥[<i>i</i>+1] ← 𝒥[<i>i</i>] − {<i>j</i>*}"),
    PseudocodeLine(Line(1, 12), 2, "<i>i</i> ← <i>i</i> + 1"),
    PseudocodeLine(
        Line(1, 13), 1, "<b>return</b> X̂<sub><i>k</i>[<i>i</i>]</sub>, <i>i</i> = 1..<i>J</i>"
    ),
)


@dataclass(frozen=True)
class Assigned:
    """One iteration's result: k[i] and X-hat_{k[i]}."""

    configuration: Configuration
    count: int


def steps(
    numbers: ReservationNumbers, reference: Sequence[int]
) -> Iterator[Record | tuple[Assigned, ...]]:
    """Run GPA; yields a record for each sub-step and at last the assignment.

    ``reference`` is Y-hat [J]; the assignment lists (k[i], X-hat) for i = 1, 2, ....
    """
    left = [int(jobs) for jobs in reference]  # line 2
    servers_left = numbers.servers  # line 3
    candidates = sum(1 << j for j, fits in enumerate(numbers.space.fits) if fits)  # line 4
    assignment: list[Assigned] = []
    yield Record("greedy_start", Line(1, 2), {"jobs_left": tuple(left), "servers": servers_left})
    while candidates:  # line 5
        configuration = numbers.space.max_reward(numbers.reward_units, candidates)  # line 6
        position = len(assignment) + 1
        yield Record(
            "configuration_found",
            Line(1, 6),
            {"i": position, "configuration": configuration, "candidates": candidates},
        )
        needed = {j: -(-left[j] // k) for j, k in enumerate(configuration) if k > 0}
        exhausted = min(needed, key=lambda j: (needed[j], j))  # line 7
        count = max(0, min(needed[exhausted], servers_left))  # line 8
        left = [jobs - count * k for jobs, k in zip(left, configuration, strict=True)]  # line 9
        servers_left -= count  # line 10
        candidates &= ~(1 << exhausted)  # line 11
        assignment.append(Assigned(configuration, count))
        yield Record(
            "count_found",
            Line(1, 8),
            {
                "i": position, "configuration": configuration, "count": count,
                "exhausted": exhausted, "jobs_left": tuple(left), "servers_left": servers_left,
            },
        )  # fmt: skip
    yield tuple(assignment)


def assignment_of(numbers: ReservationNumbers, reference: Sequence[int]) -> tuple[Assigned, ...]:
    """GPA's result alone."""
    *_, last = steps(numbers, reference)
    assert isinstance(last, tuple)
    return last
