"""The feasible configurations of a server, and MaxReward over them.

Psychas & Ghaderi (2022), Sections 2.2 and 2.3.  A configuration k = (k_1, ..., k_J) is the
number of slots of each job type on a server.  The set K of feasible configurations is given by
demands and a capacity, or, as only monotonicity is needed, by its maximal
members.  K is rarely enumerated: counting, MaxReward and the maximal configurations
do not need it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.exact import common_units
from slotscope.model.programs import listing
from slotscope.model.programs.knapsack import UNBOUNDED, Integers, densities, heaviest

Configuration = tuple[int, ...]

#: Most configurations, and most maximal ones, that are enumerated unless the caller gives another limit.
MOST_LISTED = 2_000_000
MOST_MAXIMAL = 200_000
#: Most results of MaxReward that a space caches.
MOST_REMEMBERED = 200_000


@dataclass(frozen=True)
class ConfigurationSpace:
    """The set K of feasible configurations of J job types; spaces are equal if their fields are.

    Made by :meth:`from_demands` or :meth:`from_maximal`.
    """

    types: int  #: J
    #: demand, capacity: [J][n] and [n], integers in the largest common unit of each resource; empty if the maximal
    #: configurations are given
    demand: tuple[tuple[int, ...], ...] = ()
    capacity: tuple[int, ...] = ()
    #: the maximal configurations [m][J], sorted; empty if demands are given
    members: tuple[Configuration, ...] = ()
    _remembered: dict[tuple[Configuration, int], Configuration] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @classmethod
    def from_demands(
        cls, demand: Sequence[Sequence[int | Fraction]], capacity: Sequence[int | Fraction]
    ) -> ConfigurationSpace:
        """K of additive demands: k is feasible if sum_j k_j R_j <= capacity (Section 2.2).

        - *demand*: [J][n] R_j, the demand of a job of each type for each resource.
        - *capacity*: [n] the capacity of a server.

        Raises ValueError if there is no type, a number is negative, the lengths differ, a type demands nothing of any
        resource, or the numbers of a resource differ too much for exact integers.
        """
        _check_demands(demand, capacity)
        columns = [_in_units(d, [row[d] for row in demand] + [capacity[d]]) for d in range(len(capacity))]
        rows = tuple(tuple(column[j] for column in columns) for j in range(len(demand)))
        return cls(len(demand), rows, tuple(column[-1] for column in columns))

    @classmethod
    def from_maximal(cls, maximal: Sequence[Sequence[int]]) -> ConfigurationSpace:
        """K as all configurations below one of *maximal* (Section 2.2: monotone, not additive).

        - *maximal*: [m][J] configurations; those below another one are dropped.

        Raises ValueError if there is none, their lengths differ, or a count is negative.
        """
        given = sorted({tuple(int(count) for count in member) for member in maximal}, reverse=True)
        if not given or not given[0]:
            raise ValueError("found no maximal configuration; at least one is needed")
        if len({len(member) for member in given}) > 1:
            raise ValueError("the maximal configurations have different numbers of job types")
        if any(count < 0 for member in given for count in member):
            raise ValueError("a configuration has a negative number of slots")
        return cls(len(given[0]), members=tuple(listing.undominated(given)))

    @property
    def additive(self) -> bool:
        """Whether K is given by demands and a capacity."""
        return not self.members

    @cached_property
    def fits(self) -> tuple[bool, ...]:
        """[J] whether one job of the type fits an empty server."""
        if self.additive:
            return tuple(_below(row, self.capacity) for row in self.demand)
        return tuple(any(member[j] for member in self.members) for j in range(self.types))

    @cached_property
    def max_slots(self) -> int:
        """K of Table 1: the largest number of jobs in any feasible configuration."""
        return sum(self.heaviest((1,) * self.types))

    def contains(self, configuration: Sequence[int]) -> bool:
        """Whether *configuration* [J] is feasible."""
        if len(configuration) != self.types or min(configuration) < 0:
            return False
        if not self.additive:
            return any(_below(configuration, member) for member in self.members)
        used = (
            sum(count * row[d] for count, row in zip(configuration, self.demand, strict=True))
            for d in range(len(self.capacity))
        )
        return all(load <= room for load, room in zip(used, self.capacity, strict=True))

    def max_reward(self, rewards: Configuration, allowed: int) -> Configuration:
        """MaxReward(K^{J'}) of Definitions 2 and 3, exactly.

        - *rewards*: [J] u_j >= 0 as integers in any common unit.
        - *allowed*: J' as a bit mask: bit j stands for type j.

        Returns [J] the configuration of highest reward among those of allowed types only; of several the
        lexicographically largest one.  It is the empty one if no allowed type fits.

        Raises ValueError if a reward is negative, or the search is too long.
        """
        key = (rewards, allowed)
        known = self._remembered.get(key)
        if known is not None:
            return known
        if len(rewards) != self.types or min(rewards) < 0:
            raise ValueError(f"MaxReward needs {self.types} rewards of at least 0")
        types = [j for j in range(self.types) if allowed >> j & 1 and self.fits[j]]
        if self.additive:
            answer = additive_max_reward(self.demand, self.capacity, rewards, types)
        else:
            answer = heaviest_restriction(self.members, rewards, types)
        if len(self._remembered) >= MOST_REMEMBERED:
            self._remembered.clear()
        self._remembered[key] = answer
        return answer

    def heaviest(self, weights: Sequence[int]) -> Configuration:
        """A configuration k with the largest weight sum_j weights_j k_j (ties are broken arbitrarily; not cached).

        Weights [J] may be any integers; types of negative weight get no slots.
        """
        types = [j for j in range(self.types) if weights[j] > 0 and self.fits[j]]
        clipped = tuple(max(weight, 0) for weight in weights)
        if not self.additive:
            return heaviest_restriction(self.members, clipped, types)
        found = heaviest(self.demand, self.capacity, clipped, types)
        return found if found is not None else (0,) * self.types

    def count(self) -> int:
        """C: the number of feasible configurations, including the empty one.

        Raises ValueError if there are too many distinct remainders of the capacity to count.
        """
        if self.additive:
            return listing.count_additive(self.demand, self.capacity)
        return listing.count_below(self.members)

    def enumerate(self, limit: int = MOST_LISTED) -> NDArray[np.int64]:
        """[C, J] all feasible configurations, lexicographically largest first.

        Raises ValueError if there are more than *limit*.
        """
        listed = None
        if self.additive:
            listed = listing.list_additive(self.demand, self.capacity, limit)
        elif self.count() <= limit:
            listed = listing.list_below(self.members)
        if listed is None:
            raise ValueError(f"there are more than {limit} feasible configurations")
        return listed

    def maximal(self, limit: int = MOST_MAXIMAL) -> NDArray[np.int64]:
        """[m, J] the maximal configurations, lexicographically largest first.

        Raises ValueError if there are more than *limit*, or finding them would take too long.
        """
        if self.additive:
            return listing.maximal_additive(self.demand, self.capacity, limit)
        if len(self.members) > limit:
            raise ValueError(f"there are more than {limit} maximal configurations")
        return np.array(self.members, np.int64)


def definition_order(configurations: Iterable[Sequence[int]], rewards: Sequence[int | Fraction]) -> list[Configuration]:
    """*configurations* in descending order of Definition 2: by reward, then lexicographically.

    - *configurations*: Each with J numbers of slots.
    - *rewards*: [J] u_j.
    """
    plain = [tuple(int(count) for count in configuration) for configuration in configurations]
    return sorted(plain, key=lambda k: (sum(u * count for u, count in zip(rewards, k, strict=True)), k), reverse=True)


def integer_rewards(rewards: Sequence[Fraction]) -> tuple[Configuration, Fraction]:
    """Integers n_j and a unit w > 0 with rewards[j] = n_j w.

    Unlike in :func:`model.exact.common_units` the integers are not bounded: MaxReward uses Python's
    integers if 64 bits are not enough.
    """
    denominator = lcm(*(reward.denominator for reward in rewards))
    units = tuple(reward.numerator * (denominator // reward.denominator) for reward in rewards)
    return units, Fraction(1, denominator)


def _check_demands(demand: Sequence[Sequence[int | Fraction]], capacity: Sequence[int | Fraction]) -> None:
    if not demand:
        raise ValueError("found no job type; at least one is needed")
    if any(room < 0 for room in capacity):
        raise ValueError("a server's capacity must not be negative")
    for j, row in enumerate(demand, start=1):
        if len(row) != len(capacity):
            raise ValueError(f"job type {j} has {len(row)} demands; the server has {len(capacity)} resources")
        if any(size < 0 for size in row):
            raise ValueError(f"a demand of job type {j} is negative")
        if not any(row):
            raise ValueError(f"job type {j} takes nothing of any resource, so a server would hold any number")


def _in_units(resource: int, values: Sequence[int | Fraction]) -> list[int]:
    """*values* of one resource as integers. Raises ValueError with the resource's number."""
    try:
        return common_units([Fraction(value) for value in values])[0]
    except ValueError as error:
        raise ValueError(f"demands and capacity of resource {resource + 1}: {error}") from None


def _below(left: Sequence[int], right: Sequence[int]) -> bool:
    return all(a <= b for a, b in zip(left, right, strict=True))


def additive_max_reward(
    demand: Sequence[Integers], capacity: Integers, rewards: Integers, types: Integers
) -> Configuration:
    """MaxReward over *types*, each of which fits, for additive demands.

    - *demand*, *capacity*, *rewards*: [J][n], [n] and [J], integers >= 0.
    - *types*: J', ascending.

    Raises ValueError if the search is too long.
    """
    witness = heaviest(demand, capacity, rewards, types)
    assert witness is not None, "the empty configuration is always feasible"
    missing = sum(u * count for u, count in zip(rewards, witness, strict=True))
    room = list(capacity)
    table = densities([demand[j] for j in types], [rewards[j] for j in types])
    answer = [0] * len(demand)
    for place, j in enumerate(types):
        rest = types[place + 1 :]
        most = _most(demand[j], room, rewards[j], missing, table, place + 1)
        for count in range(most, -1, -1):
            left = [r - count * s for r, s in zip(room, demand[j], strict=True)]
            need = missing - count * rewards[j]
            found: Configuration | None = witness
            if witness[j] != count:
                found = heaviest(demand, left, rewards, rest, above=need - 1, enough=need)
            if found is not None:
                witness, room, missing, answer[j] = found, left, need, count
                break
    return tuple(answer)


def _most(
    sizes: Integers, room: Integers, reward: int, missing: int, table: tuple[list[int], list[int]], level: int
) -> int:
    """The largest count of one type with which the remaining types can still achieve the *missing* reward.

    In a column in which the remaining types earn at most p per unit of room, c jobs leave them
    (room - c size) p, and c reward + (room - c size) p >= missing bounds c if reward < size p.
    """
    numerators, denominators = table
    most = min(r // s for r, s in zip(room, sizes, strict=True) if s)
    for d, (size, left) in enumerate(zip(sizes, room, strict=True)):
        numerator = numerators[level * len(room) + d]
        denominator = denominators[level * len(room) + d]
        loss = size * numerator - reward * denominator
        if numerator != UNBOUNDED and loss > 0:
            most = min(most, (left * numerator - missing * denominator) // loss)
    return most


def heaviest_restriction(members: Sequence[Integers], rewards: Integers, types: Integers) -> Configuration:
    """MaxReward over *types* in the set below *members*.

    As rewards are not negative, one of the members, without the slots of other types, is optimal,
    also in the order of Definition 2.
    """
    usable = set(types)
    restricted = (tuple(count if j in usable else 0 for j, count in enumerate(member)) for member in members)
    return max(restricted, key=lambda k: (sum(u * n for u, n in zip(rewards, k, strict=True)), k))
