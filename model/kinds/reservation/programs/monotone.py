"""A search for a violation of the monotone greedy property.

Psychas & Ghaderi (2022), Definition 8: job types and rewards have the property if
U^(g)[rho_1] >= U^(g)[rho_2] for all rho_1 >= rho_2.  The 1 - 1/e of Theorem 2 requires it.  Whether
it holds is not known in general (with two types it always does), so this searches for two
workloads that violate it, in exact arithmetic and always in the same order:

1. rho against rho without some types, fewest types removed first;
2. rho against workloads in which each type is cut to a critical level (the part of it that the first i
   configurations of the global greedy assignment serve), and any two of these
   workloads that differ in one type by one level;
3. pairs drawn at random, with a fixed seed, from below 2 rho.

The first step is completed and finds the largest drop; the others stop at the first violation.
If nothing is found, nothing is proved.
"""

from __future__ import annotations

import json
import pickle
import random
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain, combinations, product
from typing import Any, Callable, Iterator, Sequence

from slotscope.model.kinds.reservation.programs.greedy import check_numbers, global_greedy
from slotscope.model.lifeline import end_with_program
from slotscope.model.programs.configurations import ConfigurationSpace

Workload = tuple[Fraction, ...]

#: Evaluations of U^(g) for the window's button, and for a quick search together with other programs.
THOROUGH, QUICK = 20_000, 600
#: Evaluations between two reports of progress.
REPORT_EVERY = 200

#: Random workloads are integer multiples of 1 / _PARTS of rho, up to twice rho.
_PARTS, _MOST_PARTS, _LOWER_PARTS, _SEED = 6, 12, 4, 20220


@dataclass(frozen=True)
class Witness:
    """Two workloads lower <= upper [J] with U^(g)[lower] > U^(g)[upper]."""

    lower: Workload
    upper: Workload
    greedy_lower: Fraction
    greedy_upper: Fraction


@dataclass(frozen=True)
class MonotoneSearch:
    """The result of a search."""

    witness: Witness | None  #: None if no violation was found
    evaluations: int  #: the number of workloads whose U^(g) was computed

    def as_data(self) -> dict[str, Any]:
        """Plain data for JSON, with exact numbers as strings; a search that is stopped has none."""
        found = None
        if self.witness is not None:
            found = {
                "lower": [str(load) for load in self.witness.lower],
                "upper": [str(load) for load in self.witness.upper],
                "greedy_lower": str(self.witness.greedy_lower),
                "greedy_upper": str(self.witness.greedy_upper),
            }
        return {"witness": found, "evaluations": self.evaluations, "cancelled": False}

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> MonotoneSearch:
        """The search whose :meth:`as_data` is *data*."""
        found = data["witness"]
        witness = None
        if found is not None:
            witness = Witness(
                tuple(map(Fraction, found["lower"])),
                tuple(map(Fraction, found["upper"])),
                Fraction(found["greedy_lower"]),
                Fraction(found["greedy_upper"]),
            )
        return cls(witness, data["evaluations"])


def search_violation(
    space: ConfigurationSpace,
    rewards: Sequence[Fraction],
    workload: Sequence[Fraction],
    budget: int = THOROUGH,
    progress: Callable[[int], None] = lambda _evaluations: None,
) -> MonotoneSearch:
    """Search for two workloads of which the lower one has the higher greedy reward.

    - *space*: K, over J types.
    - *rewards*, *workload*: [J] u_j and rho_j, both >= 0.
    - *budget*: The largest number of evaluations of U^(g), at least 1.
    - *progress*: Called with the number of evaluations from time to time.

    Raises ValueError if a length is wrong, a number negative, or MaxReward too long a search.
    """
    check_numbers(space, rewards, workload)
    search = _Search(space, rewards, tuple(workload), budget, progress)
    with suppress(_EndedError):
        search.value(search.workload)
        for look in (search.without_types, search.at_levels, search.at_random):
            look()
            if search.best is not None:
                break
    return MonotoneSearch(search.best, len(search.known))


class _EndedError(Exception):
    """The budget of evaluations is used up."""


@dataclass
class _Search:
    space: ConfigurationSpace
    rewards: Sequence[Fraction]
    workload: Workload
    budget: int
    progress: Callable[[int], None]
    known: dict[Workload, Fraction] = field(default_factory=dict)
    best: Witness | None = None

    @property
    def loaded(self) -> list[int]:
        """The types that fit and have workload; the others make no difference."""
        return [j for j, load in enumerate(self.workload) if load and self.space.fits[j]]

    def value(self, workload: Workload) -> Fraction:
        """U^(g)[workload], computed once for each workload."""
        if workload in self.known:
            return self.known[workload]
        if len(self.known) >= self.budget:
            raise _EndedError
        self.known[workload] = global_greedy(self.space, self.rewards, workload).objective
        if len(self.known) % REPORT_EVERY == 0:
            self.progress(len(self.known))
        return self.known[workload]

    def compare(self, lower: Workload, upper: Workload) -> bool:
        """Whether a pair is a violation; keep it if it is larger than any before."""
        drop = self.value(lower) - self.value(upper)
        if drop <= 0:
            return False
        if self.best is None or drop > self.best.greedy_lower - self.best.greedy_upper:
            self.best = Witness(lower, upper, self.value(lower), self.value(upper))
        return True

    def without_types(self) -> None:
        """Compare rho with rho without some types."""
        loaded = self.loaded
        for removed in chain.from_iterable(combinations(loaded, size) for size in range(1, len(loaded))):
            self.compare(self._changed({j: Fraction(0) for j in removed}), self.workload)

    def at_levels(self) -> None:
        """Compare rho, and then neighbours, with the workloads of critical levels.

        Half of the remaining budget is kept for the last step.
        """
        levels = critical_levels(self.space, self.rewards, self.workload)
        enough = (len(self.known) + self.budget) / 2
        for places in product(*(range(len(row)) for row in levels)):
            if len(self.known) > enough:
                return
            point = tuple(row[place] for row, place in zip(levels, places, strict=True))
            if self.compare(point, self.workload):
                return
            for lower in _one_less(levels, places):
                if self.compare(lower, point):
                    return

    def at_random(self) -> None:
        """Compare pairs below 2 rho, at most as many as the budget."""
        numbers = random.Random(_SEED)
        for _ in range(self.budget):
            upper = self._changed({j: self.workload[j] * numbers.randint(0, _MOST_PARTS) / _PARTS for j in self.loaded})
            lower = tuple(load * numbers.randint(0, _LOWER_PARTS) / _LOWER_PARTS if load else load for load in upper)
            if self.compare(lower, upper):
                return

    def _changed(self, loads: dict[int, Fraction]) -> Workload:
        return tuple(loads.get(j, load) for j, load in enumerate(self.workload))


def _one_less(levels: Sequence[Sequence[Fraction]], places: tuple[int, ...]) -> Iterator[Workload]:
    """The workloads that are one level lower in one type; levels are in descending order."""
    for j, place in enumerate(places):
        if place + 1 < len(levels[j]):
            lower = (*places[:j], place + 1, *places[j + 1 :])
            yield tuple(row[at] for row, at in zip(levels, lower, strict=True))


def critical_levels(
    space: ConfigurationSpace, rewards: Sequence[Fraction], workload: Sequence[Fraction]
) -> tuple[Workload, ...]:
    """[J] the levels of each type in descending order: rho_j, what the first i greedy configurations serve of it, 0.

    For a type without workload, or one that fits no server, only rho_j.
    """
    greedy = global_greedy(space, rewards, workload)
    result = []
    for j, load in enumerate(workload):
        served, found = Fraction(0), {load}
        for configuration, share in zip(greedy.configurations, greedy.x, strict=True):
            served += configuration[j] * share
            found |= {min(served, load)} if load and space.fits[j] else set()
        if load and space.fits[j]:
            found.add(Fraction(0))
        result.append(tuple(sorted(found, reverse=True)))
    return tuple(result)


def main(space: ConfigurationSpace, rewards: Sequence[Fraction], workload: Sequence[Fraction], budget: int) -> None:
    """Search, and print progress and result as JSON lines.

    The window runs this module in a separate process, which it terminates to cancel the search.
    """

    def progress(evaluations: int) -> None:
        print(json.dumps({"evaluations": evaluations}), flush=True)

    found = search_violation(space, rewards, workload, budget, progress=progress)
    print(json.dumps({"result": found.as_data()}), flush=True)


if __name__ == "__main__":
    task = pickle.load(sys.stdin.buffer)
    end_with_program()
    main(*task)
